// kernel 6.1
call:vfs_read /took > 10ms/ { @[comm] = max(took); }
---
; program vfs_read
program vfs_read
func vfs_read(v1) {
  slot 0 "pair" size 16 align 8
  slot 1 "key" size 16 align 8
  slot 2 "first" size 16 align 8
b0:
  v4 = slot 0+0
  store.8 v4+0, v1
  store.8 v4+8, 0
  v6 = map fst_pair0
  v7 = call map_lookup_elem(v6, v4)
  if v7 ne 0 then b1 else b20
b1:
  v8 = load.8 v7+0
  call map_delete_elem(v6, v4)
  v12 = mapvalue fst_seen+0
  v13 = load.8 v12+0
  if v13 ult 1 then b2 else b3
b2:
  store.8 v12+0, 1
  jump b3
b3:
  v9 = call ktime_get_boot_ns()
  v10 = sub v9, v8
  if v10 ugt 10000000 then b4 else b20
b4:
  v15 = load.8 v12+0
  if v15 ult 2 then b5 else b6
b5:
  store.8 v12+0, 2
  jump b6
b6:
  v16 = slot 1+0
  v17 = call get_current_task_btf()
  v18 = load.8 v17+2976
  store.8 v16+0, v18
  v19 = load.8 v17+2984
  store.8 v16+8, v19
  v20 = map "@"
  v21 = call map_lookup_elem(v20, v16)
  if v21 ne 0 then b7 else b8
b7:
  v22 = load.8 v21+8
  if v22 eq 0 then b9 else b10
b8:
  v26 = slot 2+0
  store.8 v26+0, v10
  store.8 v26+8, 1
  v27 = call map_update_elem(v20, v16, v26, 1)
  if v27 ne 0 then b12 else b20
b9:
  store.8 v21+0, v10
  jump b11
b10:
  v23 = load.8 v21+0
  if v10 ugt v23 then b9 else b11
b11:
  v24 = load.8 v21+8
  v25 = add v24, 1
  store.8 v21+8, v25
  return 0
b12:
  v28 = call map_lookup_elem(v20, v16)
  if v28 ne 0 then b13 else b14
b13:
  v29 = load.8 v28+8
  if v29 eq 0 then b15 else b16
b14:
  v33 = mapvalue fst_loss+8
  v34 = load.8 v33+0
  atomicadd.8 v33+0, 1
  if v34 eq 0 then b18 else b20
b15:
  store.8 v28+0, v10
  jump b17
b16:
  v30 = load.8 v28+0
  if v10 ugt v30 then b15 else b17
b17:
  v31 = load.8 v28+8
  v32 = add v31, 1
  store.8 v28+8, v32
  return 0
b18:
  v36 = map fst_ring
  v37 = call ringbuf_reserve(v36, 24, 0)
  if v37 ne 0 then b19 else b20
b19:
  v35 = ext.4s v27
  store.8 v37+0, 0
  store.8 v37+8, 1
  store.8 v37+16, v35
  call ringbuf_submit(v37, 2)
  return 0
b20:
  return 0
}

; program vfs_read
program vfs_read
func vfs_read(v1) {
  slot 0 "pair" size 16 align 8
  slot 1 "entry" size 8 align 8
b0:
  v4 = slot 0+0
  store.8 v4+0, v1
  store.8 v4+8, 0
  v6 = slot 1+0
  v7 = call ktime_get_boot_ns()
  store.8 v6+0, v7
  v8 = map fst_pair0
  v9 = call map_update_elem(v8, v4, v6, 0)
  if v9 ne 0 then b1 else b2
b1:
  v10 = mapvalue fst_loss+16
  atomicadd.8 v10+0, 1
  return 0
b2:
  return 0
}

map fst_loss: kind 4, key 4, value 96, entries 1
map @: kind 2, key 16, value 16, entries 4096
map fst_pair0: kind 0, key 16, value 8, entries 16384
map fst_seen: kind 4, key 4, value 8, entries 1
