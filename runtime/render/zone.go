package render

import (
	"os"
	"strings"
	"time"
)

// localZone is the time zone that the C library would take: time.Local, or the
// rule that $TZ spells out (CET-1CEST,M3.5.0,M10.5.0/3), where package time knows
// files only and is silently at UTC.
func localZone() *time.Location {
	rule := strings.TrimPrefix(os.Getenv("TZ"), ":")
	if rule == "" {
		return time.Local
	}
	if _, err := time.LoadLocation(rule); err == nil || rule[0] == '/' {
		return time.Local
	}
	// A file of a zone may end in such a rule: this one has nothing else.
	const noName = "?"
	block := "TZif2" + strings.Repeat("\x00", 15+4*4) + // no leap seconds, no transitions
		"\x00\x00\x00\x01" + "\x00\x00\x00\x02" + // one type of local time, and its name
		"\x00\x00\x00\x00" + "\x00" + "\x00" + noName + "\x00"
	zone, err := time.LoadLocationFromTZData(rule, []byte(block+block+"\n"+rule+"\n"))
	if err != nil {
		return time.Local
	}
	if name, _ := time.Now().In(zone).Zone(); name == noName { // no rule: UTC, as in the C library
		return time.Local
	}
	return zone
}
