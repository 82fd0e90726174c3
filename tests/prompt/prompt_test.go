// Package prompt tests fst's prompt on a pseudo-terminal: what is typed, and
// what is then on the screen.
package prompt

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"fst/tests/program"

	"golang.org/x/sys/unix"
)

// build builds the program under test, once.
var build = sync.OnceValues(func() (path string, err error) { return program.Build(dir) })

var dir string

func TestMain(m *testing.M) {
	var err error
	if dir, err = os.MkdirTemp("", "fst-prompt-"); err != nil {
		panic(err)
	}
	code := m.Run()
	os.RemoveAll(dir)
	os.Exit(code)
}

// fst is the path of the program under test.
func fst(t testing.TB) string {
	t.Helper()
	if testing.Short() || os.Geteuid() != 0 {
		t.Skip("tracing needs root, and more time than -short gives")
	}
	path, err := build()
	if err != nil {
		t.Fatal(err)
	}
	return path
}

func open(t *testing.T) *terminal {
	t.Helper()
	return start(t, t.TempDir())
}

// screenOf compares what followed the last prompt but one.
func screenOf(t *testing.T, s *terminal, want string) {
	t.Helper()
	got := s.text()
	if !strings.HasSuffix(strings.TrimRight(got, " "), strings.TrimRight(want, " ")) {
		t.Errorf("the screen is\n%s\nand does not end in\n%s", got, want)
	}
}

func TestValuesAndEntries(t *testing.T) {
	s := open(t)
	s.enter("1 + 2")
	s.enter(`interval:100s { @a[1] = 1; printf("never\n"); }`)
	s.enter("@a")
	s.enter(":drop 1")
	screenOf(t, s, `fst> 1 + 2
3
fst> interval:100s { @a[1] = 1; printf("never\n"); }
[1] interval:us:100000000
fst> @a
@a is empty
fst> :drop 1
[1] detached
fst> `)
	s.key("\x04")
	s.end()
}

// TestPaste: a script with tabs and sixty lines arrives as one entry.
func TestPaste(t *testing.T) {
	s := open(t)
	var script strings.Builder
	script.WriteString("BEGIN {\n")
	for i := range 58 {
		fmt.Fprintf(&script, "\t@sum += %d; // pid<Tab>\tcom\n", i)
	}
	script.WriteString("}\n")
	s.paste(script.String())
	s.key("\r")
	s.see("@sum: 1653\n")
	s.wait("\nfst> ")
	if n := strings.Count(s.text(), "fst> "); n != 2 {
		t.Errorf("%d prompts:\n%s", n, s.text())
	}
	// What was pasted comes back from the history, whole.
	s.key("\x10\r")
	s.see("@sum: 3306\n")
}

// TestLargePaste: a text of 100 kB is drawn a few times, not once for each piece that the line editor reads, and so is a key
// behind it.
func TestLargePaste(t *testing.T) {
	out := make(chan []byte, 1<<16)
	s := open(t)
	s.mu.Lock()
	s.instead = out
	s.mu.Unlock()
	// drawn counts the drawings of the line until its end is shown.
	drawn := func(end string) (n int) {
		t.Helper()
		var seen []byte
		for late := time.After(20 * time.Second); ; {
			select {
			case piece := <-out:
				seen = append(seen, piece...)
				if bytes.Contains(seen, []byte(end)) {
					return bytes.Count(seen, []byte("fst> "))
				}
			case <-late:
				t.Fatalf("%q was not shown; last came %q", end, seen[max(0, len(seen)-200):])
			}
		}
	}
	s.key("BEGIN { @x = 1; }\x1b[D") // the paste goes before the bracket, where the cursor is
	drawn("@x = 1; }")
	s.paste(strings.Repeat("@sum += 1; // a line\n", 5000) + "@sum += 2; // last")
	if n := drawn("last}"); n > 10 {
		t.Errorf("the line was drawn %d times for a paste", n)
	}
	s.key("\x05Z")
	if n := drawn("last}Z"); n > 4 {
		t.Errorf("the line was drawn %d times for a key", n)
	}
}

