package cli

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync"

	"fst"
	"fst/docs"
	"fst/scripts"
)

// man writes the manual pages below a directory: fst(1) and one for each tool, made from
// the tables of options and the headers, and fst(7), made from the page of the language.
func (a *app) man(words []string) int {
	if len(words) != 1 {
		return a.fail(fmt.Errorf("usage: fst man DIR"))
	}
	pages := map[string]string{"man1/fst.1": manOfFst(), "man7/fst.7": manOfLanguage(), "man1/fst-graph.1": a.manOfTool("graph")}
	for _, name := range scripts.Names() {
		pages["man1/fst-"+name+".1"] = a.manOfTool(name)
	}
	for name, text := range pages {
		path := filepath.Join(words[0], name)
		err := os.MkdirAll(filepath.Dir(path), 0o755)
		if err == nil {
			err = os.WriteFile(path, []byte(text), 0o644)
		}
		if err != nil {
			return a.fail(err)
		}
	}
	return exitOK
}

// roff escapes a text for a line of a manual page.
func roff(text string) string {
	text = strings.NewReplacer(`\`, `\e`, "-", `\-`, "'", `\(aq`, "`", `\(ga`, "^", `\(ha`, "~", `\(ti`, "…", "...", "─", `\-`, "▶", ">").Replace(text)
	if strings.HasPrefix(text, ".") {
		text = `\&` + text
	}
	return text
}

// page is a manual page as it is written.
type page struct{ strings.Builder }

func newPage(name, section, what string) *page {
	p := &page{}
	fmt.Fprintf(p, ".TH %s %s \"\" \"fst %s\"\n.SH NAME\n%s \\- %s\n", strings.ToUpper(roff(name)), section, fst.Version, roff(name), roff(what))
	return p
}

func (p *page) heading(title string) { fmt.Fprintf(p, ".SH %s\n", roff(strings.ToUpper(title))) }

// text writes a paragraph, if there is any.
func (p *page) text(title, text string) {
	if text != "" {
		p.heading(title)
		p.WriteString(roff(text) + "\n")
	}
}

// item writes a tagged paragraph.
func (p *page) item(tag, text string) {
	fmt.Fprintf(p, ".TP\n\\fB%s\\fR\n%s\n", roff(tag), roff(text))
}

// example writes lines as they are.
func (p *page) example(text string) {
	p.WriteString(".PP\n.nf\n.RS 4\n")
	for line := range strings.Lines(strings.TrimRight(text, "\n")) {
		p.WriteString(roff(strings.TrimRight(line, "\n")) + "\n")
	}
	p.WriteString(".RE\n.fi\n")
}

func manOfFst() string {
	p := newPage("fst", "1", "trace a running Linux system with small awk-like programs")
	p.heading("synopsis")
	for i, u := range usages {
		if i > 0 {
			p.WriteString(".br\n")
		}
		p.WriteString(roff("fst "+u) + "\n")
	}
	p.text("description", "fst runs small awk-like tracing programs on the live kernel: a program's text becomes eBPF instructions in the process itself. "+
		"It speaks the language of bpftrace and adds to it; fst(7) describes the language. The bundled tools answer common questions: fst tools lists them, "+
		"and each has a manual page fst-NAME(1). fst help tutorial teaches the language.")
	p.heading("options")
	for _, o := range options {
		if o.help != "" {
			p.item(strings.TrimSpace(o.names()), o.help)
		}
	}
	p.heading("commands")
	for _, c := range commands() {
		p.item("fst "+c.usage, c.help)
	}
	p.heading("tools")
	for _, name := range scripts.Names() {
		text, _ := scripts.Source(name)
		h, _ := scripts.ParseHeader(text)
		p.item(name, h.Question)
	}
	p.heading("exit status")
	p.item("0", "success")
	p.item("1", "a wrong command line, script or file")
	p.item("2", "a wrong value in the environment")
	p.item("130", "interrupted before anything was traced")
	p.item("255", "loading or attaching failed")
	p.heading("examples")
	for _, o := range scripts.OneLiners()[:8] {
		p.WriteString(".PP\n" + roff(o.Question) + "\n")
		p.example(o.Command)
	}
	p.text("see also", "fst(7), bpftrace(8)")
	return p.done()
}

func (a *app) manOfTool(name string) string {
	h, _ := a.header(name)
	p := newPage("fst-"+name, "1", h.Question)
	p.text("synopsis", "fst "+h.Usage)
	p.heading("options")
	for _, o := range h.All(toolOptions) {
		p.item(o.Names(), o.Help)
	}
	p.text("how to read it", h.Reading)
	p.text("what it can miss", h.Misses)
	p.text("cost", h.Cost)
	p.text("other tools", h.Others)
	if len(h.Examples) > 0 {
		p.heading("examples")
		p.example(strings.Join(h.Examples, "\n"))
	}
	if example, ok := scripts.Example(name); ok {
		p.heading("output")
		p.example(example)
	}
	also := "fst(1), fst(7)"
	for _, other := range h.Instead {
		also += ", fst-" + other + "(1)"
	}
	p.text("see also", also)
	return p.done()
}

var link = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`\[([^\]]*)\]\([^)]*\)`) })

