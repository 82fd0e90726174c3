package reference

import (
	"flag"
	"fmt"
	"os"
	"strings"
	"testing"

	"fst/lang/diag"
	"fst/lang/format"
	"fst/lang/parse"
	"fst/lang/source"
	"fst/stdlib"
)

var update = flag.Bool("update", false, "write docs/stdlib.md anew")

// TestStdlibDoc keeps docs/stdlib.md what the comments of stdlib/*.fst say.
func TestStdlibDoc(t *testing.T) {
	const file = "../../docs/stdlib.md"
	var b strings.Builder
	b.WriteString(stdlibIntro)
	for _, f := range Families() {
		fmt.Fprintf(&b, "\n## %s:\n\n%s\n", f.Name, sentence(f.Summary))
		if f.Doc != "" {
			fmt.Fprintf(&b, "\n%s\n", f.Doc)
		}
		for _, p := range f.Probes {
			fmt.Fprintf(&b, "\n### %s\n\n%s\n", p.Name, p.Summary)
			if p.Doc != "" {
				fmt.Fprintf(&b, "\n%s\n", p.Doc)
			}
			b.WriteString("\n| field | type | |\n|---|---|---|\n")
			for _, fd := range p.Fields {
				fmt.Fprintf(&b, "| `%s` | %s | %s |\n", fd.Name, fd.Type, strings.ReplaceAll(fd.Doc, "|", `\|`))
			}
		}
	}
	if *update {
		if err := os.WriteFile(file, []byte(b.String()), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	have, err := os.ReadFile(file)
	if err != nil || string(have) != b.String() {
		t.Errorf("%s is not what stdlib/*.fst say (%v): go test ./compiler/reference -update", file, err)
	}
}

func sentence(s string) string { return strings.ToUpper(s[:1]) + s[1:] }

const stdlibIntro = `# The standard library: probes that mean the same on every kernel

<!-- Made from the comments of stdlib/*.fst by: go test ./compiler/reference -update -->

    fst -e 'io:done /args.took > 10ms/'
    fst -e 'io:done { @us[args.disk, args.op] = hist(args.took / 1us); }'
    fst -lv 'io:*'                # the probes of a family, with their fields
    fst doc io:done               # what one means

They are used like any other probe: in lists, with * (` + "`io:*`" + `), with a filter, without an action (the event is
shown with its fields). ` + "`args.NAME`" + ` is a field; a field that has the name of a built-in (` + "`took`, `pid`, `comm`" + `) is
also what that word means. Where ` + "`pid`" + ` is a field the event may run in any thread: what tells of the running
thread (` + "`ustack`, `gid`, `curtask`" + `, ...) is then refused, and ` + "`-p`" + ` goes by the field. What no clause of the
script reads is neither computed nor probed for. A probe that cannot work on a kernel is an error that
says why, never one that stays silent.

Each family is a file of clauses in [stdlib/](../stdlib); [language.md](language.md) says how to write your own.
`

// TestStdlibComplete makes sure that all that can be listed says what it is.
func TestStdlibComplete(t *testing.T) {
	for _, f := range Families() {
		if f.Summary == "" || len(f.Probes) == 0 {
			t.Errorf("the family %s has no summary or no probes", f.Name)
		}
		for _, p := range f.Probes {
			if p.Summary == "" || p.Doc == "" {
				t.Errorf("%s lacks the lines that describe it", p.Name)
			}
			for _, fd := range p.Fields {
				if fd.Doc == "" {
					t.Errorf("%s: the field %s has no comment", p.Name, fd.Name)
				}
			}
		}
		_, text, _ := stdlib.Source(f.Name)
		var set source.Set
		var diags diag.List
		tree := parse.Parse(set.Add(f.Name, text), &diags)
		if format.Source(tree, &set) != text {
			t.Errorf("stdlib/%s.fst is not in its canonical form: fst fmt -w it", f.Name)
		}
	}
}
