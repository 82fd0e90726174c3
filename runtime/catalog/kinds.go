package catalog

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/ianlancetaylor/demangle"

	"fst/compiler/probe"
	"fst/compiler/reference"
	"fst/compiler/target"
	"fst/compiler/types"
	"fst/runtime/kernel"
)

// What there is of each kind of probes, for a listing.

// listStable lists the probes of a family of the standard library.
func listStable(family string) func(*kernel.System, string, int) ([]listed, error) {
	return func(_ *kernel.System, pattern string, _ int) ([]listed, error) {
		f, _ := reference.FamilyByName(family)
		var out []listed
		for _, p := range f.Probes {
			name := strings.TrimPrefix(p.Name, f.Name+":")
			if !target.Match(pattern, name) {
				continue
			}
			out = append(out, listed{name: name, doc: p.Summary, args: func() []string {
				var args []string
				for _, fd := range p.Fields {
					args = append(args, fd.Decl()+" // "+fd.Doc)
				}
				return args
			}})
		}
		return out, nil
	}
}

// fixed lists names that every kernel has.
func fixed(names ...string) func(*kernel.System, string, int) ([]listed, error) {
	return func(_ *kernel.System, rest string, _ int) ([]listed, error) {
		var out []listed
		for _, n := range names {
			if rest == "" || target.Match(rest, n) || target.Match(rest, strings.TrimSuffix(n, ":")) {
				out = append(out, listed{name: n})
			}
		}
		return out, nil
	}
}

// perfEvents lists the events of software: or hardware:.
func perfEvents(provider string) func(*kernel.System, string, int) ([]listed, error) {
	names := probe.PerfEvents(provider)
	for i := range names {
		names[i] += ":"
	}
	slices.Sort(names)
	return fixed(names...)
}

// signature spells what there is of a function at a probe.
type signature func(f *target.Func) []string

// parameters spells the parameters as C does.
func parameters(f *target.Func) []string {
	var args []string
	for _, p := range f.Params {
		args = append(args, declare(p.Decl, p.Type)+" "+p.Name)
	}
	return args
}

// result spells the result, if there is one.
func result(f *target.Func) []string {
	if f.Result == nil || f.Result.Kind == types.None {
		return nil
	}
	return []string{declare(f.ResultDecl, f.Result) + " retval"}
}

// arguments spells parameters and result.
func arguments(f *target.Func) []string { return append(parameters(f), result(f)...) }

// atEntry spells the parameters under the names that bpftrace has for them at a
// kprobe. What they are called in the source is said above.
func atEntry(f *target.Func) []string {
	args := byName("", f)
	for i, p := range f.Params {
		args = append(args, fmt.Sprintf("%s arg%d", declare(p.Decl, p.Type), i))
	}
	return args
}

// atReturn spells what there is at a kretprobe.
func atReturn(f *target.Func) []string { return append(byName("as at the entry: ", f), result(f)...) }

// byName names the members of args in a line of comment.
func byName(lead string, f *target.Func) []string {
	var names []string
	for _, p := range f.Params {
		names = append(names, "args."+p.Name)
	}
	if len(names) == 0 {
		return nil
	}
	return []string{"// " + lead + strings.Join(names, ", ")}
}

func declare(decl func() string, t *types.Type) string {
	if decl != nil {
		return decl()
	}
	return t.String()
}

// functionPattern splits MODULE:FUNCTION; the module is optional.
func functionPattern(rest string) (module, function string) {
	if m, f, ok := strings.Cut(rest, ":"); ok {
		return m, f
	}
	return "", rest
}

