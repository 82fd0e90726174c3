package compiler_test

import "testing"

// TestRingSize: only scripts that may speak fast get the large ring buffer.
func TestRingSize(t *testing.T) {
	for _, test := range []struct {
		script string
		want   int
		speaks bool // the last program may say more than the ring holds
	}{
		{`begin { printf("hi\n"); exit(); }`, 128 << 10, false},
		{`kprobe:vfs_read { @[comm] = count(); } interval:s:1 { print(@); clear(@); } end { printf("%d\n", 1); }`, 128 << 10, false},
		{`begin { printf("%s %s\n", str(1), str(2)); print(str(3)); } end { join(0); }`, 512 << 10, false},
		{`interval:ms:1 { printf("hi\n"); }`, 128 << 10, false},
		{`interval:us:10 { printf("hi\n"); }`, 4 << 20, false},
		{`kprobe:vfs_read { printf("hi\n"); }`, 4 << 20, false},
		{`kprobe:vfs_read`, 4 << 20, false},
		{`begin { $i = 0; while ($i < 10) { printf("%d\n", $i); $i++; } }`, 4 << 20, true},
		{`kprobe:vfs_read { @[tid] = 1; } end { for ($kv : @) { print($kv); } }`, 4 << 20, true},
		{`config = { perf_rb_pages = 64; } kprobe:vfs_read { printf("hi\n"); }`, 256 << 10, false},
		{`config = { perf_rb_pages = 1; } kprobe:vfs_read { printf("hi\n"); }`, 64 << 10, false},
	} {
		obj := compiled(t, "6.12", test.script, nil)
		if got := obj.Maps[obj.Ring].MaxEntries; got != test.want {
			t.Errorf("%s: %d bytes, want %d", test.script, got, test.want)
		}
		if got := obj.Programs[len(obj.Programs)-1].Speaks; got != test.speaks {
			t.Errorf("%s: speaks is %v", test.script, got)
		}
	}
}
