package ir

import "slices"

// Successors returns the blocks that t may go to, none twice; nil is none.
func (t *Term) Successors() (then, other *Block) {
	switch t.Kind {
	case TermJump:
		return t.Then, nil
	case TermBranch:
		if t.Then == t.Else {
			return t.Then, nil
		}
		return t.Then, t.Else
	}
	return nil, nil
}

// Operands calls use for each operand that i reads, in a fixed order, with a
// pointer by which it can be replaced. Operands that the Op does not name are
// not visited.
func (i *Instr) Operands(use func(*Operand)) {
	switch shapes[i.Op].operands {
	case 2:
		use(&i.A)
		use(&i.B)
	case 1:
		use(&i.A)
	}
	if i.Op == OpCall || shapes[i.Op].args > 0 {
		for n := range i.Args {
			use(&i.Args[n])
		}
	}
}

// Operands calls use for each operand that t reads.
func (t *Term) Operands(use func(*Operand)) {
	switch t.Kind {
	case TermBranch:
		use(&t.A)
		use(&t.B)
	case TermReturn:
		use(&t.A)
	}
}

// HasDst reports whether i assigns a register.
func (i *Instr) HasDst() bool { return i.Dst != 0 }

// CFG is what the blocks of a function tell about its paths. It describes the
// function at the time of NewCFG, which numbers the blocks; changing where a
// Term goes or the numbers makes it stale.
type CFG struct {
	// Order has the blocks that can be reached, in reverse postorder: a
	// block comes after its dominators.
	Order []*Block
	index []int32 // by Block.ID: the place in Order, or -1
	// Preds are the predecessors of each block of Order, by index.
	Preds [][]int32
	// Succs are the successors.
	Succs [][]int32
	// IDom is the immediate dominator of each block; the entry's is 0.
	IDom []int32
	// Depth is how many loops hold the block.
	Depth []int32
	// Of the tree of dominators: the number of each block, parents first, and
	// one more than the largest number below it.
	pre, end []int32

	// What only the making needs, kept for the next time.
	stack []visit
	edge  []int32
	work  []int32
	// Of the tree of dominators: how deep each block is in it, and a shortcut upwards.
	height, up []int32
}

// visit is a block of the depth-first search and where it still leads.
type visit struct {
	b    *Block
	next [2]*Block
}

// NewCFG computes the CFG of f.
func NewCFG(f *Func) *CFG {
	c := &CFG{}
	c.Reset(f)
	return c
}

// Reset makes c the CFG of f, in the memory that it has. What was read of c
// before is overwritten.
func (c *CFG) Reset(f *Func) {
	c.Order = c.Order[:0]
	if len(f.Blocks) == 0 {
		return
	}
	f.Number()
	c.order(f)
	c.edges()
	c.dominators()
	c.number()
	c.loops()
}

// Index is the place in Order of b, or -1 if b can't be reached.
func (c *CFG) Index(b *Block) int { return int(c.index[b.ID]) }

// resize returns a slice of n elements whose content is undefined.
func resize[T any](s []T, n int) []T { return slices.Grow(s[:0], n)[:n] }

// edges fills Preds and Succs. All lists share one array.
func (c *CFG) edges() {
	n := len(c.Order)
	c.Preds, c.Succs = resize(c.Preds, n), resize(c.Succs, n)
	c.edge, c.work = resize(c.edge, 4*n), resize(c.work, n)
	succs, preds, counts := c.edge[:0:2*n], c.edge[2*n:], c.work
	clear(counts)
	for i, b := range c.Order {
		from := len(succs)
		then, other := b.Term.Successors()
		for _, t := range [2]*Block{then, other} {
			if t != nil {
				j := c.index[t.ID]
				succs = append(succs, j)
				counts[j]++
			}
		}
		c.Succs[i] = succs[from:len(succs):len(succs)]
	}
	at := int32(0)
	for j, count := range counts {
		c.Preds[j] = preds[at : at : at+count]
		at += count
	}
	for i, to := range c.Succs {
		for _, j := range to {
			c.Preds[j] = append(c.Preds[j], int32(i))
		}
	}
}

