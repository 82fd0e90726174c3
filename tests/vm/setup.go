package vm

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"syscall"
)

// kernelPackage is the cloud flavour: all that tracing needs, and a quarter of
// the modules of the full one.
const kernelPackage = "linux-image-cloud-amd64"

const rootSuite = "sid"

// rootPackages are the guest's programs: what test cases call, and what they
// compare with.
var rootPackages = []string{"bash", "bpftool", "btrfs-progs", "e2fsprogs", "fio", "iproute2", "kmod", "openssl", "procps", "strace",
	"util-linux", "util-linux-extra", "xfsprogs"}

// rootDrop are paths of the root file system that no test needs.
var rootDrop = []string{
	"usr/share/doc/*", "usr/share/man/*", "usr/share/info/*", "usr/share/locale/*", "usr/share/zoneinfo/*",
	"var/cache/apt/*", "var/lib/apt/lists/*", "var/log/*", "usr/lib/x86_64-linux-gnu/gconv/*",
}

const rootSpareMiB = 512

// bootModules are what the initramfs needs to reach the disks.
var bootModules = []string{"virtio_pci", "virtio_blk", "virtio_console", "ext4", "virtiofs"}

// hostPrograms maps what this package runs to the Debian package that has it.
var hostPrograms = map[string]string{
	"qemu-system-x86_64": "qemu-system-x86",
	"busybox":            "busybox-static",
	"depmod":             "kmod",
	"debootstrap":        "debootstrap",
	"mke2fs":             "e2fsprogs",
}

// Setup makes everything ready for Run: host programs (installed with apt-get
// when root), the kernels and the root file system with the packages that
// tests need and extra ones. What is there already is not touched. progress
// gets one line per step that takes long.
func (c Cache) Setup(ctx context.Context, kernels []Kernel, extra []string, progress func(string)) error {
	if err := installHostPrograms(ctx, progress); err != nil {
		return err
	}
	if err := os.MkdirAll(c.Dir, 0o755); err != nil {
		return err
	}
	unlock, err := lock(filepath.Join(c.Dir, "lock"))
	if err != nil {
		return err
	}
	defer unlock()
	for _, k := range kernels {
		if _, _, ok := c.Kernel(k.Name); ok {
			continue
		}
		progress("fetching kernel " + k.Name)
		if err := c.fetchKernel(ctx, k, progress); err != nil {
			return fmt.Errorf("kernel %s: %w", k.Name, err)
		}
	}
	if _, ok := c.Root(extra...); !ok {
		progress("building the root file system (Debian " + rootSuite + ")")
		if err := c.buildRoot(ctx, extra); err != nil {
			return fmt.Errorf("root file system: %w", err)
		}
	}
	return nil
}

// installHostPrograms installs what is missing of hostPrograms and virtiofsd.
func installHostPrograms(ctx context.Context, progress func(string)) error {
	addSbin()
	var missing []string
	for _, program := range slices.Sorted(maps.Keys(hostPrograms)) {
		if _, err := exec.LookPath(program); err != nil {
			missing = append(missing, hostPrograms[program])
		}
	}
	if _, err := findVirtiofsd(); err != nil {
		// A package of its own since Debian 13; part of QEMU before.
		missing = append(missing, "qemu-system-common")
		if out, err := command(ctx, "apt-cache", "search", "--names-only", "^virtiofsd$"); err == nil && out != "" {
			missing = append(missing, "virtiofsd")
		}
	}
	if len(missing) == 0 {
		return nil
	}
	if os.Geteuid() != 0 {
		return fmt.Errorf("missing programs; as root: apt-get install %s", strings.Join(missing, " "))
	}
	progress("installing " + strings.Join(missing, " "))
	if _, err := command(ctx, "apt-get", "-q", "update"); err != nil {
		return err
	}
	_, err := command(ctx, "env", append([]string{"DEBIAN_FRONTEND=noninteractive", "apt-get", "-q", "-y",
		"install", "--no-install-recommends"}, missing...)...)
	return err
}

