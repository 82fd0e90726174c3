package tests

import (
	"bytes"
	"encoding/json"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// filesBelow are the files in a directory, by their paths from it.
func filesBelow(t *testing.T, dir string) (files []string) {
	t.Helper()
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() {
			name, _ := filepath.Rel(dir, path)
			files = append(files, name)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return files
}

// sourceCopy copies the files of this checkout to another directory.
func sourceCopy(t *testing.T) string {
	t.Helper()
	list, err := exec.Command("git", "ls-files", "--full-name", "--cached", "--others", "--exclude-standard", "..").Output()
	if err != nil {
		t.Skip(err) // not a checkout
	}
	dir := t.TempDir()
	for name := range strings.Lines(string(list)) {
		name = strings.TrimSpace(name)
		data, err := os.ReadFile(filepath.Join("..", name))
		if err != nil {
			continue // removed and not yet committed
		}
		if err := os.MkdirAll(filepath.Dir(filepath.Join(dir, name)), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, name), data, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

func command(t *testing.T, dir, name string, args ...string) string {
	t.Helper()
	cmd := exec.Command(name, args...)
	cmd.Dir = dir
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%s %s: %v\n%s", name, strings.Join(args, " "), err, out)
	}
	return string(out)
}

// TestPackages makes the packages twice, in two directories, and installs and removes
// them below roots in which nothing else is. They need nothing else, which running fst there shows.
func TestPackages(t *testing.T) {
	if testing.Short() {
		t.Skip("it builds fst")
	}
	if out, err := exec.Command("go", "mod", "download", "-modfile=../cmd/packages/nfpm.mod").CombinedOutput(); err != nil {
		t.Skipf("nfpm cannot be downloaded: %s", out)
	}
	source := sourceCopy(t)
	first, second, installed := t.TempDir(), t.TempDir(), t.TempDir()
	t.Setenv("SOURCE_DATE_EPOCH", "1700000000")
	command(t, "..", "make", "packages", "FST="+filepath.Join(first, "fst"), "PACKAGES="+filepath.Join(first, "packages"))
	command(t, source, "make", "packages", "FST="+filepath.Join(second, "fst"), "PACKAGES="+filepath.Join(second, "packages"))
	command(t, "..", "make", "install", "FST="+filepath.Join(first, "fst"), "DESTDIR="+installed, "PREFIX=/usr")
	want := filesBelow(t, installed)
	found := map[string]string{}
	for _, name := range filesBelow(t, filepath.Join(first, "packages")) {
		path := filepath.Join(first, "packages", name)
		one, _ := os.ReadFile(path)
		two, err := os.ReadFile(filepath.Join(second, "packages", name))
		if err != nil || !bytes.Equal(one, two) {
			t.Errorf("%s: the second build has other bytes (%v)", name, err)
		}
		if mb := float64(len(one)) / 1e6; mb > 15 {
			t.Errorf("%s has %.1f MB", name, mb)
		}
		found[filepath.Ext(name)] = path
	}
	if info, err := os.Stat(filepath.Join(first, "fst")); err != nil || info.Size() > 20e6 {
		t.Errorf("the program is too large: %v, %v", info, err)
	}

	for _, manager := range []struct {
		name, file      string
		install, remove []string // the arguments before those that follow, with ROOT
	}{
		{"dpkg", ".deb", []string{"--root=ROOT", "--log=/dev/null", "--install", "FILE"}, []string{"--root=ROOT", "--log=/dev/null", "--purge", "fst"}},
		{"rpm", ".rpm", []string{"--root=ROOT", "--install", "FILE"}, []string{"--root=ROOT", "--erase", "fst"}},
	} {
		t.Run(manager.name, func(t *testing.T) {
			if os.Geteuid() != 0 {
				t.Skip("only root may install packages")
			}
			if _, err := exec.LookPath(manager.name); err != nil {
				t.Skip(err)
			}
			root := t.TempDir()
			for _, dir := range []string{"var/lib/dpkg/info", "var/lib/dpkg/updates"} {
				if err := os.MkdirAll(filepath.Join(root, dir), 0o755); err != nil {
					t.Fatal(err)
				}
			}
			os.WriteFile(filepath.Join(root, "var/lib/dpkg/status"), nil, 0o644)
			run := func(args []string) {
				t.Helper()
				args = slices.Clone(args)
				for i := range args {
					args[i] = strings.NewReplacer("ROOT", root, "FILE", found[manager.file]).Replace(args[i])
				}
				command(t, ".", manager.name, args...)
			}
			run(manager.install)
			if got := filesBelow(t, filepath.Join(root, "usr")); !slices.Equal(prefixed(got), want) {
				t.Errorf("installed: %q\nmake install: %q", got, want)
			}
			inNew(t, root)
			run(manager.remove)
			if _, err := os.Stat(filepath.Join(root, "usr/share/fst")); err == nil {
				t.Error("/usr/share/fst is left behind")
			}
			if _, err := os.Stat(filepath.Join(root, "usr/bin/fst")); err == nil {
				t.Error("/usr/bin/fst is left behind")
			}
		})
	}

	t.Run("image", func(t *testing.T) {
		dir, root := t.TempDir(), t.TempDir()
		command(t, dir, "tar", "xf", found[".tar"])
		var images []struct{ Layers []string }
		text, err := os.ReadFile(filepath.Join(dir, "manifest.json"))
		if err == nil {
			err = json.Unmarshal(text, &images)
		}
		if err != nil || len(images) != 1 || len(images[0].Layers) != 1 {
			t.Fatalf("%v: %s", err, text)
		}
		command(t, root, "tar", "xzf", filepath.Join(dir, images[0].Layers[0]))
		if os.Geteuid() == 0 {
			inNew(t, root)
		}
	})
}

func prefixed(files []string) []string {
	for i := range files {
		files[i] = "usr/" + files[i]
	}
	return files
}

// inNew compiles a program for a recorded kernel with the fst of another root.
func inNew(t *testing.T, root string) {
	t.Helper()
	if err := os.WriteFile(filepath.Join(root, "script.fst"), []byte(`kprobe:vfs_read { @[comm] = count(); }`), 0o644); err != nil {
		t.Fatal(err)
	}
	command(t, root, "chroot", root, "/usr/bin/fst", "check", "--kernel", "6.1", "/script.fst")
}

// TestModulePath renames the module in a copy, all of whose imports are then found.
func TestModulePath(t *testing.T) {
	if testing.Short() {
		t.Skip("it lists all packages")
	}
	dir := sourceCopy(t)
	command(t, dir, "make", "module", "PATH=example.org/tracing/fst")
	out := command(t, dir, "go", "list", "-deps", "-test", "./...")
	if !strings.Contains(out, "\nexample.org/tracing/fst/compiler/check\n") || strings.Contains(out, "\nfst") {
		t.Errorf("packages after the module was renamed:\n%s", out)
	}
	if out := command(t, dir, "gofmt", "-l", "."); out != "" {
		t.Errorf("not formatted: %s", out)
	}
	command(t, dir, "go", "vet", "./lang/...")
}
