package ftrace

import (
	"os"
	"path/filepath"
	"testing"
)

func TestCurrent(t *testing.T) {
	for _, c := range []struct{ file, text, want string }{
		{"trace_clock", "local global [boot] tai\n", "boot"},
		{"buffer_size_kb", "1408\n", "1408"},
		{"buffer_size_kb", "7 (expanded: 1408)\n", "1408"},
		{"tracing_on", "1\n", "1"},
		{"max_graph_depth", "0\n", "0"},
		{"set_ftrace_pid", "no pid\n", ""},
		{"set_ftrace_pid", "12\n13\n", "12 13"},
		{"set_graph_function", "#### all functions enabled ####\n", ""},
		{"set_graph_function", "vfs_read\next4_file_read_iter [ext4]\n", "vfs_read ext4_file_read_iter"},
		{"set_ftrace_filter", "#### all functions enabled ####\nvfs_read:traceoff:unlimited\n", ""},
		{"set_event_pid", "", ""},
	} {
		if got := current(filepath.Join("/x", c.file), c.text); got != c.want {
			t.Errorf("%s: %q is %q, want %q", c.file, c.text, got, c.want)
		}
	}
}

// TestPlan changes ordinary files and has a guard put them back.
func TestPlan(t *testing.T) {
	dir := t.TempDir()
	write := func(name, text string) {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	files := map[string]string{"tracing_thresh": "5", "max_graph_depth": "0", "set_graph_function": "vfs_read\nvfs_write\n", "set_ftrace_pid": ""}
	for name, text := range files {
		write(name, text)
	}
	in := func(name string) string { return filepath.Join(dir, name) }
	todo, undo, err := plan([]change{
		{in("tracing_thresh"), "0", false},
		{in("max_graph_depth"), "0", false}, // as it is
		{in("set_graph_function"), "ksys_read", false},
		{in("set_ftrace_pid"), "17", false},
		{in("nothing"), "1", true},
	})
	if err != nil || len(todo) != 3 || len(undo) != 3 {
		t.Fatalf("%v, to do %v, to undo %v", err, todo, undo)
	}
	if undo[0].path != in("set_ftrace_pid") {
		t.Errorf("undone first is %v", undo[0])
	}
	if _, _, err := plan([]change{{in("nothing"), "1", false}}); err == nil {
		t.Error("a file that has to be there is not, and nobody says so")
	}
	os.Mkdir(in("instance"), 0o700)
	lock, err := os.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer lock.Close()
	g, err := startGuard(append(undo, step{path: in("instance"), remove: true}, step{path: in("gone"), remove: true}), int(lock.Fd()))
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range todo {
		if err := c.apply(); err != nil {
			t.Error(err)
		}
	}
	if text, _ := os.ReadFile(in("set_graph_function")); string(text) != "ksys_read" {
		t.Errorf("set_graph_function is %q", text)
	}
	if err := g.restore(); err != nil {
		t.Error(err)
	}
	files["set_graph_function"] = "vfs_read vfs_write" // a word a line when it is read, as anyone likes when written
	for name, want := range files {
		if text, _ := os.ReadFile(in(name)); string(text) != want {
			t.Errorf("%s is %q, want %q", name, text, want)
		}
	}
	if _, err := os.Stat(in("instance")); err == nil {
		t.Error("the directory is still there")
	}
}

func TestGuardTellsWhatFailed(t *testing.T) {
	dir := t.TempDir()
	os.WriteFile(filepath.Join(dir, "file"), nil, 0o600)
	lock, err := os.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer lock.Close()
	g, err := startGuard([]step{{path: filepath.Join(dir, "file"), text: "1"}, {path: filepath.Join(dir, "file"), remove: true}}, int(lock.Fd()))
	if err != nil {
		t.Fatal(err)
	}
	err = g.restore()
	if err == nil {
		t.Fatal("a file was taken for a directory")
	}
	t.Log(err)
}

func TestGuardDismissed(t *testing.T) {
	dir := t.TempDir()
	lock, err := os.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer lock.Close()
	os.Mkdir(filepath.Join(dir, "kept"), 0o700)
	g, err := startGuard([]step{{path: filepath.Join(dir, "kept"), remove: true}}, int(lock.Fd()))
	if err != nil {
		t.Fatal(err)
	}
	g.dismiss()
	if _, err := os.Stat(filepath.Join(dir, "kept")); err != nil {
		t.Error(err)
	}
}
