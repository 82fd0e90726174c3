package cli

import (
	"fmt"
	"io"
	"os"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"fst"
	"fst/cmd/fst/repl"
	"fst/lang/printable"
	"fst/runtime/child"
)

// traced is the command of -c at the prompt. It waits until the first clauses are attached; what is attached while it runs ends
// with it, as programs outside of the prompt do, and what is entered later runs on.
type traced struct {
	text   string
	child  *child.Child
	output *os.File // what it says
	once   sync.Once
	said   io.Writer     // for what the prompt says about it
	told   chan struct{} // closed when its end has been told

	released atomic.Bool

	mu       sync.Mutex     // is held while one is started
	sessions []*fst.Session // that end with it
}

func newTraced(text string) (*traced, error) {
	read, write, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	defer write.Close()
	c, err := child.NewApart(text, write)
	if err != nil {
		read.Close()
		return nil, err
	}
	return &traced{text: printable.String(text), child: c, output: read, told: make(chan struct{})}, nil
}

// attend shows what the command says and how it ends.
func (c *traced) attend(source func(label string) io.Writer) {
	words := strings.Fields(c.text)
	c.said = source("")
	fmt.Fprintf(c.said, "(%s, process %d, runs once the first clause is attached)\n", c.text, c.child.PID)
	shown := make(chan struct{})
	go func() {
		defer close(shown)
		io.Copy(source("["+words[0]+"] "), c.output)
	}()
	go func() {
		defer close(c.told)
		<-c.child.Done()
		c.mu.Lock()
		for _, s := range c.sessions {
			<-s.Done()
		}
		c.mu.Unlock()
		select {
		case <-shown: // all that it said
		case <-time.After(shownTime): // what it has started goes on
		}
		fmt.Fprintf(c.said, "(%s %s)\n", c.text, c.child.Status())
	}()
}

// shownTime is how long the last that a command says may take to be shown.
const shownTime = 100 * time.Millisecond

// start has a session end with the command, and set it going, unless there is none, or it has ended.
func (c *traced) start(o fst.RunOptions, start func(o fst.RunOptions) (repl.Running, error)) (repl.Running, error) {
	if c == nil || c.child.Ended() {
		return start(o)
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	alone := o
	o.UntilPID = c.child.PID
	attached := o.OnAttached
	o.OnAttached = func() {
		if attached != nil {
			attached()
		}
		c.once.Do(func() {
			c.released.Store(true)
			if err := c.child.Release(); err != nil {
				fmt.Fprintf(c.said, "(%v)\n", err)
			}
		})
	}
	r, err := start(o)
	switch {
	case err == nil:
		c.sessions = append(c.sessions, r.(running).Session)
	case c.child.Ended(): // meanwhile
		return start(alone)
	}
	return r, err
}

// wait waits for its end, if it was ever set going.
func (c *traced) wait() {
	if c.released.Load() {
		<-c.told
	}
}

// close ends the command, as the end of a program does.
func (c *traced) close() { c.child.Stop() }

// untilEnd is an input that ends only when the command of -c has ended, which may be nil.
type untilEnd struct {
	repl.Lines
	command *traced
}

// Prompt implements repl.Prompter.
func (u untilEnd) Prompt(prompt string) (string, error) {
	line, err := u.Lines.Prompt(prompt)
	if err != nil && u.command != nil {
		u.command.wait()
	}
	return line, err
}
