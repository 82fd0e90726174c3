package repl

import (
	"errors"
	"os"
	"path/filepath"
	"syscall"

	"github.com/peterh/liner"
)

// Terminal is the Prompter of a terminal.
type Terminal struct {
	state   *liner.State
	history string            // file, or empty
	normal  liner.ModeApplier // between prompts
	editing liner.ModeApplier // at a prompt
}

// NewTerminal takes over the terminal. history is a file that keeps what was
// entered; it may be empty.
func NewTerminal(history string) *Terminal {
	normal, _ := liner.TerminalMode()
	t := &Terminal{state: liner.NewLiner(), history: history, normal: normal}
	t.editing, _ = liner.TerminalMode()
	t.state.SetCtrlCAborts(true)
	t.state.SetTabCompletionStyle(liner.TabPrints)
	if f, err := os.Open(history); err == nil {
		t.state.ReadHistory(f)
		f.Close()
	}
	t.leave()
	return t
}

// leave restores the terminal's own mode: what runs between prompts may print
// and be interrupted as usual.
func (t *Terminal) leave() {
	if t.normal != nil {
		t.normal.ApplyMode()
	}
}

// Prompt implements Prompter.
func (t *Terminal) Prompt(prompt string) (string, error) {
	if t.editing != nil {
		t.editing.ApplyMode()
	}
	defer t.leave()
	line, err := t.state.Prompt(prompt)
	if errors.Is(err, liner.ErrPromptAborted) {
		err = ErrAborted
	}
	return line, err
}

// Remember implements Prompter.
func (t *Terminal) Remember(entry string) { t.state.AppendHistory(oneLine(entry)) }

// oneLine joins the lines of an entry: the history keeps one a line.
func oneLine(entry string) string {
	b := []byte(entry)
	for i, c := range b {
		if c == '\n' {
			b[i] = ' '
		}
	}
	return string(b)
}

// Redraw implements Redrawer: the line editor draws its line again when the
// window changes its size.
func (t *Terminal) Redraw() { syscall.Kill(os.Getpid(), syscall.SIGWINCH) }

// SetCompleter says how words are completed.
func (t *Terminal) SetCompleter(c Completer) { t.state.SetWordCompleter(liner.WordCompleter(c)) }

// Close writes the history and gives the terminal back.
func (t *Terminal) Close() error {
	if t.history != "" {
		os.MkdirAll(filepath.Dir(t.history), 0o700)
		if f, err := os.OpenFile(t.history, os.O_CREATE|os.O_WRONLY|os.O_TRUNC, 0o600); err == nil {
			t.state.WriteHistory(f)
			f.Close()
		}
	}
	return t.state.Close()
}

// HistoryFile is where the prompt's history is kept: in the state directory
// of the XDG base directory specification.
func HistoryFile(env map[string]string) string {
	dir := env["XDG_STATE_HOME"]
	if dir == "" {
		if env["HOME"] == "" {
			return ""
		}
		dir = filepath.Join(env["HOME"], ".local", "state")
	}
	return filepath.Join(dir, "fst", "history")
}
