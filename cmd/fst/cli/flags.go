package cli

import (
	"errors"
	"fmt"
	"maps"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"fst"
	"fst/compiler/stages"
	"fst/lang/diag"
	"fst/lang/parse"
	"fst/scripts"
)

// invocation is a command line, understood.
type invocation struct {
	program    string // of -e
	hasProgram bool
	script     string // a path, or "-"; empty with -e
	tool       string // a bundled tool's name instead
	params     []string
	named      map[string]string
	flags      map[string]bool // those of named without a value
	// ownsWords is true for a tool, and a script with a header like one.
	ownsWords bool
	// scriptHelp is true if the script's own help was asked for.
	scriptHelp bool
	// command is the subcommand, and words what follows it.
	command string
	words   []string
	before  []string // fst's options before it

	child      string // -c
	hasChild   bool
	pid        int
	only       bool
	list       bool
	verbose    bool
	quiet      bool
	stage      string
	output     string
	also       []also // of --also
	listen     string // an address
	web        bool   // a live page
	otlp       string // a URL
	tokenFile  string
	buffering  string
	format     string
	unsafe     bool
	dryRun     bool
	info       bool
	version    bool
	help       bool
	noWarnings bool
	duration   float64 // seconds; 0: no limit

	includeDirs []string
	without     []string // features of the kernel
	functions   string
	debugDirs   []string
	reformat    bool
	maxOverhead float64
	mode        string // "test", "bench" or empty
	backend     string // "kernel", "interpreter" or empty
	filter      *regexp.Regexp
	live        bool
	kernels     []string // of check
	json        bool     // of check
	headers     []string
}

// also is another output of the same run.
type also struct{ format, path string }

func setAlso(inv *invocation, v string) error {
	format, path, ok := strings.Cut(v, "=")
	if !ok || path == "" || !slices.Contains(fst.Formats(), format) {
		return scripts.Invalid(v, "FORMAT=FILE, FORMAT one of "+strings.Join(fst.Formats(), ", "))
	}
	inv.also = append(inv.also, also{format, path})
	return nil
}

// option is one row of the table of options: what it is called and what it does.
type option struct {
	short byte   // 0 if none
	long  string // empty if none
	value string // what its value is called; empty if it has none
	help  string // empty hides it from the help
	set   func(inv *invocation, value string) error
}

func flag(set func(*invocation)) func(*invocation, string) error {
	return func(inv *invocation, _ string) error {
		set(inv)
		return nil
	}
}

// checkedLater is for values that are checked where they are used. None is empty, as that of an unset variable of the shell: it
// would be as if the option were not given.
func checkedLater(want string, set func(*invocation, string)) func(*invocation, string) error {
	return func(inv *invocation, v string) error {
		if v == "" {
			return scripts.Invalid(v, want)
		}
		set(inv, v)
		return nil
	}
}

func ignored(*invocation, string) error { return nil }

// refused is for options of other tools that fst does not have.
func refused(why string) func(*invocation, string) error {
	return func(*invocation, string) error { return fmt.Errorf("%s", why) }
}

const noLLVM = "fst has no LLVM; see fst dump"

