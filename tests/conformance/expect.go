package conformance

import (
	"encoding/json"
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// Expectation is a line of the expect section: what a table, a histogram or a
// map that fst printed must say, by what the workload counted. README.md has
// the form.
type Expectation struct {
	line  string
	where []condition    // rows that are meant; all if empty
	fold  string         // "", "sum", "max", "min", "each", "total", "within", "lines"
	what  string         // a column, "rows", a map (@x, @x[key]), or a regular expression of lines
	parts []string       // of total: texts that the keys must contain
	from  ast.Expr       // of within: the buckets that are meant,
	below ast.Expr       // which lie in [from, below)
	text  string         // the text that is expected, if isText
	form  *regexp.Regexp // or what it must be a whole match of
	low   ast.Expr
	high  ast.Expr // nil for an exact value

	isText bool
}

type condition struct{ column, value string }

var (
	expectForm  = regexp.MustCompile(`^(?:(.*?): )?(?:(sum|max|min|each|total|within)\(([^()]+)\)|(@[^=]*|\S+)) (=|is|matches) (.+)$`)
	withinForm  = regexp.MustCompile(`^(@.*), ([^,]+), ([^,]+)$`)
	linesForm   = regexp.MustCompile(`^lines\(/(.*)/\) = (.+)$`)
	namedColumn = regexp.MustCompile(`^([A-Z][A-Z0-9_%-]*|rows|@.*)$`)
)

// Columns are the columns that the line checks: the one that it is about, and
// those that say which rows are meant. A map is "@".
func (e *Expectation) Columns() []string {
	if strings.HasPrefix(e.what, "@") || e.fold == "lines" {
		return []string{"@"}
	}
	columns := []string{e.what}
	for _, c := range e.where {
		columns = append(columns, c.column)
	}
	return columns
}

// parseExpectation reads one line.
func parseExpectation(line string) (_ *Expectation, err error) {
	if m := linesForm.FindStringSubmatch(line); m != nil {
		e := &Expectation{line: line, fold: "lines", what: m[1]}
		if _, err := regexp.Compile(m[1]); err != nil {
			return nil, fmt.Errorf("%q: %w", line, err)
		}
		return e, e.expression(m[2])
	}
	m := expectForm.FindStringSubmatch(line)
	if m == nil {
		return nil, fmt.Errorf("an expect line is [COLUMN=VALUE, ...: ] COLUMN = EXPRESSION, not %q", line)
	}
	e := &Expectation{line: line, fold: m[2], what: m[3] + m[4]}
	switch e.fold {
	case "total":
		if name, texts, ok := strings.Cut(e.what, " with "); ok {
			e.what, e.parts = name, strings.Split(texts, ", ")
		}
	case "within":
		m := withinForm.FindStringSubmatch(e.what)
		if m == nil {
			return nil, fmt.Errorf("within() is of a chart and two numbers, within(@x[key], 2, 8): %q", line)
		}
		e.what = m[1]
		for i, bound := range []*ast.Expr{&e.from, &e.below} {
			var err error
			if *bound, err = parser.ParseExpr(m[2+i]); err != nil {
				return nil, fmt.Errorf("%q: %w", line, err)
			}
		}
	}
	if !namedColumn.MatchString(e.what) {
		return nil, fmt.Errorf("%q is no column (capitals, as in the heading), map (@...) or \"rows\": %q", e.what, line)
	}
	if strings.HasPrefix(e.what, "@") != (e.fold == "total" || e.fold == "within") && e.fold != "" {
		return nil, fmt.Errorf("total() and within() are of maps, other functions are of columns: %q", line)
	}
	if m[1] != "" {
		for part := range strings.SplitSeq(m[1], ", ") {
			column, value, ok := strings.Cut(part, "=")
			if !ok {
				return nil, fmt.Errorf("%q is not COLUMN=VALUE: %q", part, line)
			}
			e.where = append(e.where, condition{column, value})
		}
	}
	switch m[5] {
	case "is":
		e.text, e.isText = m[6], true
		return e, nil
	case "matches":
		e.isText = true
		if e.form, err = regexp.Compile("^(?:" + m[6] + ")$"); err != nil {
			return nil, fmt.Errorf("%q: %w", line, err)
		}
		return e, nil
	}
	return e, e.expression(m[6])
}

// expression reads what stands behind the "=".
func (e *Expectation) expression(text string) (err error) {
	body, reason, _ := strings.Cut(text, " # ")
	low, high, band := strings.Cut(body, " .. ")
	if band && len(strings.Fields(reason)) < 3 {
		return fmt.Errorf("a band needs its derivation behind \" # \": %q", e.line)
	}
	if e.low, err = parser.ParseExpr(low); err == nil && band {
		e.high, err = parser.ParseExpr(high)
	}
	if err != nil {
		return fmt.Errorf("%q: %w", e.line, err)
	}
	return nil
}

// expect holds what fst printed against the expect section.
func (e *execution) expect() error {
	if len(e.Expect) == 0 {
		return nil
	}
	said, err := os.ReadFile(filepath.Join(e.dir, "workload.out"))
	if err != nil {
		return fmt.Errorf("expect: the case has no workload that counts: %w", err)
	}
	witness := map[string]string{"PID": e.vars["PID"], "DIR": e.dir, "DISK": e.vars["DISK"]}
	for line := range strings.Lines(string(said)) {
		if name, value, ok := strings.Cut(strings.TrimSpace(line), " "); ok {
			witness[name] = value
		}
	}
	e.countLosses(witness)
	p := parsePrinted(e.stdout)
	var wrong []error
	for _, x := range e.Expect {
		if err := x.hold(p, witness); err != nil {
			wrong = append(wrong, fmt.Errorf("expected %s\n  %w", x.line, err))
		}
	}
	if len(wrong) > 0 {
		return fmt.Errorf("%w\nwitness:\n%s%s", errors.Join(wrong...), said, e.streams())
	}
	return nil
}

// lossForm is a warning with a number: what was lost, of the clause in which line.
var lossForm = regexp.MustCompile(`(?m)^stdin:(\d+)(?::\S+)?: WARNING: (\d+) `)

// countLosses gives the witness the names lost, what all warnings of fst add up to, and lost_N,
// those of the program's line N.
func (e *execution) countLosses(witness map[string]string) {
	sums := make([]int, strings.Count(e.Prog, "\n")+2)
	for _, m := range lossForm.FindAllStringSubmatch(e.stderr, -1) {
		line, _ := strconv.Atoi(m[1])
		n, _ := strconv.Atoi(m[2])
		sums[0] += n
		if line < len(sums) {
			sums[line] += n
		}
	}
	witness["lost"] = strconv.Itoa(sums[0])
	for line, n := range sums[1:] {
		witness[fmt.Sprintf("lost_%d", line+1)] = strconv.Itoa(n)
	}
}

// printed is an output as tables and maps.
type printed struct {
	rows []map[string]string // of all tables, by column
	maps map[string]float64  // value, or total of a histogram, by what stands before the colon

	buckets map[string][]bar // of histograms
	lines   []string
}

// bar is a row of a chart: how often a value within [low, high) was met.
type bar struct{ low, high, times float64 }

var (
	heading   = regexp.MustCompile(`^\s*[A-Z][A-Z0-9_%-]*(\([a-z]+\))?(\s+[A-Z][A-Z0-9_%-]*(\([a-z]+\))?)+\s*$`)
	unit      = regexp.MustCompile(`\([a-z]+\)$`)
	unitKey   = regexp.MustCompile(`(_(NS|US|MS|S))+$`)
	mapValue  = regexp.MustCompile(`^(@[^:]*(?:\[.*\])?): (-?\d+)$`)
	mapParts  = regexp.MustCompile(`^(@[^:]*(?:\[.*\])?): (?:\{ (\..*) \}|(p50 .*))$`)
	mapPart   = regexp.MustCompile(`\.?([a-z][a-z0-9.]*) (?:= )?(-?\d+)`)
	mapCharts = regexp.MustCompile(`^(@.*):\s*$`)
	word      = regexp.MustCompile(`\S+`)
	apart     = regexp.MustCompile(`\s{2,}`)
	longKey   = regexp.MustCompile(`^@\w*\[[^\]]*$`)
	bucket    = regexp.MustCompile(`^(.*?[\])])\s+(\d+) \|`)
	edges     = regexp.MustCompile(`(-?\d+)([KMGTPE]?)`)
)

// interval reads the label of a bucket: [8], [1K, 2K), (..., 0), [64, ...).
func interval(label string) (low, high float64) {
	low, high = math.Inf(-1), math.Inf(1)
	var found []float64
	for _, m := range edges.FindAllStringSubmatch(label, -1) {
		n, _ := strconv.ParseFloat(m[1], 64)
		found = append(found, n*math.Pow(1024, float64(strings.Index("KMGTPE", m[2])+len(m[2]))))
	}
	switch {
	case len(found) == 2:
		return found[0], found[1]
	case len(found) == 0:
		return low, high
	case strings.HasPrefix(label, "(..."):
		return low, found[0]
	case strings.Contains(label, "..."):
		return found[0], high
	}
	return found[0], found[0] + 1
}

func parsePrinted(output string) *printed {
	p := &printed{maps: map[string]float64{}, buckets: map[string][]bar{}}
	var columns []string
	chart, key, head := "", "", ""
	for line := range strings.Lines(output) {
		line = strings.TrimRight(line, "\n")
		p.lines = append(p.lines, line)
		if rows, ok := jsonRows(line); ok {
			p.rows = append(p.rows, rows...)
			continue
		}
		// A key with a stack has many lines.
		switch {
		case key != "":
			key += " " + strings.TrimSpace(line)
			if !strings.Contains(line, "]:") {
				continue
			}
			line, key = key, ""
		case longKey.MatchString(line):
			key = line
			continue
		}
		if m := mapValue.FindStringSubmatch(line); m != nil {
			n, _ := strconv.ParseFloat(m[2], 64)
			p.maps[m[1]] += n
			continue
		}
		if m := mapParts.FindStringSubmatch(line); m != nil {
			for _, part := range mapPart.FindAllStringSubmatch(m[2]+m[3], -1) {
				n, _ := strconv.ParseFloat(part[2], 64)
				p.maps[m[1]+"."+part[1]] += n
			}
			continue
		}
		if m := mapCharts.FindStringSubmatch(line); m != nil {
			chart = m[1]
			continue
		}
		if m := bucket.FindStringSubmatch(line); m != nil && chart != "" {
			n, _ := strconv.ParseFloat(m[2], 64)
			p.maps[chart] += n
			low, high := interval(m[1])
			p.buckets[chart] = append(p.buckets[chart], bar{low, high, n})
			continue
		}
		switch fields := strings.Fields(line); {
		case len(fields) == 0:
			chart = ""
		case heading.MatchString(line):
			columns, head = columns[:0:0], line
			for _, f := range fields {
				columns = append(columns, unit.ReplaceAllString(f, ""))
			}
		case len(columns) > 0 && len(fields) >= len(columns)-1:
			if len(fields) < len(columns) {
				fields = aligned(line, head)
			}
			// A text with blanks in it, between columns that are further apart.
			if parts := apart.Split(strings.TrimSpace(line), -1); len(parts) == len(columns) {
				fields = parts
			}
			row := map[string]string{}
			for i, c := range columns {
				switch {
				case i < len(columns)-1:
					row[c] = fields[i]
				case i < len(fields): // the last column takes the rest
					row[c] = strings.Join(fields[i:], " ")
				}
			}
			p.rows = append(p.rows, row)
		}
	}
	return p
}

// jsonRows are the rows of a line that fst printed as JSON, whose columns are in
// small letters there. Texts may be empty, and have blanks and new lines, which
// are \n in what they are compared with. As in a heading, the unit may be left out.
func jsonRows(line string) (rows []map[string]string, ok bool) {
	var record struct {
		Type string
		Data json.RawMessage
	}
	if !strings.HasPrefix(line, "{") || json.Unmarshal([]byte(line), &record) != nil {
		return nil, false
	}
	if record.Type == "row" {
		record.Data = slices.Concat([]byte("["), record.Data, []byte("]"))
	} else if record.Type != "table" {
		return nil, true
	}
	var cells []map[string]json.RawMessage
	if json.Unmarshal(record.Data, &cells) != nil {
		return nil, true
	}
	for _, c := range cells {
		row := map[string]string{}
		for name, value := range c {
			var text string
			if json.Unmarshal(value, &text) != nil {
				text = string(value) // a number
			}
			name = strings.ToUpper(name)
			row[name] = strings.ReplaceAll(text, "\n", `\n`)
			row[unitKey.ReplaceAllString(name, "")] = row[name]
		}
		rows = append(rows, row)
	}
	return rows, true
}

// aligned are the words of a row below a heading, "" for a column that has none:
// a word begins or ends where its column's does. Where that leaves words over the
// row is as it stands.
func aligned(row, head string) []string {
	words, columns := word.FindAllStringIndex(row, -1), word.FindAllStringIndex(head, -1)
	var fields []string
	used := 0
	for _, c := range columns {
		if used < len(words) && (words[used][0] == c[0] || words[used][1] == c[1]) {
			fields = append(fields, row[words[used][0]:words[used][1]])
			used++
		} else {
			fields = append(fields, "")
		}
	}
	if used < len(words) {
		return strings.Fields(row)
	}
	return fields
}

func (x *Expectation) hold(p *printed, witness map[string]string) error {
	if x.fold == "lines" {
		form, err := regexp.Compile(substitute(x.what, witness))
		if err != nil {
			return err
		}
		n := 0
		for _, line := range p.lines {
			if form.MatchString(line) {
				n++
			}
		}
		return x.compare(float64(n), nil, witness)
	}
	if strings.HasPrefix(x.what, "@") {
		name := substitute(x.what, witness)
		got, ok := p.maps[name]
		switch x.fold {
		case "total": // all keys
			meant := func(key string) bool {
				return !slices.ContainsFunc(x.parts, func(part string) bool { return !strings.Contains(key, substitute(part, witness)) })
			}
			if !meant(name) {
				got, ok = 0, false
			}
			for key, n := range p.maps {
				if strings.HasPrefix(key, name+"[") {
					ok = true
					if meant(key) {
						got += n
					}
				}
			}
		case "within":
			from, err := evaluate(x.from, nil, witness)
			if err != nil {
				return err
			}
			below, err := evaluate(x.below, nil, witness)
			if err != nil {
				return err
			}
			got = 0
			for _, b := range p.buckets[name] {
				if b.low >= from && b.high <= below {
					got += b.times
				}
			}
		}
		if !ok {
			return fmt.Errorf("nothing printed is named %s", name)
		}
		return x.compare(got, nil, witness)
	}
	rows := slices.DeleteFunc(slices.Clone(p.rows), func(row map[string]string) bool {
		return slices.ContainsFunc(x.where, func(c condition) bool { return row[c.column] != substitute(c.value, witness) })
	})
	if x.what == "rows" {
		return x.compare(float64(len(rows)), nil, witness)
	}
	if len(rows) == 0 {
		return errors.New("no row of any table is that")
	}
	if x.fold == "" && len(rows) > 1 {
		return fmt.Errorf("%d rows are that: say sum(), max(), min() or each()", len(rows))
	}
	if x.isText {
		want := substitute(x.text, witness)
		for _, row := range rows {
			got := row[x.what]
			if x.form != nil && !x.form.MatchString(got) {
				return fmt.Errorf("it is %q", got)
			}
			if x.form == nil && got != want {
				return fmt.Errorf("it is %q, not %q", got, want)
			}
		}
		return nil
	}
	var folded float64
	for i, row := range rows {
		n, err := strconv.ParseFloat(row[x.what], 64)
		if err != nil {
			return fmt.Errorf("%s is %q, no number", x.what, row[x.what])
		}
		switch {
		case x.fold == "" || x.fold == "each":
			if err := x.compare(n, row, witness); err != nil {
				return err
			}
		case i == 0:
			folded = n
		case x.fold == "sum":
			folded += n
		case x.fold == "max":
			folded = max(folded, n)
		case x.fold == "min":
			folded = min(folded, n)
		}
	}
	if x.fold == "" || x.fold == "each" {
		return nil
	}
	return x.compare(folded, nil, witness)
}

// compare holds a number against the expression or the band.
func (x *Expectation) compare(got float64, row, witness map[string]string) error {
	low, err := evaluate(x.low, row, witness)
	if err != nil {
		return err
	}
	if x.high == nil {
		if got != low {
			return fmt.Errorf("it is %v, not %v", got, low)
		}
		return nil
	}
	high, err := evaluate(x.high, row, witness)
	if err != nil {
		return err
	}
	if got < low || got > high {
		return fmt.Errorf("it is %v, not within %v .. %v", got, low, high)
	}
	return nil
}

// substitute replaces {name} by what the workload said of that name.
func substitute(text string, witness map[string]string) string {
	for name, value := range witness {
		text = strings.ReplaceAll(text, "{"+name+"}", value)
	}
	return text
}

// functions are those of expressions.
var functions = map[string]func(a []float64) float64{
	"floor": func(a []float64) float64 { return math.Floor(a[0]) },
	"ceil":  func(a []float64) float64 { return math.Ceil(a[0]) },
	"min":   func(a []float64) float64 { return slices.Min(a) },
	"max":   func(a []float64) float64 { return slices.Max(a) },
}

// evaluate is the value of an expression: numbers, + - * /, parentheses,
// functions, names that the workload counted, and columns of the same row.
func evaluate(e ast.Expr, row, witness map[string]string) (float64, error) {
	switch e := e.(type) {
	case *ast.ParenExpr:
		return evaluate(e.X, row, witness)
	case *ast.BasicLit:
		return strconv.ParseFloat(e.Value, 64)
	case *ast.Ident:
		value, ok := row[e.Name]
		if !ok {
			value, ok = witness[e.Name]
		}
		if !ok {
			return 0, fmt.Errorf("the workload did not say %s", e.Name)
		}
		return strconv.ParseFloat(value, 64)
	case *ast.UnaryExpr:
		x, err := evaluate(e.X, row, witness)
		if e.Op == token.SUB {
			return -x, err
		}
	case *ast.BinaryExpr:
		x, err := evaluate(e.X, row, witness)
		if err != nil {
			return 0, err
		}
		y, err := evaluate(e.Y, row, witness)
		switch e.Op {
		case token.ADD:
			return x + y, err
		case token.SUB:
			return x - y, err
		case token.MUL:
			return x * y, err
		case token.QUO:
			return x / y, err
		}
	case *ast.CallExpr:
		name, _ := e.Fun.(*ast.Ident)
		if name == nil || functions[name.Name] == nil || len(e.Args) == 0 {
			break
		}
		var args []float64
		for _, a := range e.Args {
			x, err := evaluate(a, row, witness)
			if err != nil {
				return 0, err
			}
			args = append(args, x)
		}
		return functions[name.Name](args), nil
	}
	return 0, errors.New("an expression has numbers, names, + - * /, floor(), ceil(), min() and max()")
}
