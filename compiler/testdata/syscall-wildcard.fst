// kernel 6.12
tracepoint:syscalls:sys_exit_pread* /args.ret < 0/ { @[probe] = count(); }
---
; program sys_exit_pread6
program sys_exit_pread6
func sys_exit_pread6(v1) {
  slot 0 "read" size 8 align 8
  slot 1 "key" size 8 align 8
  slot 2 "first" size 16 align 8
b0:
  v4 = load.8 v1+0
  v5 = slot 0+0
  v6 = add v4, 120
  v7 = call probe_read(v5, 8, v6)
  v9 = load.8 v5+0
  if v9 eq 17 then b1 else b2
b1:
  v10 = call get_current_task_btf()
  v11 = load.4 v10+16
  v12 = and v11, 2
  if v12 eq 0 then b4 else b17
b2:
  if v9 eq 295 then b1 else b3
b3:
  if v9 eq 327 then b1 else b17
b4:
  v13 = mapvalue fst_seen+0
  v14 = load.8 v13+0
  if v14 ult 1 then b5 else b6
b5:
  store.8 v13+0, 1
  jump b6
b6:
  v15 = load.8 v1+8
  if v15 slt 0 then b7 else b17
b7:
  v17 = load.8 v13+0
  if v17 ult 2 then b8 else b9
b8:
  store.8 v13+0, 2
  jump b9
b9:
  v18 = slot 1+0
  v19 = add v9, 1
  store.8 v18+0, v19
  v20 = map "@"
  v21 = call map_lookup_elem(v20, v18)
  if v21 ne 0 then b10 else b11
b10:
  v22 = load.8 v21+0
  v23 = add v22, 1
  store.8 v21+0, v23
  jump b17
b11:
  v24 = slot 2+0
  store.8 v24+0, 1
  v25 = call map_update_elem(v20, v18, v24, 1)
  if v25 ne 0 then b12 else b17
b12:
  v26 = call map_lookup_elem(v20, v18)
  if v26 ne 0 then b13 else b14
b13:
  v27 = load.8 v26+0
  v28 = add v27, 1
  store.8 v26+0, v28
  jump b17
b14:
  v29 = mapvalue fst_loss+8
  v30 = load.8 v29+0
  atomicadd.8 v29+0, 1
  if v30 eq 0 then b15 else b17
b15:
  v32 = map fst_ring
  v33 = call ringbuf_reserve(v32, 24, 0)
  if v33 ne 0 then b16 else b17
b16:
  v31 = ext.4s v25
  store.8 v33+0, 0
  store.8 v33+8, 1
  store.8 v33+16, v31
  call ringbuf_submit(v33, 2)
  jump b17
b17:
  v8 = and v7, 16777216
  if v8 ne 0 then b18 else b19
b18:
  v34 = mapvalue fst_reads+0
  atomicadd.8 v34+0, 1
  return 0
b19:
  return 0
}

map fst_loss: kind 4, key 4, value 96, entries 1
map @: kind 2, key 8, value 8, entries 4096
map fst_reads: kind 4, key 4, value 8, entries 1
map fst_seen: kind 4, key 4, value 8, entries 1
