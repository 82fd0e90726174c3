package repl

import (
	"cmp"
	"errors"
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"
	"syscall"

	"fst/lang/diag"
	"fst/scripts"
)

// command is one row of the table: help, completion and dispatch read it.
type command struct {
	name  string
	usage string
	help  string
	takes takes
	run   func(l *loop, arg string) (quit bool)
}

// takes is what a command takes, for completion.
type takes int

const (
	takesNothing takes = iota
	takesEntry
	takesEntryText // an entry and a program
	takesEntryOrTool
	takesEntryOrProgram
	takesProgram
	takesProbe
	takesMap
	takesFile
	takesName
	takesSwitch
	takesProcess
)

// commands is the table of the prompt's commands. It is a function because
// :help reads it too.
func commands() []command {
	return []command{
		{"help", "[NAME]", "show this text, or describe a command, a built-in, a kind of probe, a setting", takesName, (*loop).help},
		{"list", "", "show what runs and what is defined", takesNothing, (*loop).list},
		{"probes", "PATTERN", "list the probes that match", takesProbe, (*loop).probes},
		{"watch", "@MAP|off", "show a map in place, with its latest changes: [top N] [every SECONDS]", takesMap, (*loop).watch},
		{"fields", "PROBE", "list what a probe has: its arguments, with types", takesProbe, (*loop).fields},
		{"type", "EXPRESSION", "show the type of a value, and its members: of curtask->mm, or of the end of a program, as in :type io:done { args", takesProgram, (*loop).showType},
		{"drop", "N", "detach entry N and show its maps", takesEntry, (*loop).drop},
		{"edit", "N", "change the text of entry N while its maps live on", takesEntry, (*loop).edit},
		{"replace", "N TEXT", "run a text in place of entry N", takesEntryText, (*loop).replace},
		{"stats", "[SECONDS]", "measure what each entry costs, for a second or longer", takesNothing, (*loop).stats},
		{"explain", "[N|TEXT]", "say in words what an entry or a text does, how often its probes fire, what it costs and needs", takesEntryOrProgram, (*loop).explain},
		{"source", "N|TOOL", "show the whole text of an entry or a tool", takesEntryOrTool, (*loop).source},
		{"doc", "NAME", "describe a built-in, a kind of probe, a setting", takesName, (*loop).doc},
		{"again", "", "edit the last text, in $VISUAL or $EDITOR if one is set, and enter it", takesNothing, (*loop).again},
		{"show", "N", "show what entry N has written last, through $PAGER if it is long; also if it has ended", takesEntry, (*loop).show},
		{"shell", "COMMAND", "run a command of the shell", takesFile, (*loop).shell},
		{"pause", "N", "let entry N see no events", takesEntry, (*loop).pause},
		{"resume", "N", "let it see events again", takesEntry, (*loop).resume},
		{"undo", "", "take back the last command that changed what runs or is defined; maps stay as they are", takesNothing, (*loop).undo},
		{"forget", "[@MAP]", "drop all definitions, and the maps that nothing uses; or one map", takesMap, (*loop).forget},
		{"clear", "", "detach everything and show the maps", takesNothing, (*loop).clear},
		{"save", "FILE", "write what runs to a script with a header, which must be a new file", takesFile, (*loop).saveTo},
		{"load", "FILE", "enter the text of a script", takesFile, (*loop).load},
		{"oneliner", "", "show what runs as one line for a shell", takesNothing, (*loop).oneLiner},
		{"trace", "PID|all", "limit later entries to a process", takesProcess, (*loop).trace},
		{"only", "FILTER|all", "filter the events of all entries, as in :only comm == \"x\"", takesProgram, (*loop).setOnly},
		{"self", "on|off", "trace what fst itself does, too, in later entries (off at first)", takesSwitch, (*loop).self},
		{"hints", "on|off", "show colours, hints (Right or End takes one) and errors while a line is edited (off at first with NO_COLOR)", takesSwitch, (*loop).hints},
		{"quit", "", "detach everything and leave (also Ctrl-D)", takesNothing, func(*loop, string) bool { return true }},
	}
}

