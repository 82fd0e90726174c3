// Package compiler is the way of a program from its tree to an object, on one
// page: expand, check, lower, optimise, emit. It asks the kernel's facts of
// target.Target and opens nothing.
package compiler

import (
	"fmt"
	"io"

	"fst/compiler/check"
	"fst/compiler/emit"
	"fst/compiler/expand"
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
	StageTypes Stage = "types" // the checked program: probes, maps, variables
	StageIR    Stage = "ir"    // as lowered
	StageOpt   Stage = "opt"   // after optimisation
	StageASM   Stage = "asm"   // instructions for the kernel
)

// Options are those of the check, and where to dump.
type Options struct {
	check.Options
	// Dump, if set, is called with the text of each stage as it is reached.
	Dump func(stage Stage, program string, text string)
}

// Compile turns a parsed program into an object. It returns nil if diags has
// errors then; err tells of a fault of the compiler itself.
func Compile(set *source.Set, prog *ast.Program, opts Options, diags *diag.List) (*object.Object, error) {
	prog = expand.Expand(prog, diags)
	if diags.HasErrors() {
		return nil, nil
	}
	info := check.Check(prog, opts.Options, diags)
	if diags.HasErrors() {
		return nil, nil
	}
	if opts.Dump != nil {
		opts.Dump(StageTypes, "", describe(info))
	}
	low := lower.Lower(info, prog, set, diags)
	if diags.HasErrors() {
		return nil, nil
	}
	if err := finish(low, set, opts); err != nil {
		return nil, err
	}
	return low.Object, nil
}

// finish optimises and emits every program, and drops what none of them uses.
func finish(low *lower.Result, set *source.Set, opts Options) error {
	obj, t := low.Object, opts.Target
	eo := emit.Options{
		MapName:        func(i int32) string { return obj.Maps[i].Name },
		Scratch:        int32(low.Scratch),
		LossMap:        int32(obj.Loss),
		Atomics:        t.Has(target.Atomics),
		SignedDivision: t.Has(target.SignedDivision),
		Sources:        set,
	}
	scratch := 0
	for _, p := range low.Programs {
		if opts.Dump != nil {
			opts.Dump(StageIR, p.Object.Name, p.IR.String())
		}
		if err := opt.Run(p.IR, opt.Options{}); err != nil {
			return fmt.Errorf("optimising %s: %w", p.Object.Name, err)
		}
		if opts.Dump != nil {
			opts.Dump(StageOpt, p.Object.Name, p.IR.String())
		}
		eo.LossNested = p.Object.Clause*object.LossKinds + int(object.LossNested)
		res, err := emit.Emit(p.IR, eo)
		if err != nil {
			return fmt.Errorf("compiling %s: %w", p.Object.Name, err)
		}
		scratch = max(scratch, res.ScratchSize)
		p.Object.Insns, p.Object.SpanAt = res.Insns, res.SpanAt
		if opts.Dump != nil {
			opts.Dump(StageASM, p.Object.Name, fmt.Sprint(res.Insns))
		}
	}
	obj.Maps[low.Scratch].ValueSize = max(16, scratch)
	obj.Maps[low.Scratch].Unused = scratch == 0
	return nil
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
