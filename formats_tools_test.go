package fst

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"encoding/csv"
	"encoding/json"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"iter"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/pprof/profile"
	"github.com/prometheus/common/expfmt"
	"github.com/prometheus/common/model"
	"google.golang.org/protobuf/encoding/protowire"

	"fst/compiler/object"
	"fst/compiler/types"
	"fst/runtime/clock"
	"fst/runtime/debuginfo"
	"fst/runtime/event"
	"fst/runtime/naming"
	"fst/runtime/render"
	"fst/runtime/value"
	"fst/scripts"
)

// inventedSystem knows a name for everything.
type inventedSystem struct{}

var inventedStart = time.Date(2026, 11, 21, 4, 0, 0, 0, time.UTC)

func (inventedSystem) Wall(boot int64) time.Time                { return clock.At(inventedStart).Wall(boot).UTC() }
func (inventedSystem) TAIOffset() time.Duration                 { return 37 * time.Second }
func (inventedSystem) KernelSymbolSize(uint64) uint64           { return 0x1000 }
func (inventedSystem) UserSource(int, uint64) []debuginfo.Place { return nil }
func (inventedSystem) BuildID(int, uint64) (string, uint64)     { return "1bcd", 4 }
func (inventedSystem) Stack(s value.Stack) []uint64             { return []uint64{0x1000 + s.ID<<4, 0x2000} }
func (inventedSystem) UserName(uint32) string                   { return "root" }
func (inventedSystem) CgroupPath(uint64) string                 { return "unified:/a,b" }
func (inventedSystem) ContainerName(uint64) string              { return "web" }
func (inventedSystem) PodName(uint64) string                    { return "default/web-1" }
func (inventedSystem) SyscallName(uint64) string                { return "read" }
func (inventedSystem) OtherProbe(uint64) (string, bool)         { return "kprobe:f", true }
func (inventedSystem) KernelSymbol(addr uint64) (string, uint64, string) {
	return fmt.Sprintf("k%x", addr), 1, ""
}
func (inventedSystem) UserSymbol(_ int, addr uint64) (string, uint64, string) {
	return fmt.Sprintf("u%x", addr), 1, "/bin/a b"
}

// inventor makes up what a session of a program says. Numbers occur once, and texts have what formats must escape.
type inventor struct {
	obj  *object.Object
	last int64
}

func (in *inventor) number() int64 { in.last++; return in.last }

func words(ns ...int64) (b []byte) {
	for _, n := range ns {
		b = binary.NativeEndian.AppendUint64(b, uint64(n))
	}
	return b
}

// fill makes up a value of a type.
func (in *inventor) fill(t *types.Type, data []byte) {
	put := func(ns ...int64) { copy(data[:t.Size], words(ns...)) }
	switch {
	case t.Kind == types.Int, t.Kind == types.Enum, t.Kind == types.Bool:
		n := in.number()
		if t.Kind == types.Bool {
			n &= 1
		}
		whole := words(n)
		copy(data[:t.Size], whole) // of a little-endian machine, or 8 bytes
		if t.Size < 4 {
			clear(data[:t.Size])
			data[0] = byte(n % 100)
		}
	case t.Kind == types.String, t.Kind == types.Array && t.IsCharArray():
		text := fmt.Sprintf("%d\"a,b; c=\n<d>\\", in.number())
		copy(data[:t.Size-1], text)
	case t.Kind == types.Buffer:
		binary.NativeEndian.PutUint32(data, uint32(min(4, t.Len)))
	case t.Kind == types.Array:
		for i := range t.Len {
			in.fill(t.Elem, data[i*t.Elem.Size:])
		}
	case t.Kind == types.Tuple, t.Kind == types.Record, t.Kind == types.Struct:
		for _, f := range t.Fields() {
			in.fill(f.Type, data[f.Offset:])
		}
	case t.Kind == types.UStack, t.Kind == types.USym:
		put(in.number(), 7)
	case t.Kind.IsNamed():
		put(types.Named | in.number()%50)
	case t.Kind == types.ProbeName:
		put(1)
	case t.Kind == types.Hist, t.Kind == types.LHist:
		put(0, in.number(), in.number(), 0, in.number())
	case t.Kind == types.Quantile:
		put(0, in.number(), in.number())
		binary.NativeEndian.PutUint64(data[types.QuantileMax:], types.QuantileBias+5)
	case t.Kind == types.TSeries:
		put(1000, in.number(), 1, 1001, in.number(), 1)
	case t.Kind == types.Top:
		put(0, 9, 0, in.number(), 1)
		in.fill(t.Agg.Elem, data[40:])
	case t.Kind.IsAggregation():
		put(in.number(), 1) // seen once, or the count
	case t.Kind != types.Inet && t.Kind != types.MAC && t.Kind != types.Union:
		put(in.number())
	}
}

