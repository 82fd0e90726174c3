package vm

import (
	"bufio"
	"context"
	_ "embed"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"time"
)

//go:embed guest/init.sh
var initScript []byte

//go:embed guest/stage2.sh
var stage2Script []byte

const (
	// rcu_expedited: whoever attaches and detaches waits for one grace period
	// after the other, and where an emulated CPU is busy each takes long.
	// norandmaps: QEMU 7.2 translates code anew for each address that it is mapped
	// at; a program with shared libraries starts in a quarter of the time.
	// init_on_alloc, apparmor, psi: Debian has them on, each costs a new process a
	// part of its time, and nothing here asks about them.
	commandLine = "console=ttyS0 loglevel=5 panic=-1 nokaslr norandmaps mitigations=off random.trust_cpu=on " +
		"tsc=reliable lpj=10000000 no_timer_check nowatchdog rcupdate.rcu_cpu_stall_suppress=1 rcupdate.rcu_expedited=1 " +
		"audit=0 init_on_alloc=0 apparmor=0 psi=0"
	// cx16: QEMU 7.2's cmpxchg16b leaves wrong flags behind, and an interrupt
	// right after one kills the kernel. The others only cost time: with erms,
	// memory is copied and cleared by string instructions, which are emulated byte
	// by byte; smap ends a block of translated code before and after each access to
	// user memory; vectors of 256 bits are emulated by calls.
	cpuModel = "max,la57=off,cx16=off,erms=off,fsrm=off,smap=off,smep=off,pku=off,avx=off,avx2=off"
	// Each device of the old PC costs half a second of interpreted ACPI code.
	machineModel = "q35,usb=off,sata=off,smm=off,vmport=off,hpet=off"
)

// Options say what to run and where. In the guest, root is a throw-away copy
// of the root image; /scratch is a fresh ext4 on a disk of its own, named by
// $FST_SCRATCH_DEV; $FST_KERNEL is the kernel's name; tracefs, debugfs, bpffs
// and cgroup2 are mounted; there is no network but the loopback.
type Options struct {
	Kernel  string
	Command []string
	// Dir is a host directory that is /host in the guest, read-write, and
	// the command's working directory; may be empty.
	Dir    string
	Env    []string // NAME=VALUE
	Append string   // more kernel command line
	// Packages are Debian packages that the root shall have besides those
	// that all tests need.
	Packages []string
	Stdout   io.Writer
	Stderr   io.Writer

	CPUs       int // 0 means 2
	MemoryMiB  int // 0 means 2048
	ScratchMiB int // 0 means 1024
}

// Result tells how a run went.
type Result struct {
	// Status is the command's exit status, 128+N if signal N ended it.
	Status int
	// Boot is the time until the command started, Command the time it took.
	Boot, Command time.Duration
	// Console is the file with the kernel's console.
	Console string
	// Complaints are the console's lines about faults of the kernel itself.
	Complaints []string
}

// ErrBoot is returned (wrapped) when the guest died before it started the
// command: trying again is sensible.
var ErrBoot = errors.New("the guest did not boot")

// ErrDied is returned (wrapped) when the guest died under the command.
var ErrDied = errors.New("the guest died before the command ended")

