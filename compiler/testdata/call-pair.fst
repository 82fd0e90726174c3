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
  v6 = map 4
  v7 = call 1(v6, v4)
  if v7 ne 0 then b1 else b16
b1:
  v8 = load.8 v7+0
  v9 = call 125()
  v10 = sub v9, v8
  call 3(v6, v4)
  if v10 ugt 10000000 then b2 else b16
b2:
  v12 = slot 1+0
  v13 = call 158()
  v14 = load.8 v13+2976
  store.8 v12+0, v14
  v15 = load.8 v13+2984
  store.8 v12+8, v15
  v16 = map 3
  v17 = call 1(v16, v12)
  if v17 ne 0 then b3 else b4
b3:
  v18 = load.8 v17+8
  if v18 eq 0 then b5 else b6
b4:
  v22 = slot 2+0
  store.8 v22+0, v10
  store.8 v22+8, 1
  v23 = call 2(v16, v12, v22, 1)
  if v23 ne 0 then b8 else b16
b5:
  store.8 v17+0, v10
  jump b7
b6:
  v19 = load.8 v17+0
  if v10 ugt v19 then b5 else b7
b7:
  v20 = load.8 v17+8
  v21 = add v20, 1
  store.8 v17+8, v21
  return 0
b8:
  v24 = call 1(v16, v12)
  if v24 ne 0 then b9 else b10
b9:
  v25 = load.8 v24+8
  if v25 eq 0 then b11 else b12
b10:
  v29 = mapvalue 1+8
  v30 = load.8 v29+0
  atomicadd.8 v29+0, 1
  if v30 eq 0 then b14 else b16
b11:
  store.8 v24+0, v10
  jump b13
b12:
  v26 = load.8 v24+0
  if v10 ugt v26 then b11 else b13
b13:
  v27 = load.8 v24+8
  v28 = add v27, 1
  store.8 v24+8, v28
  return 0
b14:
  v32 = map 0
  v33 = call 131(v32, 24, 0)
  if v33 ne 0 then b15 else b16
b15:
  v31 = ext.4s v23
  store.8 v33+0, 0
  store.8 v33+8, 1
  store.8 v33+16, v31
  call 132(v33, 2)
  return 0
b16:
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
  v7 = call 125()
  store.8 v6+0, v7
  v8 = map 4
  v9 = call 2(v8, v4, v6, 0)
  if v9 ne 0 then b1 else b2
b1:
  v10 = mapvalue 1+8
  atomicadd.8 v10+0, 1
  return 0
b2:
  return 0
}

map 1 fst_loss: kind 4, key 4, value 72, entries 1
map 3 @: kind 2, key 16, value 16, entries 4096
map 4 fst_pair0: kind 0, key 16, value 8, entries 16384
