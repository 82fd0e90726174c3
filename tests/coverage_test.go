package tests

import (
	"fmt"
	"maps"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"

	"fst/cmd/fst/cli"
	"fst/compiler/builtin"
	"fst/lang/ast"
	"fst/lang/diag"
	"fst/lang/parse"
	"fst/lang/source"
	"fst/tests/conformance"
)

// TestEveryPartOfTheLanguageHasACase holds the conformance cases against what
// the language consists of: each kind of probe under its name and its
// abbreviation, each function, variable, setting and option of the command
// line from the tables that fst itself uses; each kind of statement and
// expression, each operator, literal form, conversion of printf and record of
// the JSON output from the lists below. What is new there needs a case.
func TestEveryPartOfTheLanguageHasACase(t *testing.T) {
	cases, err := conformance.Load("conformance")
	if err != nil {
		t.Fatal(err)
	}
	have := inventory{}
	for _, c := range cases {
		have.add(c)
	}
	var missing []string
	for _, part := range parts() {
		if !have[part] {
			missing = append(missing, part)
		}
	}
	if len(missing) > 0 {
		t.Errorf("no case in tests/conformance uses:\n\t%s", strings.Join(missing, "\n\t"))
	}
}

// inventory are the parts of the language that cases use.
type inventory map[string]bool

// parts are those that must be used.
func parts() []string {
	var all []string
	add := func(kind string, names ...string) {
		for _, n := range names {
			if n != "" {
				all = append(all, kind+" "+n)
			}
		}
	}
	for _, p := range builtin.Probes {
		add("probe", p.Name, p.Short)
	}
	add("probe", "BEGIN", "END", "kfunc", "kretfunc")
	for i := range builtin.Funcs {
		add("function", builtin.Funcs[i].Name)
		add("function", builtin.Funcs[i].Aliases...)
	}
	for i := range builtin.Vars {
		add("variable", builtin.Vars[i].Name)
		add("variable", builtin.Vars[i].Aliases...)
	}
	for _, s := range builtin.Settings {
		add("setting", s.Name)
	}
	for name := range cli.Options() {
		add("option", name)
	}
	for _, n := range []ast.Node{
		&ast.Assign{}, &ast.Let{}, &ast.If{}, &ast.While{}, &ast.Unroll{}, &ast.ForRange{}, &ast.ForMap{}, &ast.Break{}, &ast.Continue{},
		&ast.Return{}, &ast.BlockStmt{}, &ast.Fire{},
		&ast.IntLit{}, &ast.StringLit{}, &ast.BoolLit{}, &ast.Ident{}, &ast.Var{}, &ast.Map{}, &ast.Param{}, &ast.Call{}, &ast.TypeArg{},
		&ast.ProbeArg{}, &ast.Cond{}, &ast.Field{}, &ast.TupleIndex{}, &ast.Index{}, &ast.Cast{}, &ast.Tuple{}, &ast.Record{}, &ast.SizeOf{},
		&ast.OffsetOf{}, &ast.IfExpr{}, &ast.BlockExpr{}, &ast.Comptime{},
	} {
		add("tree", kindOf(n))
	}
	add("declaration", "struct", "union", "enum", "bitfield", "typedef", "define", "include", "import", "config", "macro", "function", "map", "probe",
		"hash", "lruhash", "percpuhash", "percpulruhash", "percpuarray")
	add("clause", "filter", "several probes", "no action", "label", "alternatives", "quoted part", "parameter in a probe")
	add("binary", "||", "&&", "|", "^", "&", "==", "!=", "<", "<=", ">", ">=", "<<", ">>", "+", "-", "*", "/", "%")
	add("unary", "!", "~", "-", "*", "&", "++x", "x++", "--x", "x--", "?:", "->")
	add("assignment", "=", "+=", "-=", "*=", "/=", "%=", "&=", "|=", "^=", "<<=", ">>=", "_ =")
	add("type", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64", "bool", "string", "string[N]", "buffer[N]", "inet[N]",
		"void*", "struct", "union", "enum", "typeof", "pointer", "array", "array[]")
	for name := range spellings {
		add("spelling", name)
	}
	add("conversion", "d", "i", "u", "x", "X", "o", "c", "p", "s", "r", "rx", "rh", "gr", "%", "hd", "hhd", "ld", "lld", "jd", "zd", "td", "lu", "llu",
		"llx", "flag -", "flag 0", "flag +", "flag #", "flag space", "width", "precision")
	add("record", "attached_probes", "printf", "time", "cat", "join", "syscall", "value", "map", "stats", "hist", "tseries", "lost_events",
		"warnf", "errorf", "helper_error", "runtime_error", "test_result", "benchmark_result")
	slices.Sort(all)
	return slices.Compact(all)
}

