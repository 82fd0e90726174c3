package tests

import (
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"fst/scripts"
	"fst/tests/conformance"
)

// TestTutorialSuffices looks whether the cases that show what a reader of the
// tutorial can do, conformance/command/tutorial-*, use only words that it explains.
func TestTutorialSuffices(t *testing.T) {
	known := taught(t, "../docs/tutorial.md")
	cases, err := conformance.Load("conformance")
	if err != nil {
		t.Fatal(err)
	}
	n := 0
	for _, c := range cases {
		if !strings.HasPrefix(c.Name, "conformance/command/tutorial-") {
			continue
		}
		programs, options := said(c)
		n += len(programs)
		for _, word := range unknown(programs, options, ownText(c), known) {
			t.Errorf("%s: docs/tutorial.md has no %s", c.Name, word)
		}
	}
	if n < 15 {
		t.Errorf("only %d programs: the cases are not read as they are written", n)
	}
}

// TestTutorialLacks shows that a word which is missing is found, whatever it is.
func TestTutorialLacks(t *testing.T) {
	known := taught(t, "../docs/tutorial.md")
	c, err := conformance.Parse("made", "-- prog --\nsyscall:mlock { @x = lhist(args.start, 0, 5ks, 1); }\nrawtracepoint:sys_enter { $y = \"read\"; }\n"+
		"-- args --\n--no-warnings\n-c\ntrue --no-feature\n-- file a.c --\nint shop;\n"+
		"-- check --\n$FST -o answer --bench -e 'ucall:./a:shop { print(kaddr(\"x\"), comm); }' > answer\n$FST nosuchtool")
	if err != nil {
		t.Fatal(err)
	}
	programs, options := said(c)
	got := unknown(programs, options, ownText(c), known)
	want := []string{"--bench", "--no-warnings", "kaddr", "ks", "lhist", "mlock", "nosuchtool", "rawtracepoint", "start", "sys_enter"}
	if !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
}

var (
	span    = regexp.MustCompile("`[^`]+`")
	literal = regexp.MustCompile(`"(\\.|[^"\\])*"`)
	name    = regexp.MustCompile(`[@$]?[A-Za-z_]\w*|\d+[A-Za-z]*`)
	option  = regexp.MustCompile(`(?:^|[\s'\x60(])(--?[a-z][-a-z]*)`)
)

// taught are the words in the code of a page: commands, scripts, the
// prompt, and what stands between backquotes. What commands print is left out.
func taught(t *testing.T, page string) map[string]bool {
	t.Helper()
	text, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	code := strings.Join(span.FindAllString(string(text), -1), "\n")
	for _, b := range blocks(t, page) {
		for _, words := range b.commands() {
			code += "\n" + strings.Join(words, " ")
		}
		script := false
		for _, line := range b.lines {
			if file, ok := strings.CutPrefix(line, "# cat "); ok {
				script = filepath.Ext(file) == ".fst"
			}
			if script || strings.HasPrefix(line, "fst> ") {
				code += "\n" + line
			}
		}
	}
	known := map[string]bool{}
	for _, m := range option.FindAllStringSubmatch(code, -1) {
		known[m[1]] = true
	}
	for _, word := range name.FindAllString(code, -1) {
		known[strings.TrimLeft(word, "0123456789")] = true
	}
	return known
}

// said are the programs of a case, and the options of its commands: of the
// first, which it describes, and of those in its check. The name of a tool is an option, too.
func said(c *conformance.Case) (programs, options []string) {
	commands := [][]string{c.Args}
	check := strings.ReplaceAll("\n"+c.Check, "\n$FST ", "\nfst ")
	check = strings.ReplaceAll(check, `"`, quote) // which would begin a word for commands()
	commands = append(commands, block{lines: strings.Split(check, "\n")}.commands()...)
	programs = append(programs, c.Prog)
	for file, text := range c.Files {
		if filepath.Ext(file) == ".fst" {
			programs = append(programs, text)
		}
	}
	for _, words := range commands {
		for i := 0; i < len(words); i++ {
			word := words[i]
			switch {
			case word == "-e" && i+1 < len(words):
				i++
				programs = append(programs, strings.ReplaceAll(words[i], quote, `"`))
				options = append(options, word)
			case (word == "-c" || word == "-o") && i+1 < len(words): // a command, a file
				i++
				options = append(options, word)
			case strings.HasPrefix(word, "-"):
				options = append(options, word)
			case filepath.Ext(word) != ".fst" && !isNumber(word):
				options = append(options, word)
			}
		}
	}
	return programs, options
}

// quote stands for a double quote within the text of a program.
const quote = "\x00"

func isNumber(word string) bool { return strings.Trim(word, "0123456789") == "" }

// ownText is what a case itself says of a program that it makes: its functions and their arguments.
func ownText(c *conformance.Case) (text string) {
	for file, source := range c.Files {
		if filepath.Ext(file) == ".c" {
			text += strings.TrimSuffix(file, ".c") + " " + source
		}
	}
	return text
}

// unknown are the words of programs and options that are neither known nor in
// own, the text of a program that is traced. Texts, maps and variables have any name,
// and a tool is known that "fst tools" lists.
func unknown(programs, options []string, own string, known map[string]bool) []string {
	missing := map[string]bool{}
	own = " " + strings.Join(name.FindAllString(own, -1), " ") + " "
	for _, p := range programs {
		for line := range strings.Lines(p) {
			line, _, _ = strings.Cut(literal.ReplaceAllString(line, ""), "//")
			for _, word := range name.FindAllString(line, -1) {
				word = strings.TrimLeft(word, "0123456789")
				if word != "" && word[0] != '@' && word[0] != '$' && !known[word] && !strings.Contains(own, " "+word+" ") {
					missing[word] = true
				}
			}
		}
	}
	for _, o := range options {
		if !known[o] && !slices.Contains(scripts.Names(), o) {
			missing[o] = true
		}
	}
	return slices.Sorted(maps.Keys(missing))
}