// TestTextAbove: lines of entries, also unfinished ones, leave the edited line
// and a search of the history as they are.
func TestTextAbove(t *testing.T) {
	s := open(t)
	s.enter("1 + 41")
	s.enter(`interval:30ms { @n++; if (@n <= 3) { printf("%d,", @n); } if (@n == 3) { printf("\n"); } }`)
	s.key("abc\x1b[D")
	s.see("[1] 1,2,3,\n")
	s.wait("\nfst> abc ")
	s.key("X")
	s.wait("\nfst> abXc ")
	s.key("\x15\x7f\x7f\x03")
	s.see("(Ctrl-C again detaches [1] interval:us:30000)")
}

// TestNothingVanishes: what ends shows its maps and says so.
func TestNothingVanishes(t *testing.T) {
	s := open(t)
	s.enter("interval:10ms { @one = 1; }")
	s.enter("interval:10ms { @two = 2; if (@two == 2) { @k = 1 } }")
	s.enter("interval:200ms { @three = 3; exit(); }")
	s.see("[3] @three: 3\n")
	s.see("[3] ended\n")
	s.key("\x03\x03")
	s.see("[2] @two: 2\n")
	s.see("[2] detached\n")
	s.enter("kprobe:f {\r/* given up */\x03")
	s.key("{\r")
	s.wait("\n...> ")
	s.key("\x04")
	s.wait("\nfst> ")
	s.key("\x04")
	s.end()
	s.see("[1] @one: 1\n")
	s.see("[1] detached\n")
}

// TestWhatDoesNotCompile is never kept.
func TestWhatDoesNotCompile(t *testing.T) {
	s := open(t)
	s.enter("struct pair { nothing x; };")
	if strings.Contains(s.text(), "known from now on") {
		t.Error(s.text())
	}
	s.enter("struct pair { int x; };")
	s.see("struct pair: known from now on\n")
	s.enter("sizeof(struct pair)")
	s.see("\n4\n")
	// Nothing is known of an argument before there is a call, but of names.
	for _, test := range []struct{ typed, says string }{
		{"macro other(x) { x + nosuchname }", "input:1:22-32: ERROR: nosuchname is not known"},
		{"fn wrong($a) { return $a + nosuchfn(); }", "input:1:28-36: ERROR: there is no function nosuchfn"},
		{"macro field(T, x) { ((T *)x)->pid + x.tgid }", "macro field: known from now on"},
		{"macro counts(@m, $k, v) { @m[$k] = sum(v); $k = v; }", "macro counts: known from now on"},
		{`import "/nosuch.fst"`, "input:1:1-21: ERROR: can't import /nosuch.fst: there is no such file"}, // though it is not the first
	} {
		s.enter(test.typed)
		s.see("\n" + test.says + "\n")
	}
	file := filepath.Join(t.TempDir(), "x.fst")
	s.enter("interval:100s { @m = 1; }")
	s.enter("syscount")
	s.enter(":save " + file)
	if _, err := os.Stat(file); err == nil {
		t.Errorf("saved, though a script starts no tools:\n%s", s.text())
	}
	s.enter(":drop 2")
	s.enter(":save " + file)
	s.enter(":clear")
	s.enter(":load " + file)
	s.see("[3] interval:us:100000000\n")
}

// TestHistoryIsShared: two prompts at once, and one that lost its terminal.
func TestHistoryIsShared(t *testing.T) {
	home := t.TempDir()
	one, two := start(t, home), start(t, home)
	one.enter("11 + 22")
	two.enter("1 + 0")
	two.key("\x10\x10")
	two.wait("fst> 11 + 22 ")
	one.master.Close() // SIGHUP
	one.end()
	three := start(t, home)
	three.key("\x10\x10")
	three.wait("fst> 11 + 22 ")
}

// TestHistoryIsNotKept: where it can't be written that is said, once.
func TestHistoryIsNotKept(t *testing.T) {
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	s := runIn(t, t.TempDir(), unix.Winsize{Row: rows, Col: columns}, []string{"NO_COLOR=1", "XDG_STATE_HOME=" + file})
	s.wait("fst> ")
	s.enter("1 + 41")
	s.enter("2 + 3")
	if text := strings.ReplaceAll(s.text(), "\n", ""); text != "fst> 1 + 41(what is entered is not kept for later sessions: mkdir "+file+": not a directory)42fst> 2 + 35fst> " {
		t.Error(text)
	}
	s.key("\x10\x10")
	s.wait("fst> 1 + 41 ")
}

