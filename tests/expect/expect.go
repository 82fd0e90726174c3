// Package expect keeps what a test expects within the text that it is about: the output
// of a line behind the line, a complaint below what it is about. The whole is compared, so a
// test that fails shows what is different, and "go test -update" writes what is the case now:
//
//	expect.Text(t, annotate(want), want)
package expect

import (
	"flag"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "write what is the case into the tests, to be read before it is committed")

// Text fails the test unless got is want: the raw string in the file of the test that calls
// a function with it.
func Text(t testing.TB, got, want string) {
	t.Helper()
	if got == want {
		return
	}
	if *update {
		for skip := 1; ; skip++ {
			_, file, _, ok := runtime.Caller(skip)
			if !ok {
				break
			}
			name := filepath.Base(file)
			text, err := os.ReadFile(name)
			if err != nil || strings.Count(string(text), "`"+want+"`") != 1 {
				continue
			}
			if err := os.WriteFile(name, []byte(strings.Replace(string(text), "`"+want+"`", "`"+got+"`", 1)), 0o644); err != nil {
				t.Fatal(err)
			}
			return
		}
		return // it was written for another run of the same text
	}
	g, w := strings.Split(got, "\n"), strings.Split(want, "\n")
	same := 0
	for same < min(len(g), len(w)) && g[same] == w[same] {
		same++
	}
	for len(g) > same && len(w) > same && g[len(g)-1] == w[len(w)-1] {
		g, w = g[:len(g)-1], w[:len(w)-1]
	}
	t.Errorf("line %d:\ngot\n%s\nwant\n%s", same+1, strings.Join(g[same:], "\n"), strings.Join(w[same:], "\n"))
}
