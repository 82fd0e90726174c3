package export

import (
	"bytes"
	"context"
	"encoding/base64"
	"encoding/xml"
	"errors"
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"fst"
)

// fetched is the path of a file below a directory of the user's cache, which a script in a new directory fetches what is in first. Where it
// cannot, the test is skipped.
func fetched(t *testing.T, dir, path, script string) string {
	t.Helper()
	cache, err := os.UserCacheDir()
	if err != nil {
		t.Skip(err)
	}
	root := filepath.Join(cache, "fst", dir)
	if _, err := os.Stat(filepath.Join(root, path)); err == nil {
		return filepath.Join(root, path)
	}
	if testing.Short() {
		t.Skip(path + " is not there, and is not fetched with -short")
	}
	if err := os.MkdirAll(filepath.Dir(root), 0o755); err != nil {
		t.Skip(err)
	}
	work, err := os.MkdirTemp(filepath.Dir(root), dir+"-")
	if err != nil {
		t.Skip(err)
	}
	defer os.RemoveAll(work)
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
	defer cancel()
	fetch := exec.CommandContext(ctx, "sh", "-ec", script)
	fetch.Dir = work
	if out, err := fetch.CombinedOutput(); err != nil {
		t.Skipf("%s is not there and cannot be fetched: %s", path, out)
	}
	if err := os.Rename(work, root); err != nil { // another test may have been faster
		t.Log(err)
	}
	return filepath.Join(root, path)
}

// reader builds a program of this folder with the modules of readers.mod.
func reader(t *testing.T, name string) string {
	t.Helper()
	if testing.Short() {
		t.Skip("programs of other modules are not built with -short")
	}
	cache, err := os.UserCacheDir()
	if err != nil {
		t.Skip(err)
	}
	path := filepath.Join(cache, "fst", "readers", name)
	ctx, cancel := context.WithTimeout(t.Context(), 3*time.Minute)
	defer cancel()
	if out, err := exec.CommandContext(ctx, "go", "build", "-modfile=readers.mod", "-trimpath", "-o", path, name+".go").CombinedOutput(); err != nil {
		if ctx.Err() != nil {
			t.Skipf("%s is not built within three minutes", name) // the next run goes on with it
		}
		if regexp.MustCompile(`dial tcp|no such host|GOPROXY|module lookup disabled|40[34] |timeout`).Match(out) {
			t.Skipf("the modules of %s cannot be fetched: %s", name, out)
		}
		t.Fatalf("%v: %s", err, out)
	}
	return path
}

// browse is what a headless Chromium makes of an address.
func browse(t *testing.T, address string) string {
	t.Helper()
	browser, err := exec.LookPath("chromium-headless-shell")
	if err != nil {
		t.Skip("no Chromium is installed")
	}
	cmd := exec.Command(browser, "--headless", "--no-sandbox", "--allow-file-access-from-files", "--enable-unsafe-swiftshader", "--virtual-time-budget=1500", "--dump-dom", address)
	cmd.Env = append(os.Environ(), "HOME="+t.TempDir())
	dom, err := cmd.Output()
	if err != nil {
		t.Fatal(err)
	}
	return string(dom)
}

// traced runs a script for this process, with outputs in some formats, while a function runs.
func traced(t *testing.T, script string, formats []string, load func()) map[string][]byte {
	t.Helper()
	if os.Geteuid() != 0 {
		t.Skip("tracing needs root")
	}
	prog, err := fst.Compile(script, fst.Options{Formats: formats, Params: fst.Params{Words: []string{strconv.Itoa(os.Getpid())}}})
	if err != nil {
		t.Fatal(err)
	}
	written := make([]bytes.Buffer, len(formats))
	var o fst.RunOptions
	for i, f := range formats {
		o.Outputs = append(o.Outputs, fst.Output{Writer: &written[i], Name: f, Format: f})
	}
	var said strings.Builder
	o.Log = fst.Log{Writer: &said, Warnings: true}
	session, err := prog.Start(t.Context(), o)
	if errors.Is(err, fst.ErrPermission) {
		t.Skip(err)
	}
	if err != nil {
		t.Fatal(err)
	}
	load()
	session.Close()
	if said.Len() > 0 {
		t.Error(said.String())
	}
	outputs := map[string][]byte{}
	for i, f := range formats {
		outputs[f] = written[i].Bytes()
	}
	return outputs
}

