package graph

import (
	"testing"
	"time"

	"fst/runtime/render"
	"fst/runtime/trace"
)

// TestWitness gives calls the arguments of those that probes saw.
func TestWitness(t *testing.T) {
	w := &witness{functions: map[string]string{}, seen: map[witnessed][]sighting{}}
	if text := w.program([]string{"__x64_sys_read", "__x64_sys_pread64"}, []int{7}); text == "" || w.functions["syscall:read"] != "__x64_sys_read" || w.functions["syscall:pread64"] != "__x64_sys_pread64" {
		t.Fatalf("%v: %s", w.functions, text)
	}
	saw := func(probe string, tid, end, took uint64, fd any, result int64) {
		w.saw(trace.Record{Probe: probe, Fields: render.Fields{{Name: "nsecs", Value: end}, {Name: "comm", Value: "dd"}, {Name: "pid", Value: uint64(1)}, {Name: "tid", Value: tid},
			{Name: "fd", Value: fd}, {Name: "retval", Value: result}, {Name: "took", Value: took}}})
	}
	saw("syscall:read", 7, 100, 50, uint64(3), 10)
	saw("syscall:read", 7, 200, 50, uint64(4), -2)
	saw("syscall:read", 8, 200, 50, uint64(5), 0)
	saw("syscall:pread64", 7, 199, 48, uint64(6), 0)
	saw("syscall:write", 7, 199, 48, uint64(7), 0)
	call := func(name string, tid int, begin, took uint64) *Call {
		return &Call{Name: name, Thread: Thread{TID: tid}, Time: begin, Took: time.Duration(took)}
	}
	for _, test := range []struct {
		call   *Call
		fd     any // nil: not known
		result any
		now    uint64
		ok     bool
	}{
		{call("__x64_sys_read", 7, 152, 40), uint64(4), int64(-2), 200, true},
		{call("__x64_sys_read", 7, 52, 40), nil, nil, 200, false}, // those before it are gone
		{call("__x64_sys_pread64", 7, 155, 40), uint64(6), int64(0), 200, true},
		{call("__x64_sys_read", 8, 10, 40), nil, nil, 200, false},
		{call("__x64_sys_read", 8, 10, 40), nil, nil, uint64(time.Second), true}, // waited for long enough
		{call("__x64_sys_read", 8, 140, 40), uint64(5), int64(0), 200, true},
	} {
		ok := w.describe(test.call, test.now)
		var fd, result any
		if test.call.Args != nil {
			fd, result = test.call.Args[0].Value, test.call.Result.Value
		}
		if ok != test.ok || fd != test.fd || result != test.result {
			t.Errorf("%s at %d: %v %v %v, want %v %v %v", test.call.Name, test.call.Time, ok, fd, result, test.ok, test.fd, test.result)
		}
	}
	w.forget(1000)
	if len(w.seen) != 0 {
		t.Errorf("kept are %v", w.seen)
	}
}
