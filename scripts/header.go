package scripts

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// Header is what the comment lines at the top of a script say about it:
//
//	#!/usr/bin/env fst
//	// NAME: the question that the script answers?
//	//
//	// Usage: NAME [-D] [interval [count]]
//	// Option: -D, --disk: a histogram for each disk
//	// Option: -p, --pid PID: only this process
//	// Example: fst NAME -D 1 10
//	// Misses: what the numbers do not contain.
//	// Cost: what running it costs.
//
// A line that starts with a blank behind "// " continues the one before. A
// script with a Usage line owns every word behind its name on the command line.
type Header struct {
	Name     string
	Question string
	Usage    string
	Options  []Option
	Examples []string
	Misses   string
	Cost     string
}

// Option is an option of a script; getopt("LONG") reads it.
type Option struct {
	Short string // one letter without the dash, or empty
	Long  string
	Value string // what the value is called ("PID"), or empty for a flag
	Help  string
}

// ParseHeader reads the header of a script. ok is false if it has no Usage
// line; the fields that were found are set all the same.
func ParseHeader(text string) (h Header, ok bool) {
	for i, line := range headerLines(text) {
		key, value, found := strings.Cut(line, ":")
		value = strings.TrimSpace(value)
		if !found {
			continue
		}
		switch key {
		case "Usage":
			h.Usage = value
		case "Option":
			h.Options = append(h.Options, parseOption(value))
		case "Example":
			h.Examples = append(h.Examples, value)
		case "Misses":
			h.Misses = value
		case "Cost":
			h.Cost = value
		default:
			if i == 0 {
				h.Name, h.Question = key, value
			}
		}
	}
	return h, h.Usage != ""
}

// headerLines returns the first block of // comments without its slashes,
// continuation lines joined.
func headerLines(text string) []string {
	var lines []string
	for line := range strings.Lines(text) {
		line = strings.TrimRight(line, " \t\r\n")
		if strings.HasPrefix(line, "#!") && len(lines) == 0 {
			continue
		}
		body, isComment := strings.CutPrefix(line, "//")
		if !isComment {
			break
		}
		body = strings.TrimPrefix(body, " ")
		if strings.HasPrefix(body, " ") && len(lines) > 0 {
			lines[len(lines)-1] += " " + strings.TrimSpace(body)
		} else {
			lines = append(lines, body)
		}
	}
	return lines
}

// parseOption reads "-p, --pid PID: only this process".
func parseOption(text string) Option {
	names, help, _ := strings.Cut(text, ":")
	o := Option{Help: strings.TrimSpace(help)}
	for _, word := range strings.Fields(strings.ReplaceAll(names, ",", " ")) {
		switch {
		case strings.HasPrefix(word, "--"):
			o.Long = word[2:]
		case strings.HasPrefix(word, "-"):
			o.Short = word[1:]
		default:
			o.Value = word
		}
	}
	return o
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

// Args splits the words behind a script's name into its positional parameters
// and its named options. The letters in common are options of every script
// ("h", "v"): they are returned apart, as name to value. Letters with a value
// have one in common's value ("d" to "SEC").
func (h Header) Args(words []string, common []Option) (params []string, named, shared map[string]string, err error) {
	named, shared = map[string]string{}, map[string]string{}
	all := Header{Options: append(append([]Option{}, h.Options...), common...)}
	set := func(o Option, value string) {
		if _, own := h.option(o.Long, true); own {
			named[o.Long] = value
		} else {
			shared[o.Long] = value
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
				return nil, nil, nil, h.unknown(word)
			case o.Value == "" && !hasValue:
				value = "true"
			case o.Value != "" && !hasValue:
				if len(words) == 0 {
					return nil, nil, nil, fmt.Errorf("option --%s needs a value: --%s %s", name, name, o.Value)
				}
				value, words = words[0], words[1:]
			}
			set(o, value)
			continue
		}
		for letters := word[1:]; letters != ""; {
			o, known := all.option(letters[:1], false)
			if !known {
				return nil, nil, nil, h.unknown("-" + letters[:1])
			}
			letters = letters[1:]
			if o.Value == "" {
				set(o, "true")
				continue
			}
			if letters == "" {
				if len(words) == 0 {
					return nil, nil, nil, fmt.Errorf("option -%s needs a value: -%s %s", o.Short, o.Short, o.Value)
				}
				letters, words = words[0], words[1:]
			}
			set(o, letters)
			break
		}
	}
	if err := h.checkParams(params); err != nil {
		return nil, nil, nil, err
	}
	return params, named, shared, nil
}

var optionInUsage = regexp.MustCompile(`\[-[^][]*\]`)

// checkParams compares positional parameters with the Usage line: how many it
// has room for, and that an interval and a count are numbers.
func (h Header) checkParams(params []string) error {
	if h.Usage == "" || strings.Contains(h.Usage, "...") {
		return nil
	}
	// An option in brackets takes its value with it: [-p PID].
	usage := optionInUsage.ReplaceAllString(h.Usage, " ")
	names := strings.Fields(strings.NewReplacer("[", " ", "]", " ").Replace(usage))
	names = slices.DeleteFunc(names[min(1, len(names)):], func(w string) bool { return w[0] == '-' })
	for i, p := range params {
		if i >= len(names) {
			return fmt.Errorf("%s has no argument for %q; its usage is: %s", h.Name, p, h.Usage)
		}
		if names[i] != "interval" && names[i] != "count" {
			continue
		}
		if n, err := strconv.ParseUint(p, 10, 31); err != nil || n == 0 {
			return fmt.Errorf("the %s must be a number from 1, not %q; the usage of %s is: %s", names[i], p, h.Name, h.Usage)
		}
	}
	return nil
}

func (h Header) unknown(word string) error {
	return fmt.Errorf("%s has no option %s; its usage is: %s", h.Name, word, h.Usage)
}

// isNumber reports whether a word such as -5 is a number and not an option.
func isNumber(word string) bool {
	return len(word) > 1 && word[1] >= '0' && word[1] <= '9'
}

// Help returns the header as a page of text. common are the options that
// every script has.
func (h Header) Help(common []Option) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s: %s\n\nUsage: fst %s\n", h.Name, h.Question, h.Usage)
	if len(h.Options)+len(common) > 0 {
		b.WriteString("\nOptions:\n")
	}
	for _, list := range [][]Option{h.Options, common} {
		for _, o := range list {
			names := "    --" + o.Long
			if o.Short != "" {
				names = "-" + o.Short + ", --" + o.Long
			}
			if o.Value != "" {
				names += " " + o.Value
			}
			fmt.Fprintf(&b, "  %-22s %s\n", names, o.Help)
		}
	}
	if len(h.Examples) > 0 {
		b.WriteString("\nExamples:\n")
	}
	for _, e := range h.Examples {
		fmt.Fprintf(&b, "  %s\n", e)
	}
	for _, part := range []struct{ title, text string }{{"What it can miss", h.Misses}, {"Cost", h.Cost}} {
		if part.text != "" {
			fmt.Fprintf(&b, "\n%s:\n%s", part.title, wrap(part.text, "  ", 88))
		}
	}
	return b.String()
}

// wrap breaks a text into indented lines of at most width bytes.
func wrap(text, indent string, width int) string {
	var b strings.Builder
	line := indent
	for _, word := range strings.Fields(text) {
		if len(line)+1+len(word) > width && line != indent {
			b.WriteString(strings.TrimRight(line, " ") + "\n")
			line = indent
		}
		line += word + " "
	}
	b.WriteString(strings.TrimRight(line, " ") + "\n")
	return b.String()
}
