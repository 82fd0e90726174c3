package scripts

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"

	"fst/lang/diag"
)

// Groups are the options that mean the same in every script that has them, by
// the word that a header's Common line names them with. The macros of
// stdlib/prelude/tool.fst and the functions row and table read them.
var Groups = map[string][]Option{
	"task": {
		{Short: "p", Long: "pid", Value: "PID", Help: "only this process"},
		{Short: "t", Long: "tid", Value: "TID", Help: "only this thread"},
		{Short: "c", Long: "comm", Value: "COMM", Help: "only threads of this name"},
		{Long: "uid", Value: "UID", Help: "only this user"},
		{Long: "cgroup", Value: "PATH", Help: "only this cgroup (/sys/fs/cgroup/...)"},
		{Long: "container", Value: "NAME", Help: "only this container, also if it starts later"},
		{Long: "pod", Value: "NAMESPACE/NAME", Help: "only this Kubernetes pod, also if it starts later"},
	},
	"time": {{Short: "T", Long: "time", Help: "with the time of day"}},
	"unit": {
		{Short: "m", Long: "ms", One: "unit", Help: "times in milliseconds"},
		{Short: "u", Long: "us", One: "unit", Help: "times in microseconds (the default)"},
		{Short: "n", Long: "ns", One: "unit", Help: "times in nanoseconds"},
	},
	"stack": {
		{Short: "K", Long: "kernel", One: "stack", Help: "stacks of the kernel only"},
		{Short: "U", Long: "user", One: "stack", Help: "stacks of programs only"},
		{Long: "dwarf", Help: "stacks of programs without frame pointers, too, by their unwind tables"},
	},
	"where": {
		{Short: "K", Long: "kernel", Help: "with the stack of the kernel"},
		{Short: "U", Long: "user", Help: "with the stack of the program"},
	},
	"rate": {{Short: "F", Long: "frequency", Value: "HZ", Help: "so many samples a second on each CPU (default: 99)"}},
	"disk": {{Long: "disk", Value: "DISK", Help: "only this disk (vda, nvme0n1)"}},
	"heat": {{Long: "heat", Help: "a heat map: one line for each interval (1 s) and histogram"}},
	"top": {
		{Long: "top", Value: "N", Help: "at most N rows (default: 20; 0: all)"},
		{Short: "s", Long: "sort", Value: "COLUMN", Help: "the rows with most of this column first (default: the first number)"},
	},
}

// groups are the options of the header's groups that it does not have itself.
func (h Header) groups() (list []Option) {
	for _, name := range h.Common {
		for _, o := range Groups[name] {
			if _, taken := h.option(o.Long, true); taken {
				continue
			}
			if _, taken := h.option(o.Short, false); taken && o.Short != "" {
				o.Short = ""
			}
			list = append(list, o)
		}
	}
	return list
}

// option finds an option by its name without dashes.
func (h Header) option(name string, long bool) (Option, bool) {
	for _, o := range h.Options {
		if long && o.Long == name || !long && o.Short == name {
			return o, true
		}
	}
	return Option{}, false
}

// Given is an option on a command line as it was written, with its value, "true" if it takes none.
type Given struct {
	Option
	Written, Value string
}

// Args splits the words behind a script's name into its positional parameters
// and its named options. The options in common are those of every script:
// what is given of them is returned apart, in the order of the words.
func (h Header) Args(words []string, common []Option) (params []string, named map[string]string, shared []Given, err error) {
	named = map[string]string{}
	own := Header{Options: slices.Concat(h.Options, h.groups())}
	all := Header{Options: slices.Concat(own.Options, common)}
	set := func(o Option, written, value string) {
		if _, isOwn := own.option(o.Long, true); isOwn {
			named[o.Long] = value
		} else {
			shared = append(shared, Given{o, written, value})
		}
	}
	for len(words) > 0 {
		word := words[0]
		words = words[1:]
		if word == "--" {
			params = append(params, words...)
			break
		}
		if len(word) < 2 || word[0] != '-' || isNumber(word) {
			params = append(params, word)
			continue
		}
		if body, long := strings.CutPrefix(word, "--"); long {
			name, value, hasValue := strings.Cut(body, "=")
			o, known := all.option(name, true)
			switch {
			case !known:
				return nil, nil, nil, h.unknown(word, all.Options)
			case o.Value == "" && !hasValue:
				value = "true"
			case o.Value != "" && !hasValue:
				if len(words) == 0 {
					return nil, nil, nil, fmt.Errorf("option --%s needs a value: --%s %s", name, name, o.Value)
				}
				value, words = words[0], words[1:]
			}
			set(o, "--"+name, value)
			continue
		}
		for letters := word[1:]; letters != ""; {
			o, known := all.option(letters[:1], false)
			if !known {
				return nil, nil, nil, h.unknown("-"+letters[:1], all.Options)
			}
			letters = letters[1:]
			if o.Value == "" {
				set(o, "-"+o.Short, "true")
				continue
			}
			if letters == "" {
				if len(words) == 0 {
					return nil, nil, nil, fmt.Errorf("option -%s needs a value: -%s %s", o.Short, o.Short, o.Value)
				}
				letters, words = words[0], words[1:]
			}
			set(o, "-"+o.Short, letters)
			break
		}
	}
	if slices.ContainsFunc(shared, func(g Given) bool { return g.Long == "help" }) {
		return params, named, shared, nil
	}
	if err := own.contradiction(named); err != nil {
		return nil, nil, nil, err
	}
	params, err = h.splitParams(params, named)
	if err != nil {
		return nil, nil, nil, err
	}
	return params, named, shared, nil
}

