package render

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"strings"

	"fst/compiler/object"
	"fst/compiler/types"
	"fst/lang/printable"

	"golang.org/x/sys/unix"
)

// cat appends the start of the file that a message names.
func (p *printer) cat(b []byte, m *object.Message, record []byte) ([]byte, error) {
	path := p.command(m, record)
	f, err := os.Open(path)
	if err != nil {
		return b, fmt.Errorf("cat: %s: %s", printable.String(path), reason(err))
	}
	defer f.Close()
	// Files in /proc have no size: read what comes.
	text, err := io.ReadAll(io.LimitReader(f, int64(p.obj.Config.MaxCatBytes)))
	if p.exact {
		b = append(b, text...)
	} else {
		b = printable.AppendLines(b, text)
	}
	if err != nil {
		return b, fmt.Errorf("cat: %s: %s", printable.String(path), reason(err))
	}
	return b, nil
}

// command is a message's text that is not shown but used.
func (p *printer) command(m *object.Message, record []byte) string {
	return p.exactly(func() []byte { return p.printf(nil, m, record) })
}

// system runs a message's text in a shell.
func (p *printer) system(m *object.Message, record []byte, stdout, stderr io.Writer) error {
	command := p.command(m, record)
	cmd := exec.Command("/bin/sh", "-c", command)
	cmd.Stdout, cmd.Stderr = stdout, stderr
	var exit *exec.ExitError
	err := cmd.Run()
	switch {
	case errors.As(err, &exit) && exit.Exited():
		return fmt.Errorf("system: %s: ended with exit code %d", printable.String(command), exit.ExitCode())
	case err != nil:
		return fmt.Errorf("system: %s: %s", printable.String(command), reason(err))
	}
	return nil
}

func reason(err error) string {
	var p *fs.PathError
	if errors.As(err, &p) {
		err = p.Err
	}
	text := err.Error()
	return strings.ToUpper(text[:1]) + text[1:]
}

// join appends the words of a join message. An empty word ends them: what
// follows it was not written.
func (p *printer) join(b []byte, m *object.Message, record []byte) []byte {
	if len(m.Fields) == 0 {
		return b
	}
	v := fieldOf(&m.Fields[0], record)
	if v.Type.Kind == types.Array && v.Type.Elem.Kind == types.String {
		for i := range v.Len() {
			word := v.Index(i).Bytes()
			if len(word) == 0 {
				break
			}
			if i > 0 {
				b = append(b, m.Sep...)
			}
			b = p.bytes(b, word)
		}
		return append(b, '\n')
	}
	words := v.Bytes()
	if v.Type.Kind == types.String {
		words = v.Data
	}
	for len(words) > 0 && words[len(words)-1] == 0 {
		words = words[:len(words)-1]
	}
	for i, word := range bytes.Split(words, []byte{0}) {
		if i > 0 {
			b = append(b, m.Sep...)
		}
		b = p.bytes(b, word)
	}
	return append(b, '\n')
}

// runtimeError is the text of a MsgRuntimeError: what went wrong (a LossKind)
// and, if there is one, the helper's return code.
func (p *printer) runtimeError(m *object.Message, record []byte) (text string, code int64) {
	kind := object.LossOther
	if len(m.Fields) > 0 {
		kind = object.LossKind(fieldOf(&m.Fields[0], record).Int())
	}
	if len(m.Fields) > 1 {
		code = fieldOf(&m.Fields[1], record).Int()
	}
	if kind == object.LossMapFull && code == -int64(unix.ENOMEM) {
		return "new key was not stored: the kernel had no memory at hand for so large a value; " +
			"let @m = percpuhash(100) keeps memory for 100 keys", code
	}
	return strings.TrimPrefix(p.lossText(object.Loss{Kind: kind}, 1), "1 "), code
}
