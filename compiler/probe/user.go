package probe

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"

	"fst/compiler/object"
	"fst/compiler/target"
	"fst/compiler/types"
	"fst/lang/ast"
	"fst/lang/diag"
)

// userBinary resolves the binary of a probe of a user program.
func (r *Resolver) userBinary(ap *ast.AttachPoint) (paths []string, rest []string, at int, fail *Failure) {
	parts := ap.Parts
	if len(parts) == 1 && r.PID != 0 {
		parts = []string{"", parts[0]}
	}
	if len(parts) < 2 || parts[0] == "" && r.PID == 0 {
		f := badForm(ap)
		if len(parts) >= 2 {
			f.hint = "name the binary, or with -p PID the process: " + f.hint
		} else if lib := r.userLibrary(strings.Join(parts, "")); lib != "" {
			f.near = func() string { return ap.Provider + ":" + lib + ":" + parts[0] }
		}
		return nil, nil, 0, f
	}
	paths, err := r.Target.Binary(parts[0], r.PID)
	if err != nil || len(paths) == 0 {
		f := &Failure{Span: partSpan(ap, 0), Missing: true, Wild: target.IsWild(parts[0]), message: strings.TrimSpace("there is no program or library " + parts[0]),
			hint: "give its path: " + ap.Provider + ":/usr/bin/NAME:..."}
		if strings.Contains(parts[0], "/") {
			f.hint = "check the path; a name without '/' is looked for in $PATH and among the libraries"
		}
		if rest, ok := strings.CutPrefix(parts[0], "/proc/"); ok && errors.Is(err, fs.ErrNotExist) {
			f.hint = "is process " + rest[:strings.IndexByte(rest+"/", '/')] + " still running?"
		}
		if gone := target.ProcessError(""); errors.As(err, &gone) {
			f.message, f.hint, f.Missing, f.Wild = string(gone), "", false, false
		} else if err != nil && !errors.Is(err, fs.ErrNotExist) {
			f.message = err.Error()
			if errors.Is(err, fs.ErrPermission) {
				f.hint = "run fst as root; what is below /proc/PID/root of another user namespace stays closed even then"
			}
		}
		return nil, nil, 0, f
	}
	return paths, parts[1:], len(ap.Parts) - len(parts) + 1, nil
}

// maxFunctions is how many functions of programs the probes of a script can stand for, together.
const maxFunctions = 50_000

func tooManyFunctions(ap *ast.AttachPoint) *Failure {
	return &Failure{Span: ap.Span, message: fmt.Sprintf("with this the script's probes match more than %d functions of programs", maxFunctions), hint: "use a narrower pattern"}
}

