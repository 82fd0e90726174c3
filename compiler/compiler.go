// Package compiler is the way of a program from its tree to an object, on one
// page: expand, check, lower, legalize, optimise, emit. It asks the kernel's facts of
// target.Target and opens nothing.
package compiler

import (
	"errors"
	"fmt"
	"io"
	"runtime"
	"runtime/debug"
	"slices"
	"sync"
	"sync/atomic"

	"fst/compiler/check"
	"fst/compiler/emit"
	"fst/compiler/expand"
	"fst/compiler/ir"
	"fst/compiler/legalize"
	"fst/compiler/lower"
	"fst/compiler/object"
	"fst/compiler/opt"
	"fst/compiler/target"
	"fst/lang/ast"
	"fst/lang/diag"
	"fst/lang/source"
)

// Stage is a point of the way at which Dump shows the program.
type Stage string

const (
	StageTypes   Stage = "types"   // the checked program: probes, maps, variables
	StageIR      Stage = "ir"      // as lowered: what is wanted
	StageMachine Stage = "machine" // how the kernel is asked for it
	StageOpt     Stage = "opt"     // after optimisation
	StageASM     Stage = "asm"     // instructions for the kernel
)

// Options are those of the check, and where to dump.
type Options struct {
	check.Options
	// Dump, if set, is called with the text of each stage as it is reached.
	Dump func(stage Stage, program string, text string)
	// Verify checks the work of each pass: faults of the compiler become
	// errors here instead of wrong programs.
	Verify bool
	// IR, if set, gets the optimised programs, in the order of Object.Programs: what an
	// interpreter runs.
	IR *[]*ir.Program
	// Step, if set, is called at the end of each step.
	Step func(name string)
}

// Compile turns a parsed program into an object. It returns nil if diags has
// errors then; err tells of a fault of the compiler itself.
func Compile(set *source.Set, prog *ast.Program, opts Options, diags *diag.List) (*object.Object, error) {
	step := opts.Step
	if step == nil {
		step = func(string) {}
	}
	prog = expanded(set, prog, opts.Options, diags)
	step("expand")
	info := check.Check(prog, opts.Options, diags)
	step("check")
	if diags.HasErrors() {
		return nil, nil
	}
	if opts.Dump != nil {
		opts.Dump(StageTypes, "", describe(info))
	}
	low := lower.Lower(info, prog, set, diags)
	step("lower")
	if diags.HasErrors() {
		return nil, nil
	}
	err := finish(low, set, opts, diags)
	step("emit")
	if err != nil || diags.HasErrors() {
		return nil, err
	}
	if opts.IR != nil {
		for _, p := range low.Programs {
			*opts.IR = append(*opts.IR, p.IR)
		}
	}
	return low.Object, nil
}

// Check expands and checks a program. The Info is complete only if diags has no
// errors.
func Check(set *source.Set, prog *ast.Program, opts check.Options, diags *diag.List) (*ast.Program, *check.Info) {
	prog = expanded(set, prog, opts, diags)
	return prog, check.Check(prog, opts, diags)
}

// expanded returns a program without macros. Where they are wrong it can still be
// checked, for the errors in all else.
func expanded(set *source.Set, prog *ast.Program, opts check.Options, diags *diag.List) *ast.Program {
	libs := &families{prelude: &macros{set: set, diags: diags}, loaded: map[string]*ast.Program{}}
	if opts.Follow {
		prog = libs.prelude.following(prog)
	} else {
		prog = libs.prelude.with(prog)
	}
	prog = expand.Expand(prog, expand.Options{Families: libs, Sources: set, PID: opts.OnlyPID(), Thorough: opts.Thorough}, diags)
	return expand.Reports(prog, opts.Named["interval"], diags)
}

