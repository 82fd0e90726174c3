// Command growth compiles and formats scripts of one kind, each larger than the one
// before, and renders what is wrong with them. The test of this folder builds it with counters of how often each
// piece of the code runs, and sees from them where the work grows faster than
// the script.
package main

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime/coverage"
	"strconv"

	"fst/compiler"
	"fst/compiler/check"
	"fst/compiler/target/fixture"
	"fst/lang/diag"
	"fst/lang/format"
	"fst/lang/parse"
	"fst/lang/source"
)

func main() {
	if err := run(os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "growth:", err)
		os.Exit(1)
	}
}

func run(args []string) error {
	if len(args) < 3 {
		return fmt.Errorf("usage: growth KIND DIRECTORY SIZES")
	}
	for _, k := range kinds {
		if k.name == args[0] {
			return grow(k, args[1], args[2:])
		}
	}
	return fmt.Errorf("no kind %s", args[0])
}

// indexed asks for enough types and functions that the kernel's are indexed, which is done once.
const indexed = `fentry:vfs_read, fentry:vfs_write, fentry:vfs_open, fentry:vfs_fsync { @[sizeof(struct file), sizeof(struct inode), sizeof(struct dentry), sizeof(struct page)] = 1; }`

// grow processes a script of each size. After each it prints how often pieces of the
// code ran since the start, and leaves their counters in DIRECTORY/SIZE for go tool covdata.
func grow(k kind, dir string, sizes []string) error {
	if err := process(indexed); err != nil {
		return err
	}
	for _, size := range sizes {
		n, err := strconv.Atoi(size)
		if err != nil {
			return err
		}
		if err := process(k.text(n)); err != nil {
			return err
		}
		var counters bytes.Buffer
		if err := coverage.WriteCounters(&counters); err != nil {
			return err
		}
		total, err := sum(counters.Bytes())
		if err != nil {
			return err
		}
		fmt.Println(total)
		out := filepath.Join(dir, size)
		if err := errors.Join(os.Mkdir(out, 0o755), coverage.WriteMetaDir(out), coverage.WriteCountersDir(out)); err != nil {
			return err
		}
	}
	return nil
}

// sum adds the counters of a file as the coverage package writes it (version 1, in
// Go's src/internal/coverage/defs.go): a header of 32 bytes, the number of functions
// and the sizes of two tables, the tables, filled up to 4 bytes, then for each function
// the number of its counters, its package, itself, and the counters, as ULEB128.
func sum(file []byte) (uint64, error) {
	const header, version, flavor, preamble, uleb = 32, 4, 24, 48, 2
	if len(file) < preamble || file[version] != 1 || file[flavor] != uleb {
		return 0, errors.New("counters in an unknown format")
	}
	functions := binary.LittleEndian.Uint64(file[header:])
	tables := binary.LittleEndian.Uint32(file[header+8:]) + binary.LittleEndian.Uint32(file[header+12:])
	in := bytes.NewReader(file[(preamble+tables+3)&^3:])
	var total uint64
	for range functions {
		counters, err := binary.ReadUvarint(in)
		for place := range counters + 2 {
			n, next := binary.ReadUvarint(in)
			if err = errors.Join(err, next); err != nil {
				return 0, err
			}
			if place >= 2 {
				total += n
			}
		}
	}
	return total, nil
}

// process does with a script all that fst does before it asks the kernel.
func process(text string) error {
	k, err := fixture.Load("6.12")
	if err != nil {
		return err
	}
	var set source.Set
	var diags diag.List
	tree := parse.Parse(set.Add("script", text), &diags)
	if !diags.HasErrors() {
		format.Source(tree, &set)
		if _, err := compiler.Compile(&set, tree, compiler.Options{Options: check.Options{Target: k}}, &diags); err != nil {
			return err
		}
	}
	diags.Sort(&set)
	(&diag.Renderer{Set: &set}).Render(io.Discard, &diags)
	return nil
}
