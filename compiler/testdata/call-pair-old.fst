// kernel 5.10
call:vfs_read /took > 10ms/ { @[comm] = max(took); }
---
; program vfs_read
program vfs_read
func vfs_read(v1) {
  slot 0 "pair" size 16 align 8
  slot 1 "key" size 16 align 8
  slot 2 "first" size 16 align 8
  slot 3 "loss" size 8 align 8
b0:
  v4 = slot 0+0
  store.8 v4+0, v1
  store.8 v4+8, 0
  v6 = map 4
  v7 = call 1(v6, v4)
  if v7 ne 0 then b1 else b17
b1:
  v8 = load.8 v7+0
  v9 = call 125()
  v10 = sub v9, v8
  call 3(v6, v4)
  if v10 ugt 10000000 then b2 else b17
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
  v21 = call 2(v13, v12, v19, 0)
  if v21 ne 0 then b8 else b17
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
  v22 = slot 3+0
  store.4 v22+0, 1
  v23 = map 1
  v24 = call 1(v23, v22)
  if v24 ne 0 then b9 else b17
b9:
  v25 = load.8 v24+0
  v26 = add v25, 1
  store.8 v24+0, v26
  if v25 eq 0 then b10 else b17
b10:
  v28 = map 0
  v29 = call 134(v28, 0)
  if v29 ugt 98304 then b11 else b12
b11:
  store.4 v22+0, 0
  v34 = call 1(v23, v22)
  if v34 ne 0 then b14 else b17
b12:
  v31 = call 131(v28, 24, 0)
  if v31 ne 0 then b13 else b11
b13:
  v27 = ext.4s v21
  store.8 v31+0, 0
  store.8 v31+8, 1
  store.8 v31+16, v27
  v37 = const 2
  if v29 ugt 32768 then b16 else b15
b14:
  v35 = load.8 v34+0
  v36 = add v35, 1
  store.8 v34+0, v36
  return 0
b15:
  v37 = const 0
  jump b16
b16:
  call 132(v31, v37)
  return 0
b17:
  return 0
}

; program vfs_read
program vfs_read
func vfs_read(v1) {
  slot 0 "pair" size 16 align 8
  slot 1 "entry" size 8 align 8
  slot 2 "loss" size 8 align 8
b0:
  v4 = slot 0+0
  store.8 v4+0, v1
  store.8 v4+8, 0
  v6 = slot 1+0
  v7 = call 125()
  store.8 v6+0, v7
  v8 = map 4
  v9 = call 2(v8, v4, v6, 0)
  if v9 ne 0 then b1 else b3
b1:
  v10 = slot 2+0
  store.4 v10+0, 1
  v11 = map 1
  v12 = call 1(v11, v10)
  if v12 ne 0 then b2 else b3
b2:
  v13 = load.8 v12+0
  v14 = add v13, 1
  store.8 v12+0, v14
  return 0
b3:
  return 0
}

map 1 fst_loss: kind 5, key 4, value 8, entries 9
map 3 @: kind 2, key 16, value 16, entries 4096
map 4 fst_pair0: kind 0, key 16, value 8, entries 16384
