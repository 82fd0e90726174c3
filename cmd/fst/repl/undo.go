package repl

import "slices"

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
		l.out.printf("nothing to take back\n")
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
	l.changes.add(func() { l.startAs(e.number, e.text, nil) })
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
			l.startAs(e.number, e.text, nil)
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
