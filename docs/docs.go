// Package docs holds the pages that the command shows in a terminal.
package docs

import (
	"embed"
	"maps"
	"regexp"
	"slices"
	"strings"
	"sync"
	"unicode"
)

//go:embed tutorial.md
var tutorial string

var comment = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`(?s)<!--.*?-->\n*`) })

// Tutorial is the page of lessons for a terminal, or the one that a word numbers.
// ok is false if there is none.
func Tutorial(words []string) (text string, ok bool) {
	page := comment().ReplaceAllString(tutorial, "")
	if len(words) == 0 {
		return page, true
	}
	for _, section := range Sections(page) {
		if number, _, ok := strings.Cut(section.Title, "."); ok && number == strings.Join(words, " ") {
			return section.Text, true
		}
	}
	return "", false
}

//go:embed language.md
var language string

//go:embed export.md reliability.md differences.md
var pages embed.FS

// Pages are the names of the pages beside the tutorial and that of the language.
var Pages = []string{"differences", "export", "reliability"}

// topics are words for sections whose titles are others, and for pages.
var topics = map[string]string{"@": "Maps", "map": "Maps", "$": "Variables", "/": "Filters", "predicates": "Filters", "precedence": "Operators", "casts": "Types",
	"loops": "Statements", "params": "Parameters", "functions": "Functions and macros", "clauses": "Programs", "language": "Programs",
	"format": "Output for programs", "formats": "Output for programs", "json": "Output for programs", "otlp": "OpenTelemetry", "grafana": "Prometheus", "dashboards": "Prometheus",
	"html": "Pages", "capabilities": "Rights", "privileges": "Rights", "permissions": "Rights", "lost": "Lost events", "kernels": "Kernel differences", "overhead": "Budgets", "bpftrace": "differences"}

// Topic is what a word, or several, name: a section of the page of the language or of another page, by its
// title or a part of the language (operators, maps, @, @x, prometheus, rights), or another page (export).
// ok is false if there is none.
func Topic(word string) (text string, ok bool) {
	if len(word) > 1 && (word[0] == '@' || word[0] == '$') && unicode.IsLetter(rune(word[1])) {
		word = word[:1] // of a program: @reads, $start
	}
	if title, ok := topics[strings.ToLower(word)]; ok {
		word = title
	}
	all := texts()
	if i := slices.Index(Pages, strings.ToLower(word)); i >= 0 {
		return link().ReplaceAllString(all[1+i], "$1"), true
	}
	for _, page := range all {
		for _, s := range Sections(page) {
			if s.Title != "" && strings.EqualFold(s.Title, word) {
				return link().ReplaceAllString(s.Text, "$1"), true
			}
		}
	}
	return "", false
}

// link is a link of Markdown, of which a terminal shows the text.
var link = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`\[([^][]+)\]\([^()]+\)`) })

// LanguagePage is the page of the language, without comments.
func LanguagePage() string { return comment().ReplaceAllString(language, "") }

// Topics are the titles of the sections that say what the language is.
func Topics() (list []string) {
	page, _, _ := strings.Cut(language, "\n# ")
	for _, s := range Sections(page) {
		list = append(list, strings.ToLower(s.Title))
	}
	return list
}

// Words are all that Topic knows.
func Words() []string {
	list := slices.Concat(Topics(), Pages, slices.Collect(maps.Keys(topics)))
	for _, page := range texts() {
		for _, s := range Sections(page) {
			list = append(list, strings.ToLower(s.Title))
		}
	}
	return list
}

// texts are the pages that Topic looks into, that of the language first.
func texts() []string {
	list := []string{language}
	for _, name := range Pages {
		page, _ := pages.ReadFile(name + ".md") // it is embedded
		list = append(list, string(page))
	}
	return list
}

// Section is a part of a page, from its heading of the second order to the next.
type Section struct{ Title, Text string }

// Sections cuts a page at its headings of the second order.
func Sections(page string) (list []Section) {
	for i, part := range strings.Split(page, "\n## ") {
		part, _, _ = strings.Cut(part, "\n# ") // the next chapter
		if title, _, ok := strings.Cut(part, "\n"); ok && i > 0 {
			list = append(list, Section{title, "## " + strings.TrimSpace(part) + "\n"})
		}
	}
	return list
}
