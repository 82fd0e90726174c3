package cli

import (
	"errors"
	"fmt"
	"os"
	"strings"

	"golang.org/x/sys/unix"
)

// interprets reports whether the interpreter runs the program, and says so where that was
// not asked for. The error is of a program that neither it nor the kernel can run.
func (a *app) interprets() (bool, error) {
	missing := a.missingRights()
	switch {
	case a.inv.mode == "" && a.inv.backend != "":
		return false, errors.New("--backend is for --test and --bench: all else runs in the kernel")
	case a.inv.mode == "" || a.inv.backend == "kernel":
		return false, missing
	case a.inv.backend == "interpreter":
		return true, nil
	case missing == nil:
		return false, nil
	case a.inv.quiet:
	case a.inv.mode == "bench":
		fmt.Fprintf(a.stderr, "The benchmarks run in the interpreter, which is slower than the kernel: %v\n", missing)
	default:
		fmt.Fprintf(a.stderr, "The tests run in the interpreter, not in the kernel: %v\n", missing)
	}
	return true, nil
}

// missingRights says what this process lacks to trace, or nil. Root in a container
// may lack it, too.
func (a *app) missingRights() error {
	var data [2]unix.CapUserData // 32 capabilities each
	if unix.Capget(&unix.CapUserHeader{Version: unix.LINUX_CAPABILITY_VERSION_3}, &data[0]) != nil {
		return nil
	}
	return lacking(uint64(data[1].Effective)<<32|uint64(data[0].Effective), os.Geteuid() == 0)
}

// lacking says what a process with some capabilities lacks to trace, or nil.
func lacking(caps uint64, root bool) error {
	var missing []string
	for _, c := range []struct {
		bit  int
		name string
	}{{unix.CAP_BPF, "CAP_BPF"}, {unix.CAP_PERFMON, "CAP_PERFMON"}} {
		if caps&(1<<unix.CAP_SYS_ADMIN|1<<c.bit) == 0 {
			missing = append(missing, c.name)
		}
	}
	switch {
	case len(missing) == 0:
		return nil
	case root:
		return errors.New("root lacks " + strings.Join(missing, " and ") + " here, as in a container: run fst outside of it, or give it these capabilities")
	}
	return errors.New("tracing needs root, or the capabilities CAP_BPF and CAP_PERFMON: try sudo")
}
