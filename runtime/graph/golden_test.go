package graph

import (
	"archive/zip"
	"fmt"
	"io"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"fst/runtime/ftrace"
)

// recording is what a kernel recorded of a program that reads a file, and of a
// shell that waits: the pages of its buffer, and the text that the kernel itself
// made of them. Each was made in a virtual machine with one CPU, of the calls of
// __x64_sys_read, with the option funcgraph-tail and, on 7.2, funcgraph-args.
type recording struct {
	files map[string]string
	names map[uint64]string
}

func openRecording(t *testing.T, path string) recording {
	z, err := zip.OpenReader(path)
	if err != nil {
		t.Fatal(err)
	}
	defer z.Close()
	r := recording{map[string]string{}, map[uint64]string{}}
	for _, f := range z.File {
		in, err := f.Open()
		if err != nil {
			t.Fatal(err)
		}
		text, err := io.ReadAll(in)
		if err != nil {
			t.Fatal(err)
		}
		r.files[f.Name] = string(text)
	}
	for line := range strings.Lines(r.files["kallsyms"]) {
		f := strings.Fields(line)
		addr, err := strconv.ParseUint(f[0], 16, 64)
		if err != nil {
			t.Fatal(err)
		}
		if r.names[addr] == "" {
			r.names[addr] = f[2]
		}
	}
	return r
}

// name is that of the function at an address, which may lie behind the
// instruction that indirect branches want to find.
func (r recording) name(addr uint64) string {
	const endbr = 4
	if name := r.names[addr]; name != "" {
		return name
	}
	return r.names[addr-endbr]
}

// TestAgainstTheKernel compares the trees with the kernel's own text of the
// same pages: each call's thread, depth, name and time.
func TestAgainstTheKernel(t *testing.T) {
	paths, _ := filepath.Glob("testdata/*.zip")
	if len(paths) != 4 {
		t.Fatalf("recordings are %v", paths)
	}
	for _, path := range paths {
		t.Run(filepath.Base(path), func(t *testing.T) {
			r := openRecording(t, path)
			got, want := r.ours(t), r.kernels(t)
			if len(want) < 50 {
				t.Fatalf("the kernel's text has %d calls", len(want))
			}
			for i := range max(len(got), len(want)) {
				if i >= len(got) || i >= len(want) || got[i] != want[i] {
					t.Fatalf("call %d:\n%q, the kernel says\n%q", i, got[i:min(i+3, len(got))], want[i:min(i+3, len(want))])
				}
			}
			t.Logf("%d calls", len(got))
		})
	}
}

func (r recording) ours(t *testing.T) (calls []string) {
	layouts, err := ftrace.NewLayouts(func(_, event string) (string, error) { return r.files[event+".format"], nil })
	if err != nil {
		t.Fatal(err)
	}
	offCPU, interrupts := 0, 0
	b := Builder{
		Roots: func(addr uint64) bool { return r.name(addr) == "__x64_sys_read" },
		Emit: func(c *Call) {
			c.All(func(c *Call) {
				if c.Kind == Function {
					c.Name = r.name(c.rec.addr)
				}
			})
			calls = append(calls, list(c, 0)...)
			v := View{}.Apply(c)
			v.All(func(c *Call) {
				switch {
				case c.Kind == OffCPU:
					offCPU++
				case c.Kind == Interrupt:
					interrupts++
					t.Logf("interrupt: %s", c.Name)
				case strings.Contains(c.Name, "sysvec") || strings.HasPrefix(c.Name, "irq_enter"):
					t.Errorf("%s is not folded", c.Name)
				}
			})
		},
	}
	const pageSize = 4096
	var events []ftrace.Event
	for pages := []byte(r.files["cpu0.raw"]); len(pages) > 0; pages = pages[pageSize:] {
		if events, err = layouts.Page(events, 0, pages[:pageSize]); err != nil {
			t.Fatal(err)
		}
	}
	for _, e := range events {
		b.Add(e)
	}
	b.Finish()
	if b.Lost+b.LostUnknown != 0 {
		t.Errorf("%d records were lost", b.Lost)
	}
	t.Logf("%d times off the CPU, %d interrupts", offCPU, interrupts)
	return byThread(calls)
}

// byThread sorts calls by their thread: trees come in the order of their ends,
// the kernel's text in that of all events.
func byThread(calls []string) []string {
	slices.SortStableFunc(calls, func(a, b string) int {
		a, _, _ = strings.Cut(a, " ")
		b, _, _ = strings.Cut(b, " ")
		return strings.Compare(a, b)
	})
	return calls
}

func list(c *Call, depth int) (calls []string) {
	if c.Kind == Function {
		took := ""
		if c.Returned {
			took = us(c.Took.Nanoseconds())
		}
		calls = append(calls, fmt.Sprintf("%d %d %s %s", c.TID, depth, c.Name, took))
	}
	for _, inner := range c.Calls {
		calls = append(calls, list(inner, depth+1)...)
	}
	return calls
}

// us is a time as the kernel shows it: seven digits.
func us(ns int64) string {
	text := strconv.FormatInt(ns/1000, 10)
	if room := 7 - len(text); room > 0 {
		text += "." + fmt.Sprintf("%03d", ns%1000)[:min(3, room)]
	}
	return text
}

var kernelLine = regexp.MustCompile(`^ \d+\) +\S+-(\d+) +\|([^|]*)\|( *)(.*)`)

// kernels reads the kernel's text.
func (r recording) kernels(t *testing.T) (calls []string) {
	// open are the places in calls of what has not returned, by thread.
	open := map[string][]int{}
	inTree := map[string]bool{}
	for line := range strings.Lines(r.files["trace.txt"]) {
		m := kernelLine.FindStringSubmatch(strings.TrimSuffix(line, "\n"))
		if m == nil || strings.HasPrefix(m[4], "/*") || strings.HasSuffix(m[2], "> ") || strings.HasPrefix(strings.TrimSpace(m[2]), "=") {
			continue
		}
		tid, depth, text := m[1], (len(m[3])-2)/2, m[4]
		took := strings.TrimSpace(strings.Trim(strings.TrimSpace(m[2]), "+!#*@$"))
		took = strings.TrimSuffix(took, " us")
		stack := open[tid]
		if strings.HasPrefix(text, "}") {
			if n := len(stack); n > 0 {
				calls[stack[n-1]] += took
				open[tid] = stack[:n-1]
			}
			continue
		}
		name, _, _ := strings.Cut(text, "(")
		name, _, _ = strings.Cut(name, " ")
		if depth == 0 {
			inTree[tid] = name == "__x64_sys_read"
		}
		if !inTree[tid] {
			continue
		}
		calls = append(calls, fmt.Sprintf("%s %d %s ", tid, depth, name))
		if strings.HasSuffix(text, "{") {
			open[tid] = append(stack, len(calls)-1)
		} else {
			calls[len(calls)-1] += took
		}
	}
	return byThread(calls)
}