// listFunctions lists functions of the kernel: for trampolines those that the
// kernel's BTF describes, with their module. args spells what has a name there,
// shown what is written, if that is not the same.
func listFunctions(trampolines bool, args, shown signature) func(*kernel.System, string, int) ([]listed, error) {
	return func(k *kernel.System, rest string, _ int) ([]listed, error) {
		need, lacks := target.Kprobes, errNoKprobes
		if trampolines {
			need, lacks = target.Trampolines, errNoTrampolines
		}
		if !k.Has(need) {
			return nil, lacks
		}
		module, pattern := functionPattern(rest)
		if module == "bpf" && trampolines {
			return listBPFFunctions(k, pattern, args), nil
		}
		names, err := k.Traceable(module, pattern)
		if err != nil {
			return nil, err
		}
		var out []listed
		for _, n := range names {
			if trampolines {
				if _, ok := k.Function(n.Module, n.Name); !ok {
					continue
				}
			}
			name := n.Name
			if trampolines || module != "" || n.Module != "" && n.Module != "vmlinux" {
				name = n.Module + ":" + n.Name
			}
			spell := func(s signature) func() []string {
				if s == nil {
					return nil
				}
				return func() []string {
					if f, ok := k.Function(n.Module, n.Name); ok {
						return s(f)
					}
					return nil
				}
			}
			out = append(out, listed{name: name, args: spell(args), shown: spell(shown)})
		}
		return out, nil
	}
}

// listBPFFunctions lists functions of BPF programs: [ID:]FUNCTION.
func listBPFFunctions(k *kernel.System, pattern string, args signature) []listed {
	id, name, ok := strings.Cut(pattern, ":")
	if !ok {
		id, name = "*", pattern
	}
	var out []listed
	for _, f := range k.BPFFunctions() {
		if number := strconv.FormatUint(uint64(f.Program), 10); target.Match(id, number) && target.Match(name, f.Func.Name) {
			out = append(out, listed{name: "bpf:" + number + ":" + f.Func.Name, args: func() []string { return args(f.Func) }})
		}
	}
	return out
}

func listSyscalls(k *kernel.System, rest string, _ int) ([]listed, error) {
	var out []listed
	for _, name := range k.Syscalls(rest) {
		out = append(out, listed{name: name, args: func() []string {
			if f, ok := k.Syscall(name); ok {
				return arguments(f)
			}
			return nil
		}})
	}
	return out, nil
}

func listIterators(k *kernel.System, rest string, _ int) ([]listed, error) {
	var out []listed
	for _, name := range k.Iterators() {
		if !target.Match(rest, name) {
			continue
		}
		f, ok := k.Function("", "bpf_iter_"+name)
		if !ok {
			continue
		}
		// Its parameters are the members of the context, behind the one that all have.
		out = append(out, listed{name: name, args: func() []string { return parameters(f)[min(1, len(f.Params)):] }})
	}
	return out, nil
}

func listRawTracepoints(k *kernel.System, rest string, _ int) ([]listed, error) {
	module, pattern := functionPattern(rest)
	var out []listed
	for _, name := range k.RawTracepoints(pattern) {
		f, ok := k.RawTracepoint(name)
		if !ok || module != "" && !target.Match(module, f.Module) {
			continue
		}
		out = append(out, listed{name: f.Module + ":" + name, args: func() []string { return arguments(f) }})
	}
	return out, nil
}

func listTracepoints(k *kernel.System, rest string, _ int) ([]listed, error) {
	category, event, ok := strings.Cut(rest, ":")
	if !ok {
		category, event = "*", rest
	}
	names, err := k.Tracepoints(category, event)
	if len(names) == 0 && !ok {
		names, err = k.Tracepoints(rest, "*")
	}
	if err != nil {
		return nil, err
	}
	var out []listed
	for _, name := range names {
		out = append(out, listed{name: name, args: func() []string {
			c, e, _ := strings.Cut(name, ":")
			tp, err := k.Tracepoint(c, e)
			if err != nil || tp == nil {
				return nil
			}
			return tp.Decls
		}})
	}
	return out, nil
}

