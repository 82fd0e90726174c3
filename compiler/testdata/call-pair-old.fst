// kernel 5.10
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
  v32 = map fst_pair_vfs_read
  v6 = call map_lookup_elem(v32, v4)
  if v6 ne 0 then b1 else b20
b1:
  v7 = load.8 v6+0
  call map_delete_elem(v32, v4)
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
  call get_current_comm(v15, 16)
  v34 = map "@"
  v16 = call map_lookup_elem(v34, v15)
  if v16 ne 0 then b7 else b8
b7:
  v17 = load.8 v16+8
  if v17 ne 0 then b11 else b9
b8:
  v21 = slot 2+0
  store.8 v21+0, v9
  store.8 v21+8, 1
  v22 = call map_update_elem(v34, v15, v21, 1)
  if v22 ne 0 then b12 else b20
b9:
  store.8 v16+0, v9
  jump b10
b10:
  v19 = load.8 v16+8
  v20 = add v19, 1
  store.8 v16+8, v20
  return 0
b11:
  v18 = load.8 v16+0
  if v9 ugt v18 then b9 else b10
b12:
  v23 = call map_lookup_elem(v34, v15)
  if v23 ne 0 then b14 else b13
b13:
  v28 = mapvalue fst_loss+8
  v29 = load.8 v28+0
  atomicadd.8 v28+0, 1
  if v29 eq 0 then b18 else b20
b14:
  v24 = load.8 v23+8
  if v24 ne 0 then b17 else b15
b15:
  store.8 v23+0, v9
  jump b16
b16:
  v26 = load.8 v23+8
  v27 = add v26, 1
  store.8 v23+8, v27
  return 0
b17:
  v25 = load.8 v23+0
  if v9 ugt v25 then b15 else b16
b18:
  v37 = map fst_ring
  v31 = call ringbuf_reserve(v37, 24, 0)
  if v31 ne 0 then b19 else b20
b19:
  v30 = ext.4s v22
  store.8 v31+0, message 0
  store.8 v31+8, 1
  store.8 v31+16, v30
  call ringbuf_submit(v31, 2)
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
