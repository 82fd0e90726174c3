// Package rights gives up capabilities that the process does not need any more.
package rights

import (
	"slices"
	"syscall"
	"unsafe"

	"fst/compiler/object"

	"golang.org/x/sys/unix"
)

// Running are the capabilities that a session of obj may use once everything is attached. What
// it has opened by then (programs, maps, events, outputs) needs none.
func Running(obj *object.Object, child bool) []int {
	keep := []int{
		unix.CAP_BPF, unix.CAP_PERFMON, // read maps, run END, follow CPUs that come online
		unix.CAP_DAC_READ_SEARCH,    // programs and their debug information, what cat() names
		unix.CAP_SYS_PTRACE,         // where the processes of other users have their libraries
		unix.CAP_CHECKPOINT_RESTORE, // /proc/PID/map_files: programs that were deleted or are in another mount namespace
		unix.CAP_SYSLOG,             // addresses of the kernel's functions
	}
	if child {
		keep = append(keep, unix.CAP_KILL) // the command may have become another user
	}
	if slices.ContainsFunc(obj.Messages, func(m *object.Message) bool { return m.Kind == object.MsgPacket }) {
		keep = append(keep, unix.CAP_DAC_OVERRIDE) // its file is made when the first packet comes
	}
	return keep
}

// Keep drops all other capabilities of the process, of all its threads; those that it does not
// have stay so. What root executes has all of root's again. It fails in a program that is linked with C.
func Keep(capabilities ...int) error {
	header := unix.CapUserHeader{Version: unix.LINUX_CAPABILITY_VERSION_3}
	var data [2]unix.CapUserData
	if err := unix.Capget(&header, &data[0]); err != nil {
		return err
	}
	var mask [2]uint32
	for _, c := range capabilities {
		mask[c/32] |= 1 << (c % 32)
	}
	for i := range data {
		data[i].Permitted &= mask[i]
		data[i].Effective &= mask[i]
	}
	header.Pid = 0
	_, _, errno := syscall.AllThreadsSyscall(unix.SYS_CAPSET, uintptr(unsafe.Pointer(&header)), uintptr(unsafe.Pointer(&data)), 0)
	if errno != 0 {
		return errno
	}
	return nil
}
