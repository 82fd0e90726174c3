// Package catalog tells what there is to trace on the running kernel: its probes, their
// arguments, and its types.
package catalog

import (
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"fst/compiler/builtin"
	"fst/compiler/target"
	"fst/lang/diag"
	"fst/lang/parse"
	"fst/lang/printable"
	"fst/runtime/kernel"
	"fst/stdlib"
)

// Catalog tells what there is. It reads nothing before it is asked. Its methods may be
// called by several goroutines if those of its kernel may.
type Catalog struct {
	system *kernel.System
	types  definitions
	names  names
}

// New returns the catalogue of the running kernel; types are looked up in kernel if that
// knows definitions, as recordings do, and else in the running one.
func New(system *kernel.System, of target.Target) *Catalog {
	c := &Catalog{system: system, types: system}
	if known, ok := of.(definitions); ok {
		c.types = known
	}
	return c
}

// family is one kind of probe that can be listed.
type family struct {
	name   string
	traits trait
	list   func(k *kernel.System, rest string, pid int) ([]listed, error)
}

// trait is how a family is listed.
type trait uint8

const (
	// again is for the places of another family under a second name, which a
	// listing of everything leaves out.
	again trait = 1 << iota
	// whole is for a word that names all probes of its kind; other words, such as
	// sched, are looked for in all names.
	whole
	// inCategories is for names of two parts: a word is looked for in both.
	inCategories
	// inFiles is for places in programs: a pattern for several kinds is for this one
	// if a path follows it.
	inFiles
)

// listed is one line of a listing with, if asked for, its arguments. What
// stands behind " // " in one of those is said about it.
type listed struct {
	name string
	args func() []string
	// shown is what is written of the arguments if it is not args, which are those
	// that have a name in the language.
	shown func() []string
	doc   string
}

// families are the kinds of probes, in the order of a listing.
var families = []family{
	{"begin", 0, fixed("")},
	{"end", 0, fixed("")},
	{"report", 0, fixed("")},
	{"self", 0, fixed("attached", "signal:SIGUSR1")},
	{"hardware", whole, perfEvents("hardware")},
	{"software", whole, perfEvents("software")},
	{"interval", whole, fixed("hz:", "ms:", "s:", "us:")},
	{"profile", whole, fixed("hz:", "ms:", "s:", "us:")},
	{"syscall", whole, listSyscalls},
	{"call", again, listFunctions(false, arguments, nil)},
	{"kprobe", whole, listFunctions(false, parameters, atEntry)},
	{"kretprobe", whole | again, listFunctions(false, parameters, atReturn)},
	{"fentry", whole, listFunctions(true, parameters, nil)},
	{"fexit", whole | again, listFunctions(true, arguments, nil)},
	{"iter", whole, listIterators},
	{"rawtracepoint", whole, listRawTracepoints},
	{"tracepoint", whole | inCategories, listTracepoints},
	{"uprobe", inFiles, listSymbols(true)},
	{"uretprobe", again, listSymbols(false)},
	{"ucall", again, listSymbols(true)},
	{"usdt", inFiles, listUSDT},
}

func init() {
	for _, name := range stdlib.Families() {
		families = append(families, family{name, 0, listStable(name)})
	}
}

// familyOf is the family of a kind of probes, by any of its names; nil
// if there is none.
func familyOf(kind string) *family {
	long, _ := parse.Provider(kind)
	if i := slices.IndexFunc(families, func(f family) bool { return f.name == long }); i >= 0 {
		return &families[i]
	}
	return nil
}

// What a kernel lacks for some kinds of probes.
var (
	errNoKprobes     = errors.New("this kernel has no kprobes")
	errNoTrampolines = errors.New("this kernel does not let BPF trampolines attach")
)

// List writes the probes whose name matches a pattern (* matches any text; an
// empty pattern is everything), one a line, with their arguments if verbose. Of a
// process (pid is not 0) the functions and static probes of the program and the
// libraries that it has mapped are among them; an empty pattern is all of those.
// "struct NAME", "union NAME" and "enum NAME" list types instead. Several patterns
// are separated by commas. The error says what could not be looked through, and,
// where nothing was found, that and why.
func (c *Catalog) List(w io.Writer, patterns string, verbose bool, pid int) error {
	var errs []error
	for _, pattern := range splitPatterns(patterns) {
		errs = append(errs, c.listOne(w, strings.TrimSpace(pattern), verbose, pid))
	}
	return errors.Join(errs...)
}

// splitPatterns splits a text at the commas outside of quotes and parentheses: a C++
// function has some in its name.
func splitPatterns(text string) []string {
	var list []string
	start, depth, quoted := 0, 0, false
	for i := range len(text) {
		switch text[i] {
		case '"':
			quoted = !quoted
		case '(', '<':
			depth++
		case ')', '>':
			depth--
		case ',':
			if !quoted && depth == 0 {
				list = append(list, text[start:i])
				start = i + 1
			}
		}
	}
	return append(list, text[start:])
}

