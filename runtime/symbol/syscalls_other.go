//go:build !amd64 && !arm64

package symbol

// syscallNames is empty: no list was made for this architecture.
var syscallNames []string
