package fst

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/ianlancetaylor/demangle"

	"fst/compiler/target"
	"fst/compiler/types"
)

// What there is of each kind of probes, for a listing.

// list lists the probes of a family of the standard library.
func (f Family) list(pattern string) []listed {
	var out []listed
	for _, p := range f.Probes {
		name := strings.TrimPrefix(p.Name, f.Name+":")
		if !match(pattern, name) {
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
	return out
}

// fixed lists names that every kernel has.
func fixed(names ...string) func(*Kernel, string, int) ([]listed, error) {
	return func(_ *Kernel, rest string, _ int) ([]listed, error) {
		var out []listed
		for _, n := range names {
			if rest == "" || match(rest, n) || match(rest, strings.TrimSuffix(n, ":")) {
				out = append(out, listed{name: n})
			}
		}
		return out, nil
	}
}

// arguments spells parameters and result as C does.
func arguments(f *target.Func) []string {
	var args []string
	for _, p := range f.Params {
		args = append(args, declare(p.Decl, p.Type)+" "+p.Name)
	}
	if f.Result != nil && f.Result.Kind != types.None {
		args = append(args, declare(f.ResultDecl, f.Result)+" retval")
	}
	return args
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

func listFunctions(withModule, needBTF bool) func(*Kernel, string, int) ([]listed, error) {
	return func(k *Kernel, rest string, _ int) ([]listed, error) {
		need, lacks := target.Kprobes, errNoKprobes
		if needBTF {
			need, lacks = target.Trampolines, errNoTrampolines
		}
		if !k.system.Has(need) {
			return nil, lacks
		}
		module, pattern := functionPattern(rest)
		if module == "bpf" && needBTF {
			return listBPFFunctions(k, pattern), nil
		}
		names, err := k.system.Traceable(module, pattern)
		if err != nil {
			return nil, err
		}
		var out []listed
		for _, n := range names {
			if needBTF {
				if _, ok := k.system.Function(n.Module, n.Name); !ok {
					continue
				}
			}
			name := n.Name
			if withModule || module != "" || n.Module != "" && n.Module != "vmlinux" {
				name = n.Module + ":" + n.Name
			}
			out = append(out, listed{name: name, args: func() []string {
				if f, ok := k.system.Function(n.Module, n.Name); ok {
					return arguments(f)
				}
				return nil
			}})
		}
		return out, nil
	}
}

// listBPFFunctions lists functions of BPF programs: [ID:]FUNCTION.
func listBPFFunctions(k *Kernel, pattern string) []listed {
	id, name, ok := strings.Cut(pattern, ":")
	if !ok {
		id, name = "*", pattern
	}
	var out []listed
	for _, f := range k.system.BPFFunctions() {
		if number := strconv.FormatUint(uint64(f.Program), 10); match(id, number) && match(name, f.Func.Name) {
			out = append(out, listed{name: "bpf:" + number + ":" + f.Func.Name, args: func() []string { return arguments(f.Func) }})
		}
	}
	return out
}

func listSyscalls(k *Kernel, rest string, _ int) ([]listed, error) {
	var out []listed
	for _, name := range k.system.Syscalls(rest) {
		out = append(out, listed{name: name, args: func() []string {
			if f, ok := k.system.Syscall(name); ok {
				return arguments(f)
			}
			return nil
		}})
	}
	return out, nil
}

// listIterators lists the iterators: each has a struct for its context.
func listIterators(k *Kernel, rest string, _ int) ([]listed, error) {
	const context = "bpf_iter__"
	if !k.system.Has(target.Trampolines) {
		return nil, errNoTrampolines
	}
	var out []listed
	for _, name := range k.system.TypeNames() {
		name, ok := strings.CutPrefix(name, context)
		if !ok || !match(rest, name) {
			continue
		}
		if _, ok := k.system.Function("", "bpf_iter_"+name); !ok {
			continue
		}
		out = append(out, listed{name: name, args: func() []string {
			t, _ := k.system.Type("struct", context+name)
			var args []string
			for _, n := range t.FieldNames() { // most are in unions without a name
				if f, ok := t.Field(n); ok && n != "meta" {
					args = append(args, declare(nil, f.Type)+" "+n)
				}
			}
			return args
		}})
	}
	return out, nil
}

func listRawTracepoints(k *Kernel, rest string, _ int) ([]listed, error) {
	module, pattern := functionPattern(rest)
	var out []listed
	for _, name := range k.system.RawTracepoints(pattern) {
		f, ok := k.system.RawTracepoint(name)
		if !ok || module != "" && !match(module, f.Module) {
			continue
		}
		out = append(out, listed{name: f.Module + ":" + name, args: func() []string { return arguments(f) }})
	}
	return out, nil
}

func listTracepoints(k *Kernel, rest string, _ int) ([]listed, error) {
	category, event, ok := strings.Cut(rest, ":")
	if !ok {
		category, event = "*", rest
	}
	names, err := k.system.Tracepoints(category, event)
	if len(names) == 0 && !ok {
		names, err = k.system.Tracepoints(rest, "*")
	}
	if err != nil {
		return nil, err
	}
	var out []listed
	for _, name := range names {
		out = append(out, listed{name: name, args: func() []string {
			c, e, _ := strings.Cut(name, ":")
			tp, err := k.system.Tracepoint(c, e)
			if err != nil || tp == nil {
				return nil
			}
			return tp.Decls
		}})
	}
	return out, nil
}

// listSymbols lists the functions of a binary: the rest is PATH[:[cpp:]FUNCTION].
func listSymbols(withArgs bool) func(*Kernel, string, int) ([]listed, error) {
	return func(k *Kernel, rest string, pid int) ([]listed, error) {
		binary, pattern, ok := strings.Cut(rest, ":")
		if !ok && pid != 0 && !strings.Contains(rest, "/") {
			binary, pattern = "*", rest // in all that the process uses
		}
		if pattern == "" {
			pattern = "*"
		}
		paths, err := k.system.Binary(binary, pid)
		if err != nil {
			return nil, err
		}
		var out []listed
		for _, p := range paths {
			l := listed{}
			if cpp, ok := strings.CutPrefix(pattern, "cpp:"); ok {
				symbols, _ := k.system.MangledSymbols(p, strings.ReplaceAll(cpp, `"`, ""))
				for _, s := range symbols {
					l.name = fmt.Sprintf("%s:cpp:%q", target.ShownPath(binary, p), demangle.Filter(s.Name))
					if withArgs {
						l.args = func() []string { return k.userArguments(p, s) }
					}
					out = append(out, l)
				}
				continue
			}
			names, _ := k.system.SymbolNames(p, strings.ReplaceAll(pattern, `"`, ""))
			for _, name := range names {
				l.name = target.ShownPath(binary, p) + ":" + name
				if withArgs {
					l.args = func() []string {
						symbols, _ := k.system.Symbols(p, name)
						for _, s := range symbols {
							return k.userArguments(p, s)
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
func (k *Kernel) userArguments(path string, s target.UserSymbol) []string {
	fn, ok := k.system.UserFunction(path, s)
	if !ok {
		return nil
	}
	var args []string
	for _, p := range fn.Params {
		args = append(args, declare(p.Decl, p.Type)+" "+p.Name)
	}
	return args
}

func listUSDT(k *Kernel, rest string, pid int) ([]listed, error) {
	parts := append(strings.SplitN(rest, ":", 3), "", "")
	provider, name := parts[1], parts[2]
	if name == "" {
		provider, name = "*", provider
	}
	if name == "" {
		name = "*"
	}
	paths, err := k.system.Binary(parts[0], pid)
	if err != nil {
		return nil, err
	}
	var names []string
	for _, p := range paths {
		probes, err := k.system.USDT(p, provider, name)
		if err != nil {
			continue
		}
		for _, u := range probes {
			names = append(names, target.ShownPath(parts[0], p)+":"+u.Provider+":"+u.Name)
		}
	}
	var out []listed
	for _, n := range sortedUnique(names) {
		out = append(out, listed{name: n})
	}
	return out, nil
}
