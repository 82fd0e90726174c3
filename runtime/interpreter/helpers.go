package interpreter

import (
	"encoding/binary"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"

	"fst/compiler/ir"
	"fst/compiler/ir/interp"

	"golang.org/x/sys/unix"
)

// known are the helpers of the kernel that there are here, besides those of interp.
var known = map[int32]func(*programs) interp.Helper{
	ir.HelperRead: read, ir.HelperReadUser: read, ir.HelperReadKernel: read,
	ir.HelperReadStr: readText, ir.HelperReadUserStr: readText, ir.HelperReadKernelStr: readText,
	ir.HelperKtimeGetNS: clock(unix.CLOCK_MONOTONIC),
	ir.HelperKtimeBoot:  clock(unix.CLOCK_BOOTTIME),
	ir.HelperKtimeTAI:   clock(unix.CLOCK_TAI),
	ir.HelperPrandom:    number(func() uint64 { return uint64(rand.Uint32()) }),
	ir.HelperCPU:        number(func() uint64 { return 0 }),
	ir.HelperNumaNode:   number(func() uint64 { return 0 }),
	ir.HelperPidTgid:    number(func() uint64 { return uint64(os.Getpid())<<32 | uint64(unix.Gettid()) }),
	ir.HelperUidGid:     number(func() uint64 { return uint64(os.Getgid())<<32 | uint64(os.Getuid()) }),
	ir.HelperComm:       comm, ir.HelperCgroupID: cgroup, ir.HelperNSPidTgid: ownIDs,
	ir.HelperRingReserve: reserve, ir.HelperRingSubmit: submit,
	ir.HelperRingQuery: number(func() uint64 { return 0 }), // nothing waits
}

// helpers makes the helpers for the programs of a script.
func (p *programs) helpers() map[int32]interp.Helper {
	all := map[int32]interp.Helper{}
	for n, make := range known {
		all[n] = make(p)
	}
	return all
}

func number(f func() uint64) func(*programs) interp.Helper {
	return func(*programs) interp.Helper {
		return func(*interp.Machine, [5]uint64) (uint64, error) { return f(), nil }
	}
}

func clock(id int32) func(*programs) interp.Helper {
	return func(p *programs) interp.Helper {
		return func(*interp.Machine, [5]uint64) (uint64, error) {
			var t unix.Timespec
			err := unix.ClockGettime(id, &t)
			return uint64(t.Nano() + p.skipped.Nanoseconds()), err
		}
	}
}

const efault = uint64(1<<64 - 14)

// foreignError is a read of memory that is not the script's.
type foreignError struct{ at uint64 }

func (e *foreignError) Error() string {
	return fmt.Sprintf("this reads memory at %#x, which is not the script's: the interpreter has no other", e.at)
}

// nullPage is where nothing is mapped, in the kernel either.
const nullPage = 4096

// memoryAt is memory that is read; nil where the kernel would find none as well.
func memoryAt(vm *interp.Machine, at uint64, n int) ([]byte, error) {
	b, err := vm.Memory(at, n)
	switch {
	case err == nil:
		return b, nil
	case at < nullPage || vm.Outside != nil:
		return nil, nil
	}
	return nil, &foreignError{at}
}

func read(*programs) interp.Helper {
	return func(vm *interp.Machine, a [5]uint64) (uint64, error) {
		dst, err := vm.Memory(a[0], int(a[1]))
		if err != nil {
			return 0, err
		}
		src, err := memoryAt(vm, a[2], int(a[1]))
		if err != nil {
			return 0, err
		}
		if src == nil && len(dst) > 0 {
			clear(dst)
			return efault, nil
		}
		copy(dst, src)
		return 0, nil
	}
}

func readText(*programs) interp.Helper {
	return func(vm *interp.Machine, a [5]uint64) (uint64, error) {
		dst, err := vm.Memory(a[0], int(a[1]))
		if err != nil {
			return 0, err
		}
		for n := range dst {
			b, err := memoryAt(vm, a[2]+uint64(n), 1)
			if err != nil {
				return 0, err
			}
			if b == nil {
				clear(dst)
				return efault, nil
			}
			if dst[n] = b[0]; b[0] == 0 {
				return uint64(n + 1), nil
			}
		}
		if len(dst) > 0 {
			dst[len(dst)-1] = 0
		}
		return uint64(len(dst)), nil
	}
}

func comm(*programs) interp.Helper {
	name, err := os.ReadFile("/proc/self/comm")
	return func(vm *interp.Machine, a [5]uint64) (uint64, error) {
		dst, bad := vm.Memory(a[0], int(a[1]))
		if bad != nil || err != nil {
			return 0, err
		}
		clear(dst)
		copy(dst[:max(0, len(dst)-1)], strings.TrimSuffix(string(name), "\n"))
		return 0, nil
	}
}

// cgroup is bpf_get_current_cgroup_id: the inode of the directory of the group.
func cgroup(*programs) interp.Helper {
	return func(*interp.Machine, [5]uint64) (uint64, error) {
		list, err := os.ReadFile("/proc/self/cgroup")
		if err != nil {
			return 0, err
		}
		for line := range strings.Lines(string(list)) {
			path, ok := strings.CutPrefix(strings.TrimSuffix(line, "\n"), "0::")
			for _, root := range []string{"/sys/fs/cgroup/unified", "/sys/fs/cgroup"} {
				var st unix.Stat_t
				if ok && unix.Stat(filepath.Join(root, path), &st) == nil {
					return st.Ino, nil
				}
			}
		}
		return 0, fmt.Errorf("the cgroup of this process is not to be found below /sys/fs/cgroup")
	}
}

// ownIDs is bpf_get_ns_current_pid_tgid: the process and the thread in its own PID namespace.
func ownIDs(*programs) interp.Helper {
	return func(vm *interp.Machine, a [5]uint64) (uint64, error) {
		dst, err := vm.Memory(a[2], 8)
		if err != nil {
			return 0, err
		}
		binary.NativeEndian.PutUint32(dst, uint32(unix.Gettid()))
		binary.NativeEndian.PutUint32(dst[4:], uint32(os.Getpid()))
		return 0, nil
	}
}

func reserve(p *programs) interp.Helper {
	return func(vm *interp.Machine, a [5]uint64) (uint64, error) {
		rec := make([]byte, a[1])
		for i := range rec {
			rec[i] = 0xa5 // the kernel's memory has something in it, too
		}
		at := vm.Address(rec)
		p.pending[at] = rec
		return at, nil
	}
}

func submit(p *programs) interp.Helper {
	return func(_ *interp.Machine, a [5]uint64) (uint64, error) {
		rec, ok := p.pending[a[0]]
		if !ok {
			return 0, fmt.Errorf("a record that was not reserved is submitted")
		}
		delete(p.pending, a[0])
		p.ring.submit(rec)
		return 0, nil
	}
}