// options is the table of options, in the order of the help.
var options = []option{
	{'e', "", "PROGRAM", "run this program (the last one if given twice)",
		func(inv *invocation, v string) error { inv.program, inv.hasProgram = v, true; return nil }},
	{'c', "cmd", "COMMAND", "run COMMAND once the probes are attached, and stop when it ends",
		func(inv *invocation, v string) error { inv.child, inv.hasChild = v, true; return nil }},
	{'p', "pid", "PID", "trace this process only, and stop when it ends", setPID},
	{0, "only", "", "with -c or -p: see only the events of that process and of the processes that it starts", flag(func(inv *invocation) { inv.only = true })},
	{0, "duration", "SEC", "stop after SEC seconds", setDuration},
	{'l', "list", "", "list the probes (structs, enums) that match a pattern, or a program's; -v shows arguments",
		flag(func(inv *invocation) { inv.list = true })},
	{'v', "verbose", "", "show what is done, and by which mechanism", flag(func(inv *invocation) { inv.verbose = true })},
	{'q', "quiet", "", "do not print the line about attached probes", flag(func(inv *invocation) { inv.quiet = true })},
	{'d', "dump", "STAGE", "show what a stage makes of the program instead of running it", setStage},
	{'o', "output", "FILE", "write the output to FILE", checkedLater("the name of a file", func(inv *invocation, v string) { inv.output = v })},
	{'B', "", "MODE", "buffering of the output: line (default), full, none",
		oneOf(func(inv *invocation) *string { return &inv.buffering }, "line", "full", "none")},
	{'f', "format", "FORMAT", "output format: text (default), json, json2 (with times, places and units), csv, influx (line protocol), folded (stacks for flame graphs), pprof, prometheus, html (a page with heat maps, flame graphs and tables), svg (a flame graph), speedscope, perfetto (a timeline)",
		oneOf(func(inv *invocation) *string { return &inv.format }, fst.Formats()...)},
	{0, "live", "", "show the results in place, on a terminal: sort, filter, freeze", flag(func(inv *invocation) { inv.live = true })},
	{0, "web", "", "show the results on a page for browsers, whose address is printed, refreshed each second", flag(func(inv *invocation) { inv.web = true })},
	{0, "also", "FORMAT=FILE", "write the output to FILE in FORMAT as well; may be repeated", setAlso},
	{0, "listen", "ADDR", "serve what the maps count to Prometheus, at http://ADDR/metrics: :9435 is for this machine only; for other addresses, clients need a token, which is printed",
		checkedLater("HOST:PORT, or :PORT for this machine only, as in :9435", func(inv *invocation, v string) { inv.listen = v })},
	{0, "listen-token", "FILE", "clients of --listen need the token in FILE", checkedLater("the name of a file", func(inv *invocation, v string) { inv.tokenFile = v })},
	{0, "otlp", "URL", "send events, spans and what the maps count to the OpenTelemetry collector at URL, as in http://localhost:4318",
		checkedLater("http://HOST:PORT of a collector, as in http://localhost:4318", func(inv *invocation, v string) { inv.otlp = v })},
	{'I', "", "DIR", "search DIR for #include files",
		checkedLater("the name of a directory", func(inv *invocation, v string) { inv.includeDirs = append(inv.includeDirs, v) })},
	{0, "include", "FILE", "begin the program with #include FILE",
		checkedLater("the name of a header", func(inv *invocation, v string) { inv.headers = append(inv.headers, v) })},
	{0, "unsafe", "", "allow programs that change the system (system, signal, override)",
		flag(func(inv *invocation) { inv.unsafe = true })},
	{0, "dry-run", "", "attach all probes, then exit", flag(func(inv *invocation) { inv.dryRun = true })},
	{0, "debuginfo", "DIR[:DIR]", "also search these directories for debug information",
		func(inv *invocation, v string) error {
			inv.debugDirs = append(inv.debugDirs, strings.Split(v, ":")...)
			return nil
		}},
	{0, "traceable-functions", "FILE", "read the list of traceable kernel functions from FILE",
		checkedLater("the name of a file", func(inv *invocation, v string) { inv.functions = v })},
	{0, "no-feature", "LIST", "do not use these features of the kernel: kprobe_multi,uprobe_multi,...",
		func(inv *invocation, v string) error {
			inv.without = append(inv.without, strings.Split(v, ",")...)
			return nil
		}},
	{0, "max-overhead", "SHARE", "detach the most expensive probe when the programs use more of one CPU than this, such as 2%",
		func(inv *invocation, v string) error {
			share, ok := parse.Share(v)
			if !ok {
				return scripts.Invalid(v, "a share of one CPU such as 2%")
			}
			inv.maxOverhead = share
			return nil
		}},
	{0, "test", "", "run the program's test:NAME probes", func(inv *invocation, _ string) error { return setMode(inv, "test") }},
	{0, "bench", "", "run the program's bench:NAME probes", func(inv *invocation, _ string) error { return setMode(inv, "bench") }},
	{0, "backend", "WHERE", "what runs tests and benchmarks: kernel, or interpreter, which needs no rights (default: the kernel if fst may)",
		oneOf(func(inv *invocation) *string { return &inv.backend }, "kernel", "interpreter")},
	{0, "mode", "MODE", "", setMode},
	{0, "probe-filter", "REGEX", "attach only probes whose names match, and begin and end",
		func(inv *invocation, v string) (err error) {
			inv.filter, err = regexp.Compile(v)
			return err
		}},
	{0, "info", "", "show what this kernel supports", flag(func(inv *invocation) { inv.info = true })},
	{0, "no-warnings", "", "suppress warnings", flag(func(inv *invocation) { inv.noWarnings = true })},
	{0, "kernel", "K", "for check and dump: the recorded kernel to compile for (5.10, 6.1, ..., a file or a directory)",
		func(inv *invocation, v string) error { inv.kernels = append(inv.kernels, v); return nil }},
	{0, "json", "", "for check: one object for each problem", flag(func(inv *invocation) { inv.json = true })},
	{'V', "version", "", "show the version", flag(func(inv *invocation) { inv.version = true })},
	{'h', "help", "", "show this text", flag(func(inv *invocation) { inv.help = true })},

	{'k', "warnings", "", "", ignored}, // failed reads are always counted
	{'b', "btf", "", "", ignored},
	{0, "usdt-file-activation", "", "", ignored},
	{0, "dwarf-pid", "PID", "", ignored}, // debug information is found by the process itself
	{0, "debug", "STAGE", "", setStage},
	{0, "emit-elf", "FILE", "", refused(noLLVM)},
	{0, "emit-llvm", "FILE", "", refused(noLLVM)},
	{0, "verify-llvm-ir", "", "", ignored},
	{0, "timeout", "SEC", "", refused("did you mean --duration?")},
	{0, "aot", "FILE", "", refused("fst compile writes a program to a file that fst runs")},
	{0, "fmt", "", "", flag(func(inv *invocation) { inv.reformat = true })}, // as fst fmt
}

