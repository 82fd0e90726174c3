package hostile

import (
	"bytes"
	"cmp"
	"context"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"fst"

	"golang.org/x/sys/unix"

	"fst/tests/program"
)

const (
	count = 1000 // names
	execs = 100  // of them that are arguments, too
)

// play uses each name as that of a file and of a thread, and some as arguments of a command.
func play(t *testing.T, dir string, names []string) {
	t.Helper()
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	before := make([]byte, 16)
	unix.Prctl(unix.PR_GET_NAME, pointer(before), 0, 0, 0)
	defer unix.Prctl(unix.PR_SET_NAME, pointer(before), 0, 0, 0)
	for i, name := range names {
		unix.Prctl(unix.PR_SET_NAME, pointer(append([]byte(name), 0)), 0, 0, 0)
		fd, err := unix.Open(dir+"/"+name, unix.O_CREAT|unix.O_WRONLY|unix.O_CLOEXEC, 0o600)
		if err != nil {
			t.Fatalf("%q: %v", name, err)
		}
		unix.Write(fd, []byte("\x1b[2J\x00\xff\n"))
		unix.Close(fd)
		unix.Stat(dir+"/"+name, new(unix.Stat_t))
		if i < execs {
			if err := exec.Command(filepath.Join(dir, "true"), name).Run(); err != nil {
				t.Fatal(err)
			}
		}
		time.Sleep(200 * time.Microsecond) // what is lost can't be checked
	}
}

func hostileDir(t *testing.T) string {
	t.Helper()
	if testing.Short() || os.Geteuid() != 0 {
		t.Skip("traces as root, for some seconds")
	}
	dir := t.TempDir()
	true_, err := exec.LookPath("true")
	if err != nil {
		t.Skip(err)
	}
	if err := os.Symlink(true_, filepath.Join(dir, "true")); err != nil {
		t.Fatal(err)
	}
	return dir
}

// trace runs a script while the names are used, and returns what it says.
func trace(t *testing.T, dir string, names []string, format, script string) (out, errs string) {
	t.Helper()
	open := fmt.Sprintf("tracepoint:syscalls:sys_enter_openat /pid == %d && strncmp(str(args.filename), %q, %d) == 0/", os.Getpid(), dir+"/", len(dir)+1)
	script = strings.NewReplacer("OPENED", open, "DIR", dir).Replace("config = { max_strlen = 512 }\n" + script)
	prog, err := fst.Compile(script, fst.Options{})
	if err != nil {
		t.Fatal(err)
	}
	var stdout, stderr bytes.Buffer
	ctx, end := context.WithCancel(context.Background())
	defer end()
	session, err := prog.Start(ctx, fst.RunOptions{Outputs: []fst.Output{{Writer: &stdout, Format: format, Apart: true}}, Log: fst.Log{Writer: &stderr, Warnings: true}})
	if err != nil {
		t.Fatal(err)
	}
	play(t, dir, names)
	end()
	if _, err := session.Wait(); err != nil {
		t.Fatal(err)
	}
	session.Close()
	if strings.Contains(stderr.String(), "lost") {
		t.Fatalf("events were lost: %s", stderr.String())
	}
	return stdout.String(), stderr.String()
}

// everything shows names in all ways.
const everything = `OPENED {
	$f = str(args.filename);
	printf("%s|%-40s|%.20s|%c|%r|%rw\n", $f, comm, $f, *uptr((uint8 *)args.filename + strlen("DIR/")), $f, $f);
	print($f);
	print(($f, comm));
	print((file = $f, comm = comm));
	row("COMM %-16s FILE %s", comm, $f);
	errorf("%s", $f);
	warnf("%s", $f);
	@[$f, comm] = count();
	@hist[$f] = hist(1);
}
OPENED
tracepoint:syscalls:sys_enter_execve /str(args.filename) == "DIR/true"/ { join(args.argv); cat("/proc/self/root%s/%s", "DIR", str(args.argv[1])); }
`

