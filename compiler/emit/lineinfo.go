package emit

import (
	"bytes"
	"encoding/binary"
	"fmt"

	"fst/compiler/ir"
	"fst/lang/source"

	"github.com/cilium/ebpf/asm"
	"github.com/cilium/ebpf/btf"
)

// Line information tells the kernel which line of the script an instruction
// comes from; its verifier's log then quotes the script. btf.Line cannot be
// made directly, so a small BTF blob with the texts is made and read back.

// lineInfo collects the lines of a program.
type lineInfo struct {
	sources *source.Set
	strings bytes.Buffer
	index   map[string]uint32
	records []lineRecord
	at      []int // instruction of each record
	base    int   // instructions before this function
}

// lineRecord is struct bpf_line_info of include/uapi/linux/bpf.h.
type lineRecord struct{ InsnOff, FileNameOff, LineOff, LineCol uint32 }

// newLineInfo returns nil without sources.
func newLineInfo(sources *source.Set) (*lineInfo, error) {
	if sources == nil {
		return nil, nil
	}
	l := &lineInfo{sources: sources, index: map[string]uint32{}}
	l.text("")
	return l, nil
}

// text returns the offset of s among the strings.
func (l *lineInfo) text(s string) uint32 {
	s = printable(s)
	if at, ok := l.index[s]; ok {
		return at
	}
	at := uint32(l.strings.Len())
	l.index[s] = at
	l.strings.WriteString(s)
	l.strings.WriteByte(0)
	return at
}

// printable is s as the kernel takes it: no zero bytes, not endless.
func printable(s string) string {
	out := []byte(s)
	for i, c := range out {
		if c < ' ' || c == 0x7f {
			out[i] = ' '
		}
	}
	return string(out[:min(len(out), 200)])
}

// add records where the lines of a function begin. The kernel wants one for
// the first instruction of each function.
func (l *lineInfo) add(insns asm.Instructions, spans []source.Span) {
	var last lineRecord
	for i := range insns {
		var r lineRecord
		if pos := l.sources.Position(spans[i].Start); spans[i].IsValid() && pos.File != nil {
			r.FileNameOff = l.text(pos.File.Name)
			r.LineOff = l.text(pos.File.Line(pos.Line))
			r.LineCol = uint32(pos.Line)<<10 | uint32(min(pos.Col, 1<<10-1))
		} else if i > 0 {
			continue
		} else {
			r.FileNameOff, r.LineOff = l.text("script"), l.text(" ")
		}
		if i > 0 && r == last {
			continue
		}
		last = r
		r.InsnOff = uint32(len(l.records)) * asm.InstructionSize // only to keep the order
		l.records = append(l.records, r)
		l.at = append(l.at, l.base+i)
	}
	l.base += len(insns)
}

// apply gives the instructions their lines.
func (l *lineInfo) apply(insns asm.Instructions) error {
	var blob bytes.Buffer
	order := binary.NativeEndian
	// struct btf_header without types.
	for _, v := range []any{uint16(0xeb9f), uint8(1), uint8(0), uint32(24), uint32(0), uint32(0), uint32(0), uint32(l.strings.Len())} {
		if err := binary.Write(&blob, order, v); err != nil {
			return fmt.Errorf("line information: %w", err)
		}
	}
	blob.Write(l.strings.Bytes())
	spec, err := btf.LoadSpecFromReader(bytes.NewReader(blob.Bytes()))
	if err != nil {
		return fmt.Errorf("line information: %w", err)
	}
	var records bytes.Buffer
	for _, r := range l.records {
		if err := binary.Write(&records, order, r); err != nil {
			return fmt.Errorf("line information: %w", err)
		}
	}
	lines, err := btf.LoadLineInfos(&records, order, uint32(len(l.records)), spec)
	if err != nil {
		return fmt.Errorf("line information: %w", err)
	}
	for i, at := range l.at {
		insns[at] = insns[at].WithSource(lines[i].Line)
	}
	return nil
}

// withFunc marks the first instruction of a function with its type. The kernel
// demands it of callbacks, which must be static.
func withFunc(ins asm.Instruction, name string, n int, f *ir.Func) asm.Instruction {
	long := &btf.Int{Name: "long", Size: 8, Encoding: btf.Signed}
	integer := &btf.Int{Name: "int", Size: 4, Encoding: btf.Signed}
	proto := &btf.FuncProto{Return: integer}
	linkage := btf.GlobalFunc
	if n == 0 {
		proto.Params = []btf.FuncParam{{Name: "ctx", Type: &btf.Pointer{Target: (*btf.Void)(nil)}}}
	} else {
		linkage = btf.StaticFunc
		for i := range f.Params {
			proto.Params = append(proto.Params, btf.FuncParam{Name: fmt.Sprintf("a%d", i), Type: long})
		}
	}
	return btf.WithFuncMetadata(ins, &btf.Func{Name: name, Type: proto, Linkage: linkage})
}
