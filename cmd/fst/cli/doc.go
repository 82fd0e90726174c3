package cli

import (
	"fmt"
	"fst/compiler/reference"
	"io"
	"slices"
	"strings"

	"fst/docs"
	"fst/scripts"
)

// The documentation of the language's names is made from the tables that the
// checker uses: for the terminal, and as a part of docs/language.md.

// doc describes all names of the language in a line each, those of a family,
// or some in full.
func (a *app) doc(words []string) int {
	all := reference.All()
	if len(words) == 0 {
		a.docFamilies(all)
		for _, f := range reference.Families() {
			fmt.Fprintf(a.stdout, "\nprobes %s:\n", f.Name)
			for _, p := range f.Probes {
				fmt.Fprintf(a.stdout, "  %-34s %s\n", p.Name, p.Summary)
			}
		}
		fmt.Fprintf(a.stdout, "\nfst doc NAME describes a name, fst doc FAMILY the names below a heading.\nfst doc TOPIC explains a part of the language: %s; or another subject: %s.\n",
			strings.Join(docs.Topics(), ", "), strings.Join(docs.Pages, ", "))
		return exitOK
	}
	if len(words) == 1 && words[0] == "--markdown" {
		markdown(a.stdout, all)
		return exitOK
	}
	for i, name := range words {
		if i > 0 {
			fmt.Fprintln(a.stdout)
		}
		family := slices.DeleteFunc(slices.Clone(all), func(b reference.Entry) bool { return b.Family != name })
		found := reference.Find(name)
		if kind, _, isProbe := strings.Cut(name, ":"); len(found) == 0 && isProbe { // any probe of a kind
			found = reference.Find(kind)
		}
		section, isTopic := docs.Topic(name)
		if isTopic {
			fmt.Fprintln(a.stdout, section)
		}
		switch {
		case a.docOfProbes(name):
		case len(found)+len(family) > 0:
			for i, b := range found {
				if i > 0 {
					fmt.Fprintln(a.stdout)
				}
				a.docOne(b)
			}
			if len(found) > 0 && len(family) > 0 {
				fmt.Fprintln(a.stdout)
			}
			a.docFamilies(family)
		case isTopic || a.helpOnWord(name) || a.helpOnOption("--"+name):
		default:
			near := nearName(name, all)
			if near == "" {
				near = " (fst doc lists them; fst -l 'PATTERN' lists probes, fst tools the tools)"
			}
			return a.fail(fmt.Errorf("no built-in, tool or command named %s%s", name, near))
		}
	}
	return exitOK
}

// nearName is what a name that does not exist may stand for.
func nearName(name string, all []reference.Entry) string {
	if hint := reference.Foreign(name); hint != "" {
		return ": " + hint
	}
	if _, isArg := strings.CutPrefix(name, "args."); isArg {
		return ": it is an argument of some probes: fst -lv PROBE lists those of a probe"
	}
	if reference.IsSyscall(name) {
		return ": the system call is the probe syscall:" + name + "; fst -lv syscall:" + name + " lists its arguments"
	}
	var names []string
	for _, b := range all {
		names = append(append(names, b.Name, b.Family), b.Aliases...)
	}
	for _, f := range reference.Families() {
		for _, p := range f.Probes {
			names = append(names, p.Name)
		}
	}
	for _, c := range commands() {
		names = append(names, c.name)
	}
	names = append(names, docs.Words()...)
	if meant := toolMeant(name, names...); meant != "" {
		return meant
	}
	names = append(names, scripts.Names()...)
	var begin []string
	for _, n := range names {
		if len(name) > 2 && strings.HasPrefix(n, name) && !slices.Contains(begin, n) {
			begin = append(begin, n)
		}
	}
	slices.Sort(begin)
	if len(begin) == 0 {
		return ""
	}
	return "; these begin so: " + strings.Join(begin[:min(len(begin), 8)], ", ")
}

func (a *app) docFamilies(list []reference.Entry) {
	family := ""
	for _, b := range list {
		if b.Family != family {
			if family != "" {
				fmt.Fprintln(a.stdout)
			}
			family = b.Family
			fmt.Fprintln(a.stdout, family)
		}
		first, _, _ := strings.Cut(b.Help, ". ")
		fmt.Fprintf(a.stdout, "  %-34s %s\n", b.Usage, first)
	}
}

func (a *app) docOne(b reference.Entry) {
	fmt.Fprintf(a.stdout, "%s\n  %s\n", b.Usage, b.Help)
	if len(b.Aliases) > 0 {
		fmt.Fprintf(a.stdout, "  also: %s\n", strings.Join(b.Aliases, ", "))
	}
	if len(b.Probes) > 0 {
		fmt.Fprintf(a.stdout, "  in: %s\n", strings.Join(b.Probes, ", "))
	}
	if b.Unsafe {
		fmt.Fprintf(a.stdout, "  needs --unsafe\n")
	}
	if b.Example != "" {
		fmt.Fprintf(a.stdout, "  example: %s\n", b.Example)
	}
}

// markdown writes all names as tables of Markdown.
func markdown(w io.Writer, list []reference.Entry) {
	cell := func(s string) string { return strings.ReplaceAll(s, "|", `\|`) }
	for _, f := range reference.Families() {
		fmt.Fprintf(w, "\n### Probes %s:\n\n%s\n\n| | |\n|---|---|\n", f.Name, f.Summary)
		for _, p := range f.Probes {
			fmt.Fprintf(w, "| `%s` | %s |\n", cell(p.Name), cell(p.Summary))
		}
	}
	family := ""
	for _, b := range list {
		if b.Family != family {
			family = b.Family
			fmt.Fprintf(w, "\n### %s%s\n\n| | |\n|---|---|\n", strings.ToUpper(family[:1]), family[1:])
		}
		help := b.Help
		if len(b.Aliases) > 0 {
			help += "; also `" + strings.Join(b.Aliases, "`, `") + "`"
		}
		if len(b.Probes) > 0 {
			help += "; in " + strings.Join(b.Probes, ", ")
		}
		if b.Unsafe {
			help += "; needs `--unsafe`"
		}
		if b.Example != "" {
			help += ": `" + b.Example + "`"
		}
		fmt.Fprintf(w, "| `%s` | %s |\n", cell(b.Usage), cell(help))
	}
}

// docOfProbes describes a probe of the standard library or a family of them,
// and reports whether there is one of that name.
func (a *app) docOfProbes(name string) bool {
	show := func(p reference.Probe) {
		fmt.Fprintf(a.stdout, "%s\n  %s\n", p.Name, p.Summary)
		if p.Doc != "" {
			fmt.Fprintf(a.stdout, "  %s\n", strings.ReplaceAll(p.Doc, "\n", "\n  "))
		}
		for _, f := range p.Fields {
			fmt.Fprintf(a.stdout, "  %-20s %s\n", f.Decl(), f.Doc)
		}
	}
	if p, ok := reference.FindProbe(name); ok {
		show(p)
		return true
	}
	for _, f := range reference.Families() {
		if f.Name != strings.TrimSuffix(strings.TrimSuffix(name, "*"), ":") {
			continue
		}
		fmt.Fprintf(a.stdout, "%s:\n  %s\n  %s\n", f.Name, f.Summary, strings.ReplaceAll(f.Doc, "\n", "\n  "))
		for _, p := range f.Probes {
			fmt.Fprintln(a.stdout)
			show(p)
		}
		return true
	}
	return false
}
