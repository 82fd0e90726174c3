package scripts

import (
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"

	"golang.org/x/sys/unix"
)

// CheckValues makes sure that the values of options make sense on this system, so
// that a script does not wait for what can't come: that there is such a process,
// disk or control group. It changes a user's name to the number.
func (h Header) CheckValues(named map[string]string) error {
	options := Header{Options: slices.Concat(h.Options, h.groups())}
	for _, name := range slices.Sorted(maps.Keys(named)) {
		o, ok := options.option(name, true)
		check := valueCheck(o.Value)
		if !ok || check == nil {
			continue
		}
		value, err := check(named[name])
		if err != nil {
			return OfOption("--"+name, err)
		}
		named[name] = value
	}
	return nil
}

// valueCheck is what looks at values of this name. Several names with | between
// them are all that there is to choose from.
func valueCheck(name string) func(text string) (string, error) {
	if strings.Contains(name, "|") {
		return choice(strings.Split(name, "|"))
	}
	return valueChecks[name]
}

// valueChecks are by what the value of an option is called in the help. They
// return what the script is given.
var valueChecks = map[string]func(text string) (string, error){
	"PID":            process("process"),
	"TID":            process("thread"),
	"COMM":           command,
	"NAME":           text,
	"NAMES":          text, // of which the compiler says which are none
	"UID":            userID,
	"PATH":           controlGroup,
	"NAMESPACE/NAME": pod,
	"DISK":           disk,
	"SIGNAL":         signal,
	"ERRNO":          errorNumber,
	"N":              number("", 0),
	"US":             number(" of microseconds", 0),
	"MS":             number(" of milliseconds", 0),
	"HZ":             number(" of samples a second", 1),
	"STEP":           number(" of bytes", 1),
}

// invalidValue is the error of an option's value, which says what is wanted.
type invalidValue struct{ value, want string }

func (e invalidValue) Error() string { return fmt.Sprintf("%q (want %s)", e.value, e.want) }

// Invalid is the error of an option that wants another value.
func Invalid(value, want string) error { return invalidValue{value, want} }

// OfOption names the option in the error of its value.
func OfOption(name string, err error) error {
	if errors.As(err, &invalidValue{}) {
		return fmt.Errorf("invalid value for %s: %w", name, err)
	}
	return fmt.Errorf("%s: %w", name, err)
}

// number takes numbers from least on.
func number(what string, least uint64) func(string) (string, error) {
	return func(text string) (string, error) {
		n, err := strconv.ParseUint(text, 0, 63)
		if err != nil {
			return "", invalidValue{text, "a number" + what}
		}
		if n < least {
			return "", invalidValue{text, fmt.Sprintf("a number%s of at least %d", what, least)}
		}
		return text, nil
	}
}

func choice(words []string) func(string) (string, error) {
	return func(text string) (string, error) {
		for _, w := range words {
			if strings.EqualFold(w, text) {
				return w, nil
			}
		}
		return "", invalidValue{text, strings.Join(words, ", ")}
	}
}

func text(text string) (string, error) {
	if text == "" {
		return "", invalidValue{text, "a text that is not empty"}
	}
	return text, nil
}

// lastSignal is the highest number that a signal may have.
const lastSignal = 64

// signal takes a signal's number or its name, with or without SIG. Signal 0 is
// what a program sends to ask whether another is there.
func signal(text string) (string, error) {
	if n, err := strconv.ParseUint(text, 10, 31); err == nil && n <= lastSignal {
		return text, nil
	}
	name := strings.ToUpper(text)
	for _, n := range []string{name, "SIG" + name} {
		if number := unix.SignalNum(n); number != 0 {
			return strconv.Itoa(int(number)), nil
		}
	}
	return "", invalidValue{text, fmt.Sprintf("a number from 0 to %d, or a name such as SIGTERM; kill -l lists them", lastSignal)}
}

// lastErrno is the highest number of an error that programs see.
const lastErrno = 133

