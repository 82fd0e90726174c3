package emit

import (
	"bytes"
	"encoding/binary"
	"fmt"

	"fst/compiler/ir"
	"fst/compiler/object"

	"github.com/cilium/ebpf/asm"
	"github.com/cilium/ebpf/btf"
)

// Code is the program as objects have it. mapID is the index of the map of a name.
func (r *Result) Code(mapID func(name string) (int, bool)) (object.Code, error) {
	c, err := Encode(r.Insns, mapID)
	c.Spans = r.spans
	return c, err
}

// linkKey is the key of an instruction's ir.Link.
type linkKey struct{}

// linkKinds are what links are in objects.
var linkKinds = map[ir.Link]object.LinkKind{ir.Message: object.LinkMessage, ir.RingLimit: object.LinkRingLimit, ir.RingQuarter: object.LinkRingQuarter,
	ir.ProbeName: object.LinkProbeName}

// Encode gives instructions the form of an object. Those that load a map name it by a
// reference or, without one, by its index. insns are changed.
func Encode(insns asm.Instructions, mapID func(name string) (int, bool)) (object.Code, error) {
	var c object.Code
	raw := 0
	for i := range insns {
		ins := &insns[i]
		if f := btf.FuncMetadata(ins); f != nil {
			c.Funcs = append(c.Funcs, object.Func{Name: f.Name, Start: raw, Params: len(f.Type.(*btf.FuncProto).Params),
				Global: f.Linkage == btf.GlobalFunc})
		}
		if ins.IsLoadFromMap() {
			id := int(uint32(ins.Constant))
			if ref := ins.Reference(); ref != "" {
				var ok bool
				if id, ok = mapID(ref); !ok {
					return c, fmt.Errorf("instruction %d refers to an unknown map %q", i, ref)
				}
			}
			// The upper half is the offset into the map's value.
			c.Links = append(c.Links, object.Link{At: raw, Number: id, Offset: uint32(ins.Constant >> 32)})
			ins.Constant = 0
		} else if link, ok := ins.Metadata.Get(linkKey{}).(ir.Link); ok {
			c.Links = append(c.Links, object.Link{At: raw, Kind: linkKinds[link], Number: int(ins.Constant)})
			ins.Constant = 0
		}
		raw += int(ins.Width())
	}
	var buf bytes.Buffer
	buf.Grow(raw * asm.InstructionSize)
	err := insns.Marshal(&buf, byteOrder)
	c.Insns = buf.Bytes()
	return c, err
}

// byteOrder is this machine's, as the assembler wants it named.
var byteOrder = func() binary.ByteOrder {
	if littleEndian {
		return binary.LittleEndian
	}
	return binary.BigEndian
}()