var oneStage = oneOf(func(inv *invocation) *string { return &inv.stage }, stages.Names()...)

// setStage is -d of programs, as in bpftrace; that of tools is a time.
func setStage(inv *invocation, v string) error {
	err := oneStage(inv, v)
	number := leadingNumber(v)
	if err == nil || number == "" {
		return err
	}
	if _, ok := seconds(v); !ok {
		switch rest := v[len(number):]; {
		case strings.HasPrefix(rest, "ms"), strings.HasPrefix(rest, "mil"):
			v = number + "ms"
		case strings.HasPrefix(rest, "m"):
			v = number + "m"
		case strings.HasPrefix(rest, "h"):
			v = number + "h"
		default:
			v = number + "s"
		}
	}
	return fmt.Errorf("%w; to stop after that time, use --duration %s here, or -d %s behind the name of a tool", err, v, v)
}

func setDuration(inv *invocation, v string) error {
	var ok bool
	if inv.duration, ok = seconds(v); !ok {
		return scripts.Invalid(v, "a number of seconds above 0, as in 10, or of ms, s, m or h, as in 1m30s")
	}
	return nil
}

func leadingNumber(v string) string {
	return v[:len(v)-len(strings.TrimLeft(v, "0123456789."))]
}

// seconds reads a time: a number of seconds, or numbers with their units as in 1m30s; min is m, too.
func seconds(v string) (n float64, ok bool) {
	n, err := strconv.ParseFloat(v, 64)
	if err != nil {
		if strings.HasSuffix(v, "min") {
			v = strings.TrimSuffix(v, "in")
		}
		var d time.Duration
		d, err = time.ParseDuration(v)
		n = d.Seconds()
	}
	return n, err == nil && n > 0 && n <= 1e9
}

// setMode is --mode, bpftrace's one name for several options.
func setMode(inv *invocation, v string) error {
	switch v {
	case "test", "bench":
		if inv.mode != "" && inv.mode != v {
			return errors.New("--test and --bench cannot be used together")
		}
		inv.mode = v
	case "format":
		inv.reformat = true
	default:
		return scripts.Invalid(v, "test, bench or format")
	}
	return nil
}

