package repl

import (
	"cmp"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"
	"unicode"
	"unicode/utf8"
)

// Completer completes the word before rune pos of a line: it returns the line's
// head, what the word may become, and the tail.
type Completer func(line string, pos int) (head string, words []string, tail string)

// Candidate is what a word may become, with a line on what that is.
type Candidate struct{ Text, Help string }

// offer is what may stand at the end of a text.
type offer struct {
	word string      // what is there of it
	list []Candidate // begins with word. All of them begin with what those in the list do
	all  int         // how many there are, of which the list has some
	note string      // what is said besides
}

// maxShown is how many candidates are shown at most.
const maxShown = 40

// patience is how long Tab waits for candidates. What takes longer is said to be read, and is shown once it is there.
const patience = 10 * time.Millisecond

// asked is what Tab was pressed for.
type asked struct {
	text  string
	done  chan struct{} // closed when offer is there
	offer offer
	late  bool // it has taken longer than patience
}

// soon is what may stand at the end of a text, if that is known soon; otherwise Tab is pressed again for it later, if nothing
// is typed until then. The text ends at the cursor of a line.
func (l *loop) soon(text string, of line) (o offer, ok bool) {
	a := l.asked
	if a == nil || a.text != text {
		a = &asked{text: text, done: make(chan struct{})}
		l.asked = a
		go func() {
			l.state.Lock()
			defer l.state.Unlock()
			a.offer = l.offer(text)
			close(a.done)
		}()
	}
	select {
	case <-a.done:
		l.asked = nil
		return a.offer, true
	case <-time.After(l.patience):
	}
	if !a.late {
		a.late = true
		l.screen.wait(of)
		go func() {
			<-a.done
			if t, ok := l.prompter.(Typist); l.screen.waited(of) && ok {
				t.Type("\t")
			}
		}()
	}
	return offer{}, false
}

// Typist is a Prompter that can be typed to.
type Typist interface {
	// Type is as if somebody had typed a text. Any goroutine may call it.
	Type(text string)
}

// complete is the prompt's Completer. A word gets the beginning that all candidates have; where they agree
// on nothing more they are shown above the line. pos counts runes.
func (l *loop) complete(text string, pos int) (string, []string, string) {
	runes := []rune(text)
	before, tail := string(runes[:pos]), string(runes[pos:])
	o, ok := l.soon(fromMarks.Replace(l.pending+before), line{text, len(before)})
	if !ok {
		return "", nil, ""
	}
	head, ok := strings.CutSuffix(before, o.word)
	if !ok {
		return "", nil, ""
	}
	if o.note != "" {
		l.out.printf("(%s)\n", o.note)
	}
	if len(o.list) == 0 {
		return "", nil, ""
	}
	common := o.list[0].Text
	for _, c := range o.list {
		for !strings.HasPrefix(c.Text, common) {
			_, size := utf8.DecodeLastRuneInString(common)
			common = common[:len(common)-size]
		}
	}
	if len(common) > len(o.word) {
		return head, []string{common}, tail
	}
	if o.all > 1 {
		l.out.printf("%s", l.listing(o))
	}
	return "", nil, ""
}

// listing shows candidates, each in a line with what it is, as far as the screen has room.
func (l *loop) listing(o offer) string {
	columns, rows := 80, maxShown
	if l.screen.size != nil {
		columns, rows = l.screen.size()
		rows = min(maxShown, max(5, rows-4))
	}
	list := o.list[:min(rows, len(o.list))]
	width := 0
	for _, c := range list {
		width = max(width, min(columns/2, utf8.RuneCountInString(c.Text)))
	}
	var b strings.Builder
	for _, c := range list {
		text := []rune(strings.TrimRight(fmt.Sprintf("  %-*s  %s", width, c.Text, c.Help), " "))
		if len(text) >= columns && c.Help != "" {
			text = append(text[:max(columns-2, utf8.RuneCountInString(c.Text)+2)], '…')
		}
		b.WriteString(string(text) + "\n")
	}
	if more := o.all - len(list); more > 0 {
		fmt.Fprintf(&b, "  ... and %d more\n", more)
	}
	return b.String()
}

