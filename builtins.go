package fst

// Builtin describes a built-in function or variable.
type Builtin struct {
	Name    string
	Usage   string // how it is written: "hist(n[, k])"
	Summary string // one line
	Help    string // all there is to say
}

// Builtins lists the built-in functions and variables, sorted by name.
func Builtins() []Builtin { return nil }

// FindBuiltin finds a built-in by its name.
func FindBuiltin(name string) (Builtin, bool) {
	for _, b := range Builtins() {
		if b.Name == name {
			return b, true
		}
	}
	return Builtin{}, false
}
