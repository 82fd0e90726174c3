package parse

import (
	"regexp"
	"strings"
	"sync"
)

// foreignProbes are probes as DTrace, SystemTap, perf, BCC and who guesses write them, with
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
	{`^(?i:(begin|end))(?:\(\)|:)?$`, "$1"},
	{`^(?:timer|tick|every|cron):(\d+[a-z]+)$`, "interval:$1"},
	{`^(?:timer|tick|every|cron):([a-z]+):(\d+)$`, "interval:$1:$2"},
	{`^syscall:[^:]*:([^:]*):(?:entry|return)$`, "syscall:$1"},
	{`^fbt:[^:]*:([^:]*):entry$`, "kprobe:$1"},
	{`^fbt:[^:]*:([^:]*):return$`, "kretprobe:$1"},
	{`^pid(?:\d+|\$\w+):([^:]*):([^:]*):entry$`, "uprobe:$1:$2 with -p PID"},
	{`^pid(?:\d+|\$\w+):([^:]*):([^:]*):return$`, "uretprobe:$1:$2 with -p PID"},
	{`^proc:::(exec)-success$`, "proc:$1"},
	{`^proc:::(?:create|lwp-create)$`, "proc:fork"},
	{`^proc:::signal-.*$`, "proc:signal"},
	{`^sched:::on-cpu$`, "sched:run"},
	{`^sched:::off-cpu$`, "sched:off"},
	{`^sched:::(?:enqueue|wakeup)$`, "sched:wait"},
	{`^(io|proc|sched|fs|net):::([a-z]+)(?:-.*)?$`, "$1:$2"},
	{`^\w+\$target:::([\w-]+)$`, "usdt:BINARY:$1 with -p PID"},
	{`^kernel\.function\("([^"@]+)[^"]*"\)\.return$`, "kretprobe:$1"},
	{`^kernel\.function\("([^"@]+)[^"]*"\)(?:\.call)?$`, "kprobe:$1"},
	{`^kernel\.trace\("([^"]+)"\)$`, "tracepoint:CATEGORY:$1"},
	{`^syscall\.(\w+)(?:\.return)?$`, "syscall:$1"},
	{`^module\("([^"]+)"\)\.function\("([^"@]+)[^"]*"\)\.return$`, "kretprobe:$1:$2"},
	{`^module\("([^"]+)"\)\.function\("([^"@]+)[^"]*"\)(?:\.call)?$`, "kprobe:$1:$2"},
	{`^process\("([^"]+)"\)\.function\("([^"@]+)[^"]*"\)\.return$`, "uretprobe:$1:$2"},
	{`^process\("([^"]+)"\)\.function\("([^"@]+)[^"]*"\)(?:\.call)?$`, "uprobe:$1:$2"},
	{`^process\("([^"]+)"\)\.mark\("([^"]+)"\)$`, "usdt:$1:$2"},
	{`^kprobe\.function\("([^"]+)"\)\.return$`, "kretprobe:$1"},
	{`^kprobe\.function\("([^"]+)"\)$`, "kprobe:$1"},
	{`^vfs\.(\w+)\.return$`, "kretprobe:vfs_$1"},
	{`^vfs\.(\w+)$`, "kprobe:vfs_$1"},
	{`^scheduler\.ctxswitch$`, "tracepoint:sched:sched_switch"},
	{`^p::?([a-zA-Z_][\w.]*)$`, "kprobe:$1"},
	{`^r::?([a-zA-Z_][\w.]*)$`, "kretprobe:$1"},
	{`^p:([^:]+):([a-zA-Z_][\w.]*)$`, "uprobe:$1:$2"},
	{`^r:([^:]+):([a-zA-Z_][\w.]*)$`, "uretprobe:$1:$2"},
	{`^timer\.profile(?:\.tick)?$`, "profile:hz:99"},
	{`^timer\.(s|ms|us|hz)\((\d+)\)$`, "interval:$1:$2"},
	{`^timer\.sec\((\d+)\)$`, "interval:s:$1"},
	{`^timer\.(m|u)sec\((\d+)\)$`, "interval:${1}s:$2"},
	{`^(?:function|func|fn|kernel):(\w+)$`, "call:$1"},
	{`^(?:disk|block|blk|bio):(start|issue)$`, "io:start"},
	{`^(?:disk|block|blk|bio):\w+$`, "io:done"},
	{`^(?:process|task|thread):(exec|fork|exit)$`, "proc:$1"},
	{`^(exec|exit)$`, "proc:$1"},
	{`^(?:file|files|vfs):(open|read|write|sync)$`, "fs:$1"},
	{`^(?:tcp|socket|sock):(connect|accept)$`, "net:$1"},
	{`^(?:raw_tracepoint|raw_tp|tp_btf)[:/](\w+)$`, "rawtracepoint:$1"},
	{`^(?:tp|trace|tracepoint)[:/](\w+)/(\w+)$`, "tracepoint:$1:$2"},
	{`^(kprobe|kretprobe|fentry|fexit|syscall|call|rawtracepoint)[/.](\w+)$`, "$1:$2"},
	{`^(tracepoint)\.(\w+)\.(\w+)$`, "$1:$2:$3"},
	{`^(cpu-cycles|instructions|(?:cache|branch)-(?:references|instructions|misses)|bus-cycles|ref-cycles)(?::\w+)?$`, "hardware:$1:1000000"},
	{`^cycles(?::\w+)?$`, "hardware:cpu-cycles:1000000"},
	{`^branches(?::\w+)?$`, "hardware:branch-instructions:1000000"},
	{`^(page-faults|(?:minor|major|alignment|emulation)-faults|context-switches|cpu-migrations|cpu-clock|task-clock)(?::\w+)?$`, "software:$1:1"},
	{`^faults(?::\w+)?$`, "software:page-faults:1"},
}

// foreignForms are the forms of foreignProbes, compiled when the first is asked for.
var foreignForms = sync.OnceValue(func() []*regexp.Regexp {
	forms := make([]*regexp.Regexp, len(foreignProbes))
	for i, f := range foreignProbes {
		forms[i] = regexp.MustCompile(f.form)
	}
	return forms
})

// Foreign says how a probe of another tracer is written here, or "".
func Foreign(raw string) string {
	raw = strings.TrimSpace(raw)
	for i, form := range foreignForms() {
		f := &foreignProbes[i]
		if m := form.FindStringSubmatchIndex(raw); m != nil {
			return string(form.ExpandString(nil, f.instead, raw, m))
		}
	}
	return ""
}
