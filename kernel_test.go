package fst

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// A program is compiled for a recorded kernel with what the binaries of this
// machine say of themselves.
func TestRecordedPrograms(t *testing.T) {
	cc, err := exec.LookPath("g++")
	if err != nil {
		t.Skip("there is no compiler: ", err)
	}
	bin := filepath.Join(t.TempDir(), "prog")
	source := bin + ".cpp"
	const text = `struct item { int a; };
int total = 0;
__attribute__((noipa)) int work(int n, item *i) {
	total += n + i->a;
	return total;
}
int main() {
	item i = {1};
	return work(3, &i);
}
`
	if err := os.WriteFile(source, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	if out, err := exec.Command(cc, "-g", "-O1", "-o", bin, source).CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	kernel, err := OpenRecorded("compiler/target/fixture/testdata/5.10.zip")
	if err != nil {
		t.Fatal(err)
	}
	for _, script := range []string{
		`uprobe:BIN:_Z4workiP4item { printf("%d %d\n", args.n, args.i->a); }`,
		`uprobe:BIN:_Z4workiP4item { print(((struct item *)arg1)->a); }`,
		`uprobe:BIN:"work(int, item*)" { @ = count(); }`,
		`uprobe:BIN@prog.cpp:4 { @ = count(); }`,
	} {
		if _, err := Compile(strings.ReplaceAll(script, "BIN", bin), Options{Kernel: kernel}); err != nil {
			t.Errorf("%s: %v", script, err)
		}
	}
	// It is seen where an instruction begins.
	if _, err := Compile("uprobe:"+bin+":_Z4workiP4item+1 { @ = count(); }", Options{Kernel: kernel}); err == nil || !strings.Contains(err.Error(), "middle of an instruction") {
		t.Error("a probe in the middle of an instruction was taken: ", err)
	}
}
