package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"regexp"
	"runtime/debug"
	"slices"
	"strings"
	"time"

	"fst/compiler"
	"fst/compiler/check"
	"fst/compiler/ir"
	"fst/compiler/legalize"
	"fst/compiler/object"
	"fst/compiler/target"
	"fst/lang/diag"
	"fst/lang/parse"
	"fst/lang/source"
	"fst/runtime/attach"
	"fst/runtime/interpreter/interptest"
	"fst/runtime/render"
	"fst/runtime/session"
)

// failure is a disagreement. Two failures of one kind and class are taken for
// the same while a program is made smaller.
type failure struct {
	kind   string // which judge: refused, panic, internal, verifier, optimiser, kernel, reference ...
	class  string // what the judge said, without what is a matter of the place
	detail string
}

func (f *failure) Error() string { return f.kind + ": " + f.detail }

// is reports whether two failures are of the same cause, as far as can be told.
func (f *failure) is(o *failure) bool {
	return f != nil && o != nil && f.kind == o.kind && f.class == o.class
}

var particular = regexp.MustCompile(`0x[0-9a-f]+|[0-9]+|[$@]\w+|"[^"]*"|'[^']*'`)

// class is a message without names and numbers.
func class(message string) string {
	line, _, _ := strings.Cut(strings.TrimSpace(message), "\n")
	return particular.ReplaceAllString(line, "_")
}

func fail(kind, detail string) *failure {
	return &failure{kind: kind, class: class(detail), detail: detail}
}

// compiled is a program with the IR of its parts before and after the
// optimiser.
type compiled struct {
	object    *object.Object
	ir, optIR []*ir.Program // in the order of object.Programs
}

// hangs is how long any pass may take.
const hangs = time.Minute

// guard runs f, which must return in time and not panic.
func guard(what string, f func() *failure) (found *failure) {
	done := make(chan *failure, 1)
	go func() {
		defer func() {
			if r := recover(); r != nil {
				found := fail("panic", fmt.Sprintf("%s: %v\n%s", what, r, debug.Stack()))
				found.class = where(debug.Stack())
				done <- found
			}
		}()
		done <- f()
	}()
	select {
	case found := <-done:
		return found
	case <-time.After(hangs):
		return fail("hang", what)
	}
}

// where is the function of this project that panicked.
func where(stack []byte) string {
	_, rest, _ := strings.Cut(string(stack), "panic(")
	for line := range strings.Lines(rest) {
		if strings.HasPrefix(line, "fst/") {
			name, _, _ := strings.Cut(line, "(0x")
			return strings.TrimSpace(name)
		}
	}
	return ""
}

// compile compiles a program for a kernel. What the checker refuses is a
// failure of kind "refused".
func compile(t target.Target, text string, keepIR bool) (c *compiled, found *failure) {
	found = guard("compiling", func() *failure {
		var set source.Set
		var diags diag.List
		tree := parse.Parse(set.Add("fuzz", text), &diags)
		if diags.HasErrors() {
			return refused(&set, &diags)
		}
		out := &compiled{}
		opts := compiler.Options{Options: check.Options{Target: t, Unsafe: true}}
		var bad *failure
		if keepIR {
			opts.Dump = func(stage compiler.Stage, name, text string) {
				if stage != compiler.StageIR && stage != compiler.StageOpt || bad != nil {
					return
				}
				p, err := ir.Parse(text)
				if err == nil {
					err = ir.Verify(p)
				}
				if err != nil {
					bad = fail("ir", fmt.Sprintf("%s of %s: %v\n%s", stage, name, err, text))
					return
				}
				legalize.Program(p, legalize.Options{})
				if stage == compiler.StageIR {
					out.ir = append(out.ir, p)
				} else {
					out.optIR = append(out.optIR, p)
				}
			}
		}
		obj, err := compiler.Compile(&set, tree, opts, &diags)
		switch {
		case bad != nil:
			return bad
		case err != nil:
			return fail("internal", err.Error())
		case diags.HasErrors():
			return refused(&set, &diags)
		case obj == nil:
			return fail("internal", "neither an object nor an error")
		}
		var maps []string
		for _, m := range obj.Maps {
			maps = append(maps, m.Name)
		}
		for _, p := range slices.Concat(out.ir, out.optIR) {
			p.Link(maps)
		}
		out.object = obj
		c = out
		return nil
	})
	return c, found
}

