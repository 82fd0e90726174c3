package repl

import (
	"slices"
	"strconv"
)

// changes are the ways back from the commands that have changed what runs or is defined, the latest last.
type changes struct {
	back    []func()
	unnoted bool // what changes now is part of another change
}

// add notes how a change is taken back.
func (c *changes) add(back func()) {
	if !c.unnoted {
		c.back = append(c.back, back)
	}
}

// without does what is no change of its own.
func (c *changes) without(do func()) {
	before := c.unnoted
	c.unnoted = true
	do()
	c.unnoted = before
}

// undo takes back the last change.
func (l *loop) undo(string) bool {
	c := &l.changes
	if len(c.back) == 0 {
		l.refuse("nothing to take back")
		return false
	}
	back := c.back[len(c.back)-1]
	c.back = c.back[:len(c.back)-1]
	c.without(back)
	return false
}

// detach ends an entry as a command wants it.
func (l *loop) detach(e *entry) {
	l.ended(e, "detached")
	l.changes.add(func() { l.restart(e) })
}

// restart runs the text of an entry again that was detached, under its number.
func (l *loop) restart(e *entry) {
	if l.startAs(e.number, e.text, nil) && e.paused {
		l.pause(strconv.Itoa(e.number))
	}
}

// current is the entry that has a number now, or nil. What takes a change back asks for it then: the entry that was changed may
// have been replaced since.
func (l *loop) current(number int) *entry {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, e := range l.entries {
		if e.number == number {
			return e
		}
	}
	return nil
}

// started notes how it is taken back that an entry was started, in place of old if that is not nil.
func (l *loop) started(number int, old *entry) {
	l.changes.add(func() {
		e := l.current(number)
		switch {
		case old != nil:
			l.startAs(number, old.text, e)
		case e != nil:
			l.ended(e, "detached")
		default:
			l.out.printf("[%d] has ended already\n", number)
		}
	})
}

// clear detaches everything, which is one change.
func (l *loop) clear(string) bool {
	l.mu.Lock()
	entries := slices.Clone(l.entries)
	l.mu.Unlock()
	if len(entries) == 0 {
		l.out.printf("nothing runs\n")
		return false
	}
	l.closeAll()
	l.changes.add(func() {
		for _, e := range entries {
			l.restart(e)
		}
	})
	return false
}

// pause has an entry see no events.
func (l *loop) pause(number string) bool { return l.setPaused("pause", number, true) }

// resume has it see events again.
func (l *loop) resume(number string) bool { return l.setPaused("resume", number, false) }

func (l *loop) setPaused(command, number string, on bool) bool {
	e := l.named(command, number)
	if e == nil {
		return false
	}
	word, how := "resumed", e.running.Resume
	if on {
		word, how = "paused", e.running.Pause
	}
	if e.paused == on {
		l.out.printf("[%d] is %s already\n", e.number, word)
		return false
	}
	if err := how(); err != nil {
		l.say(err)
		return false
	}
	l.mu.Lock()
	e.paused = on
	l.mu.Unlock()
	back := l.resume
	if !on {
		back = l.pause
	}
	l.changes.add(func() { back(number) })
	l.out.printf("[%d] %s\n", e.number, word)
	return false
}
