package cpus

import (
	"slices"
	"testing"
)

func TestParse(t *testing.T) {
	for list, want := range map[string][]int{"0": {0}, "0-3": {0, 1, 2, 3}, "0,2-3,8": {0, 2, 3, 8}, "": nil, "0-x": nil} {
		got, err := parse(list)
		if !slices.Equal(got, want) || (err == nil) != (want != nil) {
			t.Errorf("%q: %v, %v", list, got, err)
		}
	}
}

func TestLists(t *testing.T) {
	online, err := Online()
	possible, err2 := Possible()
	if err != nil || err2 != nil || len(online) == 0 || len(possible) < len(online) {
		t.Error(online, err, possible, err2)
	}
}
