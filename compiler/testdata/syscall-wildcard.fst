// kernel 6.12
tracepoint:syscalls:sys_exit_pread* /args.ret < 0/ { @[probe] = count(); }
---
; program sys_exit_pread6
program sys_exit_pread6
func sys_exit_pread6(v1) {
  slot 0 "read" size 8 align 8
  slot 1 "key" size 8 align 8
  slot 2 "first" size 16 align 8
b0:
  v4 = load.8 v1+0
  v5 = slot 0+0
  v6 = add v4, 120
  v7 = call 113(v5, 8, v6)
  v8 = load.8 v5+0
  if v8 eq 17 then b1 else b8
b1:
  v9 = load.8 v1+8
  if v9 slt 0 then b2 else b8
b2:
  v10 = slot 1+0
  store.8 v10+0, 0
  v11 = map 3
  v12 = call 1(v11, v10)
  if v12 ne 0 then b3 else b4
b3:
  v13 = load.8 v12+0
  v14 = add v13, 1
  store.8 v12+0, v14
  jump b8
b4:
  v15 = slot 2+0
  store.8 v15+0, 1
  v17 = call 2(v11, v10, v15, 0)
  if v17 ne 0 then b5 else b8
b5:
  v18 = mapvalue 1+8
  v19 = load.8 v18+0
  atomicadd.8 v18+0, 1
  if v19 eq 0 then b6 else b8
b6:
  v21 = map 0
  v22 = call 131(v21, 24, 0)
  if v22 ne 0 then b7 else b8
b7:
  v20 = ext.4s v17
  store.8 v22+0, 0
  store.8 v22+8, 1
  store.8 v22+16, v20
  call 132(v22, 2)
  jump b8
b8:
  if v7 slt 0 then b9 else b10
b9:
  v23 = mapvalue 1+24
  atomicadd.8 v23+0, 1
  return 0
b10:
  return 0
}

; program sys_exit_preadv
program sys_exit_preadv
func sys_exit_preadv(v1) {
  slot 0 "read" size 8 align 8
  slot 1 "key" size 8 align 8
  slot 2 "first" size 16 align 8
b0:
  v4 = load.8 v1+0
  v5 = slot 0+0
  v6 = add v4, 120
  v7 = call 113(v5, 8, v6)
  v8 = load.8 v5+0
  if v8 eq 295 then b1 else b8
b1:
  v9 = load.8 v1+8
  if v9 slt 0 then b2 else b8
b2:
  v10 = slot 1+0
  store.8 v10+0, 1
  v11 = map 3
  v12 = call 1(v11, v10)
  if v12 ne 0 then b3 else b4
b3:
  v13 = load.8 v12+0
  v14 = add v13, 1
  store.8 v12+0, v14
  jump b8
b4:
  v15 = slot 2+0
  store.8 v15+0, 1
  v17 = call 2(v11, v10, v15, 0)
  if v17 ne 0 then b5 else b8
b5:
  v18 = mapvalue 1+8
  v19 = load.8 v18+0
  atomicadd.8 v18+0, 1
  if v19 eq 0 then b6 else b8
b6:
  v21 = map 0
  v22 = call 131(v21, 24, 0)
  if v22 ne 0 then b7 else b8
b7:
  v20 = ext.4s v17
  store.8 v22+0, 1
  store.8 v22+8, 1
  store.8 v22+16, v20
  call 132(v22, 2)
  jump b8
b8:
  if v7 slt 0 then b9 else b10
b9:
  v23 = mapvalue 1+24
  atomicadd.8 v23+0, 1
  return 0
b10:
  return 0
}

; program sys_exit_preadv
program sys_exit_preadv
func sys_exit_preadv(v1) {
  slot 0 "read" size 8 align 8
  slot 1 "key" size 8 align 8
  slot 2 "first" size 16 align 8
b0:
  v4 = load.8 v1+0
  v5 = slot 0+0
  v6 = add v4, 120
  v7 = call 113(v5, 8, v6)
  v8 = load.8 v5+0
  if v8 eq 327 then b1 else b8
b1:
  v9 = load.8 v1+8
  if v9 slt 0 then b2 else b8
b2:
  v10 = slot 1+0
  store.8 v10+0, 2
  v11 = map 3
  v12 = call 1(v11, v10)
  if v12 ne 0 then b3 else b4
b3:
  v13 = load.8 v12+0
  v14 = add v13, 1
  store.8 v12+0, v14
  jump b8
b4:
  v15 = slot 2+0
  store.8 v15+0, 1
  v17 = call 2(v11, v10, v15, 0)
  if v17 ne 0 then b5 else b8
b5:
  v18 = mapvalue 1+8
  v19 = load.8 v18+0
  atomicadd.8 v18+0, 1
  if v19 eq 0 then b6 else b8
b6:
  v21 = map 0
  v22 = call 131(v21, 24, 0)
  if v22 ne 0 then b7 else b8
b7:
  v20 = ext.4s v17
  store.8 v22+0, 2
  store.8 v22+8, 1
  store.8 v22+16, v20
  call 132(v22, 2)
  jump b8
b8:
  if v7 slt 0 then b9 else b10
b9:
  v23 = mapvalue 1+24
  atomicadd.8 v23+0, 1
  return 0
b10:
  return 0
}

map 1 fst_loss: kind 4, key 4, value 72, entries 1
map 3 @: kind 2, key 8, value 8, entries 4096
