package jsonlines

import (
	"slices"
	"strings"
	"testing"
)

// TestWriter: lines come whole and in order, however the output is cut.
func TestWriter(t *testing.T) {
	const text = "{\"N\":1}\nno JSON\n{\"N\":\"of another type\"}\n{\"N\":2}\n{\"N\":3"
	for size := 1; size <= len(text); size++ {
		var got []int
		var other strings.Builder
		w := &Writer[struct{ N int }]{Take: func(v struct{ N int }) { got = append(got, v.N) }, Other: &other}
		for piece := range slices.Chunk([]byte(text), size) {
			if n, err := w.Write(piece); n != len(piece) || err != nil {
				t.Fatalf("%d bytes, %v", n, err)
			}
		}
		if !slices.Equal(got, []int{1, 2}) || other.String() != "no JSON\n{\"N\":\"of another type\"}\n" {
			t.Errorf("in pieces of %d: %v and %q", size, got, other.String())
		}
	}
}
