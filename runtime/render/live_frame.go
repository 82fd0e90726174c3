package render

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"
	"unicode/utf8"
)

// liveView is how the user wants to see what there is.
type liveView struct {
	title   string
	probes  int
	now     func() time.Time
	sorts   map[any]liveSort
	focus   int // the block that keys are meant for
	offset  int // rows of it that are scrolled away
	filter  string
	typing  bool // the filter
	heat    bool // histograms as heat maps
	help    bool
	frozen  []*liveBlock // what is shown instead of what there is; nil: nothing is frozen
	stopped time.Time    // when that was
}

// liveSort is the order of the rows of a block.
type liveSort struct {
	column  int // from 1 on; 0: as they came
	reverse bool
}

// liveHelp describes the keys.
const liveHelp = `space        freeze the screen, and go on
< >          sort by the column to the left, to the right
r            reverse the order
/            show only rows with a text; Enter ends it, Esc clears it
arrows       scroll; also PgUp, PgDn, Home, End, j, k
Tab          the next table
h            histograms as heat maps: a line for each interval
?            this list
q, Ctrl-C    quit`

// Key does what a key is for: a character, or the name of a key such as "up" or "ctrl-c". quit reports that the user
// has seen enough.
func (l *Live) Key(key string) (quit bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	v := &l.view
	if key == "ctrl-c" || key == "q" && !v.typing { // what is shown last stays as it is
		v.freeze(l.shown())
		return true
	}
	if v.typing {
		switch {
		case key == "enter":
			v.typing = false
		case key == "esc":
			v.typing, v.filter = false, ""
		case key == "backspace":
			_, size := utf8.DecodeLastRuneInString(v.filter)
			v.filter = v.filter[:len(v.filter)-size]
		case utf8.RuneCountInString(key) == 1:
			v.filter += key
		}
		return false
	}
	shown := l.shown()
	block := &liveBlock{}
	if len(shown) > 0 {
		v.focus %= len(shown)
		block = shown[v.focus]
	}
	by := v.sorts[block.id]
	switch key {
	case " ":
		if v.frozen != nil {
			v.frozen = nil
			break
		}
		v.freeze(shown)
	case "<", "left":
		by.column = max(0, by.column-1)
	case ">", "right":
		by.column = min(len(block.columns), by.column+1)
	case "r":
		by.reverse = !by.reverse
	case "/":
		v.typing, v.filter = true, ""
	case "esc":
		v.filter, v.help = "", false
	case "up", "k":
		v.offset = max(0, v.offset-1)
	case "down", "j":
		v.offset++
	case "pgup":
		v.offset = max(0, v.offset-10)
	case "pgdn":
		v.offset += 10
	case "home":
		v.offset = 0
	case "end":
		v.offset = 2 * liveRows
	case "tab":
		v.focus, v.offset = v.focus+1, 0
	case "h":
		v.heat = !v.heat
	case "?":
		v.help = !v.help
	}
	if block.id != nil {
		v.sorts[block.id] = by
	}
	return false
}

// freeze keeps what is shown as it is, unless it is frozen already.
func (v *liveView) freeze(shown []*liveBlock) {
	if v.frozen != nil {
		return
	}
	v.frozen, v.stopped = []*liveBlock{}, v.now()
	for _, b := range shown {
		copied := *b
		copied.lines = slices.Clone(b.lines)
		v.frozen = append(v.frozen, &copied)
	}
}

// shown are the blocks on the screen.
func (l *Live) shown() []*liveBlock {
	if l.view.frozen != nil {
		return l.view.frozen
	}
	all := slices.Clip(l.blocks)
	if len(l.log.lines) > 0 {
		all = append(all, l.log)
	}
	return all
}

