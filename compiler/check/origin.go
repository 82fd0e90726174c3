package check

import (
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
