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
				return nil, &Failure{Span: partSpan(ap, i), message: fmt.Sprintf("the option --%s is %q, but must be a number", name, word),
					hint: "--" + name + "=" + def}
			}
		case *ast.StringLit:
			def = d.Value
			r.Option(name, strconv.Quote(def), help, call.Span)
			if given && (word == "" || r.Flags[name]) {
				return nil, &Failure{Span: partSpan(ap, i), message: "the option --" + name + " needs a value", hint: "--" + name + "=text"}
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
	if !strings.Contains(ap.Provider+strings.Join(ap.Parts, ""), "$") {
		return ap, nil
	}
	out := *ap
	out.Parts = make([]string, len(ap.Parts))
	for i, part := range ap.Parts {
		var fail *Failure
		if out.Parts[i], fail = r.expandWords(part, partSpan(ap, i), ap.Provider); fail != nil {
			return nil, fail
		}
	}
	switch {
	case strings.Contains(ap.Provider, "$"):
		kind, fail := r.expandWords(ap.Written, providerSpan(ap), "")
		if fail != nil {
			return nil, fail
		}
		r.brought(&out, kind, providerSpan(ap))
	case len(ap.Parts) == 1 && ap.Parts[0] == "$"+strings.TrimLeft(ap.Parts[0], "$") && !strings.ContainsAny(ap.Parts[0][1:], "$*:"):
		// kprobe:$1 may be given ext4:ext4_sync_file, and even tracepoint:sched:sched_switch.
		word, sp := out.Parts[0], partSpan(ap, 0)
		out.Parts, out.PartSpans = nil, nil
		if _, ok := parse.Provider(before(word)); !ok || !strings.Contains(word, ":") {
			word = ap.Written + ":" + word
		}
		r.brought(&out, word, sp)
	}
	return &out, nil
}

// expandWords puts the words of the command line in the place of $1... in a part of
// a probe of the given kind, which stands at sp.
func (r *Resolver) expandWords(part string, sp source.Span, provider string) (string, *Failure) {
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
		switch {
		case r.OpenParams && err == nil && n > len(r.Params):
			if !counted(provider) {
				return "", &Failure{Span: sp, Open: true, message: "probes that depend on parameter " + part[j:k] + " were not looked for",
					hint: "fst --dry-run SCRIPT WORD... checks a script with its parameters"}
			}
			b.WriteByte('1')
		case err != nil || n < 1 || n > len(r.Params):
			return "", &Failure{Span: sp, message: "this probe needs parameter " + part[j:k] + ", which was not given",
				hint: "write it after the script's name"}
		default:
			b.WriteString(r.Params[n-1])
		}
		j = k - 1
	}
	return b.String(), nil
}

// counted reports whether the last part of a provider's probes is a number.
func counted(provider string) bool {
	switch provider {
	case "interval", "profile", "software", "hardware":
		return true
	}
	return false
}

// brought gives an attach point the kind, and the parts before its own, that the words
// of the command line at sp bring: tracepoint:sched:sched_switch.
func (r *Resolver) brought(ap *ast.AttachPoint, words string, sp source.Span) {
	parts := strings.Split(words, ":")
	ap.Provider, _ = parse.Provider(parts[0])
	ap.Written, ap.Raw = parts[0], strings.Join(append(parts, ap.Parts...), ":")
	ap.Parts = append(parts[1:], ap.Parts...)
	ap.PartSpans = append(slices.Repeat([]source.Span{sp}, len(parts)-1), ap.PartSpans...)
}

// before is what stands before the first ':' of a text.
func before(s string) string {
	s, _, _ = strings.Cut(s, ":")
	return s
}
