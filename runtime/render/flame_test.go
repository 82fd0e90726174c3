package render

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"fst/compiler/object"
	"fst/compiler/types"
	"fst/runtime/event"
	"fst/runtime/value"
)

// pageNode is a frame as the page's script reads it.
type pageNode struct {
	name, weight int
	below        []pageNode
}

func (n *pageNode) UnmarshalJSON(text []byte) error {
	parts := []any{&n.name, &n.weight, &n.below}
	return json.Unmarshal(text, &parts)
}

type page struct {
	Names []string
	Maps  []struct {
		Name, Unit string
		Least      int
		Root       pageNode
	}
}

// pageOf reads the data of a page.
func pageOf(t *testing.T, html []byte) (p page) {
	t.Helper()
	_, text, _ := strings.Cut(string(html), `<script type="application/json" id="data">`)
	text, _, _ = strings.Cut(text, "</script>")
	if err := json.Unmarshal([]byte(text), &p); err != nil {
		t.Fatalf("%v: %s", err, text)
	}
	return p
}

// folded are the lines that a graph stands for, and their weights.
func (p page) folded(n pageNode, before string, into map[string]int) {
	own := n.weight
	for _, b := range n.below {
		own -= b.weight
		p.folded(b, before+";"+p.Names[b.name], into)
	}
	if own != 0 {
		into[before] = own
	}
}

// showStacks gives a sink a map by stack; the last part of its keys are texts of one length.
func showStacks(sink event.Sink, obj *object.Object, weights map[string]uint64) {
	s := &value.Snapshot{}
	var m object.Map
	for name, n := range weights {
		key := tuple(kstack(1, "", 127), ustack(2, 7, ""), str(name))
		m = object.Map{Name: "@off", Key: key.typ, Value: types.U64}
		s.Entries = append(s.Entries, value.Entry{Key: key.data, Value: u64(n).data})
	}
	sink.Event(named(obj, &event.Map{Map: &m, Snapshot: s}))
}

// TestFlame: what the page's frames weigh is what the map says, and a name is no part of the page.
func TestFlame(t *testing.T) {
	var out, errs bytes.Buffer
	obj := fakeObject()
	f := NewFlame(&out, &errs, obj, Options{})
	const hostile = "</script><b>"
	showStacks(f, obj, map[string]uint64{"a program dd": 3, hostile: 4, "another none": 0})
	f.Event(&event.Warning{Text: "look"})
	if err := f.End(); err != nil {
		t.Fatal(err)
	}
	p := pageOf(t, out.Bytes())
	if len(p.Maps) != 1 || p.Maps[0].Name != "off" || p.Maps[0].Unit != "count" || p.Maps[0].Least != 0 || p.Maps[0].Root.weight != 7 {
		t.Fatalf("%+v", p)
	}
	got := map[string]int{}
	p.folded(p.Maps[0].Root, "all", got)
	frames := ";[unknown];main;ksys_read_[k];vfs_read_[k]"
	if want := map[string]int{"all;a program dd" + frames: 3, "all;" + hostile + frames: 4}; fmt.Sprint(got) != fmt.Sprint(want) {
		t.Errorf("%v, want %v", got, want)
	}
	if bytes.Contains(out.Bytes(), []byte(hostile)) || errs.String() != "WARNING: look\n" {
		t.Errorf("%s, %q", &out, &errs)
	}
}

// TestFlameInBrowser: a browser draws each frame as wide as it weighs.
func TestFlameInBrowser(t *testing.T) {
	var browser string
	for _, name := range []string{"chromium-headless-shell", "chromium", "google-chrome"} {
		if path, err := exec.LookPath(name); err == nil {
			browser = path
			break
		}
	}
	if browser == "" {
		t.Skip("no Chromium is installed")
	}
	var out bytes.Buffer
	obj := fakeObject()
	f := NewFlame(&out, &out, obj, Options{})
	weights := map[string]int{"one": 3, "two": 4, "six": 13}
	showStacks(f, obj, map[string]uint64{"one": 3, "two": 4, "six": 13})
	if err := f.End(); err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), "flame.html")
	if err := os.WriteFile(file, out.Bytes(), 0o644); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(browser, "--headless", "--no-sandbox", "--disable-gpu", "--window-size=1000,600", "--dump-dom", "file://"+file)
	cmd.Env = append(os.Environ(), "HOME="+t.TempDir())
	drawn, err := cmd.Output()
	if err != nil {
		t.Fatal(err)
	}
	frames := 0
	for _, m := range regexp.MustCompile(`class="frame[^>]*aria-label="([^:"]+): ([0-9]+),[^>]*width: ([0-9.]+)%`).FindAllSubmatch(drawn, -1) {
		frames++
		var width float64
		var weight int
		fmt.Sscan(string(m[2]), &weight)
		fmt.Sscan(string(m[3]), &width)
		if want := weights[string(m[1])]; want != 0 && weight != want || math.Abs(width-5*float64(weight)) > 0.001 {
			t.Errorf("%s weighs %d of 20 and is %v %% wide", m[1], weight, width)
		}
	}
	if frames != 1+3*5 {
		t.Errorf("%d frames are drawn\n%s", frames, drawn)
	}
}

// TestLargeFlame: a page stays below its limit, and no weight is lost.
func TestLargeFlame(t *testing.T) {
	var out bytes.Buffer
	obj := fakeObject()
	f := NewFlame(&out, &out, obj, Options{})
	weights := map[string]uint64{}
	sum := 0
	for i := range 10_000 {
		weights[fmt.Sprintf("thread-%05d", i)] = uint64(i + 1)
		sum += i + 1
	}
	showStacks(f, obj, weights)
	if err := f.End(); err != nil {
		t.Fatal(err)
	}
	p := pageOf(t, out.Bytes())
	own := map[string]int{}
	p.folded(p.Maps[0].Root, "all", own)
	total := 0
	for line, n := range own {
		if n < 0 {
			t.Errorf("%s weighs %d", line, n)
		}
		total += n
	}
	if out.Len() > 500_000 || out.Len() < 100_000 || p.Maps[0].Root.weight != sum || total != sum || p.Maps[0].Least == 0 || own["all;"+others] == 0 {
		t.Errorf("%d bytes, %d and %d of %d, least %d, %d are merged", out.Len(), p.Maps[0].Root.weight, total, sum, p.Maps[0].Least, own["all;"+others])
	}
}

// TestNoFlame: a page without a graph is one, too.
func TestNoFlame(t *testing.T) {
	var out bytes.Buffer
	if err := NewFlame(&out, &out, fakeObject(), Options{}).End(); err != nil {
		t.Fatal(err)
	}
	if p := pageOf(t, out.Bytes()); p.Maps == nil || len(p.Maps) > 0 {
		t.Errorf("%+v", p)
	}
}
