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
  v5 = load.8 v1+112
  v6 = slot 0+0
  v8 = slot 1+0
  v9 = add v5, 8
  v10 = call 113(v8, 8, v9)
  v11 = load.8 v8+0
  v13 = add v11, 40
  v14 = call 113(v8, 8, v13)
  v3 = or v10, v14
  v15 = load.8 v8+0
  call 113(v6, 1032, 0)
  v16 = call 115(v6, 1025, v15)
  v3 = or v3, v16
  v17 = map 3
  v18 = call 1(v17, v6)
  if v18 ne 0 then b1 else b2
b1:
  v19 = load.8 v18+0
  v20 = add v19, 1
  store.8 v18+0, v20
  jump b8
b2:
  v21 = slot 2+0
  store.8 v21+0, 1
  v22 = call 2(v17, v6, v21, 1)
  if v22 ne 0 then b3 else b8
b3:
  v23 = call 1(v17, v6)
  if v23 ne 0 then b4 else b5
b4:
  v24 = load.8 v23+0
  v25 = add v24, 1
  store.8 v23+0, v25
  jump b8
b5:
  v26 = mapvalue 1+8
  v27 = load.8 v26+0
  atomicadd.8 v26+0, 1
  if v27 eq 0 then b6 else b8
b6:
  v29 = map 0
  v30 = call 131(v29, 24, 0)
  if v30 ne 0 then b7 else b8
b7:
  v28 = ext.4s v22
  store.8 v30+0, 0
  store.8 v30+8, 1
  store.8 v30+16, v28
  call 132(v30, 2)
  jump b8
b8:
  if v3 slt 0 then b9 else b10
b9:
  v31 = mapvalue 1+24
  atomicadd.8 v31+0, 1
  return 0
b10:
  return 0
}

map 1 fst_loss: kind 4, key 4, value 72, entries 1
map 2 fst_scratch: kind 5, key 4, value 1048, entries 4
map 3 @: kind 2, key 1032, value 8, entries 4096
