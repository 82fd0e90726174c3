// kernel 7.2
kprobe:vfs_open { $p = (struct path *)arg0; @[str($p->dentry->d_name.name)] = count(); }
---
; program vfs_open
program vfs_open
func vfs_open(v1) {
  slot 0 "key" size 1032 align 8
  slot 1 "first" size 16 align 8
  slot 2 "read" size 8 align 8
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
  v27 = slot 2+0
  v28 = add v7, 8
  v29 = call probe_read(v27, 8, v28)
  v30 = and v29, 16777216
  v3 = or v3, v30
  v10 = load.8 v27+0
  v32 = add v10, 40
  v33 = call probe_read(v27, 8, v32)
  v34 = and v33, 33554432
  v3 = or v3, v34
  v11 = load.8 v27+0
  call probe_read_kernel(v8, 1032, 0)
  v35 = call probe_read_str(v8, 1025, v11)
  v36 = and v35, 67108864
  v3 = or v3, v36
  v37 = map "@"
  v12 = call map_lookup_elem(v37, v8)
  if v12 ne 0 then b3 else b4
b3:
  v13 = load.8 v12+0
  v14 = add v13, 1
  store.8 v12+0, v14
  jump b10
b4:
  v15 = slot 1+0
  store.8 v15+0, 1
  v16 = call map_update_elem(v37, v8, v15, 1)
  if v16 ne 0 then b5 else b10
b5:
  v17 = call map_lookup_elem(v37, v8)
  if v17 ne 0 then b7 else b6
b6:
  v20 = mapvalue fst_loss+8
  v21 = load.8 v20+0
  atomicadd.8 v20+0, 1
  if v21 eq 0 then b8 else b10
b7:
  v18 = load.8 v17+0
  v19 = add v18, 1
  store.8 v17+0, v19
  jump b10
b8:
  v40 = map fst_ring
  v23 = call ringbuf_reserve(v40, 24, 0)
  if v23 ne 0 then b9 else b10
b9:
  v22 = ext.4s v16
  store.8 v23+0, message 0
  store.8 v23+8, 1
  store.8 v23+16, v22
  call ringbuf_submit(v23, 2)
  jump b10
b10:
  if v3 ne 0 then b12 else b11
b11:
  return 0
b12:
  if v3 set 16777216 then b14 else b13
b13:
  if v3 set 33554432 then b16 else b15
b14:
  v24 = mapvalue fst_reads+0
  atomicadd.8 v24+0, 1
  return 0
b15:
  v26 = mapvalue fst_reads+16
  atomicadd.8 v26+0, 1
  return 0
b16:
  v25 = mapvalue fst_reads+8
  atomicadd.8 v25+0, 1
  return 0
}

map fst_loss: kind 4, key 4, value 96, entries 1
map fst_scratch: kind 5, key 4, value 1048, entries 4
map @: kind 2, key 1032, value 8, entries 4096
map fst_seen: kind 4, key 4, value 8, entries 1
map fst_reads: kind 4, key 4, value 24, entries 1