func (in *inventor) value(t *types.Type) []byte {
	data := make([]byte, t.Size)
	in.fill(t, data)
	return data
}

// snapshot makes up three elements of a map.
func (in *inventor) snapshot(m *object.Map) *value.Snapshot {
	s := &value.Snapshot{Time: inventedStart}
	for range 3 {
		e := value.Entry{Value: in.value(m.Value)}
		if m.Key != nil {
			e.Key = in.value(m.Key)
		}
		s.Entries = append(s.Entries, e)
		if m.Key == nil {
			break
		}
	}
	return s
}

// events are what the program shows, each message once, and at the end what its other maps hold.
func (in *inventor) events() (list []event.Event) {
	shown := map[int]bool{}
	maps := map[int]*value.Snapshot{}
	for _, m := range in.obj.Maps {
		if m.Script && m.Value != nil {
			maps[m.ID] = in.snapshot(m)
		}
	}
	list = append(list, &event.Attached{Probes: 2})
	for _, m := range in.obj.Messages {
		switch {
		case m.Kind == object.MsgTable:
			e := &event.Table{Message: m}
			for _, id := range m.Table.Maps {
				s := *maps[id]
				s.Entries = slices.Clone(s.Entries)
				for i := range s.Entries { // all have the same keys
					s.Entries[i].Key = maps[m.Table.Maps[0]].Entries[i].Key
				}
				e.Maps, e.Snapshots = append(e.Maps, in.obj.Maps[id]), append(e.Snapshots, &s)
			}
			list = append(list, e)
		case m.Kind == object.MsgHeat && !shown[m.Map]:
			shown[m.Map] = true
			list = append(list, &event.Heat{Message: m, Map: in.obj.Maps[m.Map], Snapshot: maps[m.Map]})
		case m.Kind == object.MsgPrintMap && !shown[m.Map]:
			shown[m.Map] = true
			list = append(list, &event.Map{Message: m, Map: in.obj.Maps[m.Map], Snapshot: maps[m.Map]})
		case m.Kind == object.MsgCat:
			list = append(list, &event.Output{Message: m, Text: []byte("a,b\nc\n")})
		case m.Kind.IsShown() && m.Kind != object.MsgTable && !m.Kind.NeedsMap() && m.Kind != object.MsgSystem && m.Kind != object.MsgPacket:
			list = append(list, in.record(m))
		}
	}
	list = append(list, &event.Exit{})
	for _, m := range in.obj.Maps {
		if s := maps[m.ID]; s != nil && !m.Scratch && !m.Unused && !shown[m.ID] {
			list = append(list, &event.Map{Map: m, Snapshot: s})
		}
	}
	return list
}

func (in *inventor) record(m *object.Message) *event.Record {
	r := &event.Record{Message: m, Data: make([]byte, m.Size)}
	binary.NativeEndian.PutUint32(r.Data[4:], 1)
	for _, f := range m.Fields {
		in.fill(f.Type, r.Data[f.Offset:])
	}
	if m.Time != 0 {
		binary.NativeEndian.PutUint64(r.Data[m.Time:], uint64(in.number()))
	}
	r.Stamp = event.StampOf(m, r.Data, clock.At(inventedStart))
	return r
}

// told is a number that an event shows: its name, its unit and its digits.
type told struct{ name, unit, digits string }

