package expand

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"fst/compiler/builtin"
	"fst/lang/ast"
)

// inlining is a clause that is being put in where its probe is fired: the
// fields of the probe are variables there.
type inlining struct {
	c     *copier
	probe *ast.Probe
	// suffix is that of the variables that hold the fields.
	suffix string
	// fixed are the fields that are true or false wherever the probe is fired
	// here: what a filter makes of them is known while compiling.
	fixed map[string]*ast.BoolLit
}

// fire is what stands for a fire statement: the clauses on the probe, one
// behind the other.
func (l *linker) fire(c *copier, f *ast.Fire) ast.Stmt {
	out := &ast.BlockStmt{At: f.At, Body: &ast.Block{At: f.At}}
	var probe *ast.Probe
	for p := range l.on {
		if p.Family == f.Family && p.Name == f.Name {
			probe = p
		}
	}
	if slices.Contains(l.firing, probe) {
		l.errorf(f.NameSpan, "firing %s leads to firing it again", probe.Title()).Hintf("a probe can't depend on itself")
		return out
	}
	l.firing = append(l.firing, probe)
	for _, on := range l.on[probe] {
		s := l.inline(c, f, on)
		if when := l.condition(on.clause); when != nil {
			at := ast.At{Span: on.at.Span}
			s = &ast.If{At: at, Cond: when, Then: &ast.Block{At: at, Stmts: []ast.Stmt{s}}}
		}
		out.Body.Stmts = append(out.Body.Stmts, s)
	}
	l.firing = l.firing[:len(l.firing)-1]
	return out
}

// inline puts a clause in where its probe is fired. A field gets its value
// before the first part that reads it, filter or body, so that an event which
// the filter drops costs no more than the filter.
func (l *linker) inline(c *copier, f *ast.Fire, on listener) ast.Stmt {
	p := on.probe
	in := &inlining{probe: p, suffix: l.number(), fixed: map[string]*ast.BoolLit{}}
	in.c = &copier{e: l.expander, link: l, on: in, suffix: in.suffix}
	title := p.Title()
	if on.at.Label != "" {
		title = on.at.Label
	}
	s := &ast.Inline{At: on.At, Clause: on.written, Probe: title, Body: &ast.Block{At: on.At}}
	filter := on.Filter
	if l.opts.PID != 0 {
		at := ast.At{Span: on.at.Span}
		filter = &ast.Binary{At: at, Op: "==", OpSpan: at.Span, X: &ast.Ident{At: at, Name: "pid"},
			Y: &ast.IntLit{At: at, Value: uint64(l.opts.PID), Text: strconv.Itoa(l.opts.PID)}}
		if on.Filter != nil {
			filter = join("&&", filter, on.Filter)
		}
	}
	given := map[string]bool{}
	for i, name := range f.Fields.Names {
		if lit, ok := f.Fields.Values[i].(*ast.BoolLit); ok {
			in.fixed[name], given[name] = lit, true
		}
	}
	give := func(to *ast.Block, root ast.Node) {
		read := argsRead(root, l.dead)
		for i, name := range f.Fields.Names {
			if given[name] || !slices.Contains(read, name) && !slices.Contains(read, "") {
				continue
			}
			given[name] = true
			if field := fieldOf(p, name); field != nil {
				to.Stmts = append(to.Stmts, in.let(field, c.expr(f.Fields.Values[i])))
			}
		}
		for _, field := range p.Fields {
			if !slices.Contains(f.Fields.Names, field.Name) && !given[field.Name] { // which was reported
				given[field.Name] = true
				to.Stmts = append(to.Stmts, in.let(field, nothing(f)))
			}
		}
	}
	body := s.Body
	if p.Witness != nil {
		w := (&copier{e: l.expander, link: l}).expr(p.Witness)
		body.Stmts = append(body.Stmts, &ast.ExprStmt{At: ast.At{Span: w.Pos()}, X: w})
	}
	if filter != nil {
		give(body, filter)
		inner := &ast.Block{At: on.At}
		body.Stmts = append(body.Stmts, &ast.If{At: ast.At{Span: filter.Pos()}, Cond: in.c.expr(filter), Then: inner, Filter: true})
		body = inner
	}
	if on.Body == nil {
		all := &ast.Ident{At: ast.At{Span: on.at.Span}, Name: "args"}
		give(body, all)
		body.Stmts = append(body.Stmts, &ast.Event{At: on.At, Probe: title, Fields: in.record(all)})
		return s
	}
	give(body, on.Body)
	block := in.c.block(on.Body)
	body.Stmts = append(body.Stmts, block.Stmts...)
	body.Value = block.Value
	return s
}

