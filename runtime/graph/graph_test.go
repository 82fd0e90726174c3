package graph

import (
	"fmt"
	"strconv"
	"strings"
	"testing"
	"time"

	"fst/runtime/ftrace"
)

// events reads a recording, one event a line: the time, then
//
//	> DEPTH NAME [CONTEXT]        a call of thread 1 on CPU 0
//	< DEPTH NAME TOOK [CONTEXT]   its return
//	off STATE, on CPU             the thread is switched out, and in
//	lost N
//
// A name of one letter is its own address.
func events(t *testing.T, text string) []ftrace.Event {
	var list []ftrace.Event
	cpu := 0
	number := func(s string) int {
		n, err := strconv.Atoi(s)
		if err != nil {
			t.Fatal(err)
		}
		return n
	}
	for line := range strings.Lines(text) {
		f := strings.Fields(line)
		if len(f) == 0 {
			continue
		}
		e := ftrace.Event{Time: uint64(number(f[0])), TID: 1, CPU: cpu}
		switch f[1] {
		case ">", "<":
			e.Depth, e.Func = number(f[2]), uint64(f[3][0])
			rest := f[4:]
			if f[1] == "<" {
				e.Kind, e.Begin, e.End = ftrace.Return, e.Time-uint64(number(rest[0])), e.Time
				rest = rest[1:]
			}
			for _, r := range rest {
				e.Context |= map[string]uint8{"hard": ftrace.HardIRQ, "soft": ftrace.SoftIRQ, "nmi": ftrace.NMI}[r]
			}
		case "off":
			e.Kind, e.Switch.State = ftrace.Switch, uint64(map[string]int{"R": 0, "S": 1, "D": 2}[f[2]])
		case "on":
			cpu = number(f[2])
			e.Kind, e.TID, e.Switch.NextTID, e.CPU = ftrace.Switch, 7, 1, cpu
		case "lost":
			e.Kind, e.Missing = ftrace.Lost, uint64(number(f[2]))
		}
		list = append(list, e)
	}
	return list
}

// trees builds the trees of a recording, whose root is function r.
func trees(t *testing.T, text string, v View) string {
	var b strings.Builder
	builder := Builder{Roots: func(addr uint64) bool { return addr == 'r' }, Emit: func(c *Call) {
		c.All(func(c *Call) {
			if c.Kind == Function {
				c.Name = string(rune(c.rec.addr))
			}
		})
		show(&b, v.Apply(c), 0)
	}}
	for _, e := range events(t, text) {
		builder.Add(e)
	}
	builder.Finish()
	if builder.Lost > 0 {
		fmt.Fprintf(&b, "lost %d\n", builder.Lost)
	}
	return b.String()
}

func show(b *strings.Builder, c *Call, depth int) {
	mark := ""
	if c.Incomplete {
		mark = " !"
	}
	if c.Hidden > 0 {
		mark += fmt.Sprintf(" hidden %d", c.Hidden)
	}
	fmt.Fprintf(b, "%s%s %s%s\n", strings.Repeat("  ", depth), c.label(), strings.TrimPrefix(c.duration(), "0."), mark)
	for _, inner := range c.Calls {
		show(b, inner, depth+1)
	}
}

