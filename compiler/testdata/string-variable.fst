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
  slot 1 "read" size 8 align 8
  slot 2 "$other" size 16 align 8
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
  v17 = slot 1+0
  v18 = add v16, 104
  v19 = call probe_read(v17, 8, v18)
  v20 = and v19, 16777216
  v3 = or v3, v20
  v21 = load.8 v17+0
  store.8 v15+0, 0
  store.8 v15+8, 0
  store.8 v15+16, 0
  store.8 v15+24, 0
  v22 = call probe_read_user_str(v15, 32, v21)
  v23 = and v22, 33554432
  v3 = or v3, v23
  v26 = add v16, 96
  v27 = call probe_read(v17, 8, v26)
  v28 = and v27, 67108864
  v3 = or v3, v28
  v29 = load.8 v17+0
  v30 = ext.4s v29
  v31 = and v30, 1
  v32 = slot 2+0
  store.8 v32+0, 0
  store.8 v32+8, 0
  if v31 ne 0 then b8 else b9
b8:
  v35 = load.8 v5+2976
  store.8 v32+0, v35
  v36 = load.8 v5+2984
  store.8 v32+8, v36
  jump b9
b9:
  v37 = map fst_ring
  v38 = call ringbuf_query(v37, 0)
  if v38 ugt 4128768 then b10 else b11
b10:
  v41 = mapvalue fst_loss+0
  atomicadd.8 v41+0, 1
  jump b15
b11:
  v40 = call ringbuf_reserve(v37, 56, 0)
  if v40 ne 0 then b12 else b10
b12:
  store.8 v40+0, 0
  v43 = load.8 v15+0
  store.8 v40+8, v43
  v44 = load.8 v15+8
  store.8 v40+16, v44
  v45 = load.8 v15+16
  store.8 v40+24, v45
  v46 = load.8 v15+24
  store.8 v40+32, v46
  v48 = load.8 v32+0
  store.8 v40+40, v48
  v49 = load.8 v32+8
  store.8 v40+48, v49
  v50 = const 2
  if v38 ugt 1048576 then b14 else b13
b13:
  v50 = const 0
  jump b14
b14:
  call ringbuf_submit(v40, v50)
  jump b15
b15:
  if v3 ne 0 then b16 else b17
b16:
  if v3 set 16777216 then b18 else b19
b17:
  return 0
b18:
  v51 = mapvalue fst_reads+0
  atomicadd.8 v51+0, 1
  return 0
b19:
  if v3 set 33554432 then b20 else b21
b20:
  v52 = mapvalue fst_reads+8
  atomicadd.8 v52+0, 1
  return 0
b21:
  v53 = mapvalue fst_reads+16
  atomicadd.8 v53+0, 1
  return 0
}

map fst_loss: kind 4, key 4, value 96, entries 1
map fst_seen: kind 4, key 4, value 8, entries 1
map fst_reads: kind 4, key 4, value 24, entries 1
