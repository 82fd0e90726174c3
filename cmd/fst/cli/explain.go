package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"fst"
	"fst/compiler/reference"
	"fst/lang/parse"
	"fst/lang/printable"
	"fst/scripts"
	"fst/stdlib"
)

// measureTime is how long a program is measured if nothing else is said.
const measureTime = time.Second

// explain says in words what a program does, and measures it for a moment.
func (a *app) explain(words []string) int {
	name, text, code, done := a.readsProgram("explain", "explain needs -e 'PROGRAM', a file or a tool", words)
	if done {
		return code
	}
	inv := a.inv
	b, err := a.bounds()
	if err != nil {
		return a.fail(err)
	}
	defer b.close()
	o := a.compileOptions(name)
	o.Child = b.child
	missing := a.missingRights()
	x, err := compileExplained(text, o)
	if near, found := a.nearRecording(); err != nil && missing != nil && found {
		o.Kernel = near.kernel
		if other, otherErr := compileExplained(text, o); otherErr == nil {
			x, err = other, nil
			fmt.Fprintf(a.stdout, "(As the recorded kernel %s has it: this user may not look into the running one.)\n", near.name)
		}
	}
	if err != nil {
		return a.fail(err)
	}
	switch {
	case x.unmeasured != "":
	case inv.kernels != nil:
		x.unmeasured = "the program is compiled for a recorded kernel"
	case inv.dryRun:
		x.unmeasured = "--dry-run measures nothing"
	case missing != nil:
		x.unmeasured = missing.Error()
	}
	x.measure(b.ctx, time.Duration(inv.duration*float64(time.Second)), o)
	columns := 0
	if width := widthOf(a.stdout.Writer); width != nil {
		columns = width()
	}
	x.write(a.stdout, columns)
	return exitOK
}

// nearRecording is the recorded kernel that is nearest to the running one: the latest before it, or else the first.
func (a *app) nearRecording() (checkedKernel, bool) {
	var best checkedKernel
	var bestVersion int
	running := versionOf(a.kernel.Release())
	for _, dir := range a.recordingDirs() {
		files, _ := filepath.Glob(filepath.Join(dir, "*.zip"))
		for _, f := range files {
			name := strings.TrimSuffix(filepath.Base(f), ".zip")
			v := versionOf(name)
			if best.kernel != nil && !(v <= running && v > bestVersion) && !(v < bestVersion && bestVersion > running) {
				continue
			}
			if k, err := fst.OpenRecorded(f); err == nil {
				best, bestVersion = checkedKernel{name, k}, v
			}
		}
	}
	return best, best.kernel != nil
}

// versionOf is a kernel's version as a number by which versions can be compared; 0 if it has none.
func versionOf(release string) int {
	var major, minor int
	fmt.Sscanf(release, "%d.%d", &major, &minor)
	return major<<16 | minor
}

// explained is a program that is explained.
type explained struct {
	prog *fst.Program
	fst.Explanation
	// lacks are what the command line must have for the program to be run.
	lacks []string
	// unmeasured says why there are no costs; empty if there are.
	unmeasured string
	costs      []fst.ProbeCost
	// fired is how often each of Probes fired, if that is known; -1 otherwise.
	fired []int64
	took  time.Duration
}

// compileExplained compiles a program, and finds out what it may lack: the right to change the system, parameters.
func compileExplained(text string, o fst.Options) (*explained, error) {
	var first error
	for _, open := range []bool{false, true} {
		for _, unsafe := range []bool{false, true} {
			o.Params.Open, o.Unsafe = open, unsafe
			prog, err := fst.Compile(text, o)
			if err != nil {
				first = cmp.Or(first, err)
				continue
			}
			x := &explained{prog: prog, Explanation: prog.Explain()}
			if unsafe {
				x.lacks = append(x.lacks, "--unsafe, as it acts on the system")
			}
			if open {
				x.lacks = append(x.lacks, "parameters, which count as 1 here")
			}
			switch {
			case x.lacks != nil:
				x.unmeasured = "it needs " + strings.Join(x.lacks, ", and ")
			case x.Writes != nil:
				x.unmeasured = "it writes " + strings.Join(x.Writes, ", ")
			}
			return x, nil
		}
	}
	return nil, first
}

// measure runs the program for a time, and lets nobody see what it says.
func (x *explained) measure(ctx context.Context, d time.Duration, o fst.Options) {
	if x.unmeasured != "" {
		return
	}
	stop, err := fst.AccountCosts()
	if err != nil {
		x.unmeasured = err.Error()
		return
	}
	defer stop()
	count := x.count(ctx, o) // begins before a command does
	s, err := x.prog.Start(ctx, fst.RunOptions{Outputs: []fst.Output{{Writer: io.Discard}}, Maps: fst.MapsNever})
	if err != nil {
		count()
		x.unmeasured = err.Error()
		var script *fst.ScriptError
		if errors.As(err, &script) {
			x.unmeasured = script.Problems()[0].Message
		}
		return
	}
	defer s.Close()
	x.sample(ctx, s, d, count)
}

