package repl

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"sync"
	"time"
)

// entry is one text that was entered and runs.
type entry struct {
	number  int
	text    string
	running Running
	out     *source
	paused  bool
}

const (
	// atOnce is how soon an entry must end not to be announced as running.
	atOnce = 40 * time.Millisecond
	// startTime is how long what an entry says while it starts is kept back,
	// until it is known whether it gets a number.
	startTime = time.Second
)

// start compiles and attaches a text, which may define again what is defined
// already. What runs is left alone if it fails.
func (l *loop) start(text string) { l.startAs(l.next, text, nil) }

// startAs starts a text with a number, in place of old if that is not nil: old
// ends once the new one is attached, and its maps live on. It is false if the text does not compile or attach.
func (l *loop) startAs(number int, text string, old *entry) (started bool) {
	e := &entry{number: number, text: text, out: l.screen.hold()}
	label := fmt.Sprintf("[%d] ", e.number)
	late := time.AfterFunc(startTime, func() { e.out.release(label) })
	own, _ := l.engine.Definitions(text)
	began := time.Now()
	var replaced Running
	if old != nil {
		replaced = old.running
	}
	running, err := l.engine.Start(strings.TrimSpace(label), text, textOf(l.others(own)), replaced, e.out)
	if !late.Stop() {
		l.next = max(l.next, number+1) // it has been shown
	}
	if err != nil {
		e.out.release("")
		l.say(err)
		l.left(err)
		if old != nil {
			l.out.printf("[%d] stays as it is\n", number)
		}
		return false
	}
	e.running = running
	if old != nil {
		took := time.Since(began)
		l.ended(old, "")
		l.out.printf("[%d] replaced, from one event to the next (after %.1f ms)\n", number, took.Seconds()*1000)
		if e.paused = old.paused; e.paused {
			l.out.printf("[%d] is still paused (:resume %d)\n", number, number)
		}
	}
	l.mu.Lock()
	taken := l.owners(running.Maps())
	l.entries = append(l.entries, e)
	l.mu.Unlock()
	select {
	case <-running.Done():
		e.out.release("")
		if old == nil {
			l.ended(e, "")
		} else { // what it replaced has a number, and does not run any more
			l.ended(e, "ended")
			l.started(number, old)
		}
		return true
	case <-time.After(endTime(running)):
	}
	l.next = max(l.next, number+1) // what has run once needs no number
	l.written = append(l.written[max(0, len(l.written)-maxWritten+1):], e)
	l.started(number, old)
	l.out.printf("%s%s\n", label, summary(running.Probes()))
	e.out.release(label)
	if len(taken) > 0 {
		l.out.printf("(no entries share %s: it now shows that of [%d])\n", strings.Join(taken, ", "), e.number)
	}
	go func() {
		<-running.Done()
		l.ended(e, "ended")
	}()
	return true
}

// endTime is how long what has started may take to end without being announced.
func endTime(r Running) time.Duration {
	if slices.Equal(r.Probes(), []string{"begin"}) { // it runs once: it is slow, or the machine is
		return startTime
	}
	return atOnce
}

// left tells which of the maps that an error speaks of are there only because an
// entry that has ended used them.
func (l *loop) left(err error) {
	spoken := nameWords().FindAllString(sourceLine().ReplaceAllString(err.Error(), ""), -1)
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, m := range l.engine.Maps() {
		used := slices.ContainsFunc(l.entries, func(e *entry) bool { return slices.Contains(e.running.Maps(), m) })
		if !used && slices.Contains(spoken, m) {
			l.out.printf("(no running entry uses %s: \":forget %s\" removes it)\n", m, m)
		}
	}
}

// sourceLine is a line of an error that shows the text it is about.
var sourceLine = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`(?m)^[\x1b\[\dm; ]*\|.*$`) })

// nameWords are the names in a text.
var nameWords = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`[@$]\w*|\w+`) })

// owners returns those names that maps of running entries have already, of those
// that are not shared. The caller holds mu.
func (l *loop) owners(names []string) []string {
	shared := l.engine.Maps()
	return slices.DeleteFunc(slices.Clone(names), func(n string) bool {
		return slices.Contains(shared, n) || !slices.ContainsFunc(l.entries, func(e *entry) bool { return slices.Contains(e.running.Maps(), n) })
	})
}

// ended takes an entry off the list and closes it, which shows its maps. how
// says in a word how it ended; empty says nothing.
func (l *loop) ended(e *entry, how string) {
	l.mu.Lock()
	i := slices.Index(l.entries, e)
	if i >= 0 {
		l.entries = slices.Delete(l.entries, i, i+1)
		l.ending.Add(1)
	}
	l.mu.Unlock()
	if i < 0 {
		return
	}
	defer l.ending.Done()
	e.running.Close()
	if how != "" {
		l.out.printf("[%d] %s\n", e.number, how)
	}
}

// summary names the probes of an entry in a line.
func summary(probes []string) string {
	switch len(probes) {
	case 0:
		return "no probes"
	case 1, 2, 3:
		return strings.Join(probes, ", ")
	}
	return fmt.Sprintf("%s and %d more", strings.Join(probes[:2], ", "), len(probes)-2)
}

// closeAll detaches everything, the latest first, and waits for what is ending already.
func (l *loop) closeAll() {
	l.mu.Lock()
	entries := slices.Clone(l.entries)
	l.mu.Unlock()
	for _, e := range slices.Backward(entries) {
		how := "detached"
		select {
		case <-e.running.Done():
			how = "ended"
		default:
		}
		l.ended(e, how)
	}
	l.ending.Wait()
}