// chosen are the candidates that begin with a word.
func chosen(word string, list []Candidate) offer {
	var kept []Candidate
	for _, c := range list {
		if strings.HasPrefix(c.Text, word) {
			kept = append(kept, c)
		}
	}
	byText := func(a, b Candidate) int { return strings.Compare(a.Text, b.Text) }
	if !slices.IsSortedFunc(kept, byText) { // a hundred thousand keys of a map are
		slices.SortStableFunc(kept, byText)
	}
	kept = slices.CompactFunc(kept, func(a, b Candidate) bool { return a.Text == b.Text })
	return offer{word: word, list: kept, all: len(kept)}
}

// offer says what may stand at the end of a text.
func (l *loop) offer(text string) offer {
	if text = strings.TrimLeft(text, " \t\n"); !strings.HasPrefix(text, ":") {
		return l.inProgram(text, true)
	}
	name, arg, ok := strings.Cut(text[1:], " ")
	if !ok {
		var list []Candidate
		for _, c := range commands() {
			list = append(list, Candidate{":" + c.name, strings.TrimSpace(c.usage + "  " + c.help)})
		}
		return chosen(text, list)
	}
	c, err := findCommand(name)
	if err != nil {
		return offer{}
	}
	arg = strings.TrimLeft(arg, " ")
	switch c.takes {
	case takesEntry:
		return chosen(arg, l.numbers())
	case takesEntryText:
		if _, program, ok := strings.Cut(arg, " "); ok {
			return l.inProgram(program, true)
		}
		return chosen(arg, l.numbers())
	case takesEntryOrTool:
		return chosen(arg, append(l.numbers(), l.engine.Tools()...))
	case takesEntryOrProgram:
		if numbers := chosen(arg, l.numbers()); numbers.all > 0 {
			return numbers
		}
		return l.inProgram(arg, true)
	case takesProgram:
		return l.inProgram(arg, false)
	case takesProbe:
		return l.probeOffer(arg)
	case takesMap:
		return chosen(arg, l.mapNames(""))
	case takesProcess:
		return chosen(arg, append(pids(), Candidate{"all", "no limit"}))
	case takesFile:
		return files(arg)
	case takesName:
		return chosen(arg, l.engine.Names())
	case takesSwitch:
		return chosen(arg, []Candidate{{"on", "from now on"}, {"off", "no longer"}})
	}
	return offer{}
}

// numbers are those of the entries.
func (l *loop) numbers() (list []Candidate) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, e := range l.entries {
		list = append(list, Candidate{strconv.Itoa(e.number), firstLine(e.text)})
	}
	return list
}

// The ends of a text that say what comes next.
var (
	memberEnd  = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`[\w)\]]\s*(->|\.)\s*([A-Za-z_]\w*)?$`) })
	nameEnd    = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`[@$]?\w*$`) })
	typeEnd    = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`\b(struct|union|enum)\s+(\w*)$`) })
	settingEnd = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`(?:^|[{;,\s])(\w+)\s*=\s*(\w*)$`) })
	keyedMap   = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`@\w*$`) })
)

