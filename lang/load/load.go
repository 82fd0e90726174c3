// Package load reads a script together with the files that it names: those of
// its import statements and #include lines, and headers of the command line.
//
// It is the only part of lang that opens files.
package load

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"

	"fst/lang/ast"
	"fst/lang/diag"
	"fst/lang/parse"
	"fst/lang/source"
)

// Options say where files are looked for.
type Options struct {
	// IncludeDirs are searched for the names of #include lines and of Headers,
	// behind the directory of the file that has the line.
	IncludeDirs []string
	// Headers are read before the script, as if it began by including them.
	Headers []string
	// Definitions is a text whose macros, types and settings the script knows, and those of what it imports: clauses are
	// the script's own only. DefinitionsName is what messages call it; "definitions" if it is empty.
	Definitions, DefinitionsName string
	// Only is a filter that all clauses of the script have besides their own, but those on what is no event: begin, end,
	// self, interval, report, tests and benchmarks.
	Only string
	// Library has the parts of the standard library that can be imported by name
	// ("stdlib/io"), though all of it is always there. nil takes any name.
	Library []string
	// Statements and Show are those of parse.Options.
	Statements, Show bool
}

// loader is the state of one Program.
type loader struct {
	set   *source.Set
	opts  Options
	diags *diag.List
	seen  map[string]bool // by absolute path: each file is read once
	// scripts and headers are the bytes that may still be read of each.
	scripts, headers int
}

// Program parses a script and joins to it what it imports. The tree is good
// only if diags has no errors.
func Program(set *source.Set, f *source.File, o Options, diags *diag.List) *ast.Program {
	l := &loader{set: set, opts: o, diags: diags, seen: map[string]bool{}, scripts: parse.MaxScript - len(f.Text), headers: maxHeaders}
	if abs, err := filepath.Abs(f.Name); err == nil {
		l.seen[abs] = true
	}
	var before []*source.File
	for _, name := range o.Headers {
		h, there := l.header(name, true, f, source.Span{})
		switch {
		case h != nil:
			before = append(before, h)
		case !there && !isSystemHeader(name):
			diags.Errorf(source.Span{}, "there is no header %s", name).Hintf("-I DIR adds a directory to look in")
		}
	}
	prog := parse.ParseWith(f, parse.Options{Include: l.include, Before: before, Statements: o.Statements, Show: o.Show}, diags)
	if o.Only != "" {
		only(parse.Parse(set.Add("only", "begin /"+o.Only+"/ { }"), diags), prog)
	}
	if o.Definitions != "" {
		earlier := parse.ParseWith(set.Add(cmp.Or(o.DefinitionsName, "definitions"), o.Definitions), parse.Options{Include: l.include}, diags)
		if len(earlier.Imports) > 0 {
			known := &ast.Program{}
			l.imports(earlier, f, known)
			known.Clauses = nil
			join(known, earlier)
			known.Imports, known.Config = nil, earlier.Config
			earlier = known
		}
		join(earlier, prog)
		earlier.At, earlier.Config, earlier.Comments = prog.At, append(earlier.Config, prog.Config...), prog.Comments
		prog = earlier
	}
	if len(prog.Imports) > 0 {
		imported := &ast.Program{}
		l.imports(prog, f, imported)
		join(imported, prog)
		imported.At, imported.Config, imported.Comments = prog.At, prog.Config, prog.Comments
		prog = imported
	}
	return prog
}

// only gives the clauses of a program the filter of another one's only clause.
func only(filter, prog *ast.Program) {
	if len(filter.Clauses) != 1 || filter.Clauses[0].Filter == nil {
		return // it has been told what is wrong with it
	}
	f := filter.Clauses[0].Filter
	for _, c := range prog.Clauses {
		switch {
		case !c.OnEvents():
		case c.Filter == nil:
			c.Filter = f
		default:
			c.Filter = inFront(f, c.Filter)
		}
	}
}