// findCommand finds a command by its name or by a beginning that only it has. The error says what was meant, perhaps.
func findCommand(name string) (*command, error) {
	var found []command
	var names []string
	for _, c := range commands() {
		if c.name == name {
			return &c, nil
		}
		names = append(names, c.name)
		if strings.HasPrefix(c.name, name) {
			found = append(found, c)
		}
	}
	switch {
	case name == "":
		return nil, errors.New("a command follows the colon (:help lists them)")
	case len(found) == 1:
		return &found[0], nil
	case len(found) > 1:
		var meant []string
		for _, c := range found {
			meant = append(meant, ":"+c.name)
		}
		return nil, fmt.Errorf(":%s may be %s", name, strings.Join(meant, ", "))
	}
	if near := diag.Nearest(name, names); near != "" {
		return nil, fmt.Errorf("no command :%s: did you mean :%s?", name, near)
	}
	return nil, fmt.Errorf("no command :%s (:help lists them)", name)
}

func (l *loop) help(name string) bool {
	if name != "" {
		word, isCommand := strings.CutPrefix(name, ":")
		c, err := findCommand(word)
		switch {
		case err == nil && (isCommand || c.name == word):
			l.out.printf("%s\n  %s\n", strings.TrimSpace(":"+c.name+" "+c.usage), c.help)
		case isCommand:
			l.say(err)
		default:
			l.doc(name)
		}
		return false
	}
	columns, column := l.columns(), 0 // where the meanings begin
	for _, c := range commands() {
		column = max(column, len(c.name+" "+c.usage)+5)
	}
	if columns < 2*column {
		column = 4
	}
	var b strings.Builder
	for _, line := range []string{"A clause (probe /filter/ { action }) is attached and runs on.",
		"Statements and values alone, such as 1 + 2, run once. A tool is started as in the shell: biolatency -D 1.",
		"What ends, or is dropped, shows its maps. What fst itself does is left out.",
		"Macros, types and settings are kept for what is entered later.",
		"Entries share their maps, which stay until they are forgotten; @name or @name[key] shows one as it is now, @name top 5 the largest of it.",
		"The command of fst -c COMMAND runs once the first clause is attached; clauses that are attached while it runs end with it.",
		"Those of fst -p PID end with that process.",
		"Tab completes, Ctrl-R searches what was entered before."} {
		b.WriteString(scripts.Wrap(line, "", columns-1))
	}
	for _, c := range commands() {
		scripts.EntryAt(&b, strings.TrimSpace(":"+c.name+" "+c.usage), c.help, column, columns-1)
	}
	l.page(b.String())
	return false
}

// doc describes a word of the language.
func (l *loop) doc(name string) bool {
	if strings.HasPrefix(name, ":") {
		return l.help(name)
	}
	if name == "" {
		l.refuse("a name is needed, such as :doc hist")
		return false
	}
	var b strings.Builder
	if !l.engine.Doc(&b, name) {
		l.failed = true
	}
	l.out.printf("%s", b.String())
	return false
}

// columns is how wide the terminal is.
func (l *loop) columns() int {
	if l.screen.size == nil {
		return 80
	}
	columns, _ := l.screen.size()
	return columns
}

// firstLine is the first line of a program that is no remark.
func firstLine(text string) string {
	for line := range strings.Lines(text) {
		if line = strings.TrimSpace(line); line != "" && !strings.HasPrefix(line, "#!") && !strings.HasPrefix(line, "//") {
			return line
		}
	}
	return text
}

func (l *loop) list(string) bool {
	l.mu.Lock()
	var b strings.Builder
	entries := slices.Clone(l.entries) // the order is that of their starts
	slices.SortStableFunc(entries, func(a, b *entry) int { return cmp.Compare(a.number, b.number) })
	for _, e := range entries {
		first := firstLine(e.text)
		if first != e.text {
			first += " ..."
		}
		if e.paused {
			first += "  (paused)"
		}
		fmt.Fprintf(&b, "[%d] %s%s\n", e.number, first, listed("  ", e.running.Maps(), ""))
	}
	l.mu.Unlock()
	for _, d := range l.definitions {
		fmt.Fprintf(&b, "defined: %s\n", strings.Join(d.names, ", "))
	}
	if l.only != "" {
		fmt.Fprintf(&b, "only: %s\n", l.only)
	}
	b.WriteString(listed("maps: ", l.allMaps(), "\n"))
	if b.Len() == 0 {
		b.WriteString("nothing runs\n")
	}
	l.page(b.String())
	return false
}