// inProgram says what may stand at the end of a text that is a program, or, if first is set, the words that start a tool.
func (l *loop) inProgram(text string, first bool) offer {
	half := readTyped(text)
	bracket := half.bracket()
	if bracket >= 0 && text[bracket] == '[' {
		if name := keyedMap().FindString(text[:bracket]); name != "" && !strings.ContainsAny(text[bracket:], "@$(") {
			if o := chosen(text[bracket+1:], l.engine.Keys(name)); o.all > 0 {
				return o
			}
		}
	}
	switch {
	case half.comment:
		return offer{}
	case half.quote > 0:
		word, before := text[half.quote:], strings.TrimSpace(text[:half.quote-1])
		if strings.HasSuffix(before, "import") || strings.HasSuffix(before, "#include") || strings.HasPrefix(word, "/") || strings.HasPrefix(word, "./") {
			return files(word)
		}
		if commEnd().MatchString(before) {
			return chosen(word, commNames())
		}
		return offer{}
	}
	if m := pidEnd().FindStringSubmatch(text); m != nil {
		return chosen(m[1], pids())
	}
	words := strings.Fields(text)
	if first && len(words) > 0 && l.engine.IsTool(words[0]) && !strings.HasPrefix(text, words[0]+":") && strings.Contains(text, " ") {
		return l.toolOffer(words, text[strings.LastIndexByte(text, ' ')+1:])
	}
	if bracket >= 0 && text[bracket] == '{' && strings.HasPrefix(strings.TrimSpace(text[half.clause:]), "config") {
		if m := settingEnd().FindStringSubmatch(text); m != nil {
			return chosen(m[2], l.engine.SettingValues(m[1]))
		}
		return chosen(nameEnd().FindString(text), l.engine.Settings())
	}
	if word, ok := probeWord(half, text); ok {
		o := l.probeOffer(word)
		if !strings.Contains(word, ":") { // a statement, or a tool, may begin here, too
			others := l.names(text)
			if first && strings.TrimSpace(text) == word {
				others = append(others, l.engine.Tools()...)
			}
			if strings.TrimSpace(text[half.clause:]) == word {
				o = chosen(word, append(o.list, others...))
			}
		}
		if strings.TrimLeft(word, "@$") == word {
			return o
		}
	}
	if m := memberEnd().FindStringSubmatchIndex(text); m != nil {
		word := ""
		if m[4] >= 0 {
			word = text[m[4]:]
		}
		_, members := l.engine.TypeOf(strings.TrimSpace(text[:m[2]]), textOf(l.definitions))
		return chosen(word, members)
	}
	if m := typeEnd().FindStringSubmatch(text); m != nil {
		list, all := l.engine.Types(m[1], m[2], maxShown)
		return offer{word: m[2], list: list, all: all}
	}
	word := nameEnd().FindString(text)
	switch before := text[:len(text)-len(word)]; {
	case strings.HasPrefix(word, "@"):
		return chosen(word, l.mapNames(before))
	case strings.HasPrefix(word, "$"):
		return chosen(word, l.engine.Variables(text, textOf(l.definitions)))
	}
	return chosen(word, l.names(text))
}

// names are those that an expression or a statement can begin with.
func (l *loop) names(text string) []Candidate {
	list := l.engine.Names()
	for _, d := range l.definitions {
		for _, n := range d.names {
			list = append(list, Candidate{n[strings.LastIndexByte(n, ' ')+1:], "defined before"})
		}
	}
	return list
}

// mapNames are the maps that there are, and those that a text names.
func (l *loop) mapNames(text string) (list []Candidate) {
	list = l.engine.MapTypes()
	l.mu.Lock()
	for _, e := range l.entries {
		for _, m := range e.running.Maps() {
			list = append(list, Candidate{m, fmt.Sprintf("of [%d]", e.number)})
		}
	}
	l.mu.Unlock()
	for _, name := range namesOf(text, '@') {
		list = append(list, Candidate{name, "a map of this text"})
	}
	return list
}

// userProbes are the kinds of probes that name a file first.
var userProbes = []string{"uprobe", "u", "uretprobe", "ur", "ucall", "usdt", "U"}

// probeOffer says which probes begin with a word.
func (l *loop) probeOffer(word string) offer {
	if kind, path, ok := strings.Cut(word, ":"); ok && slices.Contains(userProbes, kind) && !strings.Contains(path, ":") {
		o := files(path)
		if path == "" {
			o.note = "the path of a program or a library comes next: " + kind + ":PATH:NAME"
			o.list, o.all = append([]Candidate{{"/", "an absolute path"}}, o.list...), o.all+1
		}
		o.word = word
		for i, c := range o.list {
			if !strings.HasSuffix(c.Text, "/") {
				c.Text += ":"
			}
			o.list[i].Text = kind + ":" + c.Text
		}
		return o
	}
	list, all := l.engine.Probes(word, maxShown)
	return offer{word: word, list: list, all: all}
}

