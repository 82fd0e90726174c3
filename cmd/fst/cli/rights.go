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

// missingRights says what this process lacks to trace, or nil. It asks the
// kernel only if the process is not root.
func (a *app) missingRights() error {
	if os.Geteuid() == 0 {
		return nil
	}
	status, err := os.ReadFile("/proc/self/status")
	if err != nil {
		return nil
	}
	_, rest, _ := strings.Cut(string(status), "CapEff:")
	word, _, _ := strings.Cut(strings.TrimSpace(rest), "\n")
	caps, err := strconv.ParseUint(word, 16, 64)
	if err != nil || caps&(1<<capSysAdmin) != 0 || caps&(1<<capBPF) != 0 && caps&(1<<capPerfmon) != 0 {
		return nil
	}
	return errors.New("tracing needs root, or the capabilities CAP_BPF and CAP_PERFMON: try sudo")
}
