package object

import (
	"strconv"

	"fst/compiler/types"
)

// Schema says what the values are that belong together: those of a record, the parts of
// the key of a map's element and its value, the columns of a table.
type Schema struct {
	// Fields are the values, in order. Their names differ.
	Fields []Field
	// Keys is how many of Fields, from the first on, tell elements apart.
	Keys int

	// next is, for each name of Fields, the number that Add tries first for another
	// of the kind; it is made anew if it is not that of Fields.
	next map[string]int
}

// Field is what is known of a value before there is one.
type Field struct {
	// Name is what the script calls it: comm, op of args.op, x of $x, ustack of ustack(3),
	// for the columns of rows and tables Column.Key. Written is the same before it was made
	// to differ from the others'.
	Name, Written string
	// Type says how it lies in memory, and how it merges (types.Aggregation).
	Type *types.Type
	// Unit is what it counts, if it is a number or counts numbers: that of the bounds of
	// histograms, too.
	Unit types.Unit
	// Parts are what the parts of a tuple or record are called as values of their own, and what they count, where
	// that is known: comm and ret of print((comm, ret)). They have no Type.
	Parts []Field
	Role  Role
	// Constant tells that the field is a part of a key without a name for which the options of the run give one
	// text: it tells no elements apart.
	Constant bool
}

// Role is what a field of a MsgEvent is of the event; RoleArg in all other messages.
type Role uint8

const (
	RoleArg    Role = iota // one of its arguments
	RoleTime               // when it happened: nanoseconds of the boot clock. Also of a MsgRow that is Stamped
	RoleComm               // the name of its thread,
	RolePID                // the process'
	RoleTID                // and the thread's number
	RoleProbe              // the probe, if it can be one of several
	RoleResult             // what was returned
	RoleTook               // nanoseconds from the entry to the return
)

// Index is that of the field with a name, or -1.
func (s *Schema) Index(name string) int {
	for i := range s.Fields {
		if s.Fields[i].Name == name {
			return i
		}
	}
	return -1
}

// Add appends a field. If there is one of its name already, it is name_2, name_3 and so on.
func (s *Schema) Add(f Field) {
	if s.next == nil || len(s.next) != len(s.Fields) {
		s.next = map[string]int{}
		for _, f := range s.Fields {
			s.next[f.Name] = 2
		}
	}
	name := f.Name
	f.Written = name
	for n, taken := s.next[name]; taken; _, taken = s.next[f.Name] {
		f.Name = name + "_" + strconv.Itoa(n)
		n++
		s.next[name] = n
	}
	s.next[f.Name] = 2
	s.Fields = append(s.Fields, f)
}
