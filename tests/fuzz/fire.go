package main

import (
	"fmt"
	"strings"
)

// event is a probe that the program declares and fires itself.
type event struct {
	name   string
	fields []*typ
}

// field is the name of a field.
func (e *event) field(i int) string { return string(rune('a' + i)) }

// declare declares probes. The types of some fields are those of what they are given.
func (g *generator) declare() {
	for range g.Intn(3) {
		e := &event{name: "fuzz:" + g.fresh("p")}
		var fields []string
		for i := range 1 + g.Intn(4) {
			t := g.typeOf(1)
			spelled := ""
			switch t.kind {
			case kInt, kBool, kEnum:
				if g.Intn(3) > 0 {
					spelled = ": " + t.String()
				}
			case kString:
				spelled = fmt.Sprintf(": string[%d]", []int{100, 128}[g.Intn(2)])
			}
			e.fields = append(e.fields, t)
			fields = append(fields, e.field(i)+spelled)
		}
		g.line("probe %s(%s);", e.name, strings.Join(fields, ", "))
		g.events = append(g.events, e)
	}
}

// fire fires a declared probe.
func (g *generator) fire(d int) {
	if len(g.events) == 0 || g.quiet || g.handles {
		return
	}
	e := g.events[g.Intn(len(g.events))]
	g.fireOne(e, d)
}

func (g *generator) fireOne(e *event, d int) {
	var args []string
	for i, t := range e.fields {
		args = append(args, e.field(i)+" = "+g.expr(t, d-1))
	}
	g.line("fire %s(%s);", e.name, strings.Join(args, ", "))
}

// handlers writes clauses on the declared probes, each of which is fired once at
// least: in the clause that comes with it.
func (g *generator) handlers() {
	for _, e := range g.events {
		g.vars, g.depth = nil, 0
		g.line("begin {")
		g.depth++
		g.fireOne(e, 2)
		g.depth--
		g.line("}")
		for range 1 + g.Intn(2) {
			g.handles = true
			g.handler(e)
			g.handles = false
		}
	}
}

func (g *generator) handler(e *event) {
	g.vars, g.work, g.runs, g.depth = nil, 3+g.Intn(6), 8, 0
	g.async, g.shown = false, nil
	for i, t := range e.fields {
		g.vars = append(g.vars, variable{name: "args." + e.field(i), t: t, fixed: true})
	}
	filter := ""
	if g.Intn(3) == 0 {
		filter = " /" + g.bool(2) + "/"
	}
	g.line("%s%s {", e.name, filter)
	g.depth++
	g.block(1 + g.Intn(4))
	if g.Intn(3) == 0 {
		g.line("print(args);")
	}
	g.depth--
	g.line("}")
}

// named shows numbers by their names.
func (g *generator) named(d int) {
	n := g.cast(tInt64, fmt.Sprintf("(%s & 127)", g.operand(d)))
	switch g.Intn(5) {
	case 0:
		g.line("print(strerror(%s));", n)
	case 1:
		g.line("print((signal_name(%s), %s));", n, g.operand(1))
	case 2:
		g.line("print(syscall_name(%s));", n)
	case 3:
		g.line("print(bits(enum %s, %s));", enumName, n)
	case 4:
		g.line("print(strcap(%s));", g.string(d))
	}
}
