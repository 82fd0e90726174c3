package cli

import (
	"errors"
	"os"
	"strconv"
	"strings"
)

// Capabilities that tracing needs, by their bit.
const (
	capSysAdmin = 21
	capPerfmon  = 38
	capBPF      = 39
)

// missingRights says what this process lacks to trace, or nil. Root in a container
// may lack it, too.
func (a *app) missingRights() error {
	status, err := os.ReadFile("/proc/self/status")
	if err != nil {
		return nil
	}
	_, rest, _ := strings.Cut(string(status), "CapEff:")
	word, _, _ := strings.Cut(strings.TrimSpace(rest), "\n")
	caps, err := strconv.ParseUint(word, 16, 64)
	if err != nil {
		return nil
	}
	return lacking(caps, os.Geteuid() == 0)
}

// lacking says what a process with some capabilities lacks to trace, or nil.
func lacking(caps uint64, root bool) error {
	var missing []string
	for _, c := range []struct {
		bit  int
		name string
	}{{capBPF, "CAP_BPF"}, {capPerfmon, "CAP_PERFMON"}} {
		if caps&(1<<capSysAdmin|1<<c.bit) == 0 {
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
