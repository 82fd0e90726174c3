package probe

import (
	"errors"
	"fmt"
	"io/fs"
	"strings"

	"fst/compiler/object"
	"fst/compiler/target"
	"fst/compiler/types"
	"fst/lang/ast"
	"fst/lang/diag"
	"fst/lang/source"
)

func (r *Resolver) resolveTracepoint(ap *ast.AttachPoint) ([]Point, *Failure) {
	parts := ap.Parts
	if len(parts) == 1 && target.IsWild(parts[0]) {
		parts = []string{"*", parts[0]}
	}
	if len(parts) != 2 || parts[0] == "" || parts[1] == "" {
		f := badForm(ap)
		f.near = func() string {
			if len(ap.Parts) != 1 {
				return ""
			}
			if list, err := r.Target.Tracepoints("*", ap.Parts[0]); err == nil && len(list) > 0 {
				return "tracepoint:" + list[0]
			}
			return ""
		}
		return nil, f
	}
	cat, event := parts[0], parts[1]
	if !target.IsWild(cat) && !target.IsWild(event) {
		p := eventPoint(cat, event)
		if err := r.DescribeEvent(&p); err != nil || p.Args == nil {
			return nil, r.noTracepoint(ap, cat, event, err)
		}
		return []Point{p}, nil
	}
	list, err := r.Target.Tracepoints(cat, event)
	if err != nil {
		return nil, &Failure{Span: ap.Span, message: "the tracepoints can't be listed: " + err.Error(), hint: "name the event without *"}
	}
	if len(list) == 0 {
		return nil, &Failure{Span: partSpan(ap, 1), Wild: true, Missing: true, message: fmt.Sprintf("no tracepoint matches %s:%s", cat, event),
			hint: "fst -l 'tracepoint:*' lists them"}
	}
	points := make([]Point, len(list))
	for i, name := range list {
		cat, event, _ := strings.Cut(name, ":")
		points[i] = eventPoint(cat, event)
	}
	return points, nil
}

func eventPoint(category, event string) Point {
	p := Point{Provider: "tracepoint", Hook: object.Hook{
		Kind: object.HookTracepoint, Name: "tracepoint:" + category + ":" + event, Category: category, Event: event}}
	if category == "syscalls" && strings.HasPrefix(event, "sys_exit_") {
		p.Retval = types.I64
	}
	return p
}

// DescribeEvent fills in what a trace event's record holds. Of hundreds of events
// that takes the most time of all, so it is asked only if it matters.
func (r *Resolver) DescribeEvent(p *Point) error {
	tp, err := r.Target.Tracepoint(p.Hook.Category, p.Hook.Event)
	if err != nil || tp == nil {
		return err
	}
	p.Args = tp.Args
	if call, ok := strings.CutPrefix(p.Hook.Event, "sys_exit_"); ok && p.Hook.Category == "syscalls" {
		p.Func, _ = r.Target.Syscall(call)
	}
	return nil
}

func (r *Resolver) noTracepoint(ap *ast.AttachPoint, cat, event string, err error) *Failure {
	f := &Failure{Span: partSpan(ap, 1), Missing: true, message: fmt.Sprintf("there is no tracepoint %s:%s", cat, event)}
	all, lerr := r.Target.Tracepoints("*", "*")
	if err != nil && (lerr != nil || len(all) == 0) {
		f.Span, f.message = ap.Span, "nothing is known about the tracepoint "+cat+":"+event+": "+err.Error()
		f.hint = "fst check --kernel K compiles for a recorded kernel (fst facts lists them)"
		if errors.Is(err, fs.ErrPermission) {
			probe := "rawtracepoint:" + event
			if call := strings.TrimPrefix(strings.TrimPrefix(event, "sys_enter_"), "sys_exit_"); cat == "syscalls" {
				probe = "syscall:" + call
			}
			f.message = err.Error()
			f.hint = probe + " needs no files of tracefs; fst check --kernel K compiles for a recorded kernel"
		}
		return f
	}
	if cat == "syscalls" {
		f.near = func() string {
			if event == "sys_enter" || event == "sys_exit" {
				return "tracepoint:raw_syscalls:" + event
			}
			return r.nearestSyscallEvent(event)
		}
		return f
	}
	if list, e := r.Target.Tracepoints(cat, "*"); e == nil && len(list) == 0 {
		f.Span, f.message = partSpan(ap, 0), fmt.Sprintf("there is no category %s of tracepoints", cat)
		f.hint = "fst -l 'tracepoint:*' lists them; those of a module exist once it is loaded"
		if module := eventModules[cat]; module != "" {
			f.hint = fmt.Sprintf("its tracepoints belong to a module: modprobe %s loads it", module)
			return f
		}
	} else {
		f.hint = "fst -l 'tracepoint:" + cat + ":*' lists those of the category"
	}
	like := likeEvent(cat+":"+event, all)
	if known := whichKernels(cat, event); known != "" {
		f.hint = known
		if len(like) > 0 {
			f.hint += "; here there is " + orList(like)
		}
		return f
	}
	f.near = func() string {
		var here, cats []string
		for _, n := range all {
			k, e, _ := strings.Cut(n, ":")
			cats = append(cats, k)
			if k == cat {
				here = append(here, e)
			}
		}
		switch {
		case len(like) > 0:
			return like[0]
		case r.isTraceable(event):
			return "kprobe:" + event
		case len(here) == 0:
			n := diag.Nearest(cat, cats)
			if n == "" {
				return ""
			}
			var events []string
			for _, name := range all {
				if e, ok := strings.CutPrefix(name, n+":"); ok {
					events = append(events, e)
				}
			}
			if e := diag.Nearest(event, events); e != "" {
				return "tracepoint:" + n + ":" + e
			}
			return "" // neither word is known: it is no slip of the pen
		}
		n := diag.Nearest(event, here)
		if n == "" {
			n = similar(event, here)
		}
		if n != "" {
			return "tracepoint:" + cat + ":" + n
		}
		return ""
	}
	return f
}

