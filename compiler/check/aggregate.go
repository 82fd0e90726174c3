package check

import (
	"slices"
	"strings"

	"fst/compiler/builtin"
	"fst/compiler/types"
	"fst/lang/ast"
)

// aggregates are the aggregations that are assigned to maps.
type aggregates struct{ *unitChecker }

// aggregationCall is x, if it is a call of a function that maps count by, and that.
func aggregationCall(x ast.Expr) (*ast.Call, *builtin.Func) {
	if call, ok := x.(*ast.Call); ok {
		if f, known := builtin.FuncByName(call.Name); known && f.Aggregation != 0 {
			return call, f
		}
	}
	return nil, nil
}

// aggregation checks count() and its like where they may stand: directly on
// the right side of an assignment to a map.
func (u aggregates) aggregation(x *ast.Call, f *builtin.Func) *types.Type {
	if n := len(x.Args); n < f.Min || n > f.Max {
		u.calls.misused(x, f, "%s takes %s, but is given %s", x.Name, argCount(f.Min, f.Max), count(n))
		u.calls.args(x.Args)
		return invalid
	}
	argTypes, ok := u.calls.checkArgs(x, f)
	if !ok {
		return invalid
	}
	agg := types.Agg{}
	if f.Parameters != nil {
		var fault *builtin.Fault
		if agg, fault = f.Parameters(u.aggArgs(x, f, argTypes)); fault != nil {
			u.calls.fault(x, fault)
			return invalid
		}
		last := len(f.Words) - 1
		for i, a := range x.Args {
			if name := u.Strings[a]; f.Arg(i) == builtin.Literal && !slices.Contains(f.Words, name) {
				return wrong(suggest(u.errorf(a.Pos(), "%s has no function %q", x.Name, name).Hintf("use %s or %s", strings.Join(f.Words[:last], ", "), f.Words[last]), name, "", f.Words))
			}
		}
	}
	t := types.AggregationType(f.Aggregation, agg)
	if len(x.Args) > 0 {
		_, t.Agg.Divisor = u.Addend(x, t)
		u.rounded(x, t)
	}
	return t
}

// aggArgs are the arguments of a call as its type rule is given them.
func (u aggregates) aggArgs(x *ast.Call, f *builtin.Func, argTypes []*types.Type) builtin.AggArgs {
	args := builtin.AggArgs{Func: f, Types: argTypes, Setting: func(name string) string { return u.settings[name].Text }}
	stored := u.stored(x.Args[0], argTypes[0])
	args.Kept, args.Weak = types.Wide(stored), stored == types.WeakInt
	for _, a := range x.Args {
		args.Consts, args.Texts = append(args.Consts, u.Consts[a]), append(args.Texts, u.Strings[a])
	}
	return args
}