// inFront puts a condition in front of a filter: behind the comptime that the filter begins with, which decides whether
// the clause is there at all.
func inFront(f, filter ast.Expr) ast.Expr {
	both := &ast.Binary{At: ast.At{Span: filter.Pos()}, Op: "&&", X: f, Y: filter}
	switch x := filter.(type) {
	case *ast.Comptime:
		both.X, both.Y = filter, f
	case *ast.Binary:
		if x.Op == "&&" {
			both.X, both.Y = inFront(f, x.X), x.Y
		}
	}
	return both
}

// include finds the header of an #include line. One that is nowhere is passed
// over: the kernel's types and constants are known without it. Of one that must
// be the user's own that is told.
func (l *loader) include(name string, quoted bool, from *source.File, at source.Span) *source.File {
	h, there := l.header(name, quoted, from, at)
	if !there && quoted && !isSystemHeader(name) {
		l.diags.Warnf(at, "there is no header %s: what it defines is not known", name).
			Hintf("it is searched for next to %s; -I DIR adds a directory", from.Name)
	}
	return h
}

// isSystemHeader tells whether a header that is nowhere is the kernel's, as
// linux/fs.h, a dump of all its types, or the C library's. What these define is
// known without them.
func isSystemHeader(name string) bool {
	return strings.Contains(name, "/") && !filepath.IsAbs(name) || name == "vmlinux.h" || libcHeaders[name]
}

// libcHeaders are the headers of the C library that scripts name for constants
// and types and whose names have no directory.
var libcHeaders = map[string]bool{
	"assert.h": true, "ctype.h": true, "dirent.h": true, "elf.h": true, "endian.h": true, "errno.h": true, "fcntl.h": true,
	"inttypes.h": true, "limits.h": true, "netdb.h": true, "poll.h": true, "pthread.h": true, "sched.h": true, "signal.h": true,
	"stdarg.h": true, "stdbool.h": true, "stddef.h": true, "stdint.h": true, "stdio.h": true, "stdlib.h": true, "string.h": true,
	"strings.h": true, "syscall.h": true, "time.h": true, "unistd.h": true,
}

// header finds a header that was not yet read, and reports whether it is there. at
// is where it is asked for.
func (l *loader) header(name string, quoted bool, from *source.File, at source.Span) (h *source.File, there bool) {
	dirs := l.opts.IncludeDirs
	if quoted {
		dirs = append([]string{filepath.Dir(from.Name)}, dirs...)
	}
	if filepath.IsAbs(name) {
		dirs = []string{""}
	}
	for _, dir := range dirs {
		path := filepath.Join(dir, name)
		abs, err := filepath.Abs(path)
		if err != nil {
			continue
		}
		if l.seen[abs] {
			there = true
			continue
		}
		text, err := ReadFile(path, l.headers)
		switch {
		case err == nil:
			l.seen[abs] = true
			l.headers -= len(text)
			return l.set.Add(path, text), true
		case !errors.Is(err, fs.ErrNotExist) && !errors.Is(err, syscall.ENOTDIR) && !errors.Is(err, syscall.EISDIR):
			l.seen[abs] = true
			l.diags.Errorf(at, "can't include %s: %s", name, whyNot(err, path, maxHeaders, "headers"))
			return nil, true
		}
	}
	return nil, there
}

// whyNot says why a file was not read. most is how many bytes of its kind are read.
func whyNot(err error, path string, most int, kind string) string {
	if errors.Is(err, errTooLarge) {
		return fmt.Sprintf("with %s, this script's %s have more than %d bytes together", path, kind, most)
	}
	return err.Error()
}

// imports joins to out all that a program imports, in order, each file once.
func (l *loader) imports(prog *ast.Program, from *source.File, out *ast.Program) {
	for _, im := range prog.Imports {
		if im.Path == "stdlib" || strings.HasPrefix(im.Path, "stdlib/") {
			l.checkLibrary(im)
			continue
		}
		path := im.Path
		if !filepath.IsAbs(path) {
			path = filepath.Join(filepath.Dir(from.Name), path)
		}
		files, err := importable(path)
		if err != nil {
			l.diags.Errorf(im.Span, "can't import %s: %v", im.Path, err).Hintf("%s was looked at", path)
			continue
		}
		for _, name := range files {
			l.importFile(name, im, out)
		}
	}
}

