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

// spreads are how the names of such cases begin: directories, and probes of programs, which
// are much alike on all kernels. What attaches to a kernel's hooks, and each tool, is run on
// all kernels, but for slow cases with the option "spread".
var spreads = []string{"conformance/language/", "conformance/maps/", "conformance/output/", "conformance/command/", "tutorial/",
	"conformance/probes/uprobe", "conformance/probes/usdt", "conformance/probes/ustack", "conformance/probes/list"}

// IsFor reports whether a kernel of the matrix runs a case when all are run.
func IsFor(c *Case, kernel string) bool {
	if !c.Spread && !slices.ContainsFunc(spreads, func(begin string) bool { return strings.HasPrefix(c.Name, begin) }) {
		return true
	}
	for _, two := range spreadOver {
		if i := slices.Index(two, kernel); i >= 0 {
			// Not the bit by which a kernel's cases are parted.
			return i == int(crc32.ChecksumIEEE([]byte(c.Name))>>4&1)
		}
	}
	return true
}