// sample takes the costs of a session over a time. count is what x.count returned.
func (x *explained) sample(ctx context.Context, s *fst.Session, d time.Duration, count func() []int64) {
	before, began := s.ProbeCosts(x.prog), time.Now()
	select {
	case <-s.Done():
	case <-ctx.Done():
	case <-time.After(cmp.Or(d, measureTime)):
	}
	x.took = time.Since(began)
	x.costs = s.ProbeCosts(x.prog)
	x.fired = count()
	for i := range x.costs {
		x.costs[i].Runs -= before[i].Runs
		x.costs[i].Took -= before[i].Took
		if !x.Probes[i].Wide {
			x.fired[i] = int64(x.costs[i].Runs)
		}
	}
}

// count begins to count how often those of Probes fire that are Wide, and returns what ends that and tells the
// numbers: -1 of others, and of probes that only the script itself knows.
func (x *explained) count(ctx context.Context, o fst.Options) func() []int64 {
	fired := slices.Repeat([]int64{-1}, len(x.Probes))
	var sessions []func()
	for i, u := range x.Probes {
		if !u.Wide {
			continue
		}
		o.Name, o.Form, o.Store, o.Child, o.Live, o.Params = "count", fst.Script, nil, nil, false, fst.Params{}
		prog, err := fst.Compile(strings.Join(u.Written, ", ")+" { @ = count(); }", o)
		if err != nil {
			continue
		}
		s, err := prog.Start(ctx, fst.RunOptions{Outputs: []fst.Output{{Writer: io.Discard}}, Maps: fst.MapsNever})
		if err != nil {
			continue
		}
		sessions = append(sessions, func() {
			defer s.Close()
			if m, err := s.Map("@"); err == nil {
				if n, ok, err := m.Get(); err == nil && ok {
					fmt.Sscan(fmt.Sprint(n), &fired[i])
				} else if err == nil {
					fired[i] = 0
				}
			}
		})
	}
	return func() []int64 {
		for _, end := range sessions {
			end()
		}
		return fired
	}
}

// write says it all, in lines of less than so many columns if that is not 0.
func (x *explained) write(out io.Writer, columns int) {
	say := func(head, text string) { io.WriteString(out, wrapped(head, printable.String(text), columns)) }
	for i, u := range x.Probes {
		say("", strings.Join(u.Written, ", "))
		line := func(what, text string) { say(fmt.Sprintf("  %-10s ", what+":"), text) }
		line("sees", meaning(u))
		line("attached", places(u))
		switch {
		case u.Once:
		case x.costs == nil:
			line("fires", "not measured: "+x.unmeasured)
		case x.fired[i] < 0:
			line("fires", "not measured: only the whole script knows this probe")
		case x.fired[i] == 0:
			line("fires", fmt.Sprintf("not once in %.1f s", x.took.Seconds()))
		default:
			line("fires", fmt.Sprintf("%s times a second (measured for %.1f s)", rate(float64(x.fired[i])/x.took.Seconds()), x.took.Seconds()))
		}
		line("costs", x.cost(i))
		line("stability", stability(u))
	}
	for _, m := range x.Maps {
		say("fills ", mapText(m))
	}
	if len(x.Does) > 0 {
		say("shows and does: ", strings.Join(x.Does, ", "))
	}
	if len(x.Writes) > 0 {
		say("writes ", strings.Join(x.Writes, ", "))
	}
	for i, r := range append(x.lacks, x.Rights...) {
		say(fmt.Sprintf("%-6s ", []string{"needs", ""}[min(i, 1)]), r)
	}
}

// narrow is a width below which what is said of something goes below its name.
const narrow = 40

// wrapped is a text behind what it is about, in lines of less than so many columns if that is not 0: they break between words.
func wrapped(head, text string, columns int) string {
	if columns == 0 || utf8.RuneCountInString(head+text) < columns {
		return head + text + "\n"
	}
	indent := strings.Repeat(" ", len(head))
	switch {
	case head == "":
		indent = "    "
	case columns < narrow:
		indent = "    "
		if head = strings.TrimRight(head, " "); head != "" {
			head += "\n"
		}
		head += indent
	}
	return head + scripts.Wrap(text, indent, columns-1)[len(indent):]
}

