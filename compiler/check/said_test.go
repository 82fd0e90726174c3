package check

import (
	"fmt"
	"strings"
	"testing"

	"fst/compiler/expand"
	"fst/compiler/target/fixture"
	"fst/lang/ast"
	"fst/lang/diag"
	"fst/lang/parse"
	"fst/lang/source"
	"fst/tests/expect"
)

// says checks scripts, which empty lines separate. What is said of a line is below it, at its place:
//
//	$a = 1 + "x";
//	         ^^^ the operands of + must be integers, not string
//	             ? str_concat(a, b) joins strings
//
// A warning begins with "warning:", a note that belongs to one with "note:". Each script is the action of
// a clause on the probe; where that is empty, it is all of a script.
func says(t *testing.T, probe, text string) {
	t.Helper()
	saysWith(t, probe, Options{Target: kernel(t)}, text)
}

func saysWith(t *testing.T, probe string, o Options, text string) {
	t.Helper()
	var scripts []string
	for s := range strings.SplitSeq(text, "\n\n") {
		scripts = append(scripts, said(o, probe, expect.Script(s)))
	}
	expect.Text(t, strings.Join(scripts, "\n\n"), text)
}

// said is a script with what is said about it.
func said(o Options, probe string, lines []string) string {
	before := ""
	if probe != "" {
		before = probe + " {\n"
	}
	script := before + strings.Join(lines, "\n")
	if probe != "" {
		script += "\n}"
	}
	var set source.Set
	var diags diag.List
	f := set.Add("t", script)
	if prog := parse.Parse(f, &diags); !diags.HasErrors() {
		Check(expand.Expand(prog, expand.Options{}, &diags), o, &diags)
	}
	return expect.Remarks(lines, before, f, diags.All)
}

const typed = "// "

// gives checks the action of a clause. Behind each assignment is the type of its value, the value if it is
// constant, and behind an arrow the type of what it is assigned to, if that is another one.
func gives(t *testing.T, probe, text string) {
	t.Helper()
	givesOn(t, kernel(t), probe, text)
}

func givesOn(t *testing.T, k *fixture.Kernel, probe, text string) {
	t.Helper()
	lines := strings.Split(text, "\n")
	for i, l := range lines {
		code, _, _ := strings.Cut(l, typed)
		lines[i] = strings.TrimRight(code, " ")
	}
	decls, body := "", strings.Join(lines, "\n")
	if d, b, has := strings.Cut(body, "\n---\n"); has {
		decls, body = d+"\n", "\n"+b
	}
	script := decls + probe + " {" + body + "}"
	var set source.Set
	var diags diag.List
	f := set.Add("t", script)
	info := Check(parse.Parse(f, &diags), Options{Target: k, Params: []string{"7", "word"}}, &diags)
	for _, d := range diags.All {
		if d.Severity == diag.Error {
			t.Errorf("%s: %s (%s)", script[d.Span.Start-f.Base:d.Span.End-f.Base], d.Message, d.Hint)
		}
	}
	types := make([]string, len(lines))
	note := func(n ast.Node, what string) {
		line := strings.Count(script[:n.Pos().Start-f.Base], "\n")
		if types[line] == "" {
			types[line] = what
		} else if !strings.Contains(types[line], what) {
			types[line] += "; " + what
		}
	}
	for _, u := range info.Units {
		ast.Walk(u.Body, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.Assign:
				note(n, given(info, u, n.Target, n.Value))
			case *ast.Let:
				if n.Value != nil {
					note(n, given(info, u, n.Var, n.Value))
				}
			}
			return true
		})
	}
	wide := 0
	for _, l := range lines {
		if len(l) <= 60 {
			wide = max(wide, len(l))
		}
	}
	for i, what := range types {
		if what != "" {
			lines[i] = fmt.Sprintf("%-*s %s%s", wide, lines[i], typed, what)
		}
	}
	expect.Text(t, strings.Join(lines, "\n"), text)
}

// given says what a value is and what takes it.
func given(info *Info, u *Unit, target, value ast.Expr) string {
	typ := u.Types[value]
	if typ == nil {
		return ""
	}
	what := typ.String()
	if s, ok := u.Strings[value]; ok {
		what += fmt.Sprintf(" = %q", s)
	} else if n, ok := u.Consts[value]; ok && typ.Signed {
		what += fmt.Sprintf(" = %d", n)
	} else if ok {
		what += fmt.Sprintf(" = %d", uint64(n))
	}
	switch x := target.(type) {
	case *ast.Var:
		if v := u.Vars[x]; v != nil && v.Type.String() != typ.String() {
			what += " -> " + v.Type.String()
		}
	case *ast.Map:
		for _, m := range info.Maps {
			if m.Name == x.Name && m.Value.String() != typ.String() {
				what += " -> " + m.Value.String()
			}
			if m.Name == x.Name && m.Key != nil {
				what += " at " + m.Key.String()
			}
		}
	}
	return what
}
