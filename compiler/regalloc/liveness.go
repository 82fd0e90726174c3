package regalloc

import "slices"

// liveness is what is alive at the end of each block of a function. It is found
// value by value, from its uses backwards to its settings, so that the work is
// that of writing the result down. The memory is used again.
type liveness struct {
	from []int32 // by block: where its values begin in alive; then the end
	list []Reg

	set, read chains  // by value: blocks that set it, blocks that read what others set
	seen      []int32 // by value: one more than the block in which it was last read,
	made      []int32 // or set
	far       []Reg   // values that some block needs from another one
	at        []there
	in, out   []int32 // by block: the last value, plus one, found alive at its begin, at its end
	sets      []int32 // by block: the last value, plus one, known to be set there
	work      []int32
	count     []int32 // by block: values of those that count, alive at its end
	crowd     int     // the most of them
}

// there says that a value is alive at the end of a block.
type there struct {
	block int32
	value Reg
}

// chains are lists of blocks by value.
type chains struct {
	first []int32 // by value: in links, or 0
	links []link
}

type link struct{ block, next int32 }

func (c *chains) reset(n int) {
	c.first = zeroed(c.first, n)
	c.links = append(c.links[:0], link{})
}

func (c *chains) add(value Reg, block int32) {
	c.links = append(c.links, link{block, c.first[value]})
	c.first[value] = int32(len(c.links) - 1)
}

// find computes the liveness of values below n. walk visits the instructions of
// a block in order, telling what each reads and then what it sets. It gives up
// once more than most of the values that count are alive at the end of a block.
func (l *liveness) find(n int, preds [][]int32, walk func(block int, read, set func(Reg)), counts []bool, most int) {
	l.count, l.crowd = zeroed(l.count, len(preds)), 0
	l.set.reset(n)
	l.read.reset(n)
	l.seen, l.made = zeroed(l.seen, n), zeroed(l.made, n)
	l.far, l.at = l.far[:0], l.at[:0]
	block := int32(0)
	read := func(v Reg) {
		if l.made[v] != block+1 && l.seen[v] != block+1 {
			if l.read.first[v] == 0 {
				l.far = append(l.far, v)
			}
			l.seen[v] = block + 1
			l.read.add(v, block)
		}
	}
	set := func(v Reg) {
		if l.made[v] != block+1 {
			l.made[v] = block + 1
			l.set.add(v, block)
		}
	}
	for b := range preds {
		block = int32(b)
		walk(b, read, set)
	}
	l.in, l.out, l.sets = zeroed(l.in, len(preds)), zeroed(l.out, len(preds)), zeroed(l.sets, len(preds))
	for _, v := range l.far {
		l.climb(v, preds, counts)
		if l.crowd > most {
			return
		}
	}
	l.sort(len(preds))
}

// climb finds the blocks at whose end v is alive.
func (l *liveness) climb(v Reg, preds [][]int32, counts []bool) {
	mark := int32(v) + 1
	for i := l.set.first[v]; i != 0; i = l.set.links[i].next {
		l.sets[l.set.links[i].block] = mark
	}
	work := l.work[:0]
	begin := func(b int32) {
		if l.in[b] != mark {
			l.in[b] = mark
			work = append(work, b)
		}
	}
	for i := l.read.first[v]; i != 0; i = l.read.links[i].next {
		begin(l.read.links[i].block)
	}
	for len(work) > 0 {
		b := work[len(work)-1]
		work = work[:len(work)-1]
		for _, p := range preds[b] {
			if l.out[p] == mark {
				continue
			}
			l.out[p] = mark
			l.at = append(l.at, there{p, v})
			if counts != nil && counts[v] {
				l.count[p]++
				l.crowd = max(l.crowd, int(l.count[p]))
			}
			if l.sets[p] != mark {
				begin(p)
			}
		}
	}
	l.work = work
}

// sort orders what was found by blocks.
func (l *liveness) sort(blocks int) {
	l.from = zeroed(l.from, blocks+2)
	for _, t := range l.at {
		l.from[t.block+2]++
	}
	for b := 1; b <= blocks; b++ {
		l.from[b+1] += l.from[b]
	}
	l.list = slices.Grow(l.list[:0], len(l.at))[:len(l.at)]
	for _, t := range l.at {
		l.list[l.from[t.block+1]] = t.value
		l.from[t.block+1]++
	}
}

// alive lists the values alive at the end of a block.
func (l *liveness) alive(block int) []Reg { return l.list[l.from[block]:l.from[block+1]] }
