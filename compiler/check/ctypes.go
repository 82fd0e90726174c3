package check

import (
	"fst/compiler/fold"
	"fst/compiler/types"
	"fst/lang/ast"
)

// cTypes lays out the structs, unions and enums of the script. Their contents
// are looked up lazily: they may refer to each other in any order.
func (c *checker) cTypes() {
	for _, d := range c.prog.Typedefs {
		c.typedefs[d.Name] = d
	}
	for _, d := range c.prog.CTypes {
		if d.Name == "" && d.Kind != "enum" {
			continue
		}
		t := c.cType(d)
		if d.Name == "" {
			continue
		}
		if c.structs[d.Kind+" "+d.Name] != nil {
			c.errorf(d.Span, "%s %s is defined twice", d.Kind, d.Name).Hintf("give one of them another name")
			continue
		}
		c.structs[d.Kind+" "+d.Name] = t
		c.structs[d.Name] = t
	}
	for _, d := range c.prog.CTypes {
		if d.Kind != "enum" && d.Name != "" {
			c.layOut(c.structs[d.Kind+" "+d.Name])
		}
	}
}

// layoutState is the layout of a struct or union of the script while it is
// worked out.
type layoutState struct {
	def        *ast.CType
	done, busy bool
	align      int
	fields     []types.Field
}

// cType makes the type of a definition; structs have no members yet.
func (c *checker) cType(d *ast.CType) *types.Type {
	if d.Kind != "enum" {
		kind := types.Struct
		if d.Kind == "union" {
			kind = types.Union
		}
		st := &layoutState{def: d, align: 1}
		t := types.LazyStruct(kind, d.Name, 0, func() ([]types.Field, []types.Enumerator) { return st.fields, nil })
		c.layouts[t] = st
		return t
	}
	var names []types.Enumerator
	next, signed := int64(0), false
	for _, e := range d.Enums {
		if e.Value != nil {
			v, ok := c.simpleConst(e.Value, 0)
			if !ok {
				c.errorf(e.Value.Pos(), "the value of %s must be a constant", e.Name).Hintf("write a number, or an enumerator that is defined above")
			}
			next = v
		}
		signed = signed || next < 0
		names = append(names, types.Enumerator{Name: e.Name, Value: next})
		if first, twice := c.enums[e.Name]; twice {
			c.errorf(e.Span, "%s is defined twice", e.Name).Hintf("give one of them another name").Notef(first.at, "it is defined here")
		} else {
			c.enums[e.Name] = enumerator{value: next, at: e.Span} // for the values of those behind it
		}
		next++
	}
	size := 4
	for _, e := range names {
		if e.Value > 1<<32-1 || e.Value < -1<<31 || signed && e.Value > 1<<31-1 {
			size = 8
		}
	}
	t := types.EnumType(d.Name, size, signed, names)
	for _, e := range names {
		if c.enums[e.Name].t == nil {
			c.enums[e.Name] = enumerator{e.Value, t, c.enums[e.Name].at}
		}
	}
	return t
}

// layOut computes offsets as C does on x86-64. A struct's size is set here,
// once, before the type is used for anything.
func (c *checker) layOut(t *types.Type) {
	st := c.layouts[t]
	if st == nil || st.done {
		return
	}
	if st.busy {
		c.errorf(st.def.Span, "%s %s contains itself", st.def.Kind, st.def.Name).Hintf("use a pointer to it")
		return
	}
	st.busy = true
	defer func() { st.busy, st.done = false, true }()
	l := types.Layout{Union: t.Kind == types.Union, Align: 1}
	for _, m := range st.def.Members {
		mt := c.memberType(m)
		if mt.Kind == types.Invalid && mt.Size == 0 {
			continue
		}
		align, packed := c.memberAlign(st.def, m, mt)
		if m.Bits == 0 && (m.Name != "" || m.Inline != nil) {
			l.Add(m.Name, mt, align)
			if l.Size > 1<<28 {
				c.errorf(m.Span, "%s %s is too large", st.def.Kind, st.def.Name)
				l.Size = 0
			}
			continue
		}
		switch {
		case !mt.IsInteger():
			c.errorf(m.Span, "a bitfield must be an integer, not %s", mt).Hintf("write unsigned int or another integer type")
		case m.Bits > mt.Size*8:
			c.errorf(m.Span, "%s has only %d bits", mt, mt.Size*8).Hintf("use a wider type, such as uint64, or fewer bits")
		default:
			l.AddBits(m.Name, mt, m.Bits, align, packed)
		}
	}
	l.Align = max(l.Align, st.def.Aligned)
	t.Size, st.fields, st.align = l.Room(), l.Fields, l.Align
}

// memberAlign is the alignment of a member, and whether nothing is left free before it
// for the sake of its type.
func (c *checker) memberAlign(def *ast.CType, m *ast.CMember, t *types.Type) (align int, packed bool) {
	align = c.alignOf(t, 0)
	if m.Type != nil && len(m.Type.Post) == 0 {
		if d := c.typedefs[m.Type.Name]; d != nil && d.Aligned > 0 && m.Type.Tag == "" {
			align = d.Aligned
		}
	}
	packed = m.Packed || def.Packed
	if packed {
		align = 1
	}
	align = max(align, m.Aligned)
	if def.Pack > 0 {
		align = min(align, def.Pack)
	}
	return align, packed || def.Pack > 0
}

// memberType is the type of a member with its array lengths.
func (c *checker) memberType(m *ast.CMember) *types.Type {
	var t *types.Type
	switch {
	case m.Inline != nil && (m.Inline.Name == "" || m.Type == nil):
		t = c.inline[m.Inline]
		if t == nil {
			t = c.cType(m.Inline)
			c.inline[m.Inline] = t
		}
		c.layOut(t)
		if m.Type != nil {
			t = c.derive(t, m.Type.Post)
		}
	case m.Type != nil:
		t = c.resolveType(m.Type, nil)
	default:
		return invalid
	}
	for i := len(m.Dims) - 1; i >= 0; i-- {
		t = types.ArrayOf(t, max(m.Dims[i], 0))
	}
	return t
}

// alignOf is the alignment of a type in a C struct.
func (c *checker) alignOf(t *types.Type, depth int) int {
	if st := c.layouts[t]; st != nil {
		return st.align
	}
	switch t.Kind {
	case types.Array:
		return c.alignOf(t.Elem, depth+1)
	case types.Struct, types.Union:
		a := 1
		if depth < 16 {
			for _, f := range t.Fields() {
				a = max(a, c.alignOf(f.Type, depth+1))
			}
		}
		return a
	}
	switch t.Size {
	case 1, 2, 4, 16: // 16: long double
		return t.Size
	}
	return 8
}

// simpleConst is the value of a constant in a C definition.
func (c *checker) simpleConst(x ast.Expr, depth int) (int64, bool) {
	if depth > 64 {
		return 0, false
	}
	switch x := x.(type) {
	case *ast.IntLit:
		return int64(x.Value), true
	case *ast.Ident:
		if e, ok := c.enums[x.Name]; ok {
			return e.value, true
		}
		v, _, ok := c.constant(x.Name)
		return v, ok
	case *ast.Unary:
		v, ok := c.simpleConst(x.X, depth+1)
		switch x.Op {
		case "-":
			return -v, ok
		case "~":
			return ^v, ok
		case "+":
			return v, ok
		}
	case *ast.Binary:
		a, ok1 := c.simpleConst(x.X, depth+1)
		b, ok2 := c.simpleConst(x.Y, depth+1)
		if ok1 && ok2 {
			return fold.Int(x.Op, a, b, true)
		}
	}
	return 0, false
}