// TestWithoutTerminal: lines from a pipe are obeyed, and a dumb terminal has a prompt.
func TestWithoutTerminal(t *testing.T) {
	for input, want := range map[string]string{
		"1 + 2\n":                           "3\n",
		"1 + 2":                             "3\n",
		"interval:1s {\n@a[1] = 1\n}\n@a\n": "[1] interval:us:1000000\n@a is empty\n[1] detached\n",
	} {
		cmd := exec.Command(fst(t))
		cmd.Stdin = strings.NewReader(input)
		if out, err := cmd.CombinedOutput(); err != nil || string(out) != want {
			t.Errorf("%q: %q, want %q (%v)", input, out, want, err)
		}
	}
	for _, refused := range []string{":drop 7", ":nosuch", ":fields nosuch:x", ":doc nosuchword", "@none", ":pause", ":undo", "macro m(x) { x + nosuch }"} {
		cmd := exec.Command(fst(t))
		cmd.Stdin = strings.NewReader(refused + "\n1 + 2\n")
		if out, err := cmd.CombinedOutput(); err == nil || !strings.HasSuffix(string(out), "\n3\n") {
			t.Errorf("%s: %s (%v)", refused, out, err)
		}
	}
	cmd := exec.Command(fst(t), "-c", "sh -c 'cat; sleep .5; kill $$'") // the lines are not the command's to read
	cmd.Stdin = strings.NewReader("interval:100s { }\n1 + 2\n")
	if out, err := cmd.CombinedOutput(); err != nil || !strings.Contains(string(out), "\n3\n") || !strings.Contains(string(out), "\n[1] ended\n") || !strings.Contains(string(out), "\n(sh -c 'cat; sleep .5; kill $$' ended by the signal SIGTERM)\n") {
		t.Errorf("%q (%v)", out, err)
	}
	cmd = exec.Command(fst(t))
	if out, err := cmd.CombinedOutput(); err == nil || !strings.Contains(string(out), "no program") {
		t.Errorf("%s %v", out, err)
	}
}

// TestSelf: what fst itself does is left out unless it is asked for.
func TestSelf(t *testing.T) {
	s := open(t)
	own := fmt.Sprint(s.cmd.Process.Pid)
	s.enter(`tracepoint:syscalls:sys_enter_write /pid == ` + own + `/ { @writes = count(); printf("written\n"); }`)
	s.enter("1 + 1")
	s.enter(":drop 1")
	if text := s.text(); strings.Contains(text, "[1] written") || strings.Contains(text, "[1] @writes: ") {
		t.Error(text)
	}
	s.enter(":self on")
	s.enter(`tracepoint:syscalls:sys_enter_write /pid == ` + own + `/ { @writes = count(); }`)
	s.enter("1 + 1")
	s.enter(":drop 2")
	s.see("[2] @writes: ")
}

// TestCommand: the command of -c runs once a clause is attached, and what was attached meanwhile ends with it.
func TestCommand(t *testing.T) {
	size := unix.Winsize{Row: rows, Col: columns}
	s := run(t, t.TempDir(), size, "-c", `sh -c "read x; echo out$x; sleep 1; ech; exit 3"`)
	s.wait("fst> ")
	s.see(", process ")
	s.enter("cpid > 1")
	s.enter("syscount --no-such-option")
	if strings.Contains(s.text(), "[sh] out") {
		t.Errorf("it runs before any clause is attached:\n%s", s.text())
	}
	s.enter(`tracepoint:sched:sched_process_exec /pid == cpid/ { @execs = count(); }`)
	s.see("[sh] out\n")
	s.key("abc")
	s.see("[1] @execs: 1\n")
	s.see("[1] ended\n")
	s.see("(sh -c \"read x; echo out$x; sleep 1; ech; exit 3\" ended with exit code 3)\n")
	s.wait("\nfst> abc ")
	s.see("\n[sh] sh: ") // ech is not found
	s.key("\x15")
	s.enter("interval:100s { }")
	s.enter(":list")
	s.see("\n[2] interval:100s { }\n")

	// One that waits is gone with the prompt, and so is one that runs.
	mark := filepath.Join(t.TempDir(), "mark")
	for _, clause := range []string{"1 + 1", "interval:100s { }"} {
		s = run(t, t.TempDir(), size, "-c", `sh -c "echo $$ >> `+mark+`; exec sleep 1000"`)
		s.wait("fst> ")
		s.enter("cpid")
		id := regexp.MustCompile(`(?m)^\d+$`).FindString(s.text())
		s.enter(clause)
		s.key("\x04")
		s.end()
		s.until("has no command left", func(string) bool { _, err := os.Stat("/proc/" + id); return err != nil })
	}
	if text, err := os.ReadFile(mark); err != nil || strings.Count(string(text), "\n") != 1 {
		t.Errorf("the command that was to wait ran: %q %v", text, err)
	}

	victim := exec.Command("sleep", "1000")
	if err := victim.Start(); err != nil {
		t.Fatal(err)
	}
	s = run(t, t.TempDir(), size, "-p", fmt.Sprint(victim.Process.Pid))
	s.wait("fst> ")
	s.enter("interval:100s { @n = 1; }")
	victim.Process.Kill()
	victim.Wait()
	s.see("[1] ended\n")
	s.see(fmt.Sprintf("(process %d, that of -p, has ended: ", victim.Process.Pid))
}

