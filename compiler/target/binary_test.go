package target

import "testing"

func TestShownPath(t *testing.T) {
	for _, c := range []struct{ written, path, want string }{
		{"libc", "/lib/libc.so.6", "/lib/libc.so.6"},
		{"/bin/x", "/bin/x", "/bin/x"},
		{"./x", "/home/me/x", "./x"},
		{"../b//x", "/home/b/x", "../b//x"},
		{"./x*", "/home/me/x1", "./x1"},
		{"sub*/y", "/home/me/sub1/y", "sub1/y"},
		{"./a/*/b*", "/home/me/a/1/b2", "./a/1/b2"},
		{"/bin/*", "/bin/x", "/bin/x"},
		{"/bin/x", "/proc/12/root/bin/x", "/proc/12/root/bin/x"},
		{"/proc/12/exe", "/proc/12/exe", "/proc/12/exe"},
		{"*", "/bin/x", "/bin/x"},
	} {
		if got := ShownPath(c.written, c.path); got != c.want {
			t.Errorf("%s at %s is shown as %s, not %s", c.written, c.path, got, c.want)
		}
	}
}