// is reports whether other tells the same, as far as it tells it. A heading of CSV leaves out the unit of counts and what its name says.
func (n told) is(other told) bool {
	implied := n.unit == "count" || strings.HasSuffix("_"+n.name, "_"+strings.ToLower(n.unit))
	return n.digits == other.digits && (n.name == other.name && (n.unit == other.unit || other.unit == untold || other.unit == "" && implied) || other.name == "")
}

const untold = "?"

// numbers are those that an event shows as they are: aggregations that are several are left out.
func numbers(e event.Event) (list []told) {
	var add func(f *object.Field, v value.Value)
	add = func(f *object.Field, v value.Value) {
		switch {
		case f.Constant || f.Role == object.RoleTime:
		case len(f.Parts) > 0:
			for n, part := range event.KeyParts(v) {
				add(&f.Parts[n], part)
			}
		case v.Type.Kind.IsNumber() && v.Signed():
			list = append(list, told{f.Name, f.Unit.String(), strconv.FormatInt(v.Int(), 10)})
		case v.Type.Kind.IsNumber():
			list = append(list, told{f.Name, f.Unit.String(), strconv.FormatUint(v.Uint(), 10)})
		}
	}
	elements := func(r event.Elements) {
		s := r.Map.Schema
		for i := range r.Entries {
			if s.Keys > 0 {
				for n, part := range event.KeyParts(r.Key(i)) {
					add(&s.Fields[n], part)
				}
			}
			add(&s.Fields[s.Keys], r.Value(i))
		}
	}
	switch e := e.(type) {
	case *event.Record:
		for i := range e.Message.Fields {
			if e.Message.Kind.HasValues() {
				add(&e.Message.Schema.Fields[i], event.Field(&e.Message.Fields[i], e.Data))
			}
		}
	case *event.Map:
		elements(e.Elements(true))
	case *event.Heat:
		elements(e.Elements())
	case *event.Table:
		for _, row := range e.Rows().Rows {
			for i, v := range row {
				add(&e.Message.Schema.Fields[i], v)
			}
		}
	}
	return list
}

// readers find the numbers that a form has written of one event, heading being that of the CSV before it.
var readers = map[string]func(text string, heading *[]string) ([]told, error){"csv": readCSV, "json": readJSON, "json2": readJSON2, "influx": readInflux}

var (
	headingUnit = regexp.MustCompile(`^(.*) \((\w+)\)$`)
	influxPair  = regexp.MustCompile(`[, ](\w+)=(-?\d+)`)
	anyNumber   = regexp.MustCompile(`-?\d+`)
)

func readCSV(text string, heading *[]string) (list []told, err error) {
	text, isNew := strings.CutPrefix(text, "\r\n")
	rows, err := csv.NewReader(strings.NewReader(text)).ReadAll()
	if err != nil {
		return nil, err
	}
	if len(rows) > 0 && (isNew || *heading == nil) {
		*heading, rows = rows[0], rows[1:]
	}
	for _, row := range rows {
		if len(row) != len(*heading) {
			return nil, fmt.Errorf("%d cells under %d headings", len(row), len(*heading))
		}
		for i, cell := range row {
			name, unit := (*heading)[i], ""
			if m := headingUnit.FindStringSubmatch(name); m != nil {
				name, unit = m[1], m[2]
			}
			list = append(list, told{name, unit, cell})
		}
	}
	return list, nil
}

func decoded(line string, into any) error {
	d := json.NewDecoder(strings.NewReader(line))
	d.UseNumber()
	return d.Decode(into)
}

func readJSON(text string, _ *[]string) (list []told, err error) {
	for line := range strings.Lines(text) {
		var object map[string]any
		if err := decoded(line, &object); err != nil {
			return nil, fmt.Errorf("%w: %s", err, line)
		}
	}
	return loose(text), nil
}

// loose are the numbers in a text, whose names and units it does not tell by themselves.
func loose(text string) (list []told) {
	for _, digits := range anyNumber.FindAllString(text, -1) {
		list = append(list, told{digits: digits})
	}
	return list
}

