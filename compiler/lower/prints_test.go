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
	lines := withoutOutput(text)
	first := slices.Index(lines, "---") + 1
	script := strings.Join(lines[:max(first-1, 0)], "\n") + "\nbegin {\n" + marked(lines[first:], first, 0) + fmt.Sprintf("}\nend { printf(\"\\x01%d\\n\"); }\n", len(lines))
	obj, code, err := interptest.Compile(k, script)
	if err != nil {
		t.Fatalf("%s: %v", kernel, err)
	}
	r, err := interptest.Object(obj, code)
	if err != nil {
		t.Fatalf("%s: %v\n%s", kernel, err, script)
	}
	expect.Text(t, withOutput(lines, r.Out), text)
}

// withoutOutput are the lines of a text without what is expected.
func withoutOutput(text string) (lines []string) {
	for line := range strings.SplitSeq(text, "\n") {
		code, _, has := strings.Cut(line, output)
		if code = strings.TrimRight(code, " "); code != "" || !has {
			lines = append(lines, code)
		}
	}
	return lines
}

// marked has, before each statement in so many braces, one that prints the number of the statement's last
// line. The first of the lines has the number first.
func marked(lines []string, first, braces int) string {
	var b strings.Builder
	depth := 0
	for i, l := range lines {
		if s := strings.TrimSpace(l); depth == braces && s != "" && s != "}" && !strings.HasPrefix(s, "//") {
			last, d := i, braces
			for ; last < len(lines); last++ {
				if d += strings.Count(lines[last], "{") - strings.Count(lines[last], "}"); d <= braces {
					break
				}
			}
			fmt.Fprintf(&b, "printf(\"\\x01%d\\n\"); ", first+last)
		}
		depth += strings.Count(l, "{") - strings.Count(l, "}")
		fmt.Fprintln(&b, l)
	}
	return b.String()
}

// withOutput is a text with what its statements printed behind them. What was printed behind the mark after
// the last line is that of the end.
func withOutput(lines []string, printed string) string {
	out := map[int][]string{}
	line := -1
	for s := range strings.SplitSeq(strings.TrimRight(printed, "\n"), "\n") {
		if n, mark := strings.CutPrefix(s, "\x01"); mark {
			line, _ = strconv.Atoi(n)
		} else {
			out[line] = append(out[line], s)
		}
	}
	width := 0 // aligns the output of short statements
	for _, l := range lines {
		if len(l) <= 60 {
			width = max(width, len(l))
		}
	}
	var got []string
	for i, l := range lines {
		printed := out[i]
		if l == atEnd {
			printed = slices.DeleteFunc(out[len(lines)], func(s string) bool { return s == "" })
		}
		switch {
		case len(printed) == 0:
			got = append(got, l)
		case len(printed) == 1 && l != atEnd && !strings.HasSuffix(l, "}"):
			got = append(got, fmt.Sprintf("%-*s %s%s", width, l, output, printed[0]))
		default:
			got = append(got, l)
			for _, p := range printed {
				got = append(got, output+p)
			}
		}
	}
	return strings.Join(got, "\n")
}
