// Package container finds out to which container and pod each cgroup belongs: by its path, and by the files that the
// container runtimes keep. It asks no daemon and opens no socket.
package container

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"fst/lang/load"
)

// Name is to what a cgroup belongs. Both are "" for what runs outside of containers.
type Name struct {
	Container string
	Pod       string // NAMESPACE/NAME
}

// Files are those of the container runtimes: docker, containerd (nerdctl, Kubernetes, k3s), CRI-O, podman, and those of the
// kubelet. The zero value reads the system's.
type Files struct {
	Root  string // where the file system begins, "" for /
	lists map[string]storageList
}

// shortID is how much of an id the runtimes show.
const shortID = 12

// Of returns to what a cgroup belongs, by its path from the root of its hierarchy. settled is false if that is a container
// of whom no file tells a name (yet): its name is then the beginning of its id. A container within a container is
// known by the name of the outer one if only that has files here.
func (f *Files) Of(path string) (n Name, settled bool) {
	settled = true
	parts := strings.Split(strings.Trim(path, "/"), "/")
	id := ""
	for _, part := range slices.Backward(parts) {
		if name := nameIn(part); name != "" {
			n.Container = name
			break
		}
		one := containerID(part)
		if one == "" {
			continue
		}
		if found, ok := f.byID(one, path); ok {
			n, settled = found, id == ""
			break
		}
		if id == "" {
			id, settled = one, false
		}
	}
	if n.Container == "" && id != "" {
		n.Container = id[:shortID]
	}
	if n.Pod == "" {
		for _, part := range slices.Backward(parts) {
			if uid := podUID(part); uid != "" {
				var known bool
				n.Pod, known = f.pod(uid)
				settled = settled && known
				break
			}
		}
	}
	return n, settled
}

// nameIn is the name of a container that is a part of the path: of LXC and systemd-nspawn.
func nameIn(part string) string {
	if name, ok := strings.CutPrefix(part, "lxc.payload."); ok {
		return name
	}
	if name, ok := strings.CutPrefix(part, "systemd-nspawn@"); ok {
		return strings.TrimSuffix(name, ".service")
	}
	return ""
}

// containerID is the id in a part of a path such as docker-ID.scope, cri-containerd-ID.scope, libpod-ID.scope or ID. The
// processes that watch a container (conmon) are outside of it.
func containerID(part string) string {
	part = strings.TrimSuffix(part, ".scope")
	if i := strings.LastIndexAny(part, "-:"); i >= 0 {
		if strings.HasSuffix(part[:i], "conmon") {
			return ""
		}
		part = part[i+1:]
	}
	if len(part) != 64 || strings.Trim(part, "0123456789abcdef") != "" {
		return ""
	}
	return part
}

// podUID is the pod in a part of a path: podUID, or kubepods-burstable-podUID.slice with '_' for '-'.
func podUID(part string) string {
	part, _, _ = strings.Cut(part, ".slice")
	i := strings.LastIndex(part, "pod")
	if i < 0 || i > 0 && (!strings.HasPrefix(part, "kubepods") || part[i-1] != '-') {
		return ""
	}
	uid := strings.ReplaceAll(part[i+len("pod"):], "_", "-")
	if len(uid) != 36 && len(uid) != 32 || strings.Trim(uid, "0123456789abcdef-") != "" {
		return ""
	}
	return uid
}

// byID finds the name of a container.
func (f *Files) byID(id, path string) (Name, bool) {
	for _, find := range []func(string, string) Name{f.docker, f.bundle, f.kubelet, f.storage} {
		if n := find(id, path); n.Container != "" {
			return n, true
		}
	}
	return Name{}, false
}

// docker reads a container's config.v2.json.
func (f *Files) docker(id, path string) Name {
	roots := []string{"/var/lib/docker", "/var/snap/docker/common/var-lib-docker"}
	var daemon struct {
		DataRoot string `json:"data-root"`
	}
	if f.read("/etc/docker/daemon.json", &daemon) && daemon.DataRoot != "" {
		roots = append(roots, daemon.DataRoot)
	}
	if home := f.homeIn(path); home != "" {
		roots = append(roots, home+"/.local/share/docker")
	}
	for _, root := range roots {
		var config struct {
			Name   string
			Config struct{ Labels map[string]string }
		}
		if f.read(root+"/containers/"+id+"/config.v2.json", &config) {
			if n := labelled(config.Config.Labels); n.Container != "" {
				return n
			}
			return parsed(config.Name)
		}
	}
	return Name{}
}

// bundle reads the annotations of a container's OCI configuration: containerd's and CRI-O's.
func (f *Files) bundle(id, _ string) Name {
	for _, pattern := range []string{
		"/run/containerd/io.containerd.runtime.v2.task/*/ID/config.json", "/run/k3s/containerd/io.containerd.runtime.v2.task/*/ID/config.json",
		"/run/containers/storage/*-containers/ID/userdata/config.json", "/var/lib/containers/storage/*-containers/ID/userdata/config.json",
	} {
		for _, file := range f.glob(strings.Replace(pattern, "ID", id, 1)) {
			var spec struct{ Annotations map[string]string }
			if f.read(file, &spec) {
				if n := labelled(spec.Annotations); n.Container != "" {
					return n
				}
			}
		}
	}
	return Name{}
}

