package fst

import (
	"errors"
	"strings"
	"testing"

	"golang.org/x/sys/unix"

	"fst/compiler/object"
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
