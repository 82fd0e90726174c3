// Package builtin describes the functions, variables and constants of the
// language, one record each. The checker, the documentation (fst doc) and the
// completion of the REPL all read these tables.
//
// What a rule must know of a call is in Call and Where: the package must not import the tree, the checker or
// anything that generates code. Of package ir it takes the names of facts.
package builtin

import (
	"slices"
	"sort"
	"strings"

	"fst/compiler/ir"
	"fst/compiler/types"
)

// ArgKind is what a function takes in one place.
type ArgKind uint8

const (
	Any       ArgKind = iota // a value of any type
	Integer                  // an integer, bool or enum
	Address                  // a pointer, or an integer that is an address
	FilePath                 // a struct path, or its address
	Task                     // a struct task_struct of the kernel, by pointer
	Text                     // a string
	Literal                  // a constant string
	Constant                 // a constant integer
	MapName                  // a map, named without keys
	MapEntry                 // a map, with its keys if it has some
	MapColumn                // a map, or a sum or quotient of maps, by user space
	Variable                 // a $variable
	Word                     // one of some bare words; see Words
	Format                   // a constant printf format; the arguments follow
	TypeName                 // a type, or an expression that has it
	Probe                    // an attach point, or a type and its member
)

var kindText = [...]string{
	Any: "a value", Integer: "an integer", Address: "a pointer or address", FilePath: "a pointer or address", Task: "a task", Text: "a string",
	Literal: "a constant string", Constant: "a constant integer", MapName: "a map", MapEntry: "a map or one of its entries", MapColumn: "a map",
	Variable: "a $variable", Word: "a word", Format: "a format string", TypeName: "a type", Probe: "a probe or type",
}

func (k ArgKind) String() string { return kindText[k] }

// TakesMap reports whether the argument is a map itself, not its value.
func (k ArgKind) TakesMap() bool { return k == MapName || k == MapEntry }

// Form is how a call is checked whose arguments are more than values of some kinds.
type Form uint8

const (
	Plain      Form = iota // by the kinds of the arguments, and the rule
	Formatted              // a format, and what it shows
	Failing                // a format of constants: an error
	Tabular                // a format that is a table's heading
	MapTable               // the same, of maps
	HeatMap                // a map of histograms
	Printing               // a value or a map
	Deleting               // a map and a key, or entries of maps
	KeyLookup              // a map and a key
	Finding                // a map, a key and a variable
	WholeMap               // a map
	Length                 // a map or a stack
	Signalling             // a signal by name or by number
	Assertion              // a condition and a message
	Testimony              // what counts the same as the probe
	Existence              // a probe, a type or a member
	Option                 // an option of the script
	Container              // a pointer, a type and a member
	NamedBits              // an enum and a number
	TypeInfo               // a type
)

// Func is a function.
type Func struct {
	Name    string
	Aliases []string
	// Family is the heading it is documented under.
	Family string
	// Signature is how it is called: "str(address[, length])".
	Signature string
	// Min and Max are the numbers of arguments; Max is -1 for any number.
	Min, Max int
	// Args are the kinds of the arguments; the last one stands for all further.
	Args []ArgKind
	// Words are what a Word argument may be.
	Words []string
	// Type is the result's type, nil if it depends on the arguments. Rule finds it, and what is wrong with a
	// call. If Form is not Plain, the checker knows both.
	Type *types.Type
	Rule func(*Call) (Result, *Fault)
	Form Form
	// In lists the providers in which it works; nil is all of them.
	In []string
	// Unsafe functions act on the system and need --unsafe.
	Unsafe bool
	// Static calls are worked out while compiling.
	Static bool
	// Aggregation is the kind of map value that it makes, or 0, and Parameters its type rule, nil if there
	// are no parameters.
	Aggregation types.Kind
	Parameters  func(args AggArgs) (types.Agg, *Fault)
	Effects     Effects
	// Picks is the comparison by which a function of this name picks one of two numbers in other languages.
	Picks string
	// NameOf is the argument whose name the result has where values are named, from 1,
	// or -1 for the last: str(args.path) is a path.
	NameOf int
	// Options are those of the command line that it reads.
	Options []string
	Help    string
	Example string
}

