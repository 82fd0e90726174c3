package render

import (
	"io"
	"strings"

	"fst/lang/printable"
	"fst/runtime/event"
)

// keep is how much output is kept before it is written without a Flush.
const keep = 64 << 10

// stream is the part that both outputs share: the buffer of the output and
// the way to the error stream.
type stream struct {
	out, errs io.Writer
	buf       []byte // not yet written to out
	err       error  // the first error
	opts      Options
}

// done is called when a message is complete in buf.
func (s *stream) done() {
	if len(s.buf) >= keep || s.opts.LineBuffered {
		s.flush()
	}
}

func (s *stream) flush() {
	if len(s.buf) == 0 {
		return
	}
	_, err := s.out.Write(s.buf)
	s.fail(err)
	s.buf = s.buf[:0]
	if cap(s.buf) > 4*keep {
		s.buf = nil
	}
}

func (s *stream) fail(err error) {
	if s.err == nil {
		s.err = err
	}
}

// say writes what is said about the script or the session to the error stream, as all forms do.
func (s *stream) say(e event.Event) {
	switch e := e.(type) {
	case *event.Failure:
		s.complain("ERROR: " + e.Text)
	case *event.Warning:
		if !s.opts.NoWarnings {
			s.complain("WARNING: " + printable.Lines(e.Text))
		}
	case *event.Remark:
		if !s.opts.Quiet {
			s.complain(printable.Lines(e.Text))
		}
	}
}

// complain writes a line to the error stream, after the output before it.
func (s *stream) complain(text string) {
	s.flush()
	_, err := io.WriteString(s.errs, strings.TrimSuffix(text, "\n")+"\n")
	s.fail(err)
}