// checkLibrary looks whether the standard library has what is imported of it.
func (l *loader) checkLibrary(im *ast.Import) {
	part := strings.TrimSuffix(im.Path, ".fst")
	if part == "stdlib" || l.opts.Library == nil || slices.Contains(l.opts.Library, part) {
		return // always there
	}
	d := l.diags.Errorf(im.Span, "the standard library has no part %s", im.Path)
	if near := diag.Nearest(part, l.opts.Library); near != "" {
		d.Hintf("did you mean %s?", near)
		return
	}
	d.Hintf("it has %s; all of it is there without an import", strings.Join(l.opts.Library, ", "))
}

// importFile joins one file to out, after what it imports itself.
func (l *loader) importFile(name string, im *ast.Import, out *ast.Program) {
	abs, err := filepath.Abs(name)
	if err != nil || l.seen[abs] {
		return
	}
	l.seen[abs] = true
	budget, most, kind := &l.scripts, parse.MaxScript, "text and imports"
	isHeader := filepath.Ext(name) == ".h"
	if isHeader {
		budget, most, kind = &l.headers, maxHeaders, "headers"
	}
	text, err := ReadFile(name, *budget)
	if err != nil {
		l.diags.Errorf(im.Span, "can't import %s: %s", im.Path, whyNot(err, name, most, kind))
		return
	}
	*budget -= len(text)
	f := l.set.Add(name, text)
	prog := parse.ParseWith(f, parse.Options{Include: l.include, Header: isHeader}, l.diags)
	for _, s := range prog.Config {
		l.diags.Errorf(s.Span, "an imported file can't have settings").Hintf("move them to the script").
			Notef(im.Span, "it is imported here")
	}
	l.imports(prog, f, out)
	if len(prog.Probes) > 0 {
		out.Libraries = append(out.Libraries, prog)
		return
	}
	join(out, prog)
}

// join appends the declarations of a program to another.
func join(to, from *ast.Program) {
	to.Defines = append(to.Defines, from.Defines...)
	to.Includes = append(to.Includes, from.Includes...)
	to.CTypes = append(to.CTypes, from.CTypes...)
	to.Typedefs = append(to.Typedefs, from.Typedefs...)
	to.Imports = append(to.Imports, from.Imports...)
	to.MapDecls = append(to.MapDecls, from.MapDecls...)
	to.Macros = append(to.Macros, from.Macros...)
	to.Probes = append(to.Probes, from.Probes...)
	to.Clauses = append(to.Clauses, from.Clauses...)
	to.Libraries = append(to.Libraries, from.Libraries...)
}

// kinds are the files that can be imported.
var kinds = map[string]bool{".bt": true, ".fst": true, ".h": true}

// worldWritable is the permission that would let anybody change what a script
// does, and scripts are run by root.
const worldWritable = 0o002

var errWorldWritable = errors.New("everybody may write to it")

// importable lists the files that a path stands for: itself, or those of a
// directory that can be imported, by name.
func importable(path string) ([]string, error) {
	info, err := os.Stat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, errors.New("there is no such file")
	case err != nil:
		return nil, err
	case info.Mode().Perm()&worldWritable != 0:
		return nil, errWorldWritable
	case !info.IsDir():
		if ext := filepath.Ext(path); !kinds[ext] {
			if strings.HasSuffix(path, ".c") {
				return nil, errors.New("a C program needs a C compiler, which fst does not have: write a macro")
			}
			return nil, fmt.Errorf("only .bt, .fst and .h files can be imported, not %q", ext)
		}
		return []string{path}, nil
	}
	entries, err := os.ReadDir(path)
	if err != nil {
		return nil, err
	}
	var files []string
	for _, e := range entries {
		name := filepath.Join(path, e.Name())
		info, err := os.Stat(name)
		if err != nil || info.IsDir() || !kinds[filepath.Ext(name)] {
			continue
		}
		if info.Mode().Perm()&worldWritable != 0 {
			return nil, fmt.Errorf("%s: %w", e.Name(), errWorldWritable)
		}
		files = append(files, name)
	}
	if len(files) == 0 {
		return nil, errors.New("the directory has nothing to import")
	}
	return files, nil
}
