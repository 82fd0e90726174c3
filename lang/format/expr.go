package format

import (
	"slices"
	"strconv"
	"strings"

	"fst/lang/ast"
)

// precedence of what Expr prints; a higher number binds tighter.
const (
	precCond  = iota
	precOr    // the binary operators have 1 to 10
	precUnary = 11
	precPost  = 12
)

var binaryPrec = map[string]int{
	"||": precOr, "&&": 2, "|": 3, "^": 4, "&": 5, "==": 6, "!=": 6,
	"<": 7, "<=": 7, ">": 7, ">=": 7, "<<": 8, ">>": 8, "+": 9, "-": 9,
	"*": 10, "/": 10, "%": 10,
}

// mostOperands is how many parts of an expression Expr prints.
const mostOperands = 100

// Expr prints an expression for a message, as it is written in a script, with the
// parentheses it needs. What is beyond a hundred operands and operators is "...".
func Expr(x ast.Expr) string { return (&printer{left: mostOperands}).expr(x, precCond) }

// expr prints x where something of at least precedence least is needed.
func (p *printer) expr(x ast.Expr, least int) string {
	switch p.left {
	case 0: // a script is printed whole
	case 1:
		return "..."
	default:
		p.left--
	}
	s, prec := p.bare(x)
	if prec < least || p.hadParens(x, least) {
		return "(" + s + ")"
	}
	return s
}

// hadParens reports whether an operand of an operator stands in parentheses in
// the source: they are kept for clearness even where they change nothing.
func (p *printer) hadParens(x ast.Expr, least int) bool {
	if p.set == nil || least == precCond {
		return false
	}
	switch x.(type) {
	case *ast.Binary, *ast.Cond:
	default:
		return false
	}
	f := p.set.File(x.Pos().Start)
	if f == nil {
		return false
	}
	before := strings.TrimRight(f.Text[:x.Pos().Start-f.Base], " \t\n")
	after := strings.TrimLeft(f.Text[min(int(x.Pos().End-f.Base), len(f.Text)):], " \t\n")
	return strings.HasSuffix(before, "(") && strings.HasPrefix(after, ")")
}

func (p *printer) list(xs []ast.Expr) string {
	var out []string
	for _, x := range xs {
		out = append(out, p.expr(x, precCond))
	}
	return strings.Join(out, ", ")
}

// endsInType reports whether x, printed without parentheses round it, ends in a
// name in parentheses, which may be that of a type.
func endsInType(x ast.Expr) bool {
	switch x := x.(type) {
	case *ast.Ident:
		return x.Parens
	case *ast.Cast:
		return endsInType(x.X)
	case *ast.Unary:
		return endsInType(x.X)
	case *ast.IncDec:
		return x.Prefix && endsInType(x.X)
	case *ast.Binary:
		return endsInType(x.Y)
	}
	return false
}

