package object

import (
	"strings"
	"testing"
)

// TestNamesDiffer: fields of one name are numbered, whatever names there are already.
func TestNamesDiffer(t *testing.T) {
	var s Schema
	for _, name := range []string{"a", "b", "a", "a_3", "a", "a_3", "a"} {
		s.Add(Field{Name: name})
	}
	s.Fields = append(s.Fields[:1:1], s.Fields[2:]...) // as who keeps some of them
	s.Add(Field{Name: "b"})
	s.Add(Field{Name: "a"})
	var names []string
	for _, f := range s.Fields {
		names = append(names, f.Name)
	}
	if got := strings.Join(names, " "); got != "a a_2 a_3 a_4 a_3_2 a_5 b a_6" {
		t.Error(got)
	}
	if s.Fields[7].Written != "a" {
		t.Errorf("written %q", s.Fields[7].Written)
	}
}