// TestTool: a tool with its options is an entry like any other.
func TestTool(t *testing.T) {
	s := open(t)
	s.enter("syscount -d 1 -p " + fmt.Sprint(os.Getpid()))
	s.see("[1] tracepoint:")
	s.enter(":list")
	s.see("[1] syscount -d 1")
	s.see("[1] ended\n")
	s.enter("syscount --no-such-option")
	s.see("no-such-option")
	s.enter("syscount -p 2147483647")
	s.see("there is no process 2147483647")
	idle := exec.Command("sleep", "1000")
	if err := idle.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { idle.Process.Kill(); idle.Wait() })
	s.until("has a process that sleeps: it has started up", func(string) bool {
		call, err := os.ReadFile(fmt.Sprintf("/proc/%d/syscall", idle.Process.Pid))
		return err == nil && strings.HasPrefix(string(call), fmt.Sprint(unix.SYS_CLOCK_NANOSLEEP, " "))
	})
	s.enter(fmt.Sprint(":trace ", idle.Process.Pid))
	s.enter("syscount -d 0.5") // of that process, too
	s.see("[2] ended\n")
	if rows := regexp.MustCompile(`(?m)^\[2\] \w+ +\d+$`).FindAllString(s.text(), -1); rows != nil {
		t.Errorf("an idle process has called %q", rows)
	}
}

// TestSharing: what runs becomes a line for the shell, which runs it.
func TestSharing(t *testing.T) {
	s := open(t)
	s.enter("macro twice(x) { x * 2 }")
	s.enter(`interval:100s { @a = twice(1); printf("it\'s\n"); }`)
	s.enter(":fields tracepoint:sched:sched_process_exit")
	s.see("pid_t pid")
	s.enter(":trace 2147483647")
	s.see("there is no process 2147483647")
	s.enter(":trace 1")
	s.enter(`tracepoint:raw_syscalls:sys_enter /pid != 1/ { printf("not of 1\n"); }`)
	s.enter(":drop 2")
	if strings.Contains(s.text(), "[2] not of 1") {
		t.Error(s.text())
	}
	s.enter(":oneliner")
	_, line, _ := strings.Cut(s.text(), "\nfst -e ")
	line, _, _ = strings.Cut(line, "\nfst> ")
	if out, err := exec.Command("sh", "-c", "exec "+fst(t)+" --dry-run -e "+line).CombinedOutput(); err != nil {
		t.Errorf("%q: %s %v", line, out, err)
	}
}

// TestWorkspace: entries share maps, which outlive them; an entry that does not
// agree with what is there is refused with both places, and changes nothing.
func TestWorkspace(t *testing.T) {
	s := open(t)
	s.enter(`interval:20ms { @n[1] = 5; @ticks = count(); }`)
	s.enter("@n[1] + 1")
	s.see("\n6\n")
	s.enter(`interval:20ms { @n[2] = @n[1] * 2; }`)
	s.enter(`interval:20ms { @n["text"] = 1; }`)
	s.see("[3]:1:")
	s.see("[1]:1:")
	s.enter(":drop 1")
	s.see("[1] @n[1]: 5\n")
	s.enter(":drop 2")
	s.enter("@n[2]")
	s.see("\n@n[2]: 10\n")
	s.enter("@n[3] = 7")
	s.enter("@n[3]")
	s.see("\n@n[3]: 7\n")
	s.enter(`@n = 1`)
	s.see("(no running entry uses @n: \":forget @n\" removes it)\n")
	s.enter(":forget @n")
	s.enter("@n")
	s.see("there is no map @n (there are @ticks)\n")
}

