package compiler

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"testing"

	"fst/compiler/check"
	"fst/compiler/object"
	"fst/compiler/target/fixture"
	"fst/lang/diag"
	"fst/lang/parse"
	"fst/lang/source"
)

// stableClauses are those that stay as they are while others change.
var stableClauses = []string{
	`kprobe:vfs_read { @reads[comm] = count(); printf("%d %s\n", pid, str(arg1)); }`,
	`tracepoint:sched:sched_switch { @prev[args.prev_comm] = hist(args.prev_pid); @total = sum(1); }`,
	`call:vfs_write { @took[probe] = sum(took); printf("%s %d\n", probe, args.count); }`,
	`kprobe:vfs_open, kprobe:vfs_fsync { @names[probe] = max(nsecs); if (args.file != 0) { printf("%s\n", str(args.file->f_path.dentry->d_name.name)); } }`,
	`syscall:read, syscall:write { @sizes[probe, retval] = count(); @which[probe] = took; }`,
	`kretprobe:vfs_read { @stacks[kstack] = count(); @late[comm] = lhist(retval, 0, 100, 10); }`,
	`interval:1s { print(@reads, 5); clear(@reads); @seen++; errorf("%d\n", @seen); }`,
	`fentry:tcp_sendmsg { for ($i : 0..100) { @turns[$i] = count(); printf("%d\n", $i); } print((1, pid)); exit(); }`,
}

// compiled returns the programs of a script by the places that they are on.
func compiled(t *testing.T, k *fixture.Kernel, text string) (*object.Object, map[string]*object.Program) {
	t.Helper()
	var set source.Set
	var diags diag.List
	tree := parse.Parse(set.Add("a.fst", text), &diags)
	obj, err := Compile(&set, tree, Options{Options: check.Options{Target: k}}, &diags)
	if err != nil || obj == nil {
		t.Fatalf("%v %v\n%s", err, diags, text)
	}
	programs := map[string]*object.Program{}
	for _, p := range obj.Programs {
		var places []string
		for _, h := range p.Places() {
			places = append(places, h.Name)
		}
		programs[fmt.Sprint(strings.Join(places, ","), p.Entry)] = p
	}
	return obj, programs
}

// TestStable: what is made of a clause does not depend on the other clauses of the script: neither its
// instructions nor the names of its program and of what these refer to.
func TestStable(t *testing.T) {
	k, err := fixture.Load("7.2")
	if err != nil {
		t.Fatal(err)
	}
	const other = `kprobe:vfs_mkdir { @other[probe] = count(); @x[str(arg1)] = hist(nsecs); @y = args.dir->i_ino; printf("%s %s\n", probe, str(args.dentry->d_name.name)); } kretprobe:vfs_mkdir { @other[probe] = count(); } call:vfs_rmdir { print(took); }`
	was, base := compiled(t, k, strings.Join(stableClauses, "\n"))
	for name, clauses := range map[string][]string{
		"one more at the begin": slices.Insert(slices.Clone(stableClauses), 0, other),
		"one more in between":   slices.Insert(slices.Clone(stableClauses), 3, other),
		"one more at the end":   append(slices.Clone(stableClauses), other),
		"without the second":    slices.Delete(slices.Clone(stableClauses), 1, 2),
		"without the last":      stableClauses[:len(stableClauses)-1],
		"in another order":      {stableClauses[7], stableClauses[2], stableClauses[0], stableClauses[1], stableClauses[6], stableClauses[5], stableClauses[4], stableClauses[3]},
	} {
		obj, programs := compiled(t, k, strings.Join(clauses, "\n"))
		same := 0
		for place, p := range programs {
			old := base[place]
			if old == nil {
				continue
			}
			same++
			if p.Name != old.Name {
				t.Errorf("%s: %s is named %s, was %s", name, place, p.Name, old.Name)
			}
			if !bytes.Equal(p.Code.Insns, old.Code.Insns) {
				t.Errorf("%s: the code of %s differs", name, place)
			}
			if now, then := links(obj, p), links(was, old); !slices.Equal(now, then) {
				t.Errorf("%s: %s refers to %v, referred to %v", name, place, now, then)
			}
		}
		if same < len(stableClauses)-1 {
			t.Errorf("%s: %d of the programs are the same", name, same)
		}
	}
}

// links are what the code of a program refers to, by name.
func links(obj *object.Object, p *object.Program) (list []string) {
	for _, l := range p.Code.Links {
		text := fmt.Sprint(l.At, " ", l.Kind)
		if l.Kind == object.LinkMap {
			text += " " + obj.Maps[l.Number].Name
		}
		list = append(list, text)
	}
	return list
}