// meaning says in words when a probe fires.
func meaning(u fst.ProbeUse) string {
	var all []string
	for _, w := range u.Written {
		text := "a probe that the script declares"
		kind, _, _ := strings.Cut(w, ":")
		if p, ok := reference.FindProbe(w); ok {
			text = p.Summary
		} else if found := reference.Find(kind); !u.Declared && len(found) > 0 {
			text, _, _ = strings.Cut(found[0].Help, ". ")
			text, _, _ = strings.Cut(text, ", or with ")
		}
		if len(all) == 0 || all[len(all)-1] != text {
			all = append(all, text)
		}
	}
	return strings.Join(all, "; ")
}

// maxPlaces is how many places are named.
const maxPlaces = 6

func places(u fst.ProbeUse) string {
	if u.Once {
		return "to nothing: it runs once"
	}
	by := "by " + strings.Join(u.Mechanisms, ", ")
	text := ""
	switch n := len(u.Places); {
	case n == 1 && slices.Equal(u.Places, u.Written):
		return by
	case n == 1:
		text = u.Places[0]
	case n > maxPlaces:
		text = fmt.Sprintf("%d places: %s and %d more", n, strings.Join(u.Places[:maxPlaces], ", "), n-maxPlaces)
	default:
		text = fmt.Sprintf("%d places: %s", n, strings.Join(u.Places, ", "))
	}
	return text + "; " + by
}

// What an instruction is taken to cost, in nanoseconds, where nothing was measured: programs had 1, where events are
// many, to 10, where they are few and caches cold, with what they call in the kernel.
const nsLeast, nsMost = 1, 10

func (x *explained) cost(i int) string {
	u := x.Probes[i]
	length := fmt.Sprintf("%d instructions", u.Instructions)
	if u.Loops {
		length += ", and loops"
	}
	if x.costs != nil && x.costs[i].Runs > 0 {
		c := x.costs[i]
		each := "each time"
		if u.Wide {
			each = fmt.Sprintf("for each of %s runs a second (its programs run for other events, too)", rate(float64(c.Runs)/x.took.Seconds()))
		}
		return fmt.Sprintf("%.0f ns %s, %.2g%% of a CPU; %s. The kernel measured that, without what it takes to call the programs",
			float64(c.Took)/float64(c.Runs), each, 100*c.Took.Seconds()/x.took.Seconds(), length)
	}
	return fmt.Sprintf("some %d to %d ns each time (an estimate: %d to %d ns for each of %s)", u.Instructions*nsLeast, u.Instructions*nsMost, nsLeast, nsMost, length)
}

// rate is a number a second as people write it.
func rate(n float64) string {
	if n >= 100 {
		return strconv.FormatFloat(n, 'f', 0, 64)
	}
	return strconv.FormatFloat(n, 'g', 3, 64)
}

// stability says what another kernel, or another build of a program, may change.
func stability(u fst.ProbeUse) string {
	if u.Declared {
		return "stable: the same fields and numbers on every kernel from 5.10 to 7.2"
	}
	text := ""
	for _, w := range u.Written {
		kind, rest, _ := strings.Cut(w, ":")
		kind, _ = parse.Provider(kind)
		found := reference.Find(kind)
		if len(found) == 0 || kind == "tracepoint" && (strings.HasPrefix(rest, "syscalls:") || strings.HasPrefix(rest, "raw_syscalls:")) {
			continue
		}
		text = cmp.Or(text, found[0].Stability)
	}
	if text == "" {
		return "stable"
	}
	if len(u.Static) > 0 {
		text += ". Static, so that the next build may inline it: " + strings.Join(u.Static[:min(len(u.Static), maxPlaces)], ", ")
	}
	if f := families(u); f != nil {
		text += ". Stable probes made of it: " + strings.Join(f, ", ") + " (fst doc " + strings.TrimSuffix(f[0], ":") + ")"
	}
	return text
}

// families are those of the standard library whose probes are attached to the same event or function.
func families(u fst.ProbeUse) (list []string) {
	if len(u.Places) > maxPlaces {
		return nil
	}
	for _, family := range stdlib.Families() {
		_, text, _ := stdlib.Source(family)
		for _, p := range u.Places {
			name := p[strings.LastIndexByte(p, ':')+1:]
			if regexp.MustCompile(`[a-z]:(\w+:)?` + regexp.QuoteMeta(name) + `\b`).MatchString(text) {
				list = append(list, family+":")
				break
			}
		}
	}
	return list
}

func mapText(m fst.MapUse) string {
	if m.Key == nil {
		return fmt.Sprintf("%s: %s", m.Name, m.Value)
	}
	return fmt.Sprintf("%s[%s]: %s, at most %d keys (%d KiB)", m.Name, strings.Join(m.Key, ", "), m.Value, m.Keys, (m.Bytes+1023)/1024)
}
