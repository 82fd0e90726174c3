// Package format writes a tree as text: as s-expressions for tests and dumps,
// and as a canonical script.
//
// It must not import anything but lang/ast and lang/source.
package format

import (
	"bytes"
	"fmt"
	"io"
	"strconv"
	"strings"

	"fst/lang/ast"
)

// Dump writes a program's tree as s-expressions, one declaration a line and
// one statement a line: the text of "fst dump --stage ast". Comments and
// places are left out.
func Dump(w io.Writer, p *ast.Program) {
	d := &dumper{}
	for _, x := range p.Includes {
		d.line(0, "(include %q)", x)
	}
	for _, x := range p.Defines {
		if x.Value != nil {
			d.line(0, "(define %s %s)", x.Usage(), DumpExpr(x.Value))
		} else {
			d.line(0, "(define %s %q)", x.Usage(), x.Text)
		}
	}
	for _, x := range p.CTypes {
		d.line(0, "%s", dumpCType(x))
	}
	for _, x := range p.Config {
		d.line(0, "(config %s %s)", x.Key, DumpExpr(x.Value))
	}
	for _, x := range p.Imports {
		d.line(0, "(import %q)", x.Path)
	}
	for _, x := range p.MapDecls {
		d.line(0, "(map @%s %s %s)", x.Name, x.Kind, DumpExpr(x.Max))
	}
	for _, x := range p.Macros {
		if x.Signature != nil {
			d.line(0, "(fn %s%s", x.Name, dumpSignature(x))
		} else {
			d.line(0, "(macro %s%s", x.Name, list(x.Params))
		}
		d.block(1, x.Body)
		d.close()
	}
	for _, x := range p.Probes {
		out := "(probe " + x.Title()
		for _, f := range x.Fields {
			out += " (" + f.Name
			if f.Type != nil {
				out += " :" + TypeString(f.Type)
			}
			out += ")"
		}
		if x.Witness != nil {
			out += " " + DumpExpr(x.Witness)
		}
		d.line(0, "%s)", out)
	}
	for _, c := range p.Clauses {
		var probes []string
		for _, a := range c.Probes {
			probes = append(probes, dumpProbe(a))
		}
		d.line(0, "(clause %s", strings.Join(probes, " "))
		if c.Filter != nil {
			d.line(1, "(filter %s)", DumpExpr(c.Filter))
		}
		if c.Body != nil {
			d.block(1, c.Body)
		}
		d.close()
	}
	w.Write(d.b.Bytes())
}

type dumper struct{ b bytes.Buffer }

func (d *dumper) line(depth int, format string, args ...any) {
	d.b.WriteString(strings.Repeat("  ", depth))
	fmt.Fprintf(&d.b, format, args...)
	d.b.WriteByte('\n')
}

// close puts a ')' at the end of the last line.
func (d *dumper) close() {
	d.b.Truncate(d.b.Len() - 1) // a line always stands before
	d.b.WriteString(")\n")
}

func (d *dumper) block(depth int, b *ast.Block) {
	d.line(depth, "(block")
	for _, s := range b.Stmts {
		d.stmt(depth+1, s)
	}
	if b.Value != nil {
		d.line(depth+1, "(value %s)", DumpExpr(b.Value))
	}
	d.close()
}