// Frame is the screen: lines that are no longer than the terminal is wide, and how they look is set by
// escape sequences. It has all rows but those that there is nothing for.
func (l *Live) Frame(columns, rows int) []string {
	l.mu.Lock()
	defer l.mu.Unlock()
	v := &l.view
	lines := []string{reversed(cutTo(v.status(l.text.p.loc, columns), columns), columns)}
	body, wanted := l.bodies(columns)
	if v.help {
		body, wanted = [][]string{strings.Split(liveHelp, "\n")}, []int{0}
	}
	if len(body) == 0 {
		body, wanted = [][]string{{"Waiting for events ..."}}, []int{0}
	}
	room := share(wanted, max(0, rows-2-(len(body)-1)))
	for i, b := range body {
		if i > 0 {
			lines = append(lines, "")
		}
		if wanted[i] == 0 {
			room[i] = len(b)
		}
		for _, line := range b[:min(len(b), room[i])] {
			lines = append(lines, cutTo(line, columns))
		}
	}
	lines = lines[:min(len(lines), max(1, rows-1))]
	for len(lines) < rows-1 {
		lines = append(lines, "")
	}
	return append(lines, cutTo("q quit  space freeze  < > sort  r reverse  / filter  h heat map  Tab next  ? help", columns))[:rows]
}

// Text is all that there is to be seen, as lines for an output that does not change.
func (l *Live) Text(columns int) string {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.view.offset = 0
	var b strings.Builder
	body, _ := l.bodies(columns)
	for i, lines := range body {
		if i > 0 {
			b.WriteString("\n")
		}
		for _, line := range lines {
			b.WriteString(cutTo(line, columns) + "\n")
		}
	}
	return b.String()
}

// status is the first line: what is shown, which gets what room there is, and how.
func (v *liveView) status(zone *time.Location, columns int) string {
	at, state := v.now(), ""
	if v.frozen != nil {
		at, state = v.stopped, "  frozen"
	}
	state = "  " + at.In(zone).Format("15:04:05") + state
	switch {
	case v.typing:
		state += "  filter: " + v.filter + "_"
	case v.filter != "":
		state += "  filter: " + v.filter
	}
	return " " + cutTo(v.title, max(10, columns-2-utf8.RuneCountInString(state))) + state
}

// bodies are the lines of each block, those of the focus without what is scrolled away, and how many
// each has. Blocks in which no row has the text of the filter are left out.
func (l *Live) bodies(width int) (all [][]string, wanted []int) {
	shown := l.shown()
	filtered := false
	for i, b := range shown {
		head, lines := l.view.lines(b, width)
		if tail := b.grows && l.view.sorts[b.id].column == 0; tail {
			slices.Reverse(lines) // the newest first
		}
		if len(shown) > 0 && i == l.view.focus%len(shown) {
			l.view.offset = max(0, min(l.view.offset, len(lines)-1))
			lines = lines[l.view.offset:]
		}
		if len(lines) == 0 && (len(head) == 0 || l.view.filter != "") {
			filtered = filtered || l.view.filter != ""
			continue
		}
		all = append(all, append(head, lines...))
		wanted = append(wanted, len(head)+len(lines))
	}
	if len(all) == 0 && filtered {
		return [][]string{{fmt.Sprintf("No row has %q; Esc ends the filter", l.view.filter)}}, []int{0}
	}
	return all, wanted
}

// lines are those of a block, below its headings.
func (v *liveView) lines(b *liveBlock, width int) (head, lines []string) {
	keep := func(text string) bool {
		return v.filter == "" || strings.Contains(strings.ToLower(text), strings.ToLower(v.filter))
	}
	if b.columns != nil {
		rows := make([][]gridCell, 0, len(b.rows))
		for _, row := range b.rows {
			var text strings.Builder
			for _, c := range row {
				text.WriteString(c.text + " ")
			}
			if keep(text.String()) {
				rows = append(rows, row)
			}
		}
		return b.tableLines(rows, v.sorts[b.id], width)
	}
	all := b.lines
	if b.heat != nil && (v.heat || b.heat.always) {
		all = slices.Clone(b.heat.lines)
		slices.Reverse(all) // the newest first
		head = []string{b.heat.heading}
	}
	for i := 0; i < len(all); {
		end := i + 1
		if strings.HasPrefix(all[i], "@") && !b.grows { // an element, with its stack or histogram
			for end < len(all) && !strings.HasPrefix(all[end], "@") {
				end++
			}
		}
		whole := slices.Clone(all[i:end])
		if end == len(b.lines) && b.again > 0 {
			whole[len(whole)-1] += fmt.Sprintf(" (%d times)", b.again+1)
		}
		if keep(strings.Join(whole, "\n")) {
			lines = append(lines, whole...)
		}
		i = end
	}
	return head, lines
}

