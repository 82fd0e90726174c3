// kernel 6.12
// What surely gets its whole value first is written in place, without being zeroed.
tracepoint:syscalls:sys_enter_openat /pid == 77/ {
	$name = str(args.filename, 32);
	if (args.flags & 1) {
		$other = comm;
	}
	printf("%s %s\n", $name, $other);
}
---
; program sys_enter_opena
program sys_enter_opena
func sys_enter_opena(v1) {
  slot 0 "$name" size 32 align 8
  slot 1 "$other" size 16 align 8
  slot 2 "read" size 8 align 8
b0:
  v3 = const 0
  v4 = load.8s v1+8
  if v4 ne 257 then b13 else b1
b1:
  v5 = call get_current_task_btf()
  v6 = load.4 v5+16
  v7 = and v6, 2
  if v7 eq 0 then b2 else b12
b2:
  v8 = mapvalue fst_seen+0
  v9 = load.8 v8+0
  if v9 ult 1 then b3 else b4
b3:
  store.8 v8+0, 1
  jump b4
b4:
  v10 = call get_current_pid_tgid()
  v11 = rsh v10, 32
  if v11 eq 77 then b5 else b12
b5:
  v14 = load.8 v8+0
  if v14 ult 2 then b6 else b7
b6:
  store.8 v8+0, 2
  jump b7
b7:
  v15 = slot 0+0
  v16 = load.8 v1+0
  v40 = slot 2+0
  v41 = add v16, 104
  v42 = call probe_read(v40, 8, v41)
  v43 = and v42, 16777216
  v3 = or v3, v43
  v17 = load.8 v40+0
  store.8 v15+0, 0
  store.8 v15+8, 0
  store.8 v15+16, 0
  store.8 v15+24, 0
  v44 = call probe_read_user_str(v15, 32, v17)
  v45 = and v44, 33554432
  v3 = or v3, v45
  v47 = add v16, 96
  v48 = call probe_read(v40, 8, v47)
  v49 = and v48, 67108864
  v3 = or v3, v49
  v19 = load.8 v40+0
  v20 = ext.4s v19
  v21 = and v20, 1
  v22 = slot 1+0
  store.8 v22+0, 0
  store.8 v22+8, 0
  if v21 ne 0 then b8 else b9
b8:
  v25 = load.8 v5+2976
  store.8 v22+0, v25
  v26 = load.8 v5+2984
  store.8 v22+8, v26
  jump b9
b9:
  v51 = map fst_ring
  v50 = call ringbuf_query(v51, 0)
  if v50 ugt ring_limit 4128768 then b11 else b19
b10:
  store.8 v27+0, message 0
  v30 = load.8 v15+0
  store.8 v27+8, v30
  v31 = load.8 v15+8
  store.8 v27+16, v31
  v32 = load.8 v15+16
  store.8 v27+24, v32
  v33 = load.8 v15+24
  store.8 v27+32, v33
  v35 = load.8 v22+0
  store.8 v27+40, v35
  v36 = load.8 v22+8
  store.8 v27+48, v36
  v53 = const 2
  if v50 ule ring_quarter 1048576 then b20 else b21
b11:
  v28 = mapvalue fst_loss+0
  atomicadd.8 v28+0, 1
  jump b12
b12:
  if v3 ne 0 then b14 else b13
b13:
  return 0
b14:
  if v3 set 16777216 then b16 else b15
b15:
  if v3 set 33554432 then b18 else b17
b16:
  v37 = mapvalue fst_reads+0
  atomicadd.8 v37+0, 1
  return 0
b17:
  v39 = mapvalue fst_reads+16
  atomicadd.8 v39+0, 1
  return 0
b18:
  v38 = mapvalue fst_reads+8
  atomicadd.8 v38+0, 1
  return 0
b19:
  v27 = call ringbuf_reserve(v51, 56, 0)
  if v27 ne 0 then b10 else b11
b20:
  v53 = const 0
  jump b22
b21:
  v54 = rsh v50, 3
  v54 = sub v50, v54
  if v54 ugt ring_quarter 1048576 then b20 else b22
b22:
  call ringbuf_submit(v27, v53)
  jump b12
}

map fst_loss: kind 4, key 4, value 96, entries 1
map fst_seen: kind 4, key 4, value 8, entries 1
map fst_reads: kind 4, key 4, value 24, entries 1
