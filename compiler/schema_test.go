package compiler_test

import (
	"regexp"
	"strings"
	"testing"

	"fst/compiler"
	"fst/compiler/check"
	"fst/compiler/object"
	"fst/compiler/target/fixture"
	"fst/lang/diag"
	"fst/lang/parse"
	"fst/lang/source"
	"fst/scripts"
)

// described is a schema as "comm op | reads (bytes)": the parts of a key come before the bar.
func described(s *object.Schema) string {
	var words []string
	for i, f := range s.Fields {
		if i > 0 && i == s.Keys {
			words = append(words, "|")
		}
		words = append(words, f.Name)
		if unit := f.Unit.String(); unit != "" {
			words = append(words, "("+unit+")")
		}
	}
	return strings.Join(words, " ")
}

// TestSchema: what values are called and what they count, as the script says it.
func TestSchema(t *testing.T) {
	const call = "kretprobe:vfs_read "
	for _, test := range []struct{ script, want string }{
		// Names of the parts of keys.
		{call + `{ $x = 1; @[$x, pid, args.file->f_mode, ustack(3)] = count(); }`, "x pid f_mode ustack | count (count)"},
		{`tracepoint:raw_syscalls:sys_enter { @[comm, args.id] = count(); }`, "comm id | count (count)"},
		{call + `{ @[pid, pid, (uint32)tid] = 1; }`, "pid pid_2 tid | value"},
		{call + `{ @pid[pid] = 1; }`, "pid | pid_2"},
		{call + `{ @["a", 1, $1] = 1; @["b", 2, tid] = 2; }`, "key key_2 tid | value"},
		{call + `{ @[(pid, comm)] = 1; }`, "pid comm | value"},
		{call + `{ @[(who = pid, name = comm)] = 1; }`, "who name | value"},
		{call + `{ @[str(args.buf), ksym(reg("ip")), pid / 2, 7 + cpu] = 1; }`, "buf ip pid cpu | value"},
		{call + `{ @[pid > 1 ? comm : "init", pid > 1 ? pid : tid] = 1; }`, "comm key | value"},
		{call + `{ @a[pid, comm] = 1; for ($kv : @a) { @b[$kv.0.1, $kv.1] = 1; } }`, "pid comm | a; comm a | b"},
		{call + `{ $t = (pid, comm); @a[$t] = 1; @b[tid] = (cpu, comm); @c[@b[tid]] = 1; @d[$t, cpu] = 1; }`, "pid comm | a; tid | b; cpu comm | c; t cpu | d"},
		{call + `{ @[stacks()] = count(); @b[comptime true ? (pid, comm) : comm] = 1; }`, "kstack ustack comm | count (count); pid comm | b"},
		// Units.
		{call + `{ @ = took; @us = sum(took / 1us); @ms[comm] = hist(took / 1000000); @s = quantile(took / 1s); }`,
			"value (ns); us (us); comm | ms (ms); s (s)"},
		{`kprobe:vfs_read { @start[tid] = nsecs; } kretprobe:vfs_read /@start[tid]/ { $d = nsecs - @start[tid]; @d = max($d); $h = $d / 2; @h = $h; }`,
			"tid | start (ns); d (ns); h (ns)"},
		{call + `{ @n++; @m += 1; @c = count(); @p = pid; }`, "n (count); m; c (count); p"},
		{call + `{ $b = args.count * 4KB; @b = sum($b); @k = $b / 1024; @m = $b >> 20; @rate = $b / took; }`, "b (bytes); k (KiB); m (MiB); rate"},
		{call + `{ $b = args.count * 1B; @left = sum((int64)$b); @less = sum(0 - (int64)$b); }`, "left (bytes); less (bytes)"},
		{call + `{ @mixed = took; @mixed = pid; @late = 0; @late = took; }`, "mixed; late (ns)"},
		{call + `{ @n = count(); @t = sum(took); @per = (uint64)@t / (uint64)@n; @part = (uint64)@t * 100 / took; }`, "n (count); t (ns); per (ns); part"},
		{call + `{ @at[tid] = (nsecs, pid); $b = @at[tid]; @d = sum(nsecs - $b.0); @p = $b.1; }`, "tid | at; d (ns); p"},
		{call + `{ @late = sum(took); if (comptime false) { @late = sum(cpu); } }`, "late (ns)"},
		// What a declared probe's comments say.
		{`io:done { @[args.disk, args.op] = stats(args.took / 1us); @wait = max(args.queued + args.took); @size = lhist(args.bytes, 0, 100, 10); }`,
			"disk op | stats (us); wait (ns); size (bytes)"},
		// Records.
		{call + `{ printf("%s %d %d %d\n", comm, took / 1ms, pid, pid); }`, "comm took (ms) pid pid_2"},
		{call + `{ printf("%s %d\n", "a", pid > 2); print(nsecs / 1s); }`, "value value_2; nsecs (s)"},
		{call + `{ row("COMM %-16s LAT(us) %8d SIZE(KiB) %d COMM %s", comm, took / 1us, args.count, comm); }`, "comm lat_us (us) size_kib (KiB) comm_2"},
		{`call:vfs_read`, "nsecs (ns) comm pid tid file buf count pos retval took (ns)"},
		{`io:done`, "nsecs (ns) comm pid tid id disk dev sector bytes (bytes) op flags failed queued (ns) uid cgroup stacked parts took (ns)"},
		// Rows of a table.
		{call + `{ @[(a = pid, b = tid)] = count(); } END { table("KEY %s N %d", @); }`, "a b | count (count); key | n (count)"},
		{call + `{ @n[comm] = count(); @t[comm] = sum(took); } END { table("NAME %-16s N %d TIME(ms) %d AVG %d", @n, @t / 1000000, @t / @n); }`,
			"comm | n (count); comm | t (ns); name | n (count) time_ms (ms) avg (ns)"},
	} {
		obj := compiled(t, "6.12", test.script, nil)
		var got []string
		for _, m := range obj.Maps {
			if m.Script {
				got = append(got, described(m.Schema))
			}
		}
		for _, m := range obj.Messages {
			if m.Schema != nil {
				if m.Kind != object.MsgTable && len(m.Schema.Fields) != len(m.Fields) {
					t.Errorf("%s: %d names for %d fields", test.script, len(m.Schema.Fields), len(m.Fields))
				}
				got = append(got, described(m.Schema))
			}
		}
		if text := strings.Join(got, "; "); text != test.want {
			t.Errorf("%s\n\thas %s\n\tnot %s", test.script, text, test.want)
		}
	}
}

