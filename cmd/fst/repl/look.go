package repl

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// maxStats is how long :stats may measure, in seconds.
const maxStats = 60

// stats measures for a while what each entry costs.
func (l *loop) stats(arg string) bool {
	seconds := 1.0
	if arg != "" {
		n, err := strconv.ParseFloat(strings.TrimSuffix(arg, "s"), 64)
		if err != nil || !(n > 0 && n <= maxStats) {
			l.refuse("say :stats [SECONDS], up to %d", maxStats)
			return false
		}
		seconds = n
	}
	l.mu.Lock()
	entries := slices.Clone(l.entries)
	l.mu.Unlock()
	if len(entries) == 0 {
		l.out.printf("nothing runs\n")
		return false
	}
	stop, err := l.engine.Account()
	if err != nil {
		l.say(err)
		return false
	}
	defer stop()
	type cost struct {
		runs uint64
		took time.Duration
	}
	before := make([]cost, len(entries))
	for i, e := range entries {
		before[i].runs, before[i].took = e.running.Cost()
	}
	began := time.Now()
	var ends <-chan struct{}
	if i, ok := l.prompter.(Interrupter); ok {
		ends = i.Interrupted()
	}
	select {
	case <-ends: // what was measured so far
		l.out.printf("\n") // behind ^C
	case <-time.After(time.Duration(seconds * float64(time.Second))):
	}
	past := time.Since(began)
	var b strings.Builder
	for i, e := range entries {
		runs, took := e.running.Cost()
		if runs < before[i].runs {
			continue // it has ended meanwhile
		}
		b.WriteString(costLine(e.number, runs-before[i].runs, took-before[i].took, past))
	}
	l.out.printf("%s", b.String())
	return false
}

// costLine tells what an entry has cost in a time. A call is two runs of its programs.
func costLine(number int, runs uint64, took, past time.Duration) string {
	if runs == 0 {
		return fmt.Sprintf("[%d] did not run in %.1f s\n", number, past.Seconds())
	}
	return fmt.Sprintf("[%d] %.0f runs/s, %d ns each, %.2g%% of a CPU\n", number, float64(runs)/past.Seconds(),
		uint64(took)/runs, 100*took.Seconds()/past.Seconds())
}

// explain says in words what an entry does, the latest if none is named, or a text.
func (l *loop) explain(arg string) bool {
	l.mu.Lock()
	if n := len(l.entries); arg == "" && n > 0 {
		arg = strconv.Itoa(l.entries[n-1].number)
	}
	l.mu.Unlock()
	var of Running
	if arg == "" {
		l.refuse("nothing runs: say :explain PROGRAM, or :explain TOOL")
		return false
	}
	if _, err := strconv.Atoi(strings.Trim(arg, "[]")); err == nil {
		e := l.named("explain", arg)
		if e == nil {
			return false
		}
		of, arg = e.running, e.text
	}
	own, _ := l.engine.Definitions(arg)
	columns := 0
	if l.screen.size != nil {
		columns = l.columns()
	}
	var b strings.Builder
	if err := l.engine.Explain(&b, columns, arg, textOf(l.others(own)), of); err != nil {
		l.say(err)
		return false
	}
	l.page(b.String())
	return false
}

// source shows the text of an entry, or of a tool.
func (l *loop) source(arg string) bool {
	if arg == "" {
		l.refuse("say :source N, or :source TOOL")
		return false
	}
	if _, err := strconv.Atoi(strings.Trim(arg, "[]")); err == nil {
		e := l.named("source", arg)
		switch {
		case e == nil:
			return false
		case !l.engine.IsTool(e.text):
			l.out.printf("%s\n", e.text)
			return false
		}
		arg = strings.Fields(strings.TrimPrefix(e.text, "fst "))[0]
	}
	var b strings.Builder
	if err := l.engine.Source(&b, arg); err != nil {
		l.say(err)
		return false
	}
	l.page(b.String())
	return false
}

