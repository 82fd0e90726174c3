package cli

import (
	"fmt"
	"io"

	"fst/scripts"
)

// usages are the forms of a command line, behind the command's name.
var usages = []string{
	"[options] -e 'PROGRAM' [params] [-- --name=value ...]",
	"[options] FILE|- [params] [-- --name=value ...]",
	"[options] TOOL [its options]",
	"COMMAND ...",
}

// names is "-p, --pid PID".
func (o option) names() string {
	name := "    --" + o.long
	if o.short != 0 {
		name = "-" + string(o.short)
		if o.long != "" {
			name += ", --" + o.long
		}
	}
	if o.value != "" {
		name += " " + o.value
	}
	return name
}

// usage writes the help.
func (a *app) usage(w io.Writer) {
	fmt.Fprint(w, "fst runs small tracing programs on the live kernel.\n\nUsage:\n")
	for _, u := range usages {
		fmt.Fprintf(w, "  fst %s\n", u)
	}
	fmt.Fprint(w, `  fst                               a prompt, if on a terminal

Options:
`)
	for _, o := range options {
		if o.help == "" {
			continue
		}
		scripts.Entry(w, o.names(), o.help)
	}
	fmt.Fprint(w, "\nCommands:\n")
	for _, c := range commands() {
		scripts.Entry(w, c.usage, c.help)
	}
	io.WriteString(w, `
Examples:
  fst -e 'syscall:openat { printf("%s %s\n", comm, str(args.filename)); }'
  fst -e 'syscall:read /took > 10ms/'
  fst biolatency -D 1 10
  fst -lv 'tracepoint:sched:sched_switch'
fst tools lists the tools by question, fst help tutorial teaches the language, fst help one-liners has programs to begin with.
`)
}
