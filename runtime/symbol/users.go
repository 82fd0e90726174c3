package symbol

import (
	"os"
	"strconv"
	"strings"
)

// UserName returns the name of a user, "" if there is none.
func (r *Resolver) UserName(uid uint32) string {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.users == nil {
		text, _ := os.ReadFile("/etc/passwd")
		r.users = parsePasswd(string(text))
	}
	return r.users[uid]
}

// parsePasswd reads lines "name:password:uid:...". The first of several names
// of an id counts.
func parsePasswd(text string) map[uint32]string {
	users := map[uint32]string{}
	for line := range strings.Lines(text) {
		f := strings.Split(line, ":")
		if len(f) < 3 {
			continue
		}
		uid, err := strconv.ParseUint(f[2], 10, 32)
		if _, seen := users[uint32(uid)]; err == nil && !seen {
			users[uint32(uid)] = f[0]
		}
	}
	return users
}
