package catalog

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"fst/compiler/builtin"
	"fst/compiler/reference"
	"fst/lang/parse"
	"fst/lang/printable"
)

// Candidate is what a text may become, with a line on what that is.
type Candidate struct{ Name, Help string }

// names are the sorted names of what there is of a kind, so that those with a beginning are found at once.
type names struct {
	mu   sync.Mutex
	kept map[string]*sorted
}

type sorted struct {
	list []listed
	read time.Time
}

// keepTime is how long names are kept: modules and programs come and go.
const keepTime = time.Minute

// of returns the names of a kind, which read reads.
func (n *names) of(kind string, read func() []listed) []listed {
	n.mu.Lock()
	defer n.mu.Unlock()
	if s := n.kept[kind]; s != nil && time.Since(s.read) < keepTime {
		return s.list
	}
	list := slices.DeleteFunc(read(), func(l listed) bool { return !printable.Is(l.name) }) // what the prompt can't show
	slices.SortFunc(list, func(a, b listed) int { return strings.Compare(a.name, b.name) })
	list = slices.CompactFunc(list, func(a, b listed) bool { return a.name == b.name })
	if n.kept == nil {
		n.kept = map[string]*sorted{}
	}
	n.kept[kind] = &sorted{list, time.Now()}
	return list
}

// begin returns the part of a sorted list whose names begin with a text.
func begin(list []listed, prefix string) []listed {
	from, _ := slices.BinarySearchFunc(list, prefix, func(l listed, p string) int { return strings.Compare(l.name, p) })
	list = list[from:]
	n, _ := slices.BinarySearchFunc(list, prefix, func(l listed, p string) int {
		if strings.HasPrefix(l.name, p) {
			return -1
		}
		return 1
	})
	return list[:n]
}

// candidates describes at most limit names, the last among them: all begin with what these do. word, which may be nil, describes
// one that does not tell by itself what it is.
func candidates(lead string, list []listed, limit int, word func(name string) string) (out []Candidate, all int) {
	all = len(list)
	if all > limit {
		list = append(slices.Clone(list[:limit-1]), list[all-1])
	}
	for _, l := range list {
		help := l.summary()
		if help == "" && word != nil {
			help = word(l.name)
		}
		out = append(out, Candidate{lead + l.name, help})
	}
	return out, all
}

// summary says in a line what a probe is.
func (l *listed) summary() string {
	if l.doc != "" || l.args == nil {
		return l.doc
	}
	var args []string
	for _, a := range l.args() {
		a, _, _ = strings.Cut(a, " // ")
		args = append(args, strings.TrimSpace(a))
	}
	return strings.Join(args, ", ")
}

// Complete returns the probes that begin with a text, sorted, and how many there are: first the
// kinds of probes, then the categories of tracepoints, then the names of one kind. At most limit are returned; the last
// of all is among them, so that they begin with the same as all do.
func (c *Catalog) Complete(prefix string, limit int) (list []Candidate, all int) {
	provider, rest, ok := strings.Cut(prefix, ":")
	if !ok {
		return candidates("", begin(c.names.of("", kinds), prefix), limit, nil)
	}
	long, _ := parse.Provider(provider)
	f := familyOf(long)
	if f == nil {
		return nil, 0
	}
	lead := provider + ":"
	kind, pattern := f.name, "*"
	if f.list == nil {
		return nil, 0
	}
	takesPath := long == "uretprobe" || long == "ucall" || f.traits&inFiles != 0
	if takesPath {
		path, _, ok := strings.Cut(rest, ":")
		if !ok {
			return nil, 0
		}
		kind, pattern = kind+":"+path, path+":*"
	}
	found := c.names.of(kind, func() []listed {
		list, _ := f.list(c.system, pattern, 0)
		for i := range list {
			list[i].name = strings.TrimPrefix(list[i].name, kernelModule)
		}
		return list
	})
	if own, ok := strings.CutPrefix(rest, kernelModule); ok && !takesPath {
		rest, lead = own, lead+kernelModule
	}
	found = begin(found, rest)
	if f.traits&inCategories != 0 && !strings.Contains(rest, ":") {
		if groups := categories(found); len(groups) > 1 {
			found = groups
		}
	}
	return candidates(lead, found, limit, f.word)
}

// units are what numbers of intervals can be given in.
var units = map[string]string{"hz:": "so many times a second", "s:": "every so many seconds", "ms:": "every so many milliseconds",
	"us:": "every so many microseconds"}

// word says what a probe of a kind is of which nothing else is known.
func (f *family) word(name string) string {
	kind, known := builtin.ProbeByName(f.name)
	switch {
	case units[name] != "":
		return units[name]
	case known && (f.traits&inFiles != 0 || f.traits&again != 0):
		return "a function"
	case known:
		return kind.Help
	}
	return ""
}

// kernelModule is what names of the kernel's own functions may begin with.
const kernelModule = "vmlinux:"

// kinds are those of probes.
func kinds() []listed {
	var list []listed
	for _, f := range families {
		l := listed{name: f.name + ":"}
		if k, ok := builtin.ProbeByName(f.name); ok {
			l.doc = k.Help
			if len(k.Forms) > 0 && k.Forms[0] == f.name {
				l.name = f.name
			}
		} else if family, ok := reference.FamilyByName(f.name); ok {
			l.doc = family.Summary
		}
		list = append(list, l)
	}
	return list
}

// categories are those of a sorted list of tracepoints, each once.
func categories(list []listed) (groups []listed) {
	for begin := 0; begin < len(list); {
		category, _, _ := strings.Cut(list[begin].name, ":")
		end := begin
		for end < len(list) && strings.HasPrefix(list[end].name, category+":") {
			end++
		}
		end = max(end, begin+1)
		events := fmt.Sprintf("%d events", end-begin)
		if end == begin+1 {
			events = "1 event"
		}
		groups = append(groups, listed{name: category + ":", doc: events})
		begin = end
	}
	return groups
}

// CompleteType returns the structs, unions or enums, as tag says, whose names begin with a text, as Complete does.
func (c *Catalog) CompleteType(tag, prefix string, limit int) (list []Candidate, all int) {
	return candidates("", begin(c.names.of(tag+" ", func() []listed {
		var list []listed
		for _, d := range c.types.Definitions(tag, "*") {
			list = append(list, listed{name: d.Name, doc: cmp.Or(d.Module, "vmlinux")})
		}
		return list
	}), prefix), limit, nil)
}