// finish optimises and emits every program, and drops what none of them uses.
// Programs are independent of each other from here on.
func finish(low *lower.Result, set *source.Set, opts Options, diags *diag.List) error {
	jobs := min(runtime.GOMAXPROCS(0), len(low.Programs))
	if opts.Dump != nil {
		jobs = 1 // in order
	}
	var next atomic.Int64
	done, errs := make([]*emit.Result, len(low.Programs)), make([]error, len(low.Programs))
	var broken atomic.Value // what a pass panicked with: it goes on in our caller
	work := func() {
		defer func() {
			if r := recover(); r != nil {
				broken.Store(fmt.Sprintf("%v\n%s", r, debug.Stack()))
			}
		}()
		for {
			i := int(next.Add(1)) - 1
			if i >= len(low.Programs) {
				return
			}
			done[i], errs[i] = finishProgram(low, low.Programs[i], set, opts)
		}
	}
	var others sync.WaitGroup
	for range jobs - 1 {
		others.Go(work)
	}
	work()
	others.Wait()
	if r := broken.Load(); r != nil {
		panic(r)
	}
	faults := errs[:0]
	for i, err := range errs {
		var limit *emit.Limit
		if !errors.As(err, &limit) {
			faults = append(faults, err)
			continue
		}
		sp := limit.Span
		if !sp.IsValid() {
			sp = low.Programs[i].Object.Span
		}
		diags.Errorf(sp, "%s", limit.Message).Hint = limit.Hint
	}
	if err := errors.Join(faults...); err != nil {
		return err
	}
	small, large := 0, 0
	for i, res := range done {
		if res == nil {
			continue
		}
		if n := res.LargeScratchSize; n > object.MaxArrayValue {
			diags.Errorf(low.Programs[i].Object.Span, "this clause needs %d bytes of memory at once; the kernel gives %d", n, object.MaxArrayValue).
				Hintf("shorter texts need less: max_strlen in the config, or str(p, n); two clauses have twice as much")
		}
		small, large = max(small, res.ScratchSize), max(large, res.LargeScratchSize)
	}
	for id, size := range map[int]int{low.Scratch: small, low.LargeScratch: large} {
		m := low.Object.Maps[id]
		m.ValueSize, m.MaxEntries, m.Unused = size, emit.Nest, size == 0
	}
	return nil
}

// abi is what the machine's form of a program depends on.
func abi(t target.Target, obj *object.Object) (o legalize.Options) {
	o.RingSize = obj.Maps[obj.Ring].MaxEntries
	if ns, ok := t.(target.PIDNamespace); ok {
		o.Dev, o.Inode, o.Nested = ns.PIDNamespace()
	}
	return o
}

// finishProgram legalizes, optimises and emits one program.
func finishProgram(low *lower.Result, p *lower.Program, set *source.Set, opts Options) (*emit.Result, error) {
	dump := func(stage Stage, text func() string) {
		if opts.Dump != nil {
			opts.Dump(stage, p.Object.Name, text())
		}
	}
	dump(StageIR, p.IR.String)
	if err := opt.Reads(p.IR, opt.Options{Check: opts.Verify}); err != nil {
		return nil, fmt.Errorf("optimising the reads of %s: %w", p.Object.Name, err)
	}
	legalize.Program(p.IR, abi(opts.Target, low.Object))
	dump(StageMachine, p.IR.String)
	if err := opt.Run(p.IR, opt.Options{Check: opts.Verify}); err != nil {
		return nil, fmt.Errorf("optimising %s: %w", p.Object.Name, err)
	}
	dump(StageOpt, p.IR.String)
	obj, t := low.Object, opts.Target
	res, err := emit.Emit(p.IR, emit.Options{
		MapName:        func(i int32) string { return obj.Maps[i].Name },
		Scratch:        int32(low.Scratch),
		LargeScratch:   int32(low.LargeScratch),
		LossMap:        int32(obj.Loss),
		LossNested:     p.Object.Clause*object.LossKinds + int(object.LossNested),
		Atomics:        t.Has(target.Atomics),
		SignedDivision: t.Has(target.SignedDivision),
		Check:          opts.Verify,
	})
	if err != nil {
		return nil, fmt.Errorf("compiling %s: %w", p.Object.Name, err)
	}
	dump(StageASM, func() string { return res.Listing(set) })
	p.Object.Code, err = res.Code(func(name string) (int, bool) {
		i := slices.IndexFunc(obj.Maps, func(m *object.Map) bool { return m.Name == name })
		return i, i >= 0
	})
	return res, err
}

// DumpTo returns a Dump function that writes one stage.
func DumpTo(w io.Writer, want Stage) func(Stage, string, string) {
	return func(stage Stage, program, text string) {
		if stage != want {
			return
		}
		if program != "" {
			fmt.Fprintf(w, "; program %s\n", program)
		}
		fmt.Fprintln(w, text)
	}
}
