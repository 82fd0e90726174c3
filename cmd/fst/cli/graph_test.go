package cli

import (
	"strings"
	"testing"
)

func TestGraphErrors(t *testing.T) {
	for _, c := range []struct{ args, want string }{
		{"graph", "graph needs the name of a function"},
		{"graph --depth 0 vfs_read", "--depth: a number from 1 is wanted"},
		{"graph vfs_read -n x", "--count: a number from 1 is wanted"},
		{"graph vfs_read --slower 10", `a time is written 10ms or 50us, not "10"`},
		{"graph vfs_read --longer -1ms", "a time is written 10ms"},
		{"graph vfs_read --lnger 1ms", "graph has no option --lnger"},
		{"graph vfs_read -p 1 -c true", "-c and -p do not go together"},
		{"graph vfs_read -p 4194304", "there is no process 4194304"},
		{"graph vfs_read -p x", `not "x"`},
		{"graph vfs_read -f xml", "-f is text or json"},
		{"graph vfs_read -f influx", "trees of calls are text or json"},
		{"graph vfs_read -d 0", "-d wants a number of seconds"},
	} {
		code, _, errs := run(strings.Fields(c.args)...)
		if code != exitUsage || !strings.Contains(errs, c.want) {
			t.Errorf("fst %s: status %d, %q, want %q", c.args, code, errs, c.want)
		}
	}
}

func TestGraphHelp(t *testing.T) {
	for _, args := range []string{"graph -h", "help graph"} {
		code, out, _ := run(strings.Fields(args)...)
		if code != exitOK || !strings.Contains(out, "--slower TIME") || !strings.Contains(out, "  cache     the page cache") {
			t.Errorf("fst %s: status %d, %s", args, code, out)
		}
	}
}
