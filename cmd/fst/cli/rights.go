package cli

import (
	"errors"
	"os"
	"strings"

	"golang.org/x/sys/unix"
)

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