func setPID(inv *invocation, v string) error {
	pid, err := strconv.Atoi(v)
	if err != nil || pid <= 0 {
		return scripts.Invalid(v, "a process ID; pgrep NAME shows that of a name")
	}
	inv.pid = pid
	return nil
}

func oneOf(field func(*invocation) *string, values ...string) func(*invocation, string) error {
	return func(inv *invocation, v string) error {
		for _, want := range values {
			if v == want {
				*field(inv) = v
				return nil
			}
		}
		return scripts.Invalid(v, strings.Join(values, ", "))
	}
}

// nearest is ", did you mean X?" if one of the names is near a word, or "".
func nearest(prefix, word string, names []string) string {
	if n := diag.Nearest(word, names); n != "" {
		return ": did you mean " + prefix + n + "?"
	}
	return ""
}

func longNames() []string {
	var names []string
	for i := range options {
		if options[i].help != "" {
			names = append(names, options[i].long)
		}
	}
	return names
}

func shortOption(c byte) *option {
	for i := range options {
		if options[i].short == c {
			return &options[i]
		}
	}
	return nil
}

// namedOption finds an option by its whole name, with its dashes.
func namedOption(name string) *option {
	if long, ok := strings.CutPrefix(name, "--"); ok {
		if o := longOption(long); o != nil && o.long == long {
			return o
		}
	} else if len(name) == 2 {
		return shortOption(name[1])
	}
	return nil
}

// longOption finds an option by its name or by the beginning of it, if that is
// of no other.
func longOption(name string) *option {
	var begun []*option
	for i := range options {
		switch long := options[i].long; {
		case long == "":
		case long == name:
			return &options[i]
		case name != "" && strings.HasPrefix(long, name):
			begun = append(begun, &options[i])
		}
	}
	if len(begun) == 1 {
		return begun[0]
	}
	return nil
}

// toolOptions are the options that every script with a header has besides its own.
var toolOptions = []scripts.Option{
	{Short: "d", Long: "duration", Value: "SEC", Help: "stop after SEC seconds"},
	{Short: "f", Long: "format", Value: "FORMAT", Help: strings.Join(fst.Formats(), ", ")},
	{Short: "o", Long: "output", Value: "FILE", Help: "write the output to FILE"},
	{Long: "also", Value: "FORMAT=FILE", Help: "write the output to FILE in FORMAT as well"},
	{Long: "live", Help: "show the results in place, on a terminal"},
	{Long: "web", Help: "show the results on a page for browsers, whose address is printed"},
	{Long: "listen", Value: "ADDR", Help: "serve what the maps count to Prometheus; :9435 is for this machine only"},
	{Long: "listen-token", Value: "FILE", Help: "clients of --listen need the token in FILE"},
	{Long: "otlp", Value: "URL", Help: "send what the script says and counts to an OpenTelemetry collector"},
	{Short: "j", Long: "json", Help: "write JSON, one object a line"},
	{Short: "v", Long: "verbose", Help: "show what is done, and by which mechanism"},
	{Short: "h", Long: "help", Help: "show what the script does and its options"},
}

// resolver tells what a first word on the command line means.
type resolver interface {
	// isCommand reports whether the word is a subcommand.
	isCommand(word string) bool
	// isTool reports whether it is a bundled tool.
	isTool(word string) bool
	// header returns the header of a script file, if it has one.
	header(path string) (scripts.Header, bool)
	// getopts returns the options that a script file reads, and whether they take a value.
	getopts(path string) map[string]bool
}

