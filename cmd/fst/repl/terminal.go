package repl

import (
	"bufio"
	"cmp"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"unicode/utf8"

	"github.com/peterh/liner"
	"golang.org/x/sys/unix"
)

// Terminal is the Prompter of a terminal. The line editor, liner, reads
// os.Stdin and prints to os.Stdout: both are pipes while a Terminal is open, so
// that pastes are taken whole and text can appear above the edited line.
type Terminal struct {
	state   *liner.State
	keys    *keys
	screen  *screen
	history history
	entered recalled
	hints   bool // are shown at first
	stdout  *os.File
	dumb    bool          // no line can be edited: TERM=dumb
	breaks  chan struct{} // Ctrl-C was pressed while a command ran
	shown   chan struct{} // a mark has come through the editor's output
	normal  liner.ModeApplier
	editing liner.ModeApplier
}

// NewTerminal takes over the terminal that is the standard input and output.
// file keeps what was entered; it may be empty. hints has colours and hints be shown while a line is edited.
func NewTerminal(file string, hints bool) (*Terminal, error) {
	t := &Terminal{hints: hints, history: history{path: file}, stdout: os.Stdout, dumb: !liner.TerminalSupported(), shown: make(chan struct{}), breaks: make(chan struct{}, 1)}
	keys, input, err := newKeys(os.Stdin)
	if err != nil {
		return nil, err
	}
	output, echo, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	t.keys, os.Stdin, os.Stdout = keys, input, echo
	if !t.dumb {
		// It is to draw its line in the way that screen understands, which all
		// terminals do.
		term := os.Getenv("TERM")
		os.Setenv("TERM", "xterm")
		defer os.Setenv("TERM", term)
	}
	t.normal, _ = liner.TerminalMode()
	t.state = liner.NewLiner()
	t.editing, _ = liner.TerminalMode()
	t.state.SetCtrlCAborts(true)
	t.state.SetMultiLineMode(true) // it draws a line whole, and the screen shows what there is room for
	t.state.SetTabCompletionStyle(liner.TabPrints)
	t.history.shorten()
	go t.echo(output)
	t.leave()
	return t, nil
}

// mark is what no line editor prints: what came before it is on the screen.
const mark = 0

// echo shows what the line editor prints.
func (t *Terminal) echo(output io.Reader) {
	b := make([]byte, 32<<10)
	for {
		n, err := output.Read(b)
		if err != nil {
			return
		}
		if text, marked := strings.CutSuffix(string(b[:n]), string(rune(mark))); marked {
			t.screen.edited([]byte(text))
			t.shown <- struct{}{}
		} else {
			t.screen.edited(b[:n])
		}
	}
}

// Screen implements Screener.
func (t *Terminal) Screen(s *screen) {
	t.screen = s
	if !t.dumb {
		s.size = t.size
		s.setHelps(t.hints)
		t.keys.hint, t.keys.typed = s.takeHint, func() {
			s.hinted.Store(false)
			s.waits.Store(false)
		}
	}
}

// CanHint reports whether the terminal can show hints.
func (t *Terminal) CanHint() bool { return !t.dumb }

// Recall implements Recaller.
func (t *Terminal) Recall(beginning string) string { return t.entered.recall(beginning) }

func (t *Terminal) size() (columns, rows int) {
	size, err := unix.IoctlGetWinsize(int(t.stdout.Fd()), unix.TIOCGWINSZ)
	if err != nil {
		return 1, 1
	}
	return max(1, int(size.Col)), max(1, int(size.Row))
}

// leave restores the terminal's own mode: what runs between prompts may print
// and be interrupted as usual.
func (t *Terminal) leave() {
	if t.normal != nil {
		t.normal.ApplyMode()
	}
}

// Prompt implements Prompter.
func (t *Terminal) Prompt(prompt string) (string, error) { return t.Edit(prompt, "") }