func (d *dumper) stmt(depth int, s ast.Stmt) {
	switch s := s.(type) {
	case *ast.ExprStmt:
		d.line(depth, "%s", DumpExpr(s.X))
	case *ast.Assign:
		d.line(depth, "(%s %s %s)", s.Op, DumpExpr(s.Target), DumpExpr(s.Value))
	case *ast.Inline:
		d.line(depth, "(inline %s", s.Probe)
		d.block(depth+1, s.Body)
		d.close()
	case *ast.FuncBody:
		d.line(depth, "(body")
		d.block(depth+1, s.Body)
		d.close()
	case *ast.Event:
		d.line(depth, "(event %s %s)", s.Probe, DumpExpr(s.Fields))
	case *ast.Fire:
		d.line(depth, "(fire %s:%s %s)", s.Family, s.Name, DumpExpr(s.Fields))
	case *ast.Let:
		out := "(let " + DumpExpr(s.Var)
		if s.Type != nil {
			out += " :" + TypeString(s.Type)
		}
		if s.Value != nil {
			out += " " + DumpExpr(s.Value)
		}
		d.line(depth, "%s)", out)
	case *ast.If:
		d.line(depth, "(if %s", DumpExpr(s.Cond))
		d.block(depth+1, s.Then)
		if s.Else != nil {
			d.block(depth+1, s.Else)
		}
		d.close()
	case *ast.While:
		d.line(depth, "(while %s", DumpExpr(s.Cond))
		d.block(depth+1, s.Body)
		d.close()
	case *ast.Unroll:
		d.line(depth, "(unroll %s", DumpExpr(s.N))
		d.block(depth+1, s.Body)
		d.close()
	case *ast.ForRange:
		d.line(depth, "(for %s %s %s", DumpExpr(s.Var), DumpExpr(s.From), DumpExpr(s.To))
		d.block(depth+1, s.Body)
		d.close()
	case *ast.ForMap:
		d.line(depth, "(for %s %s", DumpExpr(s.Var), DumpExpr(s.Map))
		d.block(depth+1, s.Body)
		d.close()
	case *ast.Break:
		d.line(depth, "(break)")
	case *ast.Continue:
		d.line(depth, "(continue)")
	case *ast.Return:
		if s.Value != nil {
			d.line(depth, "(return %s)", DumpExpr(s.Value))
		} else {
			d.line(depth, "(return)")
		}
	case *ast.BlockStmt:
		d.block(depth, s.Body)
	default:
		d.line(depth, "(unknown %T)", s)
	}
}

func list(xs []ast.Expr) string {
	var b strings.Builder
	for _, x := range xs {
		b.WriteString(" " + DumpExpr(x))
	}
	return b.String()
}

// dumpSignature is the parameters and the result of a function.
func dumpSignature(m *ast.Macro) string {
	var b strings.Builder
	typed := func(t *ast.TypeExpr) {
		if t != nil {
			b.WriteString(" :" + TypeString(t))
		}
	}
	for i, x := range m.Params {
		b.WriteString(" " + DumpExpr(x))
		typed(m.Signature.Params[i])
	}
	typed(m.Signature.Result)
	return b.String()
}

// inlineBlock is a block inside an expression.
func inlineBlock(b *ast.Block) string {
	d := &dumper{}
	d.block(0, b)
	return strings.Join(strings.Fields(d.b.String()), " ")
}