// errorNumber takes an error's number or its name.
func errorNumber(text string) (string, error) {
	if n, err := strconv.ParseUint(text, 10, 31); err == nil && n > 0 && n < 4096 {
		return text, nil
	}
	for n := range lastErrno + 1 {
		if unix.ErrnoName(syscall.Errno(n)) == strings.ToUpper(text) && text != "" {
			return strconv.Itoa(n), nil
		}
	}
	return "", invalidValue{text, "a number from 1 on, or a name such as ENOENT; man errno lists them"}
}

func process(what string) func(string) (string, error) {
	return func(text string) (string, error) {
		id, err := strconv.ParseUint(text, 10, 31)
		if err != nil || id == 0 {
			return "", invalidValue{text, "the number of a " + what + "; -c takes names"}
		}
		if _, err := os.Stat(filepath.Join("/proc", text)); errors.Is(err, fs.ErrNotExist) {
			return "", fmt.Errorf("there is no %s %d; ps -eL lists them", what, id)
		}
		return text, nil
	}
}

// longestComm is how long the kernel lets names of threads be.
const longestComm = 15

func command(text string) (string, error) {
	if text == "" {
		return "", invalidValue{text, "the name of a thread; ps -eLo comm lists them"}
	}
	if len(text) > longestComm {
		return "", fmt.Errorf("the kernel keeps at most %d characters of the name of a thread: %q", longestComm, text[:longestComm])
	}
	if program, _, ok := strings.Cut(text, " "); ok {
		if _, err := exec.LookPath(program); err == nil && !isThread(text) {
			return "", fmt.Errorf("no thread is named %q; to run a command, put -c before the name of the tool: fst -c '%s' TOOL", text, text)
		}
	}
	return text, nil
}

// isThread reports whether a thread has that name now.
func isThread(name string) bool {
	files, _ := filepath.Glob("/proc/[0-9]*/task/[0-9]*/comm")
	return slices.ContainsFunc(files, func(file string) bool {
		text, _ := os.ReadFile(file)
		return string(text) == name+"\n"
	})
}

func userID(text string) (string, error) {
	if _, err := strconv.ParseUint(text, 10, 32); err == nil {
		return text, nil
	}
	u, err := user.Lookup(text)
	if err != nil {
		return "", fmt.Errorf("there is no user %q; id -u NAME prints the number", text)
	}
	return u.Uid, nil
}

func controlGroup(path string) (string, error) {
	if info, err := os.Stat(path); err != nil || !info.IsDir() {
		return "", fmt.Errorf("there is no cgroup %s; give its directory below /sys/fs/cgroup (systemd-cgls lists them)", path)
	}
	const version2 = 0x63677270 // CGROUP2_SUPER_MAGIC
	var fs syscall.Statfs_t
	if err := syscall.Statfs(path, &fs); err == nil && int64(fs.Type) != version2 {
		return "", fmt.Errorf("%s is not a cgroup of version 2; grep cgroup2 /proc/mounts shows where those are", path)
	}
	return path, nil
}

func pod(text string) (string, error) {
	if namespace, name, ok := strings.Cut(text, "/"); !ok || namespace == "" || name == "" {
		return "", invalidValue{text, "NAMESPACE/NAME; kubectl get pods -A lists them"}
	}
	return text, nil
}

func disk(text string) (string, error) {
	name := strings.TrimPrefix(text, "/dev/")
	if _, err := os.Stat(filepath.Join("/sys/block", name)); err == nil && name != "" {
		return name, nil
	}
	if whole, err := os.Readlink(filepath.Join("/sys/class/block", name)); err == nil && name != "" {
		return "", fmt.Errorf("%s is a partition; requests are for its disk, %s", name, filepath.Base(filepath.Dir(whole)))
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
		return "", fmt.Errorf("there is no disk %q: this machine has no disks", text)
	}
	return "", fmt.Errorf("there is no disk %q; there are %s", text, strings.Join(names, " "))
}
