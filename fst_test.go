package fst

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"fst/compiler/builtin"
)

func TestScriptError(t *testing.T) {
	_, err := Compile("BEGIN {\n  printf(;\n}\n", Options{Name: "x.bt"})
	var e *ScriptError
	if !errors.As(err, &e) {
		t.Fatalf("%T %v", err, err)
	}
	p := e.Problems()
	if len(p) == 0 || p[0].File != "x.bt" || p[0].Line != 2 || p[0].Warning || !strings.Contains(err.Error(), "x.bt:2:") {
		t.Errorf("%+v\n%v", p, err)
	}
}

func TestFormat(t *testing.T) {
	out, err := Format("x.bt", "BEGIN{printf(\"x\")}")
	if err != nil || !strings.Contains(out, `printf("x")`) || !strings.HasPrefix(out, "BEGIN {") {
		t.Errorf("%q %v", out, err)
	}
	for _, text := range []string{"", "\n\n"} {
		if out, err := Format("x.bt", text); err != nil || out != "" {
			t.Errorf("%q becomes %q, %v", text, out, err)
		}
	}
}

// TestUnsafe has all that acts on the system be refused without Options.Unsafe, however the script
// comes to it.
func TestUnsafe(t *testing.T) {
	dir := t.TempDir()
	calls := map[string]string{"system": `system("true")`, "signal": `signal("KILL")`, "signal_thread": `signal_thread(9)`,
		"override": `override(1)`, "override_return": `override_return(1)`, "write_user": `write_user((uint64)0, 1, 1)`}
	for _, name := range builtin.FuncNames() {
		if f, _ := builtin.FuncByName(name); f.Unsafe && calls[name] == "" {
			t.Errorf("%s is not tried", name)
		}
	}
	for name, call := range calls {
		header, module := filepath.Join(dir, name+".h"), filepath.Join(dir, name+".fst")
		for path, text := range map[string]string{header: "#define ACT " + call + "\n", module: "macro act() { " + call + "; }\n"} {
			if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		for how, o := range map[string]struct {
			text    string
			options Options
		}{
			"a clause":     {text: "uprobe:/bin/sh:main { " + call + "; }"},
			"a filter":     {text: "uprobe:/bin/sh:main /1/ { if (1) { " + call + "; } }"},
			"a macro":      {text: "macro act() { " + call + "; }\nuprobe:/bin/sh:main { act(); }"},
			"a definition": {text: "#define ACT " + call + "\nuprobe:/bin/sh:main { ACT; }"},
			"an include":   {text: "#include \"" + header + "\"\nuprobe:/bin/sh:main { ACT; }"},
			"an import":    {text: "import \"" + module + "\";\nuprobe:/bin/sh:main { act(); }"},
			"a test":       {text: "test:x { " + call + "; }", options: Options{Mode: Test}},
			"a statement":  {text: call, options: Options{Form: Statements, Live: true}},
			"definitions of the prompt": {text: "uprobe:/bin/sh:main { act(); }",
				options: Options{Include: Include{Definitions: "macro act() { " + call + "; }"}}},
			"a header of the command line": {text: "uprobe:/bin/sh:main { ACT; }", options: Options{Include: Include{Headers: []string{header}}}},
			"the environment":              {text: "uprobe:/bin/sh:main { " + call + "; }", options: Options{Env: map[string]string{"BPFTRACE_UNSAFE": "1"}}},
			"a setting":                    {text: "config = { unsafe = 1 }\nuprobe:/bin/sh:main { " + call + "; }"},
			"a parameter":                  {text: "uprobe:/bin/sh:main { " + call + "; }", options: Options{Params: Params{Named: map[string]string{"unsafe": ""}}}},
			"a branch":                     {text: "uprobe:/bin/sh:main { if (!safe_mode || getopt(\"x\", 1) == 1) { " + call + "; } }"},
		} {
			o.options.Name = "x.fst"
			prog, err := Compile(o.text, o.options)
			if err == nil || prog != nil {
				t.Errorf("%s in %s: is compiled", name, how)
			} else if how != "a setting" && !strings.Contains(err.Error(), "acts on the system") {
				t.Errorf("%s in %s: %v", name, how, err)
			}
		}
	}
}