// manOfLanguage is the page of the language in the form of a manual page.
func manOfLanguage() string {
	p := newPage("fst", "7", "the language of fst's programs")
	plain := func(text string) string {
		return roff(strings.NewReplacer("`", "", "**", "", `\|`, "|").Replace(link().ReplaceAllString(text, "$1")))
	}
	example, fenced, begun, row := "", false, false, 0
	for line := range strings.Lines(docs.LanguagePage() + "\n") {
		line = strings.TrimRight(line, "\n")
		if strings.HasPrefix(line, "```") {
			fenced = !fenced
			continue
		}
		if code, ok := strings.CutPrefix(line, "    "); ok || fenced {
			if fenced {
				code = line
			}
			example += code + "\n"
			continue
		}
		if line == "" && example != "" {
			example += "\n"
			continue
		}
		if example != "" {
			p.example(example)
			example = ""
			p.WriteString(".PP\n")
		}
		if !strings.HasPrefix(line, "|") {
			row = 0
		}
		switch level := strings.IndexFunc(line, func(r rune) bool { return r != '#' }); {
		case level == 1 && begun:
			p.heading(plainTitle(line))
		case level > 1:
			fmt.Fprintf(p, ".SS %s\n", plain(plainTitle(line)))
		case level == 1:
			p.heading("description")
			begun = true
		case strings.HasPrefix(line, "|"):
			cells := strings.Split(strings.ReplaceAll(strings.Trim(line, "| "), `\|`, "\x00"), " | ")
			if row++; row > 2 && len(cells) > 1 { // behind the heading and its rule
				for i := range cells {
					cells[i] = strings.ReplaceAll(cells[i], "\x00", "|")
				}
				fmt.Fprintf(p, ".TP\n\\fB%s\\fR\n%s\n", plain(cells[0]), plain(strings.Join(cells[1:], "; ")))
			}
		case strings.HasPrefix(line, "- "):
			fmt.Fprintf(p, ".IP \\(bu 2\n%s\n", plain(line[2:]))
		case numbered().MatchString(line):
			number, text, _ := strings.Cut(line, " ")
			fmt.Fprintf(p, ".IP %s 3\n%s\n", number, plain(text))
		case line == "":
			p.WriteString(".PP\n")
		default:
			p.WriteString(plain(strings.TrimLeft(line, " ")) + "\n")
		}
	}
	p.text("see also", "fst(1)")
	return p.done()
}

// Empty paragraphs are those before another macro that begins one, and those behind a heading.
var (
	emptyBefore = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`(?m)(?:^\.PP\n)+(^\.(?:SH|SS|PP|TP|IP))`) })
	emptyBehind = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`(?m)(^\.S[HS].*\n)(?:\.PP\n)+`) })
)

// done is the whole page.
func (p *page) done() string {
	return emptyBehind().ReplaceAllString(emptyBefore().ReplaceAllString(p.String(), "$1"), "$1")
}

var numbered = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^[0-9]+\. `) })

func plainTitle(line string) string { return strings.Trim(line, "# ") }
