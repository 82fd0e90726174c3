package container

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"fst/compiler/types"

	"golang.org/x/sys/unix"
)

// root makes a file system of files by their paths.
func root(t *testing.T, files map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	for path, text := range files {
		path = filepath.Join(dir, path)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// id is a container's id that begins with digit.
func id(digit string) string { return strings.Repeat(digit, 64) }

const uid = "0b5a1c3e-1111-2222-3333-444455556666"

func TestNames(t *testing.T) {
	slice := "/kubepods.slice/kubepods-burstable.slice/kubepods-burstable-pod" + strings.ReplaceAll(uid, "-", "_") + ".slice"
	user := "/user.slice/user-1000.slice/user@1000.service/user.slice/"
	f := Files{Root: root(t, map[string]string{
		"etc/passwd":             "root:x:0:0::/root:/bin/sh\nann:x:1000:1000::/home/ann:/bin/sh\n",
		"etc/docker/daemon.json": `{"data-root": "/data/docker"}`,
		"var/lib/docker/containers/" + id("1") + "/config.v2.json":                             `{"ID": "` + id("1") + `", "Name": "/web"}`,
		"data/docker/containers/" + id("2") + "/config.v2.json":                                `{"Name": "/moved"}`,
		"home/ann/.local/share/docker/containers/" + id("3") + "/config.v2.json":               `{"Name": "/rootless"}`,
		"var/lib/docker/containers/" + id("4") + "/config.v2.json":                             `{"Name": "/k8s_app_api-7d9_prod_` + uid + `_0"}`,
		"run/containerd/io.containerd.runtime.v2.task/k8s.io/" + id("5") + "/config.json":      `{"annotations": {"io.kubernetes.cri.container-name": "nginx", "io.kubernetes.cri.sandbox-name": "front-1", "io.kubernetes.cri.sandbox-namespace": "shop"}}`,
		"run/containerd/io.containerd.runtime.v2.task/k8s.io/" + id("6") + "/config.json":      `{"annotations": {"io.kubernetes.cri.container-type": "sandbox", "io.kubernetes.cri.sandbox-name": "front-1", "io.kubernetes.cri.sandbox-namespace": "shop"}}`,
		"run/containers/storage/overlay-containers/" + id("7") + "/userdata/config.json":       `{"annotations": {"io.kubernetes.container.name": "db", "io.kubernetes.pod.name": "db-0", "io.kubernetes.pod.namespace": "shop"}}`,
		"var/lib/containers/storage/overlay-containers/containers.json":                        `[{"id": "` + id("8") + `", "names": ["pod-web"]}, {"id": "` + id("a") + `"}]`,
		"home/ann/.local/share/containers/storage/overlay-containers/volatile-containers.json": `[{"id": "` + id("9") + `", "names": ["anns"]}]`,
		"var/log/containers/cache-2_shop_redis-" + id("b") + ".log":                            "",
		"var/log/pods/shop_alone-1_" + uid + "/app/0.log":                                      "",
		"run/containerd/io.containerd.runtime.v2.task/default/" + id("c") + "/config.json":     `{"annotations": {"nerdctl/name": "tool"}}`,
		"run/k3s/containerd/io.containerd.runtime.v2.task/k8s.io/" + id("e") + "/config.json":  `{"annotations": {"io.kubernetes.cri.container-name": "edge", "io.kubernetes.cri.sandbox-name": "e-1", "io.kubernetes.cri.sandbox-namespace": "k3s"}}`,
		"run/containerd/io.containerd.runtime.v2.task/moby/" + id("1") + "/config.json":        `{"annotations": {}}`,
		"var/lib/containers/storage/overlay-containers/" + id("8") + "/userdata/config.json":   `not JSON`,
	})}
	for _, c := range []struct {
		path, container, pod string
		settled              bool
	}{
		{"/", "", "", true},
		{"/system.slice/ssh.service", "", "", true},
		{"/system.slice/docker-" + id("1") + ".scope", "web", "", true},
		{"/docker/" + id("1"), "web", "", true}, // cgroupfs, and version 1
		{"/docker/" + id("1") + "/init.scope", "web", "", true},
		{"/docker/" + id("1") + "/system.slice/x.service", "web", "", true},
		{"/system.slice/docker-" + id("2") + ".scope", "moved", "", true},
		{user + "docker-" + id("3") + ".scope", "rootless", "", true},
		{slice + "/docker-" + id("4") + ".scope", "app", "prod/api-7d9", true},
		{slice + "/cri-containerd-" + id("5") + ".scope", "nginx", "shop/front-1", true},
		{"/kubepods/burstable/pod" + uid + "/" + id("5"), "nginx", "shop/front-1", true},
		{"/system.slice/containerd.service/kubepods-burstable-pod" + strings.ReplaceAll(uid, "-", "_") + ".slice:cri-containerd:" + id("5"), "nginx", "shop/front-1", true},
		{slice + "/cri-containerd-" + id("6") + ".scope", "POD", "shop/front-1", true},
		{slice + "/crio-" + id("7") + ".scope/container", "db", "shop/db-0", true},
		{slice + "/crio-conmon-" + id("7") + ".scope", "", "shop/alone-1", true},
		{"/machine.slice/libpod-" + id("8") + ".scope/container", "pod-web", "", true},
		{"/machine.slice/libpod-conmon-" + id("8") + ".scope", "", "", true},
		{user + "libpod-" + id("9") + ".scope/container", "anns", "", true},
		{"/machine.slice/libpod-" + id("a") + ".scope", "aaaaaaaaaaaa", "", false},
		{"/kubepods/pod" + strings.Repeat("f", 32) + "/" + id("b"), "redis", "shop/cache-2", true}, // a static pod
		{slice, "", "shop/alone-1", true},
		{"/kubepods/pod" + strings.Repeat("d", 32), "", strings.Repeat("d", 32), false},
		{"/default/" + id("c"), "tool", "", true},
		{slice + "/cri-containerd-" + id("e") + ".scope", "edge", "k3s/e-1", true},
		{"/docker/" + id("1") + "/kubepods/pod" + uid + "/" + id("d"), "web", "shop/alone-1", false}, // kind: the inner one's files are in the outer one
		{"/lxc.payload.box/system.slice", "box", "", true},
		{"/machine.slice/systemd-nspawn@deb.service/payload", "deb", "", true},
		{"/system.slice/docker-" + id("1")[:63] + ".scope", "", "", true},
		{"/user.slice/pod", "", "", true},
	} {
		n, settled := f.Of(c.path)
		if n != (Name{c.container, c.pod}) || settled != c.settled {
			t.Errorf("%s: %q %q %v, not %q %q %v", c.path, n.Container, n.Pod, settled, c.container, c.pod, c.settled)
		}
	}
}

// TestForeignFiles: what users put where a runtime of theirs has its files is not waited for, and not read without end.
func TestForeignFiles(t *testing.T) {
	docker := "home/ann/.local/share/docker/containers/"
	dir := root(t, map[string]string{
		"etc/passwd":                         "ann:x:1000:1000::/home/ann:/bin/sh\n",
		docker + id("1") + "/hostname":       "",
		docker + id("2") + "/config.v2.json": `{"Name": "/large"}` + strings.Repeat(" ", mostBytes),
	})
	if err := unix.Mkfifo(filepath.Join(dir, docker, id("1"), "config.v2.json"), 0o600); err != nil {
		t.Fatal(err)
	}
	f := Files{Root: dir}
	for _, digit := range []string{"1", "2"} {
		if n, settled := f.Of("/user.slice/user-1000.slice/docker-" + id(digit) + ".scope"); settled || n.Container != id(digit)[:shortID] {
			t.Errorf("%v", n)
		}
	}
}

// TestListChanged: a list that podman has written anew is read again.
func TestListChanged(t *testing.T) {
	dir := root(t, map[string]string{"var/lib/containers/storage/overlay-containers/containers.json": `[]`})
	f, path := Files{Root: dir}, "/machine.slice/libpod-"+id("8")+".scope"
	if n, settled := f.Of(path); settled || n.Container != id("8")[:12] {
		t.Errorf("%v without a name", n)
	}
	file := filepath.Join(dir, "var/lib/containers/storage/overlay-containers/containers.json")
	if err := os.WriteFile(file, []byte(`[{"id": "`+id("8")+`", "names": ["new"]}]`), 0o644); err != nil {
		t.Fatal(err)
	}
	if err := os.Chtimes(file, time.Now(), time.Now().Add(time.Hour)); err != nil {
		t.Fatal(err)
	}
	if n, settled := f.Of(path); !settled || n.Container != "new" {
		t.Errorf("%v behind the change", n)
	}
}

// set is what a Watcher has told.
type set struct {
	id uint64
	n  Name
}

// TestWatch: cgroups that are there, made, made within each other, and removed; a name that comes late, and one that does not come.
func TestWatch(t *testing.T) {
	tree, files := t.TempDir(), root(t, nil)
	mkdir := func(parts ...string) string {
		dir := filepath.Join(append([]string{tree}, parts...)...)
		if err := os.MkdirAll(dir, 0o755); err != nil {
			t.Fatal(err)
		}
		return dir
	}
	mkdir("lxc.payload.first", "inner")
	sets, gone := make(chan set, 100), make(chan uint64, 100)
	w, err := Watch(tree, &Files{Root: files}, func(id uint64, n Name) { sets <- set{id, n} }, func(id uint64) { gone <- id })
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	if len(sets) != 3 {
		t.Errorf("%d cgroups were there, not 3", len(sets))
	}
	next := func(want string) set {
		t.Helper()
		select {
		case s := <-sets:
			if s.n.Container != want {
				t.Errorf("%q, not %q", s.n.Container, want)
			}
			return s
		case <-time.After(10 * time.Second):
			t.Fatalf("%q was not found", want)
		}
		return set{}
	}
	next("")
	next("first")
	next("first")
	second := mkdir("lxc.payload.second")
	made := next("second")
	mkdir("lxc.payload.second", "inner")
	next("second")
	if err := os.RemoveAll(second); err != nil {
		t.Fatal(err)
	}
	<-gone // the inner one
	if id := <-gone; id != made.id {
		t.Errorf("%d is gone, not %d", id, made.id)
	}
	mkdir("docker-" + id("1") + ".scope")
	mkdir("docker-" + id("2") + ".scope")
	late := filepath.Join(files, "var/lib/docker/containers", id("1"))
	if err := os.MkdirAll(late, 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(late, "config.v2.json"), []byte(`{"Name": "/late"}`), 0o644); err != nil {
		t.Fatal(err)
	}
	next("late")
	next(id("2")[:12])
}

// TestNamesRemembered: numbers, ids of cgroups that have no number yet, and ids that nobody knows.
func TestNamesRemembered(t *testing.T) {
	var names Names
	names.Learn(7, Name{"web", "shop/web-1"})
	names.Learn(8, Name{})
	for _, c := range []struct {
		n              uint64
		container, pod string
	}{{types.NameNumber("web"), "web", ""}, {types.NameNumber("shop/web-1"), "", "shop/web-1"}, {0, "", ""}, {7, "web", "shop/web-1"}, {8, "", ""}, {9, "cgroup 9", "cgroup 9"}} {
		if got := names.ContainerName(c.n); got != c.container && c.container != "" {
			t.Errorf("container %#x is %q, not %q", c.n, got, c.container)
		}
		if got := names.PodName(c.n); got != c.pod && c.pod != "" {
			t.Errorf("pod %#x is %q, not %q", c.n, got, c.pod)
		}
	}
}
