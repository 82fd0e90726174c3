package fst

import (
	"errors"
	"strings"
	"testing"

	"golang.org/x/sys/unix"

	"fst/compiler/object"
	"fst/lang/diag"
	"fst/lang/source"
	"fst/runtime/attach"
)

// TestExplainsLibrary attaches a hook of a library in vain: what is wrong is
// told where the script names the probe that needs it.
func TestExplainsLibrary(t *testing.T) {
	var set source.Set
	lib := set.Add("lib.fst", "call:vfs_read { fire my:read(); }\n")
	script := set.Add("s.fst", "BEGIN { }\nmy:read { }\n")
	hook := &object.Hook{Kind: object.HookKprobe, Name: "call:vfs_read", Span: lib.Span(0, 13),
		For: &object.Declared{Name: "my:read", Span: script.Span(10, 17)}}
	p := &Program{object: &object.Object{Sources: &set}}
	err := p.explain(&attach.Error{Hook: hook, Err: unix.ENOENT, Reason: "there is none"})
	var said *ScriptError
	if !errors.As(err, &said) {
		t.Fatal(err)
	}
	problems := said.Problems()
	if len(problems) != 1 || problems[0].File != "s.fst" || problems[0].Line != 2 || len(problems[0].Notes) != 1 || problems[0].Notes[0].File != "lib.fst" ||
		!strings.Contains(problems[0].Message, "my:read can't work on this kernel: cannot attach call:vfs_read: there is none") {
		t.Errorf("%+v", problems)
	}
}

// TestProblemsAreThoseShown makes sure that the complaints as data stop where the
// text does, and tell of the same rest.
func TestProblemsAreThoseShown(t *testing.T) {
	for n, want := range map[int]string{20: "there is no function nosuch20", 21: "and 1 more error", 25: "and 5 more errors"} {
		var list diag.List
		for i := range n {
			list.Errorf(source.Span{}, "there is no function nosuch%d", i+1)
		}
		said := &ScriptError{set: &source.Set{}, list: list}
		problems := said.Problems()
		if last := problems[len(problems)-1].Message; len(problems) != min(n, 21) || last != want || !strings.HasSuffix(said.Error(), want) {
			t.Errorf("%d errors are %d problems, the last %q, and the text %s", n, len(problems), last, said.Error())
		}
	}
}
