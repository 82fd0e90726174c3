package cli

import (
	"errors"
	"fmt"
	"fst/runtime/graph"
	"io"
	"strconv"
	"strings"
	"syscall"
	"time"

	"fst/scripts"
)

// graphHeader says what fst graph is, in the form of a script's header.
const graphHeader = `// graph: What does a kernel function or a system call do, call by call?
//
// Topic: functions
// Usage: graph [options] FUNCTION...
// Option: -p, --pid PID: only this process, and what it starts
// Option: -c, --cmd COMMAND: run COMMAND, follow it and what it starts, and stop with it
// Option: -n, --count N: stop after so many calls
// Option: --depth N: so many levels of calls (the kernel records no more, which costs less)
// Option: --slower TIME: only calls of FUNCTION that took at least so long (10ms, 50us)
// Option: --longer TIME: leave out inner calls that took less
// Option: --layer LIST: only these layers of the kernel; what is called from others moves up
// Option: --hide LIST: leave out these layers, and all that they call
// Option: --irqs: show what interrupts do, which else are a line each
// Option: --repeats: show equal calls in a row one by one
// Option: --buffer KB: size of the buffer of each CPU
// Example: fst graph read -c 'cat /etc/passwd'
// Example: fst graph vfs_read --slower 10ms --longer 1ms
// Example: fst graph syscall:openat --layer syscall,vfs,fs,block -p 1234
// Example: fst graph 'ext4_file_*' --depth 3 --hide lock,security -n 5
// Reading: One tree for each call. The column is the time that a call took, in microseconds, with what
//  it called and slept. "[off CPU]" is time in which the thread did not run, "[interrupt]" what the CPU did in
//  between; "x 3" stands for three such calls in a row, with their times added up. A system call is shown with its
//  arguments and its result, other calls with their arguments where the kernel tells them (Linux 6.16,
//  CONFIG_FUNCTION_TRACE_ARGS).
// Misses: Functions that the compiler inlined, or that the kernel does not let be traced. Recording makes
//  every call slower, short ones most.
// Cost: Every call in the kernel is slower while it records, those inside FUNCTION most; --depth and -p make it
//  less. The tracer is one for the whole system: fst refuses to take it from somebody else, and puts back its
//  settings however it ends.
`

// graphHelp writes the header as a page, with the layers.
func graphHelp(w io.Writer, h scripts.Header) {
	fmt.Fprint(w, h.Help(toolOptions))
	io.WriteString(w, "\nLayers, each a list of names; a LIST may also name modules, and functions by a pattern with *:\n")
	names, what := graph.LayerNames()
	for i, name := range names {
		fmt.Fprintf(w, "  %-9s %s\n", name, what[i])
	}
}

// graph is the subcommand graph: the calls inside functions of the kernel.
func (a *app) graph(words []string) int {
	h, _ := scripts.ParseHeader(graphHeader)
	functions, named, shared, err := h.Args(words, toolOptions)
	if err != nil {
		return a.fail(err)
	}
	inv := a.inv
	if err := inv.sharedOptions(shared); err != nil {
		return a.fail(err)
	}
	if inv.scriptHelp {
		graphHelp(a.stdout, h)
		return exitOK
	}
	if inv.format != "text" && inv.format != "json" {
		return a.fail(fmt.Errorf("trees of calls can be written as text or json, not as %s; fst funclatency FUNCTION -f influx 1 writes the times as points, "+
			"fst stackcount FUNCTION -f folded the stacks", inv.format))
	}
	if len(functions) == 0 {
		return a.fail(fmt.Errorf("graph needs the name of a function or of a system call; usage: %s", h.Usage))
	}
	o := graph.Options{Functions: functions}
	count := 0
	for name, v := range named {
		if err := graphOption(&o, &count, inv, name, v); err != nil {
			return a.fail(scripts.OfOption("--"+name, err))
		}
	}
	if err := a.missingRights(); err != nil {
		return a.fail(err)
	}
	return a.runGraph(o, count)
}

