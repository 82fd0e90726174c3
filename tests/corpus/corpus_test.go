// Package corpus compiles whole scripts, written by others and our own, for
// every recorded kernel.
package corpus

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"fst/compiler"
	"fst/compiler/check"
	"fst/compiler/object"
	"fst/compiler/reference"
	"fst/compiler/target"
	"fst/compiler/target/fixture"
	"fst/lang/diag"
	"fst/lang/parse"
	"fst/lang/source"
	"fst/scripts"
)

// binaries are what the scripts of the corpus probe; recordings have none.
var binaries = map[string][]string{
	"/bin/bash": {"readline"},
	"/lib/x86_64-linux-gnu/libc.so.6": {"malloc", "calloc", "realloc", "free", "valloc", "pvalloc", "memalign", "aligned_alloc", "posix_memalign", "getaddrinfo", "gethostbyname", "gethostbyname_r", "gethostbyname2",
		"gethostbyname2_r", "gethostbyaddr", "gethostbyaddr_r"},
	"/lib/x86_64-linux-gnu/libpthread.so.0": {"pthread_create"},
	"/lib/x86_64-linux-gnu/libssl.so.3":     {"SSL_read", "SSL_read_ex", "SSL_read_early_data", "SSL_peek", "SSL_peek_ex", "SSL_write", "SSL_write_ex", "SSL_write_early_data", "SSL_do_handshake", "SSL_connect", "SSL_accept", "SSL_shutdown"},
	"/lib/x86_64-linux-gnu/libcrypto.so.3": {"rsa_ossl_public_encrypt", "rsa_ossl_public_decrypt",
		"rsa_ossl_private_encrypt", "rsa_ossl_private_decrypt", "RSA_sign", "RSA_verify", "ossl_ecdsa_sign",
		"ossl_ecdsa_verify", "ossl_ecdh_compute_key"},
}

// kernel loads a recording and gives it the binaries.
func kernel(t *testing.T, name string) *fixture.Kernel {
	t.Helper()
	k, err := fixture.Load(name)
	if err != nil {
		t.Fatal(err)
	}
	k.Functions = map[string][]target.UserSymbol{}
	for path, names := range binaries {
		for i, n := range names {
			at := uint64(0x1000 * (i + 1))
			k.Functions[path] = append(k.Functions[path], target.UserSymbol{Name: n, Addr: at, Offset: at, Size: 64})
		}
	}
	return k
}

// compile returns what stands in the way of a script, or nil.
func compile(k target.Target, name, text string) (*object.Object, error) {
	return compileWith(k, name, text, nil, nil)
}

// compileWith compiles what is bundled, with words and options of a command
// line. It must not even be warned of.
func compileWith(k target.Target, name, text string, params []string, named map[string]string) (*object.Object, error) {
	var set source.Set
	var diags diag.List
	tree := parse.Parse(set.Add(name, text), &diags)
	if !diags.HasErrors() {
		obj, err := compiler.Compile(&set, tree, compiler.Options{
			Options: check.Options{Target: k, Params: params, Named: named}, Verify: true}, &diags)
		if err != nil {
			return nil, err
		}
		if len(diags.All) == 0 {
			if obj == nil {
				return nil, errors.New("no object and no error")
			}
			return obj, nil
		}
	}
	var b strings.Builder
	for _, d := range diags.All {
		at := set.Position(d.Span.Start)
		fmt.Fprintf(&b, "\n%d:%d: %s", at.Line, at.Col, d.Message)
	}
	return nil, errors.New(b.String())
}

// shared are the options that every tool has, which the command line reads.
var shared = []scripts.Option{{Short: "d", Long: "duration", Value: "SEC"}, {Short: "f", Long: "format", Value: "FORMAT"}, {Short: "o", Long: "output", Value: "FILE"}}

// without are the kernels that lack what a bundled tool needs.
var without = map[string][]string{
	"klockstat": {"5.10"}, // the events of lock came with Linux 5.19
}

// TestManners compiles each tool with all the options of its groups, one at a
// time: what its header offers works.
func TestManners(t *testing.T) {
	const version = "6.12"
	k := kernel(t, version)
	values := map[string]string{"pid": "1", "tid": "1", "comm": "sh", "uid": "0", "disk": "vda", "top": "3",
		"frequency": "49", "min": "5", "max": "1000", "state": "D", "errno": "2", "syscall": "read,*sync*", "signal": "9", "target": "1",
		"linear": "4096", "name": "sh", "ppid": "1"}
	column := regexp.MustCompile(`table\("([A-Z-]+)`)
	for _, name := range scripts.Names() {
		text, _ := scripts.Source(name)
		h, _ := scripts.ParseHeader(text)
		words := strings.Fields(strings.ReplaceAll(h.Examples[0], "'", ""))[2:]
		if all := column.FindAllStringSubmatch(text, -1); all != nil {
			values["sort"] = all[len(all)-1][1] // the last of several is that of no options
		}
		var options []scripts.Option
		for _, group := range h.Common {
			options = append(options, scripts.Groups[group]...)
		}
		if strings.Contains(h.Usage, "[interval [count]]") {
			options = append(options, scripts.Option{Long: "interval", Value: "S"})
			values["interval"] = "1"
		}
		for i, o := range append(options, h.Options...) {
			value, known := values[o.Long]
			switch {
			case o.Value == "":
				value = "true"
			case !known:
				continue // its examples show what it takes
			}
			if testing.Short() && i > 0 {
				continue
			}
			t.Run(name+"/"+o.Long, func(t *testing.T) {
				params, _, _, err := h.Args(words, shared)
				if err != nil {
					t.Fatal(err)
				}
				named := map[string]string{o.Long: value}
				if _, err := compileWith(k, name+".fst", text, params, named); err != nil {
					t.Error(err)
				}
			})
		}
	}
}