// listSymbols lists the functions of a binary: the rest is PATH[:[cpp:|inline:]FUNCTION].
func listSymbols(withArgs bool) func(*kernel.System, string, int) ([]listed, error) {
	return func(k *kernel.System, rest string, pid int) ([]listed, error) {
		binary, pattern, ok := strings.Cut(rest, ":")
		if !ok && pid != 0 && !strings.Contains(rest, "/") {
			binary, pattern = "*", rest // in all that the process uses
		}
		if pattern == "" {
			pattern = "*"
		}
		paths, err := k.Binary(binary, pid)
		if err != nil {
			return nil, err
		}
		var out []listed
		for _, p := range paths {
			l := listed{}
			if cpp, ok := strings.CutPrefix(pattern, "cpp:"); ok {
				symbols, _ := k.MangledSymbols(p, strings.ReplaceAll(cpp, `"`, ""))
				for _, s := range symbols {
					l.name = fmt.Sprintf("%s:cpp:%q", target.ShownPath(binary, p), demangle.Filter(s.Name))
					if withArgs {
						l.args = func() []string { return userArguments(k, p, s) }
					}
					out = append(out, l)
				}
				continue
			}
			if inline, ok := strings.CutPrefix(pattern, "inline:"); ok {
				copies, _ := k.InlinedCopies(p, strings.ReplaceAll(inline, `"`, ""))
				slices.SortFunc(copies, func(a, b target.UserSymbol) int { return strings.Compare(a.Name, b.Name) })
				for _, c := range slices.CompactFunc(copies, func(a, b target.UserSymbol) bool { return a.Name == b.Name }) {
					name := demangle.Filter(c.Name)
					if name != c.Name {
						name = strconv.Quote(name)
					}
					l.name = target.ShownPath(binary, p) + ":inline:" + name
					out = append(out, l)
				}
				continue
			}
			names, err := k.SymbolNames(p, strings.ReplaceAll(pattern, `"`, ""))
			if err != nil && len(paths) == 1 {
				return nil, err
			}
			for _, name := range names {
				l.name = target.ShownPath(binary, p) + ":" + name
				if withArgs {
					l.args = func() []string {
						symbols, _ := k.Symbols(p, name)
						for _, s := range symbols {
							return userArguments(k, p, s)
						}
						return nil
					}
				}
				out = append(out, l)
			}
		}
		return out, nil
	}
}

// userArguments spells the parameters of a function of a program.
func userArguments(k *kernel.System, path string, s target.UserSymbol) []string {
	fn, ok := k.UserFunction(path, s)
	if !ok {
		return nil
	}
	var args []string
	for _, p := range fn.Params {
		args = append(args, declare(p.Decl, p.Type)+" "+p.Name)
	}
	return args
}

func listUSDT(k *kernel.System, rest string, pid int) ([]listed, error) {
	if pid != 0 && !strings.ContainsAny(rest, ":/") {
		rest = "*:" + rest // in all that the process uses
	}
	parts := append(strings.SplitN(rest, ":", 3), "", "")
	provider, name := parts[1], parts[2]
	if name == "" {
		provider, name = "*", provider
	}
	if name == "" {
		name = "*"
	}
	paths, err := k.Binary(parts[0], pid)
	if err != nil {
		return nil, err
	}
	places := map[string][]string{} // the arguments at each, by the name of the probe
	first := map[string]target.USDTProbe{}
	for _, p := range paths {
		probes, err := k.USDT(p, provider, name)
		if err != nil && len(paths) == 1 {
			return nil, err
		}
		for _, u := range probes {
			name := target.ShownPath(parts[0], p) + ":" + u.Provider + ":" + u.Name
			if _, ok := first[name]; !ok {
				first[name] = u
			}
			if text := strings.Join(staticArguments(u.Args), "\n"); !slices.Contains(places[name], text) {
				places[name] = append(places[name], text)
			}
		}
	}
	var out []listed
	for _, n := range slices.Sorted(maps.Keys(first)) {
		out = append(out, listed{name: n,
			args: func() []string {
				return slices.DeleteFunc(staticArguments(first[n].Args), func(a string) bool { return strings.HasPrefix(a, "//") })
			},
			shown: func() []string {
				if len(places[n]) == 1 && places[n][0] == "" {
					return nil
				}
				return strings.Split(strings.Join(places[n], "\n// at another place:\n"), "\n")
			}})
	}
	return out, nil
}

// staticArguments spells the arguments of a static probe, each with the place where
// the program has it.
func staticArguments(args []target.USDTArg) []string {
	var list []string
	for i, a := range args {
		_, place, _ := strings.Cut(a.Text, "@")
		if a.Size == 0 {
			list = append(list, fmt.Sprintf("// arg%d can't be read: %s", i, a.Text))
			continue
		}
		list = append(list, fmt.Sprintf("%s arg%d // %s", types.IntType(a.Size, a.Signed), i, place))
	}
	return list
}
