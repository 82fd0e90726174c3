package check

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"fst/compiler/object"
	"fst/compiler/target"
	"fst/compiler/types"
	"fst/lang/ast"
	"fst/lang/diag"
)

// userBinary resolves the binary of a probe of a user program.
func (c *checker) userBinary(ap *ast.AttachPoint) (paths []string, rest []string, at int, fail *failure) {
	parts := ap.Parts
	if len(parts) == 1 && c.opts.PID != 0 {
		parts = []string{"", parts[0]}
	}
	if len(parts) < 2 || parts[0] == "" && c.opts.PID == 0 {
		f := badForm(ap)
		if len(parts) >= 2 {
			f.hint = "name the binary, or with -p PID the process: " + f.hint
		} else if lib := c.userLibrary(strings.Join(parts, "")); lib != "" {
			f.near = func() string { return ap.Provider + ":" + lib + ":" + parts[0] }
		}
		return nil, nil, 0, f
	}
	paths, err := c.t.Binary(parts[0], c.opts.PID)
	if err != nil || len(paths) == 0 {
		f := &failure{span: partSpan(ap, 0), missing: true, wild: isWild(parts[0]), msg: strings.TrimSpace("there is no program or library " + parts[0]),
			hint: "give its path: " + ap.Provider + ":/usr/bin/NAME:..."}
		if strings.Contains(parts[0], "/") {
			f.hint = "check the path; a name without '/' is looked for in $PATH and among the libraries"
		}
		if rest, ok := strings.CutPrefix(parts[0], "/proc/"); ok && errors.Is(err, fs.ErrNotExist) {
			f.hint = "is process " + rest[:strings.IndexByte(rest+"/", '/')] + " still running?"
		}
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			f.msg += " (" + err.Error() + ")"
		}
		return nil, nil, 0, f
	}
	return paths, parts[1:], len(ap.Parts) - len(parts) + 1, nil
}

func (c *checker) resolveUprobe(ap *ast.AttachPoint) ([]point, *failure) {
	if len(ap.Parts) > 0 {
		if i := strings.LastIndexByte(ap.Parts[0], '@'); i > 0 {
			return c.sourceLine(ap, ap.Parts[0][:i], ap.Parts[0][i+1:])
		}
	}
	paths, rest, at, fail := c.userBinary(ap)
	if fail != nil {
		return nil, fail
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
		return c.uprobeAddress(ap, paths, name, at)
	}
	fn, offset, fail := splitOffset(ap, name, at)
	if fail != nil {
		return nil, fail
	}
	symbols := c.t.Symbols
	if d, ok := c.t.(target.DebugInfo); ok && (cpp || strings.Contains(fn, "::") || strings.Contains(fn, "(")) {
		symbols, cpp = d.MangledSymbols, true
	}
	if offset != 0 && ap.Provider != "uprobe" {
		return nil, &failure{span: partSpan(ap, at), msg: "a probe of a function's return can't have an offset", hint: "write " + ap.Provider + ":" + ap.Parts[0] + ":" + fn}
	}
	var points []point
	for _, path := range paths {
		syms, err := symbols(path, fn)
		if err != nil {
			if len(paths) > 1 {
				continue
			}
			return nil, &failure{span: partSpan(ap, 0), missing: true, msg: fmt.Sprintf("the functions of %s can't be read: %v", path, err),
				hint: "probes of user programs want an ELF file"}
		}
		seen := map[uint64]bool{}
		for _, s := range syms {
			if seen[s.Offset] { // another name of the same function
				continue
			}
			seen[s.Offset] = true
			if fail := c.inside(ap, at, path, s, offset); fail != nil {
				return nil, fail
			}
			p := c.userPoint(ap, path, s, offset)
			if cpp {
				shown := target.ShownPath(ap.Parts[0], path)
				p.hook.Name = strings.Replace(p.hook.Name, shown+":", shown+":cpp:", 1)
			}
			points = append(points, p)
		}
	}
	if len(points) == 0 {
		f := &failure{span: partSpan(ap, at), missing: true, wild: isWild(fn), msg: fmt.Sprintf("%s has no function %s", strings.Join(paths, ", "), fn),
			hint: "fst -l '" + ap.Provider + ":" + paths[0] + ":*' lists them"}
		f.near = func() string { return c.nearestSymbol(paths[0], fn) }
		if len(paths) > 1 {
			noneOf(f, ap.Parts[0], paths, "function "+fn)
		}
		return nil, f
	}
	if len(points) > 1 && c.t.Has(target.UprobeMulti) {
		for i := range points {
			points[i].hook.Multi = true
		}
	}
	return points, nil
}

