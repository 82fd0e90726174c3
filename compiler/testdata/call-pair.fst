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
  if v7 ne 0 then b1 else b11
b1:
  v8 = load.8 v7+0
  v9 = call 125()
  v10 = sub v9, v8
  call 3(v6, v4)
  if v10 ugt 10000000 then b2 else b11
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
  v24 = call 2(v16, v12, v22, 0)
  if v24 ne 0 then b8 else b11
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
  v25 = mapvalue 1+8
  v26 = load.8 v25+0
  atomicadd.8 v25+0, 1
  if v26 eq 0 then b9 else b11
b9:
  v28 = map 0
  v29 = call 131(v28, 24, 0)
  if v29 ne 0 then b10 else b11
b10:
  v27 = ext.4s v24
  store.8 v29+0, 0
  store.8 v29+8, 1
  store.8 v29+16, v27
  call 132(v29, 2)
  return 0
b11:
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