// nearestSyscallEvent names the trace event of a system call that was written
// without its prefix, or is misspelt.
func (r *Resolver) nearestSyscallEvent(event string) string {
	prefix, call := "", event
	for _, p := range []string{"sys_enter_", "sys_exit_", "sys_", "enter_", "exit_"} {
		if name, ok := strings.CutPrefix(event, p); ok {
			prefix, call = p, name
			break
		}
	}
	if _, known := r.Target.SyscallNumber(call); !known {
		if call = diag.Nearest(call, r.Target.Syscalls("*")); call == "" {
			return ""
		}
	}
	name := r.eventOfSyscall(call)
	if list, err := r.Target.Tracepoints("syscalls", "sys_*_"+name); err != nil || len(list) == 0 {
		return "" // a call that this kernel does not have
	}
	switch prefix {
	case "sys_enter_", "enter_":
		return "tracepoint:syscalls:sys_enter_" + name
	case "sys_exit_", "exit_":
		return "tracepoint:syscalls:sys_exit_" + name
	}
	return "tracepoint:syscalls:sys_enter_" + name + " or syscall:" + call
}

func (r *Resolver) resolveRawTracepoint(ap *ast.AttachPoint) ([]Point, *Failure) {
	if len(ap.Parts) < 1 || len(ap.Parts) > 2 {
		return nil, badForm(ap)
	}
	at := len(ap.Parts) - 1
	event := ap.Parts[at]
	list := []string{event}
	if target.IsWild(event) {
		list = r.Target.RawTracepoints(event)
	}
	var points []Point
	for _, e := range list {
		fn, ok := r.Target.RawTracepoint(e)
		if !ok {
			continue
		}
		mod := fn.Module
		if mod == "" {
			mod = "vmlinux"
		}
		points = append(points, Point{Provider: "rawtracepoint", Func: fn, Args: ParamStruct(fn), Hook: object.Hook{
			Kind: object.HookRawTracepoint, Name: "rawtracepoint:" + mod + ":" + e, Event: e, Module: mod}})
	}
	if len(points) > 0 {
		return points, nil
	}
	f := &Failure{Span: partSpan(ap, at), Missing: true, Wild: target.IsWild(event), message: fmt.Sprintf("there is no raw tracepoint %s", event),
		hint: "fst -l 'rawtracepoint:*' lists them"}
	f.near = func() string { return diag.Nearest(event, r.Target.RawTracepoints("*")) }
	return nil, f
}

