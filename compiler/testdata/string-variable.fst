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
  if v4 eq 257 then b1 else b17
b1:
  v5 = call get_current_task_btf()
  v6 = load.4 v5+16
  v7 = and v6, 2
  if v7 eq 0 then b2 else b15
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
  if v11 eq 77 then b5 else b15
b5:
  v14 = load.8 v8+0
  if v14 ult 2 then b6 else b7
b6:
  store.8 v8+0, 2
  jump b7
b7:
  v15 = slot 0+0
  v16 = load.8 v1+0
  v44 = slot 2+0
  v45 = add v16, 104
  v46 = call probe_read(v44, 8, v45)
  v47 = and v46, 16777216
  v3 = or v3, v47
  v17 = load.8 v44+0
  store.8 v15+0, 0
  store.8 v15+8, 0
  store.8 v15+16, 0
  store.8 v15+24, 0
  v48 = call probe_read_user_str(v15, 32, v17)
  v49 = and v48, 33554432
  v3 = or v3, v49
  v51 = add v16, 96
  v52 = call probe_read(v44, 8, v51)
  v53 = and v52, 67108864
  v3 = or v3, v53
  v19 = load.8 v44+0
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
  v27 = map fst_ring
  v28 = call ringbuf_query(v27, 0)
  if v28 ugt 4128768 then b10 else b11
b10:
  v31 = mapvalue fst_loss+0
  atomicadd.8 v31+0, 1
  jump b15
b11:
  v30 = call ringbuf_reserve(v27, 56, 0)
  if v30 ne 0 then b12 else b10
b12:
  store.8 v30+0, 0
  v33 = load.8 v15+0
  store.8 v30+8, v33
  v34 = load.8 v15+8
  store.8 v30+16, v34
  v35 = load.8 v15+16
  store.8 v30+24, v35
  v36 = load.8 v15+24
  store.8 v30+32, v36
  v38 = load.8 v22+0
  store.8 v30+40, v38
  v39 = load.8 v22+8
  store.8 v30+48, v39
  v40 = const 2
  if v28 ugt 1048576 then b14 else b13
b13:
  v40 = const 0
  jump b14
b14:
  call ringbuf_submit(v30, v40)
  jump b15
b15:
  if v3 ne 0 then b16 else b17
b16:
  if v3 set 16777216 then b18 else b19
b17:
  return 0
b18:
  v41 = mapvalue fst_reads+0
  atomicadd.8 v41+0, 1
  return 0
b19:
  if v3 set 33554432 then b20 else b21
b20:
  v42 = mapvalue fst_reads+8
  atomicadd.8 v42+0, 1
  return 0
b21:
  v43 = mapvalue fst_reads+16
  atomicadd.8 v43+0, 1
  return 0
}

map fst_loss: kind 4, key 4, value 96, entries 1
map fst_seen: kind 4, key 4, value 8, entries 1
map fst_reads: kind 4, key 4, value 24, entries 1
