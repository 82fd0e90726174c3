package render

import (
	"testing"
	"time"
)

// The zones that package time does not know are those of the C library. What
// it knows, and what nobody does, is left to it.
func TestLocalZone(t *testing.T) {
	winter, summer := time.Unix(1700000000, 0), time.Unix(1720000000, 0)
	for _, c := range []struct{ tz, winter, summer string }{
		{"UTC+5", "17:13 -0500 UTC", "04:46 -0500 UTC"},
		{"CET-1CEST,M3.5.0,M10.5.0/3", "23:13 +0100 CET", "11:46 +0200 CEST"},
		{":EST5EDT4", "17:13 -0500 EST", "05:46 -0400 EDT"},
		{"<+0545>-5:45", "03:58 +0545 +0545", "15:31 +0545 +0545"},
	} {
		t.Setenv("TZ", c.tz)
		zone := localZone()
		for when, want := range map[time.Time]string{winter: c.winter, summer: c.summer} {
			if got := when.In(zone).Format("15:04 -0700 MST"); got != want {
				t.Errorf("%s: %s, want %s", c.tz, got, want)
			}
		}
	}
	for _, tz := range []string{"", "UTC", "Nowhere/Land", "/etc/localtime", ":"} {
		t.Setenv("TZ", tz)
		if zone := localZone(); zone != time.Local {
			t.Errorf("%s: %v", tz, zone)
		}
	}
}
