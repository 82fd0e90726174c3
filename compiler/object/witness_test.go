package object

import "testing"

func TestCountLine(t *testing.T) {
	c, err := ParseCount("/proc/diskstats: * * %s %d * * * %d")
	if err != nil {
		t.Fatal(err)
	}
	name, n, ok := c.Line(" 254       0 vda 100 1 2 3 20 5 6")
	if !ok || name != "vda" || n != 120 {
		t.Errorf("got %q %d %v", name, n, ok)
	}
	for _, line := range []string{"", "254 0 vda 100", "254 0 vda x 1 2 3 20"} {
		if name, n, ok := c.Line(line); ok {
			t.Errorf("%q counts as %q %d", line, name, n)
		}
	}
	c, _ = ParseCount("/proc/net/snmp: Tcp: * %d")
	if _, n, ok := c.Line("Tcp: 1 7"); !ok || n != 7 {
		t.Errorf("Tcp: 1 7 is %d, %v", n, ok)
	}
	if _, _, ok := c.Line("Tcp: Algorithm Min"); ok {
		t.Error("a line of names counts")
	}
	if _, _, ok := c.Line("Udp: 1 7"); ok {
		t.Error("a line of another word counts")
	}
}

func TestParseCountRefuses(t *testing.T) {
	for _, text := range []string{"", "vmstat: x %d", "/proc/vmstat", "/proc/vmstat: nr_dirtied", "tracepoint:sched", "tracepoint:sched:*", "tracepoint::x"} {
		if _, err := ParseCount(text); err == nil {
			t.Errorf("%q is taken", text)
		}
	}
}
