// Package reference describes what has a name in the language: keywords, kinds of probes,
// built-ins, macros, settings, and the probes of the standard library. It is made from
// the tables that the checker uses, and asks no kernel.
package reference

import (
	"runtime"
	"slices"
	"strconv"
	"strings"

	"fst/compiler/builtin"
	"fst/compiler/target/syscalls"
	"fst/lang/keyword"
	"fst/lang/parse"
	"fst/stdlib/prelude"
)

// Entry describes a word of the language: a keyword, a kind of probe, a
// built-in function or variable, a setting.
type Entry struct {
	Name    string
	Aliases []string
	Family  string // the heading it stands under
	Usage   string // how it is written: "hist(n[, k])"
	Help    string
	Example string
	Probes  []string // the kinds of probes in which it works; nil is all of them
	Unsafe  bool     // it needs --unsafe
	// Stability says what of a kind of probe other kernels or programs may change; empty if nothing.
	Stability string
}

// Families of what is not a function or variable.
const (
	familyProbes   = "probes"
	familyWords    = "keywords"
	familySettings = "settings"
	familyMacros   = "macros"
)

// Builtins lists the built-in functions and variables by family.
func Builtins() []Entry {
	var list []Entry
	for _, f := range builtin.Funcs {
		list = append(list, Entry{f.Name, f.Aliases, f.Family, f.Signature, f.Help, f.Example, f.In, f.Unsafe, ""})
	}
	for _, v := range builtin.Vars {
		usage := v.Name
		if v.Signature != "" {
			usage = v.Signature
		}
		list = append(list, Entry{v.Name, v.Aliases, v.Family, usage, v.Help, v.Example, v.In, false, ""})
	}
	return list
}

// Keywords lists the words of the grammar.
func Keywords() []Entry {
	var list []Entry
	for _, w := range keyword.Words {
		list = append(list, Entry{Name: w.Name, Aliases: w.Forms, Family: familyWords, Usage: w.Usage, Help: w.Help, Example: w.Example})
	}
	return list
}

// All lists all that has a name in the language: the kinds of probes, the
// keywords, the built-ins, the macros that are always there, and the settings, by family.
func All() []Entry {
	var list []Entry
	for _, p := range builtin.Probes {
		b := Entry{Name: p.Name, Family: familyProbes, Usage: strings.Join(p.Forms, " or "), Help: p.Help, Example: p.Example, Stability: p.Stability}
		if p.Short != "" {
			b.Aliases = []string{p.Short}
		}
		list = append(list, b)
	}
	list = slices.Concat(list, Keywords(), Builtins())
	for _, d := range prelude.Docs() {
		list = append(list, Entry{Name: d.Names[0], Aliases: d.Names[1:], Family: familyMacros, Usage: d.Usage, Help: d.Help})
	}
	for _, s := range builtin.Settings {
		usage := s.Name + " = "
		switch {
		case len(s.Words) > 0:
			usage += strings.Join(s.Words, "|")
		case s.Kind == builtin.NumberSetting:
			usage += "NUMBER"
		case s.Kind == builtin.SwitchSetting:
			usage += "true|false"
		case s.Kind == builtin.ShareSetting:
			usage += "2%"
		default:
			usage += `"TEXT"`
		}
		help := s.Help
		if s.Max > 0 {
			help += "; at most " + strconv.FormatInt(s.Max, 10)
		}
		if s.Default != "" {
			help += " (" + s.Default + ")"
		}
		list = append(list, Entry{Name: s.Name, Family: familySettings, Usage: usage, Help: help})
	}
	return list
}

// Find finds what All lists by its name or an alias: a word may be
// a keyword between clauses and a variable within them.
func Find(name string) []Entry {
	name = strings.TrimSuffix(name, "()")
	if _, ok := builtin.ArgNumber(name); ok {
		name = "argN"
	}
	is := func(name string) []Entry {
		return slices.DeleteFunc(All(), func(b Entry) bool { return b.Name != name && !slices.Contains(b.Aliases, name) })
	}
	if v, ok := strings.CutPrefix(name, "BPFTRACE_"); ok {
		name = strings.ToLower(v)
	}
	if n, ok := strings.CutPrefix(name, "$"); ok && n != "" && strings.Trim(n, "0123456789") == "" {
		name = "$1"
	}
	list := is(name)
	if kind, ok := parse.Provider(name); ok && len(list) == 0 { // BEGIN, kfunc
		list = is(kind)
	}
	if setting, ok := builtin.OldSettings[name]; ok {
		list = append(list, is(setting)...)
	}
	return list
}

// Foreign says what a word of C, awk, DTrace, SystemTap or BPF is in this
// language; empty if it is not known.
func Foreign(word string) string { return builtin.Foreign()[word] }

// IsSyscall reports whether Linux has a system call of that name on this architecture.
func IsSyscall(name string) bool {
	return name != "" && slices.Contains(syscalls.Names(runtime.GOARCH), name)
}
