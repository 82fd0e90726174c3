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
  v35 = map fst_pair_vfs_read
  v6 = call map_lookup_elem(v35, v4)
  if v6 ne 0 then b1 else b20
b1:
  v7 = load.8 v6+0
  call map_delete_elem(v35, v4)
  v11 = mapvalue fst_seen+0
  v12 = load.8 v11+0
  if v12 ult 1 then b2 else b3
b2:
  store.8 v11+0, 1
  jump b3
b3:
  v8 = call ktime_get_boot_ns()
  v9 = sub v8, v7
  if v9 ugt 10000000 then b4 else b20
b4:
  v14 = load.8 v11+0
  if v14 ult 2 then b5 else b6
b5:
  store.8 v11+0, 2
  jump b6
b6:
  v15 = slot 1+0
  v16 = call get_current_task_btf()
  v17 = load.8 v16+2976
  store.8 v15+0, v17
  v18 = load.8 v16+2984
  store.8 v15+8, v18
  v37 = map "@"
  v19 = call map_lookup_elem(v37, v15)
  if v19 ne 0 then b7 else b8
b7:
  v20 = load.8 v19+8
  if v20 ne 0 then b11 else b9
b8:
  v24 = slot 2+0
  store.8 v24+0, v9
  store.8 v24+8, 1
  v25 = call map_update_elem(v37, v15, v24, 1)
  if v25 ne 0 then b12 else b20
b9:
  store.8 v19+0, v9
  jump b10
b10:
  v22 = load.8 v19+8
  v23 = add v22, 1
  store.8 v19+8, v23
  return 0
b11:
  v21 = load.8 v19+0
  if v9 ugt v21 then b9 else b10
b12:
  v26 = call map_lookup_elem(v37, v15)
  if v26 ne 0 then b14 else b13
b13:
  v31 = mapvalue fst_loss+8
  v32 = load.8 v31+0
  atomicadd.8 v31+0, 1
  if v32 eq 0 then b18 else b20
b14:
  v27 = load.8 v26+8
  if v27 ne 0 then b17 else b15
b15:
  store.8 v26+0, v9
  jump b16
b16:
  v29 = load.8 v26+8
  v30 = add v29, 1
  store.8 v26+8, v30
  return 0
b17:
  v28 = load.8 v26+0
  if v9 ugt v28 then b15 else b16
b18:
  v40 = map fst_ring
  v34 = call ringbuf_reserve(v40, 24, 0)
  if v34 ne 0 then b19 else b20
b19:
  v33 = ext.4s v25
  store.8 v34+0, message 0
  store.8 v34+8, 1
  store.8 v34+16, v33
  call ringbuf_submit(v34, 2)
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
  v10 = map fst_pair_vfs_read
  v8 = call map_update_elem(v10, v4, v6, 0)
  if v8 ne 0 then b1 else b2
b1:
  v9 = mapvalue fst_loss+16
  atomicadd.8 v9+0, 1
  return 0
b2:
  return 0
}

map fst_loss: kind 4, key 4, value 96, entries 1
map @: kind 2, key 16, value 16, entries 4096
map fst_pair_vfs_read: kind 0, key 16, value 8, entries 16384
map fst_seen: kind 4, key 4, value 8, entries 1
