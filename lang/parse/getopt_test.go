package parse

import (
	"maps"
	"testing"
)

func TestGetopts(t *testing.T) {
	for text, want := range map[string]map[string]bool{
		`begin { print(1); }`: {},
		`profile:hz:getopt("hz", 99) /!getopt("all") && pid == getopt("pid", 0, "which")/ { if (getopt("by", false)) { print(getopt("name", "x")); } }`: {
			"hz": true, "all": false, "pid": true, "by": false, "name": true},
		`begin { // getopt("no", 1)
			print(getopt(`: {},
	} {
		if got := Getopts(text); !maps.Equal(got, want) {
			t.Errorf("%s: %v, want %v", text, got, want)
		}
	}
}
