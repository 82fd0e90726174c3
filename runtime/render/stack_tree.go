package render

import (
	"slices"
	"strings"
)

// texts gives texts numbers, from 0 on.
type texts struct {
	all  []string
	byID map[string]int32
}

func (t *texts) number(text string) int32 {
	n, known := t.byID[text]
	if !known {
		if t.byID == nil {
			t.byID = map[string]int32{}
		}
		n = int32(len(t.all))
		t.all, t.byID[text] = append(t.all, text), n
	}
	return n
}

// stackTree has stacks whose outermost frames are the same in one place: a node for each frame, which
// comes after the one that called it. Node 0 is all.
type stackTree struct {
	names *texts
	nodes []stackNode
	byID  map[stackNode]int32
}

type stackNode struct{ above, name int32 }

// allFrames is the name of node 0, others that of frames that are merged.
const (
	allFrames = "all"
	others    = "(narrower frames)"
)

func newStackTree(names *texts) *stackTree {
	root := stackNode{-1, names.number(allFrames)}
	return &stackTree{names: names, nodes: []stackNode{root}, byID: map[stackNode]int32{root: 0}}
}

// below is the node of a frame with a name that another one called.
func (t *stackTree) below(above int32, name string) int32 {
	node := stackNode{above, t.names.number(name)}
	n, known := t.byID[node]
	if !known {
		n = int32(len(t.nodes))
		t.nodes, t.byID[node] = append(t.nodes, node), n
	}
	return n
}

// leaf is the node of the innermost frame of a folded line.
func (t *stackTree) leaf(line string) (n int32) {
	for frame := range strings.SplitSeq(line, ";") {
		n = t.below(n, frame)
	}
	return n
}

// weights are what all nodes weigh with what they called, given their own weights.
func weights(nodes []stackNode, own func(add func(node int32, weight uint64))) []uint64 {
	sums := make([]uint64, len(nodes))
	own(func(node int32, weight uint64) { sums[node] += weight })
	for i, n := range slices.Backward(nodes) {
		if i > 0 {
			sums[n.above] += sums[i]
		}
	}
	return sums
}