// spellings are forms of literals and comments, by what shows them.
var spellings = map[string]*regexp.Regexp{
	"hexadecimal": regexp.MustCompile(`\b0x[0-9a-fA-F]+\b`), "octal": regexp.MustCompile(`[( ]0[0-7]+\b`),
	"separator": regexp.MustCompile(`\b\d+_\d+\b`), "exponent": regexp.MustCompile(`\b[1-9]e\d\b`),
	"suffix u": regexp.MustCompile(`\b\d+u\b`), "suffix l": regexp.MustCompile(`\b\d+l\b`), "suffix ul": regexp.MustCompile(`\b\d+ul\b`),
	"suffix ll": regexp.MustCompile(`\b\d+ll\b`), "suffix ull": regexp.MustCompile(`\b\d+ull\b`), "capital suffix": regexp.MustCompile(`\b\d+UL\b`),
	"ns": regexp.MustCompile(`\b\d+ns\b`), "us": regexp.MustCompile(`\b\d+us\b`), "ms": regexp.MustCompile(`\b\d+ms\b`), "s": regexp.MustCompile(`\b\d+s\b`),
	"m": regexp.MustCompile(`\b\d+m\b`), "h": regexp.MustCompile(`\b\d+h\b`), "d": regexp.MustCompile(`\b\d+d\b`),
	"B": regexp.MustCompile(`\b\d+B\b`), "KB": regexp.MustCompile(`\b\d+KB\b`), "MB": regexp.MustCompile(`\b\d+MB\b`), "GB": regexp.MustCompile(`\b\d+GB\b`),
	`\n`: regexp.MustCompile(`\\n`), `\t`: regexp.MustCompile(`\\t`), `\r`: regexp.MustCompile(`\\r`), `\"`: regexp.MustCompile(`\\"`),
	`\\`: regexp.MustCompile(`\\\\`), `\ooo`: regexp.MustCompile(`\\[0-3][0-7][0-7]`), `\xHH`: regexp.MustCompile(`\\x[0-9a-f][0-9a-f]`),
	"// comment": regexp.MustCompile(`//`), "/* comment */": regexp.MustCompile(`/\*.*\*/`), "#!": regexp.MustCompile(`^#!`),
	"$#": regexp.MustCompile(`\$#`), "bare @": regexp.MustCompile(`@\s*=`), "bare @[]": regexp.MustCompile(`@\[`),
	"m! call": regexp.MustCompile(`\w!\(`), "#ifndef": regexp.MustCompile(`#ifndef`), "if without parentheses": regexp.MustCompile(`\bif [^(]`),
	"empty statement": regexp.MustCompile(`;;`),
}

var (
	conversion = regexp.MustCompile(`%([-+ #0]*)(\d*)(\.\d+)?(hh|h|ll|l|j|z|t)?(rx|rh|gr|[diuxXocpsr%])`)
	recordType = regexp.MustCompile(`"type": "(\w+)"`)
)

func kindOf(n ast.Node) string { return reflect.TypeOf(n).Elem().Name() }

func (have inventory) note(kind, name string) { have[kind+" "+name] = true }

// add notes what a case uses.
func (have inventory) add(c *conformance.Case) {
	have.script(c.Prog)
	for _, name := range slices.Sorted(maps.Keys(c.Files)) {
		switch filepath.Ext(name) {
		case ".bt", ".fst", ".h":
			have.script(c.Files[name])
		}
	}
	have.script(c.Stdin)
	options := cli.Options()
	for _, text := range append([]string{c.Setup, c.Workload, c.Check}, c.Args...) {
		for _, word := range strings.Fields(text) {
			name, _, _ := strings.Cut(strings.TrimSuffix(word, ";"), "=")
			if same, ok := options[name]; ok {
				have.note("option", name)
				for _, n := range same {
					have.note("option", n)
				}
			}
		}
	}
	for _, e := range c.Env {
		if name, ok := strings.CutPrefix(e, "BPFTRACE_"); ok {
			name, _, _ = strings.Cut(name, "=")
			have.note("setting", strings.ToLower(name))
		}
	}
	stderr := c.Check
	for _, p := range c.Stderr {
		stderr += p.String()
	}
	for _, m := range recordType.FindAllStringSubmatch(strings.Join(c.Stdout, "\n")+stderr, -1) {
		have.note("record", m[1])
	}
}

// script notes what a program uses.
func (have inventory) script(text string) {
	for name, form := range spellings {
		if form.MatchString(text) {
			have.note("spelling", name)
		}
	}
	var set source.Set
	var diags diag.List
	prog := parse.Parse(set.Add("case", text), &diags)
	have.declarations(prog)
	for _, cl := range prog.Clauses {
		have.clause(cl)
	}
	for _, m := range prog.Macros {
		ast.Walk(m.Body, have.node)
	}
}

