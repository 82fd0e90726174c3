package check

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"fst/compiler/builtin"
	"fst/compiler/types"
	"fst/lang/ast"
	"fst/lang/format"
)

// negated is the !a of !a == b, or nil. (!a) == b is meant as it is.
func negated(x *ast.Binary) *ast.Unary {
	if n, ok := x.X.(*ast.Unary); ok && n.Op == "!" && n.Span.Start == x.Span.Start {
		return n
	}
	return nil
}

// opposite are the comparisons that are true where others are false.
var opposite = map[string]string{"==": "!=", "!=": "==", "<": ">=", ">=": "<", ">": "<=", "<=": ">"}

// mirrored are the comparisons that mean the same with the sides exchanged.
var mirrored = map[string]string{"<": ">", ">": "<", "<=": ">=", ">=": "<=", "==": "==", "!=": "!="}

// negatedText reports !comm == "x": the ! belongs to the text alone.
func (u comparisons) negatedText(x *ast.Binary) bool {
	n := negated(x)
	if n == nil {
		return false
	}
	t := u.value(n.X)
	if t.Kind != types.String && !t.Kind.IsText() {
		return false
	}
	u.value(x.Y)
	u.errorf(x.Span, "! comes before %s, and a string is neither true nor false", x.Op).
		Hintf("write %s %s %s", format.Expr(n.X), opposite[x.Op], format.Expr(x.Y))
	return true
}

// negatedFirst warns of !a == 5, which compares true or false with a number.
func (u comparisons) negatedFirst(x *ast.Binary, ty *types.Type) bool {
	n := negated(x)
	c, constant := u.Consts[x.Y]
	if n == nil || ty.Kind == types.Bool || constant && c == 0 {
		return false
	}
	left, right := format.Expr(n.X), format.Expr(x.Y)
	u.warnf(x.Span, "! comes before %s: this compares !%s, which is 0 or 1, with %s", x.Op, left, right).
		Hintf("write %s %s %s", left, opposite[x.Op], right)
	return true
}

// comparedFirst warns of a & 4 == 4, which is a & (4 == 4).
func (u comparisons) comparedFirst(x *ast.Binary) {
	if x.Op != "&" && x.Op != "|" && x.Op != "^" {
		return
	}
	compares := func(x ast.Expr) *ast.Binary {
		if b, ok := x.(*ast.Binary); ok && opposite[b.Op] != "" {
			return b
		}
		return nil
	}
	a, b := compares(x.X), compares(x.Y)
	switch {
	case a != nil && b != nil:
	case b != nil && b.Span.End == x.Span.End:
		u.warnf(x.Span, "%s comes before %s: this is %s %s (%s)", b.Op, x.Op, format.Expr(x.X), x.Op, format.Expr(b)).
			Hintf("write (%s %s %s) %s %s", format.Expr(x.X), x.Op, format.Expr(b.X), b.Op, format.Expr(b.Y))
	case a != nil && a.Span.Start == x.Span.Start:
		u.warnf(x.Span, "%s comes before %s: this is (%s) %s %s", a.Op, x.Op, format.Expr(a), x.Op, format.Expr(x.Y)).
			Hintf("write %s %s (%s %s %s)", format.Expr(a.X), a.Op, format.Expr(a.Y), x.Op, format.Expr(x.Y))
	}
}

// positiveError warns of ret == ENOENT: what the kernel returns for an error is the
// negative number, and a call may well have read two bytes.
func (u comparisons) positiveError(x *ast.Binary) bool {
	if x.Op != "==" && x.Op != "!=" {
		return false
	}
	side, name := x.X, errorName(x.Y)
	if name == "" {
		side, name = x.Y, errorName(x.X)
	}
	if name == "" || !u.isResult(side) {
		return false
	}
	result := format.Expr(side)
	d := u.warnf(x.Span, "%s is -%s where a call fails so, not %s", result, name, name)
	if u.Provider == "syscall" || u.sysExit() {
		d.Hintf("write errno %s %s, or %s %s -%s", x.Op, name, result, x.Op, name)
	} else {
		d.Hintf("write %s %s -%s", result, x.Op, name)
	}
	return true
}

