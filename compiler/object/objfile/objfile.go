// Package objfile writes compiled scripts to files and reads them again.
//
// A file is a magic number, the version of the format, a checksum, and the object in CBOR
// (RFC 8949): that has a notation for bytes and for texts of any encoding, names its fields,
// and its decoder is bounded in depth and size, so that files of unknown origin can be read.
package objfile

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"sync"

	"fst/compiler/ir"
	"fst/compiler/object"
	"fst/compiler/reloc"
	"fst/compiler/types"

	"github.com/fxamacker/cbor/v2"
)

// Header tells what an object was compiled by and for.
type Header struct {
	Version string // of fst
	Release string // of the kernel
	Arch    string // as in GOARCH
	Stamps  bool   // records have the time and the CPU of each event
	// Facts are what the kernel and the run must be like, and what of the object follows
	// from them.
	Facts []*reloc.Fact
}

const (
	magic = "\x7ffsto\r\n\x00"
	// format is the version of the format. Whoever changes the meaning of a field, or of an
	// internal map, adds 1.
	format   = 4
	prologue = len(magic) + 4 + sha256.Size
	// MaxSize is the size of the largest file that is read.
	MaxSize = 64 << 20
)

// Is reports whether the beginning of a file is that of an object.
func Is(beginning string) bool { return strings.HasPrefix(beginning, magic) }

// ErrDamaged is the error of a file that is not as it was written.
var ErrDamaged = errors.New("the file is damaged or incomplete: compile the script again")

// FormatError is the error of a file of another version of the format.
type FormatError struct{ Format uint32 }

func (e *FormatError) Error() string {
	return fmt.Sprintf("the file has version %d of the format, and this fst reads version %d: compile the script again with this fst", e.Format, format)
}

// content is what is written in CBOR.
type content struct {
	Header Header
	Object *object.Object
	// Stacks are those of the object, in order: they have keys that are not texts.
	Stacks []stack
}

type stack struct {
	Key object.StackKey
	Map int
}

// Write writes an object. The same object always gives the same bytes.
func Write(w io.Writer, h Header, obj *object.Object) error {
	plain := *obj
	plain.Stacks = nil
	c := content{Header: h, Object: &plain}
	for k, m := range obj.Stacks {
		c.Stacks = append(c.Stacks, stack{k, m})
	}
	slices.SortFunc(c.Stacks, func(a, b stack) int { return a.Map - b.Map })
	body, err := encoding().Marshal(c)
	if err != nil {
		return err
	}
	sum := sha256.Sum256(body)
	head := binary.LittleEndian.AppendUint32([]byte(magic), format)
	_, err = w.Write(slices.Concat(head, sum[:], body))
	return err
}

// Encode returns an object alone as bytes, which are the same for the same object.
func Encode(obj *object.Object) []byte {
	var b bytes.Buffer
	if Write(&b, Header{}, obj) != nil {
		return nil
	}
	return b.Bytes()
}

var encoding = sync.OnceValue(func() cbor.EncMode {
	m, err := cbor.EncOptions{Sort: cbor.SortNone, OmitEmpty: cbor.OmitEmptyGoValue}.EncMode()
	if err != nil {
		panic(err)
	}
	return m
})

var decoding = sync.OnceValue(func() cbor.DecMode {
	m, err := cbor.DecOptions{DupMapKey: cbor.DupMapKeyEnforcedAPF, MaxNestedLevels: 256, MaxArrayElements: 1 << 22, MaxMapPairs: 1 << 16,
		IndefLength: cbor.IndefLengthForbidden, TagsMd: cbor.TagsForbidden, ExtraReturnErrors: cbor.ExtraDecErrorUnknownField,
		UTF8: cbor.UTF8DecodeInvalid}.DecMode()
	if err != nil {
		panic(err)
	}
	return m
})

// Read reads an object. The error is ErrDamaged, a *FormatError, or one of r.
func Read(r io.Reader) (Header, *object.Object, error) {
	data, err := io.ReadAll(io.LimitReader(r, MaxSize+1))
	switch {
	case err != nil:
		return Header{}, nil, err
	case len(data) < prologue || len(data) > MaxSize || !bytes.HasPrefix(data, []byte(magic)):
		return Header{}, nil, ErrDamaged
	}
	if v := binary.LittleEndian.Uint32(data[len(magic):]); v != format {
		return Header{}, nil, &FormatError{v}
	}
	body := data[prologue:]
	if sum := sha256.Sum256(body); !bytes.Equal(sum[:], data[len(magic)+4:prologue]) {
		return Header{}, nil, ErrDamaged
	}
	return decode(body)
}

func decode(body []byte) (Header, *object.Object, error) {
	var c content
	if err := decoding().Unmarshal(body, &c); err != nil || c.Object == nil {
		return Header{}, nil, ErrDamaged
	}
	for _, s := range c.Stacks {
		if c.Object.Stacks == nil {
			c.Object.Stacks = map[object.StackKey]int{}
		}
		c.Object.Stacks[s.Key] = s.Map
	}
	if !isWhole(c.Object) || slices.Contains(c.Header.Facts, nil) {
		return Header{}, nil, ErrDamaged
	}
	return c.Header, c.Object, nil
}

