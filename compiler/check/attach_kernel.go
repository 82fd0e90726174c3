package check

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"fst/compiler/object"
	"fst/compiler/target"
	"fst/compiler/target/facts"
	"fst/compiler/types"
	"fst/lang/ast"
	"fst/lang/diag"
)

// splitFunction takes "mod:fn" and "fn" apart.
func splitFunction(ap *ast.AttachPoint) (module, fn string, at int, ok bool) {
	switch len(ap.Parts) {
	case 1:
		return "", ap.Parts[0], 0, ap.Parts[0] != ""
	case 2:
		return ap.Parts[0], ap.Parts[1], 1, ap.Parts[1] != "" && ap.Parts[0] != ""
	}
	return "", "", 0, false
}

// functions lists the functions that a kernel probe names.
func (c *checker) functions(ap *ast.AttachPoint, module, fn string, at int) ([]target.FuncName, *failure) {
	found, err := c.t.Traceable(module, fn)
	if err != nil {
		return nil, &failure{span: partSpan(ap, at), msg: "the functions of the kernel can't be listed: " + err.Error(),
			hint: "name the function without *"}
	}
	if len(found) > 0 {
		// One name in several modules attaches once by name, to the kernel's
		// own first.
		slices.SortStableFunc(found, func(a, b target.FuncName) int {
			if n := strings.Compare(a.Name, b.Name); n != 0 {
				return n
			}
			return strings.Compare(strconv.FormatBool(a.Module != "vmlinux"), strconv.FormatBool(b.Module != "vmlinux"))
		})
		if module == "" {
			found = slices.CompactFunc(found, func(a, b target.FuncName) bool { return a.Name == b.Name })
		}
		return found, nil
	}
	f := &failure{span: partSpan(ap, at), missing: true, hint: "fst -l 'kprobe:*WORD*' lists the functions whose names hold a word; a module's are there once it is loaded"}
	if strings.ContainsAny(fn+module, "[]?") {
		f.msg = fmt.Sprintf("no kernel function is called %s", strings.Join(ap.Parts, ":"))
		f.hint = "only * stands for other characters; names and patterns may be listed, with ',' between them"
		return nil, f
	}
	if isWild(fn) || isWild(module) {
		f.wild = true
		f.msg = fmt.Sprintf("no kernel function matches %s", strings.Join(ap.Parts, ":"))
		f.hint = "fst -l 'kprobe:*' lists them"
		if rest, ok := strings.CutPrefix(strings.ToLower(fn), "sys_"); ok {
			f.hint = "the functions of system calls have other names on each kernel: write syscall:" + rest
		}
		return nil, f
	}
	f.msg = fmt.Sprintf("the kernel has no function %s that can be probed", fn)
	if _, known := c.t.Function(module, fn); known {
		f.msg = fmt.Sprintf("%s can't be probed: the compiler inlined it, or the kernel forbids it", fn)
	}
	if elsewhere, _ := c.t.Traceable("", fn); module != "" && len(elsewhere) > 0 {
		where := "module " + elsewhere[0].Module
		if elsewhere[0].Module == "vmlinux" {
			where = "kernel itself"
		}
		f.msg = fmt.Sprintf("the module %s has no function %s that can be probed", module, fn)
		f.hint = fmt.Sprintf("here it is in the %s: %s:%s", where, ap.Provider, fn)
		return nil, f
	}
	if lib := c.userLibrary(fn); lib != "" && module == "" && !c.isSyscall(fn) && c.successor(fn) == "" {
		f.hint = fmt.Sprintf("it is a function of programs, in %s: write %s:%s:%s", lib, userForm[ap.Provider], lib, fn)
		return nil, f
	}
	f.near = func() string { return c.nearestFunction(f, module, fn) }
	return nil, f
}

func (c *checker) resolveKprobe(ap *ast.AttachPoint) ([]point, *failure) {
	module, fn, at, ok := splitFunction(ap)
	if !ok {
		return nil, badForm(ap)
	}
	kind := object.HookKprobe
	if ap.Provider == "kretprobe" {
		kind = object.HookKretprobe
	}
	if fn[0] >= '0' && fn[0] <= '9' {
		return c.kprobeAddress(ap, fn, at)
	}
	fn, offset, fail := splitOffset(ap, fn, at)
	if fail != nil {
		return nil, fail
	}
	if offset != 0 && kind == object.HookKretprobe {
		return nil, &failure{span: partSpan(ap, at), msg: "a probe of a function's return can't have an offset", hint: "write kretprobe:" + fn}
	}
	names, fail := c.functions(ap, module, fn, at)
	if fail != nil {
		return nil, fail
	}
	var points []point
	for _, n := range names {
		if offset != 0 && !c.opts.Unsafe && c.isOutside(n.Name, offset) {
			return nil, &failure{span: partSpan(ap, at), msg: fmt.Sprintf("%s+%d is outside of the function", n.Name, offset),
				hint: "name the function that is there; with --unsafe the kernel takes any instruction"}
		}
		h := object.Hook{Kind: kind, Name: ap.Provider + ":", Function: n.Name, Module: n.Module, Offset: offset,
			Wild: isWild(fn) || isWild(module)}
		if module != "" {
			h.Name += n.Module + ":"
		}
		h.Name += n.Name
		if offset != 0 {
			h.Name += fmt.Sprintf("+%d", offset)
		}
		h.Multi = len(names) > 1 && offset == 0 && c.t.Has(target.KprobeMulti)
		p := point{provider: ap.Provider, hook: h}
		p.fn, _ = c.t.Function(n.Module, n.Name)
		if p.fn != nil && offset == 0 {
			p.args = paramStruct(p.fn)
		}
		if kind == object.HookKretprobe {
			p.retval = registerResult(p.fn)
		}
		points = append(points, p)
	}
	return points, nil
}