// kernels are those that texts are compiled for. With -short, as the race detector runs
// them, the newest is enough, with one option and one example of each tool: without, all are tried.
func kernels() []string {
	if testing.Short() {
		return fixture.Names[len(fixture.Names)-1:]
	}
	return fixture.Names
}

// TestScripts compiles the examples of the bundled tools' headers for every
// recorded kernel.
func TestScripts(t *testing.T) {
	for _, version := range kernels() {
		k := kernel(t, version)
		for _, name := range scripts.Names() {
			text, _ := scripts.Source(name)
			h, _ := scripts.ParseHeader(text)
			examples := h.Examples
			if testing.Short() {
				examples = examples[:1]
			}
			for _, example := range examples {
				t.Run(version+"/"+example, func(t *testing.T) {
					command, _, _ := strings.Cut(example, " | ")
					words := strings.Fields(strings.ReplaceAll(command, "'", ""))
					params, named, _, err := h.Args(words[2:], shared)
					if err != nil {
						t.Fatal(err)
					}
					_, err = compileWith(k, name+".fst", text, params, named)
					if refused := slices.Contains(without[name], version); refused != (err != nil) || refused && len(h.Instead) == 0 {
						t.Errorf("refused: %v, want %v; tried instead: %v", err, refused, h.Instead)
					}
				})
			}
		}
	}
}

// TestOneLiners compiles the programs to begin with for every recorded kernel.
func TestOneLiners(t *testing.T) {
	for _, version := range kernels() {
		k := kernel(t, version)
		for _, o := range scripts.OneLiners() {
			t.Run(version+"/"+o.Question, func(t *testing.T) {
				if _, err := compileWith(k, o.Question, o.Program(), nil, nil); err != nil {
					t.Error(err)
				}
			})
		}
	}
}

// TestStdlib compiles the probes of the standard library for every recorded
// kernel: all fields of each, and each family at once.
func TestStdlib(t *testing.T) {
	for _, version := range kernels() {
		k := kernel(t, version)
		for _, family := range reference.Families() {
			texts := []string{family.Name + ":*"}
			for _, p := range family.Probes {
				texts = append(texts, p.Name)
			}
			for _, text := range texts {
				t.Run(version+"/"+text, func(t *testing.T) {
					if _, err := compile(k, "stdlib", text); err != nil {
						t.Error(err)
					}
				})
			}
		}
	}
}

// noHook are tools that need a hook or a member which some kernels lack. They
// are of bpftrace 0.24 and later.
var noHook = map[string]string{
	"biosnoop.bt":  "5.10 6.1",      // tracepoint:block:block_io_start
	"biostacks.bt": "5.10 6.1",      // the same
	"mdflush.bt":   "5.10",          // bio->bi_bdev
	"runqlen.bt":   "5.10 6.1 6.12", // cfs_rq->nr_queued
	"tcpdrop.bt":   "5.10",          // the reason of tracepoint:skb:kfree_skb
}

// installedScripts is where an installed bpftrace has its scripts, if it is one of
// those that noHook knows: older ones probe functions that kernels have no more.
func installedScripts(t *testing.T) string {
	out, err := exec.Command("bpftrace", "--version").Output()
	if err != nil {
		t.Skip("no bpftrace is installed; set FST_SCRIPTS to a directory with scripts (*.bt)")
	}
	var major, minor int
	if _, err := fmt.Sscanf(string(out), "bpftrace v%d.%d", &major, &minor); err != nil || major == 0 && minor < 24 {
		t.Skipf("the installed bpftrace is not of 0.24 or later: %s", out)
	}
	return "/usr/sbin"
}

// TestForeign compiles the scripts of the directory FST_SCRIPTS, or those of
// an installed bpftrace.
func TestForeign(t *testing.T) {
	dir := os.Getenv("FST_SCRIPTS")
	if dir == "" {
		dir = installedScripts(t)
	}
	files, err := filepath.Glob(filepath.Join(dir, "*.bt"))
	if err != nil {
		t.Fatal(err)
	}
	if len(files) == 0 {
		t.Skipf("no scripts (*.bt) in %s; set FST_SCRIPTS to a directory with some", dir)
	}
	for _, version := range kernels() {
		k := kernel(t, version)
		compiled := 0
		for _, file := range files {
			text, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			name := filepath.Base(file)
			t.Run(version+"/"+name, func(t *testing.T) {
				_, err := compile(k, name, string(text))
				switch {
				case err == nil:
					compiled++
				case slices.Contains(strings.Fields(noHook[name]), version):
					t.Skipf("Linux %s lacks a hook of it: %v", version, err)
				default:
					t.Error(err)
				}
			})
		}
		t.Logf("Linux %s: %d of %d compile", version, compiled, len(files))
	}
}
