// Package opt makes IR programs smaller and faster.
//
// All passes work on registers that may be assigned several times. What they
// know of a register across blocks they know only if it is assigned once: its
// definition then dominates its uses (ir.Verify), and on any way from the
// definition to a use its operands, if assigned once too, are unchanged.
//
// It must not import anything of this project but ir.
package opt

import (
	"fmt"
	"slices"
	"sync"

	"fst/compiler/ir"
)

// Options change what Run does.
type Options struct {
	// Check verifies the program after each pass.
	Check bool
	// Only, if set, is the list of passes to run.
	Only []string
}

// pass is a step of the optimiser; run reports whether it changed anything. If
// not, it leaves the context as it was. Only a pass with flow changes where
// blocks lead.
type pass struct {
	name string
	run  func(*context) bool
	flow bool
}

// semantic are the passes on a program that says what it wants (see ir.OpGet): they find
// what is read once. All else is done once it is known how that is read.
var semantic = passes[:2]

// passes is the order of a round. Rounds repeat until nothing changes.
var passes = []pass{
	{"fold", fold, false},
	{"cse", cse, false},
	{"branches", branches, true},
	{"dead", dead, false},
	{"sink", sink, false},
}

// order says which passes must come before which, and why.
var order = []struct{ before, after, because string }{
	{"fold", "cse", "equal values are found by equal operands: copies and constants must be gone"},
	{"fold", "branches", "a branch on a constant is one only after folding"},
	{"cse", "dead", "what cse replaced is left behind as copies that nobody reads"},
	{"branches", "dead", "uses in blocks that are never reached keep values alive"},
	{"dead", "sink", "a use that is dead would hold a helper call in its place"},
}

// context is what a pass gets: one function of a program. All that is said of
// the function is made anew when a pass has changed it, in the memory that is
// there.
type context struct {
	prog *ir.Program
	f    *ir.Func
	main bool
	defs []int32     // how often each register is assigned
	def  []*ir.Instr // the only assignment of a register, if it is one
	cfg  ir.CFG
	// loops is whether the function may wait for something, acts whether it changes the
	// system, timed whether it may measure time: it waits, or reads a clock at several
	// places.
	loops, acts, timed bool

	// Memory of the passes, each for itself.
	known  knownValues
	values valueTable
	reads  readers
	blocks blockLists
	joins  []int32 // sink: where the uses of a register meet
	later  moved
}

var contexts = sync.Pool{New: func() any { return new(context) }}

// rounds limits the repetition; what it leaves undone is only slower code.
const rounds = 12

// Reads leaves out reads of memory and questions to the kernel whose answer is known.
func Reads(p *ir.Program, o Options) error { return run(p, o, semantic, severalReads) }

// severalReads reports whether a function reads memory at several places.
func severalReads(f *ir.Func) bool {
	n := 0
	for _, b := range f.Blocks {
		for i := range b.Instrs {
			if b.Instrs[i].Op == ir.OpRead {
				n++
			}
		}
	}
	return n > 1
}

// Run optimises p in place.
func Run(p *ir.Program, o Options) error {
	return run(p, o, passes, func(*ir.Func) bool { return true })
}

// run repeats passes on the functions that want them.
func run(p *ir.Program, o Options, passes []pass, wants func(*ir.Func) bool) error {
	if err := checkOrder(); err != nil {
		return err
	}
	c := contexts.Get().(*context)
	defer contexts.Put(c)
	c.prog = p
	for n, f := range p.Funcs {
		if !wants(f) {
			continue
		}
		c.f, c.main = f, n == 0
		fresh, flow := false, false // what is known of the function, and its CFG
		quiet := 0                  // passes in a row that changed nothing
		for i := 0; i < rounds*len(passes) && quiet < len(passes); i++ {
			pass := passes[i%len(passes)]
			quiet++
			if !wanted(o.Only, pass.name) {
				continue
			}
			if !flow {
				c.cfg.Reset(f)
			}
			if !fresh {
				c.assignments()
			}
			fresh, flow = true, true
			if !pass.run(c) {
				continue
			}
			fresh, flow, quiet = false, !pass.flow, 0
			if o.Check {
				if err := ir.Verify(p); err != nil {
					return fmt.Errorf("opt: after %s: %w", pass.name, err)
				}
			}
		}
		f.Number()
	}
	return nil
}

func wanted(only []string, name string) bool {
	for _, n := range only {
		if n == name {
			return true
		}
	}
	return len(only) == 0
}

// checkOrder verifies that passes keeps order.
var checkOrder = sync.OnceValue(func() error {
	at := map[string]int{}
	for i, p := range passes {
		at[p.name] = i + 1
	}
	for _, o := range order {
		if at[o.before] == 0 || at[o.after] == 0 || at[o.before] > at[o.after] {
			return fmt.Errorf("opt: pass %s must come before %s: %s", o.before, o.after, o.because)
		}
	}
	return nil
})

// assignments notes where registers are assigned, and whether time is measured.
func (c *context) assignments() {
	f := c.f
	c.loops = slices.ContainsFunc(c.cfg.Depth, func(depth int32) bool { return depth > 0 })
	c.acts, c.timed = false, false
	c.defs = f.CountDefs(c.defs)
	c.def = zeroed(c.def, f.NumRegs)
	clock := false
	for _, b := range f.Blocks {
		for i := range b.Instrs {
			in := &b.Instrs[i]
			if d := in.Dst; d != 0 && c.defs[d] == 1 {
				c.def[d] = in
			}
			does := in.Effects()
			c.loops = c.loops || does&ir.Runs != 0
			c.acts = c.acts || does&ir.Acts != 0
			c.timed = c.timed || clock && does&ir.Clock != 0
			clock = clock || does&ir.Clock != 0
		}
	}
	c.timed = c.timed || c.loops
}

// zeroed returns n zero elements, in the memory of s if it is enough.
func zeroed[T any](s []T, n int) []T {
	s = slices.Grow(s[:0], n)[:n]
	clear(s)
	return s
}

// once reports whether o always has the same value where it can be read: it is
// a constant or assigned once.
func (c *context) once(o ir.Operand) bool { return o.IsImm() || c.defs[o.Reg] == 1 }

// onceAll reports whether that is true of all operands of an instruction.
func (c *context) onceAll(in *ir.Instr) bool {
	for _, a := range in.Args {
		if !c.once(a) {
			return false
		}
	}
	return c.once(in.A) && c.once(in.B)
}

// isSteady reports whether the result of in is the same wherever its operands are: it is
// pure, or does not change in the function.
func (c *context) isSteady(in *ir.Instr) bool {
	return in.IsPure() || in.IsRepeatable() && !(c.timed && in.Does(ir.Clock)) || c.isContextLoad(in) || c.isSteadyRead(in)
}

// isSteadyRead reports whether in reads memory of others than the program, in a function that does not
// wait for a change of it.
func (c *context) isSteadyRead(in *ir.Instr) bool {
	return in.Op == ir.OpRead && in.Space != ir.SpaceOwn && !c.f.Aliased && !c.loops && !c.acts
}

// isContextLoad reports whether in reads the context of the program, which
// nothing changes.
func (c *context) isContextLoad(in *ir.Instr) bool {
	return in.Op == ir.OpLoad && c.main && len(c.f.Params) > 0 && in.A.Reg == c.f.Params[0] && c.defs[in.A.Reg] == 1
}
