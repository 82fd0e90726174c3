package render

import (
	"fmt"
	"slices"
	"strings"

	"fst/compiler/object"
	"fst/lang/source"
	"fst/runtime/event"
)

// tooManyCalls is why the entry of a paired probe could not leave anything for the
// return: its map is full, or task storage got no memory.
const tooManyCalls = "too many others were in progress, or the kernel could not allocate memory"

// lossWords are the reasons, for one and for many: what follows the count.
var lossWords = map[object.LossKind][2]string{
	object.LossRingFull: {"event was dropped: the buffer was full because events came faster than they could be printed", "events were dropped: the buffer was full because events came faster than they could be printed"},
	object.LossMapFull:  {"new key was not stored: its map was full", "new keys were not stored: their map was full"},
	object.LossMissed:   {"call was not seen: " + tooManyCalls, "calls were not seen: " + tooManyCalls},
	object.LossReadFailed: {"read of memory failed; 0 was used instead: the pointer was null or invalid, or the memory was not loaded",
		"reads of memory failed; 0 was used instead: the pointers were null or invalid, or the memory was not loaded"},
	object.LossOutside:  {"index was outside of its array; 0 was used as the element", "indexes were outside of their array; 0 was used as the element"},
	object.LossNested:   {"event was skipped: probes interrupted each other on its CPU", "events were skipped: probes interrupted each other on one CPU"},
	object.LossDivision: {"division by zero; 1 was used as the result", "divisions by zero; 1 was used as the result"},
	object.LossStack:    {"stack could not be recorded", "stacks could not be recorded"},
	object.LossUnwind:   {"user stack ends early, at a frame that could not be followed", "user stacks end early, at a frame that could not be followed"},
	object.LossReturn:   {"return was not seen: too many threads were in the function at once, or probes interrupted each other", "returns were not seen: too many threads were in the function at once, or probes interrupted each other"},
	object.LossLoop:     {"loop was left out or cut short: it has more turns, or loops within it have together, than a program may take, 8388608", "loops were left out or cut short: they have more turns, or loops within them have together, than a program may take, 8388608"},
	object.LossOther:    {"event was not handled completely", "events were not handled completely"},
}

// userReadWords are those for failed reads of what is known to be a process'.
var userReadWords = [2]string{
	"read of the process' memory failed; 0 was used instead: the memory was not loaded, or the pointer was null, invalid or a kernel pointer (kptr)",
	"reads of the process' memory failed; 0 was used instead: the memory was not loaded, or the pointers were null, invalid or kernel pointers (kptr)",
}

// lossNames are the kinds in JSON.
var lossNames = map[object.LossKind]string{
	object.LossRingFull: "ring_full", object.LossMapFull: "map_full", object.LossMissed: "missed",
	object.LossReadFailed: "read_failed", object.LossOutside: "outside", object.LossNested: "nested", object.LossDivision: "division",
	object.LossStack: "stack", object.LossUnwind: "unwind", object.LossReturn: "return", object.LossLoop: "loop", object.LossOther: "other",
}

// LossName is a kind of loss as JSON has it.
func LossName(kind object.LossKind) string {
	if name, ok := lossNames[kind]; ok {
		return name
	}
	return lossNames[object.LossOther]
}

// notes are what is said about a script: where something went wrong, and what was lost.
type notes struct {
	obj *object.Object
	// news are the run-time errors that were shown, told their numbers.
	news map[*object.Message]bool
	told map[object.Loss]uint64
}

// lossText is "12 events were lost: ...", with what can be done about it.
func (n *notes) lossText(what object.Loss, count uint64) string {
	words, ok := lossWords[what.Kind]
	switch {
	case what.Kind == object.LossReadFailed && what.User:
		words = userReadWords
	case !ok:
		words = lossWords[object.LossOther]
	}
	text := words[1]
	if count == 1 {
		text = words[0]
	}
	if what.Kind == object.LossMapFull && n.obj.Config.MaxMapKeys > 0 {
		text += " (" + n.roomOfMaps() + ")"
		if slices.ContainsFunc(n.obj.Maps, func(m *object.Map) bool { return m.NoPrealloc }) {
			text += ", or the kernel could not allocate memory"
		}
	}
	return fmt.Sprintf("%d %s", count, text)
}

// roomOfMaps says how many keys the script's maps hold: those that are declared
// with a number, and all others.
func (n *notes) roomOfMaps() string {
	var declared []string
	others := false
	for _, m := range n.obj.Maps {
		switch {
		case !m.Script || m.Key == nil || m.Unused:
		case m.MaxEntries != n.obj.Config.MaxMapKeys:
			declared = append(declared, fmt.Sprintf("%s holds %d", m.Name, m.MaxEntries))
		default:
			others = true
		}
	}
	if others || declared == nil {
		declared = append(declared, fmt.Sprintf("max_map_keys is %d", n.obj.Config.MaxMapKeys))
	}
	return strings.Join(declared, ", ")
}

// isNews reports whether a MsgRuntimeError is the first from its place: each
// CPU tells of its own first.
func (n *notes) isNews(m *object.Message, record []byte) bool {
	if n.news[m] {
		return false
	}
	if n.news == nil {
		n.news, n.told = map[*object.Message]bool{}, map[object.Loss]uint64{}
	}
	n.news[m] = true
	if len(m.Fields) > 0 {
		n.told[object.Loss{Clause: m.Clause, Kind: object.LossKind(event.Field(&m.Fields[0], record).Int())}]++
	}
	return true
}

// isTold reports whether messages with their places have told of all n losses.
func (n *notes) isTold(what object.Loss, count uint64) bool { return n.told[what] == count }

// lossSpan is the place of a loss: its own or its clause's.
func (n *notes) lossSpan(what object.Loss) source.Span {
	if what.Span.IsValid() || what.Clause < 0 || what.Clause >= len(n.obj.Clauses) {
		return what.Span
	}
	return n.obj.Clauses[what.Clause]
}

// lossLine says which place lost what.
func (n *notes) lossLine(what object.Loss, count uint64) string {
	where := n.prefix(n.lossSpan(what))
	if where == "" {
		where = fmt.Sprintf("clause %d: ", what.Clause+1)
	}
	return where + "WARNING: " + n.lossText(what, count)
}