func readInflux(text string, _ *[]string) (list []told, err error) {
	for _, m := range influxPair.FindAllStringSubmatch(text, -1) {
		list = append(list, told{m[1], untold, m[2]})
	}
	return list, nil
}

func readJSON2(text string, _ *[]string) (list []told, err error) {
	for line := range strings.Lines(text) {
		var x struct {
			Type  string
			Units map[string]string
			Data  any
		}
		if err := decoded(line, &x); err != nil {
			return nil, fmt.Errorf("%w: %s", err, line)
		}
		data, _ := x.Data.(map[string]any)
		add := func(name string, v any) {
			if parts, ok := v.(map[string]any); ok {
				for name, v := range parts {
					list = append(list, told{name, x.Units[name], fmt.Sprint(v)})
				}
				return
			}
			list = append(list, told{name, x.Units[name], fmt.Sprint(v)})
		}
		switch x.Type {
		case "row", "event", "value":
			for name, v := range data {
				add(name, v)
			}
		case "map":
			for _, e := range data["elements"].([]any) {
				e := e.(map[string]any)
				for i, part := range e["key"].([]any) {
					add(data["keys"].([]any)[i].(string), part)
				}
				add(cmp.Or(strings.TrimPrefix(data["map"].(string), "@"), fmt.Sprint(data["function"])), e["value"])
			}
		case "table":
			for _, row := range data["rows"].([]any) {
				for name, v := range row.(map[string]any) {
					add(name, v)
				}
			}
		}
	}
	return list, nil
}

// TestFormatsOfTools: what the bundled tools show is in all formats, with the same names, units and numbers, or the format is refused in one line.
func TestFormatsOfTools(t *testing.T) {
	kernel, err := OpenRecorded("compiler/target/fixture/testdata/6.12.zip")
	if err != nil {
		t.Fatal(err)
	}
	shared := []scripts.Option{{Short: "d", Long: "duration", Value: "SEC"}, {Short: "f", Long: "format", Value: "FORMAT"}, {Short: "o", Long: "output", Value: "FILE"}}
	written := map[string]int{}
	for _, name := range scripts.Names() {
		text, _ := scripts.Source(name)
		header, _ := scripts.ParseHeader(text)
		for _, example := range header.Examples {
			command, _, _ := strings.Cut(example, " | ")
			params, named, _, err := header.Args(strings.Fields(strings.ReplaceAll(command, "'", ""))[2:], shared)
			if err != nil {
				t.Fatal(example, err)
			}
			prog, err := Compile(text, Options{Name: name, Kernel: kernel, Params: Params{Words: params, Named: named}})
			if err != nil {
				continue // what the recording has not: others test that
			}
			for _, m := range prog.object.ScriptMaps() {
				if f := m.Schema.Fields[m.Schema.Keys]; f.Name == "bytes" && f.Unit != types.OneByte {
					t.Errorf("%s: the unit of %s is %q", example, m.Name, f.Unit)
				}
			}
			for _, form := range outputForms {
				if why := prog.Unsuited(form.name); why != "" {
					if strings.Contains(why, "\n") {
						t.Errorf("%s: %s is refused in several lines: %q", example, form.name, why)
					}
					continue
				}
				if err := newTrial(prog, form).run(); err != nil {
					t.Errorf("%s: %s: %v", example, form.name, err)
				}
				written[form.name]++
			}
		}
	}
	for _, form := range outputForms {
		if written[form.name] < 10 {
			t.Errorf("%s is written of %d examples only", form.name, written[form.name])
		}
	}
}

// trial is a form with what was written in it.
type trial struct {
	prog   *Program
	form   outputForm
	events []event.Event
	out    bytes.Buffer
	whole  [][]byte // of each Write
}

func newTrial(prog *Program, form outputForm) *trial {
	in := &inventor{obj: prog.object, last: 7_000_000}
	return &trial{prog: prog, form: form, events: in.events()}
}

func (x *trial) Write(b []byte) (int, error) {
	x.whole = append(x.whole, bytes.Clone(b))
	return x.out.Write(b)
}