// kubelet finds the link to a container's log: POD_NAMESPACE_CONTAINER-ID.log.
func (f *Files) kubelet(id, _ string) Name {
	for _, file := range f.glob("/var/log/containers/*_*_*-" + id + ".log") {
		parts := strings.SplitN(strings.TrimSuffix(filepath.Base(file), "-"+id+".log"), "_", 3)
		return Name{Container: parts[2], Pod: parts[1] + "/" + parts[0]}
	}
	return Name{}
}

// pod finds the directory of a pod's logs: NAMESPACE_NAME_UID. A pod without one is its id.
func (f *Files) pod(uid string) (name string, known bool) {
	for _, dir := range f.glob("/var/log/pods/*_*_" + uid) {
		parts := strings.SplitN(filepath.Base(dir), "_", 3)
		return parts[0] + "/" + parts[1], true
	}
	return uid, false
}

// storageList are the containers of podman and CRI-O, as a file lists them.
type storageList struct {
	changed int64
	names   map[string]string // by id
}

// storage looks a container up in the lists of containers/storage.
func (f *Files) storage(id, path string) Name {
	dirs := []string{"/var/lib/containers/storage", "/run/containers/storage"}
	if home := f.homeIn(path); home != "" {
		dirs = append(dirs, home+"/.local/share/containers/storage", "/run/user/"+userIn(path)+"/containers")
	}
	for _, dir := range dirs {
		for _, file := range f.glob(dir + "/*-containers/*containers.json") {
			if name := f.list(file)[id]; name != "" {
				return parsed(name)
			}
		}
	}
	return Name{}
}

// list reads such a file if it has changed.
func (f *Files) list(file string) map[string]string {
	info, err := os.Stat(f.Root + file)
	if err != nil {
		return nil
	}
	if l := f.lists[file]; l.names != nil && l.changed == info.ModTime().UnixNano() {
		return l.names
	}
	var all []struct {
		ID    string   `json:"id"`
		Names []string `json:"names"`
	}
	if !f.read(file, &all) {
		return nil
	}
	names := map[string]string{}
	for _, c := range all {
		if len(c.Names) > 0 {
			names[c.ID] = c.Names[0]
		}
	}
	if f.lists == nil {
		f.lists = map[string]storageList{}
	}
	f.lists[file] = storageList{info.ModTime().UnixNano(), names}
	return names
}

// labelled is what labels or annotations of Kubernetes and nerdctl say.
func labelled(labels map[string]string) (n Name) {
	first := func(keys ...string) string {
		for _, k := range keys {
			if labels[k] != "" {
				return labels[k]
			}
		}
		return ""
	}
	n.Container = first("io.kubernetes.cri.container-name", "io.kubernetes.container.name", "nerdctl/name")
	if pod := first("io.kubernetes.cri.sandbox-name", "io.kubernetes.pod.name"); pod != "" {
		n.Pod = first("io.kubernetes.cri.sandbox-namespace", "io.kubernetes.pod.namespace") + "/" + pod
	}
	if n.Container == "" && n.Pod != "" {
		n.Container = "POD" // what keeps a pod's namespaces
	}
	return n
}

// parsed is what a name of docker's or podman's says: /NAME, or k8s_CONTAINER_POD_NAMESPACE_UID_N.
func parsed(name string) Name {
	name = strings.TrimPrefix(name, "/")
	if parts := strings.Split(name, "_"); len(parts) >= 5 && parts[0] == "k8s" {
		return Name{Container: parts[1], Pod: parts[3] + "/" + parts[2]}
	}
	return Name{Container: name}
}

// userIn is the number of the user to whom a cgroup belongs: of user-1000.slice.
func userIn(path string) string {
	_, rest, _ := strings.Cut(path, "/user-")
	uid, _, ok := strings.Cut(rest, ".slice")
	if !ok || strings.Trim(uid, "0123456789") != "" {
		return ""
	}
	return uid
}

// homeIn is the home of that user, "" if there is none.
func (f *Files) homeIn(path string) string {
	uid := userIn(path)
	if uid == "" {
		return ""
	}
	text, _ := load.ReadFile(f.Root+"/etc/passwd", mostBytes)
	for line := range strings.Lines(text) {
		if parts := strings.Split(line, ":"); len(parts) > 5 && parts[2] == uid {
			return parts[5]
		}
	}
	return ""
}

// mostBytes is how long a file may be: the lists of podman's containers are the longest.
const mostBytes = 8 << 20

// read reads a file of JSON. Some are in the homes of users, who may have put anything there.
func (f *Files) read(file string, into any) bool {
	text, err := load.ReadFile(f.Root+file, mostBytes)
	return err == nil && json.Unmarshal([]byte(text), into) == nil
}

// glob lists the files that match, without Root.
func (f *Files) glob(pattern string) []string {
	files, _ := filepath.Glob(f.Root + pattern)
	for i := range files {
		files[i] = strings.TrimPrefix(files[i], f.Root)
	}
	return files
}
