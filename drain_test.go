package fst

import (
	"fmt"
	"os"
	"runtime"
	"sync"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// TestDrainsAreExact has two CPUs count the same calls in maps of each kind while a
// clock shows and empties those: what all that was shown adds up to is what a count
// that is never emptied says, to the last call. (That count and not the number of
// calls, since the kernel may leave a program out of a call.)
func TestDrainsAreExact(t *testing.T) {
	const calls, keys, first = 300_000, 37, 1 << 20
	s := start(t, fmt.Sprintf(`
		config = { print_maps_on_exit = false }
		tracepoint:syscalls:sys_enter_dup /pid == %[1]d && args.fildes >= %[2]d/ {
			$k = args.fildes %% %[3]d;
			@witness = count();
			@all = count();
			@count[$k] = count();
			@plain[$k]++;
			@stats[$k] = stats(1);
			@hist[$k] = hist($k);
			@most = max($k);
			@alone[$k] = count();
		}
		tracepoint:syscalls:sys_enter_dup /pid == %[1]d && args.fildes == %[2]d - 1/ { exit(); }
		interval:ms:3 {
			print(@all); clear(@all); print(@count); clear(@count); print(@plain); clear(@plain);
			print(@stats); clear(@stats); print(@hist); clear(@hist); print(@most); clear(@most);
		}
		interval:ms:1 { print(@alone); clear(@alone); }
		end { print(@all); print(@count); print(@plain); print(@stats); print(@hist); print(@alone); print(@witness) }
		`, os.Getpid(), first, keys), RunOptions{})
	done := make(chan map[string]int64)
	prints := 0
	go func() {
		sums := map[string]int64{}
		for e, err := range s.Events() {
			snap, ok := e.(*Snapshot)
			if err != nil || !ok {
				continue
			}
			prints++
			for _, entry := range snap.Entries {
				switch v := entry.Value.(type) {
				case int64:
					sums[snap.Map] += v
				case uint64:
					sums[snap.Map] += int64(v)
				case Stats:
					sums[snap.Map] += int64(v.Count)
				case []Bucket:
					for _, b := range v {
						sums[snap.Map] += int64(b.Count)
					}
				}
			}
		}
		done <- sums
	}()
	began := time.Now()
	var both sync.WaitGroup
	for cpu := range 2 {
		both.Go(func() {
			runtime.LockOSThread() // and let the thread end with it
			var set unix.CPUSet
			set.Set(cpu)
			unix.SchedSetaffinity(0, &set) // where there is one CPU, both are on it
			for i := range calls {
				unix.RawSyscall(unix.SYS_DUP, uintptr(first+i%keys), 0, 0)
			}
		})
	}
	both.Wait()
	unix.RawSyscall(unix.SYS_DUP, first-1, 0, 0)
	sums := <-done
	if _, err := s.Wait(); err != nil {
		t.Fatal(err)
	}
	t.Logf("%d prints in %v: %v", prints, time.Since(began), sums)
	witness := sums["@witness"]
	if witness == 0 || prints < 100 {
		t.Fatalf("%d calls seen, %d prints", witness, prints)
	}
	for _, name := range []string{"@all", "@count", "@plain", "@stats", "@hist", "@alone"} {
		if sums[name] != witness {
			t.Errorf("%s: %d of %d calls", name, sums[name], witness)
		}
	}
}
