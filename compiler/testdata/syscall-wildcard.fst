// kernel 6.12
tracepoint:syscalls:sys_exit_pread* /args.ret < 0/ { @[probe] = count(); }
---
; program sys_exit_pread6
program sys_exit_pread6
func sys_exit_pread6(v1) {
  slot 0 "read" size 8 align 8
  slot 1 "key" size 8 align 8
  slot 2 "first" size 16 align 8
  slot 3 "loss" size 8 align 8
b0:
  v4 = load.8 v1+0
  v5 = slot 0+0
  v6 = add v4, 120
  v7 = call 113(v5, 8, v6)
  v8 = load.8 v5+0
  if v8 eq 17 then b1 else b14
b1:
  v9 = load.8 v1+8
  if v9 slt 0 then b2 else b14
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
  jump b14
b4:
  v15 = slot 2+0
  store.8 v15+0, 1
  v17 = call 2(v11, v10, v15, 0)
  if v17 ne 0 then b5 else b14
b5:
  v18 = slot 3+0
  store.4 v18+0, 1
  v19 = map 1
  v20 = call 1(v19, v18)
  if v20 ne 0 then b6 else b14
b6:
  v21 = load.8 v20+0
  v22 = add v21, 1
  store.8 v20+0, v22
  if v21 eq 0 then b7 else b14
b7:
  v24 = map 0
  v25 = call 134(v24, 0)
  if v25 ugt 98304 then b8 else b9
b8:
  store.4 v18+0, 0
  v30 = call 1(v19, v18)
  if v30 ne 0 then b11 else b14
b9:
  v27 = call 131(v24, 24, 0)
  if v27 ne 0 then b10 else b8
b10:
  v23 = ext.4s v17
  store.8 v27+0, 0
  store.8 v27+8, 1
  store.8 v27+16, v23
  v33 = const 2
  if v25 ugt 32768 then b13 else b12
b11:
  v31 = load.8 v30+0
  v32 = add v31, 1
  store.8 v30+0, v32
  jump b14
b12:
  v33 = const 0
  jump b13
b13:
  call 132(v27, v33)
  jump b14
b14:
  if v7 slt 0 then b15 else b16
b15:
  v34 = slot 3+0
  store.4 v34+0, 3
  v35 = map 1
  v36 = call 1(v35, v34)
  if v36 ne 0 then b17 else b16
b16:
  return 0
b17:
  v37 = load.8 v36+0
  v38 = add v37, 1
  store.8 v36+0, v38
  return 0
}

; program sys_exit_preadv
program sys_exit_preadv
func sys_exit_preadv(v1) {
  slot 0 "read" size 8 align 8
  slot 1 "key" size 8 align 8
  slot 2 "first" size 16 align 8
  slot 3 "loss" size 8 align 8
b0:
  v4 = load.8 v1+0
  v5 = slot 0+0
  v6 = add v4, 120
  v7 = call 113(v5, 8, v6)
  v8 = load.8 v5+0
  if v8 eq 295 then b1 else b14
b1:
  v9 = load.8 v1+8
  if v9 slt 0 then b2 else b14
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
  jump b14
b4:
  v15 = slot 2+0
  store.8 v15+0, 1
  v17 = call 2(v11, v10, v15, 0)
  if v17 ne 0 then b5 else b14
b5:
  v18 = slot 3+0
  store.4 v18+0, 1
  v19 = map 1
  v20 = call 1(v19, v18)
  if v20 ne 0 then b6 else b14
b6:
  v21 = load.8 v20+0
  v22 = add v21, 1
  store.8 v20+0, v22
  if v21 eq 0 then b7 else b14
b7:
  v24 = map 0
  v25 = call 134(v24, 0)
  if v25 ugt 98304 then b8 else b9
b8:
  store.4 v18+0, 0
  v30 = call 1(v19, v18)
  if v30 ne 0 then b11 else b14
b9:
  v27 = call 131(v24, 24, 0)
  if v27 ne 0 then b10 else b8
b10:
  v23 = ext.4s v17
  store.8 v27+0, 1
  store.8 v27+8, 1
  store.8 v27+16, v23
  v33 = const 2
  if v25 ugt 32768 then b13 else b12
b11:
  v31 = load.8 v30+0
  v32 = add v31, 1
  store.8 v30+0, v32
  jump b14
b12:
  v33 = const 0
  jump b13
b13:
  call 132(v27, v33)
  jump b14
b14:
  if v7 slt 0 then b15 else b16
b15:
  v34 = slot 3+0
  store.4 v34+0, 3
  v35 = map 1
  v36 = call 1(v35, v34)
  if v36 ne 0 then b17 else b16
b16:
  return 0
b17:
  v37 = load.8 v36+0
  v38 = add v37, 1
  store.8 v36+0, v38
  return 0
}

; program sys_exit_preadv
program sys_exit_preadv
func sys_exit_preadv(v1) {
  slot 0 "read" size 8 align 8
  slot 1 "key" size 8 align 8
  slot 2 "first" size 16 align 8
  slot 3 "loss" size 8 align 8
b0:
  v4 = load.8 v1+0
  v5 = slot 0+0
  v6 = add v4, 120
  v7 = call 113(v5, 8, v6)
  v8 = load.8 v5+0
  if v8 eq 327 then b1 else b14
b1:
  v9 = load.8 v1+8
  if v9 slt 0 then b2 else b14
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
  jump b14
b4:
  v15 = slot 2+0
  store.8 v15+0, 1
  v17 = call 2(v11, v10, v15, 0)
  if v17 ne 0 then b5 else b14
b5:
  v18 = slot 3+0
  store.4 v18+0, 1
  v19 = map 1
  v20 = call 1(v19, v18)
  if v20 ne 0 then b6 else b14
b6:
  v21 = load.8 v20+0
  v22 = add v21, 1
  store.8 v20+0, v22
  if v21 eq 0 then b7 else b14
b7:
  v24 = map 0
  v25 = call 134(v24, 0)
  if v25 ugt 98304 then b8 else b9
b8:
  store.4 v18+0, 0
  v30 = call 1(v19, v18)
  if v30 ne 0 then b11 else b14
b9:
  v27 = call 131(v24, 24, 0)
  if v27 ne 0 then b10 else b8
b10:
  v23 = ext.4s v17
  store.8 v27+0, 2
  store.8 v27+8, 1
  store.8 v27+16, v23
  v33 = const 2
  if v25 ugt 32768 then b13 else b12
b11:
  v31 = load.8 v30+0
  v32 = add v31, 1
  store.8 v30+0, v32
  jump b14
b12:
  v33 = const 0
  jump b13
b13:
  call 132(v27, v33)
  jump b14
b14:
  if v7 slt 0 then b15 else b16
b15:
  v34 = slot 3+0
  store.4 v34+0, 3
  v35 = map 1
  v36 = call 1(v35, v34)
  if v36 ne 0 then b17 else b16
b16:
  return 0
b17:
  v37 = load.8 v36+0
  v38 = add v37, 1
  store.8 v36+0, v38
  return 0
}

map 1 fst_loss: kind 5, key 4, value 8, entries 9
map 3 @: kind 2, key 8, value 8, entries 4096
