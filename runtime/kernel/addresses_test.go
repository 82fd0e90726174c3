package kernel

import (
	"slices"
	"strings"
	"testing"
)

// TestFunctionAddresses reads the addresses of functions that share a name.
func TestFunctionAddresses(t *testing.T) {
	const list = "ffffffff81000010 t load_elf_binary\n" +
		"ffffffff81000020 d load_elf_binary\n" +
		"ffffffff81000030 T load_elf_binary_x\n" +
		"ffffffff81000040 t load_elf_binary\n" +
		"0000000000000000 t load_elf_binary\n" +
		"ffffffffc0000000 t load_elf_binary\t[elf]\n"
	for module, want := range map[string][]uint64{
		"":        {0xffffffff81000010, 0xffffffff81000040, 0xffffffffc0000000},
		"vmlinux": {0xffffffff81000010, 0xffffffff81000040},
		"elf":     {0xffffffffc0000000},
		"ext4":    nil,
	} {
		if got := functionAddresses(strings.NewReader(list), "load_elf_binary", module); !slices.Equal(got, want) {
			t.Errorf("in %q: %x, want %x", module, got, want)
		}
	}
}
