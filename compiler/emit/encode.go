package emit

import (
	"bytes"
	"encoding/binary"
	"fmt"

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
		raw += int(ins.Width())
		if ref := ins.Reference(); ref != "" && ins.IsLoadFromMap() {
			id, ok := mapID(ref)
			if !ok {
				return c, fmt.Errorf("instruction %d refers to an unknown map %q", i, ref)
			}
			// The upper half is the offset into the map's value.
			ins.Constant = ins.Constant&^0xffffffff | int64(uint32(id))
		}
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
