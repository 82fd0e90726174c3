package graph

import (
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
	"time"

	"golang.org/x/sys/unix"

	"fst/lang/printable"
)

// Text is a tree as people read it: a line that says who called, then a line
// for each call, its time first and indented by its depth. Times are in
// microseconds. boot is the wall clock's time when the system started.
func (c *Call) Text(boot time.Time) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s %s %d, CPU %d", boot.Add(time.Duration(c.Time)).Format("15:04:05.000000"), printable.String(orUnknown(c.Comm)), c.TID, c.CPU)
	if c.Hidden > 0 {
		fmt.Fprintf(&b, ", %d calls not shown", c.Hidden)
	}
	if c.Incomplete {
		b.WriteString(", incomplete: records were lost")
	}
	b.WriteByte('\n')
	width := max(len(c.duration()), 12)
	c.lines(&b, width, 0)
	return b.String()
}

func (c *Call) lines(b *strings.Builder, width, depth int) {
	fmt.Fprintf(b, "%*s us  %s%s\n", width, c.duration(), strings.Repeat("  ", depth), c.label())
	for _, inner := range c.Calls {
		inner.lines(b, width, depth+1)
	}
}

// duration is the time in microseconds: with a > if the call goes on, and a ?
// if its end was lost.
func (c *Call) duration() string {
	us := fmt.Sprintf("%d.%03d", c.Took.Microseconds(), c.Took.Nanoseconds()%1000)
	switch {
	case c.Returned:
		return us
	case c.rec.endIsLost:
		return "?"
	}
	return "> " + us
}

// label is what a line says behind the time.
func (c *Call) label() string {
	switch c.Kind {
	case Interrupt:
		return "[interrupt: " + printable.String(c.Name) + "]"
	case OffCPU:
		text := "[off CPU: " + offCPU(c.Name)
		if c.rec.toCPU != c.CPU {
			text += fmt.Sprintf(", then on CPU %d", c.rec.toCPU)
		}
		return text + "]"
	}
	text := printable.String(c.Name)
	if c.Args != nil {
		words := make([]string, len(c.Args))
		for i, a := range c.Args {
			words[i] = a.Name + "=" + a.text()
		}
		text += "(" + strings.Join(words, ", ") + ")"
	}
	if c.Result != nil {
		text += " = " + c.Result.text()
	}
	if c.Module != "" {
		text += " [" + printable.String(c.Module) + "]"
	}
	if c.Count > 1 {
		text += fmt.Sprintf(" x %d", c.Count)
	}
	return text
}

// offCPU says in words what the letter of a thread's state means.
func offCPU(state string) string {
	words := map[string]string{"R": "preempted", "S": "sleeping", "D": "waiting (D)", "T": "stopped", "t": "traced", "X": "dead",
		"Z": "ended", "P": "parked", "I": "idle"}
	if text, ok := words[state]; ok {
		return text
	}
	return state
}

func orUnknown(comm string) string {
	if comm == "" {
		return "?"
	}
	return comm
}

func (a Arg) text() string {
	switch v := a.Value.(type) {
	case uint64:
		if a.Pointer {
			return "0x" + strconv.FormatUint(v, 16)
		}
		return strconv.FormatUint(v, 10)
	case int64:
		text := strconv.FormatInt(v, 10)
		if a.Errno && v < 0 {
			if name := unix.ErrnoName(unix.Errno(-v)); name != "" {
				text += " (" + name + ")"
			}
		}
		return text
	case string:
		if !a.Enum {
			return quoteShort(v)
		}
	case []byte:
		return quoteShort(string(v))
	}
	return fmt.Sprint(a.Value)
}

// JSON is a tree as an object on one line: {"type": "call", "data": {...}}.
func (c *Call) JSON() string {
	var b strings.Builder
	b.WriteString(`{"type": "call", "data": `)
	c.json(&b, true)
	b.WriteString("}\n")
	return b.String()
}

func (c *Call) json(b *strings.Builder, root bool) {
	key := map[Kind]string{Function: "function", Interrupt: "interrupt", OffCPU: "off_cpu"}[c.Kind]
	fmt.Fprintf(b, "{%q: %s", key, quote(c.Name))
	if c.Module != "" {
		fmt.Fprintf(b, `, "module": %s`, quote(c.Module))
	}
	if root {
		fmt.Fprintf(b, `, "tid": %d, "comm": %s, "cpu": %d`, c.TID, quote(c.Comm), c.CPU)
	}
	fmt.Fprintf(b, `, "nsecs": %d`, c.Time)
	switch {
	case c.Returned:
		fmt.Fprintf(b, `, "took": %d`, c.Took)
	case !c.rec.endIsLost:
		fmt.Fprintf(b, `, "so_far": %d`, c.Took)
	}
	if c.Incomplete {
		b.WriteString(`, "incomplete": true`)
	}
	if c.Count > 1 {
		fmt.Fprintf(b, `, "count": %d`, c.Count)
	}
	if c.Hidden > 0 {
		fmt.Fprintf(b, `, "hidden": %d`, c.Hidden)
	}
	if c.Args != nil {
		b.WriteString(`, "args": {`)
		for i, a := range c.Args {
			if i > 0 {
				b.WriteString(", ")
			}
			fmt.Fprintf(b, "%s: %s", quote(a.Name), a.json())
		}
		b.WriteByte('}')
	}
	if c.Result != nil {
		fmt.Fprintf(b, `, "retval": %s`, c.Result.json())
	}
	if len(c.Calls) > 0 {
		b.WriteString(`, "calls": [`)
		for i, inner := range c.Calls {
			if i > 0 {
				b.WriteString(", ")
			}
			inner.json(b, false)
		}
		b.WriteByte(']')
	}
	b.WriteByte('}')
}

// quoteShort quotes a text; of a long one it has the beginning.
func quoteShort(s string) string {
	const most = 48
	if len(s) > most {
		return string(printable.AppendQuoted(nil, s[:most])) + "..."
	}
	return string(printable.AppendQuoted(nil, s))
}

func (a Arg) json() string {
	switch v := a.Value.(type) {
	case []byte:
		return quote(string(v))
	case string:
		return quote(v)
	}
	text, err := json.Marshal(a.Value)
	if err != nil {
		return "null"
	}
	return string(text)
}

func quote(s string) string { return string(printable.AppendJSON(nil, s)) }
