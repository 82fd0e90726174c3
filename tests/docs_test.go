package tests

import (
	"context"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"fst/cmd/fst/cli"
	"fst/scripts"
)

// block is text that is indented by four blanks.
type block struct {
	file  string
	lines []string
}

// blocks returns those of a page of Markdown. Text between ``` is left out.
func blocks(t *testing.T, file string) (list []block) {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	fenced, open := false, false
	for line := range strings.Lines(string(text)) {
		line = strings.TrimRight(line, " \n")
		code, isCode := strings.CutPrefix(line, "    ")
		switch {
		case strings.HasPrefix(line, "```"):
			fenced, open = !fenced, false
		case fenced:
		case isCode && !open:
			list, open = append(list, block{file, []string{code}}), true
		case isCode, open && line == "":
			list[len(list)-1].lines = append(list[len(list)-1].lines, code)
		default:
			open = false
		}
	}
	return list
}

var prompt = regexp.MustCompile(`^(?:[#$] )?fst( |$)`)

// commands are the words of the fst commands in a block, which may go on while
// a quote is open. A pipe and a comment behind them are left out.
func (b block) commands() (list [][]string) {
	text := ""
	for _, line := range b.lines {
		if text == "" && !prompt.MatchString(line) {
			continue
		}
		text += line + "\n"
		words, whole := split(text)
		if !whole {
			continue
		}
		text = ""
		for i, w := range words {
			if slices.Contains([]string{"|", "#", ">", "&"}, w) && i > 0 {
				words = words[:i]
				break
			}
		}
		if words[0] != "fst" {
			words = words[1:]
		}
		list = append(list, words[1:])
	}
	return list
}

// split cuts a line of the shell into its words; whole is false if a quote is open.
func split(text string) (words []string, whole bool) {
	word, inWord, quote := "", false, rune(0)
	for _, r := range text {
		switch {
		case quote != 0 && r == quote:
			quote = 0
		case quote == 0 && (r == '\'' || r == '"'):
			quote, inWord = r, true
		case quote == 0 && (r == ' ' || r == '\n'):
			if inWord {
				words = append(words, word)
			}
			word, inWord = "", false
		default:
			word, inWord = word+string(r), true
		}
	}
	return words, quote == 0
}

// probesPrograms finds probes that the recorded kernels, which have no programs, lack.
var probesPrograms = regexp.MustCompile(`\b(u(ret)?probe|ucall|usdt):|/bin/`)

// check compiles for a recorded kernel, or, what probes programs, for this one.
func check(t *testing.T, words []string) {
	t.Helper()
	words = append([]string{"check", "--kernel", recorded}, words...)
	if probesPrograms.MatchString(strings.Join(words, " ")) {
		if os.Geteuid() != 0 {
			t.Skip("programs are looked at by root only")
		}
		words = append([]string{"check"}, words[3:]...)
	}
	var out, errs strings.Builder
	if code := cli.Run(context.Background(), words, strings.NewReader(""), &out, &errs, nil); code != 0 {
		t.Errorf("fst %q:\n%s%s", words, out.String(), errs.String())
	}
}

const recorded = "../compiler/target/fixture/testdata/6.12.zip"

// TestExamples compiles all programs and commands that the documents show, but those
// of the tutorial, which are run as cases.
func TestExamples(t *testing.T) {
	pages, err := filepath.Glob("../docs/*.md")
	if err != nil || len(pages) < 5 {
		t.Fatalf("%v, %q", err, pages)
	}
	var help strings.Builder
	cli.Run(context.Background(), []string{"--help"}, strings.NewReader(""), &help, &help, nil)
	n := 0
	for _, page := range append(pages, "../README.md") {
		if filepath.Base(page) == "tutorial.md" {
			continue
		}
		for _, b := range blocks(t, page) {
			commands := b.commands()
			if len(commands) == 0 && filepath.Base(page) == "language.md" {
				t.Run(filepath.Base(page)+"/"+b.lines[0], func(t *testing.T) { check(t, []string{"-e", strings.Join(b.lines, "\n")}) })
				n++
			}
			for _, words := range commands {
				t.Run(filepath.Base(page)+"/"+strings.Join(words, " "), func(t *testing.T) { compileCommand(t, words, help.String()) })
				n++
			}
		}
	}
	if n < 80 {
		t.Errorf("only %d examples: the pages are not read as they are written", n)
	}
}

// compileCommand compiles what a command would run, or looks whether there is one of its name.
func compileCommand(t *testing.T, words []string, help string) {
	if words[0] == "web" {
		words = words[1:]
	}
	if i := slices.IndexFunc(words, func(w string) bool { _, ok := scripts.Source(w); return ok && w == filepath.Base(w) }); i >= 0 && !slices.Contains(words[:i], "-e") {
		switch words[0] {
		case "help", "show", "check", "dashboard":
			return
		}
		check(t, slices.Concat([]string{words[i]}, words[:i], []string{"--"}, words[i+1:]))
		return
	}
	if slices.Contains(words, "-e") {
		check(t, words)
		return
	}
	if len(words) > 0 && !strings.HasPrefix(words[0], "-") && !strings.Contains(words[0], ".") && !strings.Contains(help, "\n  "+words[0]) {
		t.Errorf("fst %q: there is no such command, nor a tool", words)
	}
}