func (l *loop) probes(pattern string) bool {
	if pattern == "" {
		l.refuse("a pattern is needed, such as :probes tracepoint:sched:*")
		return false
	}
	l.listProbes(pattern, false)
	return false
}

func (l *loop) fields(probe string) bool {
	if probe == "" {
		l.refuse("a probe is needed, such as :fields syscall:openat")
		return false
	}
	l.listProbes(probe, true)
	return false
}

func (l *loop) listProbes(pattern string, fields bool) {
	var b strings.Builder
	if err := l.engine.List(&b, pattern, fields); err != nil {
		l.say(err)
	} else if b.Len() == 0 {
		l.refuse("no probe matches")
	}
	l.page(b.String())
}

func (l *loop) drop(arg string) bool {
	if e := l.named("drop", arg); e != nil {
		l.detach(e)
	}
	return false
}

// named finds the entry with a number, or says that there is none.
func (l *loop) named(command, number string) *entry {
	if number == "" {
		l.refuse("the number of an entry is needed: :%s N (:list shows them)", command)
		return nil
	}
	if n, err := strconv.Atoi(strings.Trim(number, "[]")); err == nil {
		if e := l.current(n); e != nil {
			return e
		}
	}
	l.refuse("no entry %s (:list shows them)", number)
	return nil
}

// replace runs another text in place of an entry.
func (l *loop) replace(arg string) bool {
	number, text, _ := strings.Cut(arg, " ")
	e := l.named("replace", number)
	switch text = strings.TrimSpace(text); {
	case e == nil:
	case text == "":
		l.refuse("the new text is needed: :replace N TEXT, or :edit N")
	default:
		l.startAs(e.number, text, e)
	}
	return false
}

// edit has the text of an entry changed, and runs it in place of the entry.
func (l *loop) edit(arg string) bool {
	e := l.named("edit", arg)
	_, ok := l.prompter.(Editor)
	switch {
	case e == nil:
		return false
	case !ok:
		l.refuse("there is no terminal to edit on: :replace N TEXT")
		return false
	}
	text, err := l.askChanged(fmt.Sprintf("[%d]> ", e.number), e.text)
	if text = strings.TrimSpace(text); err != nil || text == "" || text == e.text {
		l.out.printf("[%d] stays as it is\n", e.number)
		return false
	}
	l.prompter.Remember(text)
	l.startAs(e.number, text, e)
	return false
}

func (l *loop) saveTo(file string) bool {
	if file == "" {
		l.refuse("a file name is needed: :save FILE")
		return false
	}
	if strings.ContainsAny(file, " \t") {
		l.refuse("%q is no file name: :save FILE saves all entries", file)
		return false
	}
	if err := l.save(file); err != nil {
		l.say(err)
	} else {
		l.out.printf("saved in %s\n", file)
	}
	return false
}

// maxScript is how large a script may be that is loaded.
const maxScript = 1 << 20

func (l *loop) load(file string) bool {
	if file == "" {
		l.refuse("a file name is needed: :load FILE")
		return false
	}
	if s, err := os.Stat(file); err == nil && (!s.Mode().IsRegular() || s.Size() > maxScript) {
		l.refuse("%s is not a script: want a regular file of up to 1 MiB", file)
		return false
	}
	text, err := os.ReadFile(file)
	if err != nil {
		l.say(err)
		return false
	}
	if names, ok := l.engine.Definitions(string(text)); ok {
		l.define(string(text), names)
	} else {
		l.start(string(text))
	}
	return false
}

func (l *loop) self(word string) bool {
	if word != "on" && word != "off" {
		l.refuse("say :self on or :self off")
		return false
	}
	l.engine.TraceSelf(word == "on")
	if word == "on" {
		l.out.printf("(later entries trace what fst does, too)\n")
	} else {
		l.out.printf("(later entries leave out what fst does)\n")
	}
	return false
}

func (l *loop) hints(word string) bool {
	if word != "on" && word != "off" {
		l.refuse("say :hints on or :hints off")
		return false
	}
	if s, ok := l.prompter.(interface{ CanHint() bool }); ok && s.CanHint() {
		l.screen.setHelps(word == "on")
	} else if word == "on" {
		l.out.printf("this terminal shows no hints\n")
	}
	return false
}