// TestExplain: what runs, and what would run, is described and measured.
func TestExplain(t *testing.T) {
	s := open(t)
	s.enter("interval:10ms { @n[1]++; }")
	s.enter(":explain")
	s.until("tells how often it fires", func(text string) bool {
		return regexp.MustCompile(`\n  fires: +\d+(\.\d+)? times a second \(measured for [\d.]+ s\)\n  costs: +\d+ ns each time, `).MatchString(text)
	})
	s.see("fills @n[number]: number, at most 4096 keys (64 KiB)\n")
	s.enter(`:explain interval:10ms { @other = @n[1]; if (@other > 5) { system("x"); } }`)
	s.see("not measured: it needs --unsafe, as it acts on the system\n")
	s.enter("@other")
	s.see("there is no map @other (there are @n)")

	const narrow = 44
	s = startOn(t, t.TempDir(), unix.Winsize{Row: 60, Col: narrow})
	s.enter("interval:10ms { @n[1]++; }")
	s.enter(":explain")
	s.see("\n  stability: stable\nfills @n[number]: number,")
	_, text, _ := cut(s.text(), "fst> :explain\n")
	for line := range strings.Lines(text) {
		if len(line) > narrow {
			t.Errorf("%q is too long", line)
		}
	}
	if words := strings.Join(strings.Fields(text), " "); !strings.Contains(words, " The kernel measured that, without what it takes to call the programs stability: ") {
		t.Errorf("it is not broken between words:\n%s", text)
	}
}

// TestShow: what an entry has written comes back, also after its end, and what is longer than the screen by a pager.
func TestShow(t *testing.T) {
	s := open(t)
	s.enter(`interval:10ms { @n++; printf("line %d\n", @n); if (@n == 50) { exit(); } }`)
	s.see("[1] line 50\n")
	s.see("[1] ended\n")
	s.enter(`interval:100s { @m = 1; }`)
	s.enter(":show 1")
	s.see("\npaged:line 1\npaged:line 2\n")
	s.see("\npaged:line 50\n")
	s.enter(":show 2")
	s.see("\n[2] has written nothing\n")
	s.enter(":show 3")
	s.see("\nnothing is kept of an entry 3\n")
	file := filepath.Join(t.TempDir(), "ticks.fst")
	s.enter(":save " + file)
	text, err := os.ReadFile(file)
	want := "#!/usr/bin/env fst\n// ticks: What happens at interval:us:100000000?\n//\n// Usage: ticks\n" +
		"// Reading: At the end these maps are shown: @m.\n// Example: fst " + file + "\n\ninterval:100s { @m = 1; }\n"
	if err != nil || string(text) != want {
		t.Errorf("%v\n%s\nwant\n%s", err, text, want)
	}
}