func (r *Resolver) resolveUprobe(ap *ast.AttachPoint) ([]Point, *Failure) {
	if len(ap.Parts) > 0 {
		if i := strings.LastIndexByte(ap.Parts[0], '@'); i > 0 {
			return r.sourceLine(ap, ap.Parts[0][:i], ap.Parts[0][i+1:])
		}
	}
	paths, rest, at, fail := r.userBinary(ap)
	if fail != nil {
		return nil, fail
	}
	if len(rest) > 1 && rest[0] == "inline" {
		return r.inlined(ap, paths, strings.Join(rest[1:], ":"), at+1)
	}
	cpp := len(rest) > 1 && rest[0] == "cpp"
	if cpp {
		rest, at = rest[1:], at+1
	}
	// A C++ name has colons of its own: ns::f.
	name := strings.Join(rest, ":")
	if name == "" {
		return nil, badForm(ap)
	}
	if name[0] >= '0' && name[0] <= '9' {
		return r.uprobeAddress(ap, paths, name, at)
	}
	fn, offset, fail := splitOffset(ap, name, at)
	if fail != nil {
		return nil, fail
	}
	symbols := r.Target.Symbols
	if d, ok := r.Target.(target.DebugInfo); ok && (cpp || strings.Contains(fn, "::") || strings.Contains(fn, "(")) {
		symbols, cpp = d.MangledSymbols, true
	}
	if offset != 0 && ap.Provider != "uprobe" {
		return nil, &Failure{Span: partSpan(ap, at), message: "a probe of a function's return can't have an offset", hint: "write " + ap.Provider + ":" + ap.Parts[0] + ":" + fn}
	}
	var points []Point
	for _, path := range paths {
		syms, err := symbols(path, fn)
		if err != nil {
			if len(paths) > 1 {
				continue
			}
			f := unreadable(ap, path, err)
			if f == nil {
				f = &Failure{Span: partSpan(ap, 0), Missing: true, message: fmt.Sprintf("the functions of %s can't be read: %v", path, err), hint: wantELF}
			}
			if errors.Is(err, target.ErrStripped) {
				f.hint = "install its debug symbols (--debuginfo DIR if they lie elsewhere), or probe an address: " + ap.Provider + ":" + path + ":0x1234"
			}
			return nil, f
		}
		seen := map[uint64]bool{}
		r.doubtfulFunctions(ap, at, syms)
		r.alsoInlined(ap, at, path, syms)
		for _, s := range syms {
			if seen[s.Offset] { // another name of the same function
				continue
			}
			seen[s.Offset] = true
			if fail := r.inside(ap, at, path, s, offset); fail != nil {
				return nil, fail
			}
			if r.ofPrograms++; r.ofPrograms > maxFunctions {
				return nil, tooManyFunctions(ap)
			}
			p := r.userPoint(ap, path, s, offset)
			p.Hook.Wild = target.IsWild(fn) || len(paths) > 1
			if cpp {
				shown := target.ShownPath(ap.Parts[0], path)
				p.Hook.Name = strings.Replace(p.Hook.Name, shown+":", shown+":cpp:", 1)
			}
			points = append(points, p)
		}
	}
	if len(points) == 0 {
		f := &Failure{Span: partSpan(ap, at), Missing: true, Wild: target.IsWild(fn), message: fmt.Sprintf("%s has no function %s", strings.Join(paths, ", "), fn),
			hint: "fst -l '" + ap.Provider + ":" + paths[0] + ":*' lists them"}
		f.near = func() string { return r.NearestSymbol(paths[0], fn) }
		if len(paths) > 1 {
			noneOf(f, ap.Parts[0], paths, "function "+fn)
		} else if copies := r.copies(paths[0], fn); len(copies) > 0 {
			f.near, f.message = nil, fmt.Sprintf("%s has no function %s: the compiler inlined it", paths[0], fn)
			f.hint = fmt.Sprintf("uprobe:%s:inline:%s probes its copies (%d)", ap.Parts[0], fn, len(copies))
		}
		return nil, f
	}
	return r.together(points), nil
}

// together has several probes attached at once, if the kernel can.
func (r *Resolver) together(points []Point) []Point {
	if (len(points) > 1 || r.Target.Has(target.NoPerfUprobes)) && r.Target.Has(target.UprobeMulti) {
		for i := range points {
			points[i].Hook.Multi = true
		}
	}
	return points
}

// doubtfulFunctions warns of functions at which a probe sees or does something else
// than one expects.
func (r *Resolver) doubtfulFunctions(ap *ast.AttachPoint, at int, syms []target.UserSymbol) {
	var choosers, ofGo, throw []string
	for _, s := range syms {
		if s.Chooser {
			choosers = append(choosers, s.Name)
		}
		if s.Go && ap.Provider != "uprobe" {
			ofGo = append(ofGo, s.Name)
		} else if s.Throws && ap.Provider != "uprobe" {
			throw = append(throw, s.Name)
		}
	}
	if n := len(choosers); n > 0 {
		r.Diags.Warnf(partSpan(ap, at), "%s has several implementations, and each process selects one when it starts: the probe is on the selection and does not see the calls", some(choosers)).
			Hintf("probe the implementations: fst -l '%s:%s:*%s*' lists those that have names", ap.Provider, ap.Parts[0], strings.TrimLeft(choosers[0], "_"))
	}
	if len(ofGo) > 0 {
		r.Diags.Warnf(partSpan(ap, at), "%s: the return of a Go function can't be probed safely: the program crashes when Go moves a stack that contains the probe's return address", some(ofGo)).
			Hintf("probe the instructions that return, uprobe:%s:%s+OFFSET: objdump -d shows where ret is", ap.Parts[0], ofGo[0])
	}
	if len(throw) > 0 {
		r.Diags.Warnf(partSpan(ap, at), "%s: the return is not safe to probe if an exception of C++ or a panic of Rust can leave the function: the program aborts, as the probe's return address hides who would catch it", some(throw)).
			Hintf("probe the entry, or the instructions that return, uprobe:%s:%s+OFFSET: objdump -d shows where ret is", ap.Parts[0], throw[0])
	}
}

