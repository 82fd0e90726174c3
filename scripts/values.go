package scripts

import (
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"os/user"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
)

// CheckValues makes sure that the values of options make sense on this system, so
// that a script does not wait for what can't come: that there is such a process,
// disk or control group. It changes a user's name to the number.
func (h Header) CheckValues(named map[string]string) error {
	options := Header{Options: slices.Concat(h.Options, h.groups())}
	for _, name := range slices.Sorted(maps.Keys(named)) {
		o, ok := options.option(name, true)
		check := valueChecks[o.Value]
		if !ok || check == nil {
			continue
		}
		value, err := check(named[name])
		if err != nil {
			return fmt.Errorf("--%s: %w", name, err)
		}
		named[name] = value
	}
	return nil
}

// valueChecks are by what the value of an option is called in the help. They
// return what the script is given.
var valueChecks = map[string]func(text string) (string, error){
	"PID":  process("process"),
	"TID":  process("thread"),
	"COMM": command,
	"UID":  userID,
	"PATH": controlGroup,
	"DISK": disk,
	"N":    number(""),
	"US":   number(" of microseconds"),
	"MS":   number(" of milliseconds"),
}

func number(what string) func(string) (string, error) {
	return func(text string) (string, error) {
		if _, err := strconv.ParseUint(text, 0, 63); err != nil {
			return "", fmt.Errorf("%q is not a number%s", text, what)
		}
		return text, nil
	}
}

func process(what string) func(string) (string, error) {
	return func(text string) (string, error) {
		id, err := strconv.ParseUint(text, 10, 31)
		if err != nil || id == 0 {
			return "", fmt.Errorf("%q is not the number of a %s; names go with -c", text, what)
		}
		if _, err := os.Stat(filepath.Join("/proc", text)); errors.Is(err, fs.ErrNotExist) {
			return "", fmt.Errorf("there is no %s %d; ps -eL shows them", what, id)
		}
		return text, nil
	}
}

// longestComm is how long the kernel lets names of threads be.
const longestComm = 15

func command(text string) (string, error) {
	if len(text) > longestComm {
		return "", fmt.Errorf("names of threads have at most %d characters, the rest is cut: %q", longestComm, text[:longestComm])
	}
	return text, nil
}

func userID(text string) (string, error) {
	if _, err := strconv.ParseUint(text, 10, 32); err == nil {
		return text, nil
	}
	u, err := user.Lookup(text)
	if err != nil {
		return "", fmt.Errorf("there is no user %q; id -u NAME tells the number", text)
	}
	return u.Uid, nil
}

func controlGroup(path string) (string, error) {
	if info, err := os.Stat(path); err != nil || !info.IsDir() {
		return "", fmt.Errorf("there is no control group %s; give its directory below /sys/fs/cgroup (systemd-cgls shows them)", path)
	}
	const version2 = 0x63677270 // CGROUP2_SUPER_MAGIC
	var fs syscall.Statfs_t
	if err := syscall.Statfs(path, &fs); err == nil && int64(fs.Type) != version2 {
		return "", fmt.Errorf("%s is no control group of version 2; grep cgroup2 /proc/mounts shows where those are", path)
	}
	return path, nil
}

func disk(text string) (string, error) {
	name := strings.TrimPrefix(text, "/dev/")
	if _, err := os.Stat(filepath.Join("/sys/block", name)); err == nil {
		return name, nil
	}
	if whole, err := os.Readlink(filepath.Join("/sys/class/block", name)); err == nil && name != "" {
		return "", fmt.Errorf("%s is a part of the disk %s, which is what requests are for", name, filepath.Base(filepath.Dir(whole)))
	}
	var names []string
	if list, err := os.ReadDir("/sys/block"); err == nil {
		for _, d := range list {
			if size, _ := os.ReadFile(filepath.Join("/sys/block", d.Name(), "size")); strings.TrimSpace(string(size)) != "0" {
				names = append(names, d.Name())
			}
		}
	}
	if len(names) == 0 {
		return "", fmt.Errorf("there is no disk %q: this machine has none", text)
	}
	return "", fmt.Errorf("there is no disk %q; there are %s", text, strings.Join(names, " "))
}