// order fills Order by depth-first search. Of a branch the side that only
// returns is visited first, so that it ends up last and the other side follows
// its predecessor.
func (c *CFG) order(f *Func) {
	const unseen, seen = -1, -2
	c.index = resize(c.index, len(f.Blocks))
	for i := range c.index {
		c.index[i] = unseen
	}
	c.Order = slices.Grow(c.Order, len(f.Blocks))
	stack := c.stack[:0]
	push := func(b *Block) {
		if b == nil || c.index[b.ID] != unseen {
			return
		}
		c.index[b.ID] = seen
		then, other := b.Term.Successors()
		if other != nil && then.Term.Kind != TermReturn {
			then, other = other, then
		}
		stack = append(stack, visit{b, [2]*Block{then, other}})
	}
	push(f.Blocks[0])
	for len(stack) > 0 {
		top := &stack[len(stack)-1]
		next := top.next[0]
		if next == nil {
			c.Order = append(c.Order, top.b)
			stack = stack[:len(stack)-1]
			continue
		}
		top.next = [2]*Block{top.next[1]}
		push(next)
	}
	c.stack = stack
	slices.Reverse(c.Order)
	for i, b := range c.Order {
		c.index[b.ID] = int32(i)
	}
}

// dominators uses the method of Cooper, Harvey and Kennedy, with shortcuts in the tree
// of dominators: an exit that many blocks jump to would have each of them climb
// all the way to its dominator.
func (c *CFG) dominators() {
	n := len(c.Order)
	c.IDom, c.height, c.up = resize(c.IDom, n), resize(c.height, n), resize(c.up, n)
	for i := range c.IDom {
		c.IDom[i] = -1
	}
	c.IDom[0], c.height[0], c.up[0] = 0, 0, 0
	first := true
	for changed := true; changed; first = false {
		changed = false
		for i := 1; i < n; i++ {
			d := int32(-1)
			for _, p := range c.Preds[i] {
				switch {
				case c.IDom[p] < 0:
				case d < 0:
					d = p
				case first || !changed:
					d = c.common(d, p)
				default: // the shortcuts may be wrong
					d = c.climb(d, p)
				}
			}
			if d == c.IDom[i] {
				continue
			}
			c.IDom[i], changed = d, true
			if first {
				c.shorten(int32(i))
			}
		}
		if changed && !first {
			for i := 1; i < n; i++ {
				c.shorten(int32(i))
			}
		}
	}
}

// shorten gives i a shortcut, to where its dominator's two shortcuts lead if those
// are equally long: so that any ancestor is a logarithm of steps away.
func (c *CFG) shorten(i int32) {
	d := c.IDom[i]
	c.height[i], c.up[i] = c.height[d]+1, d
	if u := c.up[d]; c.height[d]-c.height[u] == c.height[u]-c.height[c.up[u]] {
		c.up[i] = c.up[u]
	}
}

// number lets Dominates compare numbers.
func (c *CFG) number() {
	n := len(c.Order)
	c.pre, c.end, c.work = resize(c.pre, n), resize(c.end, n), resize(c.work, n)
	size, next := c.end, c.work // of the subtrees; the next number in each
	for i := range size {
		size[i] = 1
	}
	for i := n - 1; i > 0; i-- {
		size[c.IDom[i]] += size[i]
	}
	for i := range c.pre {
		c.pre[i] = 0
		if d := c.IDom[i]; i > 0 {
			c.pre[i] = next[d]
			next[d] += size[i]
		}
		next[i] = c.pre[i] + 1
		c.end[i] += c.pre[i]
	}
}

// common is the nearest block that dominates both a and b, by the shortcuts.
func (c *CFG) common(a, b int32) int32 {
	if c.height[a] < c.height[b] {
		a, b = b, a
	}
	for c.height[a] > c.height[b] {
		if u := c.up[a]; c.height[u] >= c.height[b] {
			a = u
		} else {
			a = c.IDom[a]
		}
	}
	for a != b {
		if c.up[a] != c.up[b] {
			a, b = c.up[a], c.up[b]
		} else {
			a, b = c.IDom[a], c.IDom[b]
		}
	}
	return a
}

