// Package record writes what the running kernel says of itself to a file, for
// compiler/target/fixture: programs can then be compiled for it anywhere.
package record

import (
	"archive/zip"
	"bytes"
	"compress/flate"
	"errors"
	"fmt"
	"io"
	"os"
	"runtime"
	"slices"
	"strings"

	"fst/compiler/target/facts"
	"fst/compiler/target/fixture"
	"fst/runtime/kernel"
)

// symbols are recorded with their addresses.
var symbols = []string{"jiffies", "avenrun", "init_task", "total_forks", "vfs_read", "vfs_write", "tcp_sendmsg", "do_nanosleep", "runqueues", "lru_gen_caps"}

// Write records a system. The types of modules are those of the modules that
// are loaded.
func Write(w io.Writer, s *kernel.System) error {
	z := zip.NewWriter(w)
	z.RegisterCompressor(zip.Deflate, func(w io.Writer) (io.WriteCloser, error) { return flate.NewWriter(w, flate.BestCompression) })
	entry := func(name string, data []byte) error {
		e, err := z.Create(name)
		if err == nil {
			_, err = e.Write(data)
		}
		return err
	}
	src := s.Source()
	list, err := src.Traceable("")
	if err != nil {
		return err
	}
	events, err := formats(src)
	if err != nil {
		return err
	}
	var black []string
	for name := range src.Blacklist() {
		black = append(black, name)
	}
	slices.Sort(black)
	err = errors.Join(
		entry(fixture.EntryInfo, info(s)),
		entry(fixture.EntryFunctions, []byte(list)),
		entry(fixture.EntryBlacklist, []byte(strings.Join(black, "\n")+"\n")),
		entry(fixture.EntryEvents, events))
	for _, m := range append([]string{facts.Vmlinux}, src.BTFModules()...) {
		if raw, e := src.BTF(m); e != nil || raw == nil {
			err = errors.Join(err, e)
		} else {
			err = errors.Join(err, entry(fixture.PrefixBTF+m, raw))
		}
	}
	return errors.Join(err, z.Close())
}

func info(s *kernel.System) []byte {
	var b bytes.Buffer
	version, _ := os.ReadFile("/proc/sys/kernel/version")
	fmt.Fprintf(&b, "release: %s\nversion: %s\narch: %s\ncpus: %d\npid_max: %d\n",
		s.Release(), bytes.TrimSpace(version), runtime.GOARCH, s.CPUs(), s.PIDMax())
	for _, f := range facts.FeatureNames {
		if s.Has(f.Feature) {
			fmt.Fprintf(&b, "feature: %s\n", f.Name)
		}
	}
	for _, name := range symbols {
		if addr, ok := s.Symbol(name); ok {
			fmt.Fprintf(&b, "symbol: %s %#x\n", name, addr)
		}
	}
	return b.Bytes()
}

// formats puts the formats of all events together, without what prints them.
func formats(src facts.Source) ([]byte, error) {
	var b bytes.Buffer
	categories, err := src.Categories()
	if err != nil {
		return nil, err
	}
	for _, c := range categories {
		events, err := src.Events(c)
		if err != nil {
			return nil, err
		}
		for _, e := range events {
			text, err := src.Format(c, e)
			if err != nil {
				return nil, fmt.Errorf("format of %s:%s: %w", c, e, err)
			}
			if text == nil {
				continue // its module is gone by now
			}
			fields, _, _ := strings.Cut(string(text), "\nprint fmt:")
			b.WriteString(fixture.EventHeader(c, e) + strings.TrimRight(fields, "\n") + "\n")
		}
	}
	return b.Bytes(), nil
}