// totals are what the maps have counted: what is shown of them.
func (x *trial) totals() (render.Totals, error) {
	t := render.Totals{Maps: map[int]*event.Map{}, Losses: map[object.Loss]uint64{}}
	add := func(m *object.Map, s *value.Snapshot, names *event.Names) {
		if t.Maps[m.ID] == nil {
			t.Maps[m.ID] = &event.Map{Map: m, Snapshot: s, Names: names}
		}
	}
	for _, e := range x.events {
		switch e := e.(type) {
		case *event.Map:
			add(e.Map, e.Snapshot, e.Names)
		case *event.Heat:
			add(e.Map, e.Snapshot, e.Names)
		case *event.Table:
			for i := range e.Maps {
				add(e.Maps[i], e.Snapshots[i], e.Names)
			}
		}
	}
	return t, nil
}

func (x *trial) run() error {
	opts := render.Options{Location: time.UTC, Now: func() time.Time { return inventedStart }, Totals: x.totals, Version: "1"}
	sink := x.form.open(x, io.Discard, x.prog.object, opts)
	namer := naming.Namer{System: inventedSystem{}, Object: x.prog.object, Frames: x.form.frames, Plain: render.NewPlain}
	exited, seen := false, 0
	var heading []string
	for _, e := range x.events {
		if _, ok := e.(*event.Exit); ok {
			exited = true
		}
		namer.Name(e, exited)
		sink.Event(e)
		if err := sink.Flush(); err != nil {
			return err
		}
		text := string(x.out.Bytes()[seen:])
		seen += len(text)
		if read := readers[x.form.name]; read != nil {
			got, err := read(text, &heading)
			if err != nil {
				return err
			}
			for _, want := range numbers(e) {
				if !slices.ContainsFunc(got, want.is) {
					return fmt.Errorf("no %v of a %T in %s", want, e, text)
				}
			}
		}
	}
	if e, ok := sink.(event.Ender); ok {
		if err := e.End(); err != nil {
			return err
		}
	}
	if x.out.Len() == 0 {
		return errors.New("it is empty")
	}
	if check := documents[x.form.name]; check != nil {
		return check(x)
	}
	return nil
}

// documents check forms that are written at the end.
var documents = map[string]func(x *trial) error{"prometheus": checkPrometheus, "perfetto": checkPerfetto, "otlp": checkOTLP,
	"pprof": checkPprof, "speedscope": checkSpeedscope, "svg": checkSVG, "html": checkHTML, "folded": checkFolded}

// weighed is a map by stack, as a format of stacks has it.
type weighed struct {
	name, unit string
	sum        int64
}

// longUnits are the names that formats of stacks have for units.
var longUnits = map[string]string{"ns": "nanoseconds", "us": "microseconds", "ms": "milliseconds", "s": "seconds", "": "count"}

func hasStack(t *types.Type) bool {
	return t.IsStack() || (t.Kind == types.Tuple || t.Kind == types.Record) && slices.ContainsFunc(t.Fields(), func(f types.Field) bool { return hasStack(f.Type) })
}

// weights are the maps by stack, in the order in which they were shown.
func (x *trial) weights() (list []weighed) {
	for _, e := range x.events {
		m, ok := e.(*event.Map)
		if !ok || !slices.ContainsFunc(m.Map.Schema.Fields[:m.Map.Schema.Keys], func(f object.Field) bool { return hasStack(f.Type) }) {
			continue
		}
		field := &m.Map.Schema.Fields[m.Map.Schema.Keys]
		w := weighed{strings.TrimPrefix(m.Map.Name, "@"), cmp.Or(longUnits[field.Unit.String()], field.Unit.String()), 0}
		w.name = cmp.Or(w.name, field.Name)
		r := m.Elements(true)
		for i := range r.Entries {
			if v := r.Value(i); v.Type.Kind.IsNumber() {
				w.sum += v.Int()
			} else {
				w.sum, w.unit = w.sum+int64(v.Histogram().Total()), "count"
			}
		}
		list = append(list, w)
	}
	return list
}

