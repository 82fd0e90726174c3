package ir

import (
	"fmt"
	"strconv"
	"strings"
)

// The text form, for golden tests and `fst dump`. Parse reads it back; only
// spans are lost.
//
//	program NAME
//	func main(v1) {
//	  slot 0 "key" size 16 align 8
//	b0:
//	  v2 = const 5
//	  v3 = add v2, -1
//	  v4 = load.4s v1+16          (s: sign-extended)
//	  store.8 v3+0, v4
//	  v5 = slot 0+8
//	  v6 = map "@start"           (a map without a name is its index)
//	  store.8 v3+0, message 2     (a number that depends on the whole script)
//	  v7 = call map_lookup_elem(v6, v5)
//	  v8 = get boot_time
//	  v9 = read.8 any v8+32 bit 24 "file.f_inode"
//	  readmem user text bit 25 (v5, 16, v9)
//	  v10 = lookup "@start"(v5)
//	  v11 = turn "@n" v10
//	  v12 = lookup "@n" in v11(v5)
//	  v13 = reserve fst_ring 40
//	  submit fst_ring v13
//	  v14 = stack kernel v1(v5, 1016, 0)
//	  comm(v5, 16)
//	  v15 = path bit 26(v9, v5, 16)
//	  if v7 eq 0 then b1 else b2
//	b1:
//	  return 0
//	...
//	}

// String returns the text form of p.
func (p *Program) String() string {
	var w strings.Builder
	fmt.Fprintf(&w, "program %s\n", name(p.Name))
	for _, f := range p.Funcs {
		w.WriteString(f.text(p.Maps))
	}
	return w.String()
}

// String returns the text form of f.
func (f *Func) String() string { return f.text(nil) }

func (f *Func) text(maps []string) string {
	var w strings.Builder
	fmt.Fprintf(&w, "func %s(", name(f.Name))
	for i, r := range f.Params {
		if i > 0 {
			w.WriteString(", ")
		}
		w.WriteString(r.String())
	}
	w.WriteByte(')')
	if f.Failed != 0 {
		fmt.Fprintf(&w, " failed %s", f.Failed)
	}
	if f.Aliased {
		w.WriteString(" aliased")
	}
	w.WriteString(" {\n")
	for i, s := range f.Slots {
		fmt.Fprintf(&w, "  slot %d %q size %d align %d", i, s.Name, s.Size, s.Align)
		if s.Far {
			w.WriteString(" far")
		}
		if s.Near {
			w.WriteString(" near")
		}
		w.WriteByte('\n')
	}
	for _, b := range f.Blocks {
		w.WriteString(b.text(f, maps))
	}
	w.WriteString("}\n")
	return w.String()
}

// String returns the text form of b.
func (b *Block) String() string { return b.text(nil, nil) }

func (b *Block) text(f *Func, maps []string) string {
	var w strings.Builder
	fmt.Fprintf(&w, "b%d:\n", b.ID)
	for i := range b.Instrs {
		fmt.Fprintf(&w, "  %s\n", b.Instrs[i].text(f, maps))
	}
	fmt.Fprintf(&w, "  %s\n", b.Term.String())
	return w.String()
}

// String returns the text form of r.
func (r Reg) String() string { return "v" + strconv.Itoa(int(r)) }

// String returns the text form of o.
func (o Operand) String() string {
	if o.Reg != 0 {
		return o.Reg.String()
	}
	if o.Link != NoLink {
		return links[o.Link] + " " + strconv.FormatInt(o.Imm, 10)
	}
	return strconv.FormatInt(o.Imm, 10)
}

// String returns the name of op in the text form.
func (op Op) String() string {
	if int(op) < len(shapes) {
		return shapes[op].name
	}
	return "op" + strconv.Itoa(int(op))
}

// String returns the name of c in the text form.
func (c Cond) String() string {
	if int(c) < len(conds) {
		return conds[c]
	}
	return "cond" + strconv.Itoa(int(c))
}

// String returns the text form of i.
func (i *Instr) String() string { return i.text(nil, nil) }

