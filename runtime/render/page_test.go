package render

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"math/rand"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"fst/compiler/object"
	"fst/compiler/types"
	"fst/runtime/event"
	"fst/runtime/value"
)

// dataOf reads the data of a page.
func dataOf(t *testing.T, html []byte) (d pageDocument) {
	t.Helper()
	_, text, _ := strings.Cut(string(html), `<script type="application/json" id="data">`)
	text, _, _ = strings.Cut(text, "</script>")
	if err := json.Unmarshal([]byte(text), &d); err != nil {
		t.Fatalf("%v: %s", err, text)
	}
	return d
}

// reader is what the script of a page knows, by the rules of its function take.
type reader struct {
	names  []string
	blocks []documentBlock
	seq    uint64
}

func (r *reader) known() string {
	parts := []string{fmt.Sprint(r.seq), fmt.Sprint(len(r.names))}
	for _, b := range r.blocks {
		parts = append(parts, fmt.Sprint(len(b.Nodes)/2))
	}
	return strings.Join(parts, ".")
}

func (r *reader) take(d pageDocument) {
	if d.Full {
		*r = reader{}
	}
	r.names, r.seq = append(r.names, d.Names...), d.Seq
	for i, b := range d.Blocks {
		if i == len(r.blocks) {
			r.blocks = append(r.blocks, documentBlock{Kind: b.Kind})
		}
		own := &r.blocks[i]
		own.Nodes = append(own.Nodes, b.Nodes...)
		own.Kind, own.Name, own.Unit = b.Kind, b.Name, b.Unit
		for _, row := range b.Rows {
			if at := slices.IndexFunc(own.Rows, func(o documentRow) bool { return o.ID == row.ID }); at >= 0 {
				own.Rows[at] = row
			} else {
				own.Rows = append(own.Rows, row)
			}
		}
		for len(own.Rows) > 1 && own.Rows[0].ID < b.First {
			if b.Kind == pageHist || b.Kind == pageStacks {
				own.Rows[1].Counts = slices.Concat(own.Rows[0].Counts, own.Rows[1].Counts)
			}
			own.Rows = own.Rows[1:]
		}
	}
}

// sums are the counts of a block, by stack, or by key and bucket.
func (r *reader) sums(b documentBlock) map[string]int64 {
	sums := map[string]int64{}
	for _, row := range b.Rows {
		for c := row.Counts; len(c) > 0; {
			if b.Kind == pageHist {
				sums[fmt.Sprintf("%s %d", r.names[c[0]], c[1])] += c[2]
				c = c[3:]
				continue
			}
			line := ""
			for node := int32(c[0]); node > 0; node = b.Nodes[2*node] {
				line = ";" + r.names[b.Nodes[2*node+1]] + line
			}
			sums[strings.TrimPrefix(line, ";")] += c[1]
			c = c[2:]
		}
	}
	return sums
}

// showStacks gives a sink a map by stack; the last part of its keys are texts of one length.
func showStacks(sink event.Sink, obj *object.Object, weights map[string]uint64) {
	sink.Event(stacksAt(obj, &object.Map{Name: "@off"}, time.Time{}, weights))
}

func stacksAt(obj *object.Object, m *object.Map, at time.Time, weights map[string]uint64) event.Event {
	s := &value.Snapshot{Time: at}
	for name, n := range weights {
		key := tuple(kstack(1, "", 127), ustack(2, 7, ""), str(name))
		m.Key, m.Value = key.typ, types.U64
		s.Entries = append(s.Entries, value.Entry{Key: key.data, Value: u64(n).data})
	}
	return named(obj, &event.Map{Map: m, Snapshot: s})
}

// histAt is a histogram of numbers for each key of one length.
func histAt(obj *object.Object, m *object.Map, at time.Time, numbers map[string][]int64) event.Event {
	s := &value.Snapshot{Time: at}
	for key, list := range numbers {
		h := hist(0, list...)
		m.Key, m.Value = str(key).typ, h.typ
		s.Entries = append(s.Entries, value.Entry{Key: str(key).data, Value: h.data})
	}
	return named(obj, &event.Map{Map: m, Snapshot: s})
}

const frames = ";[unknown];main;ksys_read_[k];vfs_read_[k]"

