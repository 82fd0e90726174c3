// Package docs holds the pages that the command shows in a terminal.
package docs

import (
	_ "embed"
	"regexp"
	"strings"
	"sync"
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

// topics are words for sections of the language's page whose titles are others.
var topics = map[string]string{"@": "Maps", "map": "Maps", "$": "Variables", "/": "Filters", "predicates": "Filters", "precedence": "Operators", "casts": "Types",
	"loops": "Statements", "params": "Parameters", "functions": "Functions and macros", "clauses": "Programs", "language": "Programs"}

// Language is the section of the page of the language that a word names, by its
// title or a part of the language: operators, maps, @. ok is false if none does.
func Language(word string) (text string, ok bool) {
	if title, ok := topics[word]; ok {
		word = title
	}
	for _, s := range Sections(language) {
		if s.Title != "" && strings.EqualFold(s.Title, word) {
			return link().ReplaceAllString(s.Text, "$1"), true
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
