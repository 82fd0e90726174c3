package lower

import (
	"fmt"

	"fst/compiler/check"
	"fst/compiler/ir"
	"fst/compiler/ir/irbuild"
	"fst/compiler/object"
	"fst/compiler/types"
	"fst/lang/ast"
)

// fn builds one ir.Func of a program: the main function or a callback.
type fn struct {
	*lowerer
	irbuild.Builder
	u *check.Unit
	p *prog

	// The concerns of lowering. Each has the whole function at hand.
	access     mapAccess
	aggregates aggregates
	messages   messages
	texts      texts
	conditions conditions
	numbers    numbers
	values     values
	probed     probed
	calls      calls
	flow       flow
	frames     frames

	ctx  ir.Reg // the context
	exit *ir.Block
	// result is what the function returns from exit.
	result ir.Reg
	// failed has a bit for each place of readSites, set after a read of memory
	// failed there.
	failed    ir.Reg
	readSites []int // indexes in Object.Reads

	vars  map[*check.Var]*place
	first *ir.Block // where the statements begin, behind the filter
	depth int       // of statements that the present place is in
	loops []loop
	// inlines are the clauses that expansion has put in round the present
	// place, innermost last.
	inlines []inline
	// exits are where return leads from what is put in round the present
	// statement, innermost last; those that callbacks lie in are not theirs.
	exits []*ir.Block
	// capture is the base of captured variables, and parent what a callback
	// returns to.
	capture ir.Reg
	parent  *fn

	// threadValues are the values in task storage that the filter has looked
	// up: they are found for the whole body. inFilter is true while such a
	// part of the filter is compiled that every run of the body passes.
	threadValues map[*check.Map]ir.Reg
	inFilter     bool

	// typedNull is set while a pointer is worked out that a helper wants to know
	// the type of: where to go if a pointer on the way is null.
	typedNull *ir.Block

	// drainedHere is the map that the present statement shows as it was when it
	// was emptied, or nil.
	drainedHere *check.Map

	// ring is the record that is being filled, or 0.
	ring ir.Reg
}

// loop is where break and continue go.
type loop struct {
	brk, cont *ir.Block
}

// inline is a clause that is put into another.
type inline struct {
	node *ast.Inline
	// noted is the index in Object.Noted of its probe, or -1.
	noted int
}

// place is where a $variable lives: a register or memory.
type place struct {
	t    *types.Type
	reg  ir.Reg
	slot int32 // if reg is 0 and cap < 0
	cap  int32 // offset in the capture area, or -1
	far  bool  // cap is an offset in the area's far part
	kv   *kvRef
}

// kvRef is the (key, value) of a for-over-map body.
type kvRef struct {
	m          *check.Map
	key, value ir.Reg
	mapReg     ir.Reg
	kept       [2]*value // copies of the key and the value, see keepPair
}

func (l *lowerer) newFunc(u *check.Unit, p *prog, name string) *fn {
	f := &fn{lowerer: l, u: u, p: p, vars: map[*check.Var]*place{}, threadValues: map[*check.Map]ir.Reg{}}
	f.access, f.aggregates, f.messages, f.texts, f.conditions, f.numbers = mapAccess{f}, aggregates{f}, messages{f}, texts{f}, conditions{f}, numbers{f}
	f.values, f.probed, f.calls, f.flow, f.frames = values{f}, probed{f}, calls{f}, flow{f}, frames{f}
	f.Func = &ir.Func{Name: name, NumRegs: 1}
	p.ir.Funcs = append(p.ir.Funcs, f.Func)
	f.Cur = f.NewBlock()
	f.first = f.Cur
	f.exit = &ir.Block{}
	return f
}

// fault describes what earlier passes make sure does not happen: the compiler is
// wrong, not the script.
func (f *fn) fault(x ast.Node, what string) string {
	return fmt.Sprintf("lower: %s: %s", f.obj.Sources.Place(x.Pos()), what)
}

// start sets up what every function needs before its first statement.
func (f *fn) start() {
	f.result = f.Func.NewReg()
	// Programs on perf tracepoints return 1: 0 would hide the event from
	// everybody else's perf. The callbacks of loops return 0 to go on.
	ret := int64(0)
	if f.p.kind == object.ProgTracepoint && f.parent == nil {
		ret = 1
	}
	f.Set(f.result, ir.I(ret))
	f.failed = f.Func.NewReg()
	f.Func.Failed, f.Func.Aliased = f.failed, f.aliased
	f.Set(f.failed, ir.I(0))
}

// finish closes the function: the failed reads are counted on the way out.
func (f *fn) finish() {
	f.Jump(f.exit)
	f.exit.ID = len(f.Func.Blocks)
	f.Func.Blocks = append(f.Func.Blocks, f.exit)
	f.SetBlock(f.exit)
	f.countFailedReads()
	f.Cur.Term = ir.Term{Kind: ir.TermReturn, A: ir.R(f.result), Span: f.Span}
}

// at makes a node the place of what is emitted, until the function that it returns is called.
func (f *fn) at(n ast.Node) func() {
	old := f.Span
	f.Span = n.Pos()
	return func() { f.Span = old }
}

// clause is the index of the present clause in Object.Clauses.
func (f *fn) clause() int {
	if n := len(f.inlines); n > 0 {
		c := f.inlines[n-1].node.Clause
		i, ok := f.inlined[c]
		if !ok {
			i = len(f.obj.Clauses)
			f.inlined[c] = i
			f.obj.Clauses = append(f.obj.Clauses, c.Span)
		}
		return i
	}
	return f.u.Index
}

// loss counts something that was lost, for the present clause.
func (f *fn) loss(kind object.LossKind) { f.lossThen(kind, nil) }

// lossThen counts something that was lost. What first emits, if it is not nil,
// runs when it is the first of its kind in the clause (on two CPUs at once,
// either may take its own for the first).
//
// There is such code at every place where something can fail, and it hardly
// ever runs: it is short, rather than fast on many CPUs.
func (f *fn) lossThen(kind object.LossKind, first func()) {
	p := f.MapValue(f.obj.Loss, int32(8*(f.clause()*object.LossKinds+int(kind))))
	if first == nil {
		f.Emit(ir.Instr{Op: ir.OpAtomicAdd, A: ir.R(p), B: ir.I(1), Size: 8})
		return
	}
	n := f.Load(p, 0, 8, false)
	f.Emit(ir.Instr{Op: ir.OpAtomicAdd, A: ir.R(p), B: ir.I(1), Size: 8})
	f.If(ir.Eq, n, ir.I(0), func() { first() })
}

// probeRead copies size bytes from kernel or user memory to dst. The
// destination is zeroed if the read fails.
func (f *fn) probeRead(dst ir.Operand, size int, src ir.Operand, user bool) {
	f.readTo(dst, ir.I(int64(size)), src, user, false)
}

// readTo copies memory, or a text of at most size bytes, of the script's to dst.
func (f *fn) readTo(dst, size, src ir.Operand, isUser, text bool) {
	space := ir.SpaceAny
	if isUser {
		space = ir.SpaceUser
	}
	f.Emit(ir.Instr{Op: ir.OpReadMem, Space: space, Text: text, Bit: f.failure(isUser), Args: []ir.Operand{dst, size, src}})
}
