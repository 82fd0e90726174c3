package vdso

import (
	"bytes"
	"debug/elf"
	"testing"
)

// TestImage: what is there is an ELF file with the functions that C libraries call.
func TestImage(t *testing.T) {
	image := Image()
	if image == nil {
		t.Skip("this system maps no vdso")
	}
	f, err := elf.NewFile(bytes.NewReader(image))
	if err != nil {
		t.Fatal(err)
	}
	symbols, err := f.DynamicSymbols()
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range symbols {
		if s.Name == "__vdso_clock_gettime" || s.Name == "__kernel_clock_gettime" {
			return
		}
	}
	t.Errorf("no clock_gettime among %d symbols", len(symbols))
}
