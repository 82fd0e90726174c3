package child

import (
	"slices"
	"testing"
)

func TestOfShell(t *testing.T) {
	for command, want := range map[string]string{"ls | wc": "|", "make 2>&1 -j": "2>&1", "cat x && ls": "&&", "a ; b": ";", "sh -c 'ls | wc'": "", `find . -name \; -x`: "", "dd if=a of=b": "", "ls >x": "", "expr 1": "", "": ""} {
		if word := OfShell(command); word != want {
			t.Errorf("%s: %q, want %q", command, word, want)
		}
	}
}

func TestSplitWords(t *testing.T) {
	for command, want := range map[string][]string{
		"":                           nil,
		"  ls  -l\t/tmp ":            {"ls", "-l", "/tmp"},
		`sh -c 'echo "a b"; exit 3'`: {"sh", "-c", `echo "a b"; exit 3`},
		`printf "a\"b\n" '\'`:        {"printf", `a"b\n`, `\`},
		`a\ b c"d e"f ''`:            {"a b", "cd ef", ""},
	} {
		got, err := splitWords(command)
		if err != nil || !slices.Equal(got, want) {
			t.Errorf("%s: %q, %v, want %q", command, got, err, want)
		}
	}
	for _, command := range []string{`sh -c 'ls`, `ls "`, `ls \`} {
		if got, err := splitWords(command); err == nil {
			t.Errorf("%s: %q, want an error", command, got)
		}
	}
}