// toolOffer says which options of a tool begin with a word, the last of words or an empty one, or which files.
func (l *loop) toolOffer(words []string, word string) offer {
	tool, before := words[0], words[len(words)-1]
	if word != "" {
		before = words[len(words)-2]
	}
	if before == "-p" || before == "--pid" {
		return chosen(word, pids())
	}
	if word == "" || word[0] == '-' {
		return chosen(word, l.engine.ToolOptions(tool))
	}
	return files(word)
}

// directory is the latest directory whose files were asked for.
var directory struct {
	sync.Mutex
	path  string
	info  os.FileInfo
	names []string // sorted
}

// settled is how long a directory must not have changed for its time to tell of the next change.
const settled = time.Second

// filesOf returns the sorted names of what is in a directory. They are read again only if it has changed since.
func filesOf(path string) []string {
	d := &directory
	d.Lock()
	defer d.Unlock()
	info, err := os.Stat(path)
	if err != nil {
		return nil
	}
	if d.info != nil && d.path == path && os.SameFile(d.info, info) && d.info.ModTime().Equal(info.ModTime()) {
		return d.names
	}
	f, err := os.Open(path)
	if err != nil {
		return nil
	}
	defer f.Close()
	names, _ := f.Readdirnames(-1)
	names = slices.DeleteFunc(names, func(name string) bool { return strings.ContainsFunc(name, unicode.IsControl) })
	slices.Sort(names)
	if d.path, d.info, d.names = path, info, names; time.Since(info.ModTime()) < settled {
		d.info = nil
	}
	return names
}

// files lists the files that begin with a path, directories with a '/'.
func files(prefix string) offer {
	dir, base := filepath.Split(prefix)
	names := filesOf(cmp.Or(dir, "."))
	from, _ := slices.BinarySearch(names, base)
	names = names[from:]
	if base == "" {
		names = slices.DeleteFunc(slices.Clone(names), func(name string) bool { return name[0] == '.' })
	} else {
		end, _ := slices.BinarySearchFunc(names, base, func(name, base string) int {
			if strings.HasPrefix(name, base) {
				return -1
			}
			return 1
		})
		names = names[:end]
	}
	o := offer{word: prefix, all: len(names)}
	if o.all > maxShown { // the last has the beginning that all have
		names = append(slices.Clone(names[:maxShown-1]), names[o.all-1])
	}
	for _, name := range names {
		c := Candidate{Text: dir + name}
		if info, err := os.Stat(c.Text); err == nil {
			c.Help = fileWord(info)
			if info.IsDir() {
				c.Text += "/"
			}
		}
		o.list = append(o.list, c)
	}
	return o
}

// fileWord says what a file is.
func fileWord(info os.FileInfo) string {
	switch mode := info.Mode(); {
	case mode.IsDir():
		return "a directory"
	case !mode.IsRegular():
		return "a device, a pipe or a socket"
	case strings.Contains(info.Name(), ".so"):
		return "a library"
	case mode&0o111 != 0:
		return "a program"
	}
	switch size := info.Size(); {
	case size < 1<<10:
		return fmt.Sprintf("a file, %d B", size)
	case size < 1<<20:
		return fmt.Sprintf("a file, %d KiB", size>>10)
	default:
		return fmt.Sprintf("a file, %d MiB", size>>20)
	}
}

// namesOf lists the maps or variables that a text names.
func namesOf(text string, sign byte) []string {
	var list []string
	for _, w := range nameWords().FindAllString(text, -1) {
		if w[0] == sign {
			list = append(list, w)
		}
	}
	return list
}

// probeWord returns the end of a text that is the beginning of a probe: at the start
// of a clause or behind a comma of its list.
func probeWord(half typed, text string) (word string, ok bool) {
	if half.bracket() >= 0 {
		return "", false
	}
	head := text[half.clause:]
	i := strings.LastIndexAny(head, " \t\n,|") + 1
	before := strings.TrimSpace(head[:i])
	if strings.ContainsAny(head[i:], "[]()=+*%<>&!?^~\"") || strings.Contains(head[:i], " /") {
		return "", false
	}
	return head[i:], before == "" || before[len(before)-1] == ',' || before[len(before)-1] == '|' && !strings.HasSuffix(before, "||")
}