//go:noinline
func callSeldom() { syscall.Dup(1 << 20) }

//go:noinline
func callOften() { syscall.Dup(1 << 20) }

// TestStackReaders: the functions of two thousand calls weigh what they have called, in each format with stacks as the program that it is for reads it.
func TestStackReaders(t *testing.T) {
	const seldom, often = 766, 1234
	out := traced(t, `tracepoint:syscalls:sys_enter_dup /pid == $1 && args.fildes >= 1 << 20/ { @dups[ustack] = count(); }`, []string{"folded", "pprof", "speedscope", "svg"}, func() {
		for range seldom {
			callSeldom()
		}
		for range often {
			callOften()
		}
	})
	want := map[string]int{"callSeldom": seldom, "callOften": often, "TestStackReaders": seldom + often}
	dir := t.TempDir()
	save := func(t *testing.T, format string, text []byte) string {
		path := filepath.Join(dir, format)
		if err := os.WriteFile(path, text, 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	compare := func(t *testing.T, got map[string]int, text []byte) {
		for name, n := range want {
			if got["fst/tests/export."+name] != n {
				t.Errorf("%s is %d, not %d: %s", name, got["fst/tests/export."+name], n, text)
			}
		}
	}
	t.Run("folded", func(t *testing.T) {
		got := map[string]int{}
		for line := range strings.Lines(string(out["folded"])) {
			frames, number, _ := strings.Cut(strings.TrimSpace(line), " ")
			n, _ := strconv.Atoi(number)
			for _, name := range strings.Split(frames, ";") {
				got[name] += n
			}
		}
		compare(t, got, out["folded"])
	})
	t.Run("pprof", func(t *testing.T) {
		if testing.Short() { // Go builds the tool when it is run first, which takes a minute
			t.Skip("go tool pprof is not run with -short")
		}
		top, err := exec.Command("go", "tool", "pprof", "-top", "-cum", "-symbolize=none", save(t, "pprof", out["pprof"])).CombinedOutput()
		if strings.Contains(string(top), "no such tool") {
			t.Skip("this Go has no pprof")
		}
		if err != nil {
			t.Fatalf("%v: %s", err, top)
		}
		got := map[string]int{}
		for line := range strings.Lines(string(top)) {
			if f := strings.Fields(line); len(f) == 6 {
				got[f[5]], _ = strconv.Atoi(f[3])
			}
		}
		compare(t, got, top)
	})
	t.Run("speedscope", func(t *testing.T) {
		page := fetched(t, "speedscope", "package/dist/release/index.html", "npm pack --silent speedscope@1.25.0; tar xzf speedscope-*.tgz")
		// As its command does: a script that loads the file.
		load := save(t, "load.js", fmt.Appendf(nil, "speedscope.loadFileFromBase64('dups', '%s')", base64.StdEncoding.EncodeToString(out["speedscope"])))
		dom := browse(t, "file://"+page+"#localProfilePath="+load+"&view=sandwich")
		got := map[string]int{}
		for _, row := range regexp.MustCompile(`<tr[^>]*><td[^>]*>([0-9,.k]+) \(.*?</span>([^<]+)</td></tr>`).FindAllStringSubmatch(dom, -1) {
			got[row[2]], _ = strconv.Atoi(strings.ReplaceAll(row[1], ",", ""))
		}
		compare(t, got, []byte(dom))
	})
	t.Run("svg", func(t *testing.T) {
		if err := xml.Unmarshal(out["svg"], new(struct{})); err != nil {
			t.Fatal(err)
		}
		got, all := map[string]int{}, 0.0
		for _, f := range regexp.MustCompile(`<title>([^:]+): ([0-9]+) count, [0-9.]+ %</title><rect x="[0-9.]+" y="[0-9]+" width="([0-9.]+)"`).FindAllSubmatch(out["svg"], -1) {
			width, _ := strconv.ParseFloat(string(f[3]), 64)
			n, _ := strconv.Atoi(string(f[2]))
			all = max(all, width)
			if math.Abs(width-all*float64(n)/(seldom+often)) > 0.01 {
				t.Errorf("%s is %v wide of %v, with %d calls", f[1], width, all, n)
			}
			got[string(f[1])] += n
		}
		compare(t, got, out["svg"])
	})
}

// TestTableReaders: DuckDB reads CSV and JSON with the names and types of the script, and adds up the same calls.
func TestTableReaders(t *testing.T) {
	node, err := exec.LookPath("node")
	if err != nil {
		t.Skip("no node is installed")
	}
	duckdb := fetched(t, "duckdb", "node_modules", "npm install --silent --no-audit --no-fund --prefix . @duckdb/node-api@1.5.6-r.1")
	out := traced(t, `tracepoint:syscalls:sys_enter_dup /pid == $1 && args.fildes >= 1 << 20/ { @dups[comm, args.fildes - (1 << 20)] = count(); }`, []string{"csv", "json2"}, func() {
		for i := range 300 {
			syscall.Dup(1<<20 + i%3)
		}
	})
	dir := t.TempDir()
	for name, text := range out {
		if err := os.WriteFile(filepath.Join(dir, "dups."+name), text, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	query := `const { DuckDBInstance } = require('@duckdb/node-api');
(async () => {
	const db = await (await DuckDBInstance.create()).connect();
	for (const q of process.argv.slice(1)) console.log((await db.runAndReadAll(q)).getRows().map(r => r.join(' ')).join('|'));
})()`
	run := exec.Command(node, "-e", query, "--",
		"SELECT fildes, sum(dups), typeof(any_value(time)) FROM 'dups.csv' GROUP BY fildes ORDER BY fildes",
		"SELECT e.key[2], e.value, typeof(time::TIMESTAMPTZ) FROM (SELECT unnest(data.elements) AS e, time FROM read_json('dups.json2') WHERE type = 'map') ORDER BY ALL")
	run.Dir = dir
	run.Env = append(os.Environ(), "NODE_PATH="+duckdb)
	got, err := run.CombinedOutput()
	if want := "0 100 TIMESTAMP WITH TIME ZONE|1 100 TIMESTAMP WITH TIME ZONE|2 100 TIMESTAMP WITH TIME ZONE\n"; err != nil || string(got) != want+want {
		t.Errorf("%v: %s\n%s\n%s", err, got, out["csv"], out["json2"])
	}
}

// TestDashboards: Grafana's own schema accepts the dashboards of all tools, and has the queries that fst wrote.
func TestDashboards(t *testing.T) {
	var all bytes.Buffer
	var want []string
	eachExample(t, func(tool, example string, prog *fst.Program) {
		if err := prog.Dashboard(&all); err != nil && !errors.Is(err, fst.ErrNoMetrics) {
			t.Error(example, err)
		}
	})
	for _, m := range regexp.MustCompile(`"expr": (".*")`).FindAllSubmatch(all.Bytes(), -1) {
		expr, err := strconv.Unquote(string(m[1]))
		if err != nil {
			t.Fatal(err)
		}
		want = append(want, expr)
	}
	read := exec.Command(reader(t, "dashboard"))
	read.Stdin = &all
	said, err := read.CombinedOutput()
	if err != nil {
		t.Fatalf("%v: %s", err, said)
	}
	var got []string
	for line := range strings.Lines(string(said)) {
		_, expr, _ := strings.Cut(strings.TrimSpace(line), ": ")
		got = append(got, expr)
	}
	if !slices.Equal(got, want) || len(got) < 100 {
		t.Errorf("%d queries of %d: %s", len(got), len(want), said)
	}
}