func (c *Catalog) listOne(w io.Writer, pattern string, verbose bool, pid int) error {
	if tag, name, ok := strings.Cut(pattern, " "); ok && (tag == "struct" || tag == "union" || tag == "enum") {
		if c.listTypes(w, tag, strings.TrimSpace(name), verbose) == 0 {
			return fmt.Errorf("no %s matches %s", tag, strings.TrimSpace(name))
		}
		return nil
	}
	provider, rest, hasProvider := strings.Cut(pattern, ":")
	const longestShort = 2 // letters of k, rt and the like, which are in many names
	if f := familyOf(pattern); f != nil && (f.traits&whole != 0 || f.name != pattern) && len(pattern) > longestShort {
		rest, hasProvider = "*", true
	}
	if !hasProvider {
		provider, rest = "*", "*"+strings.Trim(pattern, "*")+"*"
		if pattern == "" || pattern == "*" {
			rest = "*"
		}
	}
	long, _ := parse.Provider(provider)
	kind, known := builtin.ProbeByName(long)
	ofProcess := pid != 0 && pattern == ""
	kinds, found := 0, 0
	var unread, lacking []string
	for _, f := range families {
		switch {
		case f.name == long:
		case strings.Contains(provider, "*") && target.Match(provider, f.name) && f.traits&again == 0 &&
			(f.traits&inFiles == 0 && !ofProcess || f.traits&inFiles != 0 && (pid != 0 || strings.HasPrefix(rest, "/"))):
		default:
			continue
		}
		kinds++
		names := rest
		if !hasProvider && f.traits&inCategories != 0 {
			names = "*"
		}
		list, err := f.list(c.system, names, pid)
		switch {
		case errors.Is(err, errNoKprobes), errors.Is(err, errNoTrampolines):
			lacking = append(lacking, f.name+": "+err.Error())
		case err != nil:
			unread = append(unread, f.name+": "+err.Error())
		}
		for _, l := range list {
			name := f.name
			if l.name != "" {
				name += ":" + l.name
			}
			if hasProvider || target.Match(rest, name) {
				found++
				l.write(w, name, verbose)
			}
		}
	}
	why := unread
	if found == 0 {
		nothing := "no probe matches " + pattern
		switch {
		case kinds == 0 && known:
			nothing = "probes of the kind " + long + " can't be listed: one is written " + strings.Join(kind.Forms, " or ")
		case kinds == 0:
			nothing = "there are no probes of the kind " + strconv.Quote(provider) + "; a word without ':' is looked for in all names"
		case !hasProvider:
			nothing = "no probe has " + strings.Trim(pattern, "*") + " in its name"
		default:
			if near := c.nearest(long, rest, pid); near != "" {
				nothing += ": did you mean " + near + "?"
			}
		}
		why = slices.Concat([]string{nothing}, unread, lacking)
	}
	if len(why) == 0 {
		return nil
	}
	return errors.New(strings.Join(why, "\n"))
}

// nearest is the probe of a kind whose last part is most like that of a name that there is not, or "".
func (c *Catalog) nearest(kind, name string, pid int) string {
	begin, last := "", name
	if i := strings.LastIndexByte(name, ':'); i >= 0 {
		begin, last = name[:i+1], name[i+1:]
	}
	if strings.Contains(name, "*") {
		return ""
	}
	var names []string
	for _, f := range families {
		if f.name == kind {
			list, _ := f.list(c.system, begin+"*", pid)
			for _, l := range list {
				names = append(names, strings.TrimPrefix(l.name, begin))
			}
		}
	}
	if near := diag.Nearest(last, names); near != "" {
		return kind + ":" + begin + near
	}
	return ""
}

// write writes a probe with its arguments, if wanted.
func (l *listed) write(w io.Writer, name string, verbose bool) {
	fmt.Fprintln(w, printable.String(name))
	if verbose && l.doc != "" {
		fmt.Fprintln(w, "    // "+printable.String(l.doc))
	}
	shown := l.shown
	if shown == nil {
		shown = l.args
	}
	if verbose && shown != nil {
		for _, a := range shown() {
			fmt.Fprintln(w, "    "+printable.String(a))
		}
	}
}

// listTypes lists the structs, unions or enums whose name matches, with their
// C text if verbose, and says how many there are.
func (c *Catalog) listTypes(w io.Writer, tag, pattern string, verbose bool) (found int) {
	last := ""
	for _, d := range c.system.Definitions(tag, pattern) {
		switch {
		case verbose:
			fmt.Fprintf(w, "%s: %s\n\n", printable.String(d.Module), printable.Lines(d.Text()))
		case d.Name != last:
			fmt.Fprintf(w, "%s %s\n", tag, printable.String(d.Name))
		}
		last = d.Name
		found++
	}
	return found
}