// TestPageStacks: what the page's frames weigh is what the map says, and a name is no part of the page.
func TestPageStacks(t *testing.T) {
	var out, errs bytes.Buffer
	obj := fakeObject()
	f := NewPage(&out, &errs, obj, Options{})
	const hostile = "</script><b>"
	showStacks(f, obj, map[string]uint64{"a program dd": 3, hostile: 4, "another none": 0})
	f.Event(&event.Warning{Text: "look"})
	if err := f.End(); err != nil {
		t.Fatal(err)
	}
	r := &reader{}
	r.take(dataOf(t, out.Bytes()))
	if len(r.blocks) != 2 || r.blocks[1].Name != "@off" || r.blocks[1].Unit != "count" || r.blocks[1].Least != 0 {
		t.Fatalf("%+v", r.blocks)
	}
	if got, want := r.sums(r.blocks[1]), (map[string]int64{"a program dd" + frames: 3, hostile + frames: 4}); !maps.Equal(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
	if bytes.Contains(out.Bytes(), []byte(hostile)) || errs.String() != "WARNING: look\n" || r.blocks[0].Rows[0].Lines[0][0] != "WARNING: look" {
		t.Errorf("%s, %q", &out, &errs)
	}
}

// TestPageTakesAway: what a report takes away from a stack, a number below 0, is taken away from what those before added, be it
// shown as it is or as a change. The numbers of stacks have the unit of the map, whatever print() divides them by.
func TestPageTakesAway(t *testing.T) {
	for _, turns := range []*object.Turns{nil, {}} {
		var out, errs bytes.Buffer
		obj := fakeObject()
		f := NewPage(&out, &errs, obj, Options{})
		m := &object.Map{Name: "@left", Turns: turns}
		for i, n := range []int64{100, 30, 40} {
			if before := []int64{0, 100, 30}; turns != nil {
				n -= before[i]
			}
			key, sum := tuple(kstack(1, "", 127), ustack(2, 7, ""), str("dd")), aggregate(types.Sum, true, n, 1)
			m.Key, m.Value = key.typ, sum.typ
			f.Event(named(obj, &event.Map{Map: m, Div: 10, Snapshot: &value.Snapshot{Time: time.Unix(int64(i), 0), Entries: []value.Entry{{Key: key.data, Value: sum.data}}}}))
		}
		if err := f.End(); err != nil {
			t.Fatal(err)
		}
		r := &reader{}
		r.take(dataOf(t, out.Bytes()))
		if got, want := r.sums(r.blocks[1]), (map[string]int64{"dd" + frames: 40}); !maps.Equal(got, want) {
			t.Errorf("%v, want %v", got, want)
		}
	}
}

// drawn is the document that a browser makes of a page, within a window of some width.
func drawn(t *testing.T, html []byte, width int) string {
	t.Helper()
	browser := ""
	for _, name := range []string{"chromium-headless-shell", "chromium", "google-chrome"} {
		if path, err := exec.LookPath(name); err == nil {
			browser = path
			break
		}
	}
	if browser == "" {
		t.Skip("no Chromium is installed")
	}
	dir := t.TempDir()
	file := filepath.Join(dir, "page.html")
	if err := os.WriteFile(file, html, 0o644); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(browser, "--headless", "--no-sandbox", "--disable-gpu", fmt.Sprintf("--window-size=%d,600", width), "--dump-dom", "file://"+file)
	cmd.Env = append(os.Environ(), "HOME="+dir)
	dom, err := cmd.Output()
	if err != nil {
		t.Fatal(err)
	}
	return string(dom)
}

// TestPageInBrowser: a browser draws each frame as wide as it weighs in all intervals together, each count of a histogram and of
// its heat map, the last of a table, and hostile names as text.
func TestPageInBrowser(t *testing.T) {
	var out, errs bytes.Buffer
	obj := fakeObject()
	p := NewPage(&out, &errs, obj, Options{})
	const hostile = `"><img src=x onerror=document.title='bad'>`
	emptied := &object.Map{Name: "@off", Turns: &object.Turns{}}
	p.Event(stacksAt(obj, emptied, bootTime, map[string]uint64{"one": 3, "two": 1}))
	p.Event(stacksAt(obj, emptied, bootTime.Add(time.Second), map[string]uint64{"two": 3, "six": 13}))
	counting := &object.Map{Name: "@us"}
	p.Event(histAt(obj, counting, bootTime, map[string][]int64{hostile: {5, 6, 900}}))
	p.Event(histAt(obj, counting, bootTime.Add(time.Second), map[string][]int64{hostile: {5, 6, 900, 5, -3}}))
	table := &object.Map{Name: "@n", Key: str(hostile).typ, Value: types.U64, Schema: &object.Schema{Keys: 1,
		Fields: []object.Field{{Name: "comm", Type: str(hostile).typ}, {Name: "n", Type: types.U64}}}}
	for i := range int64(2) {
		p.Event(named(obj, &event.Map{Map: table, Snapshot: &value.Snapshot{Time: bootTime.Add(time.Duration(i) * time.Second),
			Entries: []value.Entry{{Key: str(hostile).data, Value: num(40 + i)}}}}))
	}
	many := &object.Map{Name: "@many", Key: types.U64, Value: types.U64, Schema: &object.Schema{Keys: 1,
		Fields: []object.Field{{Name: "key", Type: types.U64}, {Name: "many", Type: types.U64}}}}
	var entries []value.Entry
	for i := range int64(liveRows + 400) {
		entries = append(entries, value.Entry{Key: num(i), Value: num(i)})
	}
	p.Event(named(obj, &event.Map{Map: many, Snapshot: &value.Snapshot{Time: bootTime, Entries: entries}}))
	p.Event(&event.Warning{Text: hostile + "</script>"})
	if err := p.End(); err != nil {
		t.Fatal(err)
	}
	// This selects the first interval in a heat map by the keyboard, where the page's policy lets it run.
	press := `<script>for (const key of ['ArrowLeft', 'Enter']) document.querySelector('.cards canvas').dispatchEvent(new KeyboardEvent('keydown', { key }));</script>`
	dom := drawn(t, []byte(out.String()+press), 700)
	weights := map[string]int{"one": 3, "two": 4, "six": 13}
	n := 0
	for _, m := range regexp.MustCompile(`class="frame[^>]*aria-label="([^:"]+): ([0-9]+),[^>]*width: ([0-9.]+)%`).FindAllStringSubmatch(dom, -1) {
		n++
		var width float64
		var weight int
		fmt.Sscan(m[2], &weight)
		fmt.Sscan(m[3], &width)
		if want := weights[m[1]]; want != 0 && weight != want || math.Abs(width-5*float64(weight)) > 0.001 {
			t.Errorf("%s weighs %d of 20 and is %v %% wide", m[1], weight, width)
		}
	}
	if n != 1+3*5 {
		t.Errorf("%d frames are drawn", n)
	}
	has := func(dom string, list ...string) {
		t.Helper()
		_, dom, _ = strings.Cut(dom, "<main")
		dom, _, _ = strings.Cut(dom, "<noscript")
		for _, want := range list {
			if !strings.Contains(dom, want) {
				t.Errorf("there is no %s in %s", want, dom)
			}
		}
		if strings.Contains(dom, "<img") {
			t.Errorf("a name has become an element: %s", dom)
		}
	}
	has(dom, `data-total="5"`, `data-drawn="5"`, `data-drawn="20"`, `<span>[4, 8)</span><span class="count">3</span>`,
		`<span>(..., 0)</span><span class="count">1</span>`, `<span>[512, 1K)</span><span class="count">1</span>`, `<td class="number">41</td>`, `&gt;&lt;img`,
		">... and 700 more: search for them; 400 more are not on this page<")
	free := regexp.MustCompile(`<meta http-equiv="Content-Security-Policy"[^>]*>`).ReplaceAllString(out.String(), "")
	has(drawn(t, []byte(free+press), 700), `data-total="3"`, `data-drawn="5"`, `aria-label="all: 4, 100.00 %"`, `aria-label="one: 3, 75.00 %"`, `<td class="number">40</td>`)
}

// TestLargePage: a page stays below its limit, and no weight is lost.
func TestLargePage(t *testing.T) {
	if testing.Short() {
		t.Skip("slow under the race detector, which finds nothing here that it does not find in other tests")
	}
	var out bytes.Buffer
	obj := fakeObject()
	p := NewPage(&out, &out, obj, Options{})
	stacks, numbers := map[string]uint64{}, map[string][]int64{}
	sum := int64(0)
	for i := range 10_000 {
		stacks[fmt.Sprintf("thread-%05d", i)] = uint64(i + 1)
		numbers[fmt.Sprintf("thread-%05d", i)] = []int64{int64(i), 1}
		sum += int64(i + 1)
	}
	showStacks(p, obj, stacks)
	emptied := &object.Map{Name: "@us", Turns: &object.Turns{}}
	for i := range 5 {
		p.Event(histAt(obj, emptied, bootTime.Add(time.Duration(i)*time.Second), numbers))
	}
	if err := p.End(); err != nil {
		t.Fatal(err)
	}
	d, r := dataOf(t, out.Bytes()), &reader{}
	r.take(d)
	total := func(b documentBlock) (n int64) {
		for _, k := range r.sums(b) {
			n += k
		}
		return n
	}
	if out.Len() > pageLimit || out.Len() < 100_000 || total(r.blocks[1]) != sum || total(r.blocks[2]) != 100_000 || d.Blocks[1].Least == 0 || r.sums(r.blocks[1])[others] == 0 {
		t.Errorf("%d bytes, %d of %d, %d of 100000, least %d", out.Len(), total(r.blocks[1]), sum, total(r.blocks[2]), d.Blocks[1].Least)
	}
}

// TestLongPage: of a long run fewer times are kept, and all counts.
func TestLongPage(t *testing.T) {
	var out bytes.Buffer
	obj := fakeObject()
	p := NewPage(&out, &out, obj, Options{})
	emptied := &object.Map{Name: "@us", Turns: &object.Turns{}}
	for i := range 5000 {
		p.Event(histAt(obj, emptied, bootTime.Add(time.Duration(i)*time.Second), map[string][]int64{"a": {1}, "b": {100}}))
	}
	p.End()
	r := &reader{}
	r.take(dataOf(t, out.Bytes()))
	if n := len(r.blocks[1].Rows); n < pageRows || n > 2*pageRows {
		t.Errorf("there are %d times", n)
	}
	if got := r.sums(r.blocks[1]); got["a 2"] != 5000 || got["b 8"] != 5000 || len(got) != 2 {
		t.Errorf("%v", got)
	}
}

// TestEmptyPage: a page without anything is one, too.
func TestEmptyPage(t *testing.T) {
	var out bytes.Buffer
	if err := NewPage(&out, &out, fakeObject(), Options{}).End(); err != nil {
		t.Fatal(err)
	}
	if d := dataOf(t, out.Bytes()); d.Live || d.Over || len(d.Blocks) != 1 || len(d.Blocks[0].Rows) != 0 {
		t.Errorf("%+v", d)
	}
}

// TestLivePage: who asks for what is new, now and then, knows the same sums as who asks once, whatever was merged meanwhile, and the
// page keeps ten minutes.
func TestLivePage(t *testing.T) {
	obj := fakeObject()
	p := NewLivePage("test", &bytes.Buffer{}, obj)
	p.folded.p.now = func() time.Time { return bootTime }
	random := rand.New(rand.NewSource(1))
	stacks, emptied, counting := &object.Map{Name: "@off"}, &object.Map{Name: "@em", Turns: &object.Turns{}}, &object.Map{Name: "@us"}
	weights, numbers := map[string]uint64{}, map[string][]int64{}
	names := []string{"one", "two", "six", "ten"}
	want := map[string]int64{}
	readers := []*reader{{}, {}, {}}
	ask := func(r *reader) {
		data, err := p.Data(r.known())
		var d pageDocument
		if err == nil {
			err = json.Unmarshal(data, &d)
		}
		if err != nil {
			t.Fatal(err)
		}
		r.take(d)
	}
	at := bootTime
	for i := range 3000 {
		at = at.Add(time.Duration(random.Intn(1200)) * time.Millisecond)
		name := names[random.Intn(4)]
		switch random.Intn(4) {
		case 0:
			weights[name] += uint64(random.Intn(5))
			p.Event(stacksAt(obj, stacks, at, weights))
		case 1:
			numbers[name] = append(numbers[name], int64(random.Intn(100)))
			p.Event(histAt(obj, counting, at, numbers))
		case 2:
			n := random.Int63n(100)
			p.Event(histAt(obj, emptied, at, map[string][]int64{name: {n}}))
			want[fmt.Sprintf("%s %d", name, value.HistIndex(n, 0))]++
		default:
			p.Event(&event.Warning{Text: fmt.Sprint(i)})
		}
		if random.Intn(20) == 0 {
			ask(readers[0])
		}
		if i == 1500 || i == 2900 {
			ask(readers[1])
		}
	}
	for _, r := range readers {
		ask(r)
	}
	for i, r := range readers {
		for _, b := range r.blocks[1:] {
			got := r.sums(b)
			switch b.Name {
			case "off":
				for name, n := range weights {
					if n > 0 && got[name+frames] != int64(n) {
						t.Errorf("reader %d: %s weighs %d, want %d", i, name, got[name+frames], n)
					}
				}
			case "@em":
				if !maps.Equal(got, want) {
					t.Errorf("reader %d: %v, want %v", i, got, want)
				}
			case "@us":
				total := int64(0)
				for _, n := range got {
					total += n
				}
				if all := len(numbers["one"]) + len(numbers["two"]) + len(numbers["six"]) + len(numbers["ten"]); total != int64(all) {
					t.Errorf("reader %d: %d, want %d", i, total, all)
				}
			}
			if age := time.Duration(b.Rows[len(b.Rows)-1].At-b.Rows[1].At) * time.Millisecond; age > pagePeriod || age < pagePeriod*9/10 {
				t.Errorf("reader %d: %s has %v", i, b.Name, age)
			}
		}
	}
	lines := 0
	for _, row := range readers[2].blocks[0].Rows {
		lines += len(row.Lines)
	}
	if lines < 600 || lines > 2*liveRows {
		t.Errorf("%d lines are kept", lines)
	}
	for _, odd := range []string{"x", "..", "99999999999999999999", "-1.0", "5.4000000", "5.0.900", strings.Repeat("1.", 4000)} {
		if data, err := p.Data(odd); err != nil || !json.Valid(data) {
			t.Errorf("%q: %v", odd, err)
		}
	}
}

// TestPageEmptied: a map is emptied when it is shown if the same clause does both, not if another one clears it.
func TestPageEmptied(t *testing.T) {
	m := &object.Map{ID: 3}
	for _, c := range []struct {
		messages []*object.Message
		want     bool
	}{
		{[]*object.Message{{Kind: object.MsgPrintMap, Map: 3}}, false},
		{[]*object.Message{{Kind: object.MsgPrintMap, Map: 3}, {Kind: object.MsgZero, Map: 3}}, true},
		{[]*object.Message{{Kind: object.MsgHeat, Map: 3}, {Kind: object.MsgClear, Map: 2}}, false},
		{[]*object.Message{{Kind: object.MsgHeat, Map: 3}, {Kind: object.MsgClear, Map: 3, Clause: 1}}, false},
		{[]*object.Message{{Kind: object.MsgDrain, Map: 3}}, true},
	} {
		if got := isEmptied(&object.Object{Messages: c.messages}, m); got != c.want {
			t.Errorf("%+v: %v", c.messages, got)
		}
	}
}

// TestPageBegunAnew: what a map that goes on counting shows less of than before has been cleared.
func TestPageBegunAnew(t *testing.T) {
	b := &pageBlock{}
	cell := func(of, bucket int32, n int64) map[pageCell]int64 { return map[pageCell]int64{{of, bucket}: n} }
	for i, c := range []struct{ shown, want map[pageCell]int64 }{
		{cell(1, 2, 5), cell(1, 2, 5)}, {cell(1, 2, 7), cell(1, 2, 2)}, {cell(1, 2, 7), map[pageCell]int64{}}, {cell(1, 2, 3), cell(1, 2, 3)},
		{cell(1, 3, 9), cell(1, 3, 9)}, {map[pageCell]int64{}, map[pageCell]int64{}}, {cell(1, 3, 9), cell(1, 3, 9)},
	} {
		if got := b.since(c.shown, 0, false); !maps.Equal(got, c.want) {
			t.Errorf("%d: %v, want %v", i, got, c.want)
		}
	}
	// Another clause has cleared the map, and more has been counted since than it had before.
	if got, want := b.since(cell(1, 3, 12), 1, false), cell(1, 3, 12); !maps.Equal(got, want) {
		t.Errorf("cleared: %v, want %v", got, want)
	}
}