// noneOf makes a failure of all binaries that a pattern matches.
func noneOf(f *failure, pattern string, paths []string, what string) {
	f.near = nil
	f.msg = fmt.Sprintf("none of the %d programs and libraries that match %s has a %s", len(paths), pattern, what)
	f.hint = "name the one that has it; -p PID with * looks in all that a process uses"
	if pattern == "*" {
		f.hint = "* stands for the programs in $PATH and all that running processes use: name the file that has it"
	}
}

func (c *checker) nearestSymbol(path, fn string) string {
	all, _ := c.t.Symbols(path, "*")
	var names []string
	for _, s := range all {
		names = append(names, s.Name)
	}
	if n := diag.Nearest(fn, names); n != "" {
		return n
	}
	return similar(fn, names)
}

// userPoint is a place in a function of a program. Its signature is looked up
// when the clause turns out to need it (describe).
func (c *checker) userPoint(ap *ast.AttachPoint, path string, fn target.UserSymbol, offset uint64) point {
	h := object.Hook{Kind: object.HookUprobe, Path: path, Symbol: fn.Name, FileOffset: fn.Offset + offset, PID: c.opts.PID,
		Name: ap.Provider + ":" + target.ShownPath(ap.Parts[0], path) + ":" + fn.Name}
	if offset != 0 {
		h.Name += fmt.Sprintf("+%d", offset)
	}
	p := point{provider: ap.Provider, symbol: fn}
	if ap.Provider != "uprobe" {
		h.Kind = object.HookUretprobe
		p.retval = types.U64
		// Without debug information the parameters are arg0 to arg5.
		p.fn = numbered(fn.Name)
		p.args = paramStruct(p.fn)
	}
	p.hook = h
	return p
}

// inside refuses a place in a function where no instruction begins: a probe
// there would break the program.
func (c *checker) inside(ap *ast.AttachPoint, at int, path string, fn target.UserSymbol, offset uint64) *failure {
	if offset == 0 {
		return nil
	}
	if fn.Size != 0 && offset >= fn.Size {
		return &failure{span: partSpan(ap, at), msg: fmt.Sprintf("%s+%d is outside of the function, which has %d bytes", fn.Name, offset, fn.Size),
			hint: fmt.Sprintf("offsets go from 0 to %d, in bytes", fn.Size-1)}
	}
	code, ok := c.t.(target.Code)
	if !ok || c.opts.Unsafe || code.IsInstruction(path, fn, offset) {
		return nil
	}
	return &failure{span: partSpan(ap, at), msg: fmt.Sprintf("%s+%d is in the middle of an instruction", fn.Name, offset),
		hint: "objdump -d shows where instructions begin; --unsafe probes there all the same, which breaks the program"}
}

// describeUser fills in what the debug information says of a function's
// parameters and, for ucall, of its result.
func (c *checker) describeUser(p *point) {
	info, ok := c.t.(target.DebugInfo)
	if !ok || p.symbol.Name == "" || p.hook.FileOffset != p.symbol.Offset {
		return
	}
	found, ok := info.UserFunction(p.hook.Path, p.symbol)
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
	p.args = types.NewStruct(types.Struct, "args of "+fn.Name, 0, fields)
	if p.provider == "ucall" {
		if r := resultOf(found); r == nil || r.IsScalar() {
			p.retval = r
		}
		// arg0 to arg5 can be asked for all the same.
		fn.Params, fn.Slots = slices.Clone(fn.Params), slices.Clone(fn.Slots)
		for i, param := range numbered("").Params {
			fn.Params, fn.Slots = append(fn.Params, param), append(fn.Slots, i)
		}
	}
	p.fn = &fn
}

