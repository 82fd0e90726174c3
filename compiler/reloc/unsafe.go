package reloc

import (
	"slices"

	"fst/compiler/ir"
	"fst/compiler/object"
	"fst/compiler/target"
)

// Acts says by what an object acts on the system, as scripts do that need --unsafe: it is read off the
// instructions, messages and hooks themselves. It is empty if the object only looks.
func Acts(o *object.Object, t target.Target) []string {
	var list []string
	add := func(what string) {
		if what != "" && !slices.Contains(list, what) {
			list = append(list, what)
		}
	}
	for _, p := range o.Programs {
		for call := range p.Code.Calls() {
			if call >= 0 && ir.EffectsOf(call)&ir.Acts != 0 {
				add(ir.HelperUse(call))
			}
		}
		for i := range p.Hooks {
			add(doubtful(&p.Hooks[i], t))
		}
	}
	for _, m := range o.Messages {
		if m.Kind == object.MsgSystem {
			add("system")
		}
	}
	return list
}

// doubtful says what of a hook may break what it is on, if nobody can tell that an instruction
// begins there.
func doubtful(h *object.Hook, t target.Target) string {
	switch h.Kind {
	case object.HookKprobe, object.HookKretprobe:
		if h.Function == "" {
			return "kprobe at an address"
		}
		if start, ok := t.Symbol(h.Function); h.Offset != 0 && ok {
			if within, ok := t.SymbolOffset(start + h.Offset); ok && within != h.Offset {
				return "kprobe outside of its function"
			}
		}
	case object.HookUprobe, object.HookUretprobe:
		addr, _, ok := t.Address(h.Path, h.FileOffset)
		if !ok {
			return "uprobe outside of the code"
		}
		fn, ok := t.FunctionAt(h.Path, addr)
		if ok && fn.Addr == addr {
			return ""
		}
		if list, err := t.USDT(h.Path, "*", "*"); err == nil &&
			slices.ContainsFunc(list, func(p target.USDTProbe) bool { return p.Offset == h.FileOffset }) {
			return ""
		}
		code, known := t.(target.Code)
		if !ok || !known || !code.IsInstruction(h.Path, fn, addr-fn.Addr) {
			return "uprobe in the middle of an instruction"
		}
	}
	return ""
}
