package cli

import (
	"strings"
	"testing"
)

func TestGraphErrors(t *testing.T) {
	for _, c := range []struct{ args, want string }{
		{"graph", "graph needs the name of a function"},
		{"graph --depth 0 vfs_read", `--depth: "0" (want a number from 1 on)`},
		{"graph vfs_read -n x", `--count: "x" (want a number from 1 on)`},
		{"graph vfs_read --slower 10", `"10" (want a time such as 10ms or 50us)`},
		{"graph vfs_read --longer -1ms", "want a time such as 10ms"},
		{"graph vfs_read --lnger 1ms", "graph has no option --lnger"},
		{"graph vfs_read -p 1 -c true", "-c and -p do not go together"},
		{"graph vfs_read -p 4194304", "there is no process 4194304"},
		{"graph vfs_read -p x", `--pid: "x" (want a process ID; pgrep NAME`},
		{"graph vfs_read -f xml", `invalid value for -f: "xml" (want text, json`},
		{"graph vfs_read -f influx", "trees of calls can be written as text or json"},
		{"graph vfs_read -d 0", "invalid value for -d"},
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