// contradiction reports two options of which only one can be meant.
func (h Header) contradiction(named map[string]string) error {
	first := map[string]Option{}
	for _, o := range h.Options {
		if on, given := named[o.Long]; o.One == "" || !given || on == "false" {
			continue
		}
		if other, already := first[o.One]; already {
			return fmt.Errorf("--%s and --%s cannot be used together", other.Long, o.Long)
		}
		first[o.One] = o
	}
	return nil
}

var optionInUsage = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`\[-[^][]*\]`) })

// splitParams compares positional parameters with the Usage line: how many it
// has room for, and that an interval and a count are numbers. Those two become
// options, which the report clause of the script reads.
func (h Header) splitParams(params []string, named map[string]string) (rest []string, err error) {
	if h.Usage == "" || strings.Contains(h.Usage, "...") {
		return params, nil
	}
	// An option in brackets takes its value with it: [-p PID].
	usage := optionInUsage().ReplaceAllString(h.Usage, " ")
	names := strings.Fields(strings.NewReplacer("[", " ", "]", " ").Replace(usage))
	names = slices.DeleteFunc(names[min(1, len(names)):], func(w string) bool { return w[0] == '-' })
	for i, p := range params {
		if i >= len(names) {
			return nil, fmt.Errorf("unexpected argument %q; usage: %s", p, h.Usage)
		}
		if names[i] != "interval" && names[i] != "count" {
			rest = append(rest, p)
			continue
		}
		if n, err := strconv.ParseUint(p, 10, 31); err != nil || n == 0 {
			want := "a number from 1 on"
			if names[i] == "interval" {
				want = "a number of seconds from 1 on, without a unit"
			}
			return nil, fmt.Errorf("invalid %s: %q (want %s); usage: %s", names[i], p, want, h.Usage)
		}
		named[names[i]] = p
	}
	if _, heat := named["heat"]; heat && named["interval"] == "" && slices.Contains(names, "interval") {
		named["interval"] = "1" // a heat map of one line shows nothing
	}
	return rest, nil
}

// CheckParams makes sure that there is a parameter for each word of the Usage
// line that stands outside of brackets. A script that is only compiled can do
// without them.
func (h Header) CheckParams(params []string) error {
	before, _, _ := strings.Cut(optionInUsage().ReplaceAllString(h.Usage, " "), "[")
	names := strings.Fields(before)
	needed := names[min(1, len(names)):]
	given := slices.Index(params, "")
	if given < 0 {
		given = len(params)
	}
	if given >= len(needed) {
		return nil
	}
	return fmt.Errorf("%s needs %s; usage: %s", h.Name, strings.Join(needed[given:], " and "), h.Usage)
}

// unknown reports a word that is none of the options.
func (h Header) unknown(word string, options []Option) error {
	return &UnknownOption{Word: word, text: h.unknownText(word, options)}
}

// UnknownOption is the error of a word that is no option of a script.
type UnknownOption struct {
	Word string // with its dashes, and its value if that is behind =
	text string
}

func (e *UnknownOption) Error() string { return e.text }

func (h Header) unknownText(word string, options []Option) string {
	var names []string
	for _, o := range options {
		names = append(names, o.Long)
	}
	name, _, _ := strings.Cut(strings.TrimLeft(word, "-"), "=")
	if near := diag.Nearest(name, names); near != "" {
		return fmt.Sprintf("%s has no option %s; did you mean --%s?", h.Name, word, near)
	}
	return fmt.Sprintf("%s has no option %s (fst %s -h lists its options)", h.Name, word, h.Name)
}

// isNumber reports whether a word such as -5 is a number and not an option.
func isNumber(word string) bool {
	return len(word) > 1 && word[1] >= '0' && word[1] <= '9'
}