// TestTutorial does the tutorial's investigation at the prompt: each line that the page shows appears, with any numbers.
func TestTutorial(t *testing.T) {
	page, err := os.ReadFile("../../docs/tutorial.md")
	if err != nil {
		t.Fatal(err)
	}
	_, section, _ := strings.Cut(string(page), "\n## Investigation at the prompt: ")
	section, _, _ = strings.Cut(section, "\n## ")
	var script strings.Builder
	var steps [][]string // what is typed, and lines that follow
	for line := range strings.Lines(section) {
		line, code := strings.CutPrefix(strings.TrimSuffix(line, "\n"), "    ")
		typed, types := strings.CutPrefix(line, "fst> ")
		switch {
		case !code:
		case types:
			steps = append(steps, []string{typed})
		case len(steps) > 0:
			steps[len(steps)-1] = append(steps[len(steps)-1], line)
		case !strings.HasPrefix(line, "# "):
			script.WriteString(line + "\n")
		}
	}
	if len(steps) < 10 {
		t.Fatalf("%q", steps)
	}
	file, jobs := filepath.Join(t.TempDir(), "jobs.sh"), exec.Command("sh")
	if err := os.WriteFile(file, []byte(script.String()), 0o600); err != nil {
		t.Fatal(err)
	}
	jobs.Args = append(jobs.Args, file)
	jobs.Stdin = endless("a job that is to be done\n")
	if err := jobs.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { jobs.Process.Kill(); jobs.Wait() })
	fst(t) // is built where the module is
	t.Chdir(t.TempDir())
	s := open(t)
	shape := func(text string) string {
		return regexp.MustCompile(`\d+(\.\d+)?`).ReplaceAllString(strings.Join(strings.Fields(text), " "), "N")
	}
	for _, step := range steps {
		typed := regexp.MustCompile(`^:trace \d+$`).ReplaceAllString(step[0], fmt.Sprint(":trace ", jobs.Process.Pid))
		before := len(s.text())
		s.enter(typed)
		if strings.HasPrefix(typed, "syscall:") {
			time.Sleep(200 * time.Millisecond) // calls, to be looked at
		}
		for _, want := range step[1:] {
			s.until(fmt.Sprintf("has a line as %q after %q", want, typed), func(text string) bool {
				for line := range strings.Lines(text[min(before, len(text)):]) {
					if shape(line) == shape(want) {
						return true
					}
				}
				return false
			})
		}
	}
	s.key("\x04")
	s.see("[3] detached\n")
	s.end()
}

// TestAnswers: no command is silent about what it did, or why it did nothing; long answers go through the pager.
func TestAnswers(t *testing.T) {
	s := open(t)
	for _, test := range []struct{ typed, says string }{
		{":", "a command follows the colon (:help lists them)"},
		{":wacth", "no command :wacth: did you mean :watch?"},
		{":help drop", ":drop N"},
		{":help :undo", ":undo"},
		{":help :wacth", "no command :wacth: did you mean :watch?"},
		{":doc", "a name is needed, such as :doc hist"},
		{":save 1 x.fst", `"1 x.fst" is no file name: :save FILE saves all entries`},
		{":only off", "(entries see all events)"},
		{":clear", "nothing runs"},
		{":explain", "nothing runs: say :explain PROGRAM, or :explain TOOL"},
		{":source", "say :source N, or :source TOOL"},
		{":forget @z", "there is no map @z"},
		{":self on", "(later entries trace what fst does, too)"},
		{":self off", "(later entries leave out what fst does)"},
		{":trace all", "(later entries see all processes)"},
		{`:only comm == "x"`, `(entries see only events with comm == "x")`},
		{":undo", "(entries see all events)"},
		{"opensnop -x", "no tool named opensnop: did you mean opensnoop?"},
		{"macro m(x) { x }", "macro m: known from now on"},
		{":undo", "macro m: as before"},
		{"{ for ($i : 1..40) { @k[$i] = $i; } }", ""},
		{"@k", "paged:@k[39]: 39"},
		{`interval:100s { @b["a // b"]++; /* r */ }`, "[1] interval:us:100000000"},
		{"@k | top 2", "@k[38]: 38"},
		{"@none top 2", "there is no map @none (there are @b, @k)"},
		{"@k[1] top", "  hint: end each statement with ';'"}, // and nothing about who uses @k
		{":type @k", "int64 by int64"},
		{":undo 2", ":undo takes no argument"},
		{":forget @b", "@b is in use by [1]"},
		{":oneliner", `fst -e 'interval:100s { @b["a // b"]++; }'`},
		{":forget", "@k: forgotten"},
		{":forget", "nothing to forget (entries use @b)"},
		{":help", "paged:  :quit              detach everything and leave (also Ctrl-D)"},
	} {
		before := strings.Count(s.text(), "\n")
		s.enter(test.typed)
		if lines := strings.Split(s.text(), "\n"); test.says != "" && !slices.Contains(lines[before:], test.says) {
			t.Errorf("%s: says\n%s\nwant %s", test.typed, strings.Join(lines[before:], "\n"), test.says)
		}
	}
	if strings.Contains(s.text(), "no running entry uses @k") {
		t.Error("a map that an error only shows is said to be in the way")
	}
}

// endless is an input of one text, again and again.
type endless string

func (e endless) Read(b []byte) (n int, err error) {
	for n+len(e) <= len(b) {
		n += copy(b[n:], e)
	}
	return n, nil
}
