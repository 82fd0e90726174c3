package btftypes

import (
	"fmt"
	"testing"

	"github.com/cilium/ebpf/btf"

	"fst/compiler/types"
)

// blob encodes types as the kernel has them.
func blob(t *testing.T, list ...btf.Type) []byte {
	t.Helper()
	b, err := btf.NewBuilder(list, nil)
	if err != nil {
		t.Fatal(err)
	}
	raw, err := b.Marshal(nil, btf.KernelMarshalOptions())
	if err != nil {
		t.Fatal(err)
	}
	return raw
}

// TestFind: the first searches pass over the types, later ones ask an index, with the same results. Names of
// structs, typedefs and functions are apart, and of several of one name the first counts.
func TestFind(t *testing.T) {
	long := &btf.Int{Name: "long int", Size: 8, Encoding: btf.Signed}
	same := func(size uint32) *btf.Struct {
		return &btf.Struct{Name: "same", Size: size, Members: []btf.Member{{Name: "x", Type: long}}}
	}
	raw := blob(t, long, same(8), same(16), &btf.Typedef{Name: "same", Type: long}, &btf.Union{Name: "either", Size: 24},
		&btf.Func{Name: "same", Type: &btf.FuncProto{Return: long, Params: []btf.FuncParam{{Name: "first", Type: long}}}, Linkage: btf.GlobalFunc},
		&btf.Func{Name: "same", Type: &btf.FuncProto{Return: long}, Linkage: btf.StaticFunc},
		&btf.Enum{Name: "e", Size: 4, Signed: true, Values: []btf.EnumValue{{Name: "BELOW", Value: uint64(1<<64 - 5)}, {Name: "ONE", Value: 1}}},
		&btf.Enum{Name: "e64", Size: 8, Values: []btf.EnumValue{{Name: "LARGE", Value: 1 << 40}}})
	s, err := New(raw, nil)
	if err != nil {
		t.Fatal(err)
	}
	for range 3 * worthIndex {
		s.Type("struct", "same")
	}
	if s.others.heads != nil {
		t.Error("an index is made for a name that is asked for again and again")
	}
	for search := range 3 * worthIndex {
		for _, want := range []struct {
			tag, name string
			size      int // 0: there is none
		}{{"struct", "same", 8}, {"union", "either", 24}, {"", "same", 8}, {"enum", "e64", 8}, {"", "long int", 8},
			{"union", "same", 0}, {"struct", "either", 0}, {"", "e", 0}, {"struct", "none", 0}, {"struct", "", 0}} {
			found, ok := s.Type(want.tag, want.name)
			if ok != (want.size > 0) || ok && found.Size != want.size {
				t.Errorf("search %d, %s %s: %v %v", search, want.tag, want.name, found, ok)
			}
		}
		if typedef, _ := s.Type("", "same"); typedef == nil || typedef.Kind != types.Int {
			t.Errorf("search %d: the typedef is %v", search, typedef)
		}
		if f, ok := s.Func("vmlinux", "same"); !ok || len(f.Params) != 1 {
			t.Errorf("search %d: the function is %v", search, f)
		}
		for name, want := range map[string]string{"BELOW": "-5 e", "ONE": "1 e", "LARGE": "1099511627776 e64", "NONE": "none", "": "none"} {
			got := "none"
			if n, enum, ok := s.Enumerator(name); ok {
				got = fmt.Sprint(n, " ", enum.Name)
			}
			if got != want {
				t.Errorf("search %d: %s is %s, want %s", search, name, got, want)
			}
		}
	}
}

// TestCut: what is no BTF, or is cut short, is refused or known up to there.
func TestCut(t *testing.T) {
	raw := blob(t, &btf.Struct{Name: "s", Size: 8}, &btf.Struct{Name: "t", Size: 4})
	for n := range raw {
		if s, err := New(raw[:n:n], nil); err == nil {
			s.Type("struct", "t")
			t.Errorf("%d bytes of %d were taken", n, len(raw))
		}
	}
	raw[24+12+7] = 0x1f // the kind of the second type, which no kernel has
	s, err := New(raw, nil)
	if err != nil {
		t.Fatal(err)
	}
	_, first := s.Type("struct", "s")
	_, second := s.Type("struct", "t")
	if !first || second {
		t.Error("behind a kind that is not known:", first, second)
	}
}
