package ftrace

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// tracefs makes a directory that looks like one of an idle tracer.
func tracefs(t *testing.T, files map[string]string) string {
	dir := t.TempDir()
	all := map[string]string{"available_tracers": "blk function_graph function nop\n", "current_tracer": "nop\n", "set_event": "",
		"per_cpu/cpu0/stats": "entries: 0\noverrun: 0\n", "per_cpu/cpu1/stats": "entries: 0\noverrun: 0\n"}
	for name, text := range files {
		all[name] = text
	}
	for name, text := range all {
		path := filepath.Join(dir, name)
		os.MkdirAll(filepath.Dir(path), 0o700)
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

func TestCheck(t *testing.T) {
	for _, c := range []struct {
		file, text string
		own, top   string // what is said of an instance, and of the only buffer; empty: nothing
	}{
		{"current_tracer", "nop\n", "", ""},
		{"available_tracers", "blk nop\n", "no function_graph tracer (CONFIG_FUNCTION_GRAPH_TRACER)", ""},
		{"current_tracer", "function_graph\n", "in use by somebody else", "in use by somebody else"},
		{"instances/x/current_tracer", "function_graph\n", "instances/x/current_tracer would end it", ""},
		{"instances/x/current_tracer", "function\n", "", ""},
		{"current_tracer", "blk\n", "", "in use by somebody else (blk)"},
		{"set_event", "bpf_trace:bpf_trace_printk\n", "", ""},
		{"set_event", "sched:sched_switch\nsched:sched_waking\n", "", "for the event sched:sched_switch"},
		{"per_cpu/cpu1/stats", "entries: 12\noverrun: 0\n", "", "holds records of somebody else"},
	} {
		dir := tracefs(t, map[string]string{c.file: c.text})
		for _, test := range []struct {
			err  error
			want string
		}{{Check(dir), c.own}, {checkTop(dir), c.top}} {
			if (test.err == nil) != (test.want == "") || test.err != nil && !strings.Contains(test.err.Error(), test.want) {
				t.Errorf("%s is %q: %v, want %q", c.file, c.text, test.err, test.want)
			}
		}
	}
	if err := Check(t.TempDir()); err == nil || !strings.Contains(err.Error(), "CONFIG_FUNCTION_GRAPH_TRACER") {
		t.Errorf("without any tracer: %v", err)
	}
}

// TestStartOnOne refuses while another fst has the lock.
func TestStartOnOne(t *testing.T) {
	dir := tracefs(t, nil)
	lock, err := takeLock(dir)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := Start(dir, Options{}); err == nil || !strings.Contains(err.Error(), "another fst") {
		t.Errorf("%v", err)
	}
	os.NewFile(uintptr(lock), dir).Close()
}
