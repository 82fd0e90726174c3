// Package reloc ties objects to what they were compiled with: the answers that the kernel
// gave, and the options of the run. It finds the numbers of an object that follow from each
// of them, and puts in those of another kernel or run.
package reloc

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"slices"
	"strings"
)

// Kind is the kind of a question that a compile asks.
type Kind string

// The kinds whose answer is, or has, a number.
const (
	Feature    Kind = "feature"    // of Target.Has, by its flag: 1 or 0
	Since      Kind = "since"      // of Target.Since, by the version: 1 or 0
	CPUs       Kind = "cpus"       // how many there can be
	Symbol     Kind = "symbol"     // its address
	Field      Kind = "field"      // of a type: its offset
	Size       Kind = "size"       // of a type
	Function   Kind = "function"   // its BTF id
	Enumerator Kind = "enumerator" // its value
	Inode      Kind = "inode"      // of a path
	Cgroup     Kind = "cgroup"     // id of a path
	PID        Kind = "pid"        // of -p
	CPID       Kind = "cpid"       // of the process of -c
	Option     Kind = "option"     // of the script, by its name
	Param      Kind = "parameter"  // of the script, by its number
	Params     Kind = "parameters" // how many there are
)

// Fact is a question of a compile, and its answer.
type Fact struct {
	Kind Kind
	Args []string
	// Text is the answer, but for its number. It must be the same where the object is loaded.
	Text string
	// Number is part of the answer, if HasNumber.
	Number    int64
	HasNumber bool
	// Fixed: the object is as it is because of the number, which must be the same, too.
	Fixed bool
	// NotZero: with 0 for Number more than numbers of the object would change.
	NotZero bool
	// Uses are the numbers of the object that follow from Number.
	Uses []Use
}

// Use is a number of an object, by its place in what numbers yields, and by how much it
// changes where the fact's number is 1 more.
type Use struct {
	At    int
	Times int64
}

// arrow stands between where a type comes from and the members that lead from there.
const arrow = "->"

// fieldPath is what the question for a field, a size or a layout is about: where the type
// comes from, and the members that lead from there to the field.
func (f *Fact) fieldPath() (root, path []string) {
	i := slices.Index(f.Args, arrow)
	if i < 0 {
		return f.Args, nil
	}
	return f.Args[:i], f.Args[i+1:]
}

func key(kind Kind, args []string) string { return string(kind) + "\x00" + strings.Join(args, "\x00") }

// answer is an answer as it is kept: itself, or a sum of it.
func answer(values ...any) string {
	text, err := json.Marshal(values)
	if err != nil {
		return "unknown"
	}
	if len(text) > 120 {
		sum := sha256.Sum256(text)
		return "#" + hex.EncodeToString(sum[:12])
	}
	return strings.TrimSuffix(strings.TrimPrefix(string(text), "["), "]")
}

func (f *Fact) key() string { return key(f.Kind, f.Args) }