// noneOf makes a failure of all binaries that a pattern matches.
func noneOf(f *Failure, pattern string, paths []string, what string) {
	f.near = nil
	f.message = fmt.Sprintf("none of the %d programs and libraries that match %s has a %s", len(paths), pattern, what)
	f.hint = "name the one that has it; -p PID with * looks in all that a process uses"
	if pattern == "*" {
		f.hint = "* matches the programs in $PATH and the files that running processes use: name the file that has it"
	}
}

func (r *Resolver) NearestSymbol(path, fn string) string {
	all, _ := r.Target.Symbols(path, "*")
	list := names(all)
	if n := diag.Nearest(fn, list); n != "" {
		return n
	}
	return similar(fn, list)
}

func names(symbols []target.UserSymbol) (list []string) {
	for _, s := range symbols {
		list = append(list, s.Name)
	}
	return list
}

// userPoint is a place in a function of a program. Its signature is looked up
// when the clause turns out to need it (describe).
func (r *Resolver) userPoint(ap *ast.AttachPoint, path string, fn target.UserSymbol, offset uint64) Point {
	h := object.Hook{Kind: object.HookUprobe, Path: path, Symbol: fn.Name, Bits32: fn.Bits32, Convention: fn.Convention, FileOffset: fn.Offset + offset, PID: r.hookPID(),
		Name: ap.Provider + ":" + target.ShownPath(ap.Parts[0], path) + ":" + fn.Name}
	if offset != 0 {
		h.Name += fmt.Sprintf("+%d", offset)
	}
	if fn.Nameless {
		h.Symbol = ""
	}
	h.Entry = ap.Provider == "uprobe" && offset == 0 && h.Symbol != "" && !fn.Bits32
	p := Point{Provider: ap.Provider, symbol: fn}
	if ap.Provider != "uprobe" {
		h.Kind = object.HookUretprobe
		p.Retval = types.U64
		// Without debug information the parameters are arg0 to arg5.
		p.Func = numbered(fn.Name)
		p.Args = ParamStruct(p.Func)
		if fn.Bits32 {
			p.Func, p.Args = nil, nil
		}
	}
	p.Hook = h
	return p
}

// inside refuses a place in a function where no instruction begins: a probe
// there would break the program.
func (r *Resolver) inside(ap *ast.AttachPoint, at int, path string, fn target.UserSymbol, offset uint64) *Failure {
	if offset == 0 {
		return nil
	}
	if fn.Size != 0 && offset >= fn.Size {
		return &Failure{Span: partSpan(ap, at), message: fmt.Sprintf("%s+%d is outside of the function, which has %d bytes", fn.Name, offset, fn.Size),
			hint: fmt.Sprintf("offsets go from 0 to %d, in bytes", fn.Size-1)}
	}
	code, ok := r.Target.(target.Code)
	if !ok || r.Unsafe || code.IsInstruction(path, fn, offset) {
		return nil
	}
	return &Failure{Span: partSpan(ap, at), message: fmt.Sprintf("%s+%d is in the middle of an instruction", fn.Name, offset),
		hint: "objdump -d shows where instructions begin; --unsafe probes there all the same, which breaks the program"}
}

