package probe

import (
	"fmt"
	"strconv"

	"fst/compiler/object"
	"fst/compiler/target"
	"fst/lang/ast"
	"fst/lang/diag"
)

// sourceLine resolves uprobe:BINARY@FILE:LINE[:COLUMN] to an address.
func (r *Resolver) sourceLine(ap *ast.AttachPoint, binary, file string) ([]Point, *Failure) {
	if ap.Provider != "uprobe" {
		return nil, &Failure{Span: ap.Span, message: "a probe of a function's return can't be at a source line", hint: "use uprobe:, or name the function"}
	}
	if len(ap.Parts) < 2 || len(ap.Parts) > 3 || file == "" {
		return nil, badForm(ap)
	}
	var numbers [2]int
	for i, part := range ap.Parts[1:] {
		n, err := strconv.Atoi(part)
		if err != nil || n < 1 {
			return nil, &Failure{Span: partSpan(ap, i+1), message: fmt.Sprintf("%q is not the number of a line or column", part), hint: written(ap)}
		}
		numbers[i] = n
	}
	info, ok := r.Target.(target.DebugInfo)
	if !ok {
		return nil, &Failure{Span: ap.Span, message: "nothing is known of the program's source lines", hint: "use the name of the function"}
	}
	at := *ap
	at.Parts = []string{binary, ap.Parts[1]}
	paths, _, _, fail := r.userBinary(&at)
	if fail != nil {
		return nil, fail
	}
	named := *ap
	named.Parts = []string{binary}
	addrs, err := info.SourceLine(paths[0], file, numbers[0], numbers[1])
	if err != nil {
		return nil, &Failure{Span: partSpan(ap, 0), Missing: true, message: fmt.Sprintf("%s can't be probed at a source line: %v", paths[0], err),
			hint: "name a function: uprobe:" + binary + ":NAME; lines need debug information of the program (-g, or a package of debug symbols)"}
	}
	var points []Point
	for _, addr := range addrs {
		found, fail := r.uprobeAddress(&named, paths, strconv.FormatUint(addr, 10), 1)
		if fail != nil {
			return nil, fail
		}
		points = append(points, found...)
	}
	return points, nil
}

func (r *Resolver) uprobeAddress(ap *ast.AttachPoint, paths []string, text string, at int) ([]Point, *Failure) {
	addr, err := strconv.ParseUint(text, 0, 64)
	if err != nil {
		return nil, &Failure{Span: partSpan(ap, at), message: fmt.Sprintf("%q is neither a function nor an address", text), hint: "an address is written 0x..."}
	}
	path := paths[0]
	offset, ok := r.Target.FileOffset(path, addr)
	if !ok {
		return nil, &Failure{Span: partSpan(ap, at), Missing: true, message: fmt.Sprintf("%s has no code at address %#x", path, addr), hint: "addresses are those that nm shows"}
	}
	place := target.UserSymbol{Addr: addr, Offset: offset}
	fn, known := r.Target.FunctionAt(path, addr)
	switch {
	case known:
		if fail := r.inside(ap, at, path, fn, addr-fn.Addr); fail != nil {
			return nil, fail
		}
		place = fn
	case !r.Unsafe:
		return nil, &Failure{Span: partSpan(ap, at), Missing: true, message: fmt.Sprintf("address %#x of %s is in no function", addr, path),
			hint: "addresses are those that nm shows; --unsafe probes there all the same, which breaks the program if no instruction begins there"}
	}
	p := r.userPoint(ap, path, place, addr-place.Addr)
	p.Hook.Name = fmt.Sprintf("%s:%s:%d", ap.Provider, target.ShownPath(ap.Parts[0], path), addr)
	return []Point{p}, nil
}

// inlined resolves uprobe:BINARY:inline:FUNCTION to where the copies of the function begin that were inlined into others.
func (r *Resolver) inlined(ap *ast.AttachPoint, paths []string, pattern string, at int) ([]Point, *Failure) {
	if ap.Provider != "uprobe" {
		return nil, &Failure{Span: ap.Span, message: "an inlined copy of a function does not return: only its begin can be probed", hint: "use uprobe:"}
	}
	var points []Point
	for _, path := range paths {
		for _, c := range r.copies(path, pattern) {
			found, fail := r.uprobeAddress(ap, []string{path}, strconv.FormatUint(c.Addr, 10), at)
			if fail != nil {
				return nil, fail
			}
			if r.ofPrograms++; r.ofPrograms > maxFunctions {
				return nil, tooManyFunctions(ap)
			}
			p := found[0]
			// The arguments are where the compiler has put them: those of the function around are none of the copy's.
			p.symbol, p.Hook.Entry, p.Hook.Convention = target.UserSymbol{}, false, object.ConventionInlined
			p.Hook.Name = fmt.Sprintf("uprobe:%s:inline:%s", target.ShownPath(ap.Parts[0], path), c.Name)
			p.Hook.Wild = target.IsWild(pattern) || len(paths) > 1
			points = append(points, p)
		}
	}
	if len(points) == 0 {
		f := &Failure{Span: partSpan(ap, at), Missing: true, Wild: target.IsWild(pattern), message: fmt.Sprintf("the debug information of %s has no inlined copy of %s", paths[0], pattern),
			hint: "fst -l 'uprobe:" + paths[0] + ":inline:*' lists the inlined functions; they are known with debug information only (-g, or a package of debug symbols)"}
		f.near = func() string { return diag.Nearest(pattern, names(r.copies(paths[0], "*"))) }
		if len(paths) > 1 {
			noneOf(f, ap.Parts[0], paths, "inlined function "+pattern)
		}
		return nil, f
	}
	return r.together(points), nil
}

// copies are the inlined copies of functions, as far as debug information tells of them.
func (r *Resolver) copies(path, pattern string) []target.UserSymbol {
	info, ok := r.Target.(target.DebugInfo)
	if !ok {
		return nil
	}
	list, _ := info.InlinedCopies(path, pattern) // without debug information there are none
	return list
}

// alsoInlined warns of a function whose calls a probe sees in part only.
func (r *Resolver) alsoInlined(ap *ast.AttachPoint, at int, path string, fns []target.UserSymbol) {
	info, ok := r.Target.(target.DebugInfo)
	if !ok || len(fns) != 1 || !info.IsInlined(path, fns[0]) {
		return
	}
	r.Diags.Warnf(partSpan(ap, at), "the compiler has also inlined %s into other functions: the probe does not see those calls", fns[0].Name).
		Hintf("uprobe:%s:inline:%s probes where they begin", ap.Parts[0], fns[0].Name)
}