// fetchKernel downloads, unpacks and prepares a kernel in the cache.
func (c Cache) fetchKernel(ctx context.Context, k Kernel, progress func(string)) error {
	apt, version, err := c.findKernel(ctx, k)
	if err != nil {
		return err
	}
	if !strings.HasPrefix(version, k.Name+".") {
		progress(fmt.Sprintf("warning: Debian %s has moved on: kernel %q will be %s", apt.suite, k.Name, version))
	}

	work := filepath.Join(c.Dir, "kernels", k.Name+".new")
	if err := os.RemoveAll(work); err != nil {
		return err
	}
	tree := filepath.Join(work, "tree")
	if err := os.MkdirAll(tree, 0o755); err != nil {
		return err
	}
	packages, err := kernelPackages(ctx, apt)
	if err != nil {
		return err
	}
	info := KernelInfo{Suite: apt.suite, Version: version}
	for _, p := range packages {
		deb, err := apt.download(ctx, p)
		if err != nil {
			return err
		}
		if _, err := command(ctx, "dpkg-deb", "-x", deb, tree); err != nil {
			return err
		}
		info.Packages = append(info.Packages, filepath.Base(deb))
	}

	var found []string
	for _, pattern := range []string{"lib/modules/*", "usr/lib/modules/*"} {
		match, _ := filepath.Glob(filepath.Join(tree, pattern))
		found = append(found, match...)
	}
	if len(found) != 1 {
		return fmt.Errorf("%d directories of modules in %v", len(found), packages)
	}
	info.Release = filepath.Base(found[0])
	// depmod wants BASE/lib/modules/RELEASE.
	base := filepath.Join(work, "base")
	modules := filepath.Join(base, "lib/modules", info.Release)
	if err := os.MkdirAll(filepath.Dir(modules), 0o755); err != nil {
		return err
	}
	if err := os.Rename(found[0], modules); err != nil {
		return err
	}
	for _, stem := range []string{"vmlinuz", "config"} {
		// In older packages /boot/STEM-RELEASE, in newer ones MODULES/STEM.
		data, err := os.ReadFile(filepath.Join(tree, "boot", stem+"-"+info.Release))
		if errors.Is(err, fs.ErrNotExist) {
			data, err = os.ReadFile(filepath.Join(modules, stem))
		}
		if err != nil {
			return err
		}
		if err := os.WriteFile(filepath.Join(work, stem), data, 0o644); err != nil {
			return err
		}
		if stem == "config" { // for the guest, see guest/init.sh
			if err := os.WriteFile(filepath.Join(modules, stem), data, 0o644); err != nil {
				return err
			}
		}
	}
	if _, err := command(ctx, "depmod", "-b", base, info.Release); err != nil {
		return err
	}
	initrd, err := bootArchive(ctx, modules)
	if err != nil {
		return err
	}
	if err := os.WriteFile(filepath.Join(work, "initrd"), initrd, 0o644); err != nil {
		return err
	}
	size, err := mebibytes(ctx, modules)
	if err != nil {
		return err
	}
	if err := makeExt4(ctx, filepath.Join(work, "modules.ext4"), modules, size*5/4+32); err != nil {
		return err
	}
	if err := writeJSON(filepath.Join(work, "info.json"), info); err != nil {
		return err
	}
	for _, dir := range []string{tree, base} {
		if err := os.RemoveAll(dir); err != nil {
			return err
		}
	}
	final := filepath.Join(c.Dir, "kernels", k.Name)
	if err := os.RemoveAll(final); err != nil {
		return err
	}
	return os.Rename(work, final)
}

// findKernel returns the suite that has the kernel, and the version there.
func (c Cache) findKernel(ctx context.Context, k Kernel) (*apt, string, error) {
	var first *apt
	var firstVersion string
	for _, suite := range k.Suites {
		a, err := c.openApt(ctx, suite)
		if err != nil {
			return nil, "", err
		}
		fields, err := a.show(ctx, kernelPackage)
		if err != nil {
			return nil, "", err
		}
		if strings.HasPrefix(fields["Version"], k.Name+".") {
			return a, fields["Version"], nil
		}
		if first == nil {
			first, firstVersion = a, fields["Version"]
		}
	}
	return first, firstVersion, nil
}