func TestTrees(t *testing.T) {
	for _, c := range []struct {
		name, events, want string
		view               View
	}{
		{name: "nested", events: `
			10 > 0 r
			11 > 1 a
			12 < 1 a 1
			13 > 1 b
			14 > 2 c
			16 < 2 c 2
			18 < 1 b 5
			20 < 0 r 10`, want: `
r 010
  a 001
  b 005
    c 002
`},
		{name: "two calls", events: "1 > 0 r\n2 < 0 r 1\n3 > 0 r\n5 < 0 r 2", want: "\nr 001\nr 002\n"},
		{name: "depths of another tracer", events: "1 > 3 r\n2 > 5 a\n3 < 5 a 1\n5 < 3 r 4", want: "\nr 004\n  a 001\n"},
		{name: "recursion", events: "1 > 0 r\n2 > 1 r\n3 < 1 r 1\n5 < 0 r 4", want: "\nr 004\n  r 001\n"},
		{name: "began before the recording", events: "1 > 1 a\n2 < 1 a 1\n3 < 0 r 3\n4 > 0 r\n5 < 0 r 1", want: "\nr 001\n"},
		{name: "goes on", events: "1 > 0 r\n5 > 1 a\n7 > 2 b\n9 < 2 b 2", want: "\nr > 0.008\n  a > 0.004\n    b 002\n"},
		{name: "equal calls in a row", events: `
			1 > 0 r
			2 > 1 a
			3 > 2 b
			4 < 2 b 1
			5 < 1 a 3
			6 > 1 a
			7 > 2 b
			9 < 2 b 2
			10 < 1 a 4
			11 > 1 a
			12 < 1 a 1
			13 < 0 r 12`, want: `
r 012
  a x 2 007
    b x 2 003
  a 001
`},
		{name: "groups of calls in a row", events: `
			1 > 0 r
			2 > 1 a
			3 < 1 a 1
			4 > 1 b
			5 < 1 b 1
			6 > 1 a
			7 < 1 a 1
			8 > 1 b
			9 < 1 b 1
			10 > 1 a
			11 < 1 a 1
			12 < 0 r 11`, want: "\nr 011\n  a x 2 002\n  b x 2 002\n  a 001\n"},
		{name: "hidden", view: View{Longer: 3}, events: "1 > 0 r\n2 > 1 a\n3 > 2 b\n4 < 2 b 1\n6 < 1 a 4\n7 > 1 c\n8 < 1 c 1\n9 < 0 r 8",
			want: "\nr 008 hidden 2\n  a 004\n"},
		{name: "one layer", view: View{Only: only("b*", "d*")}, events: `
			1 > 0 r
			2 > 1 a
			3 > 2 b
			4 < 2 b 1
			5 > 2 c
			6 > 3 d
			7 < 3 d 1
			8 < 2 c 3
			9 < 1 a 7
			10 < 0 r 9`, want: "\nr 009 hidden 2\n  b 001\n  d 001\n"},
		{name: "hidden layer", view: View{Hide: only("c")}, events: "1 > 0 r\n2 > 1 c\n3 > 2 d\n4 < 2 d 1\n5 < 1 c 3\n6 < 0 r 5", want: "\nr 005 hidden 2\n"},
		{name: "sleeps", events: `
			1 > 0 r
			2 > 1 a
			3 > 2 w
			4 off S
			5 < 2 w 2
			9 on 2
			10 < 1 a 8
			11 off R
			12 on 2
			13 < 0 r 12`, want: `
r 012
  a 008
    w 002
    [off CPU: sleeping, then on CPU 2] 005
  [off CPU: preempted] 001
`},
		{name: "interrupts", events: `
			1 > 0 r
			2 > 1 a
			3 < 1 a 1
			4 > 1 i
			5 < 1 i 1 hard
			6 > 1 t hard
			7 > 2 u hard
			8 < 2 u 1 hard
			9 < 1 t 3 hard
			10 > 1 o hard
			11 > 2 s soft
			12 < 2 s 1 soft
			13 < 1 o 3
			14 > 1 i
			15 < 1 i 1 hard
			16 > 1 o hard
			17 < 1 o 1
			18 > 1 b
			19 < 1 b 1
			20 < 0 r 19`, want: `
r 019
  a 001
  [interrupt: i, t, o] 009
  [interrupt: i, o] 003
  b 001
`},
		{name: "interrupts unfolded", view: View{Interrupts: true}, events: "1 > 0 r\n2 > 1 i\n3 < 1 i 1 hard\n4 > 1 t hard\n5 < 1 t 1 hard\n9 < 0 r 8", want: "\nr 008\n  i 001\n  t 001\n"},
		{name: "a root in an interrupt", events: "1 > 0 r hard\n2 > 1 a hard\n3 < 1 a 1 hard\n4 > 1 n nmi\n5 < 1 n 1 nmi\n9 < 0 r 8 hard", want: "\nr 008\n  a 001\n  [interrupt: n] 001\n"},
		{name: "lost a return", events: "1 > 0 r\n2 > 1 a\n3 lost 1\n4 > 1 b\n5 < 1 b 1\n9 < 0 r 8", want: "\nr 008 !\n  a ? !\n  b 001\nlost 1\n"},
		{name: "lost a call", events: "1 > 0 r\n3 lost 1\n4 < 1 b 2\n9 < 0 r 8", want: "\nr 008 !\n  b 002 !\nlost 1\n"},
		{name: "lost the root's return", events: "1 > 0 r\n2 > 1 a\n3 < 1 a 1\n4 lost 3\n5 > 0 r\n6 < 0 r 1", want: "\nr ? !\n  a 001\nr 001\nlost 3\n"},
		{name: "lost the root", events: "1 > 0 r\n2 < 0 r 1\n4 lost 3\n5 > 1 a\n6 < 1 a 1\n7 < 0 r 6\n8 > 0 r\n9 < 0 r 1", want: "\nr 001\nr 001\nlost 3\n"},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := trees(t, c.events, c.view); got != strings.TrimPrefix(c.want, "\n") {
				t.Errorf("got\n%swant%s", got, c.want)
			}
		})
	}
}