// DumpExpr gives one expression as an s-expression.
func DumpExpr(x ast.Expr) string {
	switch x := x.(type) {
	case nil:
		return "nil"
	case *ast.IntLit:
		s := strconv.FormatUint(x.Value, 10)
		if x.Unsigned {
			s += "u"
		}
		return s
	case *ast.StringLit:
		return strconv.Quote(x.Value)
	case *ast.BoolLit:
		return strconv.FormatBool(x.Value)
	case *ast.Ident:
		return x.Name
	case *ast.Var:
		return "$" + x.Name
	case *ast.Map:
		if x.Keys == nil {
			return "@" + x.Name
		}
		return "(@" + x.Name + list(x.Keys) + ")"
	case *ast.Param:
		if x.Count {
			return "$#"
		}
		return "$" + strconv.Itoa(x.N)
	case *ast.Call:
		return "(call " + x.Name + list(x.Args) + ")"
	case *ast.TypeArg:
		return "(type " + TypeString(x.Type) + ")"
	case *ast.ProbeArg:
		return dumpProbe(x.Probe)
	case *ast.Unary:
		return "(" + x.Op + " " + DumpExpr(x.X) + ")"
	case *ast.IncDec:
		if x.Prefix {
			return "(pre" + x.Op + " " + DumpExpr(x.X) + ")"
		}
		return "(post" + x.Op + " " + DumpExpr(x.X) + ")"
	case *ast.Binary:
		return "(" + x.Op + " " + DumpExpr(x.X) + " " + DumpExpr(x.Y) + ")"
	case *ast.Cond:
		if x.A == nil {
			return "(?: " + DumpExpr(x.C) + " " + DumpExpr(x.B) + ")"
		}
		return "(? " + DumpExpr(x.C) + " " + DumpExpr(x.A) + " " + DumpExpr(x.B) + ")"
	case *ast.Field:
		op := "."
		if x.Arrow {
			op = "->"
		}
		return "(" + op + " " + DumpExpr(x.X) + " " + x.Name + ")"
	case *ast.TupleIndex:
		return "(." + strconv.Itoa(x.N) + " " + DumpExpr(x.X) + ")"
	case *ast.Index:
		return "(index " + DumpExpr(x.X) + " " + DumpExpr(x.I) + ")"
	case *ast.Cast:
		return "(cast " + TypeString(x.Type) + " " + DumpExpr(x.X) + ")"
	case *ast.Tuple:
		return "(tuple" + list(x.Elems) + ")"
	case *ast.Record:
		var b strings.Builder
		for i, n := range x.Names {
			b.WriteString(" " + n + "=" + DumpExpr(x.Values[i]))
		}
		return "(record" + b.String() + ")"
	case *ast.SizeOf:
		if x.Type != nil {
			return "(sizeof (type " + TypeString(x.Type) + "))"
		}
		return "(sizeof " + DumpExpr(x.X) + ")"
	case *ast.OffsetOf:
		of := ""
		if x.Type != nil {
			of = "(type " + TypeString(x.Type) + ")"
		} else {
			of = DumpExpr(x.X)
		}
		return "(offsetof " + of + " " + strings.Join(x.Path, " ") + ")"
	case *ast.IfExpr:
		return "(if-expr " + DumpExpr(x.Cond) + " " + inlineBlock(x.Then) + " " + inlineBlock(x.Else) + ")"
	case *ast.BlockExpr:
		return "(block-expr " + inlineBlock(x.Body) + ")"
	case *ast.Refused:
		return fmt.Sprintf("(refused %q)", x.Message)
	case *ast.Comptime:
		return "(comptime " + DumpExpr(x.X) + ")"
	}
	return fmt.Sprintf("(unknown %T)", x)
}

func dumpProbe(a *ast.AttachPoint) string {
	s := "(probe"
	if a.Label != "" {
		s += " label=" + a.Label
	}
	s += " " + a.Provider
	for _, p := range a.Parts {
		s += " " + strconv.Quote(p)
	}
	for _, o := range a.Or {
		s += " or=" + dumpProbe(o)
	}
	return s + ")"
}

func dumpCType(c *ast.CType) string {
	s := "(" + c.Kind
	if c.Name != "" {
		s += " " + c.Name
	}
	for _, m := range c.Members {
		s += " (member"
		if m.Name != "" {
			s += " " + m.Name
		}
		if m.Inline != nil {
			s += " " + dumpCType(m.Inline)
			if m.Type != nil && len(m.Type.Post) > 0 {
				s += strings.Repeat("*", len(m.Type.Post))
			}
		} else {
			s += " " + TypeString(m.Type)
		}
		for _, n := range m.Dims {
			s += fmt.Sprintf(" [%d]", n)
		}
		if m.Bits != 0 {
			s += fmt.Sprintf(" :%d", m.Bits)
		}
		s += ")"
	}
	for _, e := range c.Enums {
		if e.Value == nil {
			s += " " + e.Name
		} else {
			s += " (" + e.Name + " " + DumpExpr(e.Value) + ")"
		}
	}
	return s + ")"
}

// TypeString spells a type as the language does: "struct foo*[4]".
func TypeString(t *ast.TypeExpr) string {
	if t == nil {
		return "?"
	}
	s := t.Name
	switch t.Tag {
	case "typeof":
		s = "typeof(" + Expr(t.TypeOf) + ")"
	case "":
	default:
		s = strings.TrimSuffix(t.Tag+" "+t.Name, " ")
	}
	for _, p := range t.Post {
		switch {
		case p.Pointer:
			s += "*"
		case p.Len < 0:
			s += "[]"
		default:
			s += "[" + strconv.Itoa(p.Len) + "]"
		}
	}
	return s
}
