// kernel 7.2
kprobe:vfs_open { $p = (struct path *)arg0; @[str($p->dentry->d_name.name)] = count(); }
---
; program vfs_open
program vfs_open
func vfs_open(v1) {
  slot 0 "key" size 1032 align 8
  slot 1 "read" size 8 align 8
  slot 2 "first" size 16 align 8
b0:
  v3 = const 0
  v4 = mapvalue fst_seen+0
  v5 = load.8 v4+0
  if v5 ult 2 then b1 else b2
b1:
  store.8 v4+0, 2
  jump b2
b2:
  v7 = load.8 v1+112
  v8 = slot 0+0
  v10 = slot 1+0
  v11 = add v7, 8
  v12 = call probe_read(v10, 8, v11)
  v13 = and v12, 16777216
  v3 = or v3, v13
  v14 = load.8 v10+0
  v16 = add v14, 40
  v17 = call probe_read(v10, 8, v16)
  v18 = and v17, 33554432
  v3 = or v3, v18
  v19 = load.8 v10+0
  call probe_read_kernel(v8, 1032, 0)
  v20 = call probe_read_str(v8, 1025, v19)
  v21 = and v20, 67108864
  v3 = or v3, v21
  v22 = map "@"
  v23 = call map_lookup_elem(v22, v8)
  if v23 ne 0 then b3 else b4
b3:
  v24 = load.8 v23+0
  v25 = add v24, 1
  store.8 v23+0, v25
  jump b10
b4:
  v26 = slot 2+0
  store.8 v26+0, 1
  v27 = call map_update_elem(v22, v8, v26, 1)
  if v27 ne 0 then b5 else b10
b5:
  v28 = call map_lookup_elem(v22, v8)
  if v28 ne 0 then b6 else b7
b6:
  v29 = load.8 v28+0
  v30 = add v29, 1
  store.8 v28+0, v30
  jump b10
b7:
  v31 = mapvalue fst_loss+8
  v32 = load.8 v31+0
  atomicadd.8 v31+0, 1
  if v32 eq 0 then b8 else b10
b8:
  v34 = map fst_ring
  v35 = call ringbuf_reserve(v34, 24, 0)
  if v35 ne 0 then b9 else b10
b9:
  v33 = ext.4s v27
  store.8 v35+0, 0
  store.8 v35+8, 1
  store.8 v35+16, v33
  call ringbuf_submit(v35, 2)
  jump b10
b10:
  if v3 ne 0 then b11 else b12
b11:
  if v3 set 16777216 then b13 else b14
b12:
  return 0
b13:
  v36 = mapvalue fst_reads+0
  atomicadd.8 v36+0, 1
  return 0
b14:
  if v3 set 33554432 then b15 else b16
b15:
  v37 = mapvalue fst_reads+8
  atomicadd.8 v37+0, 1
  return 0
b16:
  v38 = mapvalue fst_reads+16
  atomicadd.8 v38+0, 1
  return 0
}

map fst_loss: kind 4, key 4, value 96, entries 1
map fst_scratch: kind 5, key 4, value 1048, entries 4
map @: kind 2, key 1032, value 8, entries 4096
map fst_seen: kind 4, key 4, value 8, entries 1
map fst_reads: kind 4, key 4, value 24, entries 1