func (have inventory) declarations(prog *ast.Program) {
	count := func(name string, n int) {
		if n > 0 {
			have.note("declaration", name)
		}
	}
	count("typedef", len(prog.Typedefs))
	count("define", len(prog.Defines))
	count("include", len(prog.Includes))
	count("import", len(prog.Imports))
	for _, m := range prog.Macros {
		have.note("declaration", m.Word())
	}
	count("probe", len(prog.Probes))
	for _, d := range prog.CTypes {
		have.note("declaration", d.Kind)
		for _, m := range d.Members {
			count("bitfield", m.Bits)
		}
	}
	for _, d := range prog.MapDecls {
		have.note("declaration", "map")
		have.note("declaration", d.Kind)
	}
	for _, s := range prog.Config {
		have.note("declaration", "config")
		have.note("setting", s.Key)
	}
}

func (have inventory) clause(cl *ast.Clause) {
	note := func(name string, is bool) {
		if is {
			have.note("clause", name)
		}
	}
	note("filter", cl.Filter != nil)
	note("several probes", len(cl.Probes) > 1)
	note("no action", cl.Body == nil)
	for _, ap := range cl.Probes {
		have.note("probe", ap.Provider)
		have.note("probe", ap.Written)
		note("label", ap.Label != "")
		note("alternatives", len(ap.Or) > 0)
		note("quoted part", strings.Contains(ap.Raw, `"`))
		note("parameter in a probe", strings.Contains(ap.Raw, "$"))
	}
	if cl.Filter != nil {
		ast.Walk(cl.Filter, have.node)
	}
	if cl.Body != nil {
		ast.Walk(cl.Body, have.node)
	}
}

func (have inventory) node(n ast.Node) bool {
	have.note("tree", kindOf(n))
	switch n := n.(type) {
	case *ast.Assign:
		have.note("assignment", n.Op)
		if id, ok := n.Target.(*ast.Ident); ok {
			have.note("assignment", id.Name+" =")
		}
	case *ast.Let:
		have.typeName(n.Type)
	case *ast.Binary:
		have.note("binary", n.Op)
	case *ast.Unary:
		have.note("unary", n.Op)
	case *ast.IncDec:
		if n.Prefix {
			have.note("unary", n.Op+"x")
		} else {
			have.note("unary", "x"+n.Op)
		}
	case *ast.Cond:
		if n.A == nil {
			have.note("unary", "?:")
		}
	case *ast.Field:
		if n.Arrow {
			have.note("unary", "->")
		}
	case *ast.Ident:
		have.name(n.Name)
	case *ast.Call:
		have.name(n.Name)
		have.format(n)
	case *ast.Cast:
		have.typeName(n.Type)
	case *ast.SizeOf:
		have.typeName(n.Type)
	case *ast.TypeArg:
		have.typeName(n.Type)
	}
	return true
}

// name notes a function or variable, under its own name and the one in the
// tables.
func (have inventory) name(name string) {
	if f, ok := builtin.FuncByName(name); ok {
		have.note("function", name)
		have.note("function", f.Name)
	} else if v, ok := builtin.VarByName(name); ok {
		have.note("variable", name)
		have.note("variable", v.Name)
	}
}

// format notes the conversions of a call that has a format.
func (have inventory) format(call *ast.Call) {
	f, ok := builtin.FuncByName(call.Name)
	if !ok || f.Arg(0) != builtin.Format || len(call.Args) == 0 {
		return
	}
	lit, ok := call.Args[0].(*ast.StringLit)
	if !ok {
		return
	}
	for _, m := range conversion.FindAllStringSubmatch(lit.Value, -1) {
		for _, flag := range m[1] {
			name := string(flag)
			if flag == ' ' {
				name = "space"
			}
			have.note("conversion", "flag "+name)
		}
		if m[2] != "" {
			have.note("conversion", "width")
		}
		if m[3] != "" {
			have.note("conversion", "precision")
		}
		have.note("conversion", m[4]+m[5])
	}
}

func (have inventory) typeName(t *ast.TypeExpr) {
	if t == nil {
		return
	}
	have.note("type", t.Name)
	have.note("type", t.Tag)
	for i, p := range t.Post {
		switch {
		case p.Pointer:
			have.note("type", "pointer")
			have.note("type", t.Name+"*")
		case i == 0 && slices.Contains([]string{"string", "buffer", "inet"}, t.Name):
			have.note("type", fmt.Sprintf("%s[N]", t.Name))
		case p.Len < 0:
			have.note("type", "array[]")
		default:
			have.note("type", "array")
		}
	}
}