func only(patterns ...string) Layers { return Layers{{patterns: patterns}} }

func TestLayers(t *testing.T) {
	has := func(words, name, module string) bool {
		ls, _ := ParseLayers(strings.Split(words, ","))
		return ls.Has(&Call{Name: name, Module: module})
	}
	for _, c := range []struct {
		words, name, module string
		want                bool
	}{
		{"vfs", "vfs_read", "", true},
		{"vfs", "__vfs_getxattr", "", true},
		{"vfs", "submit_bio", "", false},
		{"block", "submit_bio_noacct", "", true},
		{"syscall,block", "__x64_sys_read", "", true},
		{"driver", "virtio_queue_rq", "virtio_blk", true},
		{"ext4", "ext4_readpage", "", true},
		{"ext4", "__ext4_journal_start_sb", "", true},
		{"ext4", "es_reclaim", "ext4", true},
		{"ext4", "ext2_readpage", "", false},
		{"tcp_*", "tcp_sendmsg", "", true},
		{"__fget*", "__fget_light", "", true},
	} {
		if got := has(c.words, c.name, c.module); got != c.want {
			t.Errorf("%s has %s [%s]: %v", c.words, c.name, c.module, got)
		}
	}
	if _, others := ParseLayers([]string{"vfs", "vsf"}); len(others) != 1 || others[0] != "vsf" {
		t.Errorf("unknown are %v", others)
	}
}

func TestText(t *testing.T) {
	c := &Call{Name: "r", Thread: Thread{12, "dd"}, CPU: 3, Time: 5e9, Took: 1234567, Returned: true, Hidden: 2, Args: []Arg{{Name: "fd", Value: int64(-1)}, {Name: "path", Value: "/a\n"}},
		Result: &Arg{Value: int64(-2), Errno: true}, Calls: []*Call{
			{Name: "a", Module: "ext4", Took: 1001, Returned: true, Count: 3, Args: []Arg{{Name: "p", Value: uint64(0xff), Pointer: true}, {Name: "op", Value: "REQ_OP_READ", Enum: true}}},
			{Kind: OffCPU, Name: "D", Took: 1e6, Returned: true, CPU: 1, rec: recorded{toCPU: 1}},
			{Kind: Interrupt, Name: "t", Took: 70, Returned: true, Incomplete: true},
		}}
	want := `00:00:05.000000 dd 12, CPU 3, 2 calls not shown
    1234.567 us  r(fd=-1, path="/a\n") = -2 (ENOENT)
       1.001 us    a(p=0xff, op=REQ_OP_READ) [ext4] x 3
    1000.000 us    [off CPU: waiting (D)]
       0.070 us    [interrupt: t]
`
	if got := c.Text(time.Unix(0, 0).UTC()); got != want {
		t.Errorf("got\n%swant\n%s", got, want)
	}
	want = `{"type": "call", "data": {"function": "r", "tid": 12, "comm": "dd", "cpu": 3, "nsecs": 5000000000, "took": 1234567, "hidden": 2, ` +
		`"args": {"fd": -1, "path": "/a\n"}, "retval": -2, "calls": [{"function": "a", "module": "ext4", "nsecs": 0, "took": 1001, "count": 3, ` +
		`"args": {"p": 255, "op": "REQ_OP_READ"}}, {"off_cpu": "D", "nsecs": 0, "took": 1000000}, {"interrupt": "t", "nsecs": 0, "took": 70, "incomplete": true}]}}` + "\n"
	if got := c.JSON(); got != want {
		t.Errorf("got\n%swant\n%s", got, want)
	}
}
