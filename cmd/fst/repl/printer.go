package repl

import (
	"fmt"
	"io"
	"sync"
)

// Redrawer is a Prompter that can draw its line again after something was
// written over it.
type Redrawer interface {
	Redraw()
}

// printer writes above the prompt: it clears the line that is being edited,
// writes, and has the prompt drawn again. Writes may come from any goroutine.
type printer struct {
	mu     sync.Mutex
	w      io.Writer
	redraw Redrawer
	active bool // a prompt is on the screen
	middle bool // the last write did not end a line
}

// Write implements io.Writer.
func (p *printer) Write(b []byte) (int, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if len(b) == 0 {
		return 0, nil
	}
	if !p.active || p.redraw == nil {
		return p.w.Write(b)
	}
	out := make([]byte, 0, len(b)+8)
	if !p.middle {
		out = append(out, "\r\x1b[K"...)
	}
	// The terminal is in raw mode: a newline alone does not go to column 1.
	for _, c := range b {
		if c == '\n' {
			out = append(out, '\r')
		}
		out = append(out, c)
	}
	p.middle = b[len(b)-1] != '\n'
	_, err := p.w.Write(out)
	if !p.middle {
		p.redraw.Redraw()
	}
	return len(b), err
}

func (p *printer) printf(format string, args ...any) { fmt.Fprintf(p, format, args...) }

// prompting tells the printer that a prompt appears on or leaves the screen.
func (p *printer) prompting(on bool) {
	p.mu.Lock()
	p.active, p.middle = on, false
	p.mu.Unlock()
}