var kernelDependency = regexp.MustCompile(`\blinux-(?:image|base|binary|modules)-\d[^\s,]*`)

// kernelPackages follows the metapackage: it names linux-image-VERSION, and
// since 7.x that one only names linux-base-, linux-binary- and
// linux-modules-VERSION.
func kernelPackages(ctx context.Context, a *apt) ([]string, error) {
	var packages []string
	for todo := []string{kernelPackage}; len(todo) > 0; todo = todo[1:] {
		fields, err := a.show(ctx, todo[0])
		if err != nil {
			return nil, err
		}
		todo = append(todo, kernelDependency.FindAllString(fields["Depends"], -1)...)
		if p := fields["Package"]; p != kernelPackage && !slices.Contains(packages, p) {
			packages = append(packages, p)
		}
	}
	return packages, nil
}

var moduleSuffix = regexp.MustCompile(`\.ko(\.\w+)?$`)

// moduleName turns a path of modules.dep into the module's name.
func moduleName(path string) string {
	return strings.ReplaceAll(moduleSuffix.ReplaceAllString(filepath.Base(path), ""), "-", "_")
}

// bootArchive is the part of the initramfs that all runs of a kernel share:
// busybox and the drivers, in the order in which they must be loaded.
func bootArchive(ctx context.Context, modules string) ([]byte, error) {
	builtin := map[string]bool{}
	if err := eachLine(filepath.Join(modules, "modules.builtin"), func(line string) {
		builtin[moduleName(line)] = true
	}); err != nil {
		return nil, err
	}
	paths, needs := map[string]string{}, map[string][]string{}
	if err := eachLine(filepath.Join(modules, "modules.dep"), func(line string) {
		path, dependencies, _ := strings.Cut(line, ":")
		name := moduleName(path)
		paths[name] = path
		for _, d := range strings.Fields(dependencies) {
			needs[name] = append(needs[name], moduleName(d))
		}
	}); err != nil {
		return nil, err
	}

	var order []string
	var want func(module string) error
	want = func(module string) error {
		if paths[module] == "" {
			if builtin[module] {
				return nil
			}
			return fmt.Errorf("the kernel has no module %s", module)
		}
		for _, d := range slices.Backward(needs[module]) {
			if err := want(d); err != nil {
				return err
			}
		}
		if !slices.Contains(order, module) {
			order = append(order, module)
		}
		return nil
	}
	for _, m := range bootModules {
		if err := want(m); err != nil {
			return nil, err
		}
	}

	var a archive
	busybox, err := exec.LookPath("busybox")
	if err != nil {
		return nil, err
	}
	data, err := os.ReadFile(busybox)
	if err != nil {
		return nil, err
	}
	a.add("bin/busybox", 0o755, data)
	var list strings.Builder
	for _, m := range order {
		path := filepath.Join(modules, paths[m])
		if strings.HasSuffix(path, ".xz") {
			data, err = exec.CommandContext(ctx, busybox, "unxz", "-c", path).Output()
		} else {
			data, err = os.ReadFile(path)
		}
		if err != nil {
			return nil, fmt.Errorf("module %s: %w", m, err)
		}
		a.add("modules/"+m+".ko", 0o644, data)
		list.WriteString(m + ".ko\n")
	}
	a.add("modules/order", 0o644, []byte(list.String()))
	return a.bytes(), nil
}

