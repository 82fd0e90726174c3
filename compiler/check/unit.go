package check

import (
	"slices"
	"strconv"
	"strings"

	"fst/compiler/object"
	"fst/compiler/types"
	"fst/lang/ast"
)

// unitChecker checks one unit. It walks the unit's body once for each pass;
// the tables of the unit are made anew each time, the variables stay. It has the
// unit with its tables, errors, and what is known so far; the concerns have the rest.
type unitChecker struct {
	*checker
	*Unit

	// The concerns of checking. Each has the whole checker of the unit at hand.
	names       names
	arguments   arguments
	variables   variables
	members     members
	calls       callRules
	access      mapAccess
	aggregates  aggregates
	messages    messages
	casts       casts
	typeRefs    typeRefs
	operators   operators
	comparisons comparisons
	flow        flow
	warnings    warnings

	// vars are the unit's variables by the scope that owns them. Their types
	// grow from pass to pass.
	vars   map[varKey]*Var
	states map[*Var]*varState
	scope  *scope
	loops  int
	// inline is the innermost clause that expansion has put in, or nil.
	inline *ast.Inline

	// raw has the declared type of expressions that are read as strings:
	// arrays of char.
	raw map[ast.Expr]*types.Type
	// userMem marks expressions that lie in the memory of a process.
	userMem map[ast.Expr]bool
	entry   map[string]bool
	took    bool
	// unknown are the variables without a value that were reported.
	unknown map[string]bool
	// given are the names that were assigned so far, ofClause those that are
	// read behind the block that assigned them.
	given, ofClause map[string]bool
	// target is the assignment to a map whose value is checked, or nil.
	target *ast.Assign
	// wantText is an expression that stands where a text is wanted.
	wantText ast.Expr
	// misplaced is true within a call that is wrong: how it uses a map is not known.
	misplaced bool
	// blind is true if none of the clause's probes could be resolved: its body
	// is checked for errors of its own, but nothing is said about arguments.
	blind bool
}

// varKey names a variable: the scope that owns it and its name.
type varKey struct {
	owner ast.Node
	name  string
}

// varState is what a pass knows of a variable.
type varState struct {
	declared bool        // by let with a type: it does not widen
	room     int         // of a declared string
	unsized  bool        // declared string: as long as its longest value
	stated   *types.Type // of its values
	wrong    bool        // what it was given is wrong: nothing more is said of it
	at       ast.Node
}

// scope is a block and the variables that belong to it.
type scope struct {
	owner  ast.Node
	parent *scope
	names  map[string]*Var
}

func newUnitChecker(c *checker, u *Unit) *unitChecker {
	k := &unitChecker{checker: c, Unit: u, vars: map[varKey]*Var{}, states: map[*Var]*varState{}, ofClause: map[string]bool{}}
	k.names, k.arguments, k.variables, k.members = names{k}, arguments{k}, variables{k}, members{k}
	k.calls, k.access, k.aggregates, k.messages = callRules{k}, mapAccess{k}, aggregates{k}, messages{k}
	k.casts, k.typeRefs, k.operators, k.comparisons = casts{k}, typeRefs{k}, operators{k}, comparisons{k}
	k.flow, k.warnings = flow{k}, warnings{k}
	return k
}

// run walks the unit once.
func (u *unitChecker) run() {
	u.Types = map[ast.Expr]*types.Type{}
	u.Consts = map[ast.Expr]int64{}
	u.Strings = map[ast.Expr]string{}
	u.Meaning = map[ast.Expr]ast.Expr{}
	u.Vars = map[*ast.Var]*Var{}
	u.raw = map[ast.Expr]*types.Type{}
	u.userMem = map[ast.Expr]bool{}
	u.entry = map[string]bool{}
	u.unknown = map[string]bool{}
	u.given = map[string]bool{}
	u.took = false
	u.loops = 0
	u.scope = nil
	u.push(u.Clause)
	for _, st := range u.states {
		st.wrong = false
	}
	if u.Filter != nil {
		u.cond(u.Filter)
	}
	if u.Body != nil {
		u.flow.stmts(u.Body.Stmts)
		if u.Body.Value != nil {
			u.expr(u.Body.Value)
		}
	}
	u.pop()
	if u.Default && !u.blind {
		u.defaultAction()
	}
}

// defaultAction notes what printing the event needs.
func (u *unitChecker) defaultAction() {
	switch u.Provider {
	case "call", "ucall", "syscall":
		u.took = true
		if u.Hooks[0].Kind == object.HookFexit || u.Args == nil {
			return
		}
		for _, f := range u.Args.Fields() {
			if f.Type.IsScalar() {
				u.entry[f.Name] = true
			}
		}
	}
}

// finish fills in what only a whole walk tells.
func (u *unitChecker) finish() {
	u.warnings.unread()
	u.Took = u.took
	u.EntryArgs = nil
	if u.Func != nil {
		for _, p := range u.Func.Params {
			if u.entry[p.Name] {
				u.EntryArgs = append(u.EntryArgs, p.Name)
				delete(u.entry, p.Name)
			}
		}
	}
	for n := range 6 { // those that are read by their number
		if name := "arg" + strconv.Itoa(n); u.entry[name] {
			u.EntryArgs = append(u.EntryArgs, name)
		}
	}
	for v := range u.states {
		if v.Type == nil || v.Type.Kind == types.Invalid {
			v.Type = types.I64
		}
	}
}

func (u *unitChecker) push(owner ast.Node) {
	u.scope = &scope{owner: owner, parent: u.scope, names: map[string]*Var{}}
}

func (u *unitChecker) pop() { u.scope = u.scope.parent }

// sysExit reports whether the unit is on tracepoints of returns of system
// calls.
func (u *unitChecker) sysExit() bool {
	other := func(h object.Hook) bool { return h.Category != "syscalls" || !strings.HasPrefix(h.Event, "sys_exit_") }
	return u.Provider == "tracepoint" && !slices.ContainsFunc(u.Hooks, other)
}