// errorName is the name of an error number, or empty.
func errorName(x ast.Expr) string {
	id, ok := x.(*ast.Ident)
	if !ok {
		return ""
	}
	n, known := builtin.Constants()[id.Name]
	if !known || !hasEnumerator(builtin.Enums()["errno"], n) || strings.Contains(id.Name, "_") || !strings.HasPrefix(id.Name, "E") || strings.HasPrefix(id.Name, "EPOLL") {
		return ""
	}
	return id.Name
}

// resultFields are what trace events call the result of a call.
var resultFields = []string{"ret", "retval", "error", "err"}

// isResult reports whether an expression is what a call in the kernel returned, as
// its probe or its trace event has it.
func (u comparisons) isResult(x ast.Expr) bool {
	switch x := x.(type) {
	case *ast.Cast:
		return u.isResult(x.X)
	case *ast.Ident:
		return Names(x, builtin.VarRet) || Names(x, builtin.VarRetval) && !u.IsUser()
	case *ast.Field:
		if !Names(x.X, builtin.VarArgs) || u.Provider != "tracepoint" && u.Provider != "rawtracepoint" {
			return false
		}
		return slices.Contains(resultFields, x.Name)
	}
	return false
}

// settledCompare warns of a comparison with a constant that always has the same
// result, whatever the other side is. Options and parameters are other
// constants at the next run.
func (u comparisons) settledCompare(x *ast.Binary, tx, ty *types.Type) {
	op, side, constant, t, ct := x.Op, x.X, x.Y, tx, ty
	if _, isConst := u.Consts[x.Y]; !isConst {
		op, side, constant, t, ct = mirrored[op], x.Y, x.X, ty, tx
	}
	c, isConst := u.Consts[constant]
	if !isConst {
		return
	}
	if _, both := u.Consts[side]; both || isGiven(constant) {
		return
	}
	if u.settledBits(x, op, side, c) {
		return
	}
	if Names(side, builtin.VarErrno) {
		if result := settled(op, c, 0, 1<<63-1); result != "" {
			u.warnf(x.Span, "this is %s true: errno is not negative", result).Hintf("it is the number of the error itself, or 0: errno == ENOENT, errno != 0")
		}
		return
	}
	if t.Kind == types.Bool && (c < 0 || c > 1) && (op == "==" || op == "!=") {
		u.warnf(x.Span, "this is %s true: bool is 0 or 1", ifUnequal(op)).Hintf("look at the value: print(x)")
		return
	}
	if t.Kind != types.Int || t == types.WeakInt || !isPlain(side) {
		return
	}
	if c < 0 && ct.Kind == types.Int && ct != types.WeakInt && !ct.Signed {
		return // such a number is a large one
	}
	if t.Size == 8 && (t.Signed || u.SignedCompare(x)) {
		return
	}
	low, high := rangeOf(t)
	result := settled(op, c, low, high)
	if result == "" {
		return
	}
	what := fmt.Sprintf("%s is never negative", types.Describe(t))
	if c >= high {
		what = fmt.Sprintf("%s is %s at most", types.Describe(t), strconv.FormatInt(high, 10))
	} else if t.Signed {
		what = fmt.Sprintf("%s is from %d to %d", types.Describe(t), low, high)
	}
	d := u.warnf(x.Span, "this is %s true: %s", result, what)
	if c <= 0 && !t.Signed {
		d.Hintf("cast it to have its sign: (int%d)x", t.Size*8)
	} else {
		d.Hintf("look at the number, or at the type: print(x)")
	}
}

// rangeOf are the smallest and the largest number of a type; of what is above those of int64 nothing is said.
func rangeOf(t *types.Type) (low, high int64) {
	switch bits := uint(t.Size) * 8; {
	case bits == 64:
		return 0, 1<<63 - 1
	case t.Signed:
		return -1 << (bits - 1), 1<<(bits-1) - 1
	default:
		return 0, 1<<bits - 1
	}
}

// settled is what a comparison with a constant always gives if the other side is from low to high, or empty. Of the
// largest of int64, which stands for all above it, nothing is said.
func settled(op string, c, low, high int64) string {
	top := high < 1<<63-1
	switch {
	case op == "==" && (c < low || top && c > high), op == "<" && c <= low, op == "<=" && c < low,
		top && (op == ">" && c >= high || op == ">=" && c > high):
		return "never"
	case op == "!=" && (c < low || top && c > high), op == ">=" && c <= low, op == ">" && c < low,
		top && (op == "<" && c > high || op == "<=" && c >= high):
		return "always"
	}
	return ""
}

