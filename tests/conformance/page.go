package conformance

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
)

// ParsePage makes a case of each command of a page of documentation. In blocks
// that are indented by four blanks,
//
//   - "# cat FILE" is followed by the text of a file, which all later commands find;
//   - "# fst ..." is a command, followed by what it prints;
//   - other lines that begin with "# " are for the reader only.
//
// What a command prints is compared by its shape: each line must be there, with
// any numbers. A message of an error, or of the command line ("fst: "), is all that is
// printed, and exact. A comment of HTML before the block holds sections of the
// case, one a line: <!-- needs: kprobe -->.
func ParsePage(name, text string) ([]*Case, error) {
	var cases []*Case
	files := map[string]string{}
	var sections []string
	file := "" // that is being shown
	var c *Case
	inComment := false
	for line := range strings.Lines(text + "\n#end\n") {
		line = strings.TrimRight(line, "\n")
		code, isCode := strings.CutPrefix(line, "    ")
		switch {
		case inComment || strings.HasPrefix(line, "<!--"):
			body := strings.TrimSuffix(strings.TrimPrefix(strings.TrimSpace(line), "<!--"), "-->")
			if body = strings.TrimSpace(body); body != "" {
				sections = append(sections, body)
			}
			inComment = !strings.HasSuffix(line, "-->")
			continue
		case line == "" && (c != nil || file != ""): // within a block, perhaps
			if file != "" {
				files[file] += "\n"
			}
			continue
		case !isCode:
			c, file = nil, ""
			continue
		}
		command, isCommand := strings.CutPrefix(code, "# ")
		switch {
		case c != nil && c.Args == nil: // a command of several lines
			c.Prog += "\n" + code
		case isCommand && strings.HasPrefix(command, "cat ") && !strings.Contains(command, "|"):
			c, file = nil, strings.TrimPrefix(command, "cat ")
			files[file] = ""
			continue
		case isCommand && strings.HasPrefix(command, "fst "):
			c, file = &Case{Name: fmt.Sprintf("%s/%02d", name, len(cases)+1), Files: map[string]string{}, EndSelf: true,
				Prog: strings.TrimPrefix(command, "fst ")}, ""
			for _, s := range sections {
				section, body, _ := strings.Cut(s, ": ")
				if err := c.set(section, []string{body}); err != nil {
					return nil, fmt.Errorf("%s: <!-- %s -->: %w", name, s, err)
				}
				c.EndSelf = c.EndSelf && section != "workload"
			}
			sections = nil
			for f, text := range files {
				c.Files[f] = strings.TrimRight(text, "\n") + "\n"
			}
			cases = append(cases, c)
		case isCommand:
			c, file = nil, ""
			continue
		case file != "":
			files[file] += code + "\n"
			continue
		case c != nil:
			c.Printed = append(c.Printed, code)
			continue
		default:
			continue
		}
		if words, ok := shellWords(c.Prog); ok {
			c.Args, c.Prog = words, ""
		}
	}
	for _, c := range cases {
		if c.Args == nil {
			return nil, fmt.Errorf("%s: a quote is not closed: %s", c.Name, c.Prog)
		}
		if c.isMistake() {
			c.Exit = 1
		}
		// What every kernel can is tried where it is fast.
		if !slices.ContainsFunc(c.Needs, func(n string) bool { return n == "kprobe" || n == "vm" }) {
			c.Needs = append(c.Needs, "unemulated")
		}
	}
	return cases, nil
}

var mistake = regexp.MustCompile(`^fst: |^[^ ]+:[0-9]+:[0-9]+(-[0-9]+)?: ERROR: `)

// isMistake reports whether the case shows the message of an error and nothing else.
func (c *Case) isMistake() bool { return len(c.Printed) > 0 && mistake.MatchString(c.Printed[0]) }

// shellWords splits a command into its words. ok is false if a quote is open.
func shellWords(text string) (words []string, ok bool) {
	word, inWord, quote := "", false, rune(0)
	for _, r := range text {
		switch {
		case quote != 0 && r == quote:
			quote = 0
		case quote == 0 && (r == '\'' || r == '"'):
			quote, inWord = r, true
		case quote == 0 && (r == ' ' || r == '\n'):
			if inWord {
				words = append(words, word)
			}
			word, inWord = "", false
		default:
			word, inWord = word+string(r), true
		}
	}
	if inWord {
		words = append(words, word)
	}
	return words, quote == 0
}

// judgePage compares an output with what a page says of it; "" if it agrees.
func (c *Case) judgePage(stdout, stderr string) string {
	if c.isMistake() {
		if want := strings.Join(c.Printed, "\n"); strings.TrimSpace(stderr) != want {
			return "the message is not that of the page:\n" + want
		}
		return ""
	}
	var got []string
	for line := range strings.Lines(stdout + "\n" + stderr) {
		got = append(got, shape(line))
	}
	for _, line := range c.Printed {
		if s := shape(line); s != "" && s != "..." && !slices.Contains(got, s) {
			return "no line has the shape of this one of the page: " + line
		}
	}
	return ""
}

var (
	chartBar    = regexp.MustCompile(`\|[@ ]+\|$`)
	chartBucket = regexp.MustCompile(`^\[.*?[\])]`)
	dayTime     = regexp.MustCompile(`\b[0-9-]+T[0-9:.]+Z`)
	number      = regexp.MustCompile(`\b(0x[0-9a-f]+|[0-9]+(\.[0-9]+)?)(ns|us|ms|s|K|M|G)?\b`)
	blanks      = regexp.MustCompile(` +`)
)

// shape is a line with N for each number, without the bars of charts and the
// width of columns.
func shape(line string) string {
	line = chartBar.ReplaceAllString(strings.TrimSpace(line), "|")
	if strings.HasSuffix(line, "|") {
		line = chartBucket.ReplaceAllString(line, "[N]")
	}
	line = dayTime.ReplaceAllString(line, "N")
	line = number.ReplaceAllString(line, "N")
	return strings.TrimSpace(blanks.ReplaceAllString(strings.ReplaceAll(line, "-N", "N"), " "))
}
