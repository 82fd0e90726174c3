package builtin

import (
	"fmt"

	"fst/compiler/object"
	"fst/compiler/target"
	"fst/compiler/types"
)

// Where is what a rule may ask of the probe that a built-in stands in, of the script and of the run.
type Where struct {
	Target   target.Target
	Provider string
	Hooks    []object.Hook // at least one; all of one kind
	// Blind is true in bodies without a place on this kernel: nothing is known of the probe.
	Blind bool
	// User is true in probes of user programs: addresses are theirs.
	User bool
	// Func is the signature of the probed function, Retval the type of its result; nil if they are not known.
	Func   *target.Func
	Retval *types.Type
	// Title is the name of the probe where there is one only. Named is true if such names are texts.
	Title string
	Named bool
	// Shared is true if functions of programs share a program, which finds their names by addresses.
	Shared         bool
	MaxStrlen      int
	CPID           int
	Unsafe, Follow bool
	// Struct finds a type of the script or the kernel, and NearSymbol a symbol of the probed program.
	Struct     func(tag, name string) (*types.Type, bool)
	NearSymbol func(name string) string
}

// Hook is the first hook.
func (w *Where) Hook() *object.Hook { return &w.Hooks[0] }

// Value is an argument as a rule sees it: it is right, and of the kind that the record says.
type Value struct {
	Type *types.Type
	// Declared is the type of what is read as a text: an array of characters. nil for all else.
	Declared *types.Type
	// Num is the value of a constant number, and Text that of a constant text.
	Num  *int64
	Text *string
	// Written is the text of a parameter, or of numbers that are written out.
	Written *string
	// Literal is true of a single number that is written out.
	Literal bool
	// Open is true of a parameter that only a run has.
	Open bool
	// Size is how many bytes the script says that the value has.
	Size int
	// Var and Word are a variable and the word in its parentheses.
	Var  *Var
	Word string
}

// memory is the type of what lies in memory.
func (v Value) memory() *types.Type {
	if v.Declared != nil {
		return v.Declared
	}
	return v.Type
}

// Call is a call of a function as its rule sees it.
type Call struct {
	*Where
	Func *Func
	Args []Value
}

// Result is what a rule finds: the type, and the value of a constant.
type Result struct {
	Type *types.Type // nil if there is none
	Num  *int64
	Text *string
	// Numbers are those of the system calls that is_syscall() compares with.
	Numbers []int
	// Open is true if the type depends on a parameter that only a run has.
	Open bool
	// Doubt is a warning.
	Doubt *Fault
}

func typed(t *types.Type) (Result, *Fault) { return Result{Type: t}, nil }

func number(t *types.Type, n int64) (Result, *Fault) { return Result{Type: t, Num: &n}, nil }

func truth(is bool) (Result, *Fault) {
	if is {
		return number(types.BoolType, 1)
	}
	return number(types.BoolType, 0)
}

// text is a constant text, which has room for that alone.
func text(s string) (Result, *Fault) {
	return Result{Type: types.StringType(len(s) + 1), Text: &s}, nil
}

// faulty is the result of what is wrong: its type is known all the same, or nil.
func faulty(t *types.Type, arg int, hint, format string, args ...any) (Result, *Fault) {
	return Result{Type: t}, &Fault{Arg: arg, Message: fmt.Sprintf(format, args...), Hint: hint}
}

// unfit is the result of a call with an argument that does not fit: the hint is how the function is called.
func (c *Call) unfit(t *types.Type, format string, args ...any) (Result, *Fault) {
	return faulty(t, WholeCall, c.Func.Signature+": "+c.Func.Help, format, args...)
}

// notInteger is the fault of an argument that must be an integer.
func notInteger(arg int, what string) (Result, *Fault) {
	return Result{}, &Fault{Arg: arg, Message: what + " must be an integer", Unfit: true}
}
