package target

import "strings"

// Match reports whether a name matches a pattern in which only * is special:
// it stands for any text, also none.
func Match(pattern, name string) bool {
	first, rest, wild := strings.Cut(pattern, "*")
	if !wild {
		return pattern == name
	}
	if !strings.HasPrefix(name, first) {
		return false
	}
	name = name[len(first):]
	for {
		part, more, wild := strings.Cut(strings.TrimLeft(rest, "*"), "*")
		if !wild {
			return strings.HasSuffix(name, part)
		}
		i := strings.Index(name, part)
		if i < 0 {
			return false
		}
		name, rest = name[i+len(part):], more
	}
}

// IsWild reports whether a pattern may match more than one name.
func IsWild(pattern string) bool { return strings.Contains(pattern, "*") }