func splitOffset(ap *ast.AttachPoint, fn string, at int) (name string, offset uint64, fail *failure) {
	i := strings.LastIndexByte(fn, '+')
	if i < 1 || strings.HasSuffix(fn[:i], "operator") || strings.HasSuffix(fn, ")") {
		return fn, 0, nil
	}
	offset, err := strconv.ParseUint(fn[i+1:], 0, 32)
	if err != nil {
		return fn, 0, &failure{span: partSpan(ap, at), msg: fmt.Sprintf("%q is not an offset", fn[i+1:]), hint: "write FUNCTION+4 or FUNCTION+0x10"}
	}
	return fn[:i], offset, nil
}

func (c *checker) kprobeAddress(ap *ast.AttachPoint, text string, at int) ([]point, *failure) {
	addr, err := strconv.ParseUint(text, 0, 64)
	switch {
	case err != nil:
		return nil, &failure{span: partSpan(ap, at), msg: fmt.Sprintf("%q is neither a function nor an address", text), hint: "an address is written 0x..."}
	case !c.opts.Unsafe:
		return nil, &failure{span: partSpan(ap, at), msg: "a probe at an address may stop the machine", hint: "run with --unsafe, or name a function"}
	case ap.Provider == "kretprobe":
		return nil, &failure{span: partSpan(ap, at), msg: "a probe of a return needs a function", hint: "use kprobe: for an address"}
	}
	return []point{{provider: ap.Provider, hook: object.Hook{Kind: object.HookKprobe, Name: fmt.Sprintf("kprobe:%d", addr), Address: addr}}}, nil
}

// isOutside reports whether an offset leads out of a kernel function: the kernel would
// put the probe into another one.
func (c *checker) isOutside(fn string, offset uint64) bool {
	start, ok := c.t.Symbol(fn)
	if !ok {
		return false
	}
	within, ok := c.t.SymbolOffset(start + offset)
	return ok && within != offset
}

func (c *checker) resolveFentry(ap *ast.AttachPoint) ([]point, *failure) {
	if len(ap.Parts) > 0 && ap.Parts[0] == "bpf" {
		return c.resolveProgram(ap)
	}
	module, fn, at, ok := splitFunction(ap)
	if !ok {
		return nil, badForm(ap)
	}
	if !c.t.Has(target.Trampolines) {
		long := "kprobe:"
		if ap.Provider == "fexit" {
			long = "kretprobe:"
		}
		return nil, &failure{span: ap.Span, msg: "this kernel does not let BPF trampolines attach", hint: "use " + long + fn + ", or call:" + fn, missing: true}
	}
	names, fail := c.functions(ap, module, fn, at)
	if fail != nil {
		return nil, fail
	}
	kind := object.HookFentry
	if ap.Provider == "fexit" {
		kind = object.HookFexit
	}
	wild := isWild(fn) || isWild(module)
	reason := "the kernel's type information does not describe %s well enough to attach there"
	var points []point
	var out []string
	for _, n := range names {
		f, ok := c.t.Function(n.Module, n.Name)
		if !ok && n.Module == "" {
			f, ok = c.t.Function("vmlinux", n.Name)
		}
		if !ok {
			out = append(out, n.Name)
			continue
		}
		if !f.Trampoline(c.t.Version()) {
			reason = "BPF trampolines of this kernel do not pass on all that %s takes or returns"
			out = append(out, n.Name)
			continue
		}
		h := object.Hook{Kind: kind, Name: ap.Provider + ":" + f.Module + ":" + n.Name, Function: n.Name, Module: f.Module, BTFID: f.ID, Wild: wild}
		p := point{provider: ap.Provider, hook: h, fn: f, args: paramStruct(f)}
		if kind == object.HookFexit {
			p.retval = resultOf(f)
		}
		points = append(points, p)
	}
	if len(points) == 0 {
		return nil, &failure{span: partSpan(ap, at), missing: true, wild: wild,
			msg: fmt.Sprintf(reason, fn), hint: "use kprobe:" + fn}
	}
	if len(out) > 0 && c.info.Config.MissingProbes != "ignore" {
		c.diags.Warnf(partSpan(ap, at), "%d of %s are left out, since BPF trampolines of this kernel do not pass on all that they take or its type information does not describe them: %s",
			len(out), plural(len(names), "function"), some(out)).Hintf("call: and kprobe: have them all")
	}
	return points, nil
}