// Var is a built-in variable. It may be written with empty parentheses.
type Var struct {
	Name    string
	Aliases []string
	Family  string
	// Signature is set if it may be called with arguments.
	Signature string
	Max       int
	Args      []ArgKind
	Words     []string
	// Type is nil if it depends on the probe: then Rule finds it.
	Type    *types.Type
	Rule    func(*Var, *Where) (Result, *Fault)
	Unit    types.Unit // what it counts
	Effects Effects
	In      []string
	// A program gets the value by asking for Fact, of which it is a Part, or by reading Member of the task, by way of
	// other members: those that are pointers are followed. Without either lowering has code for it.
	Fact   ir.Fact
	Part   Part
	Member []string
	// Stack is the kind of a stack, and Tables tells that its frames are found by unwind tables.
	Stack  types.Kind
	Tables bool
	// Instead says what to use where it does not exist, or "".
	Instead func(provider, function string) string
	// NotText says what to write where this number is compared with a text, or "".
	NotText string
	Help    string
	Example string
}

// Part is which bits of a fact a variable is.
type Part uint8

const (
	Whole Part = iota
	Low        // the lower 32 bits
	High       // the higher 32 bits
)

// Arg is the kind of argument i.
func (f *Func) Arg(i int) ArgKind {
	if len(f.Args) == 0 {
		return Any
	}
	return f.Args[min(i, len(f.Args)-1)]
}

// Arg is the kind of argument i.
func (v *Var) Arg(i int) ArgKind {
	if len(v.Args) == 0 {
		return Any
	}
	return v.Args[min(i, len(v.Args)-1)]
}

// ValidIn reports whether f works in the probes of a provider.
func (f *Func) ValidIn(provider string) bool { return f.In == nil || slices.Contains(f.In, provider) }

// ValidIn reports whether v exists in the probes of a provider.
func (v *Var) ValidIn(provider string) bool { return v.In == nil || slices.Contains(v.In, provider) }

// Funcs and Vars are all functions and variables by family, in the order in
// which they are documented.
var (
	Funcs []*Func
	Vars  []*Var
)

// families are the headings of the documentation, in order.
var families = []string{"output", "maps", "aggregations", "strings", "addresses", "names", "compile time", "acting", "task", "time", "probe", "system"}

var (
	funcsByName = make(map[string]*Func, 100)
	varsByName  = make(map[string]*Var, 50)
)

// function enters a function into the tables.
func function(f Func) *Func {
	Funcs = append(Funcs, &f)
	for _, n := range append([]string{f.Name}, f.Aliases...) {
		funcsByName[n] = &f
	}
	return &f
}

// variable enters a variable into the tables.
func variable(v Var) *Var {
	Vars = append(Vars, &v)
	for _, n := range append([]string{v.Name}, v.Aliases...) {
		varsByName[n] = &v
	}
	return &v
}

func init() {
	slices.SortStableFunc(Funcs, func(a, b *Func) int { return slices.Index(families, a.Family) - slices.Index(families, b.Family) })
	slices.SortStableFunc(Vars, func(a, b *Var) int { return slices.Index(families, a.Family) - slices.Index(families, b.Family) })
}

// FuncByName finds a function by its name or an alias.
func FuncByName(name string) (*Func, bool) {
	f, ok := funcsByName[name]
	return f, ok
}

// VarByName finds a variable by its name or an alias; arg0 to arg127 all are
// the variable argN.
func VarByName(name string) (*Var, bool) {
	if v, ok := varsByName[name]; ok {
		return v, true
	}
	if _, ok := ArgNumber(name); ok {
		return varsByName["argN"], true
	}
	return nil, false
}

// IsWord reports whether a bare word means something as an argument of some
// function or variable only.
func IsWord(name string) bool {
	for i := range Funcs {
		if slices.Contains(Funcs[i].Words, name) {
			return true
		}
	}
	for i := range Vars {
		if slices.Contains(Vars[i].Words, name) {
			return true
		}
	}
	return false
}

// ArgNumber returns N of argN.
func ArgNumber(name string) (int, bool) {
	digits, ok := strings.CutPrefix(name, "arg")
	if !ok || len(digits) == 0 || len(digits) > 3 || len(digits) > 1 && digits[0] == '0' {
		return 0, false
	}
	n := 0
	for _, c := range digits {
		if c < '0' || c > '9' {
			return 0, false
		}
		n = n*10 + int(c-'0')
	}
	return n, n < 128
}

// FuncNames lists the names of all functions, sorted.
func FuncNames() []string { return sortedKeys(funcsByName) }

// VarNames lists the names of all variables, sorted.
func VarNames() []string {
	names := sortedKeys(varsByName)
	names = slices.DeleteFunc(names, func(s string) bool { return s == "argN" })
	return append(names, "arg0", "arg1", "arg2", "arg3", "arg4", "arg5")
}

func sortedKeys[V any](m map[string]V) []string {
	names := make([]string, 0, len(m))
	for n := range m {
		names = append(names, n)
	}
	sort.Strings(names)
	return names
}
