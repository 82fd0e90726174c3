package check

import (
	"regexp"
	"slices"

	"fst/compiler/object"
	"fst/compiler/target"
	"fst/compiler/types"
	"fst/lang/ast"
)

// Options are the facts of one run that a check needs besides the script.
type Options struct {
	Target target.Target
	Unsafe bool
	// Params are $1...: the words behind the script's name.
	Params []string
	// OpenParams is true where a script is checked without the words it is to
	// run with: those that are missing count as 1.
	OpenParams bool
	// Named are the --name=value words behind "--", for getopt().
	Named map[string]string
	// Flags are those of them that stand there without a value, which is
	// then "true".
	Flags map[string]bool
	// PID is the process of -p, or 0; CPID is the child of -c, or 0. What the
	// process NotPID does is left out; 0 leaves out nothing.
	PID    int
	CPID   int
	NotPID int
	// Follow has the clauses see only what the process of PID or CPID and those that it starts do.
	Follow bool
	// Generation, if not 0, has the clauses act only on CPUs whose byte of object.GateMapName it is.
	Generation uint8
	// Mode is "test" or "bench" to make nothing but those probes, begin and
	// end. Filter, if not nil, chooses among all probes but begin and end by
	// their full names.
	Mode   string
	Filter *regexp.Regexp
	// Env are the BPFTRACE_... variables of the environment, by full name;
	// they win over config blocks.
	Env map[string]string
	// Stamps puts the time and the CPU of each event that is shown into its record, for
	// outputs that tell them. It costs two calls of helpers and eight bytes an event.
	Stamps bool
	// Thorough warns of what does no harm, too.
	Thorough bool
	// Stored are the maps of the store that the script runs with, by their names with the @;
	// their spans are places of the same source.Set. nil if it has no store.
	Stored map[string]*object.Map
	// ProbeNames are the first of Object.ProbeNames, which values in Stored may be.
	ProbeNames []string
}

// OnlyPID is the process whose events alone are seen, or 0.
func (o Options) OnlyPID() int {
	if o.Follow {
		return 0
	}
	return o.PID
}

// Info is a checked program: tables beside the tree.
type Info struct {
	Units []*Unit
	// Unattached are the bodies that no program is made of: those of clauses without a place on this kernel,
	// and of functions that nothing calls.
	Unattached []*Unit
	Maps       []*Map // in the order of first use
	// ByName finds a map by its name without @.
	ByName map[string]*Map
	Config object.Config
	// ProbeText is true if the values of probe are texts.
	ProbeText bool
	Opts      Options
	// Declared are the declared probes that the script's clauses are on.
	Declared []*ast.Need
	// Getopts are what getopt() reads, in the order of the script.
	Getopts []Getopt
}

// Getopt is an option of the script.
type Getopt struct {
	Name    string
	Default string // as a script writes it
	Help    string
}

// Unit is one clause's body, checked for one context. A clause whose attach
// points see different args (or that uses `probe`) makes several units.
type Unit struct {
	// open: a type depends on a parameter that only a run has (OpenParams).
	open bool
	// operands has what was found of expressions, by operandsOf.
	operands map[*ast.Binary]operands

	Clause *ast.Clause
	Index  int // of the clause, for losses and order
	// Provider is the long lower-case name; "begin", "end" included.
	Provider string
	Hooks    []object.Hook // at least one; all of one kind
	// Filter and Body are the clause's, with macros expanded. Default is true
	// for a clause without an action; Body is then nil.
	Filter  ast.Expr
	Body    *ast.Block
	Default bool

	// Func is the probed function's signature if BTF or the system-call
	// table knows it, else nil.
	Func *target.Func
	// Args is the struct type of `args`: for a tracepoint its record (offsets
	// are into the context), otherwise one field of 8 bytes each per
	// parameter, at offset 8*i (its Type is the parameter's own type). nil if
	// unknown.
	Args *types.Type
	// Retval is the type of `retval`, nil if the provider has none.
	Retval *types.Type
	// USDT has the argument locations of a usdt hook.
	USDT []target.USDTArg
	// Took is true if the entry's time is needed (`took`), and EntryArgs
	// lists the names of args that must be kept from the entry: then the
	// unit is a paired probe and needs an entry half.
	Took      bool
	EntryArgs []string
	// UsesStack is true if kstack or ustack occurs (a raw tracepoint's kernel
	// stack starts with frames of its own, and costs more).
	UsesStack bool
	// UsesProbe is true if `probe` or the default action needs the hook's name.
	UsesProbe bool
	// UsesFunc is true if `func` occurs: where the kernel cannot tell the
	// function, hooks cannot share a program.
	UsesFunc bool

	// Syscalls are the numbers that is_syscall() compares with.
	Syscalls map[*ast.Call][]int

	// Types has the type of every expression; aggregation calls have their
	// aggregation kind.
	Types map[ast.Expr]*types.Type
	// Consts has the value of every integer, bool, enum or pointer
	// expression that folds to a constant.
	Consts map[ast.Expr]int64
	// Strings has the value of every constant string expression.
	Strings map[ast.Expr]string
	// Meaning has, for expressions that stand for another one, that one.
	Meaning map[ast.Expr]ast.Expr
	// Vars resolves each use of a $variable; uses in different scopes may be
	// different variables.
	Vars map[*ast.Var]*Var
}

// Walk calls visit for the nodes of the filter and the body, as ast.Walk does.
func (u *Unit) Walk(visit func(ast.Node) bool) {
	ast.Walk(u.Filter, visit)
	ast.Walk(u.Body, visit)
}

// IsUser reports whether the probe is of a program: registers are those of a process, and plain numbers its addresses.
func (u *Unit) IsUser() bool {
	return slices.Contains([]string{"uprobe", "uretprobe", "ucall", "usdt"}, u.Provider)
}

// Place is the variable (*Var) or the map (its name) that an expression names, or nil.
func (u *Unit) Place(x ast.Expr) any {
	switch x := x.(type) {
	case *ast.Var:
		if v := u.Vars[x]; v != nil {
			return v
		}
	case *ast.Map:
		return x.Name
	}
	return nil
}

// Var is a $variable of a unit.
type Var struct {
	Name string
	Type *types.Type // the widest of all assignments
}

// Map is a map of the script.
type Map struct {
	Name  string       // without @
	Key   *types.Type  // nil without keys; several keys are a tuple
	Value *types.Type  // an aggregation kind, or a plain type
	Decl  *ast.MapDecl // nil if not declared
	First ast.Node     // where it was first given a type
	// KeyByTID is true if every key of it is exactly `tid`.
	KeyByTID bool
}
