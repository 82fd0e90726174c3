// Package errors_test compiles wrong programs and compares what is said about
// them with what should be said; see README.md.
package errors_test

import (
	"bytes"
	"context"
	"errors"
	"flag"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"fst/cmd/fst/cli"
	"fst/compiler"
	"fst/compiler/check"
	"fst/compiler/ir"
	"fst/compiler/object"
	"fst/compiler/target"
	"fst/compiler/target/facts"
	"fst/compiler/target/fixture"
	"fst/compiler/types"
	"fst/lang/diag"
	"fst/lang/parse"
	"fst/lang/source"
	"fst/runtime/attach"
	"fst/runtime/interpreter"

	"golang.org/x/sys/unix"
)

var update = flag.Bool("update", false, "write what is said now into the files")

func TestMessages(t *testing.T) {
	for _, topic := range topics(t) {
		t.Run(topic.name, func(t *testing.T) {
			for _, c := range topic.cases {
				t.Run(c.name, func(t *testing.T) {
					said := c.run(t)
					if *update {
						c.says = said
						return
					}
					if said != c.says {
						t.Errorf("of\n%s\nis said:\n%s\nand should be:\n%s", c.program, said, c.says)
					}
				})
			}
			if *update {
				if err := os.WriteFile(filepath.Join("testdata", topic.name+".txt"), []byte(topic.String()), 0o666); err != nil {
					t.Fatal(err)
				}
			}
		})
	}
}

// run returns all that is said about a case's program.
func (c *testCase) run(t *testing.T) string {
	if c.command {
		return c.runCommand(t)
	}
	var set source.Set
	var diags diag.List
	obj := c.compile(t, &set, &diags)
	switch {
	case c.refused && obj == nil:
		t.Error("the program is not compiled")
	case c.refused:
		c.refuse(t, obj, &set, &diags)
	case len(diags.All) == 0:
		t.Error("nothing is wrong with this program")
	}
	diags.Sort(&set)
	var out strings.Builder
	(&diag.Renderer{Set: &set}).Render(&out, &diags)
	return out.String()
}

// compile is what fst.Compile does, for a recorded kernel; nil if the program
// has errors.
func (c *testCase) compile(t *testing.T, set *source.Set, diags *diag.List) *object.Object {
	tree := parse.Parse(set.Add("a.fst", c.program), diags)
	o := check.Options{Target: c.target(t), Params: c.params, OpenParams: c.open, Named: c.named, Flags: c.flags, Unsafe: c.unsafe, PID: c.pid, Follow: c.only, Env: c.env,
		Mode: c.mode, Filter: c.filter, Thorough: true}
	if diags.HasErrors() {
		check.Settled(tree, o, diags)
		return nil
	}
	var code []*ir.Program
	if c.interpreted {
		o.Target = interpreter.Target(o.Target)
	}
	obj, err := compiler.Compile(set, tree, compiler.Options{Options: o, IR: &code}, diags)
	if err != nil {
		t.Error(err)
	}
	if c.interpreted && obj != nil {
		interpreter.Check(obj, code, diags)
	}
	return obj
}

// machine is a recorded kernel with what recordings leave out: a few binaries,
// control groups, and questions that can't be answered.
type machine struct {
	*fixture.Kernel
	noFunctions, noTracefs bool
}

var errNoTracefs = errors.New("tracefs is not mounted (mount -t tracefs tracefs /sys/kernel/tracing)")

// damaged is a program whose file can't be read.
const damaged = "/bin/damaged"

// stripped is a program without symbols.
const stripped = "/bin/stripped"

func (m *machine) Traceable(module, pattern string) ([]target.FuncName, error) {
	if m.noFunctions {
		return nil, errNoTracefs
	}
	return m.Kernel.Traceable(module, pattern)
}

func (m *machine) Tracepoint(category, event string) (*target.Tracepoint, error) {
	if m.noTracefs {
		return nil, errNoTracefs
	}
	return m.Kernel.Tracepoint(category, event)
}

func (m *machine) Tracepoints(category, event string) ([]string, error) {
	if m.noTracefs {
		return nil, errNoTracefs
	}
	return m.Kernel.Tracepoints(category, event)
}

func (m *machine) Type(tag, name string) (*types.Type, bool) {
	if !m.Has(target.BTF) {
		return nil, false
	}
	return m.Kernel.Type(tag, name)
}

func (m *machine) Symbols(path, pattern string) ([]target.UserSymbol, error) {
	switch path {
	case damaged:
		return nil, errors.New("bad magic number")
	case stripped:
		return nil, target.ErrStripped
	}
	if pattern == "of32bits" {
		return []target.UserSymbol{{Name: pattern, Addr: 0x1000, Offset: 0x1000, Size: 16, Bits32: true}}, nil
	}
	return m.Kernel.Symbols(path, pattern)
}

func (m *machine) USDT(path, provider, name string) ([]target.USDTProbe, error) {
	if path == damaged {
		return nil, errors.New("bad magic number")
	}
	return m.Kernel.USDT(path, provider, name)
}

// UserFunction knows two functions of a binary: one with a parameter, one with a
// result that can't be read.
func (m *machine) UserFunction(path string, fn target.UserSymbol) (*target.Func, bool) {
	switch fn.Name {
	case "readline":
	case "average":
		return &target.Func{Name: fn.Name, Result: &types.Type{Kind: types.Invalid, Size: 8}, Slots: []int{},
			ResultUnread: "floating-point numbers are returned in registers that BPF programs don't see"}, true
	default:
		return nil, false
	}
	return &target.Func{Name: fn.Name, Result: types.U64, Params: []target.Param{
		{Name: "prompt", Type: types.PointerTo(types.I8, true)}, {Name: "speed", Type: &types.Type{Kind: types.Invalid, Size: 8},
			Unread: "floating-point numbers are passed in registers that BPF programs don't see"}},
		Slots: []int{0, -1}}, true
}

