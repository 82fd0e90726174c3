// Package syscalls has the names of Linux's system calls by number.
package syscalls

// Names returns the system calls of an architecture (as in runtime.GOARCH) by
// number, with an empty name where there is none; nil for an architecture
// without a list.
func Names(arch string) []string {
	switch arch {
	case "amd64":
		return amd64
	case "arm64":
		return arm64
	}
	return nil
}
