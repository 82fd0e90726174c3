// kernel 7.2
kprobe:vfs_open { $p = (struct path *)arg0; @[str($p->dentry->d_name.name)] = count(); }
---
; program vfs_open
program vfs_open
func vfs_open(v1) {
  slot 0 "key" size 1032 align 8
  slot 1 "read" size 8 align 8
  slot 2 "first" size 16 align 8
  slot 3 "loss" size 8 align 8
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
  jump b12
b2:
  v21 = slot 2+0
  store.8 v21+0, 1
  v23 = call 2(v17, v6, v21, 0)
  if v23 ne 0 then b3 else b12
b3:
  v24 = slot 3+0
  store.4 v24+0, 1
  v25 = map 1
  v26 = call 1(v25, v24)
  if v26 ne 0 then b4 else b12
b4:
  v27 = load.8 v26+0
  v28 = add v27, 1
  store.8 v26+0, v28
  if v27 eq 0 then b5 else b12
b5:
  v30 = map 0
  v31 = call 134(v30, 0)
  if v31 ugt 98304 then b6 else b7
b6:
  store.4 v24+0, 0
  v36 = call 1(v25, v24)
  if v36 ne 0 then b9 else b12
b7:
  v33 = call 131(v30, 24, 0)
  if v33 ne 0 then b8 else b6
b8:
  v29 = ext.4s v23
  store.8 v33+0, 0
  store.8 v33+8, 1
  store.8 v33+16, v29
  v39 = const 2
  if v31 ugt 32768 then b11 else b10
b9:
  v37 = load.8 v36+0
  v38 = add v37, 1
  store.8 v36+0, v38
  jump b12
b10:
  v39 = const 0
  jump b11
b11:
  call 132(v33, v39)
  jump b12
b12:
  if v3 slt 0 then b13 else b14
b13:
  v40 = slot 3+0
  store.4 v40+0, 3
  v41 = map 1
  v42 = call 1(v41, v40)
  if v42 ne 0 then b15 else b14
b14:
  return 0
b15:
  v43 = load.8 v42+0
  v44 = add v43, 1
  store.8 v42+0, v44
  return 0
}

map 1 fst_loss: kind 5, key 4, value 8, entries 9
map 2 fst_scratch: kind 5, key 4, value 1048, entries 4
map 3 @: kind 2, key 1032, value 8, entries 4096
