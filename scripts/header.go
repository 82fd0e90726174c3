package scripts

import (
	"fmt"
	"io"
	"slices"
	"strings"
)

// Header is what the comment lines at the top of a script say about it:
//
//	#!/usr/bin/env fst
//	// NAME: the question that the script answers?
//	//
//	// Topic: disks
//	// Usage: NAME [-D] [interval [count]]
//	// Option: -D, --disk: a histogram for each disk
//	// Common: task, unit
//	// Reading: what the columns mean.
//	// Example: fst NAME -D 1 10
//	// Misses: what the numbers do not contain.
//	// Cost: what running it costs.
//	// Instead: OTHER
//	// Also: what tools of the same purpose are called elsewhere
//	// Words: what people look for who need it
//	// Others: what bpftrace's and bcc's tools of the same purpose get wrong.
//
// A line that starts with a blank behind "// " continues the one before. A
// script with a Usage line owns every word behind its name on the command line.
// Common names groups of options that mean the same in every script, see
// Groups; Instead names tools to try where the kernel lacks what this one needs.
type Header struct {
	Name     string
	Question string
	Topic    string
	Usage    string
	Options  []Option
	Common   []string
	Reading  string
	Examples []string
	Misses   string
	Cost     string
	Instead  []string
	Also     []string
	Words    string
	Others   string
}

// Option is an option of a script; getopt("LONG") reads it.
type Option struct {
	Short string // one letter without the dash, or empty
	Long  string
	Value string // what the value is called ("PID"), or empty for a flag
	Help  string
	// One is the choice that this is an answer to, or empty: of options with the
	// same choice only one may be given.
	One string
}

// ParseHeader reads the header of a script. ok is false if it has no Usage
// line; the fields that were found are set all the same.
func ParseHeader(text string) (h Header, ok bool) {
	text = strings.TrimPrefix(text, "\ufeff") // some editors begin files with it
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
		case "Topic":
			h.Topic = value
		case "Common":
			h.Common = words(value)
		case "Instead":
			h.Instead = words(value)
		case "Also":
			h.Also = words(value)
		case "Reading":
			h.Reading = value
		case "Example":
			h.Examples = append(h.Examples, value)
		case "Misses":
			h.Misses = value
		case "Cost":
			h.Cost = value
		case "Words":
			h.Words = value
		case "Others":
			h.Others = value
		default:
			if i == 0 {
				h.Name, h.Question = key, value
			}
		}
	}
	return h, h.Usage != ""
}

func words(list string) []string { return strings.Fields(strings.ReplaceAll(list, ",", " ")) }

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

// All are the options of a script: its own, those of its groups, and what every script has.
func (h Header) All(common []Option) []Option { return slices.Concat(h.Options, h.groups(), common) }

// Names is "-p, --pid PID".
func (o Option) Names() string {
	names := "--" + o.Long
	if o.Short != "" {
		names = "-" + o.Short + ", " + names
	}
	if o.Value != "" {
		names += " " + o.Value
	}
	return names
}

// Help returns the header as a page of text. common are the options that
// every script has; they come behind those that this one has.
func (h Header) Help(common []Option) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s: %s\n\nUsage: fst %s\n", h.Name, h.Question, h.Usage)
	for _, part := range []struct {
		title   string
		options []Option
	}{{"Options", slices.Concat(h.Options, h.groups())}, {"Options that all tools have", common}} {
		if len(part.options) > 0 {
			fmt.Fprintf(&b, "\n%s:\n", part.title)
		}
		for _, o := range part.options {
			names := o.Names()
			if o.Short == "" {
				names = "    " + names
			}
			Entry(&b, names, o.Help)
		}
	}
	if len(h.Examples) > 0 {
		b.WriteString("\nExamples:\n")
	}
	for _, e := range h.Examples {
		fmt.Fprintf(&b, "  %s\n", e)
	}
	for _, part := range []struct{ title, text string }{
		{"How to read it", h.Reading + columns(h.Name)}, {"What it can miss", h.Misses}, {"Cost", h.Cost}, {"What other tools say", h.Others}, {"Where it does not work, try", strings.Join(h.Instead, ", ")},
		{"Elsewhere called", strings.Join(h.Also, ", ")},
	} {
		if part.text != "" {
			fmt.Fprintf(&b, "\n%s:\n%s", part.title, Wrap(part.text, "  ", 88))
		}
	}
	return b.String()
}

// columns says, behind how to read a bundled tool, where the rest is explained.
func columns(name string) string {
	if _, bundled := Source(name); !bundled {
		return ""
	}
	return " PID, COMM and the like mean the same in all tools: fst help columns."
}

// Entry writes what a word means behind the word, or below it if it is long, in lines of at most 100 columns.
func Entry(w io.Writer, name, help string) { EntryAt(w, name, help, 26, 100) }

// EntryAt is Entry where the meaning begins at a column, and lines have at most width bytes.
func EntryAt(w io.Writer, name, help string, column, width int) {
	indent := strings.Repeat(" ", column)
	text := Wrap(help, indent, width)
	if len(name) > column-4 {
		fmt.Fprintf(w, "  %s\n%s", name, text)
	} else {
		fmt.Fprintf(w, "  %-*s%s", column-2, name, strings.TrimPrefix(text, indent))
	}
}

// Wrap breaks a text into indented lines of at most width bytes, but for words that are longer.
func Wrap(text, indent string, width int) string {
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