// parseArgs reads a command line. Options of fst may stand anywhere before
// "--", except behind a subcommand or a script with a header: those own the
// words behind their name.
func parseArgs(args []string, r resolver) (*invocation, error) {
	inv := &invocation{buffering: "line", format: "text", named: map[string]string{}}
	var words []string
	behindChild := -1 // the place behind -c COMMAND
	given := func(o *option, written string, i int) (string, error) {
		switch {
		case i == len(args):
			return "", fmt.Errorf("option %s needs a value: %s", written, o.value)
		case o.short == 'c':
			behindChild = i + 1
		}
		if next := namedOption(args[i]); next != nil && next.help != "" {
			return "", fmt.Errorf("option %s needs a value: %s, but the option %s follows", written, o.value, args[i])
		}
		return args[i], nil
	}
	for i := 0; i < len(args); i++ {
		a := args[i]
		switch {
		case a == "--":
			return inv, inv.finish(words, args[i+1:], r)
		case strings.HasPrefix(a, "--"):
			name, value, hasValue := strings.Cut(a[2:], "=")
			o := longOption(name)
			names := longNames()
			if o == nil && (len(words) > 0 || inv.hasProgram) {
				own := parse.Getopts(inv.program)
				if !inv.hasProgram {
					own = r.getopts(words[0])
				}
				names = append(names, slices.Sorted(maps.Keys(own))...)
				if takes, known := own[name]; known {
					if takes && !hasValue {
						if i++; i == len(args) {
							return nil, fmt.Errorf("option --%s needs a value: --%s=VALUE", name, name)
						}
						value, hasValue = args[i], true
					}
					inv.setNamed(name, value, hasValue)
					continue
				}
			}
			if o == nil {
				if err := inv.missing(words); err != nil {
					return nil, err
				}
				return nil, unknownOption("--"+name, nearest("--", name, names), i == behindChild, inv)
			}
			if o.value != "" && !hasValue {
				var err error
				i++
				if value, err = given(o, "--"+name, i); err != nil {
					return nil, err
				}
			} else if o.value == "" && hasValue {
				return nil, fmt.Errorf("option --%s takes no value", name)
			}
			if err := o.set(inv, value); err != nil {
				return nil, scripts.OfOption("--"+name, err)
			}
		case len(a) > 1 && a[0] == '-':
			if o := longOption(a[1:]); o != nil && o.long == a[1:] && o.long != "help" {
				return nil, fmt.Errorf("unknown option %s: did you mean --%s?", a, o.long)
			}
			for letters := a[1:]; letters != ""; {
				o := shortOption(letters[0])
				if o == nil {
					if err := inv.missing(words); err != nil {
						return nil, err
					}
					name, _, _ := strings.Cut(a[1:], "=")
					if o := longOption(name); o != nil {
						return nil, fmt.Errorf("unknown option -%s: did you mean --%s?", name, o.long)
					}
					return nil, unknownOption("-"+letters[:1], "", i == behindChild, inv)
				}
				if o.short == 'l' && i == behindChild {
					return nil, fmt.Errorf("-l lists probes, and runs no command%s", inv.quoted(a))
				}
				letters = letters[1:]
				value := letters
				if o.value != "" {
					letters = ""
					if value == "" {
						var err error
						i++
						if value, err = given(o, "-"+string(o.short), i); err != nil {
							return nil, err
						}
					}
				}
				if err := o.set(inv, value); err != nil {
					return nil, scripts.OfOption("-"+string(o.short), err)
				}
			}
		case i == behindChild && inv.hasProgram && !takesParams(inv.program):
			return nil, fmt.Errorf("the program has no parameter for %q%s", a, inv.quoted(a))
		case len(words) == 0 && !inv.hasProgram && !inv.list:
			if a == "" {
				return nil, errors.New("the name of the tool or script is empty (is a shell variable unset?)")
			}
			if r.isCommand(a) {
				inv.command, inv.words = a, args[i+1:]
				if i > 0 {
					inv.before = args[:i]
				}
				return inv, nil
			}
			if r.isTool(a) {
				inv.tool = a
				h, _ := r.header(a)
				return inv, inv.scriptArgs(h, args[i+1:])
			}
			if h, ok := r.header(a); ok {
				inv.script = a
				return inv, inv.scriptArgs(h, args[i+1:])
			}
			words = append(words, a)
		default:
			words = append(words, a)
		}
	}
	return inv, inv.finish(words, nil, r)
}

// takesParams reports whether a program reads what stands behind it on the command line, $1 or $#.
func takesParams(program string) bool {
	for _, behind := range strings.Split(program, "$")[1:] {
		if behind != "" && strings.Contains("0123456789#", behind[:1]) {
			return true
		}
	}
	return false
}

