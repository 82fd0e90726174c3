package expand

import (
	"slices"

	"fst/compiler/builtin"
	"fst/lang/ast"
	"fst/lang/diag"
	"fst/lang/source"
)

// A report clause says what a script shows of its maps, and when is the
// user's choice: once at the end, or every --interval seconds, --count times.
// What the maps that the clause names count (@m = count()) begins anew after
// each interval; what a script assigns otherwise (@m++, @m = 5) stays. It
// stands for
//
//	interval:s:N { empty what counts; time; body; if (++@reports == --count) exit() }
//	end          { body, unless all that were asked for are out }
//
// A script with a report shows nothing else of its maps at its end. The report
// clauses of libraries run right before it, so that what they fire is in it;
// without a report of the script's own, they run at the end.

// reportMap counts the reports; no name of a script looks like this.
const reportMap = "report#"

// Reports replaces the report clause of a program, if it has one, by what it
// stands for. interval is the word given for --interval, or empty. Macros are
// expanded before, so that what they print is known.
func Reports(prog *ast.Program, interval string, diags *diag.List) *ast.Program {
	out := *prog
	out.Clauses = nil
	var first *ast.Clause
	var before []ast.Stmt
	for _, c := range prog.Clauses {
		if len(c.Probes) == 0 || c.Probes[0].Provider != "report" {
			out.Clauses = append(out.Clauses, c)
			continue
		}
		switch ap := c.Probes[0]; {
		case len(c.Probes) > 1 || len(ap.Parts) > 0 || len(ap.Or) > 0:
			diags.Errorf(c.Probes[0].Span, "report must be the only probe of its clause").Hintf("write report { print(@m); }; --interval=SECONDS sets how often")
		case c.Body == nil:
			diags.Errorf(c.Span, "this report shows nothing").Hintf("write report { print(@m); }")
		case c.For != nil:
			var body ast.Stmt = &ast.BlockStmt{At: c.Body.At, Body: c.Body}
			if c.Filter != nil {
				body = builder{at: c.Body.At}.when(c.Filter, body)
			}
			before = append(before, body)
		case first != nil:
			diags.Errorf(c.Span, "a script has one report").Hintf("put everything into one report { ... }").Notef(first.Span, "the first is here")
		default:
			first = c
		}
	}
	if first == nil {
		if before != nil {
			b := builder{at: ast.At{Span: before[0].Pos()}}
			out.Clauses = append(out.Clauses, &ast.Clause{At: b.at, Body: &ast.Block{At: b.at, Stmts: before},
				Probes: []*ast.AttachPoint{b.probe("end", b.at.Span)}})
		}
		return &out
	}
	b := builder{at: ast.At{Span: first.Probes[0].Span}, before: before}
	if interval != "" {
		out.Clauses = append(out.Clauses, b.periodic(first, interval, prog))
	}
	out.Clauses = append(out.Clauses, b.atEnd(first, interval != ""))
	out.Config = append(out.Config[:len(out.Config):len(out.Config)],
		&ast.Setting{At: b.at, Key: "print_maps_on_exit", Value: &ast.BoolLit{At: b.at}})
	return &out
}

// builder makes parts of a tree at one place.
type builder struct {
	at ast.At
	// before are the report clauses of libraries.
	before []ast.Stmt
}

func (b builder) call(name string, args ...ast.Expr) *ast.Call {
	return &ast.Call{At: b.at, Name: name, NameSpan: b.at.Span, Args: args}
}

func (b builder) text(s string) ast.Expr { return &ast.StringLit{At: b.at, Value: s} }

func (b builder) number(n uint64) ast.Expr { return &ast.IntLit{At: b.at, Value: n} }

func (b builder) binary(x ast.Expr, op string, y ast.Expr) ast.Expr {
	return &ast.Binary{At: b.at, Op: op, OpSpan: b.at.Span, X: x, Y: y}
}

