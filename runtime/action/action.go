// Package action does what a script asks for besides being shown: it runs the
// commands of system(), reads the files of cat() and writes those of skboutput().
// Each is done once, however many sinks there are.
package action

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
	"fst/lang/load"
	"fst/lang/printable"
	"fst/runtime/event"
)

// Runner is a sink that does what records ask for, and hands the next one what that
// brought (event.Output, event.Failure) and all other events.
type Runner struct {
	Next event.Sink
	// Command gives the text of a record's format with its values as they are: a
	// command or a path, nothing to show.
	Command func(*event.Record) string
	// MaxCat is how much of a file cat() reads, in bytes.
	MaxCat int
	// Stdout is where commands write at once; if it is nil, what they write is an
	// event.Output when they have ended. Stderr gets what they write there.
	Stdout, Stderr io.Writer

	packets map[string]*load.Output // pcap files that were begun
}

// Event implements event.Sink.
func (r *Runner) Event(e event.Event) {
	switch e := e.(type) {
	case *event.Record:
		switch e.Message.Kind {
		case object.MsgCat:
			r.cat(e)
			return
		case object.MsgSystem:
			r.system(e)
			return
		case object.MsgPacket:
			r.check(r.packet(e))
			return
		}
	case *event.Exit:
		r.closePackets()
	}
	r.Next.Event(e)
}

// Flush implements event.Sink.
func (r *Runner) Flush() error { return r.Next.Flush() }

// check tells the next sink of an error, if there is one.
func (r *Runner) check(err error) {
	if err != nil {
		r.Next.Event(&event.Failure{Text: err.Error()})
	}
}

// cat reads the beginning of the file that a record names.
func (r *Runner) cat(e *event.Record) {
	path := r.Command(e)
	var text []byte
	f, err := os.Open(path)
	if err == nil {
		// Files in /proc have no size: read what comes.
		text, err = io.ReadAll(io.LimitReader(f, int64(r.MaxCat)))
		f.Close()
	}
	if err == nil || len(text) > 0 {
		r.Next.Event(&event.Output{Stamp: e.Stamp, Message: e.Message, Text: text})
	}
	if err != nil {
		r.check(fmt.Errorf("cat: %s: %s", printable.String(path), reason(err)))
	}
}

// system runs a record's text in a shell.
func (r *Runner) system(e *event.Record) {
	command := r.Command(e)
	r.Next.Flush() // what was said before comes before; an error is met again
	cmd := exec.Command("/bin/sh", "-c", command)
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = r.Stdout, r.Stderr
	if r.Stdout == nil {
		cmd.Stdout = &out
	}
	err := cmd.Run()
	if r.Stdout == nil && (err == nil || out.Len() > 0) {
		r.Next.Event(&event.Output{Stamp: e.Stamp, Message: e.Message, Text: out.Bytes()})
	}
	var exit *exec.ExitError
	switch {
	case errors.As(err, &exit) && exit.Exited():
		r.check(fmt.Errorf("system: %s: ended with exit code %d", printable.String(command), exit.ExitCode()))
	case err != nil:
		r.check(fmt.Errorf("system: %s: %s", printable.String(command), reason(err)))
	}
}

// reason is an error without the operation and the path, as a sentence begins.
func reason(err error) string {
	var p *fs.PathError
	if errors.As(err, &p) {
		err = p.Err
	}
	text := err.Error()
	return strings.ToUpper(text[:1]) + text[1:]
}