// Run boots a kernel, runs the command and returns its status. When ctx is
// done, the guest is killed and ctx's error is returned.
func (c Cache) Run(ctx context.Context, o Options) (Result, error) {
	// QEMU shall not outlive this process, however it ends; the kernel
	// binds that to the thread that started it.
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()

	addSbin()
	kernel, _, ok := c.Kernel(o.Kernel)
	if !ok {
		return Result{}, fmt.Errorf("kernel %s has not been fetched", o.Kernel)
	}
	root, ok := c.Root(o.Packages...)
	if !ok {
		return Result{}, errors.New("the root file system has not been built")
	}
	work, err := c.newRunDir(o.Kernel)
	if err != nil {
		return Result{}, err
	}
	result := Result{Console: filepath.Join(work, "console.log")}
	scratch := filepath.Join(work, "scratch.ext4")
	defer func() {
		for _, f := range []string{"initrd", "scratch.ext4", "fs.sock"} {
			os.Remove(filepath.Join(work, f))
		}
	}()
	if err := writeInitrd(filepath.Join(kernel, "initrd"), filepath.Join(work, "initrd"), o); err != nil {
		return result, err
	}
	if err := makeExt4(ctx, scratch, "", or(o.ScratchMiB, 1024)); err != nil {
		return result, err
	}

	memory := strconv.Itoa(or(o.MemoryMiB, 2048)) + "M"
	// With thread=multi a CPU of QEMU 7.2 now and then meets the breakpoint of
	// an instruction that another CPU has already finished rewriting. A guest
	// that loses its life while probes come and go on a busy function need not
	// blame them: an event of tracefs alone, on schedule() or tcp_connect(),
	// switched on and off under load, ends a 5.10 guest of two CPUs within
	// seconds, and none with one CPU or thread=single.
	args := []string{
		"-accel", "tcg,thread=multi", "-machine", machineModel, "-cpu", cpuModel,
		"-smp", strconv.Itoa(or(o.CPUs, 2)), "-m", memory,
		"-nodefaults", "-no-user-config", "-display", "none", "-no-reboot", "-name", "fst-vm",
		"-kernel", filepath.Join(kernel, "vmlinuz"), "-initrd", filepath.Join(work, "initrd"),
		"-append", strings.TrimSpace(commandLine + " " + o.Append),
		"-serial", "file:" + result.Console, "-device", "virtio-serial-pci",
	}
	for _, d := range []struct{ name, path, mode string }{
		{"root", root, "snapshot=on"},
		{"modules", filepath.Join(kernel, "modules.ext4"), "readonly=on"},
		{"scratch", scratch, "cache=unsafe"},
	} {
		args = append(args, "-drive", fmt.Sprintf("id=%s,if=none,format=raw,file=%s,%s", d.name, d.path, d.mode),
			"-device", fmt.Sprintf("virtio-blk-pci,drive=%s,serial=%s", d.name, d.name))
	}
	if o.Dir != "" {
		stop, socket, err := startVirtiofsd(o.Dir, work)
		if err != nil {
			return result, err
		}
		defer stop()
		args = append(args, "-object", "memory-backend-memfd,id=mem,size="+memory+",share=on",
			"-machine", "memory-backend=mem", "-chardev", "socket,id=fs,path="+socket,
			"-device", "vhost-user-fs-pci,chardev=fs,tag=host")
	}

	var ours, theirs []*os.File
	defer func() {
		for _, f := range append(ours, theirs...) {
			f.Close()
		}
	}()
	for i, name := range []string{"stdout", "stderr", "control"} {
		pair, err := syscall.Socketpair(syscall.AF_UNIX, syscall.SOCK_STREAM|syscall.SOCK_CLOEXEC, 0)
		if err != nil {
			return result, err
		}
		ours = append(ours, os.NewFile(uintptr(pair[0]), name))
		theirs = append(theirs, os.NewFile(uintptr(pair[1]), name))
		args = append(args, "-chardev", fmt.Sprintf("socket,id=%s,fd=%d", name, 3+i),
			"-device", fmt.Sprintf("virtserialport,chardev=%s,name=%s", name, name))
	}
	log, err := os.Create(filepath.Join(work, "qemu.log"))
	if err != nil {
		return result, err
	}
	defer log.Close()
	qemu := exec.CommandContext(ctx, "qemu-system-x86_64", args...)
	qemu.Stdout, qemu.Stderr, qemu.ExtraFiles = log, log, theirs
	qemu.Env = append(os.Environ(), "TMPDIR="+work)
	qemu.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
	began := time.Now()
	if err := qemu.Start(); err != nil {
		return result, err
	}
	for _, f := range theirs {
		f.Close()
	}

	var copies sync.WaitGroup
	for i, to := range []io.Writer{o.Stdout, o.Stderr} {
		if to == nil {
			to = io.Discard
		}
		copies.Go(func() { io.Copy(to, ours[i]) })
	}
	started, ended := time.Time{}, false
	lines := bufio.NewScanner(ours[2])
	for lines.Scan() {
		switch word, rest, _ := strings.Cut(lines.Text(), " "); word {
		case "start":
			started = time.Now()
			result.Boot = started.Sub(began)
		case "exit":
			result.Status, err = strconv.Atoi(rest)
			ended = err == nil
			result.Command = time.Since(started)
		}
	}
	qemu.Wait()
	copies.Wait()
	result.Complaints = complaints(result.Console)
	switch {
	case ended:
		return result, nil
	case ctx.Err() != nil:
		return result, ctx.Err()
	case started.IsZero():
		return result, fmt.Errorf("%w; see %s%s", ErrBoot, result.Console, tail(filepath.Join(work, "qemu.log")))
	}
	return result, fmt.Errorf("%w; see %s", ErrDied, result.Console)
}

