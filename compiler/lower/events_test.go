package lower_test

import (
	"testing"

	"fst/compiler/check"
	"fst/compiler/target"
)

// TestProcesses: with -p only events of the process are acted on, and those of the tracer itself can be left out.
func TestProcesses(t *testing.T) {
	for _, c := range []struct {
		options check.Options
		seen    string
	}{{check.Options{PID: 700}, "here"}, {check.Options{PID: 5}, "elsewhere"}, {check.Options{NotPID: 5}, "here"}, {check.Options{NotPID: 700}, "elsewhere"}} {
		w := newWorld(t, newest)
		w.options = c.options
		w.probe = c.seen
		w.sees([]any{call{args: []uint64{1, 2}}}, map[string]string{"here": `
kprobe:vfs_open {
  print("seen");  //= seen
  @ = count();
}
call:vfs_read {
  print(retval);  //= 0
}
// at the end
//= @: 1
`, "elsewhere": `
kprobe:vfs_open {
  print("seen");
  @ = count();
}
call:vfs_read {
  print(retval);
}
// at the end
`}[c.seen])
	}
}

// TestManySystemCalls: one program for calls of which the numbers are far apart, and nothing of the others.
func TestManySystemCalls(t *testing.T) {
	for _, kernel := range []string{oldest, newest} {
		w := newWorld(t, kernel)
		var calls []any
		for name, n := range map[string]uint64{"read": 0, "openat": 257, "close": 3, "getpid": 39, "clone": 56, "statx": 332} {
			calls = append(calls, sysCall{name: name, number: n, result: 5})
		}
		w.sees(calls, `
syscall:read, syscall:openat, syscall:close, syscall:statx, syscall:dup, syscall:chmod, syscall:fsync {
  @[func] = sum(ret);
}
syscall:open*, syscall:st* {
  @more[func] = count();
}
tracepoint:syscalls:sys_exit_close, tracepoint:syscalls:sys_exit_statx, tracepoint:syscalls:sys_exit_dup {
  @exits[args.ret] = count();
}
// at the end
//= @[read]: 5
//= @[close]: 5
//= @[openat]: 5
//= @[statx]: 5
//= @exits[5]: 2
//= @more[openat]: 1
//= @more[statx]: 1
`)
	}
}

// TestNewThreads: a call that makes a thread is one event, in the caller; the child's return is none.
func TestNewThreads(t *testing.T) {
	w := newWorld(t, newest)
	w.sees([]any{sysCall{name: "clone", number: 56, result: 1234}, sysCall{name: "clone", number: 56, result: 0}, sysCall{name: "read", number: 0, result: 0}}, `
syscall:clone {
  print(ret);                 //= 1234
}
syscall:clone, syscall:read {
  print((func, ret));         //= (clone, 1234) | (read, 0)
}
`)
}

// TestEntriesByThread: entries of calls are kept by thread where the kernel has memory for threads.
func TestEntriesByThread(t *testing.T) {
	for _, has := range []bool{false, true} {
		w := newWorld(t, "6.12")
		w.kernel.Features = map[target.Feature]bool{target.ThreadMaps: has, target.TaskStorage: has}
		w.sees([]any{call{args: []uint64{1, 2, 3, 4}, result: 5}, call{args: []uint64{5, 6, 7, 8}, result: 9}}, `
call:vfs_read {
  print((args.count, (int64)retval)); //= (3, 5) | (7, 9)
  print(took < 60s);                  //= true | true
}
`)
	}
}

// TestStackKeys: stacks alone and beside others are keys; equal ones are one key.
func TestStackKeys(t *testing.T) {
	for _, kernel := range []string{oldest, newest} {
		w := newWorld(t, kernel)
		w.sees([]any{call{args: []uint64{0, 0}}, call{args: []uint64{0, 0}}}, `
kprobe:vfs_open {
  @k[kstack(2)] = count();
  @u[ustack(2), comm] = count();
  @both[kstack, ustack] = count();
  print(len(kstack));              //= 3 | 3
  print(len(ustack(1)));           //= 1 | 1
  $s = kstack(2); @s[$s] = sum(1);
  print(kstack(2) == $s);          //= true | true
  print(ustack == ustack);         //= true | true
}
fentry:vfs_open {
  @f[kstack(1)] = count();
}
rawtracepoint:sched_switch {
  print(len(kstack(1)));           //= 1 | 1
}
uprobe:/bin/true:main {
  print(len(ustack(3)));           //= 3 | 3
}
// at the end
//= @both[
//=         0xffffffff81000000
//=         0xffffffff81000001
//=         0xffffffff81000002
//= , 
//=         0xffffffff81000000
//=         0xffffffff81000001
//=         0xffffffff81000002
//= ]: 2
//= @f[
//=         0xffffffff81000000
//= ]: 2
//= @k[
//=         0xffffffff81000000
//=         0xffffffff81000001
//= ]: 2
//= @s[
//=         0xffffffff81000000
//=         0xffffffff81000001
//= ]: 2
//= @u[
//=         0xffffffff81000000
//=         0xffffffff81000001
//= , sh]: 2
`)
	}
}

// TestWritesToProcesses: as many bytes as are asked for, and as there are.
func TestWritesToProcesses(t *testing.T) {
	w := newWorld(t, newest)
	at := w.put(make([]byte, 16))
	w.sees([]any{call{args: []uint64{at, 2}}}, `
uprobe:/bin/true:main {
  $v = (uint64)0x4847464544434241; write_user(arg0, &$v, 8);
  print(*(uint64 *)arg0 == $v);                              //= true
  write_user(arg0, "text", 4);
  print(str(arg0));                                          //= textEFGH
}
`)
}
