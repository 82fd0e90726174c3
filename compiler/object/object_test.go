package object

import (
	"strings"
	"testing"
)

func TestScriptMaps(t *testing.T) {
	obj := &Object{Maps: []*Map{{Name: "fst_ring"}}}
	for _, name := range []string{"@a1", "@a", "@_", "@A", "@"} {
		obj.Maps = append(obj.Maps, &Map{Name: name, Script: true})
	}
	var names []string
	for _, m := range obj.ScriptMaps() {
		names = append(names, m.Name)
	}
	if got := strings.Join(names, " "); got != "@ @A @_ @a @a1" {
		t.Errorf("order of maps: %s", got)
	}
}