// climb is common without shortcuts.
func (c *CFG) climb(a, b int32) int32 {
	for a != b {
		for a > b {
			a = c.IDom[a]
		}
		for b > a {
			b = c.IDom[b]
		}
	}
	return a
}

// Common returns the nearest block that dominates both a and b.
func (c *CFG) Common(a, b int) int {
	for !c.Dominates(a, b) {
		a = int(c.IDom[a])
	}
	return a
}

// Dominates reports whether every path to b passes through a.
func (c *CFG) Dominates(a, b int) bool { return c.pre[a] <= c.pre[b] && c.pre[b] < c.end[a] }

// loops fills Depth from the natural loop of each back edge; loops that share
// a head are one.
func (c *CFG) loops() {
	n := len(c.Order)
	c.Depth = resize(c.Depth, n)
	clear(c.Depth)
	var in []int32 // by block: the last head, plus one, whose loop was found to hold it
	for head := range int32(n) {
		work := c.work[:0]
		add := func(b int32) {
			if in[b] != head+1 {
				in[b] = head + 1
				c.Depth[b]++
				work = append(work, b)
			}
		}
		for _, p := range c.Preds[head] {
			// In reverse postorder only a back edge comes from behind.
			if p < head || !c.Dominates(int(head), int(p)) {
				continue
			}
			if in == nil {
				in = make([]int32, n)
			}
			if in[head] != head+1 {
				in[head] = head + 1
				c.Depth[head]++
			}
			add(p)
		}
		for len(work) > 0 {
			b := work[len(work)-1]
			work = work[:len(work)-1]
			for _, p := range c.Preds[b] {
				add(p)
			}
		}
		c.work = work[:0]
	}
}

// shape is what an Op looks like.
type shape struct {
	name     string
	operands int // of A, B
	dst      bool
	effects  Effects
	sized    bool // Size, and for some Signed
	memory   bool // A + Off
	mapped   bool // Map
	args     int  // of Args, but for those of OpCall
	more     int  // how many there may be besides
}

