// Package vm boots Debian kernels in QEMU (software emulation is enough) and
// runs one command in each of them. Kernels and the root file system come from
// the Debian archive that this machine's own apt uses and stay in a cache.
//
// It knows nothing of fst, and must not import any other package of it.
package vm

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// Kernel is a kernel of the test matrix.
type Kernel struct {
	Name string
	// Suites of Debian that may have it, the likeliest first. If none has
	// that version any more (a rolling suite moved on), the first suite's
	// kernel is taken, whatever its version is.
	Suites []string
}

// Kernels is the test matrix, oldest first.
var Kernels = []Kernel{
	{"5.10", []string{"bullseye"}},
	{"6.1", []string{"bookworm"}},
	{"6.12", []string{"trixie"}},
	{"7.2", []string{"sid", "forky"}},
}

// FindKernel returns the kernel of that name.
func FindKernel(name string) (Kernel, error) {
	var names []string
	for _, k := range Kernels {
		if k.Name == name {
			return k, nil
		}
		names = append(names, k.Name)
	}
	return Kernel{}, fmt.Errorf("no kernel %q; there are: %s", name, strings.Join(names, " "))
}

// The cache's layout, the same in Dir and in Older:
//
//	kernels/NAME/{vmlinuz,config,initrd,modules.ext4,info.json}
//	rootfs.ext4, rootfs.json; rootfs+PACKAGE....ext4 with packages more
//	apt/      lists and packages
//	runs/     consoles of the last boots

// Cache is where kernels and the root file system are kept.
type Cache struct {
	// Dir is written and read.
	Dir string
	// Older is another cache of the same layout, only read: what is
	// complete there is not fetched again. May be empty.
	Older string
}

// DefaultCache is $FST_VM_CACHE, or fst-vm in the user's cache directory with
// fst-lab beside it as the older one.
func DefaultCache() (Cache, error) {
	if dir := os.Getenv("FST_VM_CACHE"); dir != "" {
		return Cache{Dir: dir}, nil
	}
	base, err := os.UserCacheDir()
	if err != nil {
		return Cache{}, fmt.Errorf("no place for the cache of virtual machines (set FST_VM_CACHE): %w", err)
	}
	return Cache{Dir: filepath.Join(base, "fst-vm"), Older: filepath.Join(base, "fst-lab")}, nil
}

// KernelInfo says what a cached kernel is. It is written last, so that its
// presence means that the kernel is complete.
type KernelInfo struct {
	Release  string   `json:"release"`
	Suite    string   `json:"suite"`
	Version  string   `json:"version"`
	Packages []string `json:"packages"`
}

// Kernel returns the directory and description of a cached kernel; ok is
// false if it has not been fetched.
func (c Cache) Kernel(name string) (dir string, info KernelInfo, ok bool) {
	for _, base := range c.dirs() {
		dir = filepath.Join(base, "kernels", name)
		if readJSON(filepath.Join(dir, "info.json"), &info) == nil {
			return dir, info, true
		}
	}
	return "", KernelInfo{}, false
}

// rootInfo says what the root file system was built from.
type rootInfo struct {
	Asked    []string          `json:"asked"`
	Versions map[string]string `json:"versions"`
}

// Root returns the image of the root file system; ok is false if there is
// none with all the packages that tests need and these.
func (c Cache) Root(extra ...string) (image string, ok bool) {
	for _, base := range c.dirs() {
		var info rootInfo
		image = filepath.Join(base, rootName(extra)+".ext4")
		if readJSON(filepath.Join(base, rootName(extra)+".json"), &info) != nil || !exists(image) {
			continue
		}
		if !slices.ContainsFunc(slices.Concat(rootPackages, extra), func(p string) bool { return info.Versions[p] == "" }) {
			return image, true
		}
	}
	return "", false
}

// Versions are the packages of the root file system with their versions.
func (c Cache) Versions(extra ...string) map[string]string {
	image, ok := c.Root(extra...)
	var info rootInfo
	if !ok || readJSON(strings.TrimSuffix(image, ".ext4")+".json", &info) != nil {
		return nil
	}
	return info.Versions
}

// rootName is the name of the image with these packages more, without suffix.
func rootName(extra []string) string { return strings.Join(append([]string{"rootfs"}, extra...), "+") }

func (c Cache) dirs() []string {
	if c.Older == "" {
		return []string{c.Dir}
	}
	return []string{c.Dir, c.Older}
}

func readJSON(path string, to any) error {
	data, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	return json.Unmarshal(data, to)
}

func writeJSON(path string, from any) error {
	data, err := json.MarshalIndent(from, "", " ")
	if err != nil {
		return err
	}
	return os.WriteFile(path, append(data, '\n'), 0o644)
}

func exists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}
