package lower_test

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"

	"fst/compiler/target/fixture"
	"fst/runtime/interpreter/interptest"
	"fst/tests/expect"
)

// Marks in the text of a test: the output of a statement is behind it, each further line of it in a
// line of its own, and the maps at the end are below atEnd.
const (
	output = "//= "
	atEnd  = "// at the end"
)

// The recorded kernels that differ the most.
var oldest, newest = fixture.Names[0], fixture.Names[len(fixture.Names)-1]

// prints runs a text as the action of a begin clause, what is before a line "---" in front of it.
// Each statement prints what stands behind it, on the oldest kernel and on the newest.
func prints(t *testing.T, text string) {
	t.Helper()
	for _, name := range []string{oldest, newest} {
		printsOn(t, name, text)
		if t.Failed() {
			t.Logf("on %s", name)
			return
		}
	}
}

// printsOn is prints on one kernel.
func printsOn(t *testing.T, kernel, text string) {
	t.Helper()
	k, err := fixture.Load(kernel)
	if err != nil {
		t.Fatal(err)
	}
	var lines []string // without what is expected
	for _, line := range strings.Split(text, "\n") {
		if code, _, has := strings.Cut(line, output); !has {
			lines = append(lines, line)
		} else if code = strings.TrimRight(code, " "); code != "" {
			lines = append(lines, code)
		}
	}
	script, first := marked(lines)
	obj, code, err := interptest.Compile(k, script)
	if err != nil {
		t.Fatalf("%s: %v", kernel, err)
	}
	r, err := interptest.Object(obj, code)
	if err != nil {
		t.Fatalf("%s: %v", kernel, err)
	}
	out := map[int][]string{}
	line := -1
	for _, s := range strings.Split(strings.TrimRight(r.Out, "\n"), "\n") {
		if n, mark := strings.CutPrefix(s, "\x01"); mark {
			line, _ = strconv.Atoi(n)
		} else {
			out[line] = append(out[line], s)
		}
	}
	var got []string
	for i, l := range lines {
		printed := out[i]
		if l == atEnd {
			printed = slices.DeleteFunc(out[len(lines)], func(s string) bool { return s == "" })
		}
		switch {
		case len(printed) == 0 || i < first:
			got = append(got, l)
		case len(printed) == 1 && l != atEnd && !strings.HasSuffix(l, "}"):
			got = append(got, fmt.Sprintf("%-*s %s%s", width(lines), l, output, printed[0]))
		default:
			got = append(got, l)
			for _, p := range printed {
				got = append(got, output+p)
			}
		}
	}
	expect.Text(t, strings.Join(got, "\n"), text)
}

// width aligns what is printed by short statements.
func width(lines []string) int {
	most := 0
	for _, l := range lines {
		if len(l) <= 60 {
			most = max(most, len(l))
		}
	}
	return most
}

// marked is the script of a test. Before each of the action's statements it prints the number of the
// statement's last line. first is the first line of the action.
func marked(lines []string) (script string, first int) {
	first = slices.Index(lines, "---") + 1
	var b strings.Builder
	for _, l := range lines[:max(first-1, 0)] {
		fmt.Fprintln(&b, l)
	}
	fmt.Fprintln(&b, "begin {")
	depth := 0
	for i := first; i < len(lines); i++ {
		if l := strings.TrimSpace(lines[i]); depth == 0 && l != "" && !strings.HasPrefix(l, "//") {
			last, d := i, 0
			for ; last < len(lines); last++ {
				if d += strings.Count(lines[last], "{") - strings.Count(lines[last], "}"); d <= 0 {
					break
				}
			}
			fmt.Fprintf(&b, "printf(\"\\x01%d\\n\"); ", last)
		}
		depth += strings.Count(lines[i], "{") - strings.Count(lines[i], "}")
		fmt.Fprintln(&b, lines[i])
	}
	fmt.Fprintf(&b, "}\nend { printf(\"\\x01%d\\n\"); }\n", len(lines))
	return b.String(), first
}
