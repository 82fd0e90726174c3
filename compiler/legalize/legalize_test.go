package legalize_test

import (
	"strings"
	"testing"

	"fst/compiler/ir"
	"fst/compiler/legalize"
)

// TestProgram: each operation becomes what the kernel has for it, and what counts reads that are not
// there any more goes.
func TestProgram(t *testing.T) {
	p, err := ir.Parse(`program p
func main(v1) failed v2 {
  slot 0 "mem" size 16 align 8
b0:
  v2 = const 0
  v3 = get task
  v4 = read.4s user v3+8 bit 24 "task_struct.pid"
  v5 = slot 0+0
  readmem any text bit 25 (v5, 16, v4)
  v6 = get own_ids
  v7 = get cookie v1
  if v2 set 16777216 then b1 else b2
b1:
  return v6
b2:
  if v2 set 67108864 then b1 else b3
b3:
  return v7
}
`)
	if err != nil {
		t.Fatal(err)
	}
	for _, form := range []*ir.Program{p, p.Clone()} {
		if err := ir.Verify(form); err != nil {
			t.Fatal(err)
		}
	}
	flat := p.Clone()
	legalize.Program(p, legalize.Options{Nested: true, Dev: 4, Inode: 5})
	legalize.Program(flat, legalize.Options{})
	if err := ir.Verify(p); err != nil {
		t.Fatal(err)
	}
	const want = `program p
func main(v1) {
  slot 0 mem size 16 align 8
  slot 1 read size 8 align 8
  slot 2 pidns size 8 align 8
b0:
  v2 = const 0
  v3 = call get_current_task()
  v8 = slot 1+0
  v9 = add v3, 8
  v10 = call probe_read_user(v8, 4, v9)
  v11 = and v10, 16777216
  v2 = or v2, v11
  v4 = load.4s v8+0
  v5 = slot 0+0
  v12 = call probe_read_str(v5, 16, v4)
  v13 = and v12, 33554432
  v2 = or v2, v13
  v16 = slot 2+0
  store.8 v16+0, 0
  v14 = const 4
  v15 = const 5
  call get_ns_current_pid_tgid(v14, v15, v16, 8)
  v6 = load.8 v16+0
  v7 = call get_attach_cookie(v1)
  if v2 set 16777216 then b1 else b2
b1:
  return v6
b2:
  jump b3
b3:
  return v7
}
`
	if got := strings.ReplaceAll(p.String(), `"`, ""); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	if got := flat.String(); !strings.Contains(got, "v6 = call get_current_pid_tgid()") || strings.Contains(got, "pidns") {
		t.Errorf("without a namespace: %s", got)
	}
}

// TestCalls: what is done to maps, records of messages and stacks becomes a helper's call; of a map that
// takes turns the verifier is shown that there is one.
func TestCalls(t *testing.T) {
	const key, end = "program p\nfunc main(v1) {\n  slot 0 key size 8 align 8\nb0:\n  v2 = slot 0+0\n  store.8 v2+0, 0\n", "  return 0\n}\n"
	for text, want := range map[string]string{
		`  v3 = lookup "@a"(v2)`:           "  v4 = map \"@a\"\n  v3 = call map_lookup_elem(v4, v2)",
		`  v3 = update "@a"(v2, v2)`:       "  v4 = map \"@a\"\n  v3 = call map_update_elem(v4, v2, v2, 0)",
		`  v3 = insert "@a"(v2, v2)`:       "  v4 = map \"@a\"\n  v3 = call map_update_elem(v4, v2, v2, 1)",
		`  v3 = thread "@a"(1)`:            "  v5 = map \"@a\"\n  v4 = call get_current_task_btf()\n  v3 = call task_storage_get(v5, v4, 0, 1)",
		`  v3 = stack user v1(v2, 8, 1)`:   "  v3 = call get_stack(v1, v2, 8, 257)",
		`  comm(v2, 8)`:                    "  call get_current_comm(v2, 8)",
		`  v3 = path(v2, v2, 8)`:           "  v3 = call d_path(v2, v2, 8)",
		`  v3 = socketcookie(v2)`:          "  v3 = call get_socket_cookie(v2)",
		`  v3 = loop(5, v2, v2)`:           "  v3 = call loop(5, v2, v2, 0)",
		`  v3 = writeuser(64, v2, 8)`:      "  v3 = call probe_write_user(64, v2, 8)",
		`  v3 = signal(9)`:                 "  v3 = call send_signal(9)",
		`  v3 = signalthread(9)`:           "  v3 = call send_signal_thread(9)",
		`  v3 = override(v1, -1)`:          "  v3 = call override_return(v1, -1)",
		`  v3 = trace(v2, 8, 1, 2)`:        "  v3 = call trace_printk(v2, 8, 1, 2)",
		`  v3 = printfile v1(v2, 8, 0, 0)`: "  v4 = load.8 v1+0\n  v5 = load.8 v4+0\n  v3 = call seq_printf(v5, v2, 8, 0, 0)",
		"  v3 = reserve fst_ring control 8\n  submit fst_ring control v3": "  v4 = map fst_ring\n  v3 = call ringbuf_reserve(v4, 8, 0)\n  call ringbuf_submit(v3, 2)",
		"  v3 = reserve fst_ring 8\n  submit fst_ring v3": `  v5 = map fst_ring
  v4 = call ringbuf_query(v5, 0)
  if v4 ugt ring_limit 3072 then b1 else b2
b1:
  v3 = const 0
  jump b3
b2:
  v6 = map fst_ring
  v3 = call ringbuf_reserve(v6, 8, 0)
  jump b3
b3:
  v7 = const 2
  if v4 ule ring_quarter 1024 then b4 else b5
b4:
  v7 = const 0
  jump b6
b5:
  v8 = rsh v4, 3
  v8 = sub v4, v8
  if v8 ugt ring_quarter 1024 then b4 else b6
b6:
  call ringbuf_submit(v3, v7)`,
		`  v3 = lookupcpu "@a" in v1(v2, 7)`: "  v3 = call map_lookup_percpu_elem(v1, v2, 7)",
		"  v3 = turn \"@a\" 5\n  v4 = delete \"@a\" in v3(v2)": `  v5 = slot 1+0
  v6 = and 5, 1
  store.4 v5+0, v6
  v7 = map "@a"
  v3 = call map_lookup_elem(v7, v5)
  v4 = const -2
  if v3 ne 0 then b1 else b2
b1:
  v4 = call map_delete_elem(v3, v2)
  jump b2
b2:`,
	} {
		p, err := ir.Parse(key + text + "\n" + end)
		if err != nil {
			t.Fatal(err)
		}
		if again, err := ir.Parse(p.String()); err != nil || again.String() != p.String() {
			t.Errorf("%s reads back as\n%s\n%v", text, again, err)
		}
		if err := ir.Verify(p); err != nil {
			t.Fatal(err)
		}
		legalize.Program(p, legalize.Options{RingSize: 4096})
		if err := ir.Verify(p); err != nil {
			t.Fatal(err)
		}
		got := p.String()
		if !strings.Contains(got, "store.8 v2+0, 0\n"+want+"\n"+end) {
			t.Errorf("%s becomes\n%s\nwant\n%s", text, got, want)
		}
	}
}
