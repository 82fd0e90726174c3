// kernel 6.12
tracepoint:syscalls:sys_exit_pread* /args.ret < 0/ { @[probe] = count(); }
---
; program sys_exit_pread6
program sys_exit_pread6
func sys_exit_pread6(v1) {
  slot 0 "key" size 8 align 8
  slot 1 "first" size 16 align 8
  slot 2 "read" size 8 align 8
b0:
  v4 = load.8 v1+0
  v29 = slot 2+0
  v30 = add v4, 120
  v31 = call probe_read(v29, 8, v30)
  v5 = load.8 v29+0
  if v5 ne 17 then b2 else b1
b1:
  v6 = call get_current_task_btf()
  v7 = load.4 v6+16
  v8 = and v7, 2
  if v8 eq 0 then b4 else b17
b2:
  if v5 ne 295 then b3 else b1
b3:
  if v5 ne 327 then b17 else b1
b4:
  v9 = mapvalue fst_seen+0
  v10 = load.8 v9+0
  if v10 ult 1 then b5 else b6
b5:
  store.8 v9+0, 1
  jump b6
b6:
  v11 = load.8 v1+8
  if v11 slt 0 then b7 else b17
b7:
  v13 = load.8 v9+0
  if v13 ult 2 then b8 else b9
b8:
  store.8 v9+0, 2
  jump b9
b9:
  v14 = slot 0+0
  v15 = add v5, probe_name 2
  store.8 v14+0, v15
  v33 = map "@"
  v16 = call map_lookup_elem(v33, v14)
  if v16 ne 0 then b10 else b11
b10:
  v17 = load.8 v16+0
  v18 = add v17, 1
  store.8 v16+0, v18
  jump b17
b11:
  v19 = slot 1+0
  store.8 v19+0, 1
  v20 = call map_update_elem(v33, v14, v19, 1)
  if v20 ne 0 then b12 else b17
b12:
  v21 = call map_lookup_elem(v33, v14)
  if v21 ne 0 then b14 else b13
b13:
  v24 = mapvalue fst_loss+8
  v25 = load.8 v24+0
  atomicadd.8 v24+0, 1
  if v25 eq 0 then b15 else b17
b14:
  v22 = load.8 v21+0
  v23 = add v22, 1
  store.8 v21+0, v23
  jump b17
b15:
  v36 = map fst_ring
  v27 = call ringbuf_reserve(v36, 24, 0)
  if v27 ne 0 then b16 else b17
b16:
  v26 = ext.4s v20
  store.8 v27+0, message 0
  store.8 v27+8, 1
  store.8 v27+16, v26
  call ringbuf_submit(v27, 2)
  jump b17
b17:
  v32 = and v31, 16777216
  if v32 ne 0 then b19 else b18
b18:
  return 0
b19:
  v28 = mapvalue fst_reads+0
  atomicadd.8 v28+0, 1
  return 0
}

map fst_loss: kind 4, key 4, value 96, entries 1
map @: kind 2, key 8, value 8, entries 4096
map fst_reads: kind 4, key 4, value 8, entries 1
map fst_seen: kind 4, key 4, value 8, entries 1