// some are the first of some names.
func some(names []string) string {
	const most = 3
	if len(names) <= most {
		return strings.Join(names, ", ")
	}
	return fmt.Sprintf("%s and %d more", strings.Join(names[:most], ", "), len(names)-most)
}

// resolveProgram is fentry:bpf:FUNCTION and fentry:bpf:ID:FUNCTION, of BPF
// programs that are loaded.
func (c *checker) resolveProgram(ap *ast.AttachPoint) ([]point, *failure) {
	at := len(ap.Parts) - 1
	if at < 1 || at > 2 || slices.Contains(ap.Parts, "") {
		return nil, badForm(ap)
	}
	id, name := "*", ap.Parts[at]
	if at == 2 {
		id = ap.Parts[1]
	}
	programs, ok := c.t.(target.Programs)
	if !ok || !c.t.Has(target.Trampolines) {
		return nil, &failure{span: ap.Span, msg: "this kernel does not let BPF trampolines attach", missing: true}
	}
	kind := object.HookFentry
	if ap.Provider == "fexit" {
		kind = object.HookFexit
	}
	var points []point
	var names []string
	for _, f := range programs.BPFFunctions() {
		names = append(names, f.Func.Name)
		number := strconv.FormatUint(uint64(f.Program), 10)
		if !facts.Match(id, number) || !facts.Match(name, f.Func.Name) || !f.Func.Trampoline(c.t.Version()) {
			continue
		}
		h := object.Hook{Kind: kind, Name: ap.Provider + ":bpf:" + number + ":" + f.Func.Name, Function: f.Func.Name, Module: "bpf",
			BTFID: f.Func.ID, Program: f.Program, Wild: isWild(id) || isWild(name)}
		p := point{provider: ap.Provider, hook: h, fn: f.Func, args: paramStruct(f.Func)}
		if kind == object.HookFexit {
			p.retval = resultOf(f.Func)
		}
		points = append(points, p)
	}
	if len(points) == 0 {
		return nil, &failure{span: partSpan(ap, at), missing: true, wild: isWild(name), msg: fmt.Sprintf("no BPF program that is loaded has a function %s", name),
			hint: "fst -l 'fentry:bpf:*' lists those that can be probed", near: func() string {
				if n := diag.Nearest(name, names); n != "" {
					return ap.Provider + ":bpf:" + n
				}
				return ""
			}}
	}
	return points, nil
}

func resultOf(f *target.Func) *types.Type {
	if f == nil || f.Result == nil || f.Result.Kind == types.None || f.Result.Kind == types.Invalid {
		return nil
	}
	return f.Result
}

// registerResult is what a kretprobe's retval is: the whole register, but the
// rest of it says nothing where a function returns a narrower integer.
func registerResult(f *target.Func) *types.Type {
	switch r := resultOf(f); {
	case r == nil || !r.IsInteger() || r.Size >= 8:
		return types.U64
	case r.Kind == types.Bool:
		return types.IntType(r.Size, false)
	default:
		return types.IntType(r.Size, r.Signed)
	}
}

func (c *checker) resolveCall(ap *ast.AttachPoint) ([]point, *failure) {
	module, fn, at, ok := splitFunction(ap)
	if !ok {
		return nil, badForm(ap)
	}
	names, fail := c.functions(ap, module, fn, at)
	if fail != nil {
		return nil, fail
	}
	var points []point
	for _, n := range names {
		h := object.Hook{Kind: object.HookKretprobe, Name: "call:", Function: n.Name, Module: n.Module}
		if module != "" {
			h.Name += n.Module + ":"
		}
		h.Name += n.Name
		f, known := c.t.Function(n.Module, n.Name)
		if known && c.t.Has(target.Trampolines) && f.Trampoline(c.t.Version()) {
			h.Kind, h.BTFID, h.Module = object.HookFexit, f.ID, f.Module
		} else {
			h.Multi = len(names) > 1 && c.t.Has(target.KprobeMulti)
		}
		p := point{provider: "call", hook: h, fn: f, retval: resultOf(f)}
		if !known {
			p.fn, p.retval = numbered(n.Name), types.U64
		}
		p.args = paramStruct(p.fn)
		points = append(points, p)
	}
	return points, nil
}
