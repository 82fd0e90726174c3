package cli

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"fst"
)

// format is the subcommand fmt: scripts in their canonical form.
func (a *app) format(words []string) int {
	write, list := false, false
	var names []string
	for len(words) > 0 {
		w := words[0]
		words = words[1:]
		switch {
		case w == "-w":
			write = true
		case w == "-l":
			list = true
		case w == "--":
			names, words = append(names, words...), nil
		case len(w) > 1 && w[0] == '-':
			return a.fail(fmt.Errorf("unknown option %s for fmt (-w rewrites the files, -l lists those that are not in canonical form)", w))
		default:
			names = append(names, w)
		}
	}
	if len(names) == 0 {
		return a.fail(errors.New("fmt needs the names of scripts or directories, or - for the standard input"))
	}
	files, more, err := a.scriptFiles(names)
	if err != nil {
		return a.fail(err)
	}
	defer a.failMissing(more)
	code := exitOK
	for _, f := range files {
		text, err := a.readScript(f)
		if err != nil {
			code = a.fail(err)
			continue
		}
		name := f
		if f == "-" {
			name = "stdin"
		}
		out, err := fst.Format(name, text)
		switch {
		case err != nil:
			code = a.fail(err)
		case list:
			if out != text {
				fmt.Fprintln(a.stdout, name)
				code = exitUsage
			}
		case !write || f == "-":
			fmt.Fprint(a.stdout, out)
		}
		if err == nil && write && f != "-" && out != text {
			if err := rewrite(f, text, out, os.WriteFile); err != nil {
				code = a.fail(err)
			}
		}
	}
	return code
}

// rewrite puts a text in the place of a file's old one, in the same file, whoever
// owns it and by whichever names it is known. If that fails, the old text is there
// again, or is kept in a file that the error names. write is os.WriteFile.
func rewrite(file, old, text string, write func(file string, text []byte, perm fs.FileMode) error) error {
	kept, err := os.CreateTemp("", filepath.Base(file)+".*")
	if err != nil {
		return err
	}
	_, err = kept.WriteString(old)
	if err = errors.Join(err, kept.Close()); err == nil {
		if err = write(file, []byte(text), 0o666); err != nil && write(file, []byte(old), 0o666) != nil && !holds(file, old) {
			return fmt.Errorf("%w; the script is in %s", err, kept.Name())
		}
	}
	os.Remove(kept.Name())
	return err
}

// holds reports whether a file has a text.
func holds(file, text string) bool {
	now, err := os.ReadFile(file)
	return err == nil && string(now) == text
}

// maxMissing is how many files that do not exist are named.
const maxMissing = 20

// failMissing tells of files that do not exist, besides those that are named.
func (a *app) failMissing(more int) {
	if more > 0 {
		fmt.Fprintf(a.stderr, "fst: %d more files do not exist\n", more)
	}
}

// scriptFiles replaces directories among the names by the scripts below them. Of the files that do not exist it returns the
// first, and how many more there are.
func (a *app) scriptFiles(names []string) (files []string, more int, err error) {
	missing := 0
	for _, name := range names {
		info, err := os.Stat(name)
		if errors.Is(err, os.ErrNotExist) && name != "-" && !a.isTool(name) {
			if missing++; missing > maxMissing {
				continue
			}
		}
		if err != nil || !info.IsDir() {
			files = append(files, name)
			continue
		}
		before := len(files)
		err = filepath.WalkDir(name, func(path string, d fs.DirEntry, err error) error {
			switch {
			case err != nil:
				return err
			case d.IsDir() && path != name && strings.HasPrefix(d.Name(), "."):
				return filepath.SkipDir
			case d.Type().IsRegular() && (filepath.Ext(path) == ".fst" || filepath.Ext(path) == ".bt"):
				files = append(files, path)
			}
			return nil
		})
		if err != nil {
			return nil, 0, err
		}
		if len(files) == before {
			return nil, 0, fmt.Errorf("no scripts (*.fst, *.bt) in %s", name)
		}
	}
	return files, max(0, missing-maxMissing), nil
}