func (r *Resolver) resolveSyscall(ap *ast.AttachPoint) ([]Point, *Failure) {
	if len(ap.Parts) != 1 || ap.Parts[0] == "" {
		return nil, badForm(ap)
	}
	list := []string{ap.Parts[0]}
	if target.IsWild(ap.Parts[0]) {
		list = r.Target.Syscalls(ap.Parts[0])
	}
	var points []Point
	for _, name := range list {
		fn, ok := r.Target.Syscall(name)
		if !ok {
			continue
		}
		points = append(points, Point{Provider: "syscall", Func: fn, Args: ParamStruct(fn), Retval: types.I64, Hook: object.Hook{
			Kind: object.HookTracepoint, Name: "syscall:" + name, Category: "syscalls", Event: "sys_exit_" + r.eventOfSyscall(name)}})
	}
	if len(points) > 0 {
		return points, nil
	}
	name := ap.Parts[0]
	f := &Failure{Span: partSpan(ap, 0), Missing: true, Wild: target.IsWild(name), message: fmt.Sprintf("there is no system call %s", name),
		hint: "fst -l 'syscall:*' lists them"}
	if call, part, ok := strings.Cut(name, "."); ok && len(r.Target.Syscalls(call)) > 0 {
		f.hint = fmt.Sprintf("syscall:%s is its return already, with ret, errno, took and args", call)
		if part == "entry" || part == "enter" {
			f.hint = fmt.Sprintf("syscall:%s is its return; tracepoint:syscalls:sys_enter_%[1]s is its beginning", call)
		}
		return nil, f
	}
	if part := strings.Trim(name, "/"); part != name {
		f.hint = "a part of a name is written syscall:*" + part + "*"
		return nil, f
	}
	f.near = func() string {
		call := strings.TrimPrefix(strings.TrimPrefix(strings.TrimPrefix(name, "sys_"), "enter_"), "exit_")
		if _, ok := r.Target.SyscallNumber(call); !ok {
			call = diag.Nearest(call, r.Target.Syscalls("*"))
		}
		if call == "" {
			return ""
		}
		return "syscall:" + call
	}
	return nil, f
}

// eventOfSyscall is the name that the trace events give a system call: that
// of its function ("newstat" for stat).
func (r *Resolver) eventOfSyscall(name string) string {
	if list, err := r.Target.Tracepoints("syscalls", "sys_exit_"+name); err == nil && len(list) > 0 {
		return name
	}
	nr, ok := r.Target.SyscallNumber(name)
	if !ok {
		return name
	}
	for _, other := range r.Target.Syscalls("*" + name + "*") {
		if n, ok := r.Target.SyscallNumber(other); ok && n == nr && other != name {
			return other
		}
	}
	return name
}

func (r *Resolver) resolveIter(ap *ast.AttachPoint) ([]Point, *Failure) {
	if len(ap.Parts) < 1 || len(ap.Parts) > 2 || ap.Parts[0] == "" {
		return nil, badForm(ap)
	}
	name := ap.Parts[0]
	fn, ok := r.Target.Function("", "bpf_iter_"+name)
	if !ok {
		f := &Failure{Span: partSpan(ap, 0), Missing: true, message: fmt.Sprintf("this kernel has no iterator %s", name)}
		if there := r.Target.Iterators(); len(there) > 0 {
			f.hint = "it has " + strings.Join(there, ", ")
			f.near = func() string { return diag.Nearest(name, there) }
		}
		return nil, f
	}
	h := object.Hook{Kind: object.HookIter, Name: "iter:" + name, Event: name, BTFID: fn.ID}
	if len(ap.Parts) == 2 {
		h.Pin = ap.Parts[1]
	}
	return []Point{{Provider: "iter", Hook: h, Event: iterEvent(ap.Span, fn)}}, nil
}

// iterEvent shows what an iterator is at: the thread, if it goes through threads,
// for that which runs is fst's own, and what else its context has. At the end it
// is at nothing.
func iterEvent(at source.Span, fn *target.Func) *ast.Block {
	here := ast.At{Span: at}
	field := func(x ast.Expr, name string) ast.Expr { return &ast.Field{At: here, X: x, Name: name, NameSpan: at} }
	ctx := &ast.Ident{At: here, Name: "ctx"}
	var is ast.Expr
	shown := &ast.Record{At: here}
	show := func(name string, x ast.Expr) {
		shown.Names, shown.Values = append(shown.Names, name), append(shown.Values, x)
	}
	for _, p := range fn.Params[min(1, len(fn.Params)):] { // behind the one that all have
		x := field(ctx, p.Name)
		pointer := p.Type != nil && p.Type.Kind == types.Pointer
		if is == nil && pointer {
			is = &ast.Binary{At: here, Op: "!=", OpSpan: at, X: x, Y: &ast.IntLit{At: here, Text: "0"}}
		}
		if pointer && p.Type.Elem != nil && p.Type.Elem.Name == "task_struct" {
			show("comm", field(x, "comm"))
			show("pid", field(x, "tgid"))
			show("tid", field(x, "pid"))
		} else {
			show(p.Name, x)
		}
	}
	event := &ast.Block{At: here, Stmts: []ast.Stmt{&ast.Event{At: here, Probe: "iter:" + strings.TrimPrefix(fn.Name, "bpf_iter_"), Fields: shown}}}
	if is == nil {
		return event
	}
	return &ast.Block{At: here, Stmts: []ast.Stmt{&ast.If{At: here, Cond: is, Then: event}}}
}
