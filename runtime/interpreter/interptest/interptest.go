// Package interptest runs scripts in the interpreter for tests of what comes before it, the
// checker and the lowerer among them: what a script prints says whether it was compiled
// right, on every machine and without rights.
//
//	if got := interptest.Run(t, `begin { print(1 + 2); }`).Out; got != "3\n" { ... }
//
// A package of the compiler uses it from tests of the package NAME_test.
package interptest

import (
	"bytes"
	"context"
	"errors"
	"testing"
	"time"

	"fst/compiler"
	"fst/compiler/check"
	"fst/compiler/ir"
	"fst/compiler/object"
	"fst/compiler/target"
	"fst/compiler/target/fixture"
	"fst/lang/diag"
	"fst/lang/parse"
	"fst/lang/source"
	"fst/runtime/action"
	"fst/runtime/clock"
	"fst/runtime/container"
	"fst/runtime/event"
	"fst/runtime/interpreter"
	"fst/runtime/naming"
	"fst/runtime/render"
	"fst/runtime/session"
	"fst/runtime/symbol"
	"fst/runtime/value"
)

// Result is what a script has done.
type Result struct {
	Out, Errs string // what it printed, and what was said about it
	Code      int    // of exit()
}

// Run compiles a script for the newest recorded kernel and runs its begin, interval and end
// clauses. What is refused, and a script that does not end, fails the test.
func Run(t testing.TB, text string) Result {
	t.Helper()
	k, err := fixture.Load(fixture.Names[len(fixture.Names)-1])
	if err != nil {
		t.Fatal(err)
	}
	obj, code, err := Compile(k, text)
	if err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	r, err := Object(obj, code)
	if err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	return r
}

// Compile compiles a script for a kernel, and returns the IR of its programs beside it. The
// error has all that the compiler and the interpreter refuse.
func Compile(k target.Target, text string) (*object.Object, []*ir.Program, error) {
	obj, code, diags, err := compile(check.Options{Target: interpreter.Target(k), Unsafe: true}, text)
	if err == nil && !diags.HasErrors() {
		interpreter.Check(obj, code, diags)
	}
	if diags.HasErrors() {
		err = diags.Err()
	}
	return obj, code, err
}

// CompileAny is Compile for scripts with probes that the interpreter does not have: see With.
func CompileAny(o check.Options, text string) (*object.Object, []*ir.Program, error) {
	obj, code, diags, err := compile(o, text)
	if diags.HasErrors() {
		err = diags.Err()
	}
	return obj, code, err
}

func compile(o check.Options, text string) (*object.Object, []*ir.Program, *diag.List, error) {
	var set source.Set
	var diags diag.List
	var code []*ir.Program
	tree := parse.Parse(set.Add("script", text), &diags)
	if diags.HasErrors() {
		return nil, nil, &diags, diags.Err()
	}
	obj, err := compiler.Compile(&set, tree, compiler.Options{Options: o, Verify: true, IR: &code}, &diags)
	return obj, code, &diags, err
}

// The most that a script may take.
const (
	mostSteps = 1e6 // of a program's run
	mostTime  = 20 * time.Second
)

// Object runs a compiled script.
func Object(obj *object.Object, code []*ir.Program) (Result, error) {
	return With(obj, code, interpreter.Options{})
}

// With is Object with events, and with memory and helpers for the programs that they run.
func With(obj *object.Object, code []*ir.Program, o interpreter.Options) (Result, error) {
	var out, errs bytes.Buffer
	o.MaxSteps = mostSteps
	b, err := interpreter.New(obj, code, o)
	if err != nil {
		return Result{}, err
	}
	sys := newSystem()
	text := render.NewText(&out, &errs, obj, render.Options{Quiet: true, Location: time.UTC})
	sink := sys.named(obj, &action.Runner{Next: text, Command: text.Command, MaxCat: obj.Config.MaxCatBytes, Stderr: &errs})
	s, err := session.New(obj, session.Options{Sink: sink, Backend: b})
	if err != nil {
		return Result{}, err
	}
	defer s.Close()
	sys.maps = s.Maps
	ctx, cancel := context.WithTimeout(context.Background(), mostTime)
	defer cancel()
	exit, err := s.Run(ctx)
	if err == nil && ctx.Err() != nil {
		err = errors.New("the script does not end")
	}
	return Result{out.String(), errs.String(), exit}, err
}

// system knows the names of users, and few others.
type system struct {
	symbol.Kernel
	*symbol.Processes
	symbol.Users
	symbol.Cgroups
	container.Names
	*clock.Clock
	maps *session.Maps // with stacks, or nil
}

func newSystem() *system {
	return &system{Clock: clock.New(), Processes: symbol.NewProcesses(nil, false)}
}

// Stack implements naming.System.
func (s *system) Stack(of value.Stack) []uint64 {
	if s.maps == nil || of.ID == 0 {
		return nil
	}
	frames, _ := s.maps.Stack(object.StackKey{Limit: of.Format.Limit, Tables: of.Format.Tables}, of.ID)
	return frames
}

func (s *system) named(obj *object.Object, sink event.Sink) event.Sink {
	return naming.NewStage(&naming.Namer{System: s, Object: obj, Plain: render.NewPlain}, sink)
}

// Named gives events the names of users, and few others, before a sink takes them.
func Named(obj *object.Object, sink event.Sink) event.Sink { return newSystem().named(obj, sink) }

// OtherProbe implements naming.System: no script has left anything.
func (*system) OtherProbe(uint64) (string, bool) { return "", false }