// again has the text that was entered last changed, and enters it.
func (l *loop) again(string) bool {
	_, ok := l.prompter.(Editor)
	switch {
	case !ok:
		l.refuse("there is no terminal to edit on")
		return false
	case l.latest == "":
		l.refuse("nothing was entered yet")
		return false
	}
	text, err := l.changedByProgram(l.latest)
	if errors.Is(err, errNoProgram) {
		text, err = l.askChanged(firstPrompt, l.latest)
	} else if err != nil {
		l.say(err)
	}
	if text = strings.TrimSpace(text); err != nil || text == "" {
		return false
	}
	l.prompter.Remember(text)
	return l.do(text)
}

// errNoProgram is the error of ProgramEditor where no program is set, or none can be shown.
var errNoProgram = errors.New("no program that edits")

// ProgramEditor is a Prompter that can have a text be changed by the user's own program.
type ProgramEditor interface {
	EditByProgram(text string) (string, error)
}

// changedByProgram has a text be changed by $VISUAL or $EDITOR.
func (l *loop) changedByProgram(text string) (changed string, err error) {
	p, ok := l.prompter.(ProgramEditor)
	if !ok || !l.screen.edits() {
		return "", errNoProgram
	}
	l.screen.leave(func() { changed, err = p.EditByProgram(text) })
	return changed, err
}

// shell runs a command, whose output is shown as that of the prompt.
func (l *loop) shell(command string) bool {
	if command == "" {
		l.refuse("a command is needed, such as :shell uptime")
		return false
	}
	c := exec.Command("sh", "-c", command)
	c.Stdout, c.Stderr = l.out, l.out
	c.Env = os.Environ()
	err := c.Run()
	if c.ProcessState != nil && c.ProcessState.Sys().(syscall.WaitStatus).Signal() == syscall.SIGINT {
		l.out.printf("\n") // behind ^C
	} else if err != nil {
		l.say(err)
	}
	return false
}

// showType tells the type of the expression that a text ends in, and its members.
func (l *loop) showType(text string) bool {
	if text == "" {
		l.refuse("an expression is needed, such as :type curtask->mm")
		return false
	}
	if named := nameWords().FindString(text); isMap(text) {
		known := l.mapNames("")
		i := slices.IndexFunc(known, func(c Candidate) bool { return c.Text == named })
		if i < 0 {
			l.refuse("there is no map %s", named)
			return false
		}
		if named == text {
			l.out.printf("%s\n", known[i].Help)
			return false
		}
	}
	name, members := l.engine.TypeOf("("+text+")", textOf(l.definitions))
	if name == "" { // not a value alone
		name, members = l.engine.TypeOf(text, textOf(l.definitions))
	}
	if name == "" {
		l.refuse("no type is known of what ends there: say a value such as curtask->mm, or the beginning of a program that ends in one")
		return false
	}
	width := 0
	for _, m := range members {
		width = max(width, len(m.Text))
	}
	var b strings.Builder
	b.WriteString(name + "\n")
	for _, m := range members {
		fmt.Fprintf(&b, "  %-*s  %s\n", width, m.Text, m.Help)
	}
	l.page(b.String())
	return false
}

// show shows what an entry has written last, also if it has ended.
func (l *loop) show(arg string) bool {
	number, err := strconv.Atoi(strings.Trim(arg, "[]"))
	if err != nil {
		l.refuse("the number of an entry is needed: :show N")
		return false
	}
	var of *source
	for _, e := range l.written {
		if e.number == number {
			of = e.out
		}
	}
	if of == nil {
		l.refuse("nothing is kept of an entry %d", number)
		return false
	}
	text := of.latest()
	if len(text) == 0 {
		l.out.printf("[%d] has written nothing\n", number)
		return false
	}
	l.page(string(text))
	return false
}

// maxWritten is of how many entries the output is kept.
const maxWritten = 20

// Pager is a Prompter that can show a text that is longer than its screen, by a program of its own.
type Pager interface {
	// Page reports whether that was possible.
	Page(text string) bool
}

// page shows a text, by a pager if it is longer than the screen.
func (l *loop) page(text string) {
	if l.screen.edits() {
		_, rows := l.screen.size()
		if p, ok := l.prompter.(Pager); ok && strings.Count(text, "\n") >= rows {
			shown := false
			l.screen.leave(func() { shown = p.Page(text) })
			if shown {
				return
			}
		}
	}
	l.out.printf("%s", text)
}
