package facts

import (
	"strconv"
	"strings"
)

// ParseVersion turns a release ("6.12.107+deb13-cloud-amd64") into
// major<<16 | minor<<8 | patch. Debian's older releases ("5.10.0-32-cloud-amd64")
// keep the patch level in uname's version ("#1 SMP Debian 5.10.223-1").
func ParseVersion(release, version string) uint32 {
	if _, v, ok := strings.Cut(version, "Debian "); ok && strings.Contains(release, ".0-") {
		release = v
	}
	var n [3]uint32
	for i := range n {
		end := 0
		for end < len(release) && release[end] >= '0' && release[end] <= '9' {
			end++
		}
		v, _ := strconv.ParseUint(release[:end], 10, 16)
		n[i] = uint32(v)
		if release = release[end:]; !strings.HasPrefix(release, ".") {
			break
		}
		release = release[1:]
	}
	return n[0]<<16 | n[1]<<8 | min(n[2], 255)
}
