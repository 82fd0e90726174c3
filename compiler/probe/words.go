package probe

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"fst/lang/ast"
	"fst/lang/parse"
	"fst/lang/source"
)

// expandOptions puts the values of options in the place of getopt().
func (r *Resolver) expandOptions(ap *ast.AttachPoint) (*ast.AttachPoint, *Failure) {
	if ap.Options == nil {
		return ap, nil
	}
	out := *ap
	out.Parts = slices.Clone(ap.Parts)
	for i, call := range ap.Options {
		if call == nil {
			continue
		}
		name, def := call.Args[0].(*ast.StringLit).Value, ""
		help := ""
		if len(call.Args) > 2 {
			if text, ok := call.Args[2].(*ast.StringLit); ok {
				help = text.Value
			}
		}
		word, given := r.Named[name]
		switch d := call.Args[1].(type) {
		case *ast.IntLit:
			def = strconv.FormatUint(d.Value, 10)
			r.Option(name, def, help, call.Span)
			if n, _, ok := parse.Number(word); ok && n >= 0 {
				word = strconv.FormatInt(n, 10)
			} else if given {
				return nil, &Failure{Span: partSpan(ap, i), Message: fmt.Sprintf("the option --%s is %q, but must be a number", name, word),
					Hint: "--" + name + "=" + def}
			}
		case *ast.StringLit:
			def = d.Value
			r.Option(name, strconv.Quote(def), help, call.Span)
			if given && (word == "" || r.Flags[name]) {
				return nil, &Failure{Span: partSpan(ap, i), Message: "the option --" + name + " needs a value", Hint: "--" + name + "=text"}
			}
		}
		if !given {
			word = def
		}
		out.Parts[i] = word
	}
	return &out, nil
}

// expandParams puts the words of the command line in the place of $1...
func (r *Resolver) expandParams(ap *ast.AttachPoint) (*ast.AttachPoint, *Failure) {
	if !strings.Contains(strings.Join(ap.Parts, ""), "$") {
		return ap, nil
	}
	out := *ap
	out.Parts = make([]string, len(ap.Parts))
	for i, part := range ap.Parts {
		var b strings.Builder
		for j := 0; j < len(part); j++ {
			k := j + 1
			for k < len(part) && part[k] >= '0' && part[k] <= '9' {
				k++
			}
			if part[j] != '$' || k == j+1 {
				b.WriteByte(part[j])
				continue
			}
			n, err := strconv.Atoi(part[j+1 : k])
			if r.OpenParams && err == nil && n > len(r.Params) {
				if !counted(ap.Provider) {
					return nil, &Failure{Span: partSpan(ap, i), Open: true, Message: "probes that depend on parameter " + part[j:k] + " were not looked for",
						Hint: "fst --dry-run SCRIPT WORD... checks a script with its parameters"}
				}
				b.WriteByte('1')
				j = k - 1
				continue
			}
			if err != nil || n < 1 || n > len(r.Params) {
				return nil, &Failure{Span: partSpan(ap, i), Message: "this probe needs parameter " + part[j:k] + ", which was not given",
					Hint: "write it behind the script's name"}
			}
			b.WriteString(r.Params[n-1])
			j = k - 1
		}
		out.Parts[i] = b.String()
	}
	if len(ap.Parts) == 1 && ap.Parts[0] == "$"+strings.TrimLeft(ap.Parts[0], "$") && !strings.ContainsAny(ap.Parts[0][1:], "$*:") {
		r.wholeProbe(&out, partSpan(ap, 0))
	}
	return &out, nil
}

// counted reports whether the last part of a provider's probes is a number.
func counted(provider string) bool {
	switch provider {
	case "interval", "profile", "software", "hardware":
		return true
	}
	return false
}

// wholeProbe lets a word of the command line that stands for all behind the
// provider bring parts of its own, kprobe:$1 with ext4:ext4_sync_file, and even
// another provider, kprobe:$1 with tracepoint:sched:sched_switch.
func (r *Resolver) wholeProbe(ap *ast.AttachPoint, sp source.Span) {
	parts := strings.Split(ap.Parts[0], ":")
	if provider, ok := parse.Provider(parts[0]); ok && len(parts) > 1 {
		ap.Provider, ap.Written, parts = provider, parts[0], parts[1:]
	}
	ap.Parts = parts
	ap.PartSpans = nil
	for range parts {
		ap.PartSpans = append(ap.PartSpans, sp)
	}
}