// DescribeUser fills in what the debug information says of a function's
// parameters and its result.
func (r *Resolver) DescribeUser(p *Point) {
	info, ok := r.Target.(target.DebugInfo)
	if !ok || p.symbol.Name == "" || p.Hook.FileOffset != p.symbol.Offset {
		return
	}
	found, ok := info.UserFunction(p.Hook.Path, p.symbol)
	if !ok {
		return
	}
	fn := *found
	fn.Name = p.symbol.Name
	var fields []types.Field
	for i, param := range fn.Params {
		if slot := fn.Slots[i]; slot >= 0 {
			fields = append(fields, types.Field{Name: param.Name, Type: param.Type, Offset: 8 * slot})
		}
	}
	p.Args = types.NewStruct(types.Struct, "args of "+fn.Name, 0, fields)
	switch p.Provider {
	case "uretprobe":
		p.Retval = registerResult(found)
	case "ucall":
		switch r := found.Returns(); {
		case found.ResultUnread != "":
			p.Retval = nil
		case r == nil || r.IsScalar():
			p.Retval = r
		}
		// arg0 to arg5 can be asked for all the same.
		fn.Params, fn.Slots = slices.Clone(fn.Params), slices.Clone(fn.Slots)
		for i, param := range numbered("").Params {
			fn.Params, fn.Slots = append(fn.Params, param), append(fn.Slots, i)
		}
	}
	p.Func = &fn
}

func (r *Resolver) resolveUSDT(ap *ast.AttachPoint) ([]Point, *Failure) {
	paths, rest, at, fail := r.userBinary(ap)
	if fail != nil {
		return nil, fail
	}
	ns, name := "", rest[0]
	if len(rest) == 2 {
		ns, name = rest[0], rest[1]
		at++
	} else if len(rest) > 2 {
		return nil, badForm(ap)
	}
	var points []Point
	for _, path := range paths {
		found, err := r.Target.USDT(path, ns, name)
		if err != nil && len(paths) == 1 {
			f := unreadable(ap, path, err)
			if f == nil {
				f = &Failure{Span: partSpan(ap, 0), Missing: true, message: fmt.Sprintf("the static probes of %s can't be read: %v", path, err), hint: wantELF}
			}
			return nil, f
		}
		found = slices.Clone(found)
		slices.SortStableFunc(found, func(a, b target.USDTProbe) int {
			return cmp.Or(strings.Compare(a.Provider, b.Provider), strings.Compare(a.Name, b.Name))
		})
		for _, p := range found {
			if p.Cleared {
				r.Diags.Warnf(partSpan(ap, at), "processes that start later than the probe do not see that %s is wanted: its semaphore is cleared when they start", p.Name).
					Hintf("it is in .bss: the program must have it in .probes or .data; processes that are already running are traced")
			}
			points = append(points, Point{Provider: "usdt", USDT: p.Args, Args: p.Record(), Hook: object.Hook{Kind: object.HookUprobe, Path: path, Symbol: p.Name,
				FileOffset: p.Offset, Semaphore: p.Semaphore, PID: r.hookPID(), Name: "usdt:" + target.ShownPath(ap.Parts[0], path) + ":" + p.Provider + ":" + p.Name}})
		}
	}
	if len(points) == 0 {
		f := &Failure{Span: partSpan(ap, at), Missing: true, Wild: target.IsWild(name) || target.IsWild(ns),
			message: fmt.Sprintf("%s has no static probe %s", filepath.Base(paths[0]), name), hint: "fst -l 'usdt:" + paths[0] + ":*' lists them"}
		if len(paths) > 1 {
			noneOf(f, ap.Parts[0], paths, "static probe "+name)
			return nil, f
		}
		f.near = func() string {
			all, _ := r.Target.USDT(paths[0], "*", "*")
			var names []string
			for _, p := range all {
				names = append(names, p.Name)
			}
			return diag.Nearest(name, names)
		}
		return nil, f
	}
	return points, nil
}

const wantELF = "probes of user programs want an ELF file"

// unreadable is the failure of a binary whose error names it; nil for other errors.
func unreadable(ap *ast.AttachPoint, path string, err error) *Failure {
	if !strings.Contains(err.Error(), path) {
		return nil
	}
	f := &Failure{Span: partSpan(ap, 0), Missing: true, message: err.Error(), hint: wantELF}
	if errors.Is(err, fs.ErrPermission) {
		f.hint = "run fst as root, or as a user who may read it"
	}
	return f
}
