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
  call get_current_comm(v16, 16)
  v17 = map "@"
  v18 = call map_lookup_elem(v17, v16)
  if v18 ne 0 then b7 else b8
b7:
  v19 = load.8 v18+8
  if v19 eq 0 then b9 else b10
b8:
  v23 = slot 2+0
  store.8 v23+0, v10
  store.8 v23+8, 1
  v24 = call map_update_elem(v17, v16, v23, 1)
  if v24 ne 0 then b12 else b20
b9:
  store.8 v18+0, v10
  jump b11
b10:
  v20 = load.8 v18+0
  if v10 ugt v20 then b9 else b11
b11:
  v21 = load.8 v18+8
  v22 = add v21, 1
  store.8 v18+8, v22
  return 0
b12:
  v25 = call map_lookup_elem(v17, v16)
  if v25 ne 0 then b13 else b14
b13:
  v26 = load.8 v25+8
  if v26 eq 0 then b15 else b16
b14:
  v30 = mapvalue fst_loss+8
  v31 = load.8 v30+0
  atomicadd.8 v30+0, 1
  if v31 eq 0 then b18 else b20
b15:
  store.8 v25+0, v10
  jump b17
b16:
  v27 = load.8 v25+0
  if v10 ugt v27 then b15 else b17
b17:
  v28 = load.8 v25+8
  v29 = add v28, 1
  store.8 v25+8, v29
  return 0
b18:
  v33 = map fst_ring
  v34 = call ringbuf_reserve(v33, 24, 0)
  if v34 ne 0 then b19 else b20
b19:
  v32 = ext.4s v24
  store.8 v34+0, 0
  store.8 v34+8, 1
  store.8 v34+16, v32
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
