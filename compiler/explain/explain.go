// Package explain says what a compiled program is attached to, what it keeps and shows, and what it needs.
package explain

import (
	"cmp"
	"slices"
	"strings"

	"fst/compiler/object"
	"fst/compiler/types"
)

// Explanation says what a program is attached to, what it keeps and shows, and what it needs.
type Explanation struct {
	Probes []ProbeUse
	Maps   []MapUse
	// Does are the built-ins by which it shows something or acts.
	Does []string
	// Writes are the files that a run makes.
	Writes []string
	// Rights are what a process needs to run it, each with what for.
	Rights []string
}

// ProbeUse is a probe as the script names it, or several that have programs in common.
type ProbeUse struct {
	Written []string // "kprobe:vfs_*"
	Places  []string // what that stands for; of a declared probe, the hooks behind it
	// Declared is true for a probe of the standard library, or one that the script declares.
	Declared bool
	// Wide is true if its programs run for other events, too: those of a system call for all system calls.
	Wide bool
	// Mechanisms are the kernel's words for how it is attached.
	Mechanisms []string
	// Static are those of the kernel's functions among Places that are static, so that compilers inline or rename
	// them freely. They are known of the running kernel only.
	Static []string
	// Instructions is the length of the programs, Loops is true if one of them has a loop.
	Instructions int
	Loops        bool
	// Once is true if it does not depend on events: begin, end and the like.
	Once bool
}

// MapUse is a map of the script.
type MapUse struct {
	Name  string
	Key   []string // what each part is called, and its type; nil: the map has no keys
	Value string
	Keys  int // at most
	Bytes int // of all keys and values, those of one CPU where each has its own
}

// Of explains a program. static tells which of some functions of the kernel are static, and may be nil.
func Of(obj *object.Object, static func([]string) map[string]bool) Explanation {
	var e Explanation
	e.Rights = []string{"CAP_BPF and CAP_PERFMON, or root"}
	var functions []string
	groups := Groups(obj)
	for _, g := range groups {
		u := ProbeUse{Written: g.Written, Declared: g.Declared, Wide: g.Declared, Once: true}
		for _, prog := range g.Programs {
			u.Instructions += prog.Code.Len()
			u.Wide = u.Wide || prog.Named != nil
			u.Loops = u.Loops || len(prog.Loops) > 0
			for _, h := range prog.Hooks {
				u.Once = u.Once && h.Kind.Once()
				add(&u.Mechanisms, h.Kind.String())
				add(&e.Rights, h.Right())
				add(&e.Writes, h.Pin)
				functions = append(functions, h.Function)
			}
			for _, h := range prog.Places() {
				u.Places = append(u.Places, cmp.Or(h.Place, h.Name))
			}
		}
		u.Places = unique(u.Places)
		e.Probes = append(e.Probes, u)
	}
	if functions = unique(functions); functions != nil && static != nil {
		is := static(functions)
		for i, g := range groups {
			for _, prog := range g.Programs {
				for _, h := range prog.Hooks {
					if is[h.Function] {
						e.Probes[i].Static = append(e.Probes[i].Static, h.Function)
					}
				}
			}
			e.Probes[i].Static = unique(e.Probes[i].Static)
		}
	}
	for _, m := range obj.ScriptMaps() {
		u := MapUse{Name: m.Name, Value: typeText(m.Value), Keys: m.MaxEntries, Bytes: m.MaxEntries * (m.KeySize + m.ValueSize)}
		if m.Key != nil && m.Schema != nil {
			for _, f := range m.Schema.Fields[:m.Schema.Keys] {
				u.Key = append(u.Key, typeText(f.Type))
				add(&e.Rights, rightForType(f.Type))
			}
		}
		e.Maps = append(e.Maps, u)
	}
	for _, m := range obj.Messages {
		add(&e.Does, m.Kind.String())
		if m.Kind == object.MsgPacket {
			add(&e.Writes, m.Sep)
		}
		if m.Schema != nil {
			for _, f := range m.Schema.Fields {
				add(&e.Rights, rightForType(f.Type))
			}
		}
	}
	return e
}

// add appends a text that is not empty and not there yet.
func add(list *[]string, text string) {
	if text != "" && !slices.Contains(*list, text) {
		*list = append(*list, text)
	}
}

// unique returns the texts that are not empty, each once.
func unique(list []string) []string {
	var kept []string
	seen := map[string]bool{"": true}
	for _, text := range list {
		if !seen[text] {
			seen[text] = true
			kept = append(kept, text)
		}
	}
	return kept
}

// typeText is a type in a reader's words.
func typeText(t *types.Type) string {
	switch {
	case t == nil:
		return "number"
	case t.Kind == types.Int:
		return "number"
	case t.Kind == types.String:
		return "text"
	}
	return t.String()
}

// Group are programs that serve the same probes of the script.
type Group struct {
	Written  []string
	Declared bool
	Programs []*object.Program
}

// Groups sorts the programs by the probes that the script names for them, in its order: that of Explanation.Probes.
func Groups(obj *object.Object) []*Group {
	var groups []*Group
	for _, prog := range obj.Programs {
		g := &Group{Programs: []*object.Program{prog}}
		for _, h := range prog.Places() {
			span := h.Span
			if h.For != nil {
				g.Declared, span = true, h.For.Span
			}
			add(&g.Written, strings.TrimSpace(obj.Sources.Text(span)))
		}
		same := slices.IndexFunc(groups, func(other *Group) bool { return slices.Equal(g.Written, other.Written) })
		if same >= 0 {
			groups[same].Programs = append(groups[same].Programs, prog)
		} else {
			groups = append(groups, g)
		}
	}
	return groups
}

func rightForType(t *types.Type) string {
	switch {
	case t == nil:
	case t.Kind == types.KStack:
		return "CAP_SYSLOG, for the names in kstack"
	case t.Kind == types.UStack:
		return "CAP_SYS_PTRACE, for the names in ustack of other users' processes"
	}
	return ""
}