func lines(text string) (list []string) {
	for line := range strings.Lines(text) {
		list = append(list, strings.TrimSuffix(line, "\n"))
	}
	return list
}

func checkText(t *testing.T, what, text string) {
	t.Helper()
	if fault := Fault(text); fault != "" {
		t.Errorf("%s has %s", what, fault)
	}
}

func checkCount(t *testing.T, what string, got, want int) {
	t.Helper()
	if got != want {
		t.Errorf("%s: %d, want %d", what, got, want)
	}
}

func TestText(t *testing.T) {
	dir := hostileDir(t)
	out, errs := trace(t, dir, Names(count), "text", everything)
	checkText(t, "the output", out)
	checkText(t, "the error stream", errs)
	// Six lines for each event and the heading, two for each command, two blank ones, one
	// for each key, three for each chart.
	checkCount(t, "lines", len(lines(out)), 6*count+1+2*execs+2+count+3*count)
	checkCount(t, "lines of errorf and warnf", strings.Count(errs, dir), 2*count)
	for _, line := range lines(errs) {
		// Whatever else this machine runs may have names that can't be read.
		if !strings.Contains(line, dir) && !strings.Contains(line, "failed; 0 was used") {
			t.Errorf("a line was made up: %s", line)
		}
	}
	for _, line := range lines(out) {
		if strings.HasPrefix(line, "12:00:00") || strings.HasPrefix(line, "@[forged") {
			t.Errorf("a line was made up: %s", line)
		}
	}
}

func TestJSON(t *testing.T) {
	dir := hostileDir(t)
	names := Names(count)
	out, errs := trace(t, dir, names, "json", everything)
	checkText(t, "the output", out)
	checkText(t, "the error stream", errs)
	checkCount(t, "lines", len(lines(out)), 8*count+2*execs+2)
	var printed, keys []string
	for _, line := range lines(out) {
		var record struct {
			Type string
			Data json.RawMessage
		}
		if err := json.Unmarshal([]byte(line), &record); err != nil {
			t.Fatalf("%v: %s", err, line)
		}
		var text string
		if record.Type == "value" && json.Unmarshal(record.Data, &text) == nil {
			printed = append(printed, restore(text))
		}
		if record.Type == "hist" {
			var m map[string]map[string]any
			if err := json.Unmarshal(record.Data, &m); err != nil {
				t.Fatal(err)
			}
			for key := range m["@hist"] {
				keys = append(keys, restore(key))
			}
		}
	}
	var want []string
	for _, name := range names {
		want = append(want, dir+"/"+name)
	}
	if !slices.Equal(printed, want) {
		t.Error("the texts are not the names")
	}
	slices.Sort(keys)
	slices.Sort(want)
	if !slices.Equal(keys, want) {
		t.Error("the keys are not the names")
	}
}

var escapes = regexp.MustCompile(`(\\+)x([89a-f][0-9a-f])`)

// restore gives back the bytes of a text in JSON, as docs/language.md says.
func restore(text string) string {
	return escapes.ReplaceAllStringFunc(text, func(s string) string {
		m := escapes.FindStringSubmatch(s)
		half := m[1][:len(m[1])/2]
		if len(m[1])%2 == 0 {
			return half + "x" + m[2]
		}
		n, _ := strconv.ParseUint(m[2], 16, 8)
		return half + string([]byte{byte(n)})
	})
}

// influxPoint begins a line of what the script prints: a map's or an event's, a value, or a tuple that begins with a path.
var influxPoint = regexp.MustCompile(`^script(,| (value|f|file)[_=])`)

func TestInflux(t *testing.T) {
	dir := hostileDir(t)
	out, errs := trace(t, dir, Names(count), "influx", everything)
	checkText(t, "the output", out)
	checkText(t, "the error stream", errs)
	points := 0
	for _, line := range lines(out) {
		if strings.HasPrefix(line, "# ") {
			continue
		}
		points++
		if !influxPoint.MatchString(line) {
			t.Errorf("a line was made up: %s", line)
		}
	}
	points -= strings.Count(out, "kind=read_failed")
	checkCount(t, "points", points, 5*count+2*count)
	checkCount(t, "comments", strings.Count("\n"+out, "\n# "), count+2*execs)
}

