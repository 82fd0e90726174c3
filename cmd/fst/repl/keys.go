package repl

import (
	"bytes"
	"errors"
	"os"
	"strings"
	"sync/atomic"
	"time"

	"golang.org/x/sys/unix"
)

// What a terminal sends round a text that is pasted, and how it is asked to.
const (
	pasteBegins = "\x1b[200~"
	pasteEnds   = "\x1b[201~"
	pasteOn     = "\x1b[?2004h"
	pasteOff    = "\x1b[?2004l"
)

// The line editor knows no line breaks or tabs within a line: marks stand for
// them. The marks themselves, in a text, have stand-ins of Unicode's private use.
var (
	toMarks   = strings.NewReplacer("␤", "\U000F2424", "␉", "\U000F2409", "\r\n", "␤", "\n", "␤", "\r", "␤", "\t", "␉")
	fromMarks = strings.NewReplacer("␤", "\n", "␉", "\t", "\U000F2424", "␤", "\U000F2409", "␉")
)

// pasteMark stands in a line where a paste goes. It is a noncharacter of Unicode, which no terminal sends. The line editor
// would draw a line anew for each few of the characters that it is sent: it ends the line with the mark instead, and begins
// again with the text in it. leaveSearch is a key that does nothing, but ends a search of the history.
const (
	pasteMark   = "\uFDD0"
	leaveSearch = "\x1b[99~"
)

// keys hands on what is typed to the line editor, while a line is edited. For a
// text that is pasted it ends the line with a mark in it.
type keys struct {
	terminal    *os.File
	editor      *os.File // what the line editor reads
	wake, woken *os.File // a byte for each time that reading begins or ends
	turn        chan bool
	lines       atomic.Bool // the terminal hands on whole lines, and Ctrl-D as the end of its input
	reading     atomic.Bool
	over        atomic.Bool // the input ends here, whatever is typed

	// hint returns what is to be typed for a hint, if one is shown; typed hears of all else that is typed. Both may be nil.
	hint  func() string
	typed func()

	held    []byte // may be the beginning of a paste's code
	pasting bool
	paste   []byte      // what has come of it
	pastes  chan string // that have come whole, with marks for their line breaks
}

// newKeys returns the file that the line editor is to read, too.
func newKeys(terminal *os.File) (k *keys, input *os.File, err error) {
	k = &keys{terminal: terminal, turn: make(chan bool, 16), pastes: make(chan string, 1)}
	if input, k.editor, err = os.Pipe(); err != nil {
		return nil, nil, err
	}
	if k.woken, k.wake, err = os.Pipe(); err != nil {
		return nil, nil, err
	}
	go k.run()
	return k, input, nil
}

// read says whether what is typed is the line editor's. Between prompts it is
// left to the terminal, and to commands that read it.
func (k *keys) read(on bool) {
	k.reading.Store(on)
	k.turn <- on
	k.wake.Write([]byte{0})
}

// interrupt gives up the line that is read, if lines come whole. It is false if none is read. Any goroutine may call it.
func (k *keys) interrupt() bool {
	if k.lines.Load() && k.reading.Load() {
		k.editor.WriteString(givenUp + "\n")
	}
	return k.reading.Load()
}

// end ends the input of the line editor. Any goroutine may call it.
func (k *keys) end() {
	k.over.Store(true)
	k.wake.Write([]byte{0})
}

// endOfInput ends a line where Ctrl-D was pressed, and givenUp one where Ctrl-C was, if lines come whole.
const (
	endOfInput = "\x04"
	givenUp    = "\x03"
)

// escapeTime is how long the rest of a key's code may take to come.
const escapeTime = 20 * time.Millisecond

func (k *keys) run() {
	defer k.editor.Close()
	fds := []unix.PollFd{{Fd: int32(k.woken.Fd()), Events: unix.POLLIN}, {Fd: -1, Events: unix.POLLIN}}
	buffer := make([]byte, 4096)
	for {
		timeout := -1
		if len(k.held) > 0 && !k.pasting {
			timeout = int(escapeTime / time.Millisecond)
		}
		switch n, err := unix.Poll(fds, timeout); {
		case errors.Is(err, unix.EINTR):
		case err != nil:
			return
		case n == 0: // no code came of it
			k.editor.Write(k.held)
			k.held = nil
		case fds[0].Revents != 0:
			k.woken.Read(buffer[:1])
			if k.over.Load() {
				return
			}
			fds[1].Fd = -1
			if <-k.turn {
				fds[1].Fd = int32(k.terminal.Fd())
			}
		default:
			n, err := unix.Read(int(fds[1].Fd), buffer)
			if errors.Is(err, unix.EINTR) || errors.Is(err, unix.EAGAIN) {
				continue
			}
			if n == 0 && k.lines.Load() { // Ctrl-D ends this prompt's input only
				k.editor.WriteString(endOfInput + "\n")
				fds[1].Fd = -1
				continue
			}
			if n <= 0 { // the terminal is gone, or the input at its end
				return
			}
			if typed := k.takeHint(buffer[:n]); len(typed) > 0 {
				if k.typed != nil {
					k.typed()
				}
				k.take(typed)
			}
		}
	}
}

// hintKeys are those that take a hint: Right, End, and their other names.
var hintKeys = []string{"\x1b[C", "\x1bOC", "\x06", "\x1b[F", "\x1bOF", "\x1b[4~", "\x05"}

// takeHint types the hint that is shown if what was typed begins with a key that takes it. It returns what is left.
func (k *keys) takeHint(typed []byte) []byte {
	if k.hint == nil || k.pasting || len(k.held) > 0 {
		return typed
	}
	for _, key := range hintKeys {
		if rest, ok := bytes.CutPrefix(typed, []byte(key)); ok {
			if hint := k.hint(); hint != "" {
				k.editor.WriteString(hint)
				return rest
			}
		}
	}
	return typed
}

// take hands on what was read, but for the codes of pastes.
func (k *keys) take(b []byte) {
	b = append(k.held, b...)
	for {
		code := pasteBegins
		if k.pasting {
			code = pasteEnds
		}
		before, after, found := bytes.Cut(b, []byte(code))
		if !found {
			before, after = splitPrefix(b, code)
		}
		switch {
		case k.pasting:
			k.paste = append(k.paste, before...)
		case len(before) > 0:
			k.editor.Write(before)
		}
		if !found {
			k.held = after
			return
		}
		if k.pasting {
			k.insert(pasted(k.paste))
			k.paste = nil
		}
		k.pasting, b = !k.pasting, after
	}
}

// insert puts a text into the edited line.
func (k *keys) insert(text string) {
	switch {
	case k.lines.Load():
		k.editor.WriteString(text)
	case text != "":
		k.pastes <- text
		k.editor.WriteString(leaveSearch + pasteMark + "\r")
	}
}

// splitPrefix cuts off an end that may be the beginning of a code.
func splitPrefix(b []byte, code string) (before, rest []byte) {
	for n := min(len(code)-1, len(b)); n > 0; n-- {
		if bytes.HasSuffix(b, []byte(code[:n])) {
			return b[:len(b)-n], bytes.Clone(b[len(b)-n:])
		}
	}
	return b, nil
}

// pasted is a text as it is put into the edited line: marks for line breaks and
// tabs, no other control characters, no blank lines at its end.
func pasted(text []byte) string {
	marked := toMarks.Replace(strings.TrimRight(strings.ToValidUTF8(string(text), "�"), "\r\n\t "))
	return strings.Map(func(r rune) rune {
		if r < ' ' || r == 0x7f || string(r) == pasteMark {
			return -1
		}
		return r
	}, marked)
}
