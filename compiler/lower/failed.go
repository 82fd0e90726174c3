package lower

import (
	"slices"

	"fst/compiler/ir"
	"fst/compiler/object"
	"fst/lang/diag"
	"fst/lang/source"
)

// Reads of memory that fail are counted for each place in the script. On the
// way a failure costs two instructions and no branch: each place has a bit, and
// `failed` collects them. On the way out the first place of them is counted:
// what follows a failed read mostly fails with it. Elements outside of an array
// are such reads, too.

// firstReadBit is above all bits of the length of a text that was read, which a
// helper returns, and among those that are set in all of its errors.
const firstReadBit = 24

// maxReadBits is how many places a function tells apart. The last bit is for
// the rest, which count as the clause's.
const maxReadBits = 63 - firstReadBit

// failure is the bit that a read of memory at the present place sets when it fails.
func (f *fn) failure(isUser bool) int8 {
	return int8(firstReadBit + f.readBit(object.LossReadFailed, isUser))
}

// noteOutside remembers that an index was outside of its array.
func (f *fn) noteOutside() {
	bit := ir.I(1 << (firstReadBit + f.readBit(object.LossOutside, false)))
	f.Emit(ir.Instr{Op: ir.OpOr, Dst: f.failed, A: ir.R(f.failed), B: bit})
}

// readBit is the bit of the present place, for one kind of loss.
func (f *fn) readBit(kind object.LossKind, isUser bool) int {
	site := f.readSite(kind, isUser)
	bit := slices.Index(f.readSites, site)
	if bit < 0 {
		bit = len(f.readSites)
		f.readSites = append(f.readSites, site)
	}
	return min(bit, maxReadBits-1)
}

// readSite is the index in Object.Reads of the present place. Where the library
// reads for the script, the script's own place stands for it.
func (f *fn) readSite(kind object.LossKind, isUser bool) int {
	at, _ := (&diag.Diagnostic{Span: f.Span}).Places(f.obj.Sources)
	clause := f.clause()
	if file := f.obj.Sources.File(at.Start); file == nil || file.Library {
		at = f.obj.Clauses[clause]
	}
	read := object.Loss{Clause: clause, Kind: kind, Span: f.obj.Sources.Origin(at), User: isUser}
	place := readPlace{clause, kind, read.Span}
	i, ok := f.readPlaces[place]
	if !ok {
		i = len(f.obj.Reads)
		f.readPlaces[place] = i
		if i == 0 {
			f.obj.ReadLoss = f.addMap(&object.Map{Name: "fst_reads", Kind: object.MapArray, KeySize: 4, MaxEntries: 1})
		}
		f.obj.Reads = append(f.obj.Reads, read)
	}
	return i
}

// readPlace is a place of a clause that reads.
type readPlace struct {
	clause int
	kind   object.LossKind
	span   source.Span
}

// countFailedReads counts the bits that are set in failed, at the function's end.
func (f *fn) countFailedReads() {
	if len(f.readSites) == 0 {
		return
	}
	done := f.NewBlock()
	f.Guard(ir.Ne, ir.R(f.failed), ir.I(0), done)
	last := len(f.readSites) - 1
	for bit := range min(last, maxReadBits-1) {
		next := f.NewBlock()
		f.Guard(ir.Set, ir.R(f.failed), ir.I(1<<(firstReadBit+bit)), next)
		f.countRead(f.readSites[bit])
		f.Jump(done)
		f.SetBlock(next)
	}
	if last < maxReadBits {
		f.countRead(f.readSites[last])
	} else {
		f.loss(object.LossReadFailed)
	}
	f.Label(done)
}

func (f *fn) countRead(site int) {
	f.Emit(ir.Instr{Op: ir.OpAtomicAdd, A: ir.R(f.MapValue(f.obj.ReadLoss, int32(8*site))), B: ir.I(1), Size: 8})
}
