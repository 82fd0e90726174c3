package check

import (
	"fmt"

	"fst/compiler/types"
	"fst/lang/ast"
	"fst/lang/diag"
)

// origin adds to a complaint about types where the operands that are variables
// and maps got theirs.
func (u *unitChecker) origin(d *diag.Diagnostic, operands ...ast.Node) *diag.Diagnostic {
	if u.quiet {
		return d
	}
	for _, x := range operands {
		switch x := x.(type) {
		case *ast.Var:
			if v := u.variables.find(x.Name); v != nil {
				if st := u.states[v]; st.at != nil && st.at.Pos() != x.Span {
					d.Notef(st.at.Pos(), "%s gets its type here", called(x.Name))
				}
			}
		case *ast.Map:
			if m := u.maps[x.Name]; m != nil && m.valueAt != nil {
				d.Notef(m.valueAt.Pos(), "@%s is given its type here", x.Name)
			}
		}
	}
	return d
}

// clash is how a value of type t may be turned into one of type want, or "".
func clash(want, t *types.Type) string {
	switch {
	case want.IsInteger() && (t.IsInteger() || t.Kind == types.Pointer), want.Kind == types.Pointer && (t.IsInteger() || t.Kind == types.Pointer):
		return "cast the value: (" + want.String() + ")x"
	case want.Kind == types.String && t.Kind == types.Pointer:
		return "str() reads the string at an address"
	}
	return ""
}

// asNumber is how a number may be had of a value that is none, or "".
func asNumber(t *types.Type) string {
	switch t.Kind {
	case types.Pointer:
		return "cast it: (uint64)x"
	case types.String:
		return "a string is no number; strlen(x) counts its characters"
	case types.Tuple:
		return "take one of its parts: x.0"
	case types.Record, types.Struct, types.Union:
		return "take one of its members: x.NAME"
	case types.Array:
		return "take one of its elements: x[0]"
	}
	return ""
}

// opHint is what to do about an operand that is no number.
func opHint(op string, t *types.Type) string {
	if t.Kind == types.String && op == "+" {
		return "str_concat(a, b) joins strings"
	}
	if t.Kind == types.String && op == "%" {
		return `printf("... %s ...", x) puts values into a text`
	}
	return asNumber(t)
}

func compareHint(a, b *types.Type) string {
	for _, t := range []*types.Type{a, b} {
		if t.Kind == types.Struct || t.Kind == types.Union {
			return "compare one of its members: x.NAME"
		}
	}
	if b.Kind == types.String {
		a, b = b, a
	}
	if a.Kind == types.String {
		switch {
		case b.Kind == types.Pointer:
			return "read the string: str(p) == \"...\""
		case b.IsInteger():
			return "put quotes round a string, and none round a number"
		case b.Kind.IsContainer():
			return "the name must be a constant: a text in quotes, or str($1)"
		case b.Kind == types.Username:
			return "compare uid with a number"
		case b.Kind == types.ProbeName:
			return "write a clause for each probe"
		case b.Kind == types.KSym, b.Kind == types.Func:
			return "names are looked up after the event; compare the address with kaddr(\"name\")"
		}
	}
	if a.Kind == types.Tuple && b.Kind == types.Tuple {
		return tupleHint(a, b)
	}
	return ""
}

// tupleHint says how two tuples differ.
func tupleHint(a, b *types.Type) string {
	fa, fb := a.Fields(), b.Fields()
	if len(fa) != len(fb) {
		return fmt.Sprintf("one has %s, the other %d", diag.Plural(len(fa), "part"), len(fb))
	}
	for i := range fa {
		if _, ok := types.Unify(fa[i].Type, fb[i].Type); !ok {
			return fmt.Sprintf("part .%d is %s here and %s there", i, types.Describe(fa[i].Type), types.Describe(fb[i].Type))
		}
	}
	return ""
}