// bare prints x without parentheses round it and gives its precedence.
func (p *printer) bare(x ast.Expr) (string, int) {
	switch x := x.(type) {
	case nil:
		return "", precPost
	case *ast.IntLit:
		if x.Text != "" {
			return x.Text, precPost
		}
		return strconv.FormatUint(x.Value, 10), precPost
	case *ast.StringLit:
		return p.str(x), precPost
	case *ast.BoolLit:
		return strconv.FormatBool(x.Value), precPost
	case *ast.Ident:
		if x.Parens {
			return "(" + x.Name + ")", precPost
		}
		return x.Name, precPost
	case *ast.Var:
		return "$" + x.Name, precPost
	case *ast.Map:
		if x.Keys == nil {
			return "@" + x.Name, precPost
		}
		return "@" + x.Name + "[" + p.list(x.Keys) + "]", precPost
	case *ast.Param:
		if x.Count {
			return "$#", precPost
		}
		return "$" + strconv.Itoa(x.N), precPost
	case *ast.Call:
		return x.Name + "(" + p.list(x.Args) + ")", precPost
	case *ast.TypeArg:
		return p.typ(x.Type), precPost
	case *ast.ProbeArg:
		return x.Probe.Raw, precPost
	case *ast.Unary:
		s := p.expr(x.X, precUnary)
		// "- -x" must not become "--x".
		if strings.HasPrefix(s, x.Op) && (x.Op == "-" || x.Op == "+" || x.Op == "&") {
			s = "(" + s + ")"
		}
		return x.Op + s, precUnary
	case *ast.IncDec:
		if x.Prefix {
			return x.Op + p.expr(x.X, precUnary), precUnary
		}
		return p.expr(x.X, precPost) + x.Op, precPost
	case *ast.Binary:
		return p.binary(x), binaryPrec[x.Op]
	case *ast.Cond:
		if x.A == nil {
			return p.expr(x.C, precOr) + " ?: " + p.expr(x.B, precCond), precCond
		}
		return p.expr(x.C, precOr) + " ? " + p.expr(x.A, precCond) + " : " + p.expr(x.B, precCond), precCond
	case *ast.Field:
		op := "."
		if x.Arrow {
			op = "->"
		}
		return p.expr(x.X, precPost) + op + x.Name, precPost
	case *ast.TupleIndex:
		return p.expr(x.X, precPost) + "." + strconv.Itoa(x.N), precPost
	case *ast.Index:
		s := p.expr(x.X, precPost)
		if m, ok := x.X.(*ast.Map); ok && m.Keys == nil {
			s = "(" + s + ")" // or the index would be a key
		}
		return s + "[" + p.expr(x.I, precCond) + "]", precPost
	case *ast.Cast:
		return "(" + p.typ(x.Type) + ")" + p.expr(x.X, precUnary), precUnary
	case *ast.Tuple:
		if len(x.Elems) == 1 {
			return "(" + p.list(x.Elems) + ",)", precPost
		}
		return "(" + p.list(x.Elems) + ")", precPost
	case *ast.Record:
		var out []string
		for i, n := range x.Names {
			out = append(out, n+" = "+p.expr(x.Values[i], precCond))
		}
		return "(" + strings.Join(out, ", ") + ")", precPost
	case *ast.SizeOf:
		if x.Type != nil {
			return "sizeof(" + p.typ(x.Type) + ")", precPost
		}
		return "sizeof(" + p.expr(x.X, precCond) + ")", precPost
	case *ast.OffsetOf:
		of := p.expr(x.X, precCond)
		if x.Type != nil {
			of = p.typ(x.Type)
		}
		path := strings.ReplaceAll(strings.Join(x.Path, "."), ".[", "[")
		return "offsetof(" + of + ", " + path + ")", precPost
	case *ast.IfExpr:
		return "if " + p.cond(x.Cond) + " " + p.inline(x.Then) + " else " + p.inline(x.Else), precPost
	case *ast.BlockExpr:
		return p.inline(x.Body), precPost
	case *ast.Comptime:
		s := p.expr(x.X, precUnary)
		if strings.ContainsAny(s[:min(1, len(s))], "-+*&") {
			s = "(" + s + ")" // or comptime would be an operand itself
		}
		return "comptime " + s, precUnary
	}
	return "", precPost
}

// binary prints an operator with its operands. Sums of sums, which are long, are
// printed from their first operand on.
func (p *printer) binary(x *ast.Binary) string {
	chain := []*ast.Binary{x} // each is the left operand of the one before, without parentheses
	for {
		last := chain[len(chain)-1]
		left, ok := last.X.(*ast.Binary)
		if least := leastLeft(last); !ok || binaryPrec[left.Op] < least || p.hadParens(left, least) {
			break
		}
		chain = append(chain, left)
	}
	first := chain[len(chain)-1]
	var b strings.Builder
	b.WriteString(p.expr(first.X, leastLeft(first)))
	for _, x := range slices.Backward(chain) {
		b.WriteString(" " + x.Op + " ")
		b.WriteString(p.expr(x.Y, binaryPrec[x.Op]+1))
	}
	return b.String()
}

// leastLeft is the precedence that the left operand of x needs to stand there
// without parentheses.
func leastLeft(x *ast.Binary) int {
	if strings.Contains("-+*&", x.Op) && endsInType(x.X) {
		return precPost + 1 // in parentheses, or it would be a cast of what follows
	}
	return binaryPrec[x.Op]
}

// str gives a string literal as it was written.
func (p *printer) str(x *ast.StringLit) string {
	if p.set != nil {
		if s := p.set.Text(x.Span); len(s) > 1 && s[0] == '"' && s[len(s)-1] == '"' {
			return s
		}
	}
	var b strings.Builder
	b.WriteByte('"')
	for i := 0; i < len(x.Value); i++ {
		switch c := x.Value[i]; {
		case c == '"' || c == '\\':
			b.WriteByte('\\')
			b.WriteByte(c)
		case c == '\n':
			b.WriteString(`\n`)
		case c == '\t':
			b.WriteString(`\t`)
		case c < ' ' || c == 0x7f:
			const hex = "0123456789abcdef"
			b.WriteString(`\x` + string(hex[c>>4]) + string(hex[c&15]))
		default:
			b.WriteByte(c)
		}
	}
	b.WriteByte('"')
	return b.String()
}

// typ prints a type.
func (p *printer) typ(t *ast.TypeExpr) string {
	s := TypeString(t)
	if len(t.Post) > 0 && t.Post[0].Pointer { // "struct foo *" and "uint64 *", as in C
		name := TypeString(&ast.TypeExpr{Tag: t.Tag, Name: t.Name, TypeOf: t.TypeOf})
		s = name + " " + s[len(name):]
	}
	return s
}

// cond prints the condition of if and while, in parentheses.
func (p *printer) cond(x ast.Expr) string { return "(" + p.expr(x, precCond) + ")" }
