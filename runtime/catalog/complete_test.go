package catalog

import (
	"fmt"
	"math/rand"
	"runtime"
	"slices"
	"testing"
	"time"

	"fst/runtime/kernel"

	"golang.org/x/sys/unix"
)

// hundredThousand is the catalogue of a kernel with as many functions.
func hundredThousand() *Catalog {
	c := &Catalog{}
	c.names.of("kprobe", func() []listed {
		var list []listed
		for i := range 100_000 {
			list = append(list, listed{name: fmt.Sprintf("function_%d", i), args: func() []string { return []string{"int a", "int b // ..."} }})
		}
		return list
	})
	return c
}

func TestComplete(t *testing.T) {
	c := hundredThousand()
	list, all := c.Complete("kprobe:function_99", 3)
	if want := []Candidate{{"kprobe:function_99", "int a, int b"}, {"kprobe:function_990", "int a, int b"}, {"kprobe:function_99999", "int a, int b"}}; all != 1111 || !slices.Equal(list, want) {
		t.Error(all, list)
	}
	if list, all := c.Complete("k:vmlinux:function_99999", 3); all != 1 || list[0].Name != "k:vmlinux:function_99999" {
		t.Error(all, list)
	}
	if list, all := c.Complete("kprobe:g", 3); all != 0 || len(list) != 0 {
		t.Error(all, list)
	}
	if list, _ := c.Complete("interval:", 9); len(list) != 4 || list[1].Help != units["ms:"] {
		t.Error(list)
	}
	if list, _ := New(kernel.Open(kernel.Options{}), nil).Complete("uprobe:/proc/self/exe:main.", 3); len(list) == 0 || list[0].Help != "a function" {
		t.Error(list)
	}
	if list, _ := c.Complete("be", 3); len(list) != 1 || list[0].Name != "begin" || list[0].Help == "" {
		t.Error(list)
	}
}

// TestCompleteSoon: of 100,000 names those with a beginning are there within 20 ms, 99 of 100 times. The time is that of the
// CPU, so that other programs do not matter.
func TestCompleteSoon(t *testing.T) {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	now := func() time.Duration {
		var ts unix.Timespec
		if err := unix.ClockGettime(unix.CLOCK_THREAD_CPUTIME_ID, &ts); err != nil {
			t.Fatal(err)
		}
		return time.Duration(ts.Nano())
	}
	c := hundredThousand()
	var took []time.Duration
	for range 1000 {
		prefix := fmt.Sprintf("kprobe:function_%d", rand.Intn(100_000))
		began := now()
		c.Complete(prefix[:len(prefix)-rand.Intn(6)], 40)
		took = append(took, now()-began)
	}
	slices.Sort(took)
	if p99 := took[len(took)*99/100]; p99 > 20*time.Millisecond {
		t.Errorf("the 99th percentile is %v", p99)
	}
}

func BenchmarkComplete(b *testing.B) {
	c := hundredThousand()
	for b.Loop() {
		c.Complete("kprobe:function_", 40)
	}
}