func (i *Instr) text(f *Func, maps []string) string {
	var w strings.Builder
	if i.Dst != 0 {
		w.WriteString(i.Dst.String())
		w.WriteString(" = ")
	}
	w.WriteString(i.Op.String())
	var s shape
	if int(i.Op) < len(shapes) {
		s = shapes[i.Op]
	}
	if s.sized {
		fmt.Fprintf(&w, ".%d", i.Size)
		if i.Signed {
			w.WriteByte('s')
		}
	}
	if s.mapped {
		w.WriteString(" " + mapText(maps, i.Map))
		if s.args > 0 {
			if !i.A.IsImm() {
				w.WriteString(" in " + i.A.String())
			}
			i.argsText(&w)
			return w.String()
		}
	}
	switch i.Op {
	case OpGet:
		w.WriteString(" " + i.Fact.String())
		if !i.Fact.Asks() {
			return w.String()
		}
	case OpRead:
		fmt.Fprintf(&w, " %s %s%+d", i.Space, i.A, i.Off)
		if i.Bit != 0 {
			fmt.Fprintf(&w, " bit %d", i.Bit)
		}
		if n := int(i.Member); n > 0 && f != nil && n <= len(f.Members) {
			fmt.Fprintf(&w, " %q", f.Members[n-1])
		}
		return w.String()
	case OpReadMem:
		w.WriteString(" " + i.Space.String())
		if i.Text {
			w.WriteString(" text")
		}
		if i.Bit != 0 {
			fmt.Fprintf(&w, " bit %d", i.Bit)
		}
		w.WriteByte(' ')
	case OpReserve, OpSubmit:
		if i.B.Imm != 0 {
			w.WriteString(" control")
		}
	case OpStack:
		fmt.Fprintf(&w, " %s", i.Space)
	case OpPath:
		if i.Bit != 0 {
			fmt.Fprintf(&w, " bit %d", i.Bit)
		}
	case OpMapValue:
		fmt.Fprintf(&w, "%+d", i.Off)
	case OpSlotAddr:
		fmt.Fprintf(&w, " %d%+d", i.Slot, i.Off)
	case OpFuncAddr:
		fmt.Fprintf(&w, " %d", i.Func)
	case OpCall:
		if i.Func != 0 {
			fmt.Fprintf(&w, " @ %d", i.Func)
		} else {
			fmt.Fprintf(&w, " %s", HelperName(i.Helper))
		}
		i.argsText(&w)
	}
	if s.operands > 0 {
		w.WriteByte(' ')
		w.WriteString(i.A.String())
	}
	if s.args > 0 {
		i.argsText(&w)
	}
	if s.memory {
		fmt.Fprintf(&w, "%+d", i.Off)
	}
	if s.operands > 1 {
		w.WriteString(", ")
		w.WriteString(i.B.String())
	}
	return w.String()
}

func (i *Instr) argsText(w *strings.Builder) {
	w.WriteByte('(')
	for n, a := range i.Args {
		if n > 0 {
			w.WriteString(", ")
		}
		w.WriteString(a.String())
	}
	w.WriteByte(')')
}

// String returns the text form of t.
func (t *Term) String() string {
	switch t.Kind {
	case TermJump:
		return "jump " + label(t.Then)
	case TermBranch:
		return fmt.Sprintf("if %s %s %s then %s else %s", t.A, t.Cond, t.B, label(t.Then), label(t.Else))
	case TermReturn:
		return "return " + t.A.String()
	}
	return "invalid"
}

func mapText(maps []string, i int32) string {
	if int(i) < len(maps) {
		return name(maps[i])
	}
	return strconv.Itoa(int(i))
}

func label(b *Block) string {
	if b == nil {
		return "nil"
	}
	return "b" + strconv.Itoa(b.ID)
}

// name quotes names that are not words.
func name(s string) string {
	if s == "" {
		return `""`
	}
	for _, c := range s {
		if c != '_' && (c < '0' || c > '9') && (c < 'a' || c > 'z') && (c < 'A' || c > 'Z') {
			return strconv.Quote(s)
		}
	}
	return s
}
