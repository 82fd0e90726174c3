package probe

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"fst/compiler/object"
	"fst/compiler/target"
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

// stubs begin the names of a system call's functions, that of its body first.
var stubs = []string{"__do_sys_", "__x64_sys_", "__ia32_sys_"}

// isUnlisted is true of a further name of a function that can be probed: the kernel's
// list has each function once, and kprobes take any of its names. A system call
// without parameters to pass on is one function with the names of all its stubs.
func (r *Resolver) isUnlisted(fn string) bool {
	for _, stub := range stubs {
		call, ok := strings.CutPrefix(fn, stub)
		if !ok {
			continue
		}
		at, _ := r.Target.Symbol(fn)
		for _, other := range stubs {
			listed, err := r.Target.Traceable("vmlinux", other+call)
			if other == stub || err != nil || len(listed) == 0 {
				continue
			}
			// A recording has no addresses. With parameters the body is hardly ever a
			// function of its own.
			if there, _ := r.Target.Symbol(other + call); there != 0 && there == at || there == 0 && other == stubs[0] {
				return true
			}
		}
	}
	return false
}

// withoutKprobes is the advice for a kernel whose functions cannot be probed.
const withoutKprobes = "tracepoint:, syscall: and ucall: work without them; fst -l lists what there is"

// insteadOfKprobe is the advice for a function of such a kernel: if it is named as a system call is, that.
func (r *Resolver) insteadOfKprobe(fn string) string {
	_, call, isStub := strings.Cut(fn, "sys_") // __x64_sys_openat
	if !isStub {
		call = fn
	}
	if _, ok := r.Target.SyscallNumber(call); ok {
		return "write syscall:" + call + "; " + withoutKprobes
	}
	return withoutKprobes
}

// isOfGo reports whether a name is more likely that of a function of a program in Go, PACKAGE.NAME, than one of the kernel, where
// compilers put words like isra.0 behind a dot.
func isOfGo(fn string) bool {
	pkg, name, ok := strings.Cut(fn, ".")
	word, _, _ := strings.Cut(name, ".")
	return ok && pkg != "" && word != "" && !slices.Contains([]string{"isra", "part", "cold", "constprop", "llvm", "lto_priv", "localalias"}, word) &&
		(word[0] < '0' || word[0] > '9')
}

// functions lists the functions that a kernel probe names.
func (r *Resolver) functions(ap *ast.AttachPoint, module, fn string, at int) ([]target.FuncName, *Failure) {
	if strings.Contains(module, "/") {
		return nil, &Failure{Span: ap.Span, message: module + " is a file, not a module of the kernel", hint: "uprobe:" + module + ":" + fn + " probes the functions of a program"}
	}
	if strings.Contains(fn, "/") && module == "" {
		return nil, &Failure{Span: partSpan(ap, at), message: fn + " is a file, not a function of the kernel", hint: "uprobe:" + fn + ":FUNCTION probes a function of a program; uprobe:" + fn + ":* probes all"}
	}
	found, err := r.Target.Traceable(module, fn)
	if len(found) == 0 && module == "" && isOfGo(fn) {
		return nil, &Failure{Span: partSpan(ap, at), Missing: true, message: "no kernel function is called " + fn, hint: "of a program in Go, write uprobe:BINARY:" + fn}
	}
	if err != nil {
		if byTrampoline := ap.Provider == "fentry" || ap.Provider == "fexit"; !byTrampoline && !r.Target.Has(target.Kprobes) {
			return nil, &Failure{Span: ap.Span, message: "this kernel has no kprobes (CONFIG_KPROBE_EVENTS)",
				hint: r.insteadOfKprobe(fn)}
		}
		return nil, &Failure{Span: partSpan(ap, at), message: "the functions of the kernel can't be listed: " + err.Error(),
			hint: "name the function without *"}
	}
	if kprobe := ap.Provider == "kprobe" || ap.Provider == "kretprobe"; len(found) == 0 && kprobe &&
		!target.IsWild(fn) && (module == "" || module == "vmlinux") && r.isUnlisted(fn) {
		found = []target.FuncName{{Name: fn, Module: "vmlinux"}}
	}
	if len(found) > 0 {
		// The kernel's own come first.
		slices.SortStableFunc(found, func(a, b target.FuncName) int {
			if n := strings.Compare(a.Name, b.Name); n != 0 {
				return n
			}
			return strings.Compare(strconv.FormatBool(a.Module != "vmlinux"), strconv.FormatBool(b.Module != "vmlinux"))
		})
		return found, nil
	}
	f := &Failure{Span: partSpan(ap, at), Missing: true, hint: "fst -l 'kprobe:*WORD*' lists the functions whose names contain WORD; those of a module exist once it is loaded"}
	if strings.ContainsAny(fn+module, "[]?") {
		f.message = fmt.Sprintf("no kernel function is called %s", strings.Join(ap.Parts, ":"))
		f.hint = "only * is a wildcard; separate several names or patterns with ','"
		return nil, f
	}
	if target.IsWild(fn) || target.IsWild(module) {
		f.Wild = true
		f.message = fmt.Sprintf("no kernel function matches %s", strings.Join(ap.Parts, ":"))
		f.hint = "fst -l 'kprobe:*' lists them"
		if rest, ok := strings.CutPrefix(strings.ToLower(fn), "sys_"); ok {
			f.hint = "the functions of system calls have other names on each kernel: write syscall:" + rest
		}
		return nil, f
	}
	f.message = fmt.Sprintf("the kernel has no function %s that can be probed", fn)
	f.detail = func() { r.missingFunction(f, ap, module, fn) }
	return nil, f
}

