package kernel

import (
	"fmt"
	"io"
	"os"
	"path/filepath"

	"golang.org/x/sys/unix"
)

// A right is something that the kernel asks of a process before it lets it trace.
// docs/reliability.md has the same list with how it was measured.
type right struct {
	name string
	uses string
	has  func(s *System) bool
}

var rights = []right{
	{"CAP_BPF and CAP_PERFMON", "all probes", func(*System) bool { return capable(unix.CAP_BPF) && capable(unix.CAP_PERFMON) }},
	{"readable tracefs", "tracepoint:, patterns of kernel functions; from Linux 7.0 on syscall: too (root, or CAP_DAC_READ_SEARCH)", readsTraceFS},
	{"CAP_SYSLOG", "names of kernel addresses, where kernel.kptr_restrict hides them", func(*System) bool { return capable(unix.CAP_SYSLOG) }},
	{"CAP_SYS_PTRACE", "names in the user stacks of other users' processes", func(*System) bool { return capable(unix.CAP_SYS_PTRACE) }},
	{"CAP_SYS_RESOURCE", "all maps, before Linux 5.11", func(*System) bool { return capable(unix.CAP_SYS_RESOURCE) }},
	{"CAP_SYS_ADMIN", "hardware breakpoints, fentry: in modules; before Linux 6.6 uprobe:, ucall: and usdt:", func(*System) bool { return capable(unix.CAP_SYS_ADMIN) }},
	{"CAP_DAC_OVERRIDE and CAP_SYSLOG", "fst graph", func(*System) bool { return capable(unix.CAP_DAC_OVERRIDE) && capable(unix.CAP_SYSLOG) }},
}

// capable reports whether this process has a capability. CAP_SYS_ADMIN includes
// CAP_BPF, CAP_PERFMON and CAP_SYSLOG.
func capable(c int) bool {
	var data [2]unix.CapUserData // 32 capabilities each
	if unix.Capget(&unix.CapUserHeader{Version: unix.LINUX_CAPABILITY_VERSION_3}, &data[0]) != nil {
		return false
	}
	has := func(c int) bool { return data[c/32].Effective&(1<<(c%32)) != 0 }
	return has(c) || has(unix.CAP_SYS_ADMIN) && (c == unix.CAP_BPF || c == unix.CAP_PERFMON || c == unix.CAP_SYSLOG)
}

func readsTraceFS(s *System) bool {
	path, _, err := s.TraceFS()
	if err != nil {
		return false
	}
	_, err = os.ReadDir(filepath.Join(path, "events"))
	return err == nil
}

// writeRights says which of the rights this process has.
func writeRights(w io.Writer, s *System) {
	fmt.Fprintf(w, "\nRights of this process\n")
	for _, r := range rights {
		has := "no"
		if r.has(s) {
			has = "yes"
		}
		fmt.Fprintf(w, "  %s: %s, for %s\n", r.name, has, r.uses)
	}
}