// equal compares what the maps weigh.
func (x *trial) equal(got []weighed) error {
	if want := x.weights(); !slices.Equal(got, want) {
		return fmt.Errorf("%v, not %v", got, want)
	}
	return nil
}

func checkPprof(x *trial) error {
	p, err := profile.ParseData(x.out.Bytes())
	if err != nil {
		return err
	}
	var got []weighed
	for i, t := range p.SampleType {
		w := weighed{t.Type, t.Unit, 0}
		for _, s := range p.Sample {
			w.sum += s.Value[i]
		}
		got = append(got, w)
	}
	return x.equal(got)
}

func checkSpeedscope(x *trial) error {
	var file struct {
		Profiles []struct {
			Name, Unit string
			Weights    []int64
		}
	}
	if err := json.Unmarshal(x.out.Bytes(), &file); err != nil {
		return err
	}
	var got []weighed
	for _, p := range file.Profiles {
		w := weighed{p.Name, p.Unit, 0}
		if w.unit == "none" {
			w.unit = "count"
		}
		for _, n := range p.Weights {
			w.sum += n
		}
		got = append(got, w)
	}
	return x.equal(got)
}

func checkSVG(x *trial) error {
	if err := xml.Unmarshal(x.out.Bytes(), new(struct{})); err != nil {
		return err
	}
	var got []weighed
	for _, m := range regexp.MustCompile(`class="title">(.*): (\d+) ?(\w*)</text>`).FindAllStringSubmatch(x.out.String(), -1) {
		n, _ := strconv.ParseInt(m[2], 10, 64)
		got = append(got, weighed{m[1], cmp.Or(m[3], "count"), n})
	}
	return x.equal(got)
}

func checkFolded(x *trial) error {
	var got, want int64
	for _, m := range regexp.MustCompile(`(?m) (\d+)$`).FindAllStringSubmatch(x.out.String(), -1) {
		n, _ := strconv.ParseInt(m[1], 10, 64)
		got += n
	}
	for _, w := range x.weights() {
		want += w.sum
	}
	for _, e := range x.events { // a stack that is printed counts once
		if r, ok := e.(*event.Record); ok && r.Message.Kind == object.MsgPrintValue && r.Message.Fields[0].Type.IsStack() {
			want++
		}
	}
	if got != want {
		return fmt.Errorf("%d, not %d: %s", got, want, &x.out)
	}
	return nil
}

// checkHTML: stacks weigh what they do, and all other numbers are in the page.
func checkHTML(x *trial) error {
	_, data, _ := strings.Cut(x.out.String(), `id="data">`)
	data, _, _ = strings.Cut(data, "</script>")
	var page struct {
		Blocks []struct {
			Kind, Name, Unit string
			Rows             []struct{ Counts []int64 }
		}
	}
	if err := json.Unmarshal([]byte(data), &page); err != nil {
		return err
	}
	var got []weighed
	for _, b := range page.Blocks {
		if b.Kind != "stacks" {
			continue
		}
		w := weighed{cmp.Or(strings.TrimPrefix(b.Name, "@"), "count"), b.Unit, 0}
		for _, row := range b.Rows {
			for i := 1; i < len(row.Counts); i += 2 {
				w.sum += row.Counts[i]
			}
		}
		got = append(got, w)
	}
	return x.equal(got)
}