// missingFunction tells where else there is a function of this name, or which one is meant.
func (r *Resolver) missingFunction(f *Failure, ap *ast.AttachPoint, module, fn string) {
	if _, known := r.Target.Function(module, fn); known {
		f.message = fmt.Sprintf("%s can't be probed: the compiler inlined it, or the kernel forbids it", fn)
	}
	if elsewhere, _ := r.Target.Traceable("", fn); module != "" && len(elsewhere) > 0 {
		where := "module " + elsewhere[0].Module
		if elsewhere[0].Module == "vmlinux" {
			where = "kernel itself"
		}
		f.message = fmt.Sprintf("the module %s has no function %s that can be probed", module, fn)
		f.hint = fmt.Sprintf("here it is in the %s: %s:%s", where, ap.Provider, fn)
		return
	}
	if lib := r.userLibrary(fn); lib != "" && module == "" && !r.isSyscall(fn) && r.successor(fn) == "" {
		f.hint = fmt.Sprintf("it is a function of programs, in %s: write %s:%s:%s", lib, userForm[ap.Provider], lib, fn)
		return
	}
	f.near = func() string { return r.nearestFunction(f, module, fn) }
}

func (r *Resolver) resolveKprobe(ap *ast.AttachPoint) ([]Point, *Failure) {
	module, fn, at, ok := splitFunction(ap)
	if !ok {
		return nil, badForm(ap)
	}
	kind := object.HookKprobe
	if ap.Provider == "kretprobe" {
		kind = object.HookKretprobe
	}
	if fn[0] >= '0' && fn[0] <= '9' {
		return r.kprobeAddress(ap, fn, at)
	}
	fn, offset, fail := splitOffset(ap, fn, at)
	if fail != nil {
		return nil, fail
	}
	if offset != 0 && kind == object.HookKretprobe {
		return nil, &Failure{Span: partSpan(ap, at), message: "a probe of a function's return can't have an offset", hint: "write kretprobe:" + fn}
	}
	names, fail := r.functions(ap, module, fn, at)
	if fail != nil {
		return nil, fail
	}
	var points []Point
	for _, n := range names {
		if offset != 0 && !r.Unsafe && r.isOutside(n.Name, offset) {
			return nil, &Failure{Span: partSpan(ap, at), message: fmt.Sprintf("%s+%d is outside of the function", n.Name, offset),
				hint: "name the function that is there; with --unsafe the kernel takes any instruction"}
		}
		h := object.Hook{Kind: kind, Name: ap.Provider + ":", Function: n.Name, Module: n.Module, Several: n.Several || n.Elsewhere, Offset: offset,
			Wild: target.IsWild(fn) || target.IsWild(module)}
		if module != "" {
			h.Name += n.Module + ":"
		}
		h.Name += n.Name
		if offset != 0 {
			h.Name += fmt.Sprintf("+%d", offset)
		}
		// By its name a link to many functions reaches one of several.
		h.Multi = len(names) > 1 && offset == 0 && !h.Several && r.Target.Has(target.KprobeMulti)
		p := Point{Provider: ap.Provider, Hook: h}
		p.Func, _ = r.Target.Function(n.Module, n.Name)
		if p.Func != nil && offset == 0 {
			p.Args = ParamStruct(p.Func)
		}
		if kind == object.HookKretprobe {
			p.Retval = registerResult(p.Func)
		}
		points = append(points, p)
	}
	return points, nil
}

