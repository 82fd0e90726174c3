package parse

import (
	"regexp"
	"strings"
)

// foreignProbes are probes as DTrace, SystemTap, perf and BCC write them, with
// what says the same here.
var foreignProbes = []struct {
	form, instead string
}{
	{`^(?:tick|profile)-(\d+)s(?:ec)?$`, "interval:s:$1"},
	{`^(?:tick|profile)-(\d+)m(?:s|sec)$`, "interval:ms:$1"},
	{`^(?:tick|profile)-(\d+)u(?:s|sec)$`, "interval:us:$1"},
	{`^tick-(\d+)(?:hz)?$`, "interval:hz:$1"},
	{`^profile-(\d+)(?:hz)?$`, "profile:hz:$1"},
	{`^profile:::profile-(\d+)(?:hz)?$`, "profile:hz:$1"},
	{`^profile:::tick-(\d+)s(?:ec)?$`, "interval:s:$1"},
	{`^dtrace:::(BEGIN|END)$`, "$1"},
	{`^syscall:[^:]*:([^:]*):(?:entry|return)$`, "syscall:$1"},
	{`^fbt:[^:]*:([^:]*):entry$`, "kprobe:$1"},
	{`^fbt:[^:]*:([^:]*):return$`, "kretprobe:$1"},
	{`^pid(?:\d+|\$\w+):([^:]*):([^:]*):entry$`, "uprobe:$1:$2 with -p PID"},
	{`^pid(?:\d+|\$\w+):([^:]*):([^:]*):return$`, "uretprobe:$1:$2 with -p PID"},
	{`^(io|proc|sched|fs|net):::([a-z]+)(?:-.*)?$`, "$1:$2"},
	{`^\w+\$target:::([\w-]+)$`, "usdt:BINARY:$1 with -p PID"},
	{`^kernel\.function\("([^"@]+)[^"]*"\)\.return$`, "kretprobe:$1"},
	{`^kernel\.function\("([^"@]+)[^"]*"\)$`, "kprobe:$1"},
	{`^kernel\.trace\("([^"]+)"\)$`, "tracepoint:CATEGORY:$1"},
	{`^syscall\.(\w+)(?:\.return)?$`, "syscall:$1"},
	{`^timer\.s\((\d+)\)$`, "interval:s:$1"},
	{`^timer\.ms\((\d+)\)$`, "interval:ms:$1"},
	{`^(?:raw_tracepoint|raw_tp|tp_btf)[:/](\w+)$`, "rawtracepoint:$1"},
	{`^(?:tp|trace|tracepoint)[:/](\w+)/(\w+)$`, "tracepoint:$1:$2"},
	{`^(kprobe|kretprobe|fentry|fexit)/(\w+)$`, "$1:$2"},
}

// Foreign says how a probe of another tracer is written here, or "".
func Foreign(raw string) string {
	raw = strings.TrimSpace(raw)
	for _, f := range foreignProbes {
		form := regexp.MustCompile(f.form) // asked for once, when a script is wrong
		if m := form.FindStringSubmatchIndex(raw); m != nil {
			return string(form.ExpandString(nil, f.instead, raw, m))
		}
	}
	return ""
}
