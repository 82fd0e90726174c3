package interpreter_test

import (
	"errors"
	"regexp"
	"strings"
	"testing"

	"fst/compiler/builtin"
	"fst/compiler/target/fixture"
	"fst/runtime/interpreter"
	"fst/runtime/interpreter/interptest"
)

// TestScripts runs scripts whose output is known: what is stored, merged, emptied and shown
// is the business of the same code as for the kernel.
func TestScripts(t *testing.T) {
	for name, c := range map[string]struct {
		text, out string
		code      int
	}{
		"values":   {`begin { print((1 + 2, "a", -7 / 2, true)); printf("%5d|%-4s|%x\n", 3, "ab", 255); }`, "(3, a, -3, true)\n    3|ab  |ff", 0},
		"texts":    {`begin { $s = str_concat("ab", "cd"); print(($s, strlen($s), strstr($s, "cd"), strcontains($s, "x"))); }`, "(abcd, 4, 2, false)", 0},
		"loops":    {`begin { for $i : 0..3 { @n += $i; } $k = 5; while ($k > 0) { $k--; if ($k == 2) { break; } } print(($k, @n)); clear(@n); }`, "(2, 3)", 0},
		"elements": {`begin { @m["a", 1] = 5; @m["b", 2] = 6; delete(@m["a", 1]); for ($kv : @m) { print($kv); } print((has_key(@m, ("a", 1)), len(@m))); clear(@m); }`, "((b, 2), 6)\n(false, 1)", 0},
		"aggregations": {`begin { @c = count(); @c = count(); @s = sum(5); @s = sum(-2); @a = avg(4); @a = avg(8); @lo = min(3); @lo = min(1); @hi = max(3); @st["x"] = stats(2); @st["x"] = stats(4); }`,
			"@a: 6\n@c: 2\n@hi: 3\n@lo: 1\n@s: 3\n@st[x]: { .count = 2, .average = 3, .total = 6 }", 0},
		"histogram": {`begin { @ = lhist(3, 0, 10, 5); @ = lhist(7, 0, 10, 5); }`,
			"@:\n[0, 5)                 1 |@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@|\n[5, 10)                1 |@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@|", 0},
		"drain":               {`begin { @m[1] = count(); @m[2] = count(); print(@m); clear(@m); @m[2] = count(); }`, "@m[1]: 1\n@m[2]: 1\n\n\n@m[2]: 1", 0},
		"zero":                {`begin { @m[1] = 4; @c = count(); zero(@m); zero(@c); }`, "@c: 0\n@m[1]: 0", 0},
		"exit":                {`begin { print(1); exit(3); print(2); } end { print("end"); }`, "1\nend", 3},
		"interval":            {`interval:s:10 { @n++; print((@n, elapsed >= @n * 10s)); if (@n == 2) { exit(); } } interval:s:15 { print("other"); } end { clear(@n); }`, "(1, true)\nother\n(2, true)", 0},
		"function":            {`fn twice($n: int64): int64 { return 2 * $n; } begin { print(twice(21)); }`, "42", 0},
		"threads":             {`begin { @s[tid] = 4; print(@s[tid]); delete(@s[tid]); }`, "4", 0},
		"full":                {`let @m = hash(2); begin { for $i : 0..5 { @m[$i] = 1; } print(len(@m)); clear(@m); }`, "2", 0},
		"least recently used": {`let @m = lruhash(2); begin { @m[1] = 1; @m[2] = 2; @m[1] = 3; @m[3] = 4; }`, "@m[1]: 3\n@m[3]: 4", 0},
		"null":                {`begin { print(*(uint32 *)0); }`, "0", 0},
	} {
		if got := interptest.Run(t, c.text); strings.Trim(got.Out, "\n") != c.out || got.Code != c.code {
			t.Errorf("%s: %q, exit code %d; want %q, %d", name, got.Out, got.Code, c.out, c.code)
		}
	}
}

// TestLosses: what programs count is told as in the kernel.
func TestLosses(t *testing.T) {
	got := interptest.Run(t, `let @m = hash(2); begin { for $i : 0..5 { @m[$i] = 1; } clear(@m); }`)
	if !strings.Contains(got.Errs, "3 ") || !strings.Contains(got.Errs, "@m") {
		t.Errorf("of a full map is said %q", got.Errs)
	}
}

// What examples take from their probes, and what they expect of the script around them.
var (
	ofProbes = regexp.MustCompile(`args(\.|->)\w+(->\w+)*|\barg\d|\btook|\bretval|\berrno\b|\$rq\.cmd_flags`)
	ofEvents = regexp.MustCompile(`^\w+:[\w:]+|^iter:\w+`)
)

// around is what is there when the example of a function runs.
func around(example string) (before string) {
	for _, part := range []struct{ uses, gives string }{{"@start", "@start[tid] = nsecs; "}, {"@calls", "@calls[1] = count(); @bytes[1] = sum(1); "},
		{"@us", "@us[nsecs / 1s] = hist(5); "}} {
		if strings.Contains(example, part.uses) && !strings.Contains(example, part.uses+"[tid] = ") {
			before += part.gives
		}
	}
	if regexp.MustCompile(`@[,)]`).MatchString(example) {
		before += "@[1] = 2; "
	}
	return before
}

// elsewhere are examples that say nothing about begin probes.
var elsewhere = map[string]string{
	"fail": "refuses to be compiled", "percpu_kaddr": "recordings have no such symbol", "container_of": "takes a pointer to a struct of the kernel",
	"arch": "reads a register", "follow": "its example reads ppid",
}

// TestEveryBuiltin: each function and variable either runs or is refused by its name.
func TestEveryBuiltin(t *testing.T) {
	k, err := fixture.Load("7.2")
	if err != nil {
		t.Fatal(err)
	}
	try := func(name, example string, value bool) {
		example = ofProbes.ReplaceAllString(example, "7")
		before := around(example)
		var text string
		switch {
		case elsewhere[name] != "":
			return
		case ofEvents.MatchString(example):
			text = "begin " + ofEvents.ReplaceAllString(example, "")
			if !strings.Contains(text, "{") {
				text += " { }"
			}
		case strings.HasPrefix(example, "/"):
			text = "begin " + example + " { }"
		case value && !strings.HasPrefix(example, "@") && !strings.HasPrefix(example, "if ") && !strings.HasPrefix(example, "print"):
			text = "begin { print(" + strings.TrimSuffix(example, ";") + "); }"
		default:
			text = "begin { " + example + " }"
		}
		if before != "" {
			text = "begin { " + before + "} " + text
		}
		obj, code, err := interptest.Compile(k, text)
		if err == nil {
			_, err = interptest.Object(obj, code)
		}
		var foreign *interpreter.Error
		switch {
		case err == nil:
		case errors.As(err, &foreign) && strings.Contains(foreign.Message, "not the script's"):
		case !strings.Contains(err.Error(), name+" needs the kernel"):
			t.Errorf("%s: %s: %v", name, text, err)
		}
	}
	for _, f := range builtin.Funcs {
		if f.ValidIn("begin") {
			try(f.Name, f.Example, f.Family != "output" && f.Family != "acting" && (f.Type == nil || f.Type.Size > 0))
		}
	}
	for _, v := range builtin.Vars {
		if v.ValidIn("begin") {
			try(v.Name, v.Example, true)
		}
	}
}
