package conformance

import (
	"hash/crc32"
	"slices"
	"strings"
)

// spreadOver are the kernels of the matrix by twos, which share the cases that
// depend little on the kernel: of each two, one runs a case. Their verifiers
// differ, and so do what bpf_loop and kfuncs are there for, between the twos.
var spreadOver = [][]string{{"5.10", "6.1"}, {"6.12", "7.2"}}

// indoors are how the names of cases begin that depend little on the kernel: what fst prints, its
// command line and language, and probes of programs. Unless they need something of a kernel they are
// run on this machine and on one of the older kernels. What attaches to a kernel's hooks, and each
// tool, is run on all kernels, but for slow cases with the option "spread".
var indoors = []string{"conformance/output/", "conformance/command/", "tutorial/", "conformance/language/", "conformance/maps/",
	"conformance/probes/uprobe", "conformance/probes/usdt", "conformance/probes/ustack", "conformance/probes/unwind", "conformance/probes/list"}

// everywhere are needs that all kernels of the matrix and this machine's meet.
var everywhere = []string{"root", "tracefs", "workload", "cc", "program:", "tracepoint:", "uprobe", "unemulated"}

// IsFor reports whether a kernel of the matrix runs a case when all are run.
func IsFor(c *Case, kernel string) bool {
	begins := func(prefixes []string, s string) bool {
		return slices.ContainsFunc(prefixes, func(begin string) bool { return strings.HasPrefix(s, begin) })
	}
	isIndoors := begins(indoors, c.Name)
	if !c.Spread && !isIndoors {
		return true
	}
	asks := slices.ContainsFunc(c.Needs, func(need string) bool { return !begins(everywhere, need) })
	for age, two := range spreadOver {
		if i := slices.Index(two, kernel); i >= 0 {
			if isIndoors && !asks && age > 0 {
				return false
			}
			// Not the bit by which a kernel's cases are parted.
			return i == int(crc32.ChecksumIEEE([]byte(c.Name))>>4&1)
		}
	}
	return true
}
