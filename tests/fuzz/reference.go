package main

import (
	"bytes"
	"context"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"
)

// reference is an installed bpftrace, or nil.
type reference struct {
	path string
	dir  string // where programs are written
	// refusals counts what it refuses and we accept, by class.
	refusals map[string]int
	runs     int
}

// findReference finds bpftrace: FST_REFERENCE names it, or it is in PATH.
func findReference(dir string) *reference {
	path := os.Getenv("FST_REFERENCE")
	if path == "" {
		path, _ = exec.LookPath("bpftrace")
	}
	if path == "" {
		return nil
	}
	return &reference{path: path, dir: dir, refusals: map[string]int{}}
}

// judge runs a program by bpftrace and compares. A program that it refuses is
// counted, and no failure.
func (r *reference) judge(text string, got *output, asJSON bool) *failure {
	if r == nil {
		return nil
	}
	file := filepath.Join(r.dir, "program.bt")
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		return fail("reference", err.Error())
	}
	ctx, cancel := context.WithTimeout(context.Background(), 30*time.Second)
	defer cancel()
	args := []string{"-q"}
	form := ordered
	if asJSON {
		args, form = append(args, "-f", "json"), sameJSON
	}
	cmd := exec.CommandContext(ctx, r.path, append(args, file)...)
	var out, errs bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errs
	cmd.WaitDelay = time.Second
	r.runs++
	if err := cmd.Run(); err != nil {
		message := "it ended: " + err.Error() + "\n" + errs.String()
		for line := range strings.Lines(errs.String()) {
			if at, m, ok := strings.Cut(line, "ERROR: "); ok {
				// FILE:LINE:COL-COL: ERROR: MESSAGE
				message = strings.TrimPrefix(at, file+":") + m
				found := fail("unjudged", message)
				found.class = class(m)
				return found
			}
		}
		return fail("unjudged", message)
	}
	a, b := form(out.String()), form(got.Out)
	if a == b {
		return nil
	}
	if asJSON && strings.Contains(b, oneKey) {
		found := fail("unjudged", "two keys are one in bpftrace's JSON")
		found.class = "keys of blanks"
		return found
	}
	kind := "reference"
	if asJSON {
		kind = "reference (JSON)"
	}
	return &failure{kind: kind, detail: difference("bpftrace", a, "fst", b)}
}

// sameJSON gives lines of JSON a form in which they can be compared: members
// sorted, keys without the spaces and parentheses round them that bpftrace drops.
func sameJSON(text string) string {
	var b strings.Builder
	for line := range strings.Lines(text) {
		if strings.TrimSpace(line) == "" {
			continue
		}
		d := json.NewDecoder(strings.NewReader(line))
		d.UseNumber()
		var v any
		if err := d.Decode(&v); err != nil {
			b.WriteString("not JSON: " + line)
			continue
		}
		if m, ok := v.(map[string]any); ok && (m["type"] == "helper_error" || m["type"] == "stats" && isEmptyMap(m["data"])) {
			continue // a missing key of an aggregation that is read; stats() and avg() without elements
		}
		out, _ := json.Marshal(withPlainKeys(v))
		b.Write(append(out, '\n'))
	}
	return b.String()
}

// isEmptyMap tells what bpftrace alone says of a map without elements:
// {"@m": {}}.
func isEmptyMap(data any) bool {
	m, _ := data.(map[string]any)
	for _, v := range m {
		elems, ok := v.(map[string]any)
		return ok && len(elems) == 0
	}
	return false
}

// oneKey stands for the values of two keys that only differ by what bpftrace drops of
// them: it prints the same key twice.
const oneKey = "several keys"

func withPlainKeys(v any) any {
	switch v := v.(type) {
	case map[string]any:
		m := map[string]any{}
		for k, e := range v {
			k = plainKey(strings.ReplaceAll(k, " ", ""))
			if _, twice := m[k]; twice {
				m[k] = oneKey
				continue
			}
			m[k] = withPlainKeys(e)
		}
		return m
	case []any:
		for i := range v {
			v[i] = withPlainKeys(v[i])
		}
	}
	return v
}

// plainKey is a key without the parentheses round it, of which bpftrace drops a
// pair where the key is a text.
func plainKey(k string) string {
	for strings.HasPrefix(k, "(") && strings.HasSuffix(k, ")") && len(k) > 1 {
		k = k[1 : len(k)-1]
	}
	return k
}

// elementPattern finds the key in the line of a map's element.
var elementPattern = regexp.MustCompile(`^(@\w*\[)(\(.*\))(\](?::.*)?)$`)

// plainElement is a line of text whose key, where it has one, is plain.
func plainElement(line string) string {
	if m := elementPattern.FindStringSubmatch(line); m != nil {
		return m[1] + plainKey(m[2]) + m[3]
	}
	return line
}

// ordered sorts the elements of maps, which bpftrace does not always, and whose
// order is not defined where the values are equal: each run of elements of one
// map, their keys plain. A chart takes the lines up to an empty one.
func ordered(text string) string {
	lines := strings.Split(text, "\n")
	var out, run []string
	name := ""
	flush := func() {
		slices.Sort(run)
		out, run, name = append(out, run...), nil, ""
	}
	for i := range lines {
		lines[i] = plainElement(lines[i])
	}
	for i := 0; i < len(lines); i++ {
		n, _, ok := strings.Cut(lines[i], "[")
		if !ok || !strings.HasPrefix(n, "@") {
			flush()
			out = append(out, lines[i])
			continue
		}
		if n != name {
			flush()
			name = n
		}
		end := i + 1
		if end < len(lines) && isChart(lines[i], lines[end]) {
			for end < len(lines) && lines[end-1] != "" {
				end++
			}
		}
		run = append(run, strings.Join(lines[i:end], "\n"))
		i = end - 1
	}
	flush()
	return strings.Join(out, "\n")
}

// isChart reports whether a line of text is the name of a chart, by the line behind it: a
// value may end as the name does, and a chart may be empty.
func isChart(line, next string) bool {
	if !strings.HasSuffix(line, "]:") {
		return false
	}
	if next == "" {
		return !strings.Contains(line, "]: ")
	}
	return next[0] == '[' || next[0] == '('
}
