// Package docs holds the pages that the command shows in a terminal.
package docs

import (
	_ "embed"
	"regexp"
	"strings"
)

//go:embed tutorial.md
var tutorial string

var comment = regexp.MustCompile(`(?s)<!--.*?-->\n*`)

// Tutorial is the page of lessons for a terminal, or the one that a word numbers.
// ok is false if there is none.
func Tutorial(words []string) (text string, ok bool) {
	page := comment.ReplaceAllString(tutorial, "")
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

// Section is a part of a page, from its heading of the second order to the next.
type Section struct{ Title, Text string }

// Sections cuts a page at its headings of the second order.
func Sections(page string) (list []Section) {
	for i, part := range strings.Split(page, "\n## ") {
		if title, _, ok := strings.Cut(part, "\n"); ok && i > 0 {
			list = append(list, Section{title, "## " + strings.TrimSpace(part) + "\n"})
		}
	}
	return list
}
