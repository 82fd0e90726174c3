package cli

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"fst"
	"fst/cmd/fst/repl"
	"fst/compiler/reference"
	"fst/runtime/catalog"
	"fst/scripts"
)

// What the prompt completes words with.

// Names implements repl.Engine.
func (e *engine) Names() []repl.Candidate {
	var list []repl.Candidate
	for _, b := range slices.Concat(reference.Keywords(), reference.Builtins()) {
		if !strings.HasPrefix(b.Name, "$") && !strings.HasSuffix(b.Name, "N") { // $1, argN: nobody types these
			list = append(list, candidate(b))
		}
	}
	return list
}

// candidate describes a word of the language.
func candidate(b reference.Entry) repl.Candidate {
	help := b.Help
	if b.Usage != b.Name {
		help = b.Usage + "  " + help
	}
	return repl.Candidate{Text: b.Name, Help: help}
}

// Probes implements repl.Engine.
func (e *engine) Probes(prefix string, limit int) ([]repl.Candidate, int) {
	return candidates(e.there.Complete(prefix, limit))
}

// Types implements repl.Engine.
func (e *engine) Types(tag, prefix string, limit int) ([]repl.Candidate, int) {
	return candidates(e.there.CompleteType(tag, prefix, limit))
}

func candidates(list []catalog.Candidate, all int) ([]repl.Candidate, int) {
	var out []repl.Candidate
	for _, c := range list {
		out = append(out, repl.Candidate{Text: c.Name, Help: c.Help})
	}
	return out, all
}

// TypeOf implements repl.Engine.
func (e *engine) TypeOf(text, definitions string) (string, []repl.Candidate) {
	c := e.inspect(text+".", definitions)
	members := typedNames("", c.Members)
	if probe := declaredProbe().FindStringSubmatch(text); probe != nil {
		p, _ := reference.FindProbe(probe[1])
		for i, m := range members {
			for _, f := range p.Fields {
				if f.Name == m.Text {
					members[i].Help += "  " + f.Doc
				}
			}
		}
	}
	return c.Type, members
}

// declaredProbe is the last clause of a text that ends in args.
var declaredProbe = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`(?:^|[\s}])([a-z]+:[a-z_]+)\s*[^}]*\bargs$`) })

// Variables implements repl.Engine.
func (e *engine) Variables(text, definitions string) []repl.Candidate {
	return typedNames("$", e.inspect(text, definitions).Vars)
}

func (e *engine) inspect(text, definitions string) fst.Cursor {
	o := e.options("input")
	o.Store, o.Include.Definitions, o.Live = e.store, definitions, false
	c, _ := fst.Inspect(text, len(text), o)
	return c
}

func typedNames(sign string, list []fst.NamedType) (out []repl.Candidate) {
	for _, n := range list {
		out = append(out, repl.Candidate{Text: sign + n.Name, Help: n.Type})
	}
	return out
}

// MapTypes implements repl.Engine.
func (e *engine) MapTypes() []repl.Candidate {
	var list []repl.Candidate
	for _, m := range e.store.Maps() {
		list = append(list, repl.Candidate{Text: m.Name(), Help: m.Type()})
	}
	return list
}

// keys are those of a map that were read last.
type keys struct {
	name string
	list []repl.Candidate
	read time.Time
	took time.Duration
}

// keysKept is how many times longer than it took to read them keys are taken for those that there are.
const keysKept = 20

// Keys implements repl.Engine. They are sorted.
func (e *engine) Keys(name string) []repl.Candidate {
	if k := &e.keys; k.name != name || time.Since(k.read) > keysKept*k.took {
		began := time.Now()
		list := e.readKeys(name)
		slices.SortFunc(list, func(a, b repl.Candidate) int { return strings.Compare(a.Text, b.Text) })
		*k = keys{name, list, time.Now(), time.Since(began)}
	}
	return e.keys.list
}

func (e *engine) readKeys(name string) []repl.Candidate {
	m, err := e.store.Map(name)
	if err != nil {
		return nil
	}
	all, err := m.Read()
	if err != nil {
		return nil
	}
	var list []repl.Candidate
	for i := range all.Entries {
		var parts []string
		for _, f := range all.Entries[i].Key {
			switch v := f.Value.(type) {
			case string:
				parts = append(parts, strconv.Quote(v))
			case int64, uint64, int, bool:
				parts = append(parts, fmt.Sprint(v))
			default: // a stack, an address
				return nil
			}
		}
		_, value, _ := strings.Cut(strings.TrimSpace(all.Entries[i].String()), "]: ")
		value, _, _ = strings.Cut(value, "\n")
		if len(parts) > 0 {
			list = append(list, repl.Candidate{Text: strings.Join(parts, ", ") + "]", Help: value})
		}
	}
	return list
}

// settings are the words of config with the text of what they can be.
func settings(add func(b reference.Entry, values string)) {
	for _, b := range reference.All() {
		if name, values, ok := strings.Cut(b.Usage, " = "); ok && name == b.Name {
			add(b, values)
		}
	}
}

// Settings implements repl.Engine.
func (e *engine) Settings() (list []repl.Candidate) {
	settings(func(b reference.Entry, _ string) { list = append(list, candidate(b)) })
	return list
}

// SettingValues implements repl.Engine.
func (e *engine) SettingValues(name string) (list []repl.Candidate) {
	settings(func(b reference.Entry, values string) {
		if b.Name != name || !strings.Contains(values, "|") {
			return
		}
		for _, v := range strings.Split(values, "|") {
			list = append(list, repl.Candidate{Text: v, Help: "a value of " + name})
		}
	})
	return list
}

// Tools implements repl.Engine.
func (e *engine) Tools() (list []repl.Candidate) {
	for _, name := range scripts.Names() {
		h, _ := e.app.header(name)
		list = append(list, repl.Candidate{Text: name, Help: h.Question})
	}
	return list
}

// ToolOptions implements repl.Engine.
func (e *engine) ToolOptions(tool string) (list []repl.Candidate) {
	h, _ := e.app.header(tool)
	for _, o := range h.All(toolOptions) {
		list = append(list, repl.Candidate{Text: "--" + o.Long, Help: strings.TrimSpace(o.Value + "  " + o.Help)})
		if o.Short != "" {
			list = append(list, repl.Candidate{Text: "-" + o.Short, Help: strings.TrimSpace(o.Value + "  " + o.Help)})
		}
	}
	return list
}
