package graph

import (
	"encoding/binary"

	"fst/compiler/target"
	"fst/compiler/types"
	"fst/runtime/value"
)

// describe names the arguments and the result of a call, where the kernel
// told the registers and its types tell what is in them.
func (g *Graph) describe(c *Call) {
	words := c.rec.words
	if c.Kind != Function || c.Args != nil || words == nil && !c.rec.hasWord {
		return
	}
	f := g.signature(kernelName{c.Name, c.Module})
	if f == nil {
		return
	}
	if words != nil {
		c.Args = []Arg{}
		for _, p := range f.Params {
			n := registers(p.Type)
			if n > len(words) {
				break // it is on the stack
			}
			if n == 1 {
				c.Args = append(c.Args, argument(p.Name, p.Type, words[0]))
			}
			words = words[n:]
		}
	}
	if c.rec.hasWord && f.Result != nil && f.Result.Kind != types.None && registers(f.Result) == 1 {
		a := argument("retval", f.Result, c.rec.word)
		c.Result = &a
	}
}

// signature is that of a function, nil if it is not known.
func (g *Graph) signature(n kernelName) *target.Func {
	f, ok := g.params[n]
	if !ok {
		module := n.module
		if module == "" {
			module = "vmlinux"
		}
		if found, ok := g.kernel.Function(module, n.name); ok {
			f = found
		}
		g.params[n] = f
	}
	return f
}

// registers is how many registers an argument takes: none if it is so large
// that it is in memory.
func registers(t *types.Type) int {
	switch {
	case t.Size <= 8:
		return 1
	case t.Size <= 16:
		return 2
	}
	return 0
}

// argument decodes a register.
func argument(name string, t *types.Type, word uint64) Arg {
	a := Arg{Name: name, Value: word, Pointer: true}
	var raw [8]byte
	binary.NativeEndian.PutUint64(raw[:], word)
	switch t.Kind {
	case types.Bool:
		a.Value, a.Pointer = value.Of(t, raw[:t.Size]).Bool(), false
	case types.Int, types.Enum:
		v := value.Of(t, raw[:t.Size])
		a.Value, a.Pointer = v.Uint(), false
		if v.Signed() {
			a.Value = v.Int()
		}
		if t.Kind != types.Enum {
			break
		}
		if text, ok := v.EnumName(); ok {
			a.Value, a.Enum = text, true
		}
	}
	return a
}