// sourceLine resolves uprobe:BINARY@FILE:LINE[:COLUMN] to an address.
func (c *checker) sourceLine(ap *ast.AttachPoint, binary, file string) ([]point, *failure) {
	if ap.Provider != "uprobe" {
		return nil, &failure{span: ap.Span, msg: "a probe of a function's return can't be at a source line", hint: "use uprobe:, or name the function"}
	}
	if len(ap.Parts) < 2 || len(ap.Parts) > 3 || file == "" {
		return nil, badForm(ap)
	}
	var numbers [2]int
	for i, part := range ap.Parts[1:] {
		n, err := strconv.Atoi(part)
		if err != nil || n < 1 {
			return nil, &failure{span: partSpan(ap, i+1), msg: fmt.Sprintf("%q is not the number of a line or column", part), hint: written(ap)}
		}
		numbers[i] = n
	}
	info, ok := c.t.(target.DebugInfo)
	if !ok {
		return nil, &failure{span: ap.Span, msg: "nothing is known of the program's source lines", hint: "use the name of the function"}
	}
	at := *ap
	at.Parts = []string{binary, ap.Parts[1]}
	paths, _, _, fail := c.userBinary(&at)
	if fail != nil {
		return nil, fail
	}
	named := *ap
	named.Parts = []string{binary}
	addr, err := info.SourceLine(paths[0], file, numbers[0], numbers[1])
	if err != nil {
		return nil, &failure{span: partSpan(ap, 0), missing: true, msg: fmt.Sprintf("%s can't be probed at a source line: %v", paths[0], err),
			hint: "name a function: uprobe:" + binary + ":NAME; lines need debug information of the program (-g, or a package of debug symbols)"}
	}
	return c.uprobeAddress(&named, paths, strconv.FormatUint(addr, 10), 1)
}

func (c *checker) uprobeAddress(ap *ast.AttachPoint, paths []string, text string, at int) ([]point, *failure) {
	addr, err := strconv.ParseUint(text, 0, 64)
	if err != nil {
		return nil, &failure{span: partSpan(ap, at), msg: fmt.Sprintf("%q is neither a function nor an address", text), hint: "an address is written 0x..."}
	}
	path := paths[0]
	offset, ok := c.t.FileOffset(path, addr)
	if !ok {
		return nil, &failure{span: partSpan(ap, at), missing: true, msg: fmt.Sprintf("%s has no code at address %#x", path, addr), hint: "addresses are those that nm shows"}
	}
	place := target.UserSymbol{Addr: addr, Offset: offset}
	syms, _ := c.t.Symbols(path, "*")
	i := slices.IndexFunc(syms, func(s target.UserSymbol) bool { return addr >= s.Addr && addr < s.Addr+max(s.Size, 1) })
	switch {
	case i >= 0:
		if fail := c.inside(ap, at, path, syms[i], addr-syms[i].Addr); fail != nil {
			return nil, fail
		}
		place = syms[i]
	case !c.opts.Unsafe:
		return nil, &failure{span: partSpan(ap, at), missing: true, msg: fmt.Sprintf("address %#x of %s is in no function", addr, path),
			hint: "addresses are those that nm shows; --unsafe probes there all the same, which breaks the program if no instruction begins there"}
	}
	p := c.userPoint(ap, path, place, addr-place.Addr)
	p.hook.Name = fmt.Sprintf("%s:%s:%d", ap.Provider, target.ShownPath(ap.Parts[0], path), addr)
	return []point{p}, nil
}

func (c *checker) resolveUSDT(ap *ast.AttachPoint) ([]point, *failure) {
	paths, rest, at, fail := c.userBinary(ap)
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
	var points []point
	for _, path := range paths {
		found, err := c.t.USDT(path, ns, name)
		if err != nil && len(paths) == 1 {
			return nil, &failure{span: partSpan(ap, 0), missing: true, msg: fmt.Sprintf("the static probes of %s can't be read: %v", path, err),
				hint: "probes of user programs want an ELF file"}
		}
		found = slices.Clone(found)
		slices.SortStableFunc(found, func(a, b target.USDTProbe) int {
			return cmp.Or(strings.Compare(a.Provider, b.Provider), strings.Compare(a.Name, b.Name))
		})
		for _, p := range found {
			points = append(points, point{provider: "usdt", usdt: p.Args, hook: object.Hook{Kind: object.HookUprobe, Path: path, Symbol: p.Name,
				FileOffset: p.Offset, Semaphore: p.Semaphore, PID: c.opts.PID, Name: "usdt:" + target.ShownPath(ap.Parts[0], path) + ":" + p.Provider + ":" + p.Name}})
		}
	}
	if len(points) == 0 {
		f := &failure{span: partSpan(ap, at), missing: true, wild: isWild(name) || isWild(ns),
			msg: fmt.Sprintf("%s has no static probe %s", filepath.Base(paths[0]), name), hint: "fst -l 'usdt:" + paths[0] + ":*' lists them"}
		if len(paths) > 1 {
			noneOf(f, ap.Parts[0], paths, "static probe "+name)
			return nil, f
		}
		f.near = func() string {
			all, _ := c.t.USDT(paths[0], "*", "*")
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
