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
  call 16(v12, 16)
  v13 = map 3
  v14 = call 1(v13, v12)
  if v14 ne 0 then b3 else b4
b3:
  v15 = load.8 v14+8
  if v15 eq 0 then b5 else b6
b4:
  v19 = slot 2+0
  store.8 v19+0, v10
  store.8 v19+8, 1
  v20 = call 2(v13, v12, v19, 1)
  if v20 ne 0 then b8 else b16
b5:
  store.8 v14+0, v10
  jump b7
b6:
  v16 = load.8 v14+0
  if v10 ugt v16 then b5 else b7
b7:
  v17 = load.8 v14+8
  v18 = add v17, 1
  store.8 v14+8, v18
  return 0
b8:
  v21 = call 1(v13, v12)
  if v21 ne 0 then b9 else b10
b9:
  v22 = load.8 v21+8
  if v22 eq 0 then b11 else b12
b10:
  v26 = mapvalue 1+8
  v27 = load.8 v26+0
  atomicadd.8 v26+0, 1
  if v27 eq 0 then b14 else b16
b11:
  store.8 v21+0, v10
  jump b13
b12:
  v23 = load.8 v21+0
  if v10 ugt v23 then b11 else b13
b13:
  v24 = load.8 v21+8
  v25 = add v24, 1
  store.8 v21+8, v25
  return 0
b14:
  v29 = map 0
  v30 = call 131(v29, 24, 0)
  if v30 ne 0 then b15 else b16
b15:
  v28 = ext.4s v20
  store.8 v30+0, 0
  store.8 v30+8, 1
  store.8 v30+16, v28
  call 132(v30, 2)
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