// graphOption sets an option of graph.
func graphOption(o *graph.Options, count *int, inv *invocation, name, v string) (err error) {
	switch name {
	case "pid":
		if err = setPID(inv, v); err == nil {
			o.PID = inv.pid
		}
	case "cmd":
		inv.child, inv.hasChild = v, true
	case "count":
		*count, err = positive(v)
	case "depth":
		o.Depth, err = positive(v)
	case "buffer":
		o.BufferKB, err = positive(v)
	case "slower":
		o.Slower, err = parseTime(v)
	case "longer":
		o.Longer, err = parseTime(v)
	case "layer":
		o.Layers = strings.Split(v, ",")
	case "hide":
		o.Hide = strings.Split(v, ",")
	case "irqs":
		o.Interrupts = true
	case "repeats":
		o.Repeats = true
	}
	return err
}

func positive(v string) (int, error) {
	n, err := strconv.Atoi(v)
	if err != nil || n <= 0 {
		return 0, scripts.Invalid(v, "a number from 1 on")
	}
	return n, nil
}

// parseTime reads 10ms, 50us or 1.5s.
func parseTime(v string) (time.Duration, error) {
	d, err := time.ParseDuration(v)
	if err != nil || d < 0 {
		return 0, scripts.Invalid(v, "a time such as 10ms or 50us")
	}
	return d, nil
}

// runGraph follows the calls until the end and shows them.
func (a *app) runGraph(o graph.Options, count int) (code int) {
	inv := a.inv
	b, err := a.bounds()
	if err != nil {
		return a.fail(err)
	}
	defer b.close()
	o.Child = b.child
	g, err := a.kernel.Graph(o)
	if err != nil {
		return a.fail(err)
	}
	out, file, err := a.output()
	if err != nil {
		return a.fail(err)
	}
	defer file.Drop()

	boot, shown := a.kernel.BootTime(), 0
	var written error
	started := func() {
		if inv.format != "json" && !inv.quiet {
			fmt.Fprintf(a.stderr, "Following %s. Ctrl-C ends it.\n", functionList(g.Functions()))
		}
		if inv.verbose {
			io.WriteString(a.stderr, g.How())
		}
		b.attached()
	}
	err = g.Run(b.ctx, started, func(c *graph.Call) bool {
		text := c.JSON()
		if inv.format != "json" {
			if text = c.Text(boot); shown > 0 {
				text = "\n" + text
			}
		}
		shown++
		_, written = io.WriteString(out, text)
		return written == nil && (count == 0 || shown < count)
	})
	a.graphLosses(g, out)
	if errors.Is(written, syscall.EPIPE) { // whoever reads it has seen enough
		return exitOK
	}
	if err = errors.Join(err, written); err == nil {
		err = file.Close()
	}
	if err != nil {
		a.fail(err)
		return exitAttach
	}
	if shown == 0 && inv.format != "json" {
		text := "No call was seen."
		if n := g.Faster(); n > 0 {
			text = fmt.Sprintf("No call took %v: %d were faster.", o.Slower, n)
		}
		fmt.Fprintln(a.stderr, text)
	}
	return exitOK
}

// graphLosses tells what the kernel dropped.
func (a *app) graphLosses(g *graph.Graph, out io.Writer) {
	n, more := g.Lost()
	if n == 0 && !more {
		return
	}
	if a.inv.format == "json" {
		fmt.Fprintf(out, "{\"type\": \"lost_events\", \"count\": %d, \"data\": {\"events\": %d}}\n", n, n)
		return
	}
	which := strconv.FormatUint(n, 10)
	if more {
		which = "more than " + which
	}
	fmt.Fprintf(a.stderr, "%s records were dropped because the buffer was full. Trees that lack calls are marked incomplete. Use a larger --buffer, --depth N or -p.\n", which)
}

// functionList names a few of many.
func functionList(names []string) string {
	const most = 4
	if len(names) <= most {
		return strings.Join(names, ", ")
	}
	return fmt.Sprintf("%s and %d more functions", strings.Join(names[:most], ", "), len(names)-most)
}