func (b builder) when(cond ast.Expr, then ...ast.Stmt) ast.Stmt {
	return &ast.If{At: b.at, Cond: cond, Then: &ast.Block{At: b.at, Stmts: then}}
}

func (b builder) do(x ast.Expr) ast.Stmt { return &ast.ExprStmt{At: b.at, X: x} }

func (b builder) count() ast.Expr {
	return b.call("getopt", b.text("count"), b.number(0), b.text("so many reports"))
}

func (b builder) reports() *ast.Map { return &ast.Map{At: b.at, Name: reportMap, NameSpan: b.at.Span} }

// stamped is the report's body behind those of libraries and the time of day,
// if that is wanted.
func (b builder) stamped(c *ast.Clause) *ast.Block {
	return &ast.Block{At: c.Body.At, Stmts: append(slices.Clip(b.before),
		b.when(b.call("getopt", b.text("time"), &ast.BoolLit{At: b.at}, b.text("with the time of day")),
			b.do(b.call("time", b.text("%H:%M:%S\n")))),
		&ast.BlockStmt{At: c.Body.At, Body: c.Body})}
}

// periodic is the clause for each interval.
func (b builder) periodic(c *ast.Clause, interval string, prog *ast.Program) *ast.Clause {
	body := b.stamped(c)
	body.Stmts = append(body.Stmts,
		b.do(&ast.IncDec{At: b.at, Op: "++", X: b.reports()}),
		b.when(b.binary(b.binary(b.count(), ">", b.number(0)), "&&", b.binary(b.reports(), ">=", b.count())), b.do(b.call("exit"))))
	// The option is read here so that it is known, and must be a number.
	filter := b.binary(b.call("getopt", b.text("interval"), b.number(0), b.text("seconds between reports")), ">", b.number(0))
	if c.Filter != nil {
		filter = b.binary(filter, "&&", c.Filter)
	}
	return &ast.Clause{At: c.At, Filter: filter, Body: body, Drains: counting(c.Body, prog),
		Probes: []*ast.AttachPoint{b.probe("interval", c.Probes[0].Span, "s", interval)}}
}

// atEnd is the clause for the end; with reports before it, it is due unless
// all that were asked for are out.
func (b builder) atEnd(c *ast.Clause, periodic bool) *ast.Clause {
	n := *c
	n.Body = b.stamped(c)
	n.Probes = []*ast.AttachPoint{b.probe("end", c.Probes[0].Span)}
	if !periodic {
		return &n
	}
	n.Filter = b.binary(b.binary(b.count(), "==", b.number(0)), "||", b.binary(b.reports(), "<", b.count()))
	if c.Filter != nil {
		n.Filter = b.binary(n.Filter, "&&", c.Filter)
	}
	return &n
}

func (b builder) probe(provider string, sp source.Span, parts ...string) *ast.AttachPoint {
	return &ast.AttachPoint{At: b.at, Provider: provider, Written: "report", Parts: parts, Raw: "report", Label: "report"}
}

// counting lists the maps that a report's body names and that hold
// aggregations, each once.
func counting(body *ast.Block, prog *ast.Program) []string {
	assigned := map[string]bool{}
	ast.Walk(prog, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.Assign:
			if m, ok := n.Target.(*ast.Map); ok && (n.Op != "=" || !aggregates(n.Value)) {
				assigned[m.Name] = true
			}
		case *ast.IncDec:
			if m, ok := n.X.(*ast.Map); ok {
				assigned[m.Name] = true
			}
		}
		return true
	})
	var names []string
	ast.Walk(body, func(n ast.Node) bool {
		if m, ok := n.(*ast.Map); ok && !assigned[m.Name] && !slices.Contains(names, m.Name) {
			names = append(names, m.Name)
		}
		return true
	})
	return names
}

// aggregates reports whether a map that is given x counts in it.
func aggregates(x ast.Expr) bool {
	call, ok := x.(*ast.Call)
	if !ok {
		return false
	}
	f, ok := builtin.FuncByName(call.Name)
	return ok && f.Aggregation != 0
}