// Edit implements Editor.
func (t *Terminal) Edit(prompt, text string) (string, error) {
	for _, entry := range t.history.news() {
		t.state.AppendHistory(entry)
		t.entered.add(entry)
	}
	if t.editing != nil {
		t.editing.ApplyMode()
	}
	if !t.dumb {
		t.stdout.WriteString(pasteOn)
	}
	t.screen.prompting(true)
	t.keys.lines.Store(!t.screen.edits())
	t.keys.read(true)
	select {
	case <-t.breaks: // nothing waited for it
	default:
	}
	line, err := t.state.PromptWithSuggestion(prompt, toMarks.Replace(text), -1)
	for err == nil {
		before, after, found := strings.Cut(line, pasteMark)
		if !found {
			break
		}
		select {
		case text := <-t.keys.pastes:
			before += text
		default: // somebody has typed the mark
		}
		line, err = t.state.PromptWithSuggestion(prompt, before+after, utf8.RuneCountInString(before))
	}
	t.keys.read(false)
	if strings.HasSuffix(line, givenUp) {
		err = ErrAborted
		os.Stdout.WriteString("\n")
	}
	if before, ended := strings.CutSuffix(line, endOfInput); ended {
		if line = before; line == "" {
			err = io.EOF
		}
	}
	if errors.Is(err, io.EOF) { // the editor leaves its line open
		os.Stdout.WriteString("\n")
	}
	os.Stdout.Write([]byte{mark})
	<-t.shown
	t.screen.prompting(false)
	if !t.dumb {
		t.stdout.WriteString(pasteOff)
	}
	t.leave()
	if errors.Is(err, liner.ErrPromptAborted) {
		err = ErrAborted
	}
	return fromMarks.Replace(line), err
}

// Page implements Pager, by $PAGER, or less.
func (t *Terminal) Page(text string) bool {
	command := cmp.Or(strings.TrimSpace(os.Getenv("PAGER")), "less")
	if _, err := exec.LookPath(strings.Fields(command)[0]); t.dumb || err != nil {
		return false
	}
	c := exec.Command("sh", "-c", command)
	c.Stdin, c.Stdout, c.Stderr = strings.NewReader(text), t.stdout, t.stdout
	if os.Getenv("LESS") == "" {
		c.Env = append(os.Environ(), "LESS=FRX")
	}
	c.Run() // its exit code may be anything: the text has been shown
	return true
}

// EditByProgram implements ProgramEditor, by $VISUAL or $EDITOR. The file is in a directory that only the user can read.
func (t *Terminal) EditByProgram(text string) (string, error) {
	command := cmp.Or(strings.TrimSpace(os.Getenv("VISUAL")), strings.TrimSpace(os.Getenv("EDITOR")))
	if command == "" || t.dumb {
		return "", errNoProgram
	}
	dir, err := os.MkdirTemp("", "fst-")
	if err != nil {
		return "", err
	}
	defer os.RemoveAll(dir)
	file := filepath.Join(dir, "entry.fst")
	if err := os.WriteFile(file, []byte(text+"\n"), 0o600); err != nil {
		return "", err
	}
	c := exec.Command("sh", "-c", command+` "$1"`, "sh", file)
	c.Stdin, c.Stdout, c.Stderr = t.keys.terminal, t.stdout, t.stdout
	if err := c.Run(); err != nil {
		return "", fmt.Errorf("%s: %w: the text is not entered", command, err)
	}
	changed, err := os.ReadFile(file)
	return string(changed), err
}

// Remember implements Prompter.
func (t *Terminal) Remember(entry string) {
	entry = toMarks.Replace(entry)
	if t.history.path != "" {
		err := t.history.add(entry)
		if err == nil {
			return
		}
		if !t.history.failed {
			t.history.failed = true
			(&source{screen: t.screen}).printf("(what is entered is not kept for later sessions: %v)\n", err)
		}
	}
	t.state.AppendHistory(entry)
	t.entered.add(entry)
}

// Type implements Typist.
func (t *Terminal) Type(text string) { t.keys.editor.WriteString(text) }

// SetCompleter says how words are completed.
func (t *Terminal) SetCompleter(c Completer) { t.state.SetWordCompleter(liner.WordCompleter(c)) }

// Interrupt does what Ctrl-C does where the terminal makes a signal of that: it gives up the line that is edited, or ends the
// command that runs, if that waits for it. Any goroutine may call it.
func (t *Terminal) Interrupt() {
	if t.keys.interrupt() {
		return
	}
	select {
	case t.breaks <- struct{}{}:
	default:
	}
}

// Interrupted implements Interrupter.
func (t *Terminal) Interrupted() <-chan struct{} { return t.breaks }

// End ends the input, as Ctrl-D does, whatever is being edited. Any goroutine may call it.
func (t *Terminal) End() { t.keys.end() }

// Close gives the terminal back.
func (t *Terminal) Close() error {
	os.Stdout = t.stdout
	return t.state.Close()
}

// Lines is the Prompter of an input that is no terminal: it says nothing.
type Lines struct {
	*bufio.Reader
}

// Prompt implements Prompter.
func (l Lines) Prompt(string) (string, error) {
	line, err := l.ReadString('\n')
	if line != "" {
		err = nil
	}
	return strings.TrimSuffix(line, "\n"), err
}

// Remember implements Prompter.
func (Lines) Remember(string) {}

// Close implements Prompter.
func (Lines) Close() error { return nil }
