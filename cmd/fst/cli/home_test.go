package cli

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"fst/scripts"
)

// program skips a test where the machine lacks a program.
func program(t *testing.T, name string) string {
	t.Helper()
	path, err := exec.LookPath(name)
	if err != nil {
		t.Skip(err)
	}
	return path
}

// TestMan writes the manual pages and has them checked by the programs that show them.
func TestMan(t *testing.T) {
	dir := t.TempDir()
	if code, _, stderr := run("man", dir); code != 0 {
		t.Fatal(stderr)
	}
	pages, err := filepath.Glob(filepath.Join(dir, "man?", "*"))
	if want := len(scripts.Names()) + 3; err != nil || len(pages) != want {
		t.Fatalf("%d pages, want %d", len(pages), want)
	}
	for page, want := range map[string]string{"man1/fst.1": "\\-\\-duration SEC", "man1/fst-biolatency.1": "block device", "man7/fst.7": ".SS Operators"} {
		if text, err := os.ReadFile(filepath.Join(dir, page)); err != nil || !strings.Contains(string(text), want) {
			t.Errorf("%s lacks %q (%v)", page, want, err)
		}
	}
	t.Run("mandoc", func(t *testing.T) {
		out, _ := exec.Command(program(t, "mandoc"), append([]string{"-Tlint", "-Wwarning"}, pages...)...).CombinedOutput()
		for line := range strings.Lines(string(out)) {
			if !strings.Contains(line, "missing date") { // which would change with each build
				t.Error(line)
			}
		}
	})
	t.Run("man", func(t *testing.T) {
		for _, page := range []string{"man1/fst.1", "man1/fst-psdents.1", "man7/fst.7"} {
			cmd := exec.Command(program(t, "man"), "--warnings", "-l", filepath.Join(dir, page))
			cmd.Env = append(os.Environ(), "MANWIDTH=100", "LC_ALL=C.UTF-8", "MANPAGER=cat")
			var out, errs strings.Builder
			cmd.Stdout, cmd.Stderr = &out, &errs
			if err := cmd.Run(); err != nil || errs.Len() > 0 || out.Len() < 500 {
				t.Errorf("%s: %v: %s", page, err, errs.String())
			}
		}
	})
}

// TestCompletion asks the shells what they would complete.
func TestCompletion(t *testing.T) {
	dir := t.TempDir()
	file := func(shell string) string {
		code, text, stderr := run("completion", shell)
		if code != 0 {
			t.Fatal(stderr)
		}
		path := filepath.Join(dir, shell)
		if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
		return path
	}
	// The shells ask fst which kernels it knows.
	if err := os.WriteFile(filepath.Join(dir, "fst"), []byte("#!/bin/sh\necho '6.12     6.12.107+deb13 /kernels/6.12.zip'\n"), 0o777); err != nil {
		t.Fatal(err)
	}
	if code, _, stderr := run("completion", "csh"); code == 0 || !strings.Contains(stderr, "bash|fish|zsh") {
		t.Errorf("csh: %s", stderr)
	}
	lines := []struct{ words, want string }{
		{"biolat", "biolatency"},
		{"--dur", "--duration"},
		{"biolatency --dis", "--disk"},
		{"-f js", "json"},
		{"biolatency -f inf", "influx"},
		{"help tut", "tutorial"},
		{"show psd", "psdents"},
		{"completion z", "zsh"},
		{"graph --slow", "--slower"},
		{"top biolat", "biolatency"},
		{"explain biolat", "biolatency"},
		{"--backend in", "interpreter"},
		{"diff -f te", "text"},
		{"check --kernel 6.", "6.12"},
		{"help colu", "columns"},
	}
	ask := map[string]func(words []string) *exec.Cmd{
		"bash": func(words []string) *exec.Cmd {
			return exec.Command("bash", append([]string{"-c", `. $0; COMP_WORDS=(fst "$@"); COMP_CWORD=$#; _fst; printf '%s\n' "${COMPREPLY[@]}"`, file("bash")}, words...)...)
		},
		// zsh's own completion needs a terminal: what it would be told is printed instead.
		"zsh": func(words []string) *exec.Cmd {
			return exec.Command("zsh", append([]string{"-fc", `compdef() { }; _files() { }
_describe() { shift $(( $# > 2 && $1 == -o ? 2 : 1 )); local a; for a; do [[ $a == -- ]] || print -l -- ${(P)a%%:*}; done; }
. $0; words=(fst "$@"); CURRENT=$#words; PREFIX=$words[-1]; _fst`, file("zsh")}, words...)...)
		},
		"fish": func(words []string) *exec.Cmd {
			return exec.Command("fish", "--no-config", "-c", "source "+file("fish")+"; complete -C 'fst "+strings.Join(words, " ")+"'")
		},
	}
	for shell, command := range ask {
		t.Run(shell, func(t *testing.T) {
			program(t, shell)
			for _, line := range lines {
				cmd := command(strings.Fields(line.words))
				cmd.Env = append(os.Environ(), "HOME="+dir, "TERM=dumb", "PATH="+dir+":"+os.Getenv("PATH"))
				out, err := cmd.CombinedOutput()
				found := false
				for l := range strings.Lines(string(out)) {
					name, _, _ := strings.Cut(strings.TrimRight(l, "\n"), "\t")
					found = found || name == line.want
				}
				if !found {
					t.Errorf("fst %s: not %s among (%v)\n%.600s", line.words, line.want, err, out)
				}
			}
		})
	}
}

func TestVersion(t *testing.T) {
	_, want, _ := run("--version")
	if code, out, _ := run("version"); code != 0 || out != want || !strings.HasPrefix(out, "fst v") {
		t.Errorf("fst version: %d, %q", code, out)
	}
}