func TestCSV(t *testing.T) {
	dir := hostileDir(t)
	out, errs := trace(t, dir, Names(count), "csv", "OPENED { @[str(args.filename + strlen(\"DIR/\")), comm] = count(); }")
	checkText(t, "the output", strings.ReplaceAll(out, "\r\n", "\n"))
	checkText(t, "the error stream", errs)
	if n := strings.Count(out, "\n"); n != strings.Count(out, "\r\n") || n != len(lines(out)) {
		t.Errorf("%d of %d lines end with CR LF", strings.Count(out, "\r\n"), n)
	}
	table, err := csv.NewReader(strings.NewReader(out)).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	formula := regexp.MustCompile(`^[=+@-].*[^0-9.]`)
	total := 0
	for _, record := range table[1:] {
		n, err := strconv.Atoi(record[len(record)-1])
		if err != nil || len(record) != 4 || formula.MatchString(record[1]) || formula.MatchString(record[2]) {
			t.Errorf("%q", record)
		}
		total += n
	}
	checkCount(t, "calls", total, count)
}

func TestFolded(t *testing.T) {
	dir := hostileDir(t)
	out, errs := trace(t, dir, Names(count), "folded", "OPENED { @[str(args.filename), kstack(3)] = count(); print(comm); }")
	checkText(t, "the output", out)
	checkText(t, "the error stream", errs)
	checkCount(t, "lines on the error stream", len(lines(errs)), count)
	// A ';' is a ':', so that some of the names may be one.
	total := 0
	for _, line := range lines(out) {
		n, err := strconv.Atoi(line[strings.LastIndexByte(line, ' ')+1:])
		if err != nil || !strings.HasPrefix(line, dir) {
			t.Errorf("a line was made up: %s", line)
		}
		total += n
	}
	checkCount(t, "calls", total, count)
}

// tools are those that show names of files, threads or functions, or arguments; PID is this process. Those that this
// kernel cannot run are left out.
var tools = []string{
	"opensnoop -p PID", "opensnoop -F -p PID", "statsnoop -p PID", "execsnoop", "exitsnoop", "threadsnoop -p PID", "filetop -p PID",
	"filelife", "fileslower -p PID --min 0", "fsslower FS -p PID --min 0", "syscount -P -p PID", "syserr -b -p PID", "waits -p PID", "loads",
	"trace -p PID tracepoint:syscalls:sys_enter_openat",
	"dcsnoop -a", "runqslower -p PID --min 0", "offcputime -p PID", "cpudist -P -p PID", "runqlat -P -p PID", "cachefill -p PID",
	"iotop", "biosnoop", "biotop", "bitesize", "readahead --files -p PID", "capable -p PID", "syncsnoop -p PID", "pidpersec", "profile",
	"slabratetop -b", "wakeuptime", "offwaketime -p PID", "stackcount -p PID vfs_open", "funcslower -p PID --min 0 vfs_open", "filegone", "mountsnoop",
}

// formats are the forms of output that each tool is asked for besides text.
var formats = []string{"json", "influx", "csv", "folded"}