func (l *loop) trace(word string) bool {
	pid, err := strconv.Atoi(word)
	if word == "all" {
		pid, err = 0, nil
	}
	switch {
	case err != nil || pid < 0 || pid == 0 && word != "all":
		l.refuse("say :trace PID, or :trace all")
	case pid != 0 && errors.Is(syscall.Kill(pid, 0), syscall.ESRCH):
		l.refuse("there is no process %d", pid)
	default:
		l.engine.TracePID(pid)
		if pid != 0 {
			l.out.printf("(later entries see process %d only, and end with it)\n", pid)
		} else {
			l.out.printf("(later entries see all processes)\n")
		}
	}
	return false
}

// setOnly gives all entries a filter, those that run and those to come.
func (l *loop) setOnly(filter string) bool {
	switch filter {
	case "":
		l.refuse("say :only FILTER, such as :only comm == \"x\", or :only all")
		return false
	case "all", "off":
		filter = ""
	}
	before := l.only
	fits := false
	l.changes.without(func() { // all of it is one change
		if fits = l.filterAll(filter); !fits && l.only != before {
			l.filterAll(before)
		}
	})
	switch {
	case !fits:
		l.out.printf("(the filter of all entries stays as it is)\n")
		return false
	case filter != "":
		l.out.printf("(entries see only events with %s)\n", filter)
	default:
		l.out.printf("(entries see all events)\n")
	}
	l.changes.add(func() { l.setOnly(cmp.Or(before, "all")) })
	return false
}

// filterAll gives all entries a filter. It starts none anew if one of them does not compile with it; otherwise it goes on up to
// the first that can't be attached.
func (l *loop) filterAll(filter string) bool {
	if err := l.engine.Only(filter); err != nil {
		l.say(err)
		return false
	}
	l.mu.Lock()
	entries := slices.Clone(l.entries)
	l.mu.Unlock()
	for _, e := range entries {
		own, _ := l.engine.Definitions(e.text)
		if err := l.engine.Fits(fmt.Sprintf("[%d]", e.number), e.text, textOf(l.others(own)), e.running); err != nil {
			l.say(fmt.Errorf("[%d] cannot have this filter:\n%w", e.number, err))
			l.engine.Only(l.only)
			return false
		}
	}
	l.only = filter
	for _, e := range entries {
		if !l.startAs(e.number, e.text, e) {
			return false
		}
	}
	return true
}

// oneLiner shows what runs as a command for the shell.
func (l *loop) oneLiner(string) bool {
	text, err := l.script()
	if err != nil {
		l.say(err)
		return false
	}
	if line := oneLine(text); l.engine.Check(line) == nil { // a line of the preprocessor, such as #include, needs its end
		text = line
	}
	l.out.printf("fst -e '%s'\n", strings.ReplaceAll(strings.TrimSpace(text), "'", `'\''`))
	return false
}

// forget drops a map, or all that nothing uses, and the definitions.
func (l *loop) forget(name string) bool {
	maps := l.engine.Maps()
	if name != "" && !slices.Contains(maps, name) {
		if users := l.users(name); users != nil {
			l.refuse("%s ends with %s, which has it for itself", name, strings.Join(users, ", "))
		} else {
			l.say(noMap(name, l.allMaps()))
		}
		return false
	}
	var gone []string
	if before := l.definitions; name == "" && before != nil {
		l.changes.add(func() { l.definitions = before })
		l.definitions = nil
		for _, d := range before {
			gone = append(gone, d.names...)
		}
	}
	if err := l.engine.Forget(name); err != nil {
		l.refuse("%v%s", err, listed(" by ", l.users(name), ""))
		return false
	}
	left := l.engine.Maps()
	gone = append(gone, slices.DeleteFunc(maps, func(m string) bool { return slices.Contains(left, m) })...)
	if len(gone) == 0 {
		l.out.printf("nothing to forget%s\n", listed(" (entries use ", left, ")"))
	} else {
		l.out.printf("%s: forgotten\n", strings.Join(gone, ", "))
	}
	return false
}

// users are the entries that use a map.
func (l *loop) users(name string) (list []string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, e := range l.entries {
		if slices.Contains(e.running.Maps(), name) {
			list = append(list, fmt.Sprintf("[%d]", e.number))
		}
	}
	return list
}