// writeInitrd copies the kernel's common initramfs and appends what belongs to
// this run.
func writeInitrd(common, path string, o Options) error {
	data, err := os.ReadFile(common)
	if err != nil {
		return err
	}
	cwd := "/root"
	var a archive
	a.add("init", 0o755, initScript)
	a.add("vm/stage2", 0o755, stage2Script)
	a.add("vm/argv", 0o644, []byte(strings.Join(o.Command, "\x00")+"\x00"))
	if o.Dir != "" {
		cwd = "/host"
		a.add("vm/host", 0o644, nil)
	}
	var env strings.Builder
	for _, e := range append([]string{
		"PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin", "HOME=/root", "TERM=dumb",
		"FST_KERNEL=" + o.Kernel, "VM_CWD=" + cwd,
	}, o.Env...) {
		name, value, _ := strings.Cut(e, "=")
		fmt.Fprintf(&env, "export %s='%s'\n", name, strings.ReplaceAll(value, "'", `'\''`))
	}
	a.add("vm/env", 0o644, []byte(env.String()))
	return os.WriteFile(path, append(data, a.bytes()...), 0o600)
}

// newRunDir makes a directory for one run and drops those of old runs.
func (c Cache) newRunDir(kernel string) (string, error) {
	runs := filepath.Join(c.Dir, "runs")
	if err := os.MkdirAll(runs, 0o755); err != nil {
		return "", err
	}
	if old, err := os.ReadDir(runs); err == nil && len(old) > 20 {
		for _, e := range old[:len(old)-20] { // names begin with the time
			if st, err := e.Info(); err == nil && time.Since(st.ModTime()) > time.Hour {
				os.RemoveAll(filepath.Join(runs, e.Name()))
			}
		}
	}
	return os.MkdirTemp(runs, time.Now().Format("20060102-150405-")+kernel+"-")
}

func findVirtiofsd() (string, error) {
	for _, path := range []string{"/usr/libexec/virtiofsd", "/usr/lib/qemu/virtiofsd"} {
		if exists(path) {
			return path, nil
		}
	}
	return "", errors.New("no virtiofsd; install virtiofsd, or qemu-system-common before Debian 13")
}

// startVirtiofsd serves a directory read-write on a socket in work.
func startVirtiofsd(dir, work string) (stop func(), socket string, err error) {
	path, err := findVirtiofsd()
	if err != nil {
		return nil, "", err
	}
	if dir, err = filepath.Abs(dir); err != nil {
		return nil, "", err
	}
	if dir, err = filepath.EvalSymlinks(dir); err != nil {
		return nil, "", err
	}
	socket = filepath.Join(work, "fs.sock")
	args := []string{"--socket-path=" + socket}
	if strings.Contains(path, "/qemu/") { // QEMU's own, up to QEMU 7
		args = append(args, "-f", "-o", "log_level=warn", "-o", "source="+dir,
			"-o", "cache=auto", "-o", "sandbox=chroot", "--rlimit-nofile=0")
	} else {
		args = append(args, "--log-level=warn", "--shared-dir", dir, "--cache=auto", "--sandbox=chroot")
	}
	log, err := os.Create(filepath.Join(work, "virtiofsd.log"))
	if err != nil {
		return nil, "", err
	}
	defer log.Close()
	daemon := exec.Command(path, args...)
	daemon.Stdout, daemon.Stderr = log, log
	daemon.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
	if err := daemon.Start(); err != nil {
		return nil, "", err
	}
	exited := make(chan struct{})
	go func() {
		daemon.Wait()
		close(exited)
	}()
	stop = func() {
		daemon.Process.Kill()
		<-exited
	}
	for range 500 {
		if exists(socket) {
			return stop, socket, nil
		}
		select {
		case <-exited:
			return nil, "", fmt.Errorf("virtiofsd did not start%s", tail(log.Name()))
		case <-time.After(10 * time.Millisecond):
		}
	}
	stop()
	return nil, "", errors.New("virtiofsd does not open its socket")
}

var complaint = regexp.MustCompile(
	`BUG:|Oops|WARNING: |Kernel panic|general protection|blocked for more than|vm: `)

// complaints are the console's lines in which the kernel (or our init) finds
// fault with itself, the first five.
func complaints(console string) []string {
	var found []string
	eachLine(console, func(line string) {
		if complaint.MatchString(line) && len(found) < 5 {
			found = append(found, strings.TrimSpace(line))
		}
	})
	return found
}

// tail returns the last lines of a log, ready to be appended to an error.
func tail(path string) string {
	var lines []string
	eachLine(path, func(line string) { lines = append(lines, line) })
	if len(lines) == 0 {
		return ""
	}
	return ":\n" + strings.Join(slices.Clip(lines[max(0, len(lines)-10):]), "\n")
}

func or(n, otherwise int) int {
	if n == 0 {
		return otherwise
	}
	return n
}
