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
  v29 = slot 2+0
  v30 = add v7, 8
  v31 = call probe_read(v29, 8, v30)
  v32 = and v31, 16777216
  v3 = or v3, v32
  v10 = load.8 v29+0
  v34 = add v10, 40
  v35 = call probe_read(v29, 8, v34)
  v36 = and v35, 33554432
  v3 = or v3, v36
  v11 = load.8 v29+0
  call probe_read_kernel(v8, 1032, 0)
  v37 = call probe_read_str(v8, 1025, v11)
  v38 = and v37, 67108864
  v3 = or v3, v38
  v12 = map "@"
  v13 = call map_lookup_elem(v12, v8)
  if v13 ne 0 then b3 else b4
b3:
  v14 = load.8 v13+0
  v15 = add v14, 1
  store.8 v13+0, v15
  jump b10
b4:
  v16 = slot 1+0
  store.8 v16+0, 1
  v17 = call map_update_elem(v12, v8, v16, 1)
  if v17 ne 0 then b5 else b10
b5:
  v18 = call map_lookup_elem(v12, v8)
  if v18 ne 0 then b6 else b7
b6:
  v19 = load.8 v18+0
  v20 = add v19, 1
  store.8 v18+0, v20
  jump b10
b7:
  v21 = mapvalue fst_loss+8
  v22 = load.8 v21+0
  atomicadd.8 v21+0, 1
  if v22 eq 0 then b8 else b10
b8:
  v24 = map fst_ring
  v25 = call ringbuf_reserve(v24, 24, 0)
  if v25 ne 0 then b9 else b10
b9:
  v23 = ext.4s v17
  store.8 v25+0, 0
  store.8 v25+8, 1
  store.8 v25+16, v23
  call ringbuf_submit(v25, 2)
  jump b10
b10:
  if v3 ne 0 then b11 else b12
b11:
  if v3 set 16777216 then b13 else b14
b12:
  return 0
b13:
  v26 = mapvalue fst_reads+0
  atomicadd.8 v26+0, 1
  return 0
b14:
  if v3 set 33554432 then b15 else b16
b15:
  v27 = mapvalue fst_reads+8
  atomicadd.8 v27+0, 1
  return 0
b16:
  v28 = mapvalue fst_reads+16
  atomicadd.8 v28+0, 1
  return 0
}

map fst_loss: kind 4, key 4, value 96, entries 1
map fst_scratch: kind 5, key 4, value 1048, entries 4
map @: kind 2, key 1032, value 8, entries 4096
map fst_seen: kind 4, key 4, value 8, entries 1
map fst_reads: kind 4, key 4, value 24, entries 1
