package ir

import (
	"strings"
	"testing"
)

const sample = `program "kprobe:f"
func main(v1) {
  slot 0 "key" size 16 align 8
b0:
  v2 = const -5
  v3 = load.4s v1+16
  v4 = slot 0+8
  store.8 v4-8, v3
  store.8 v4-8, message 7
  v5 = map "@m"
  v6 = call map_lookup_elem(v5, v4)
  if v6 eq 0 then b1 else b2
b1:
  call trace_printk(v4, 1)
  v7 = mapvalue fst_seen+8
  v8 = xchg.4 v7+0, 9
  atomicadd.8 v7+0, v8
  v9 = ext.1s v3
  v9 = swap.2 v9
  v10 = func 1
  v10 = call @ 1(v9, 3)
  return 0
b2:
  v6 = add v6, -1
  v6 = neg v6
  jump b1
}
func each(v1, v2) {
b0:
  return 0
}
`

func TestTextRoundTrip(t *testing.T) {
	p, err := Parse(sample)
	if err != nil {
		t.Fatal(err)
	}
	if got := p.String(); got != sample {
		t.Errorf("got\n%s\nwant\n%s", got, sample)
	}
	if err := Verify(p); err != nil {
		t.Error(err)
	}
	if got := p.Clone().String(); got != sample {
		t.Errorf("the clone is\n%s", got)
	}
}

func TestVerify(t *testing.T) {
	for _, test := range []struct{ text, want string }{
		{"b0: return v2", "v2 may be read before it is set"},
		{"b0: if v1 eq 0 then b1 else b2\nb1: v2 = const 1 jump b2\nb2: return v2", "v2 may be read before it is set"},
		{"b0: v2 = slot 3+0 return 0", "slot 3 of 0"},
		{"b0: v2 = func 1 return 0", "function 1 of 1"},
		{"b0: v2 = load.3 v1+0 return 0", "size 3"},
		{"b0: v2 = load.8 5+0 return 0", "address is a constant"},
		{"b0: v2 = load.8 v1+70000 return 0", "does not fit 16 bits"},
		{"b0: v2 = xchg.2 v1+0, 1 return 0", "size 2"},
		{"b0: add v1, 1 return 0", "destination v0"},
		{"b0: v2 = call @ 1(v1) return 0", "function 1 of 1"},
		{"b0: v2 = call 1(v1, v1, v1, v1, v1, v1) return 0", "6 arguments"},
	} {
		p, err := Parse("program p func f(v1) {\n" + test.text + "\n}")
		if err != nil {
			t.Errorf("%s: %v", test.text, err)
			continue
		}
		if err := Verify(p); err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%s: %v, want %q", test.text, err, test.want)
		}
	}
	p, _ := Parse(sample)
	p.Funcs[0].Blocks[2].Term.Then = &Block{}
	if err := Verify(p); err == nil || !strings.Contains(err.Error(), "not in the function") {
		t.Error(err)
	}
	p.Funcs[0].Blocks[2].Term = Term{}
	if err := Verify(p); err == nil || !strings.Contains(err.Error(), "does not end") {
		t.Error(err)
	}
}

func TestParseErrors(t *testing.T) {
	for _, text := range []string{"", "program p func f() {\nb0: jump b7 }", "program p func f() {\nb0: v1 = what 1 return 0 }",
		"program p func f() {\nb0: return 0\nb0: return 0 }", "program p func f( {", "program p func f() {\nb0: v1 = add 1 return 0 }"} {
		if p, err := Parse(text); err == nil && len(p.Funcs) > 0 {
			t.Errorf("%q was taken", text)
		}
	}
}

func TestCFG(t *testing.T) {
	p, err := Parse(`program p func f(v1) {
b0: jump b1
b1: if v1 ult 5 then b2 else b4
b2: if v1 eq 3 then b3 else b1
b3: jump b1
b4: return 0
}`)
	if err != nil {
		t.Fatal(err)
	}
	c := NewCFG(p.Funcs[0])
	want := map[int]struct{ idom, depth int }{0: {0, 0}, 1: {0, 0 + 1}, 2: {1, 1}, 3: {2, 1}, 4: {1, 0}}
	for i, b := range c.Order {
		w := want[b.ID]
		if got := c.Order[c.IDom[i]].ID; got != w.idom || int(c.Depth[i]) != w.depth {
			t.Errorf("b%d: dominator b%d, depth %d; want b%d, %d", b.ID, got, c.Depth[i], w.idom, w.depth)
		}
	}
}
