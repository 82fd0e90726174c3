package check

import (
	"fmt"
	"strings"

	"fst/compiler/builtin"
	"fst/compiler/types"
	"fst/lang/ast"
)

// constRecord is a record of constants that an expression stands for: the
// settings, the description of a type.
type constRecord struct {
	u    *unitChecker
	x    ast.Expr
	rec  *ast.Record
	elem []*types.Type
}

func (u members) newConstRecord(x ast.Expr) *constRecord {
	return &constRecord{u: u.unitChecker, x: x, rec: &ast.Record{At: ast.At{Span: x.Pos()}}}
}

func (r *constRecord) add(name string, v ast.Expr, t *types.Type) {
	r.u.Types[v] = t
	r.rec.Names, r.rec.Values, r.elem = append(r.rec.Names, name), append(r.rec.Values, v), append(r.elem, t)
}

func (r *constRecord) number(name string, n int64, t *types.Type) {
	v := &ast.IntLit{At: r.rec.At, Value: uint64(n)}
	r.u.Consts[v] = n
	r.add(name, v, t)
}

func (r *constRecord) text(name, s string) {
	v := &ast.StringLit{At: r.rec.At, Value: s}
	r.u.Strings[v] = s
	r.add(name, v, types.StringType(len(s)+1))
}

// done makes the expression stand for the record, and gives its type.
func (r *constRecord) done() *types.Type {
	r.u.Meaning[r.x] = r.rec
	t := types.RecordType(r.rec.Names, r.elem)
	r.u.Types[r.rec] = t
	return t
}

// constMember makes a member of a record of constants a constant.
func (u members) constMember(x *ast.Field) {
	if rec, ok := u.Meaning[x.X].(*ast.Record); ok {
		for i, name := range rec.Names {
			if name == x.Name {
				u.copyConst(x, rec.Values[i])
			}
		}
	}
}

// typeInfo is typeinfo(x): what the script states of a type, a value or, for a
// map with keys, of its keys.
func typeInfo(u *unitChecker, x *ast.Call, f *builtin.Func) *types.Type {
	t := u.calls.infoOperand(x, f)
	if t.Kind == types.Invalid {
		return invalid
	}
	r := u.members.newConstRecord(x)
	r.number("btf_id", 0, types.U64)
	base, full := typeNames(t)
	r.text("base_type", base)
	r.text("full_type", full)
	return r.done()
}

func (u callRules) infoOperand(x *ast.Call, f *builtin.Func) *types.Type {
	switch a := x.Args[0].(type) {
	case *ast.TypeArg:
		return u.statedName(a.Type, u.arg(x, f, 0, a))
	case *ast.Map:
		m := u.access.operand(a)
		if m == nil {
			return invalid
		}
		if a.Keys != nil || m.m.Key == nil {
			u.access.place(m, a)
		}
		switch u.Types[a] = valueType(m); {
		case a.Keys == nil && m.m.Key != nil:
			u.Types[a] = m.m.Key
			return m.statedKey
		case m.m.Value == nil || m.stated == nil:
			return invalid
		case m.m.Value.Kind.IsAggregation():
			return m.m.Value
		}
		return m.stated
	}
	a := x.Args[0]
	if t := u.typeRefs.typeNamed(a); t != nil {
		u.Types[a] = t
		return t
	}
	return u.stated(a, u.arg(x, f, 0, a))
}

// typeNames are the class of a type and its name, as typeinfo tells them.
func typeNames(t *types.Type) (base, full string) {
	switch t.Kind {
	case types.Int, types.Enum:
		return "int", t.String()
	case types.String:
		return "string", t.String()
	case types.Buffer:
		return "buffer", fmt.Sprintf("buffer[%d]", t.Size)
	case types.Inet:
		return "inet", fmt.Sprintf("inet[%d]", t.Size)
	case types.Struct, types.Union:
		return "c_type", t.String()
	case types.KStack, types.UStack:
		return t.Kind.String(), fmt.Sprintf("%s_%s_%d", t.Kind, t.Stack.Mode, t.Stack.Limit)
	case types.Tuple, types.Record:
		parts := make([]string, len(t.Fields()))
		for i, f := range t.Fields() {
			_, parts[i] = typeNames(f.Type)
			if t.Kind == types.Record {
				parts[i] = "." + f.Name + " = " + parts[i]
			}
		}
		if t.Kind == types.Record {
			return "record", "record { " + strings.Join(parts, ", ") + " }"
		}
		return "tuple", "(" + strings.Join(parts, ",") + ")"
	case types.ProbeName, types.Syscall, types.Errno, types.SignalName:
		return "string", "string"
	case types.Array:
		if t.IsCharArray() {
			return "string", fmt.Sprintf("string[%d]", t.Size)
		}
		return "array", t.String()
	case types.Pointer, types.Bool:
		return t.Kind.String(), t.String()
	case types.MAC:
		return "mac_address", "mac_address"
	case types.Timestamp:
		return "timestamp", "timestamp"
	case types.Func:
		if t.User {
			return "usym_t", "usym_t"
		}
		return "ksym_t", "ksym_t"
	}
	base = strings.ReplaceAll(t.Kind.String(), " ", "_") + "_t"
	if r := t.Kind.Aggregation(); r != nil && r.HasSign && !t.Agg.Signed {
		return base, "u" + base
	}
	return base, base
}