// unknownOption is the error of an option that fst does not have. It may belong to the command before it.
func unknownOption(written, near string, behindChild bool, inv *invocation) error {
	if near == "" && behindChild {
		near = inv.quoted(written)
	}
	if near == "" {
		near = " (fst -h lists fst's options; those of a tool or script go behind its name)"
	}
	return fmt.Errorf("unknown option %s%s", written, near)
}

// quoted is the advice for a word behind -c COMMAND that may be an argument of the command.
func (inv *invocation) quoted(word string) string {
	return fmt.Sprintf(": a command and its arguments are one word, as in -c '%s %s'", inv.child, word)
}

// missing is the error of a first word that should be a script's name, or a tool's, and is neither: options behind it are
// unknown for that reason.
func (inv *invocation) missing(words []string) error {
	if len(words) == 0 || inv.hasProgram || inv.list || words[0] == "-" {
		return nil
	}
	if _, err := os.Stat(words[0]); errors.Is(err, os.ErrNotExist) {
		return noScript(words[0])
	}
	return nil
}

// finish settles the words that are no options, and those behind "--".
func (inv *invocation) finish(words, rest []string, r resolver) error {
	if !inv.hasProgram && !inv.list {
		if len(words) == 0 && len(rest) > 0 {
			words, rest = rest[:1], rest[1:]
		}
		if len(words) > 0 {
			inv.script, words = words[0], words[1:]
		}
	}
	inv.params = words
	if inv.script != "" {
		if h, ok := r.header(inv.script); ok {
			params := inv.params
			if err := inv.scriptArgs(h, rest); err != nil {
				return err
			}
			inv.params = append(params, inv.params...)
			return nil
		}
	}
	for _, w := range rest {
		if body, ok := strings.CutPrefix(w, "--"); ok && body != "" {
			name, value, hasValue := strings.Cut(body, "=")
			inv.setNamed(name, value, hasValue)
		} else {
			inv.params = append(inv.params, w)
		}
	}
	return nil
}

// setNamed gives the script an option.
func (inv *invocation) setNamed(name, value string, hasValue bool) {
	if !hasValue {
		value = "true"
		if inv.flags == nil {
			inv.flags = map[string]bool{}
		}
		inv.flags[name] = true
	}
	if name == "help" && !hasValue {
		inv.scriptHelp = true
	}
	inv.named[name] = value
}

// scriptArgs gives the words behind the name of a script with a header to it.
func (inv *invocation) scriptArgs(h scripts.Header, words []string) error {
	params, named, shared, err := h.Args(words, toolOptions)
	if unknown := (*scripts.UnknownOption)(nil); errors.As(err, &unknown) {
		written, _, _ := strings.Cut(unknown.Word, "=")
		if o := namedOption(written); o != nil && o.short == 'e' {
			return fmt.Errorf("-e runs a program, %s is a tool: only one of them runs", h.Name)
		} else if o != nil && o.help != "" {
			return fmt.Errorf("%s is an option of fst itself: it goes before the name, fst %s %s", written, strings.TrimSpace(written+" "+o.value), h.Name)
		}
	}
	if err != nil {
		return err
	}
	inv.params, inv.named, inv.ownsWords = params, named, true
	return inv.sharedOptions(shared)
}

// sharedOptions takes the options that every tool has, toolOptions. They are called as fst's own, but -d and -j.
func (inv *invocation) sharedOptions(shared []scripts.Given) error {
	json, format := false, "json"
	for _, g := range shared {
		switch g.Long {
		case "help":
			inv.scriptHelp = true
			continue
		case "json":
			json = true
			continue
		case "format":
			format = g.Value
		}
		if err := longOption(g.Long).set(inv, g.Value); err != nil {
			return scripts.OfOption(g.Written, err)
		}
	}
	if json && format != "json" {
		return fmt.Errorf("-j is -f json, and cannot be used together with -f %s", format)
	}
	if json {
		inv.format = "json"
	}
	return nil
}

// Options are the options of the command line, each with its other name, if it
// has one.
func Options() map[string][]string {
	all := map[string][]string{}
	for _, o := range options {
		var names []string
		if o.short != 0 {
			names = append(names, "-"+string(o.short))
		}
		if o.long != "" {
			names = append(names, "--"+o.long)
		}
		for _, n := range names {
			all[n] = names
		}
	}
	return all
}