// ifUnequal is how often == or != is true of two sides that are never equal.
func ifUnequal(op string) string {
	if op == "!=" {
		return "always"
	}
	return "never"
}

// settledBits warns of a comparison of x & 4 with a number that has other bits, and
// of x % 4 with one from 4 on.
func (u comparisons) settledBits(x *ast.Binary, op string, side ast.Expr, c int64) bool {
	b, ok := side.(*ast.Binary)
	if !ok || op != "==" && op != "!=" {
		return false
	}
	n, ok := u.Consts[b.Y]
	if !ok || n <= 0 || isGiven(b.Y) {
		return false
	}
	what := ""
	switch {
	case b.Op == "&" && c&^n != 0:
		what = "has no other bits than those of " + format.Expr(b.Y)
	case b.Op == "%" && (c >= n || c <= -n):
		what = "is less than " + format.Expr(b.Y)
	default:
		return false
	}
	u.warnf(x.Span, "this is %s true: %s %s", ifUnequal(op), format.Expr(b), what).Hintf("look at the value: print(%s)", format.Expr(b))
	return true
}

// isGiven reports whether a constant depends on what the command line gives.
func isGiven(x ast.Expr) bool {
	return ast.Any(x, func(n ast.Node) bool {
		call, ok := n.(*ast.Call)
		_, param := n.(*ast.Param)
		return param || ok && builtin.Does(call.Name, builtin.ReadsOptions)
	})
}

// isPlain reports whether an expression is a name, a member, an element or a cast,
// whose type is its own.
func isPlain(x ast.Expr) bool {
	switch x.(type) {
	case *ast.Ident, *ast.Field, *ast.Var, *ast.Index, *ast.Cast:
		return true
	}
	return false
}

// longText warns of comparing a short string, such as comm, with a text that
// has no room in it.
func (u comparisons) longText(x *ast.Binary, tx, ty *types.Type) {
	for _, side := range []struct {
		x, text ast.Expr
		t       *types.Type
	}{{x.X, x.Y, tx}, {x.Y, x.X, ty}} {
		text, ok := u.Strings[side.text]
		room := u.room(side.x, side.t)
		if _, lit := side.text.(*ast.StringLit); !ok || !lit || room == 0 || len(text) <= room {
			continue
		}
		u.warnf(side.text.Pos(), "this is %s true: the text has %d characters, and the other side at most %d", ifUnequal(x.Op), len(text), room).
			Hintf("longer texts are cut there: compare with %q", text[:room])
		return
	}
}

// pattern warns of a comparison with a text that looks like a pattern: a * in
// it is a letter like all others.
func (u comparisons) pattern(x *ast.Binary) {
	for _, side := range []struct{ x, text ast.Expr }{{x.X, x.Y}, {x.Y, x.X}} {
		lit, ok := side.text.(*ast.StringLit)
		if !ok || u.Strings[side.text] != lit.Value {
			continue
		}
		part := strings.Trim(lit.Value, "*")
		if part == "" || part == lit.Value {
			continue
		}
		yes, no := " == 0", ""
		if x.Op == "!=" {
			yes, no = " != 0", "!"
		}
		d := u.warnf(lit.Span, "== takes * as a letter, not as a pattern")
		d.Message = strings.Replace(d.Message, "==", x.Op, 1)
		if left := format.Expr(side.x); strings.HasPrefix(lit.Value, part) && !strings.Contains(part, "*") {
			d.Hintf("write strncmp(%s, %q, %d)%s for a string that begins with it", left, part, len(part), yes)
		} else {
			d.Hintf("write %sstrcontains(%s, %q) for a string that contains it", no, left, part)
		}
		return
	}
}

// room is how many characters a string of the kernel's can have, if its type
// says so, or 0.
func (u comparisons) room(x ast.Expr, t *types.Type) int {
	switch x := x.(type) {
	case *ast.Ident:
		if t.Kind == types.String && (Names(x, builtin.VarComm) || Names(x, builtin.VarPcomm)) {
			return t.Size - 1
		}
	case *ast.Field:
		// An array without a length is a text of the record's own: it is as long as it is.
		if raw := u.raw[x]; raw != nil && raw.Kind == types.Array && raw.Len > 0 {
			if strings.HasSuffix(x.Name, "comm") {
				return raw.Len - 1 // the kernel ends it
			}
			return raw.Len
		}
	}
	return 0
}
