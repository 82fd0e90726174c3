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
  v4 = mapvalue 4+0
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
  v12 = call 4(v10, 8, v11)
  v3 = or v3, v12
  v13 = load.8 v10+0
  v15 = add v13, 40
  v16 = call 4(v10, 8, v15)
  v3 = or v3, v16
  v17 = load.8 v10+0
  call 113(v8, 1032, 0)
  v18 = call 45(v8, 1025, v17)
  v3 = or v3, v18
  v19 = map 3
  v20 = call 1(v19, v8)
  if v20 ne 0 then b3 else b4
b3:
  v21 = load.8 v20+0
  v22 = add v21, 1
  store.8 v20+0, v22
  jump b10
b4:
  v23 = slot 2+0
  store.8 v23+0, 1
  v24 = call 2(v19, v8, v23, 1)
  if v24 ne 0 then b5 else b10
b5:
  v25 = call 1(v19, v8)
  if v25 ne 0 then b6 else b7
b6:
  v26 = load.8 v25+0
  v27 = add v26, 1
  store.8 v25+0, v27
  jump b10
b7:
  v28 = mapvalue 1+8
  v29 = load.8 v28+0
  atomicadd.8 v28+0, 1
  if v29 eq 0 then b8 else b10
b8:
  v31 = map 0
  v32 = call 131(v31, 24, 0)
  if v32 ne 0 then b9 else b10
b9:
  v30 = ext.4s v24
  store.8 v32+0, 0
  store.8 v32+8, 1
  store.8 v32+16, v30
  call 132(v32, 2)
  jump b10
b10:
  if v3 slt 0 then b11 else b12
b11:
  v33 = mapvalue 1+24
  atomicadd.8 v33+0, 1
  return 0
b12:
  return 0
}

map 1 fst_loss: kind 4, key 4, value 88, entries 1
map 2 fst_scratch: kind 5, key 4, value 1048, entries 4
map 3 @: kind 2, key 1032, value 8, entries 4096
map 4 fst_seen: kind 4, key 4, value 8, entries 1