// buildRoot makes the root file system's image by debootstrap.
func (c Cache) buildRoot(ctx context.Context, extra []string) error {
	packages := slices.Concat(rootPackages, extra)
	if os.Geteuid() != 0 {
		return errors.New("debootstrap needs root")
	}
	archive, err := debianArchive()
	if err != nil {
		return err
	}
	tree, err := os.MkdirTemp(c.Dir, "rootfs.")
	if err != nil {
		return err
	}
	defer os.RemoveAll(tree)
	debs := filepath.Join(c.Dir, "apt", "rootfs-debs")
	if err := os.MkdirAll(debs, 0o755); err != nil {
		return err
	}
	if _, err := command(ctx, "debootstrap", "--variant=minbase", "--merged-usr", "--cache-dir="+debs,
		"--include="+strings.Join(packages, ","), rootSuite, tree, archive); err != nil {
		return err
	}
	list, err := command(ctx, "chroot", tree, "dpkg-query", "-W", "-f", "${Package} ${Version}\n")
	if err != nil {
		return err
	}
	info := rootInfo{Asked: packages, Versions: map[string]string{}}
	for line := range strings.Lines(list) {
		name, version, _ := strings.Cut(strings.TrimSpace(line), " ")
		info.Versions[name] = version
	}
	for _, pattern := range rootDrop {
		paths, _ := filepath.Glob(filepath.Join(tree, pattern))
		for _, path := range paths {
			if err := os.RemoveAll(path); err != nil {
				return err
			}
		}
	}
	for _, d := range []string{"host", "scratch"} {
		if err := os.MkdirAll(filepath.Join(tree, d), 0o755); err != nil {
			return err
		}
	}
	if err := os.WriteFile(filepath.Join(tree, "etc/hosts"), []byte("127.0.0.1 localhost vm\n"), 0o644); err != nil {
		return err
	}
	size, err := mebibytes(ctx, tree)
	if err != nil {
		return err
	}
	image := filepath.Join(c.Dir, rootName(extra)+".ext4")
	if err := makeExt4(ctx, image+".new", tree, size*6/5+rootSpareMiB); err != nil {
		return err
	}
	if err := os.Rename(image+".new", image); err != nil {
		return err
	}
	return writeJSON(filepath.Join(c.Dir, rootName(extra)+".json"), info)
}

// makeExt4 makes an image of that size with the files of tree, or an empty
// one if tree is "".
func makeExt4(ctx context.Context, image, tree string, mib int) error {
	f, err := os.Create(image)
	if err != nil {
		return err
	}
	if err := errors.Join(f.Truncate(int64(mib)<<20), f.Close()); err != nil {
		return err
	}
	args := []string{"-q", "-F", "-t", "ext4", "-m", "0", "-O", "^metadata_csum",
		"-E", "root_owner=0:0,lazy_itable_init=1,lazy_journal_init=1,nodiscard"}
	if tree != "" {
		args = append(args, "-d", tree)
	}
	_, err = command(ctx, "mke2fs", append(args, image)...)
	return err
}

// mebibytes is the disk space of a directory.
func mebibytes(ctx context.Context, dir string) (int, error) {
	out, err := command(ctx, "du", "-smx", dir)
	if err != nil {
		return 0, err
	}
	return strconv.Atoi(strings.Fields(out)[0])
}

// command runs a host program and returns what it printed; if it fails, that
// is part of the error.
func command(ctx context.Context, name string, args ...string) (string, error) {
	cmd := exec.CommandContext(ctx, name, args...)
	out, err := cmd.CombinedOutput()
	if err != nil {
		return "", fmt.Errorf("%s: %w\n%s", strings.Join(cmd.Args, " "), err, out)
	}
	return string(out), nil
}

// addSbin lets LookPath find mke2fs and depmod where users' PATH has no sbin.
func addSbin() {
	if path := os.Getenv("PATH"); !strings.Contains(path, "/usr/sbin") {
		os.Setenv("PATH", path+":/usr/sbin:/sbin")
	}
}

// lock lets one process at a time change the cache.
func lock(path string) (unlock func() error, err error) {
	f, err := os.Create(path)
	if err != nil {
		return nil, err
	}
	if err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX); err != nil {
		f.Close()
		return nil, err
	}
	return f.Close, nil
}

func eachLine(path string, f func(string)) error {
	file, err := os.Open(path)
	if err != nil {
		return err
	}
	defer file.Close()
	lines := bufio.NewScanner(file)
	for lines.Scan() {
		f(lines.Text())
	}
	return lines.Err()
}
