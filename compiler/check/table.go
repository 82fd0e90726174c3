package check

import (
	"math"
	"slices"
	"strings"

	"fst/compiler/builtin"
	"fst/compiler/object"
	"fst/compiler/types"
	"fst/lang/ast"
	"fst/lang/diag"
	"fst/lang/parse"
	"fst/lang/source"
)

// DefaultTop is how many rows a table has unless --top says otherwise.
const DefaultTop = 20

// row is printf with a name before each conversion.
func row(u *unitChecker, x *ast.Call, f *builtin.Func) *types.Type {
	u.noteOption(f.Options[0])
	printf(u, x, f)
	u.messages.columns(x)
	return types.NoneType
}

// columns checks the format of row and table and returns its columns.
func (u messages) columns(x *ast.Call) []object.Column {
	text, ok := u.Strings[x.Args[0]]
	if !ok {
		return nil
	}
	verbs, _ := object.ParseFormat(text)
	cols, bad := object.Columns(verbs)
	if bad != "" {
		u.errorf(x.Args[0].Pos(), "%s", bad).Hintf(`write the name of each column before its conversion: "PID %%-7d COMM %%s"`)
	}
	return cols
}

// TopRows is how many rows the word behind --top asks for, -1 if it is no such
// number.
func TopRows(word string) int {
	if n, _, ok := parse.Number(word); ok && n >= 0 {
		return int(min(n, math.MaxInt32))
	}
	return -1
}

// SortColumn is the index of the column that the word behind --sort names, in
// any case or as in JSON, or -1.
func SortColumn(cols []object.Column, word string) int {
	return slices.IndexFunc(cols, func(c object.Column) bool {
		return word != "" && (strings.EqualFold(c.Name, word) || strings.EqualFold(c.Key(), word))
	})
}

// sortOption looks for the column that --sort names. A script with several
// tables has it in one of them.
func (c *checker) sortOption(cols []object.Column) {
	if SortColumn(cols, c.opts.Named["sort"]) >= 0 {
		c.sorted = true
	}
	for _, col := range cols {
		if name := strings.ToLower(col.Name); !slices.Contains(c.sortable, name) {
			c.sortable = append(c.sortable, name)
		}
	}
}

// unsorted reports a --sort by what is no column of any table.
func (c *checker) unsorted() {
	word, given := c.opts.Named["sort"]
	if !given || c.sorted || c.sortable == nil {
		return
	}
	d := c.errorf(source.Span{}, "there is no column %q to sort by", word)
	if near := diag.Nearest(strings.ToLower(word), c.sortable); near != "" {
		d.Hintf("did you mean --sort %s? There are %s", near, strings.Join(c.sortable, ", "))
	} else {
		d.Hintf("--sort takes one of %s", strings.Join(c.sortable, ", "))
	}
}

// table is table(format, terms...).
func table(u *unitChecker, x *ast.Call, f *builtin.Func) *types.Type {
	u.noteOption("top")
	u.noteOption("sort")
	if n, given := u.opts.Named["top"]; given && TopRows(n) < 0 {
		u.wrongOption("top", "the option --top is %q, but must be a number", n).Hintf("--top=20; 0 shows all")
	}
	if t := u.expr(x.Args[0]); t.Kind == types.Invalid {
		return types.NoneType
	}
	if _, ok := u.Strings[x.Args[0]]; !ok {
		u.errorf(x.Args[0].Pos(), "the format of table must be a constant string").Hintf("%s", f.Signature)
		return types.NoneType
	}
	var first *mapState
	var firstAt *ast.Map
	terms := x.Args[1:]
	for _, a := range terms {
		for _, mx := range u.messages.tableTerm(a, f) {
			m := u.access.operand(mx)
			if m == nil {
				continue
			}
			if first == nil {
				first, firstAt = m, mx
			} else if !u.quiet && !first.unsure && !m.unsure && !sameKey(first.m.Key, m.m.Key) {
				u.errorf(mx.Span, "@%s and @%s have different keys", mx.Name, first.m.Name).Notef(firstAt.Span, "@%s is here", first.m.Name).
					Hintf("a table has a row for each key that its maps have in common")
			}
			if k := valueType(m).Kind; !u.quiet && k.IsChart() && (!k.Has(types.Totals) || a != ast.Expr(mx)) {
				u.errorf(mx.Span, "@%s is printed as a chart, which does not fit in a column", mx.Name).Hintf("print it by itself")
			}
		}
	}
	cols := u.messages.columns(x)
	u.sortOption(cols)
	if first == nil || first.unsure || u.quiet || cols == nil {
		return types.NoneType
	}
	keys := keyColumns(first.m.Key)
	if len(cols) != keys+len(terms) {
		u.errorf(x.Args[0].Pos(), "the format has %s for %s of the key and %s", diag.Plural(len(cols), "column"),
			diag.Plural(keys, "part"), diag.Plural(len(terms), "value")).Hintf("name the parts of the key first, then the values")
	}
	return types.NoneType
}

// heat is heat(@m, "unit").
func heat(u *unitChecker, x *ast.Call, f *builtin.Func) *types.Type {
	m, mx := u.access.mapArg(x, f, 0)
	if m != nil && m.m.Value != nil && !m.unsure && !u.quiet {
		if k := m.m.Value.Kind; !k.Has(types.Buckets) && !k.Has(types.Quantiles) {
			u.errorf(mx.Span, "@%s holds no histograms", mx.Name).Hintf("a heat map shows what hist(), lhist() and quantile() count")
		}
	}
	for i, a := range x.Args[1:] {
		u.calls.arg(x, f, i+1, a)
	}
	return types.NoneType
}

// keyColumns is how many columns a key fills.
func keyColumns(key *types.Type) int {
	switch {
	case key == nil:
		return 0
	case key.Kind == types.Tuple:
		return len(key.Fields())
	}
	return 1
}

func sameKey(a, b *types.Type) bool {
	return a == b || a != nil && b != nil && a.String() == b.String() && a.Size == b.Size
}

// tableTerm checks the form of a column's value and returns the maps in it.
func (u messages) tableTerm(x ast.Expr, f *builtin.Func) []*ast.Map {
	switch x := x.(type) {
	case *ast.Map:
		if x.Keys == nil {
			return []*ast.Map{x}
		}
	case *ast.Binary:
		switch x.Op {
		case "+", "-", "*", "/", "%":
			u.Types[x] = types.I64
			return append(u.tableTerm(x.X, f), u.tableTerm(x.Y, f)...)
		}
	default:
		if t := u.value(x); t.Kind == types.Invalid || t.IsInteger() && u.isConst(x) {
			return nil
		}
	}
	u.errorf(x.Pos(), "a column of a table can only contain whole maps and constants").Hintf("%s", f.Signature)
	return nil
}
