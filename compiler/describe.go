package compiler

import (
	"fmt"
	"sort"
	"strings"

	"fst/compiler/check"
)

// describe shows what the check found: the hooks of each clause, the types of
// its arguments, variables and of all maps.
func describe(info *check.Info) string {
	var b strings.Builder
	for _, m := range info.Maps {
		fmt.Fprintf(&b, "map @%s", m.Name)
		if m.Key != nil {
			fmt.Fprintf(&b, "[%s]", m.Key)
		}
		fmt.Fprintf(&b, ": %s\n", m.Value)
	}
	for _, u := range info.Units {
		for _, h := range u.Hooks {
			fmt.Fprintf(&b, "probe %s\n", h.Name)
		}
		if u.Args != nil {
			for _, f := range u.Args.Fields() {
				fmt.Fprintf(&b, "  args.%s: %s\n", f.Name, f.Type)
			}
		}
		if u.Retval != nil {
			fmt.Fprintf(&b, "  retval: %s\n", u.Retval)
		}
		seen := map[string]bool{}
		for _, v := range u.Vars {
			seen[fmt.Sprintf("  $%s: %s\n", v.Name, v.Type)] = true
		}
		var lines []string
		for l := range seen {
			lines = append(lines, l)
		}
		sort.Strings(lines)
		b.WriteString(strings.Join(lines, ""))
	}
	return b.String()
}
