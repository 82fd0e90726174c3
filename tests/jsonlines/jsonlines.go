// Package jsonlines reads a program's output of a JSON object per line while
// it comes.
package jsonlines

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
)

// Writer takes output in pieces of any size. Take gets each line that is a T in
// JSON; any other line is printed to Other.
type Writer[T any] struct {
	Take  func(T)
	Other io.Writer

	rest []byte // the beginning of a line
}

func (w *Writer[T]) Write(p []byte) (int, error) {
	w.rest = append(w.rest, p...)
	for {
		line, rest, ok := bytes.Cut(w.rest, []byte("\n"))
		if !ok {
			return len(p), nil
		}
		w.rest = rest
		var value T
		if err := json.Unmarshal(line, &value); err == nil {
			w.Take(value)
		} else if _, err := fmt.Fprintf(w.Other, "%s\n", line); err != nil {
			return len(p), err
		}
	}
}