// barRoom is how wide bars may be.
const barRoom = 40

// tableLines lays out a table.
func (b *liveBlock) tableLines(rows [][]gridCell, by liveSort, width int) (head, lines []string) {
	if c := by.column - 1; c >= 0 && c < len(b.columns) {
		slices.SortStableFunc(rows, func(x, y []gridCell) int {
			if b.columns[c].right {
				return cmp.Or(cmp.Compare(y[c].number, x[c].number), strings.Compare(x[c].text, y[c].text))
			}
			return strings.Compare(x[c].text, y[c].text)
		})
	}
	if by.reverse {
		slices.Reverse(rows)
	}
	names := make([]string, len(b.columns))
	widths := make([]int, len(b.columns))
	for i, c := range b.columns {
		names[i] = c.name
		if i == by.column-1 {
			names[i] += map[bool]string{false: "▼", true: "▲"}[by.reverse]
		}
		widths[i] = utf8.RuneCountInString(names[i])
		for _, row := range rows {
			widths[i] = max(widths[i], utf8.RuneCountInString(row[i].text))
		}
		widths[i] = min(widths[i], max(20, width/2))
	}
	line := func(cell func(int) string) string {
		var out []byte
		for i, c := range b.columns {
			if i > 0 {
				out = append(out, "  "...)
			}
			text := cutTo(cell(i), widths[i])
			blanks := strings.Repeat(" ", widths[i]-utf8.RuneCountInString(text))
			if c.right {
				text = blanks + text
			} else if i < len(b.columns)-1 {
				text += blanks
			}
			out = append(out, text...)
		}
		return string(out)
	}
	head = []string{line(func(i int) string { return names[i] })}
	bars, most := b.bar, 0.0
	if c := by.column - 1; b.bar >= 0 && c > b.bar && c < len(b.columns) && b.columns[c].right {
		bars = c
	}
	room := width - 2
	for _, w := range widths {
		room -= w + 2
	}
	for _, row := range rows {
		if bars >= 0 {
			most = max(most, row[bars].number)
		}
	}
	for _, row := range rows {
		text := line(func(i int) string { return row[i].text })
		if bars >= 0 && room >= 8 && most > 0 {
			text += strings.TrimRight("  "+bar(row[bars].number/most, min(room, barRoom)), " ")
		}
		lines = append(lines, text)
	}
	if b.more > 0 {
		lines = append(lines, fmt.Sprintf("... and %d more", b.more))
	}
	return head, lines
}

// bar is one of a length, with a resolution of an eighth of a character.
func bar(part float64, width int) string {
	eighths := int(max(0, part)*float64(width*8) + 0.5)
	return strings.Repeat("█", eighths/8) + []string{"", "▏", "▎", "▍", "▌", "▋", "▊", "▉"}[eighths%8]
}

// cutTo is a line of at most so many characters, with a mark if some are left out.
func cutTo(line string, width int) string {
	if width <= 0 || utf8.RuneCountInString(line) <= width {
		return line
	}
	return string([]rune(line)[:width-1]) + "…"
}

// reversed is a line in reverse video, as wide as the screen.
func reversed(line string, width int) string {
	return "\x1b[7m" + line + strings.Repeat(" ", max(0, width-utf8.RuneCountInString(line))) + "\x1b[m"
}

// share divides lines among blocks: none gets more than it wants, and what is left goes to the others.
func share(wanted []int, lines int) []int {
	got := make([]int, len(wanted))
	for left := len(wanted); left > 0 && lines > 0; {
		each, before := max(1, lines/left), lines
		left = 0
		for i, w := range wanted {
			n := min(each, w-got[i], lines)
			got[i], lines = got[i]+n, lines-n
			if got[i] < w {
				left++
			}
		}
		if lines == before {
			break
		}
	}
	return got
}