func checkPrometheus(x *trial) error {
	p := expfmt.NewTextParser(model.LegacyValidation)
	families, err := p.TextToMetricFamilies(bytes.NewReader(x.out.Bytes()))
	if err != nil {
		return err
	}
	kinds := map[string]string{"COUNTER": "counter", "GAUGE": "gauge", "HISTOGRAM": "histogram", "SUMMARY": "summary"}
	list, _ := x.prog.Metrics()
	totals, _ := x.totals()
	for _, m := range list {
		family := families[m.Name]
		if family == nil {
			return fmt.Errorf("no %s", m.Name)
		}
		if kinds[family.GetType().String()] != m.Kind {
			return fmt.Errorf("%s is a %s, not a %s", m.Name, family.GetType(), m.Kind)
		}
		sum := 0.0
		for _, one := range family.Metric {
			sum += one.GetCounter().GetValue() + one.GetGauge().GetValue()
			for _, label := range one.Label {
				if !slices.Contains(m.Labels, label.GetName()) && label.GetName() != "quantile" {
					return fmt.Errorf("%s has a label %s, which is not among %v", m.Name, label.GetName(), m.Labels)
				}
			}
		}
		of := regexp.MustCompile(`(@\w*), (\w+\(\)|values)\)`).FindStringSubmatch(m.Help)
		for _, e := range totals.Maps {
			if of == nil || e.Map.Name != of[1] || !e.Map.Value.Kind.IsNumber() || len(family.Metric) < len(e.Snapshot.Entries) {
				continue
			}
			unit := e.Map.Schema.Fields[e.Map.Schema.Keys].Unit
			scale := 1.0
			switch {
			case unit.Of == types.Time && m.Unit == "seconds":
				scale = 1e9 / float64(unit.Scale)
			case unit.Of == types.Bytes && m.Unit == "bytes":
				scale = 1 / float64(unit.Scale)
			case m.Unit != "":
				return fmt.Errorf("%s has the unit %s, and the map %s", m.Name, m.Unit, unit)
			}
			want := 0.0
			for _, entry := range e.Snapshot.Entries {
				want += float64(value.Of(e.Map.Value, entry.Value).Int())
			}
			if math.Abs(sum*scale-want) > float64(len(e.Snapshot.Entries)) { // what is divided is not rounded there
				return fmt.Errorf("%s: %v, not %v", m.Name, sum*scale, want)
			}
		}
	}
	return nil
}

// fieldsOf are all numbers and texts of a message in Protocol Buffers, as text.
func fieldsOf(b []byte, into *strings.Builder) {
	for len(b) > 0 {
		_, kind, n := protowire.ConsumeTag(b)
		if n < 0 {
			return
		}
		b = b[n:]
		switch kind {
		case protowire.VarintType:
			var v uint64
			v, n = protowire.ConsumeVarint(b)
			fmt.Fprintf(into, "%d ", int64(v))
		case protowire.Fixed64Type:
			var v uint64
			v, n = protowire.ConsumeFixed64(b)
			fmt.Fprintf(into, "%d %s ", int64(v), strconv.FormatFloat(math.Float64frombits(v), 'f', -1, 64))
		case protowire.BytesType:
			var v []byte
			v, n = protowire.ConsumeBytes(b)
			fmt.Fprintf(into, "%s ", v)
			fieldsOf(v, into)
		default:
			n = protowire.ConsumeFieldValue(0, kind, b)
		}
		if n < 0 {
			return
		}
		b = b[n:]
	}
}

// contains looks for the numbers of some events in messages.
func contains(messages [][]byte, events iter.Seq[event.Event], skip func(told) bool) error {
	var all strings.Builder
	for _, m := range messages {
		fieldsOf(m, &all)
	}
	for e := range events {
		for _, n := range numbers(e) {
			if !strings.Contains(all.String(), n.digits) && !skip(n) {
				return fmt.Errorf("no %v of a %T", n, e)
			}
		}
	}
	return nil
}

// checkPerfetto: the numbers of events, rows and tables are in the trace.
func checkPerfetto(x *trial) error {
	return contains([][]byte{x.out.Bytes()}, func(yield func(event.Event) bool) {
		for _, e := range x.events {
			switch e.(type) {
			case *event.Record, *event.Table:
				if !yield(e) {
					return
				}
			}
		}
	}, func(n told) bool { return n.name == "took" }) // which is how long the span is
}

// checkOTLP: the numbers of events and rows are in the requests.
func checkOTLP(x *trial) error {
	var messages [][]byte
	for _, request := range x.whole {
		_, message, _ := bytes.Cut(request, []byte("\n"))
		messages = append(messages, message)
	}
	return contains(messages, func(yield func(event.Event) bool) {
		for _, e := range x.events {
			if _, ok := e.(*event.Record); ok && !yield(e) {
				return
			}
		}
	}, func(n told) bool { return n.name == "took" })
}