// refused makes a failure of a list of errors; each must have a text.
func refused(set *source.Set, diags *diag.List) *failure {
	diags.Sort(set)
	var b strings.Builder
	first := ""
	for _, d := range diags.All {
		if d.Severity != diag.Error {
			continue
		}
		if strings.TrimSpace(d.Message) == "" {
			return fail("internal", "an error without a text")
		}
		if first == "" {
			first = d.Message
		}
		at := set.Position(d.Span.Start)
		fmt.Fprintf(&b, "%d:%d: %s\n", at.Line, at.Col, d.Message)
	}
	return &failure{kind: "refused", class: class(first), detail: b.String()}
}

// output is what a run of a program said.
type output = interptest.Result

// runKernel runs a program in the kernel.
func runKernel(c *compiled, json bool) (*output, *failure) {
	var out, errs bytes.Buffer
	opts := render.Options{Quiet: true, Location: time.UTC}
	o := session.Options{Sink: interptest.Named(c.object, render.NewText(&out, &errs, c.object, opts))}
	if json {
		o.Sink = interptest.Named(c.object, render.NewJSON(&out, &errs, c.object, opts))
	}
	s, err := session.New(c.object, o)
	if err != nil {
		var ve *attach.VerifierError
		if errors.As(err, &ve) {
			return nil, fail("verifier", err.Error())
		}
		return nil, fail("load", err.Error())
	}
	ctx, cancel := context.WithTimeout(context.Background(), 20*time.Second)
	defer cancel()
	exit, err := s.Run(ctx)
	if err != nil {
		return nil, fail("run", err.Error())
	}
	if ctx.Err() != nil {
		return nil, fail("run", "the program does not end")
	}
	return &output{Out: out.String(), Errs: errs.String(), Code: exit}, nil
}

// judge compiles and runs a program in all ways; nil if all agree. bpftrace is
// asked about what is common to both languages.
func (f *fuzzer) judge(text string, common, asJSON bool) *failure {
	c, found := compile(f.live, text, true)
	if found != nil {
		return found
	}
	// First: a program that does not end is nothing for the verifier.
	want, found := interpreters(c)
	if found != nil || !f.root {
		return found
	}
	got, found := runKernel(c, false)
	if found != nil {
		return found
	}
	if found := inKernel(want, got); found != nil {
		return found
	}
	if !common || f.reference == nil {
		return nil
	}
	if asJSON {
		if got, found = runKernel(c, true); found != nil {
			return found
		}
	}
	return f.reference.judge(text, got, asJSON)
}

// interpreters compares the two interpretations with each other.
func interpreters(c *compiled) (*output, *failure) {
	plain, err := interptest.Object(c.object, c.ir)
	if err != nil {
		return nil, fail("interpreter", err.Error())
	}
	opt, err := interptest.Object(c.object, c.optIR)
	if err != nil {
		return nil, fail("interpreter", "optimised: "+err.Error())
	}
	if plain != opt {
		return nil, &failure{kind: "optimiser", detail: difference("as lowered", plain.Out+plain.Errs, "optimised", opt.Out+opt.Errs)}
	}
	return &opt, nil
}

// inKernel compares what the interpreter and the kernel did.
func inKernel(want, got *output) *failure {
	if want.Out == got.Out {
		return nil
	}
	return &failure{kind: "kernel", detail: difference("interpreted", want.Out, "in the kernel", got.Out)}
}

// difference shows the first lines in which two texts differ.
func difference(nameA, a, nameB, b string) string {
	la, lb := strings.Split(a, "\n"), strings.Split(b, "\n")
	i := 0
	for i < len(la) && i < len(lb) && la[i] == lb[i] {
		i++
	}
	part := func(l []string) string { return strings.Join(l[min(i, len(l)):min(i+4, len(l))], "\n\t") }
	return fmt.Sprintf("line %d:\n%s:\n\t%s\n%s:\n\t%s", i+1, nameA, part(la), nameB, part(lb))
}
