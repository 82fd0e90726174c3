package interpreter

import (
	"regexp"
	"sync"

	"fst/compiler/builtin"
	"fst/compiler/ir"
	"fst/compiler/ir/interp"
	"fst/compiler/object"
	"fst/compiler/target"
	"fst/lang/diag"
	"fst/lang/source"
)

// Target is a kernel as scripts must be compiled for it to be interpreted: names and
// values of a thread come from functions, not out of the kernel's own memory.
func Target(t target.Target) target.Target {
	if l, ok := t.(live); ok {
		return running{l}
	}
	return recorded{t}
}

// ofThreads are what programs have of the kernel's threads by pointers to them.
var ofThreads = map[target.Feature]bool{target.TaskStorage: true, target.ThreadMaps: true}

// live is what scripts without probes in programs ask of the system.
type live interface {
	target.Target
	target.PIDNamespace
	target.Files
	target.Cgroups
}

type running struct{ live }

func (r running) Has(f target.Feature) bool { return !ofThreads[f] && r.live.Has(f) }

type recorded struct{ target.Target }

func (r recorded) Has(f target.Feature) bool { return !ofThreads[f] && r.Target.Has(f) }

// remedy is what to do about all that the interpreter does not have.
const remedy = "as root, and without --backend interpreter, it runs in the kernel; --probe-filter chooses other tests"

// runs are the hooks whose programs the interpreter runs.
var runs = map[object.HookKind]bool{object.HookBegin: true, object.HookEnd: true, object.HookTest: true, object.HookBench: true, object.HookInterval: true}

// Check refuses what the interpreter does not have: probes, and built-ins that ask the kernel.
func Check(obj *object.Object, code []*ir.Program, diags *diag.List) {
	seen := map[source.Span]bool{}
	refuse := func(sp source.Span, what string) {
		if !seen[sp] {
			seen[sp] = true
			diags.Errorf(sp, "%s needs the kernel: the interpreter does not have it", what).Hint = remedy
		}
	}
	for i, p := range obj.Programs {
		for _, h := range p.Hooks {
			if !runs[h.Kind] {
				refuse(h.Span, h.Name)
			}
		}
		for _, f := range code[i].Funcs {
			for _, b := range f.Blocks {
				for n := range b.Instrs {
					if in := &b.Instrs[n]; in.Op == ir.OpCall && in.Func == 0 && !interp.BuiltIn(in.Helper) && known[in.Helper] == nil {
						sp := in.Span
						if !sp.IsValid() {
							sp = p.Span
						}
						refuse(sp, name(obj.Sources.Text(sp), in.Helper))
					}
				}
			}
		}
	}
}

var word = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^\w+`) })

// name is what calls a helper: the built-in with which its text begins.
func name(text string, helper int32) string {
	w := word().FindString(text)
	if _, ok := builtin.FuncByName(w); ok {
		return w
	}
	if _, ok := builtin.VarByName(w); ok {
		return w
	}
	if what := ir.HelperUse(helper); what != "" {
		return what
	}
	return "this"
}
