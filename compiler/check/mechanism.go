package check

import (
	"slices"

	"fst/compiler/object"
	"fst/compiler/probe"
	"fst/compiler/target"
	"fst/compiler/types"
	"fst/lang/ast"
)

// Which mechanism sees a clause's kernel functions: a trampoline for each, or a link of
// kprobes for all.

// chooseMechanism turns trampolines into probes with a link where those see more, or
// are attached faster, and where the kernel does not let a trampoline load what the
// clause reads.
func (c *checker) chooseMechanism(cl *ast.Clause, use uses, points []probe.Point) {
	if c.t.Has(target.KprobeMulti) {
		if len(points) > manyTrampolines && !use.probeText {
			use.preferLink(points, func(*probe.Point) bool { return true })
		} else if c.t.Since(preempted) {
			use.preferLink(points, freeOfKind)
		}
	}
	c.avoidScalarPointers(cl, use, points)
}

// manyTrampolines is how many functions a pattern may match before one link for
// all of them is preferred to a trampoline each: the kernel takes some tens of
// milliseconds for each to attach it, and to detach it.
const manyTrampolines = 16

// linkKind is the kind of hook that sees what a trampoline's program sees, for all
// but what it knows by type; none for fexit: with arguments, which are gone then.
func (use uses) linkKind(p *probe.Point) (object.HookKind, bool) {
	switch {
	case use.typed || p.Hook.Program != 0:
	case p.Hook.Kind == object.HookFentry:
		return object.HookKprobe, true
	case p.Hook.Kind == object.HookFexit && (p.Provider == "call" || !use.args && !use.argN):
		return object.HookKretprobe, true
	}
	return p.Hook.Kind, false
}

// preferLink turns those trampolines into probes with a link for all of them that
// may be either.
func (use uses) preferLink(points []probe.Point, may func(*probe.Point) bool) {
	for i := range points {
		p := &points[i]
		if kind, ok := use.linkKind(p); ok && may(p) {
			p.Hook.Kind, p.Hook.Multi, p.Hook.BTFID = kind, !p.Hook.Several, 0
		}
	}
}

// preempted is the first version whose threads always may lose the CPU to others within
// a trampoline's program (there is no kernel without preemption any more), so that
// the kernel leaves out all that happens to those others there: with six threads
// on one CPU of 7.2 call: saw a sixth of the calls by fentry and fexit, and by a link
// of kprobes all. Such a link has no limit of threads within the function there.
// A call costs two thirds more by it (2.5 us instead of 1.5 in an emulated machine).
const preempted = 7 << 16

// freeOfKind reports whether a point may be of any kind that sees the same: what
// a script calls by a name of a kind is of that kind.
func freeOfKind(p *probe.Point) bool { return p.Provider == "call" || p.Either }

// intPointer and anyPointer are versions from which on a program on a trampoline may
// load arguments that point to integers (commit bb6728d75611), and to anything.
// anyPointer is the first of the matrix that does: 6.12 refuses const void *,
// pointers to pointers, enums and functions.
const (
	intPointer = 5<<16 | 17<<8
	anyPointer = 7<<16 | 2<<8
)

// avoidScalarPointers turns trampolines into probes where the clause reads an
// argument that points to what a program on a trampoline may not load here. Where
// no other probe sees the arguments, the default action goes without those.
func (c *checker) avoidScalarPointers(cl *ast.Clause, use uses, points []probe.Point) {
	for i := range points {
		p := &points[i]
		if p.Hook.Kind != object.HookFentry && p.Hook.Kind != object.HookFexit || p.Func == nil {
			continue
		}
		for _, a := range p.Func.Params {
			if scalarPointer(a, c.t.Since) && (use.wholeArgs || use.argsRead[a.Name]) && !c.t.Since(anyPointer) && !c.avoid(cl, use, p, a) {
				break
			}
		}
	}
}

// avoid sees to it that an argument is not loaded on a trampoline. It is false if
// that settles all arguments of the point.
func (c *checker) avoid(cl *ast.Clause, use uses, p *probe.Point, a target.Param) bool {
	kind, ok := use.linkKind(p)
	switch {
	case ok:
		p.Hook.Kind, p.Hook.BTFID = kind, 0
		return false
	case cl.Body == nil && p.Args != nil:
		fields := slices.DeleteFunc(slices.Clone(p.Args.Fields()), func(f types.Field) bool { return f.Name == a.Name })
		p.Args = types.NewStruct(p.Args.Kind, p.Args.Name, p.Args.Size, fields)
		return true
	}
	c.errorf(p.Hook.Span, "the argument %s can't be read here: it is %s, which this kernel does not let fentry programs read",
		a.Name, declared(a)).Hintf("call:%s reads it, and sees the result, too", p.Hook.Function)
	return false
}

// scalarPointer reports whether a parameter points to something that is neither a
// struct nor, as a plain void *, unknown, nor what else this version allows.
func scalarPointer(a target.Param, since func(version uint32) bool) bool {
	if a.Type.Kind != types.Pointer {
		return false
	}
	switch e := a.Type.Elem; {
	case e == nil || e.Kind == types.None:
		return a.Decl == nil || a.Decl() != "void *"
	case e.Kind == types.Struct || e.Kind == types.Union:
		return false
	case e.Kind == types.Int || e.Kind == types.Bool:
		return !since(intPointer)
	}
	return true
}

// declared is a parameter's type as its declaration spells it.
func declared(a target.Param) string {
	if a.Decl != nil {
		return a.Decl()
	}
	return types.Describe(a.Type)
}