func splitOffset(ap *ast.AttachPoint, fn string, at int) (name string, offset uint64, fail *Failure) {
	i := strings.LastIndexByte(fn, '+')
	if i < 1 || strings.HasSuffix(fn[:i], "operator") || strings.HasSuffix(fn, ")") {
		return fn, 0, nil
	}
	offset, err := strconv.ParseUint(fn[i+1:], 0, 32)
	if err != nil {
		return fn, 0, &Failure{Span: partSpan(ap, at), message: fmt.Sprintf("%q is not an offset", fn[i+1:]), hint: "write FUNCTION+4 or FUNCTION+0x10"}
	}
	return fn[:i], offset, nil
}

func (r *Resolver) kprobeAddress(ap *ast.AttachPoint, text string, at int) ([]Point, *Failure) {
	addr, err := strconv.ParseUint(text, 0, 64)
	switch {
	case err != nil:
		return nil, &Failure{Span: partSpan(ap, at), message: fmt.Sprintf("%q is neither a function nor an address", text), hint: "an address is written 0x..."}
	case !r.Unsafe:
		return nil, &Failure{Span: partSpan(ap, at), message: "a probe at an address may stop the machine", hint: "run with --unsafe, or name a function"}
	case ap.Provider == "kretprobe":
		return nil, &Failure{Span: partSpan(ap, at), message: "a probe of a return needs a function", hint: "use kprobe: for an address"}
	}
	return []Point{{Provider: ap.Provider, Hook: object.Hook{Kind: object.HookKprobe, Name: fmt.Sprintf("kprobe:%d", addr), Address: addr}}}, nil
}

// isOutside reports whether an offset leads out of a kernel function: the kernel would
// put the probe into another one.
func (r *Resolver) isOutside(fn string, offset uint64) bool {
	start, ok := r.Target.Symbol(fn)
	if !ok {
		return false
	}
	within, ok := r.Target.SymbolOffset(start + offset)
	return ok && within != offset
}

func (r *Resolver) resolveFentry(ap *ast.AttachPoint) ([]Point, *Failure) {
	if len(ap.Parts) > 0 && ap.Parts[0] == "bpf" {
		return r.resolveProgram(ap)
	}
	module, fn, at, ok := splitFunction(ap)
	if !ok {
		return nil, badForm(ap)
	}
	if !r.Target.Has(target.Trampolines) {
		long := "kprobe:"
		if ap.Provider == "fexit" {
			long = "kretprobe:"
		}
		f := &Failure{Span: ap.Span, message: "this kernel does not let BPF trampolines attach", hint: "use " + long + fn + ", or call:" + fn, Missing: true}
		if !r.Target.Has(target.Kprobes) {
			f.message, f.hint = "this kernel has no probes of its functions: neither kprobes (CONFIG_KPROBE_EVENTS) nor BPF trampolines", withoutKprobes
		}
		return nil, f
	}
	names, fail := r.functions(ap, module, fn, at)
	if fail != nil {
		return nil, fail
	}
	kind := object.HookFentry
	if ap.Provider == "fexit" {
		kind = object.HookFexit
	}
	wild := target.IsWild(fn) || target.IsWild(module)
	reason := "the kernel's type information does not describe %s well enough to attach there"
	var points []Point
	var out, several []string
	for _, n := range names {
		f, ok := r.Target.Function(n.Module, n.Name)
		if !ok && n.Module == "" {
			f, ok = r.Target.Function("vmlinux", n.Name)
		}
		if !ok {
			out = append(out, listedAs(n))
			continue
		}
		if !f.Trampoline(r.Target.Since) {
			reason = "BPF trampolines of this kernel do not pass on all that %s takes or returns"
			if f.StopsMachine(r.Target.Since) {
				reason = "BPF trampolines of this kernel call %s themselves: one there would call itself without end"
			}
			out = append(out, listedAs(n))
			continue
		}
		h := object.Hook{Kind: kind, Name: ap.Provider + ":" + f.Module + ":" + n.Name, Function: n.Name, Module: f.Module,
			Several: n.Several || n.Elsewhere, BTFID: f.ID, Wild: wild}
		p := Point{Provider: ap.Provider, Hook: h, Func: f, Args: ParamStruct(f)}
		if kind == object.HookFexit {
			p.Retval = f.Returns()
		}
		points = append(points, p)
		if n.Several {
			several = append(several, n.Name)
		}
	}
	if len(several) > 0 {
		r.Diags.Warnf(partSpan(ap, at), "the kernel has several functions of this name, and a BPF trampoline attaches to only one of them: %s", some(several)).
			Hintf("call: and kprobe: have them all")
	}
	if len(points) == 0 {
		return nil, &Failure{Span: partSpan(ap, at), Missing: true, Wild: wild,
			message: fmt.Sprintf(reason, fn), hint: "use kprobe:" + strings.Join(ap.Parts, ":")}
	}
	if len(out) > 0 && r.Missing != "ignore" {
		r.Diags.Warnf(partSpan(ap, at), "%d of %s are skipped, because BPF trampolines of this kernel cannot pass all of their arguments or call them themselves, or its type information does not describe them: %s",
			len(out), diag.Plural(len(names), "function"), some(out)).Hintf("call: and kprobe: have them all")
	}
	return points, nil
}