// shapes is indexed by Op.
var shapes = [...]shape{
	OpInvalid:    {name: "invalid", effects: anything},
	OpConst:      {name: "const", operands: 1, dst: true},
	OpCopy:       {name: "copy", operands: 1, dst: true},
	OpAdd:        {name: "add", operands: 2, dst: true},
	OpSub:        {name: "sub", operands: 2, dst: true},
	OpMul:        {name: "mul", operands: 2, dst: true},
	OpDiv:        {name: "div", operands: 2, dst: true},
	OpMod:        {name: "mod", operands: 2, dst: true},
	OpSDiv:       {name: "sdiv", operands: 2, dst: true},
	OpSMod:       {name: "smod", operands: 2, dst: true},
	OpAnd:        {name: "and", operands: 2, dst: true},
	OpOr:         {name: "or", operands: 2, dst: true},
	OpXor:        {name: "xor", operands: 2, dst: true},
	OpLsh:        {name: "lsh", operands: 2, dst: true},
	OpRsh:        {name: "rsh", operands: 2, dst: true},
	OpArsh:       {name: "arsh", operands: 2, dst: true},
	OpNeg:        {name: "neg", operands: 1, dst: true},
	OpSwap:       {name: "swap", operands: 1, dst: true, sized: true},
	OpExt:        {name: "ext", operands: 1, dst: true, sized: true},
	OpLoad:       {name: "load", operands: 1, dst: true, sized: true, memory: true, effects: ReadsMemory},
	OpStore:      {name: "store", operands: 2, sized: true, memory: true, effects: WritesMemory},
	OpAtomicAdd:  {name: "atomicadd", operands: 2, sized: true, memory: true, effects: ReadsMemory | WritesMemory},
	OpAtomicXchg: {name: "xchg", operands: 2, dst: true, sized: true, memory: true, effects: ReadsMemory | WritesMemory},
	OpMapPtr:     {name: "map", dst: true, mapped: true},
	OpMapValue:   {name: "mapvalue", dst: true, mapped: true},
	OpSlotAddr:   {name: "slot", dst: true},
	OpFuncAddr:   {name: "func", dst: true},
	OpCall:       {name: "call"},
	OpGet:        {name: "get", operands: 1, dst: true},
	OpRead:       {name: "read", operands: 1, dst: true, sized: true, effects: ReadsMemory | Number},
	OpReadMem:    {name: "readmem", args: 3, effects: ReadsMemory | WritesMemory | Number},

	OpMapTurn:      {name: "turn", operands: 1, dst: true, mapped: true, effects: ReadsMap},
	OpMapLookup:    {name: "lookup", operands: 1, args: 1, dst: true, mapped: true, effects: ReadsMemory | ReadsMap},
	OpMapLookupCPU: {name: "lookupcpu", operands: 1, args: 2, dst: true, mapped: true, effects: ReadsMemory | ReadsMap},
	OpMapUpdate:    {name: "update", operands: 1, args: 2, dst: true, mapped: true, effects: ReadsMemory | WritesMap},
	OpMapInsert:    {name: "insert", operands: 1, args: 2, dst: true, mapped: true, effects: ReadsMemory | WritesMap},
	OpMapDelete:    {name: "delete", operands: 1, args: 1, dst: true, mapped: true, effects: ReadsMemory | WritesMap},
	OpMapEach:      {name: "each", operands: 1, args: 2, dst: true, mapped: true, effects: Runs | ReadsMap},
	OpMapThread:    {name: "thread", operands: 1, args: 1, dst: true, mapped: true, effects: ReadsMap | WritesMap},

	OpReserve: {name: "reserve", operands: 1, dst: true, mapped: true, effects: Holds},
	OpSubmit:  {name: "submit", operands: 1, mapped: true, effects: Emits | ReadsMemory},
	OpStack:   {name: "stack", operands: 1, args: 3, dst: true, effects: ReadsMemory | WritesMemory},
	OpComm:    {name: "comm", args: 2, effects: WritesMemory},

	OpPath:         {name: "path", args: 3, dst: true, effects: ReadsMemory | WritesMemory},
	OpSocketCookie: {name: "socketcookie", args: 1, dst: true, effects: ReadsMemory},
	OpLoop:         {name: "loop", args: 3, dst: true, effects: Runs},
	OpWriteUser:    {name: "writeuser", args: 3, dst: true, effects: Acts | ReadsMemory | WritesMemory},
	OpSignal:       {name: "signal", args: 1, dst: true, effects: Acts},
	OpSignalThread: {name: "signalthread", args: 1, dst: true, effects: Acts},
	OpOverride:     {name: "override", args: 2, dst: true, effects: Acts},
	OpPrintFile:    {name: "printfile", operands: 1, args: 4, dst: true, effects: Emits | ReadsMemory},
	OpTrace:        {name: "trace", args: 2, more: 3, dst: true, effects: Emits | ReadsMemory},
}

// conds is indexed by Cond.
var conds = [...]string{Eq: "eq", Ne: "ne", ULt: "ult", ULe: "ule", UGt: "ugt", UGe: "uge",
	SLt: "slt", SLe: "sle", SGt: "sgt", SGe: "sge", Set: "set"}

// Invert returns the condition that holds when c does not. Set has none.
func (c Cond) Invert() (Cond, bool) {
	inverse := [...]Cond{Eq: Ne, Ne: Eq, ULt: UGe, UGe: ULt, ULe: UGt, UGt: ULe,
		SLt: SGe, SGe: SLt, SLe: SGt, SGt: SLe}
	if c == Set {
		return c, false
	}
	return inverse[c], true
}

// Swap returns the condition to use when A and B change places.
func (c Cond) Swap() Cond {
	switch c {
	case ULt:
		return UGt
	case ULe:
		return UGe
	case UGt:
		return ULt
	case UGe:
		return ULe
	case SLt:
		return SGt
	case SLe:
		return SGe
	case SGt:
		return SLt
	case SGe:
		return SLe
	}
	return c
}

// IsMemory reports whether op reads or writes at A + Off.
func (op Op) IsMemory() bool { return shapes[op].memory }
