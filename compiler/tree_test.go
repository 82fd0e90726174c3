package compiler

import (
	"fmt"
	"hash/maphash"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"sync"
	"testing"

	"fst/compiler/check"
	"fst/compiler/lower"
	"fst/compiler/target/fixture"
	"fst/lang/diag"
	"fst/lang/parse"
	"fst/lang/source"
	"fst/scripts"
)

var treeSeed = maphash.MakeSeed()

// fingerprint is a hash of all that a tree says: two trees that differ anywhere have
// different ones. Nodes that are in several places are looked at once.
func fingerprint(tree any) uint64 {
	var h maphash.Hash
	h.SetSeed(treeSeed)
	seen := map[any]int{}
	var add func(v reflect.Value)
	add = func(v reflect.Value) {
		switch v.Kind() {
		case reflect.Pointer:
			if v.IsNil() {
				h.WriteString("nil")
				return
			}
			if n, again := seen[v.Interface()]; again {
				fmt.Fprintf(&h, "&%d", n)
				return
			}
			seen[v.Interface()] = len(seen)
			add(v.Elem())
		case reflect.Interface:
			if v.IsNil() {
				h.WriteString("nil")
				return
			}
			h.WriteString(v.Elem().Type().String())
			add(v.Elem())
		case reflect.Slice:
			fmt.Fprintf(&h, "[%d]", v.Len())
			for i := range v.Len() {
				add(v.Index(i))
			}
		case reflect.Struct:
			for i := range v.NumField() {
				add(v.Field(i))
			}
		default:
			fmt.Fprintf(&h, "%v;", v)
		}
	}
	add(reflect.ValueOf(tree))
	return h.Sum64()
}

// TestTreeIsNotWritten checks and lowers one tree several times at once. Nothing of it
// may be different afterwards; the race detector sees writes that leave no trace.
func TestTreeIsNotWritten(t *testing.T) {
	texts := map[string]string{
		"several probes": `kprobe:key_alloc, kprobe:make_kuid { printf("%d\n", args.uid); @[args.uid] = count(); }`,
		"texts":          `kprobe:vfs_open { $p = args.path->dentry; if ($p->d_iname == "x") { printf("%s %pI4\n", $p->d_iname, $p); } }`,
		"older casts":    `uprobe:/bin/bash:readline { print(*(uint32)arg0); print(strerror(2) == "x"); }`,
		"wrong":          `kprobe:vfs_open, kprobe:vfs_read { @x = args.path + "a"; @x = hist(args.buf); print(nosuch(@x, $y)); }`,
	}
	for i, name := range scripts.Names() {
		if testing.Short() && i%4 != 0 { // under the race detector each takes long
			continue
		}
		texts[name], _ = scripts.Source(name)
	}
	files, err := filepath.Glob("testdata/*.fst")
	if err != nil || len(files) == 0 {
		t.Fatal("no files", err)
	}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		texts[file], _, _ = strings.Cut(string(text), "---\n")
	}
	const versions = "5.10 7.2"
	kernels := map[string]*fixture.Kernel{}
	for _, version := range strings.Fields(versions) {
		if kernels[version], err = fixture.Load(version); err != nil {
			t.Fatal(err)
		}
	}
	for name, text := range texts {
		t.Run(name, func(t *testing.T) {
			set, diags := new(source.Set), new(diag.List)
			opts := check.Options{Target: kernels["7.2"], Unsafe: true}
			parsed := parse.Parse(set.Add(name, text), diags)
			asParsed := fingerprint(parsed)
			tree := expanded(set, parsed, opts, diags)
			asExpanded := fingerprint(tree)
			var jobs sync.WaitGroup
			for _, kernel := range kernels {
				opts := opts
				opts.Target = kernel
				jobs.Go(func() {
					var found diag.List
					if info := check.Check(tree, opts, &found); !found.HasErrors() {
						lower.Lower(info, tree, set, &found)
					}
				})
			}
			jobs.Wait()
			if fingerprint(tree) != asExpanded {
				t.Error("the expanded tree was written to")
			}
			if fingerprint(parsed) != asParsed {
				t.Error("the parsed tree was written to")
			}
		})
	}
}
