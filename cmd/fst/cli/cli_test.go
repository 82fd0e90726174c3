package cli

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/sys/unix"

	"fst/scripts"
)

// run runs a command line without a terminal.
func run(args ...string) (code int, stdout, stderr string) {
	var out, errs strings.Builder
	code = Run(context.Background(), args, strings.NewReader(""), &out, &errs, nil)
	return code, out.String(), errs.String()
}

func TestRunWithoutKernel(t *testing.T) {
	dir := t.TempDir()
	ugly := filepath.Join(dir, "ugly.bt")
	if err := os.WriteFile(ugly, []byte("BEGIN{printf(\"x\");exit()}\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	broken := filepath.Join(dir, "broken.bt")
	if err := os.WriteFile(broken, []byte("BEGIN { printf(; }\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	functions := filepath.Join(dir, "functions")
	if err := os.WriteFile(functions, []byte("fst_one\nfst_two\nother\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct {
		args   string
		code   int
		stdout string // part of it
		stderr string
	}{
		{"--version", 0, "fst v", ""},
		{"-V", 0, "fst v", ""},
		{"--help", 0, "--dry-run", ""},
		{"", 1, "", "Usage:"},
		{"--otlp localhost:4318 -e begin{}", 1, "", `invalid value for --otlp: "localhost:4318" (want http://HOST:PORT of a collector, as in http://localhost:4318)`},
		{"--otlp http://localhost:4318", 1, "", "--otlp needs a program; give the program: fst --otlp"},
		{"--listen :9435", 1, "", "--listen needs a program; give the program: fst --listen"},
		{"-f pprof", 1, "", "-f pprof writes one document for one program"},
		{"explain --help", 0, "fst explain", ""},
		{"top --help", 0, "fst top", ""},
		{"compile --kernel ../../../compiler/target/fixture/testdata -o x -e begin{}", 1, "", "compile compiles for one kernel; --kernel names 4"},
		{"explain --json -e begin{}", 1, "", "--json is an option of fst check, not of fst explain"},
		{"--zoo", 1, "", "unknown option --zoo"},
		{"opensnoop.fst", 1, "", "no script or tool named opensnoop.fst: fst opensnoop does that"},
		{"run opensnoop", 1, "", "there is no command run: write fst TOOL"},
		{"nosuch.bt", 1, "", "no script or tool named nosuch.bt"},
		{"biolatncy -D 1", 1, "", "no script or tool named biolatncy: did you mean biolatency?"},
		{"biolatncy --disks", 1, "", "no script or tool named biolatncy: did you mean biolatency?"},
		{"ext4slower", 1, "", "no script or tool named ext4slower: fst fsslower does that"},
		{"opensnoop-bpfcc", 1, "", "no script or tool named opensnoop-bpfcc: fst opensnoop does that"},
		{dir + "/biosnoop.bt", 1, "", ": fst biosnoop does that"}, // where another tracer's tools may be
		{"help bindsnoop", 1, "", "named bindsnoop: fst solisten does that"},
		{"tools numa", 0, "pagemoves", ""},
		{"tools", 0, "biolatency", ""},
		{"help biolatency", 0, "What it can miss", ""},
		{"help tools", 0, "list the bundled tools", ""},
		{"biolatency --help", 0, "--disk", ""},
		{"biolatency -Z", 1, "", "biolatency has no option -Z"},
		{"show readahead", 0, "page_cache_sync_ra", ""},
		{"show nosuch", 1, "", "no tool named nosuch"},
		{"doc hist", 0, "hist(", ""},
		{"help hist", 0, "hist(", ""},
		{"doc nosuch", 1, "", "no built-in"},
		{"fmt " + ugly, 0, "printf(\"x\");", ""},
		{"fmt " + broken, 1, "", "broken.bt:1:"},
		{"check", 1, "", "names of scripts"},
		{"check -e uprobe:/etc/hostname:main{}", 1, "", "ERROR: /etc/hostname is not an ELF binary\n"},
		{"check -e usdt:/etc/hostname:main{}", 1, "", "ERROR: /etc/hostname is not an ELF binary\n"},
		{"check " + broken, 1, "", "broken.bt:1:"},
		{"dump --stage ast " + ugly, 0, "printf", ""},
		{"dump --stage llvm " + ugly, 1, "", `invalid value for --stage: "llvm"`},
		{"-c ls -p 1 " + ugly, 1, "", "do not go together"},
		{"--test --bench -e test:x{}", 1, "", "cannot be used together"},
		{"check -I " + dir + "/none " + ugly, 0, "", "-I: no such directory"},
		{"check" + strings.Repeat(" -I "+dir+"/none", 5) + " " + ugly, 0, "", "-I: 2 more directories do not exist"},
		{"doc " + strings.Repeat("l", 10000), 1, "", "lll…lll"},
		{"-o " + dir + "/none/x -e BEGIN{}", 1, "", "-o: open "},
		{"repl", 1, "", "there is no program"},
		{"check --traceable-functions " + functions + " -e kprobe:fst_on{}", 1, "", "did you mean fst_one?"},
		{"--traceable-functions " + dir + "/none -l kprobe:fst_*", 1, "", "no such file"},
		{"--traceable-functions " + dir + " -l kprobe:fst_*", 1, "", "is a directory; name a file"},
		{`-c "" -e BEGIN{}`, 1, "", "the command to run has no name"},
		{"--mode format -e " + "BEGIN{exit()}", 0, "BEGIN", ""},
		{"--mode codegen -e BEGIN{}", 1, "", "(want test, bench or format)"},
		{"--max-overhead 2 -e BEGIN{}", 1, "", "such as 2%"},
	} {
		code, stdout, stderr := run(strings.Fields(test.args)...)
		if code != test.code || !strings.Contains(stdout, test.stdout) || !strings.Contains(stderr, test.stderr) {
			t.Errorf("fst %s: code %d\nstdout: %s\nstderr: %s", test.args, code, stdout, stderr)
		}
	}
}

// TestScriptFromPipe checks a script that can be read only once.
func TestScriptFromPipe(t *testing.T) {
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	w.WriteString("begin { exit(); }\n")
	w.Close()
	if code, _, errs := run("check", fmt.Sprintf("/dev/fd/%d", r.Fd())); code != 0 || errs != "" {
		t.Errorf("%d %s", code, errs)
	}
}

// TestHelpOfTools makes sure that every tool shows its help.
func TestHelpOfTools(t *testing.T) {
	for _, name := range scripts.Names() {
		if code, stdout, stderr := run(name, "-h"); code != 0 || !strings.HasPrefix(stdout, name+": ") {
			t.Errorf("fst %s -h: code %d, %q %q", name, code, stdout, stderr)
		}
	}
}

// TestToolsByWord looks for tools by words that users have, which may not be those of their questions.
func TestToolsByWord(t *testing.T) {
	for word, want := range map[string]string{"idle": "wakeuptime", "fork": "pidpersec", "children": "exitsnoop", "missing": "opensnoop", "hang": "waits", "DNS": "gethostlatency",
		"ports": "solisten", "heap": "memleak", "delete": "filegone", "https": "sslsnoop", "slow write": "fileslower"} {
		if code, stdout, stderr := run(append([]string{"tools"}, strings.Fields(word)...)...); code != 0 || !strings.Contains(stdout, "  "+want+" ") {
			t.Errorf("fst tools %s: not %s\n%s%s", word, want, stdout, stderr)
		}
	}
}

// TestCheckKernels compiles for recorded kernels, which are found by name, as
// a file and as a directory.
func TestCheckKernels(t *testing.T) {
	const kernels = "../../../compiler/target/fixture/testdata"
	dir := t.TempDir()
	script := filepath.Join(dir, "field.bt")
	text := "kprobe:blk_mq_start_request { print(((struct request *)arg0)->rq_disk); }\n"
	if err := os.WriteFile(script, []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
	definitions := filepath.Join(dir, "definitions.fst")
	if err := os.WriteFile(definitions, []byte("import \"nosuch.fst\";\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct {
		args           string
		code           int
		stdout, stderr string
	}{
		{"check --kernel 6.12 " + definitions, 1, "", definitions + ":1:1-20: ERROR: can't import"},
		{"check --kernel 5.10 " + script, 0, "", ""},
		{"check --kernel 6.12 " + script, 1, "", "rq_disk"},
		{"check --kernel " + kernels + "/7.2.zip biolatency", 0, "", ""},
		{"check --kernel " + kernels + " " + script, 1, "", "for Linux 7.2"},
		{"check " + script + " --kernel 6.12 --json", 1, `"line":1,"col":63,"end_line":1,"end_col":70,"severity":"error"`, ""},
		{"check --kernel 9.9 " + script, 1, "", "fst facts record"},
		{"check --kernel " + dir + " " + script, 1, "", "no recorded kernels"},
		{"check --kernel " + script + " " + script, 1, "", "recorded kernel"},
		{"--json " + script, 1, "", "--json of fst check"},
		{"check --kernel 6.12 biolatency -- -D -m --disk vda", 0, "", ""},
		{"check --kernel 6.12 biolatency biotop -- --sort kb", 1, "", "biolatency has no option --sort"},
		{"check --kernel 6.12 biotop -- --sort time", 1, "", "--sort takes one of pid, comm, op, disk, kb, io, avg"},
		{"check biolatency -- --disk nosuch", 1, "", `--disk: there is no disk "nosuch"`},
		{"check --kernel 6.12 stackcount fsdist", 0, "", "fsdist.fst:"}, // parameters that are missing are no mistake
		{"check --kernel 6.12 biolatency " + script + " -- --nosuch", 1, "", "rq_disk"},
		{"check killsnoop -- --signal=-1", 1, "", `invalid value for --signal: "-1"`},
		{"facts", 0, "6.12.107+deb13-cloud-amd64", ""},
		{"facts forget", 1, "", "fst facts record"},
		{"type --kernel 6.12 struct path", 0, "     8     8  \tstruct dentry *dentry;\n", ""},
		{"type --kernel 6.12 request", 0, "   208     4  \t\tunsigned int seq;\n              \t\t/* 4 bytes unused */\n", ""},
		{"type --kernel 6.12 --depth 1 path", 0, "16 bytes\n", ""},
		{"type --kernel 7.2 req_iter*", 0, "struct req_iterator\n", ""},
		{"type --kernel 5.10 struct requst", 1, "", "did you mean request?"},
		{"type --depth deep path", 1, "", "want a number of levels"},
		{"type", 1, "", "needs the name of a type"},
		{"type --kernel 6.12 struct", 1, "", "the name of the type is missing"},
		{"--no-feature zoo " + script, 1, "", "kprobe_multi"},
		{"--fmt " + script, 0, "kprobe:blk_mq_start_request", ""},
		{"biolatency --fmt", 1, "", "no option --fmt"},
	} {
		var out, errs strings.Builder
		code := Run(context.Background(), strings.Fields(test.args), strings.NewReader(""), &out, &errs, []string{"FST_KERNELS=" + kernels})
		if code != test.code || !strings.Contains(out.String(), test.stdout) || !strings.Contains(errs.String(), test.stderr) {
			t.Errorf("fst %s: code %d\nstdout: %s\nstderr: %s", test.args, code, out.String(), errs.String())
		}
	}
}

func TestInternalError(t *testing.T) {
	var errs strings.Builder
	code := Run(context.Background(), []string{"-"}, panicReader{}, &errs, &errs, nil)
	if code != exitInternal || !strings.Contains(errs.String(), "fst: internal error: out of luck") {
		t.Errorf("code %d: %s", code, errs.String())
	}
}

type panicReader struct{}

func (panicReader) Read([]byte) (int, error) { panic("out of luck") }

func TestFormat(t *testing.T) {
	dir := t.TempDir()
	script, other := filepath.Join(dir, "a.bt"), filepath.Join(dir, "b.fst")
	for name, text := range map[string]string{script: "BEGIN{exit()}", other: "BEGIN { exit(); }\n", filepath.Join(dir, "readme"): "{"} {
		if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	run := func(stdin string, words ...string) (int, string) {
		var out, errs strings.Builder
		code := Run(context.Background(), append([]string{"fmt"}, words...), strings.NewReader(stdin), &out, &errs, nil)
		return code, out.String() + errs.String()
	}
	for _, c := range []struct {
		stdin string
		words []string
		code  int
		want  string
	}{
		{"BEGIN{exit()}", []string{"-"}, 0, "BEGIN { exit(); }\n"},
		{"", []string{"-l", dir}, 1, script + "\n"},
		{"", []string{"-w", dir}, 0, ""},
		{"", []string{"-l", dir}, 0, ""},
		{"", []string{script}, 0, "BEGIN { exit(); }\n"},
		{"", []string{"-x"}, 1, "fst: unknown option -x for fmt (-w rewrites the files, -l lists those that are not in canonical form)\n"},
	} {
		if code, out := run(c.stdin, c.words...); code != c.code || out != c.want {
			t.Errorf("fmt %q: code %d, %q; want %d, %q", c.words, code, out, c.code, c.want)
		}
	}
}

// TestRewrite: a disk that gets full does not cost the script.
func TestRewrite(t *testing.T) {
	dir := t.TempDir()
	t.Setenv("TMPDIR", dir)
	file := filepath.Join(dir, "a.bt")
	full := errors.New("disk full")
	for _, c := range []struct {
		fails   int // so many writes
		touched bool
		want    string
		kept    int // files with the old text
	}{{0, false, "new", 0}, {1, true, "old", 1}, {2, false, "old", 1}, {2, true, "", 1}} {
		if err := os.WriteFile(file, []byte("old"), 0o600); err != nil {
			t.Fatal(err)
		}
		writes := 0
		err := rewrite(file, "old", "new", func(file string, text []byte, perm os.FileMode) error {
			if writes++; writes <= c.fails {
				if c.touched {
					os.Truncate(file, 0)
				}
				return full
			}
			return os.WriteFile(file, text, perm)
		})
		if (c.fails > 0) != errors.Is(err, full) {
			t.Errorf("%d failures: %v", c.fails, err)
		}
		if text, _ := os.ReadFile(file); string(text) != c.want {
			t.Errorf("%d failures: the file has %q", c.fails, text)
		}
		kept := 0
		files, _ := filepath.Glob(filepath.Join(dir, "*"))
		for _, f := range files {
			if text, _ := os.ReadFile(f); string(text) == "old" {
				kept++
			}
		}
		if kept != c.kept {
			t.Errorf("%d failures: the old text is in %d of %q", c.fails, kept, files)
		}
	}
}

// A script that is read from standard input has the options of its header, as a
// file has.
func TestHeaderOfStandardInput(t *testing.T) {
	const script = "\ufeff// t: how long?\n// Usage: t [-m MS]\n// Option: -m, --ms MS: at least\nbegin { print(getopt(\"ms\", 10)); exit() }\n"
	var out, errs strings.Builder
	if code := Run(context.Background(), []string{"-", "-h"}, strings.NewReader(script), &out, &errs, nil); code != 0 || !strings.Contains(out.String(), "--ms MS") {
		t.Errorf("code %d, printed %q and %q", code, out.String(), errs.String())
	}
	errs.Reset()
	Run(context.Background(), []string{"-", "-x"}, strings.NewReader(script), &out, &errs, nil)
	if want := "t has no option -x"; !strings.Contains(errs.String(), want) {
		t.Errorf("printed %q, want %q", errs.String(), want)
	}
}

func TestNothingListed(t *testing.T) {
	for _, test := range []struct{ pattern, want string }{
		{"nothing_is_called_so", "no probe has nothing_is_called_so in its name"},
		{"xx:yy", `no probes of the kind "xx"`},
		{"io:nothing", "no probe matches io:nothing"},
		{"io:don", "no probe matches io:don: did you mean io:done?"},
		{"w:*", "kind watchpoint can't be listed: one is written watchpoint:ADDRESS:LENGTH:MODE"},
		{"bench:*", "can't be listed: one is written bench:NAME"},
		{"uprobe:/etc/passwd:*", "/etc/passwd is not an ELF binary"},
		{"usdt:/etc/passwd:*", "/etc/passwd is not an ELF binary"},
		{"struct nothing_is_called_so", "no struct matches"},
	} {
		var out, errs strings.Builder
		if code := Run(context.Background(), []string{"-l", test.pattern}, strings.NewReader(""), &out, &errs, nil); code != 0 || out.Len() > 0 || !strings.Contains(errs.String(), test.want) {
			t.Errorf("%s: code %d, printed %q and %q, want %q", test.pattern, code, out.String(), errs.String(), test.want)
		}
	}
}

// TestFullDisk writes to where nothing more fits.
func TestFullDisk(t *testing.T) {
	full, err := os.OpenFile("/dev/full", os.O_WRONLY, 0)
	if err != nil {
		t.Skip(err)
	}
	defer full.Close()
	for _, args := range []string{"tools", "doc hist", "--version", "show readahead"} {
		var errs strings.Builder
		code := Run(context.Background(), strings.Fields(args), strings.NewReader(""), full, &errs, nil)
		if code != exitUsage || !strings.Contains(errs.String(), "cannot write the output") {
			t.Errorf("fst %s: %d, %q", args, code, errs.String())
		}
	}
}

func TestLacking(t *testing.T) {
	for _, c := range []struct {
		caps uint64
		root bool
		want string
	}{
		{1 << unix.CAP_SYS_ADMIN, false, ""},
		{1<<unix.CAP_BPF | 1<<unix.CAP_PERFMON, false, ""},
		{1 << unix.CAP_BPF, false, "needs root"},
		{1 << unix.CAP_BPF, true, "root lacks CAP_PERFMON here"},
		{0, true, "root lacks CAP_BPF and CAP_PERFMON here"},
	} {
		err := lacking(c.caps, c.root)
		if (err == nil) != (c.want == "") || err != nil && !strings.Contains(err.Error(), c.want) {
			t.Errorf("%#x, root: %t: %v, want %q", c.caps, c.root, err, c.want)
		}
	}
}

// A recording that fails leaves what has its name alone.
func TestFailedRecording(t *testing.T) {
	if os.Geteuid() != 0 {
		t.Skip("recording needs root")
	}
	path := filepath.Join(t.TempDir(), "facts.zip")
	if err := os.Symlink("/dev/full", path); err != nil {
		t.Fatal(err)
	}
	if code, _, errs := run("facts", "record", path); code == exitOK || errs == "" {
		t.Errorf("code %d, %q", code, errs)
	}
	if _, err := os.Lstat(path); err != nil {
		t.Error(err)
	}
}

// TestExplain: what a program does, in words, for a recorded kernel.
func TestExplain(t *testing.T) {
	t.Setenv("FST_KERNELS", "")
	for _, test := range []struct {
		program string
		want    []string
	}{
		{`kprobe:vfs_read, kprobe:vfs_write { @[kstack, comm] = quantile(arg2); } profile:hz:99 { printf("%d\n", pid); }`, []string{
			"kprobe:vfs_read, kprobe:vfs_write\n  sees:      the entry of a kernel function\n  attached:  2 places: kprobe:vfs_read, kprobe:vfs_write; by kprobe\n" +
				"  fires:     not measured: the program is compiled for a recorded kernel\n  costs:     some ",
			"an estimate: 1 to 10 ns for each of ", "  stability: unstable: functions inside the kernel are not an interface", "Stable probes made of it: fs: (fst doc fs)\n",
			"profile:hz:99\n  sees:      at regular intervals, on every CPU: a sample of what runs there", "  stability: stable\n", "fills @[kstack, text]: quantile, at most 4096 keys (", "shows and does: printf\n",
			"needs  CAP_BPF and CAP_PERFMON, or root\n", "       CAP_SYSLOG, for the names in kstack\n"}},
		{`io:done { @ = sum(took); }`, []string{"  sees:      A device has completed a request.\n", "stable: the same fields and numbers on every kernel", "fills @: sum\n"}},
		{`tracepoint:syscalls:sys_enter_execve { system("ls %d", $1); } BEGIN { exit(); }`, []string{"needs  --unsafe, as it acts on the system\n",
			"shows and does: system, exit\n", "  attached:  to nothing: it runs once\n"}},
		{`profile:hz:$1 { @ = count(); }`, []string{"not measured: ", "needs  parameters, which count as 1 here\n"}},
	} {
		code, out, errs := run("explain", "--kernel", "../../../compiler/target/fixture/testdata/6.1.zip", "-e", test.program)
		if code != 0 {
			t.Errorf("%s: %d %s", test.program, code, errs)
		}
		for _, want := range test.want {
			if !strings.Contains(out, want) {
				t.Errorf("%q is missing in:\n%s", want, out)
			}
		}
	}
	for args, want := range map[string]string{"explain": "explain needs -e 'PROGRAM', a file or a tool", "explain -e kprobe:": "ERROR", "explain nosuch": "no script or tool named nosuch"} {
		if code, _, errs := run(strings.Fields(args)...); code == 0 || !strings.Contains(errs, want) {
			t.Errorf("%s: %d %s", args, code, errs)
		}
	}
}

// TestMissingFiles: of many files that do not exist the first are named, and the rest are counted.
func TestMissingFiles(t *testing.T) {
	args := strings.Fields(strings.Repeat("nosuch.fst ", 3*maxMissing))
	for _, command := range []string{"check", "fmt"} {
		code, _, errs := run(append([]string{command}, args...)...)
		if named := strings.Count(errs, "nosuch.fst"); code == 0 || named != maxMissing || !strings.HasSuffix(errs, "fst: 40 more files do not exist\n") {
			t.Errorf("%s: %d, %d named:\n%s", command, code, named, errs)
		}
	}
}
