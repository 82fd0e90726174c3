package facts

import (
	"slices"
	"strings"

	"fst/compiler/target"
)

// Traceable implements target.Target.
func (k *Kernel) Traceable(module, pattern string) ([]target.FuncName, error) {
	if target.IsWild(pattern) {
		return k.traceable(module, pattern)
	}
	// Compiles ask for the same few names again and again, and the list is long.
	key := target.FuncName{Name: pattern, Module: module}
	k.mu.Lock()
	found, known := k.traced[key]
	k.mu.Unlock()
	if known {
		return slices.Clone(found), nil
	}
	found, err := k.traceable(module, pattern)
	if err == nil {
		k.mu.Lock()
		k.traced[key] = slices.Clone(found)
		k.mu.Unlock()
	}
	return found, err
}

func (k *Kernel) traceable(module, pattern string) ([]target.FuncName, error) {
	wild := target.IsWild(pattern)
	literal := ""
	switch {
	case wild:
	case module == "", module == "*", module == Vmlinux: // the kernel's own come first
		literal = pattern
	case !target.IsWild(module):
		literal = pattern + " [" + module + "]"
	}
	list, err := k.src.Traceable(literal)
	if err != nil {
		if wild {
			return nil, err
		}
		if target.IsWild(module) {
			module = ""
		}
		return []target.FuncName{{Name: pattern, Module: module, Unsure: true}}, nil
	}
	var black map[string]bool
	if wild {
		black = k.src.Blacklist()
	}
	found := FilterFunctions(list, orAny(module), pattern, black)
	if literal == pattern && len(found) > 0 && k.src.HasNamesakes(pattern) {
		if list, err = k.src.Traceable(""); err != nil {
			return nil, err
		}
		found = FilterFunctions(list, orAny(module), pattern, black)
	}
	return found, nil
}

// FilterFunctions selects from the text of available_filter_functions. With a
// wildcard the functions that are known to do harm or to be parts of others
// are left out; a literal name is taken as it is.
func FilterFunctions(list, module, pattern string, black map[string]bool) []target.FuncName {
	wild := target.IsWild(pattern)
	var found []target.FuncName
	take := func(line string) {
		name, mod, ok := strings.Cut(line, " ")
		if mod = strings.Trim(mod, "[] \t"); !ok || mod == "" {
			mod = Vmlinux
		}
		if !target.Match(pattern, name) || wild && (excluded(name) || black[name]) {
			return
		}
		found = append(found, target.FuncName{Name: name, Module: mod})
	}
	if !wild {
		// Names are rare: look for the text instead of taking lines apart.
		for i := 0; i < len(list); {
			j := strings.Index(list[i:], pattern)
			if j < 0 {
				break
			}
			j += i
			i = j + len(pattern)
			if j > 0 && list[j-1] != '\n' {
				continue
			}
			line, _, _ := strings.Cut(list[j:], "\n")
			take(line)
		}
	} else {
		for line := range strings.Lines(list) {
			take(strings.TrimSuffix(line, "\n"))
		}
	}
	slices.SortFunc(found, func(a, b target.FuncName) int {
		if c := strings.Compare(a.Name, b.Name); c != 0 {
			return c
		}
		return strings.Compare(a.Module, b.Module)
	})
	distinct := found[:0]
	for len(found) > 0 {
		// Those of one name, in any module.
		n := slices.IndexFunc(found, func(f target.FuncName) bool { return f.Name != found[0].Name })
		if n < 0 {
			n = len(found)
		}
		elsewhere := found[0].Module != found[n-1].Module
		for _, f := range found[:n] {
			if !target.Match(module, f.Module) {
				continue
			}
			if last := len(distinct) - 1; last >= 0 && distinct[last].Name == f.Name && distinct[last].Module == f.Module {
				distinct[last].Several = true
				continue
			}
			f.Elsewhere = elsewhere
			distinct = append(distinct, f)
		}
		found = found[n:]
	}
	return distinct
}

// excluded reports whether wildcards skip a function.
func excluded(name string) bool {
	switch name {
	case "arch_cpu_idle", "default_idle", "bpf_dispatcher_xdp_func":
		return true
	}
	if strings.HasPrefix(name, "rcu_") || strings.HasPrefix(name, "__ftrace_invalid_address__") {
		return true
	}
	// Parts of a function that the compiler cut out begin where no call does.
	// Copies of whole functions (.isra., .constprop.) are what is called.
	if strings.Contains(name, ".part.") || strings.Contains(name, ".cold") {
		return true
	}
	return false
}
