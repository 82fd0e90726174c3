package diag

import "strings"

// Nearest returns the candidate that a misspelt word most likely means, or ""
// if none is near. A candidate that differs only in case wins; otherwise the
// fewest insertions, deletions, replacements and swaps of neighbours decide,
// at most one for each three letters of word, and no more than three. Among equals one that word only
// lacks letters of wins, then the first in the order of strings, so that the
// answer does not depend on their order.
func Nearest(word string, candidates []string) string { return NearestWithin(word, candidates, 3) }

// NearestWithin is Nearest of at most so many differences.
func NearestWithin(word string, candidates []string, most int) string {
	if word == "" {
		return ""
	}
	lower := strings.ToLower(word)
	limit := min((len(word)+2)/3, most)
	best, bestDist := "", limit+1
	for _, c := range candidates {
		if c == "" || c == word {
			continue
		}
		var d int
		if cl := strings.ToLower(c); cl != lower {
			if abs(len(cl)-len(lower)) > limit {
				continue
			}
			if d = distance(lower, cl, min(bestDist, limit)); d >= len(word) {
				continue // nothing of the word is left
			}
		}
		if d < bestDist || d == bestDist && best != "" && isBetter(lower, c, best) {
			best, bestDist = c, d
		}
	}
	return best
}

// isBetter decides between candidates a and b that are equally far from word.
func isBetter(word, a, b string) bool {
	lacks, others := isWithin(word, strings.ToLower(a)), isWithin(word, strings.ToLower(b))
	return lacks && !others || lacks == others && a < b
}

// isWithin reports whether s has the letters of word, in their order.
func isWithin(word, s string) bool {
	for i := 0; i < len(s) && word != ""; i++ {
		if s[i] == word[0] {
			word = word[1:]
		}
	}
	return word == ""
}

func abs(n int) int {
	if n < 0 {
		return -n
	}
	return n
}

// distance is the optimal-string-alignment distance of a and b, or any number
// above limit if it is more than limit.
func distance(a, b string, limit int) int {
	before, prev, row := make([]int, len(b)+1), make([]int, len(b)+1), make([]int, len(b)+1)
	for j := range prev {
		prev[j] = j
	}
	for i := 1; i <= len(a); i++ {
		row[0] = i
		least := i
		for j := 1; j <= len(b); j++ {
			cost := 1
			if a[i-1] == b[j-1] {
				cost = 0
			}
			row[j] = min(prev[j]+1, row[j-1]+1, prev[j-1]+cost)
			if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
				row[j] = min(row[j], before[j-2]+1)
			}
			least = min(least, row[j])
		}
		if least > limit {
			return limit + 1
		}
		before, prev, row = prev, row, before
	}
	return prev[len(b)]
}
