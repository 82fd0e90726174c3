package fst

import (
	"errors"
	"strings"

	"fst/runtime/session"
)

// Child is a command that waits, before its exec, until a session's probes are
// in place. It has the standard streams of this process.
type Child struct {
	child *session.Child
}

// NewChild makes a process that will run a command. The words are split at
// blanks; there is no shell.
func NewChild(command string) (*Child, error) {
	words := strings.Fields(command)
	if len(words) == 0 {
		return nil, errors.New("the command to run is empty")
	}
	c, err := session.StartChild(words)
	if err != nil {
		return nil, err
	}
	return &Child{c}, nil
}

// PID is the process id of the command.
func (c *Child) PID() int { return c.child.PID }

// Close ends the process with SIGTERM if it still runs.
func (c *Child) Close() { c.child.Stop() }
