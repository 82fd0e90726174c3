package cpus

import (
	"slices"
	"testing"
)

func TestParse(t *testing.T) {
	for list, want := range map[string][]int{"0": {0}, "0-3": {0, 1, 2, 3}, "0,2-3,8": {0, 2, 3, 8}, "": nil, "0-x": nil} {
		got, err := parse(list)
		if !slices.Equal(got, want) || (err == nil) != (want != nil) {
			t.Errorf("%q: %v, %v", list, got, err)
		}
	}
}

func TestLists(t *testing.T) {
	online, err := Online()
	possible, err2 := Possible()
	if err != nil || err2 != nil || len(online) == 0 || len(possible) < len(online) {
		t.Error(online, err, possible, err2)
	}
}

func TestCameOnline(t *testing.T) {
	for notice, want := range map[string]int{
		"online@/devices/system/cpu/cpu13\x00ACTION=online\x00DEVPATH=/devices/system/cpu/cpu13\x00": 13,
		"offline@/devices/system/cpu/cpu13\x00":                                                      -1,
		"online@/devices/system/memory/memory7\x00":                                                  -1,
		"online@/devices/system/cpu/cpufreq\x00":                                                     -1,
		"":                                                                                           -1,
	} {
		if cpu, ok := cameOnline([]byte(notice)); ok != (want >= 0) || ok && cpu != want {
			t.Errorf("%q: %d, %t", notice, cpu, ok)
		}
	}
}

func TestWatcherCloses(t *testing.T) {
	w, err := Watch()
	if err != nil {
		t.Skip(err)
	}
	ended := make(chan error)
	go func() {
		_, err := w.Next()
		ended <- err
	}()
	w.Close()
	if err := <-ended; err == nil {
		t.Error("a processor came online of a watcher that is closed")
	}
}