// let gives a field its value.
func (in *inlining) let(f *ast.ProbeField, value ast.Expr) ast.Stmt {
	at := ast.At{Span: value.Pos()}
	return &ast.Let{At: at, Var: &ast.Var{At: at, Name: in.variable(f.Name)}, Type: f.Type, Value: value, Field: f}
}

func (in *inlining) variable(field string) string { return "args." + field + in.suffix }

func (in *inlining) value(at ast.Node, field string) ast.Expr {
	if lit := in.fixed[field]; lit != nil {
		return &ast.BoolLit{At: ast.At{Span: at.Pos()}, Value: lit.Value}
	}
	return &ast.Var{At: ast.At{Span: at.Pos()}, Name: in.variable(field)}
}

// record is args as a whole.
func (in *inlining) record(at ast.Node) *ast.Record {
	r := &ast.Record{At: ast.At{Span: at.Pos()}}
	for _, f := range in.probe.Fields {
		r.Names = append(r.Names, f.Name)
		r.Values = append(r.Values, in.value(at, f.Name))
	}
	return r
}

// field is args.NAME, or nil if x is another field.
func (in *inlining) field(x *ast.Field) ast.Expr {
	if !isArgs(x.X) {
		return nil
	}
	if fieldOf(in.probe, x.Name) == nil {
		why := fmt.Sprintf("%s has no field %s", in.probe.Title(), x.Name)
		hint := "it has " + fieldList(in.probe)
		if near := nearField(in.probe, x.Name); near != "" {
			hint = "did you mean args." + near + "?"
		}
		return &ast.Refused{At: ast.At{Span: x.NameSpan}, Message: why, Hint: hint}
	}
	return in.value(x, x.Name)
}

// ident replaces a bare word.
func (in *inlining) ident(x *ast.Ident) ast.Expr {
	if v := in.word(x, x.Name); v != nil {
		return v
	}
	if r := in.refuse(x, x.Name); r != nil {
		return r
	}
	n := *x
	return &n
}

// word is what a built-in variable stands for in the probe: a field of its
// name, or all of args; nil if it means what it always does.
func (in *inlining) word(at ast.Node, name string) ast.Expr {
	if _, ok := builtin.VarByName(name); !ok {
		return nil
	}
	if name == "args" {
		return in.record(at)
	}
	if fieldOf(in.probe, name) != nil {
		return in.value(at, name)
	}
	if from := behind(name); from != name && fieldOf(in.probe, from) != nil {
		return &ast.Call{At: ast.At{Span: at.Pos()}, Name: name, NameSpan: at.Pos(), Args: []ast.Expr{in.value(at, from)}}
	}
	return nil
}

// refuse is what stands for a built-in that means nothing in the probe: an
// error, unless a constant rules out the branch that it is in.
func (in *inlining) refuse(at ast.Node, name string) ast.Expr {
	v, ok := builtin.VarByName(name)
	if !ok {
		return nil
	}
	why := ""
	switch {
	case v.Does(builtin.OfPlace):
		why = fmt.Sprintf("%s can't be used in %s", name, in.probe.Title())
	case v.Does(builtin.OfThread) && fieldOf(in.probe, "pid") != nil: // its events belong to another thread
		why = fmt.Sprintf("%s can't be used in %s, which may run in any thread", name, in.probe.Title())
	default:
		return nil
	}
	return &ast.Refused{At: ast.At{Span: at.Pos()}, Message: why, Hint: "args has " + fieldList(in.probe)}
}

func fieldList(p *ast.Probe) string {
	names := make([]string, len(p.Fields))
	for i, f := range p.Fields {
		names[i] = f.Name
	}
	return strings.Join(names, ", ")
}