// TestTools runs fst of $FST, or builds it.
func TestTools(t *testing.T) {
	dir := hostileDir(t)
	path := os.Getenv("FST")
	if path == "" {
		var err error
		if path, err = program.Build(dir); err != nil {
			t.Fatal(err)
		}
	}
	var fs unix.Statfs_t
	if err := unix.Statfs(dir, &fs); err != nil {
		t.Fatal(err)
	}
	fstype := map[int64]string{unix.TMPFS_MAGIC: "tmpfs", unix.XFS_SUPER_MAGIC: "xfs", unix.BTRFS_SUPER_MAGIC: "btrfs"}[fs.Type]
	type run struct {
		tool         string
		cmd          *exec.Cmd
		stdout, errs bytes.Buffer
	}
	results := t.TempDir()
	var runs []*run
	for i, tool := range tools {
		tool = strings.NewReplacer("PID", strconv.Itoa(os.Getpid()), "FS", cmp.Or(fstype, "ext4")).Replace(tool)
		r := &run{tool: tool}
		var args []string
		for _, form := range formats {
			args = append(args, "--also", fmt.Sprintf("%s=%s/%d.%s", form, results, i, form))
		}
		r.cmd = exec.Command(path, append(args, strings.Fields(tool)...)...)
		r.cmd.Stdout, r.cmd.Stderr = &r.stdout, &r.errs
		if err := r.cmd.Start(); err != nil {
			t.Fatal(err)
		}
		runs = append(runs, r)
	}
	time.Sleep(5 * time.Second) // one that is attached only later sees fewer of the names
	names := Names(400)
	play(t, dir, names)
	for _, r := range runs {
		r.cmd.Process.Signal(os.Interrupt)
	}
	ran := 0
	for i, r := range runs {
		if err := r.cmd.Wait(); err != nil {
			if strings.Contains(r.errs.String(), "usage of") {
				t.Errorf("%s: %s", r.tool, r.errs.String())
			}
			continue // not on this kernel
		}
		ran++
		checkText(t, r.tool, r.stdout.String())
		checkText(t, r.tool+" on the error stream", strings.ReplaceAll(r.errs.String(), "\n\t", "\n")) // a script's line
		checkLines(t, r.tool, r.stdout.String())
		isWhole := strings.Contains(r.stdout.String(), `b\x01e`) && !strings.Contains(r.errs.String(), "lost")
		if strings.HasPrefix(r.tool, "opensnoop -p") && isWhole {
			checkCount(t, r.tool+": names", strings.Count(r.stdout.String(), dir), len(names))
		}
		t.Logf("%s: %d lines, %d bytes", r.tool, len(lines(r.stdout.String())), r.stdout.Len())
		for _, form := range formats {
			data, err := os.ReadFile(fmt.Sprintf("%s/%d.%s", results, i, form))
			if err != nil {
				t.Fatal(err)
			}
			checkForm(t, r.tool+" as "+form, form, string(data))
		}
	}
	if ran == 0 {
		t.Error("no tool ran")
	}
}

// checkLines looks for lines that a name would have made up.
func checkLines(t *testing.T, what, text string) {
	t.Helper()
	for _, line := range lines(text) {
		if strings.HasPrefix(line, "12:00:00 root") || strings.HasPrefix(line, "@[forged]") || strings.HasPrefix(line, "main;forged") || strings.HasPrefix(line, "fst,forged") {
			t.Errorf("%s: a line was made up: %s", what, line)
		}
	}
}

// checkForm reads what a tool wrote in one of the formats.
func checkForm(t *testing.T, what, form, text string) {
	t.Helper()
	if form == "csv" {
		text = strings.ReplaceAll(text, "\r\n", "\n")
		if strings.Contains(text, ",") {
			reader := csv.NewReader(strings.NewReader(text))
			reader.FieldsPerRecord = -1
			if _, err := reader.ReadAll(); err != nil {
				t.Errorf("%s: %v", what, err)
			}
		}
	}
	checkText(t, what, text)
	checkLines(t, what, text)
	for _, line := range lines(text) {
		if form == "json" && !json.Valid([]byte(line)) || form == "influx" && !strings.HasPrefix(line, "# ") && !influxLine.MatchString(line) {
			t.Errorf("%s: not %s: %s", what, form, line)
		}
	}
}

// influxLine is a line of the line protocol: a measurement and tags, fields, a time.
var influxLine = regexp.MustCompile(`^(?:[^ \\\n]|\\.)+ (?:[^ "\\\n]|\\.|"(?:[^"\\]|\\.)*")+ [0-9]+$`)
