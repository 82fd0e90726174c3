package check

import (
	"fmt"
	"regexp"
	"strconv"
	"sync"

	"fst/compiler/builtin"
	"fst/compiler/types"
	"fst/lang/ast"
	"fst/lang/diag"
	"fst/lang/parse"
)

// param is $1 or $#: a number if the word is one, else a string.
func (u *unitChecker) param(x *ast.Param) *types.Type {
	if x.Count {
		u.Consts[x] = int64(len(u.opts.Params))
		return types.I64
	}
	if x.N < 1 {
		return wrong(u.errorf(x.Span, "there is no $%d", x.N).Hintf("the first argument of the script is $1"))
	}
	if x.N > len(u.opts.Params) {
		u.Consts[x] = b2i(u.opts.OpenParams)
		return types.I64
	}
	word := u.opts.Params[x.N-1]
	if n, signed, ok := parse.Number(word); ok {
		u.Consts[x] = n
		return types.IntType(8, signed)
	}
	if most := u.info.Config.MaxStrlen; len(word) >= most {
		return wrong(u.errorf(x.Span, "$%d has %d characters; at most %d are allowed", x.N, len(word), most-1).
			Hintf("raise the limit: BPFTRACE_MAX_STRLEN=%d", len(word)+1))
	}
	u.Strings[x] = word
	return types.StringType(len(word) + 1)
}

// isOpen reports whether a text is that of a parameter which the script gets
// only when it runs: nothing is said about it.
func (u *unitChecker) isOpen(x ast.Expr) bool {
	return u.opts.OpenParams && parameterOf(x) > len(u.opts.Params)
}

// open leaves the unit out of the Info: a type in it depends on a parameter that
// the script gets only when it runs.
func (u *unitChecker) open(x ast.Expr) {
	if !u.Unit.open && !u.quiet {
		u.Unit.open = true
		u.diags.Warnf(x.Pos(), "what depends on this was not checked: it has its type from a parameter").
			Hintf("fst --dry-run SCRIPT WORD... checks a script with its parameters")
	}
}

// optional are the parameters that a script can do without.
type optional struct {
	clause int
	// asked are the parameters, variables and maps of which the script asks whether they are 0,
	// or that are the lower bound of something: all is above 0.
	asked map[string]bool
	kept  map[string][]string // the parameters that variables and maps are given
}

// parameters warns of $1 and the like that the command line does not give, unless the script can do without them, and of
// words of the command line that the script does not read.
func (c *checker) parameters() {
	if c.opts.OpenParams {
		return
	}
	o := optional{asked: map[string]bool{}, kept: map[string][]string{}}
	counted := false
	var missing []*ast.Param
	read := make([]bool, len(c.opts.Params)+1) // by number, from 1
	ast.Walk(c.prog, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.Param:
			counted = counted || n.Count
			if n.N > len(c.opts.Params) {
				missing = append(missing, n)
			} else {
				read[n.N] = true
			}
		case *ast.AttachPoint:
			for _, m := range wordOfProbe().FindAllStringSubmatch(n.Raw, -1) {
				if i, err := strconv.Atoi(m[1]); err == nil && i < len(read) {
					read[i] = true
				}
			}
		}
		o.note(n)
		return true
	})
	if counted {
		return
	}
	c.unread(read)
	for name, params := range o.kept {
		for _, param := range params {
			o.asked[param] = o.asked[param] || o.asked[name]
		}
	}
	for _, p := range missing {
		name := o.nameOf(p)
		if o.asked[name] {
			continue
		}
		o.asked[name] = true
		count := "no parameter"
		if len(c.opts.Params) > 0 {
			count = diag.Plural(len(c.opts.Params), "parameter")
		}
		c.warned.Warnf(p.Span, "$%d is 0: the command line has %s", p.N, count).
			Hintf("write its value behind the program; $# is the number of parameters")
	}
}

// wordOfProbe is a parameter in the text of an attach point.
var wordOfProbe = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`\$(\d+)`) })

// unread warns of the first word of the command line that is not read.
func (c *checker) unread(read []bool) {
	for i, word := range c.opts.Params {
		if read[i+1] || len(c.prog.Clauses) == 0 {
			continue
		}
		hint := fmt.Sprintf("a script reads it as $%d, or as text by str($%d)", i+1, i+1)
		if _, err := strconv.ParseFloat(word, 64); err == nil {
			hint = "to end the run after that many seconds, write --duration " + word + "; " + hint
		}
		c.warned.Warnf(c.prog.Clauses[0].Span, "%q on the command line is not used: the script does not read $%d", word, i+1).Hintf("%s", hint)
		return
	}
}

func (o *optional) note(n ast.Node) {
	switch n := n.(type) {
	case *ast.Clause:
		o.clause++
		o.ask(n.Filter)
	case *ast.If:
		o.ask(n.Cond)
	case *ast.Cond:
		o.ask(n.C)
	case *ast.Let:
		o.keep(n.Var, n.Value)
	case *ast.Assign:
		if n.Op == "=" {
			o.keep(n.Target, n.Value)
		}
	case *ast.Unary:
		if n.Op == "!" {
			o.ask(n.X)
		}
	case *ast.Binary:
		switch {
		case n.Op == "&&" || n.Op == "||":
			o.ask(n.X, n.Y)
		case opposite[n.Op] != "" && isLiteral(n.Y):
			o.ask(n.X)
		case opposite[n.Op] != "" && isLiteral(n.X):
			o.ask(n.Y)
		case n.Op == ">" || n.Op == ">=":
			o.ask(n.Y)
		case n.Op == "<" || n.Op == "<=":
			o.ask(n.X)
		}
	}
}

func (o *optional) ask(xs ...ast.Expr) {
	for _, x := range xs {
		if name := o.nameOf(x); name != "" {
			o.asked[name] = true
		}
	}
}

func (o *optional) keep(target, value ast.Expr) {
	if param := o.nameOf(value); param != "" && param[0] == '$' {
		if name := o.nameOf(target); name != "" {
			o.kept[name] = append(o.kept[name], param)
		}
	}
}

// nameOf is the name of what x is 0 with, or "": of a parameter it begins with $.
func (o *optional) nameOf(x ast.Expr) string {
	if n := parameterOf(x); n > 0 {
		return fmt.Sprintf("$%d", n)
	}
	switch x := x.(type) {
	case *ast.Var:
		return fmt.Sprintf("%d %s", o.clause, x.Name)
	case *ast.Map:
		if x.Keys == nil {
			return "@" + x.Name
		}
	case *ast.Cast:
		return o.nameOf(x.X)
	case *ast.Binary:
		if x.Op == "*" && isLiteral(x.Y) {
			return o.nameOf(x.X)
		}
	}
	return ""
}

// parameterOf is n of an expression $n or str($n), or 0.
func parameterOf(x ast.Expr) int {
	if call, ok := x.(*ast.Call); ok && calls(x, builtin.FuncStr) && len(call.Args) > 0 {
		x = call.Args[0]
	}
	if p, ok := x.(*ast.Param); ok && !p.Count {
		return p.N
	}
	return 0
}

func isLiteral(x ast.Expr) bool {
	switch x.(type) {
	case *ast.IntLit, *ast.StringLit:
		return true
	}
	return false
}
