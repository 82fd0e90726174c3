package kernel

import (
	"encoding/binary"
	"os"
	"path/filepath"
	"testing"
	"time"
)

// FuzzBinary reads a damaged program: this test's, with a few bytes changed where its headers,
// its notes or its tables are.
func FuzzBinary(f *testing.F) {
	path, err := os.Executable()
	if err != nil {
		f.Skip(err)
	}
	for _, name := range []string{"/bin/true", "/bin/sh", path} {
		if whole, err := os.ReadFile(name); err == nil && len(whole) < 1<<20 {
			f.Add(whole)
		}
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		late := time.AfterFunc(20*time.Second, func() { panic("reading hangs") })
		defer late.Stop()
		name := filepath.Join(t.TempDir(), "program")
		if err := os.WriteFile(name, data, 0o600); err != nil {
			t.Fatal(err)
		}
		readAll(name)
	})
}

// readAll asks for all that is read of a binary.
func readAll(name string) {
	s := Open(Options{})
	symbols, _ := s.Symbols(name, "*")
	s.USDT(name, "*", "*")
	for _, y := range symbols[:min(len(symbols), 20)] {
		s.UserFunction(name, y)
		s.FunctionAt(name, y.Addr)
	}
	s.MangledSymbols(name, "*a*")
	s.InlinedCopies(name, "*a*")
}

// TestMutations changes bytes of a real program, half of the times in its headers, and reads it.
func TestMutations(t *testing.T) {
	whole, err := os.ReadFile("/bin/true")
	if err != nil {
		t.Skip(err)
	}
	name := filepath.Join(t.TempDir(), "program")
	for i := range 200 {
		data := append([]byte{}, whole...)
		for j := range 1 + i%8 {
			at := (i*7919 + j*104729) % len(data)
			if i%2 == 0 {
				at %= 256 // the headers
			}
			binary.LittleEndian.PutUint16(data[min(at, len(data)-2):], uint16(i*40503+j*9973))
		}
		if err := os.WriteFile(name, data, 0o600); err != nil {
			t.Fatal(err)
		}
		readAll(name)
	}
}