func (m *machine) UserType(string, []uint64, string, string) (*types.Type, bool, bool) {
	return nil, false, false
}

func (m *machine) UserEnumerator(string, string) (int64, *types.Type, bool) { return 0, nil, false }

func (m *machine) MangledSymbols(string, string) ([]target.UserSymbol, error) { return nil, nil }

func (m *machine) SourceLine(path, file string, _, _ int) ([]uint64, error) {
	return nil, errors.New("its debug information names no file " + file)
}

func (m *machine) InlinedCopies(path, pattern string) ([]target.UserSymbol, error) {
	if target.Match(pattern, "rl_twice") {
		return []target.UserSymbol{{Name: "rl_twice", Addr: 0x1004}, {Name: "rl_twice", Addr: 0x1014}}, nil
	}
	return nil, nil
}

func (m *machine) IsInlined(_ string, fn target.UserSymbol) bool {
	return fn.Name == "average"
}

func (m *machine) CgroupID(path string) (uint64, bool, error) {
	if path == "/etc" {
		return 12, false, nil
	}
	return 0, false, &fs.PathError{Op: "stat", Path: path, Err: unix.ENOENT}
}

// target is the machine of a case.
func (c *testCase) target(t *testing.T) target.Target {
	k, err := fixture.Load(c.kernel)
	if err != nil {
		t.Fatal(err)
	}
	m := &machine{Kernel: k}
	k.Functions = map[string][]target.UserSymbol{
		"/bin/bash": {{Name: "readline", Addr: 0x1000, Offset: 0x1000, Size: 16}, {Name: "readline_internal", Addr: 0x1010, Offset: 0x1010, Size: 16},
			{Name: "average", Addr: 0x1020, Offset: 0x1020, Size: 16}, {Name: "copy", Addr: 0x1030, Offset: 0x1030, Size: 16, Chooser: true},
			{Name: "state", Addr: 0x4000, Offset: 0x3000, Size: 4, Several: true}, {Name: "main.run", Addr: 0x1040, Offset: 0x1040, Size: 16, Go: true, Convention: object.ConventionUnknown}, {Name: "parse", Addr: 0x1060, Offset: 0x1060, Size: 16, Throws: true}},
		"/lib/x86_64-linux-gnu/libc.so.6": {{Name: "malloc", Addr: 0x2000, Offset: 0x2000, Size: 64},
			{Name: "free", Addr: 0x2040, Offset: 0x2040, Size: 64}},
		damaged: nil, stripped: nil,
	}
	k.Probes = map[string][]target.USDTProbe{
		"/usr/bin/python3": {{Provider: "python", Name: "function__entry", Offset: 0x100,
			Args: []target.USDTArg{{Size: 8, Reg: "rdi"}, {Size: 8, Reg: "rsi"}}}, {Provider: "python", Name: "gc__start", Offset: 0x200},
			{Provider: "python", Name: "gc__done", Offset: 0x300, Args: []target.USDTArg{{}}},
			{Provider: "python", Name: "marked", Offset: 0x400, Semaphore: 0x500, Cleared: true}},
	}
	k.Features = map[target.Feature]bool{}
	for _, name := range c.lacks {
		known := false
		switch name {
		case "functions":
			m.noFunctions, known = true, true
		case "tracefs":
			m.noTracefs, known = true, true
		}
		for _, f := range facts.FeatureNames {
			if featureWord(f.Name) == name {
				k.Features[f.Feature], known = false, true
			}
		}
		if !known {
			t.Fatalf("no feature is called %s", name)
		}
	}
	return m
}

// featureWord is a feature's name up to a comma, with '_' for blanks.
func featureWord(name string) string {
	name, _, _ = strings.Cut(name, ",")
	return strings.ReplaceAll(name, " ", "_")
}

// runCommand runs fst with a command line. Only what is refused before
// anything is looked up on this machine belongs here.
func (c *testCase) runCommand(t *testing.T) string {
	var out, said bytes.Buffer
	args := strings.Split(strings.TrimSuffix(c.program, "\n"), "\n")
	if code := cli.Run(context.Background(), args, strings.NewReader(""), &out, &said, nil); code == 0 {
		t.Errorf("exit code 0; it writes %s", out.String())
	}
	return said.String()
}

// refuse adds what is said when the kernel refuses the first program of a
// clause with the case's log.
func (c *testCase) refuse(t *testing.T, obj *object.Object, set *source.Set, diags *diag.List) {
	p := obj.Programs[0]
	log := insnOf.ReplaceAllStringFunc(c.log, func(s string) string {
		m := insnOf.FindStringSubmatch(s)
		more, _ := strconv.Atoi(m[2])
		return strconv.Itoa(firstInsn(t, p, set, m[1]) + more)
	})
	attach.NewVerifierError(p, log, unix.EACCES).Diagnose(diags, set)
}

// insnOf stands for an instruction in a log.
var insnOf = regexp.MustCompile(`INSN\(((?:[^()]|\([^()]*\))*)\)(?:\+(\d+))?`)

// firstInsn is the first instruction that was made from a text of the script.
func firstInsn(t *testing.T, p *object.Program, set *source.Set, text string) int {
	for i, sp := range p.Code.Spans {
		if sp.IsValid() && set.Text(sp) == text {
			return i
		}
	}
	t.Fatalf("no instruction is made from %q", text)
	return 0
}
