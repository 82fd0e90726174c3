package diag

import (
	"math/bits"
	"slices"
	"strings"
)

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
	limit := min((len(word)+1)/3, most)
	best, bestDist := "", limit+1
	var rows rows
	has := letters(lower)
	for _, c := range candidates {
		if c == "" || c == word {
			continue
		}
		var d int
		if cl := strings.ToLower(c); cl != lower {
			within := min(bestDist, limit)
			if abs(len(cl)-len(lower)) > within || bits.OnesCount64(has^letters(cl)) > 2*within {
				continue // without a closer look, which costs a hundred times as much
			}
			if d = rows.distance(lower, cl, within); d >= len(word) {
				continue // nothing of the word is left
			}
		}
		if d < bestDist || d == bestDist && best != "" && isBetter(lower, c, best) {
			best, bestDist = c, d
		}
	}
	return best
}

// Family is the first word of a kernel's name, which tells the part of the kernel that
// it is of.
func Family(name string) string {
	family, _, _ := strings.Cut(strings.TrimLeft(name, "_"), "_")
	return family
}

// AreKin reports whether two names of a kernel may be of the same part of it:
// drm_ioctl and arp_ioctl have nothing in common, however near they are.
func AreKin(word, name string) bool {
	family := Family(word)
	return strings.Contains(name, family) || NearestWithin(family, []string{Family(name)}, 1) != ""
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

// letters is the set of the letters of s, folded into 64 bits. A difference between
// two words changes at most two of them.
func letters(s string) (set uint64) {
	for i := range len(s) {
		set |= 1 << (s[i] % 64)
	}
	return set
}

// rows are those of the table by which distances are found.
type rows [3][]int

// distance is the optimal-string-alignment distance of a and b, or any number
// above limit if it is more than limit.
func (r *rows) distance(a, b string, limit int) int {
	for i := range r {
		r[i] = slices.Grow(r[i][:0], len(b)+1)[:len(b)+1]
	}
	before, prev, row := r[0], r[1], r[2]
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
