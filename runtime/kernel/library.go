package kernel

import (
	"bytes"
	"encoding/binary"
	"os"
	"path/filepath"
	"runtime"
	"strings"
)

// isLibrary reports whether a name looks like a shared library's.
func isLibrary(name string) bool {
	return strings.HasPrefix(name, "lib") || strings.Contains(name, ".so")
}

// isNamed reports whether a file's name is that of a library or program as
// written: libc.so.6 is named "libc", "libc.so" and "libc.so.6"; libc-2.31.so
// is named "libc" too.
func isNamed(file, name string) bool {
	if file == name {
		return true
	}
	rest, ok := strings.CutPrefix(file, name)
	if !ok {
		return false
	}
	if strings.Contains(name, ".so") {
		return strings.HasPrefix(rest, ".")
	}
	if v, ok := strings.CutPrefix(rest, "-"); ok && len(v) > 0 && v[0] >= '0' && v[0] <= '9' {
		return strings.HasSuffix(v, ".so")
	}
	return strings.HasPrefix(rest, ".so")
}

// library finds a shared library in the loader's cache or in the usual
// directories below root.
func library(name, root string) []string {
	if strings.Contains(name, "*") {
		return nil
	}
	if cache, err := os.ReadFile(root + "/etc/ld.so.cache"); err == nil {
		for _, e := range parseCache(cache) {
			if isNamed(e.soname, name) {
				if path := root + e.path; isELF(path) {
					return []string{path}
				}
			}
		}
	}
	triplet := map[string]string{"amd64": "x86_64-linux-gnu", "arm64": "aarch64-linux-gnu"}[runtime.GOARCH]
	for _, dir := range []string{"/lib/" + triplet, "/usr/lib/" + triplet, "/lib64", "/usr/lib64", "/lib", "/usr/lib", "/usr/local/lib"} {
		list, _ := glob(filepath.Join(root+dir, name+"*"))
		for _, path := range list {
			if isNamed(filepath.Base(path), name) && isELF(path) {
				return []string{path}
			}
		}
	}
	return nil
}

type cacheEntry struct{ soname, path string }

// parseCache reads the entries of ld.so.cache (format 1.1, alone or behind
// the older one) for this architecture.
func parseCache(data []byte) []cacheEntry {
	const magic, header, entry = "glibc-ld.so.cache1.1", 48, 24
	i := bytes.Index(data, []byte(magic))
	if i < 0 {
		return nil
	}
	data = data[i:]
	if len(data) < header {
		return nil
	}
	// The flags are 3 (ELF, libc6) and the architecture's in the next byte.
	want := map[string]uint32{"amd64": 0x0303, "arm64": 0x0a03}[runtime.GOARCH]
	text := func(off uint32) string {
		if int(off) >= len(data) {
			return ""
		}
		s, _, _ := bytes.Cut(data[off:], []byte{0})
		return string(s)
	}
	var list []cacheEntry
	n := int(binary.LittleEndian.Uint32(data[20:]))
	for e := data[header:]; n > 0 && len(e) >= entry; e, n = e[entry:], n-1 {
		if flags := binary.LittleEndian.Uint32(e); want == 0 || flags == want {
			list = append(list, cacheEntry{text(binary.LittleEndian.Uint32(e[4:])), text(binary.LittleEndian.Uint32(e[8:]))})
		}
	}
	return list
}
