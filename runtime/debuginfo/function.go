package debuginfo

import (
	"debug/dwarf"
	"debug/elf"
	"strconv"
	"strings"

	"fst/compiler/target"
	"fst/compiler/types"
)

// Function returns the signature of the function that begins at an address,
// with the words that its arguments are passed in.
func (f *File) Function(addr uint64) (*target.Func, bool) {
	e := f.subprogram(addr)
	if e == nil {
		return nil, false
	}
	fn := &target.Func{Name: f.name(e), Slots: []int{}}
	abi := convention(f.machine)
	result, hasResult := f.typeOf(e)
	fn.Result = types.NoneType
	if hasResult {
		fn.Result = f.convert(result)
		fn.ResultDecl = func() string { return f.Declare(result) }
		if abi.hidden(fn.Result) {
			abi.next++ // the place for the result is the first argument
		}
	}
	f.children(e, func(c *dwarf.Entry) bool {
		off, ok := f.typeOf(c)
		if c.Tag != dwarf.TagFormalParameter || !ok {
			return true
		}
		p := target.Param{Name: f.name(c), Type: f.convert(off), Decl: func() string { return f.Declare(off) }}
		if p.Name == "" {
			p.Name = "arg" + strconv.Itoa(len(fn.Params))
		}
		if f.byReference(off) {
			p.Type = types.PointerTo(p.Type, true)
		}
		fn.Params = append(fn.Params, p)
		fn.Slots = append(fn.Slots, abi.place(p.Type))
		return true
	})
	return fn, true
}

// byReference reports whether values of a type are passed by their address:
// classes of C++ whose copies are made by a function.
func (f *File) byReference(off dwarf.Offset) bool {
	for range maxDepth {
		e := f.entry(off)
		if e == nil {
			return false
		}
		if e.Tag == dwarf.TagStructType || e.Tag == dwarf.TagClassType || e.Tag == dwarf.TagUnionType {
			const byValue, byReference = 5, 4 // DW_CC_pass_by_...
			if c, ok := e.Val(dwarf.AttrCalling).(int64); ok && (c == byValue || c == byReference) {
				return c == byReference
			}
			return f.hasDestructor(e)
		}
		to, ok := f.typeOf(e)
		if !ok || e.Tag != dwarf.TagTypedef && e.Tag != dwarf.TagConstType && e.Tag != dwarf.TagVolatileType {
			return false
		}
		off = to
	}
	return false
}

// hasDestructor reports whether the source of a class has a destructor.
func (f *File) hasDestructor(class *dwarf.Entry) bool {
	found := false
	f.children(class, func(c *dwarf.Entry) bool {
		made, _ := c.Val(dwarf.AttrArtificial).(bool)
		found = c.Tag == dwarf.TagSubprogram && !made && strings.HasPrefix(f.name(c), "~")
		return !found
	})
	return found
}

// subprogram finds the entry of the function that begins at an address.
func (f *File) subprogram(addr uint64) *dwarf.Entry {
	r := f.data.Reader()
	unit, err := r.SeekPC(addr)
	if err != nil {
		return nil
	}
	const assembler = 0x8001 // DW_LANG_Mips_Assembler: such functions have no types
	if language, _ := unit.Val(dwarf.AttrLanguage).(int64); language == assembler {
		return nil
	}
	for {
		e, err := r.Next()
		if err != nil || e == nil || e.Tag == dwarf.TagCompileUnit {
			return nil
		}
		if e.Tag == dwarf.TagSubprogram {
			if pc, ok := e.Val(dwarf.AttrLowpc).(uint64); ok && pc == addr {
				return e
			}
		}
		if e.Tag != dwarf.TagNamespace && e.Tag != dwarf.TagStructType && e.Tag != dwarf.TagClassType {
			r.SkipChildren()
		}
	}
}

// abi places arguments in words: those of the registers, then those of the
// stack, as System V for x86-64 and the procedure call standard for arm64 do.
type abi struct {
	machine     elf.Machine
	regs        int
	next, stack int
}

func convention(m elf.Machine) *abi {
	if m == elf.EM_AARCH64 {
		return &abi{machine: m, regs: 8}
	}
	return &abi{machine: m, regs: 6}
}

// hidden reports whether a result is returned in memory whose address is an
// argument before all others.
func (a *abi) hidden(result *types.Type) bool {
	return a.machine != elf.EM_AARCH64 && isAggregate(result) && result.Size > 16
}

// place returns the first word of an argument, or -1 if it is not in words:
// floating-point numbers are in registers that programs cannot see.
func (a *abi) place(t *types.Type) int {
	words := max(1, (t.Size+7)/8)
	switch {
	case t.Kind == types.Invalid:
		if t.Size > 8 { // long double
			a.stack += words
		}
		return -1
	case isAggregate(t) && t.Size > 16:
		if a.machine == elf.EM_AARCH64 { // by reference
			a.next++
			return -1
		}
	case isAggregate(t) && hasFloat(t):
		return -1
	case a.next+words <= a.regs:
		a.next += words
		return a.next - words
	}
	a.stack += words
	return a.regs + a.stack - words
}

func isAggregate(t *types.Type) bool { return t.Kind == types.Struct || t.Kind == types.Union }

// hasFloat reports whether a small struct has a floating-point number, so that
// part of it may be in other registers.
func hasFloat(t *types.Type) bool {
	switch t.Kind {
	case types.Invalid:
		return true
	case types.Array:
		return hasFloat(t.Elem)
	case types.Struct, types.Union:
		for _, fd := range t.Fields() {
			if hasFloat(fd.Type) {
				return true
			}
		}
	}
	return false
}