// isWhole reports whether what an object refers to is in it.
func isWhole(o *object.Object) bool {
	isMap := func(i int) bool { return i >= -1 && i < len(o.Maps) }
	for i, m := range o.Maps {
		if m == nil || m.ID != i || m.KeySize < 0 || m.ValueSize < 0 || m.MaxEntries < 0 || m.Turns != nil && (m.Turns.Map < 0 || !isMap(m.Turns.Map)) ||
			m.Turns != nil && (m.Turns.Offset < 0 || m.Turns.Offset+object.TurnsSize > o.Maps[m.Turns.Map].ValueSize) || m.Present+8 > m.ValueSize && m.Present >= 0 || m.Script && m.Value == nil ||
			!isType(m.Key, m.KeySize) || !isSchema(m.Schema) {
			return false
		}
	}
	for _, i := range slices.AppendSeq([]int{o.Ring, o.Loss, o.ReadLoss, o.Seen}, maps.Values(o.Stacks)) {
		if !isMap(i) {
			return false
		}
	}
	isClause := func(n int) bool { return n >= 0 && n < len(o.Clauses) }
	isNoted := func(n int) bool { return n >= 0 && n < len(o.Noted) }
	for _, p := range o.Programs {
		if p == nil || !isClause(p.Clause) || len(p.Code.Insns)%object.InstructionSize != 0 || !p.Code.IsLinked(len(o.Maps), len(o.Messages)) || len(p.Hooks) == 0 {
			return false
		}
		for helper := range p.Code.Calls() {
			if !ir.IsHelper(helper) {
				return false
			}
		}
	}
	for i, m := range o.Messages {
		if m == nil || m.ID != i || m.Size < object.HeaderSize || !isMap(m.Map) || m.Map < 0 && m.Kind.NeedsMap() || !isSchema(m.Schema) || !isClause(m.Clause) ||
			m.Time < 0 || m.Time > m.Size || len(m.Fields) < m.Kind.LeastFields() || (m.Kind == object.MsgTable) != (m.Table != nil) ||
			m.Kind.HasValues() && (m.Schema == nil || len(m.Schema.Fields) != len(m.Fields)) {
			return false
		}
		for _, f := range m.Fields {
			if f.Type == nil || f.Offset < 0 || f.Type.Size < 0 || f.Offset+f.Type.Size > m.Size || !isType(f.Type, f.Type.Size) {
				return false
			}
		}
		if t := m.Table; t != nil && (slices.ContainsFunc(t.Maps, func(i int) bool { return i < 0 || !isMap(i) }) ||
			slices.ContainsFunc(t.Terms, func(term object.Term) bool { return !isTerm(&term, len(t.Maps)) })) {
			return false
		}
	}
	for _, w := range o.Witnesses {
		if slices.ContainsFunc(w.Noted, func(n int) bool { return !isNoted(n) }) {
			return false
		}
	}
	for _, l := range o.Reads {
		if !isClause(l.Clause) {
			return false
		}
	}
	if slices.ContainsFunc(o.Noted, func(n object.Noted) bool { return !isClause(n.Clause) }) {
		return false
	}
	if o.Loss < 0 || o.Ring < 0 || o.Maps[o.Loss].ValueSize < 8*len(o.Clauses)*object.LossKinds || o.Reads != nil && (o.ReadLoss < 0 || o.Maps[o.ReadLoss].ValueSize < 8*len(o.Reads)) ||
		o.Noted != nil && (o.Seen < 0 || o.Maps[o.Seen].ValueSize < 8*len(o.Noted)) {
		return false
	}
	return o.Sources != nil
}

// isTerm reports whether a term is of so many maps.
func isTerm(t *object.Term, maps int) bool {
	switch {
	case t == nil || t.Op == 0 && (t.Map < 0 || t.Map >= maps):
		return false
	case t.Op == 0 || t.Op == 'k':
		return true
	}
	return isTerm(t.X, maps) && isTerm(t.Y, maps)
}

func isSchema(s *object.Schema) bool {
	return s == nil || s.Keys >= 0 && s.Keys <= len(s.Fields) &&
		!slices.ContainsFunc(s.Fields, func(f object.Field) bool {
			return f.Type == nil || !isType(f.Type, f.Type.Size) || f.Parts != nil && len(f.Parts) != len(f.Type.Fields())
		})
}

// isType reports whether a value of a type, and all parts of it, are in so many bytes.
func isType(t *types.Type, room int) bool {
	if t == nil {
		return true
	}
	if t.Size < 0 || t.Size > room {
		return false
	}
	if t.Kind == types.Array && (t.Elem == nil || t.Len < 0 || !isType(t.Elem, t.Elem.Size) || t.Elem.Size*t.Len > max(t.Size, 0)) {
		return false
	}
	for _, f := range t.Fields() {
		if f.Type == nil || f.Offset < 0 || !isType(f.Type, t.Size-f.Offset) {
			return false
		}
	}
	return true
}
