package repl

import (
	"fmt"
	"io"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"
)

// watches are the maps that are shown above the edited line, again and again.
type watches struct {
	mu   sync.Mutex // guards list, and one drawing at a time
	list []*watch
}

// watch is one map that is watched.
type watch struct {
	name  string
	top   int // shows so many of its last lines; 0: as it is a list, or has charts
	every time.Duration
	stop  chan struct{}
	lines []string
	last  map[string]int64 // the number behind each key, as it was shown last
	// changes are the latest changes of each key, as many as its sparkline has columns.
	changes map[string][]int64
}

const (
	watchLines     = 10
	chartLines     = 20
	sparkWidth     = 12
	watchTime      = time.Second
	leastWatchTime = 100 * time.Millisecond // how soon a map may be read again
)

// watchUsage is the form of the command.
var watchUsage = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^(@\w*)(?:\s+top\s+(\d{1,4}))?(?:\s+every\s+(\d{1,5}(?:\.\d+)?)s?)?$`)
})

// watch shows a map in place until it is told to stop.
func (l *loop) watch(arg string) bool {
	l.watches.mu.Lock()
	defer l.watches.mu.Unlock()
	m := watchUsage().FindStringSubmatch(arg)
	switch {
	case arg == "off":
		for _, w := range l.watches.list {
			close(w.stop)
		}
		l.watches.list = nil
		l.screen.below("")
		return false
	case m == nil:
		l.refuse("say :watch @map [top N] [every SECONDS], or :watch off")
		return false
	case !l.screen.edits():
		l.refuse("this terminal shows no map in place: %s shows it as it is now", m[1])
		return false
	}
	if err := l.readMap(io.Discard, m[1], "", 0); err != nil {
		l.say(err)
		return false
	}
	w := &watch{name: m[1], every: watchTime, stop: make(chan struct{})}
	if n, err := strconv.Atoi(m[2]); err == nil {
		if w.top = n; n == 0 {
			l.refuse("invalid value for top: 0 (want at least 1)")
			return false
		}
	}
	if s, err := strconv.ParseFloat(m[3], 64); err == nil {
		if w.every = time.Duration(s * float64(time.Second)); w.every < leastWatchTime {
			l.refuse("invalid value for every: %s (want at least %g seconds)", m[3], leastWatchTime.Seconds())
			return false
		}
	}
	l.watches.list = slices.DeleteFunc(l.watches.list, func(other *watch) bool {
		if other.name != w.name {
			return false
		}
		close(other.stop)
		return true
	})
	l.watches.list = append(l.watches.list, w)
	go l.watching(w)
	return false
}

// watching shows a map until it is gone or the watch is stopped.
func (l *loop) watching(w *watch) {
	tick := time.NewTicker(w.every)
	defer tick.Stop()
	for {
		var b strings.Builder
		gone := l.readMap(&b, w.name, "", 0) != nil
		l.watches.mu.Lock()
		select {
		case <-w.stop:
			l.watches.mu.Unlock()
			return
		default:
		}
		if gone {
			l.watches.list = slices.DeleteFunc(l.watches.list, func(other *watch) bool { return other == w })
		}
		w.update(b.String())
		var all strings.Builder
		for _, w := range l.watches.list {
			for _, line := range w.lines {
				all.WriteString(line + "\n")
			}
		}
		l.screen.below(all.String())
		l.watches.mu.Unlock()
		if gone {
			return
		}
		select {
		case <-w.stop:
			return
		case <-tick.C:
		}
	}
}

// valueLine is a line of a map whose value is one number.
var valueLine = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^(@.*): (-?\d+)$`) })

// update takes the text of the map, and adds to numbers how much they have
// changed, now and the times before.
func (w *watch) update(text string) {
	lines := strings.FieldsFunc(text, func(r rune) bool { return r == '\n' })
	if len(lines) == 0 {
		lines = []string{w.name + " is empty"}
	}
	now, changes := map[string]int64{}, map[string][]int64{}
	for i, line := range lines {
		m := valueLine().FindStringSubmatch(line)
		if m == nil {
			continue
		}
		n, err := strconv.ParseInt(m[2], 10, 64)
		if err != nil {
			continue
		}
		now[m[1]] = n
		if w.last == nil {
			continue
		}
		before, ok := w.last[m[1]]
		if !ok || before != n {
			lines[i] += fmt.Sprintf(" (%+d)", n-before)
		}
		all := append(w.changes[m[1]], n-before)
		changes[m[1]] = all[max(0, len(all)-sparkWidth):]
		lines[i] += sparkline(changes[m[1]])
	}
	w.last, w.changes = now, changes
	top := w.top
	if top == 0 {
		top = watchLines
		if slices.ContainsFunc(lines, func(line string) bool { return !strings.HasPrefix(line, "@") }) {
			top = chartLines
		}
	}
	if left := len(lines) - top; left > 0 { // the largest are the last
		lines = append([]string{fmt.Sprintf("%s: %d more lines", w.name, left)}, lines[left:]...)
	}
	w.lines = lines
}

// sparkline draws numbers, two at least, as columns between 0 and the largest; nothing if all are 0, or some are
// less.
func sparkline(numbers []int64) string {
	const columns = "▁▂▃▄▅▆▇█"
	most := slices.Max(numbers)
	if len(numbers) < 2 || most == 0 || slices.Min(numbers) < 0 {
		return ""
	}
	heights := []rune(columns)
	line := []rune{' '}
	for _, n := range numbers {
		line = append(line, heights[int(float64(n)/float64(most)*float64(len(heights)-1)+0.5)])
	}
	return string(line)
}