// TestSchemaOfTools: what the bundled tools show of their maps has names for all parts of the keys, those of tuples in them, too.
func TestSchemaOfTools(t *testing.T) {
	if testing.Short() {
		t.Skip("slow under the race detector, which finds nothing here that it does not find in other tests")
	}
	k, err := fixture.Load("6.12")
	if err != nil {
		t.Fatal(err)
	}
	nameless := regexp.MustCompile(`(^|_)(key|value)?(_?[0-9])?$`)
	seen := 0
	for _, name := range scripts.Names() {
		text, _ := scripts.Source(name)
		var set source.Set
		var diags diag.List
		obj, err := compiler.Compile(&set, parse.Parse(set.Add(name, text), &diags), compiler.Options{Options: check.Options{Target: k}}, &diags)
		if err != nil || obj == nil || diags.HasErrors() {
			continue // it needs a parameter, or what the recording has not
		}
		for _, msg := range obj.Messages {
			if msg.Kind != object.MsgPrintMap {
				continue
			}
			seen++
			m := obj.Maps[msg.Map]
			for _, f := range m.Schema.Fields[:m.Schema.Keys] {
				for _, part := range append([]object.Field{f}, f.Parts...) {
					if !f.Constant && nameless.MatchString(part.Name) {
						t.Errorf("%s: a part of the key of %s has no name: %s", name, m.Name, part.Name)
					}
				}
			}
		}
	}
	if seen < 20 {
		t.Errorf("only %d maps are shown", seen)
	}
}
