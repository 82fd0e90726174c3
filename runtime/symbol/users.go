package symbol

import (
	"os"
	"strconv"
	"strings"
	"sync"
)

// Users names users. The zero value is ready to be used.
type Users struct {
	once  sync.Once
	names map[uint32]string
}

// UserName returns the name of a user, "" if there is none.
func (u *Users) UserName(uid uint32) string {
	u.once.Do(func() {
		text, _ := os.ReadFile("/etc/passwd")
		u.names = parsePasswd(string(text))
	})
	return u.names[uid]
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
