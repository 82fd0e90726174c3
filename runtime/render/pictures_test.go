package render

import (
	"bytes"
	"encoding/json"
	"encoding/xml"
	"io"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

// TestSpeedscope: the file has the fields that the format's schema requires, no others, and each stack's weight.
func TestSpeedscope(t *testing.T) {
	var out, errs bytes.Buffer
	obj := fakeObject()
	s := NewSpeedscope(&out, &errs, obj, Options{})
	showStacks(s, obj, map[string]uint64{"a program dd": 3, "\"</script>\\": 4, "another none": 0})
	if err := s.End(); err != nil {
		t.Fatal(err)
	}
	var file struct {
		Schema   string `json:"$schema"`
		Exporter string
		Shared   struct{ Frames []struct{ Name string } }
		Profiles []struct {
			Type, Name, Unit     string
			StartValue, EndValue *int
			Samples              [][]int
			Weights              []int
		}
	}
	d := json.NewDecoder(&out)
	d.DisallowUnknownFields()
	if err := d.Decode(&file); err != nil {
		t.Fatal(err)
	}
	if len(file.Profiles) != 1 || file.Schema != "https://www.speedscope.app/file-format-schema.json" {
		t.Fatalf("%+v", file)
	}
	p := file.Profiles[0]
	if p.Type != "sampled" || p.Name != "off" || p.Unit != "none" || p.StartValue == nil || *p.StartValue != 0 || p.EndValue == nil || *p.EndValue != 7 ||
		len(p.Samples) != 2 || len(p.Weights) != 2 || p.Weights[0]+p.Weights[1] != 7 {
		t.Fatalf("%+v", p)
	}
	for i, stack := range p.Samples {
		var frames []string
		for _, n := range stack {
			frames = append(frames, file.Shared.Frames[n].Name)
		}
		want := map[int]string{3: "a program dd", 4: "\"</script>\\"}[p.Weights[i]] + ";[unknown];main;ksys_read_[k];vfs_read_[k]"
		if got := strings.Join(frames, ";"); got != strings.ReplaceAll(want, `\`, `\`) {
			t.Errorf("%q, want %q", got, want)
		}
	}
}

// svgOf is the image of a map by stack.
func svgOf(t *testing.T, weights map[string]uint64) []byte {
	t.Helper()
	var out bytes.Buffer
	obj := fakeObject()
	f := NewFlameSVG(&out, &out, obj, Options{})
	showStacks(f, obj, weights)
	if err := f.End(); err != nil {
		t.Fatal(err)
	}
	d := xml.NewDecoder(bytes.NewReader(out.Bytes()))
	for {
		if _, err := d.Token(); err == io.EOF {
			break
		} else if err != nil {
			t.Fatalf("%v in %s", err, &out)
		}
	}
	return out.Bytes()
}

// TestFlameSVG: frames are as wide as they weigh, no name ends an element, and what is too narrow to be seen is not drawn.
func TestFlameSVG(t *testing.T) {
	weights := map[string]uint64{"one": 3, "<b>": 4, "six": 13}
	frames := 0
	for _, m := range regexp.MustCompile(`<title>([^:]+): ([0-9]+) count, [0-9.]+ %</title><rect x="([0-9.]+)" y="[0-9]+" width="([0-9.]+)"`).FindAllSubmatch(svgOf(t, weights), -1) {
		frames++
		weight, _ := strconv.ParseFloat(string(m[2]), 64)
		width, _ := strconv.ParseFloat(string(m[4]), 64)
		x, _ := strconv.ParseFloat(string(m[3]), 64)
		name := strings.NewReplacer("&lt;", "<", "&gt;", ">").Replace(string(m[1]))
		if want := weights[name]; want != 0 && uint64(weight) != want || math.Abs(width-1180/20*weight) > 0.01 || x < 10 || x+width > 1190.001 {
			t.Errorf("%s weighs %v of 20, is %v wide and at %v", name, weight, width, x)
		}
	}
	if frames != 1+3*5 {
		t.Errorf("%d frames are drawn", frames)
	}
	if image := svgOf(t, map[string]uint64{"much": 1_000_000, "more": 9_000_000, "tiny": 1}); bytes.Contains(image, []byte("tiny")) {
		t.Error("a frame of a millionth is drawn")
	}
	svgOf(t, nil)
}

// TestFlameSVGInBrowser: a browser draws the image: where the frames are, it is not white.
func TestFlameSVGInBrowser(t *testing.T) {
	browser, err := exec.LookPath("chromium-headless-shell")
	if err != nil {
		t.Skip("no Chromium is installed")
	}
	dir := t.TempDir()
	file := filepath.Join(dir, "flame.svg")
	if err := os.WriteFile(file, svgOf(t, map[string]uint64{"one": 3, "<b>": 4, "six": 13}), 0o644); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(browser, "--headless", "--no-sandbox", "--disable-gpu", "--dump-dom", "file://"+file)
	cmd.Env = append(os.Environ(), "HOME="+dir)
	drawn, err := cmd.Output()
	if err != nil || bytes.Count(drawn, []byte("<rect")) != 1+16 || bytes.Contains(drawn, []byte("parsererror")) {
		t.Errorf("%v: %s", err, drawn)
	}
}
