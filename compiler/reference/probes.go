package reference

import (
	"strings"

	"fst/lang/ast"
	"fst/lang/diag"
	"fst/lang/format"
	"fst/lang/parse"
	"fst/lang/source"
	"fst/stdlib"
)

// Family is a family of probes of the standard library.
type Family struct {
	Name string
	// Summary is one line, Doc what is said of all its probes.
	Summary, Doc string
	Probes       []Probe
}

// Probe is a probe of the standard library.
type Probe struct {
	Name    string // "io:done"
	Summary string // when it fires, one line
	Doc     string // more lines; may be empty
	Fields  []ProbeField
}

// ProbeField is a field of a Probe: what a clause sees as args.NAME.
type ProbeField struct {
	Name string
	Type string // as the language spells it; empty if the kernel decides
	Doc  string
}

// Families describes the probes of the standard library.
func Families() []Family {
	var out []Family
	for _, name := range stdlib.Families() {
		f, _ := FamilyByName(name)
		out = append(out, f)
	}
	return out
}

// FamilyByName describes one family, such as "io"; ok is false if there is none.
func FamilyByName(name string) (f Family, ok bool) {
	file, text, ok := stdlib.Source(name)
	if !ok {
		return Family{}, false
	}
	var set source.Set
	var diags diag.List
	tree := parse.Parse(set.Add(file, text), &diags)
	f.Name = name
	f.Summary, f.Doc = splitDoc(name, leadingComment(text))
	for _, p := range tree.Probes {
		f.Probes = append(f.Probes, describeProbe(p))
	}
	return f, true
}

// FindProbe returns a probe of the standard library by its name.
func FindProbe(name string) (Probe, bool) {
	for _, f := range Families() {
		for _, p := range f.Probes {
			if p.Name == name {
				return p, true
			}
		}
	}
	return Probe{}, false
}

func describeProbe(p *ast.Probe) Probe {
	out := Probe{Name: p.Title()}
	out.Summary, out.Doc = splitDoc(out.Name, p.Doc)
	for _, f := range p.Fields {
		field := ProbeField{Name: f.Name, Doc: f.Doc}
		if f.Type != nil {
			field.Type = format.TypeString(f.Type)
		}
		out.Fields = append(out.Fields, field)
	}
	return out
}

// splitDoc takes a comment "NAME: summary", an empty line and more apart.
func splitDoc(name, text string) (summary, doc string) {
	summary, doc, _ = strings.Cut(text, "\n")
	return strings.TrimSpace(strings.TrimPrefix(summary, name+":")), strings.TrimSpace(doc)
}

// leadingComment is the comment at the top of a text.
func leadingComment(text string) string {
	var lines []string
	for line := range strings.Lines(text) {
		rest, ok := strings.CutPrefix(line, "//")
		if !ok {
			break
		}
		lines = append(lines, strings.TrimPrefix(strings.TrimRight(rest, "\n"), " "))
	}
	return strings.Join(lines, "\n")
}

// Decl is how a field is declared: type and name.
func (f ProbeField) Decl() string {
	if f.Type == "" {
		return f.Name
	}
	return f.Type + " " + f.Name
}
