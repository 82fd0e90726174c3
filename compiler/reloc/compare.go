package reloc

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"fst/compiler/target"
)

// Difference is a fact that is another one here, so that an object cannot run.
type Difference struct {
	Fact *Fact
	// Here is the answer of this kernel.
	Here Fact
}

// Compare asks the questions of facts again. It returns their numbers here, or the first
// fact that is another one and that the object cannot be changed for. Those of the run's
// options are in run.
func Compare(facts []*Fact, t target.Target, run []Fact) (now []int64, diff *Difference) {
	r := NewRecorder(t)
	for i := range run {
		r.keep(run[i])
	}
	now = make([]int64, len(facts))
	for i, f := range facts {
		k := key(f.Kind, f.Args)
		if r.byKey[k] == nil && !r.ask(f) {
			return nil, &Difference{f, Fact{Kind: f.Kind, Args: f.Args, Text: "unknown"}}
		}
		here := r.byKey[k]
		if here == nil {
			here = &Fact{Kind: f.Kind, Args: f.Args, Text: "missing"}
		}
		now[i] = here.Number
		if here.Text != f.Text || f.Fixed && here.Number != f.Number && !more(f) || !f.Fixed && !f.takes(here.Number) {
			return nil, &Difference{f, *here}
		}
	}
	return now, nil
}

// more reports whether a kernel may have what the object does without.
func more(f *Fact) bool {
	return f.Kind == Feature && (f.Number == 0) != (f.Args[0] == noPerfUprobes)
}

// IsOfRun reports whether the fact is of the options of a run, not of the kernel.
func (f *Fact) IsOfRun() bool {
	switch f.Kind {
	case Option, Param, Params, PID, CPID:
		return true
	}
	return false
}

// takes reports whether another number can be put in. Options are compiled as positive
// numbers or as those below: code for the one is not right for the other.
func (f *Fact) takes(n int64) bool {
	if n == f.Number || !f.IsOfRun() && f.Kind != CPUs {
		return true
	}
	return f.Number > 0 && (n > 0 || n == 0 && !f.NotZero)
}

// Name is what the fact is about.
func (f *Fact) Name() string {
	a := func(i int) string {
		if i < len(f.Args) {
			return f.Args[i]
		}
		return ""
	}
	switch f.Kind {
	case Feature:
		return "the feature " + a(0)
	case Since:
		return "support of Linux " + a(0)
	case CPUs:
		return "the number of CPUs"
	case Symbol:
		return "the kernel symbol " + a(0)
	case Function:
		return "the kernel function " + a(1)
	case Enumerator:
		return "the constant " + a(0)
	case Inode, Cgroup:
		return string(f.Kind) + " of " + a(0)
	case PID:
		return "the process of -p"
	case CPID:
		return "the command of -c"
	case Option:
		return "the option --" + a(0)
	case Param:
		return "the argument $" + a(0)
	case Params:
		return "the number of arguments"
	case Field, Size, "layout", "enumerators":
		return f.typeName()
	case "tracepoint":
		return "tracepoint:" + a(0) + ":" + a(1)
	case "tracepoints":
		return "the list of tracepoints " + a(0) + ":" + a(1)
	case "rawtracepoint":
		return "rawtracepoint:" + a(0)
	case "functions":
		return "the list of kernel functions " + strings.TrimPrefix(a(0)+":"+a(1), ":")
	case "type":
		return strings.TrimPrefix(a(0)+" "+a(1), " ")
	}
	words := slices.DeleteFunc(slices.Clone(f.Args), func(w string) bool { return w == "" || strings.HasPrefix(w, "{") })
	return string(f.Kind) + " " + strings.Join(words, " ")
}

// typeName is "struct file.f_inode" for a field, "struct file" for a type.
func (f *Fact) typeName() string {
	root, path := f.fieldPath()
	name := strings.Join(root, " ")
	if len(root) > 2 {
		switch root[0] {
		case "type":
			name = strings.TrimSpace(root[1] + " " + root[2])
		case "tracepoint":
			name = "tracepoint:" + root[1] + ":" + root[2]
		}
	}
	name = strings.Join(append([]string{name}, path...), ".")
	switch f.Kind {
	case "layout":
		return "the layout of " + name
	case "enumerators":
		return "the list of names of " + name
	case Size:
		return "the size of " + name
	}
	return name
}

// Values are the answers, in words: the one of the compile and the one of this kernel; both are
// empty if they are lists, of which it is only known that they are not the same.
func (d *Difference) Values() (compiled, here string) {
	compiled, here = d.Fact.value(), d.Here.value()
	if compiled == "" || here == "" {
		return "", ""
	}
	return compiled, here
}

func (f *Fact) value() string {
	n := strconv.FormatInt(f.Number, 10)
	switch f.Kind {
	case Feature, Since:
		if f.Number == 0 {
			return "missing"
		}
		return "present"
	case Field:
		if f.Text == answer(false) || !f.HasNumber {
			return "missing"
		}
		return "at byte " + n + " (" + f.Text + ")"
	case Size:
		return n + " bytes"
	case Enumerator:
		return n
	case Symbol:
		return fmt.Sprintf("at %#x", uint64(f.Number))
	case PID, CPID, Option, Param, Params, CPUs:
		if f.Text != "" {
			return f.Text
		}
		return n
	}
	return ""
}