// listedAs is how a function is listed.
func listedAs(n target.FuncName) string {
	if n.Module == "" || n.Module == "vmlinux" {
		return n.Name
	}
	return n.Module + ":" + n.Name
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
func (r *Resolver) resolveProgram(ap *ast.AttachPoint) ([]Point, *Failure) {
	at := len(ap.Parts) - 1
	if at < 1 || at > 2 || slices.Contains(ap.Parts, "") {
		return nil, badForm(ap)
	}
	id, name := "*", ap.Parts[at]
	if at == 2 {
		id = ap.Parts[1]
	}
	programs, ok := r.Target.(target.Programs)
	if !ok || !r.Target.Has(target.Trampolines) {
		return nil, &Failure{Span: ap.Span, message: "this kernel does not let BPF trampolines attach", Missing: true}
	}
	kind := object.HookFentry
	if ap.Provider == "fexit" {
		kind = object.HookFexit
	}
	var points []Point
	var names []string
	for _, f := range programs.BPFFunctions() {
		names = append(names, f.Func.Name)
		number := strconv.FormatUint(uint64(f.Program), 10)
		if !target.Match(id, number) || !target.Match(name, f.Func.Name) || !f.Func.Trampoline(r.Target.Since) {
			continue
		}
		h := object.Hook{Kind: kind, Name: ap.Provider + ":bpf:" + number + ":" + f.Func.Name, Function: f.Func.Name, Module: "bpf",
			BTFID: f.Func.ID, Program: f.Program, Wild: target.IsWild(id) || target.IsWild(name)}
		p := Point{Provider: ap.Provider, Hook: h, Func: f.Func, Args: ParamStruct(f.Func)}
		if kind == object.HookFexit {
			p.Retval = f.Func.Returns()
		}
		points = append(points, p)
	}
	if len(points) == 0 {
		return nil, &Failure{Span: partSpan(ap, at), Missing: true, Wild: target.IsWild(name), message: fmt.Sprintf("no BPF program that is loaded has a function %s", name),
			hint: "fst -l 'fentry:bpf:*' lists those that can be probed", near: func() string {
				if n := diag.Nearest(name, names); n != "" {
					return ap.Provider + ":bpf:" + n
				}
				return ""
			}}
	}
	return points, nil
}

// registerResult is what the retval of a kretprobe or uretprobe is: the whole register, but the
// rest of it says nothing where a function returns a narrower integer.
func registerResult(f *target.Func) *types.Type {
	switch r := f.Returns(); {
	case r == nil || !r.IsInteger() || r.Size >= 8:
		return types.U64
	case r.Kind == types.Bool:
		return types.IntType(r.Size, false)
	default:
		return types.IntType(r.Size, r.Signed)
	}
}

func (r *Resolver) resolveCall(ap *ast.AttachPoint) ([]Point, *Failure) {
	module, fn, at, ok := splitFunction(ap)
	if !ok {
		return nil, badForm(ap)
	}
	names, fail := r.functions(ap, module, fn, at)
	if fail != nil {
		return nil, fail
	}
	var points []Point
	for _, n := range names {
		h := object.Hook{Kind: object.HookKretprobe, Name: "call:", Function: n.Name, Module: n.Module, Several: n.Several || n.Elsewhere}
		if module != "" {
			h.Name += n.Module + ":"
		}
		h.Name += n.Name
		f, known := r.Target.Function(n.Module, n.Name)
		// A trampoline is at one of several.
		if known && r.Target.Has(target.Trampolines) && f.Trampoline(r.Target.Since) && !n.Several {
			h.Kind, h.BTFID, h.Module = object.HookFexit, f.ID, f.Module
		} else {
			h.Multi = len(names) > 1 && !h.Several && r.Target.Has(target.KprobeMulti)
		}
		p := Point{Provider: "call", Hook: h, Func: f, Retval: f.Returns()}
		if !known {
			p.Func, p.Retval = numbered(n.Name), types.U64
		}
		p.Args = ParamStruct(p.Func)
		points = append(points, p)
	}
	return points, nil
}
