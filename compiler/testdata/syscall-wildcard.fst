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
  if v8 eq 17 then b1 else b2
b1:
  v9 = load.8 v1+8
  if v9 slt 0 then b4 else b10
b2:
  if v8 eq 295 then b1 else b3
b3:
  if v8 eq 327 then b1 else b10
b4:
  v10 = slot 1+0
  store.8 v10+0, v8
  v12 = map 3
  v13 = call 1(v12, v10)
  if v13 ne 0 then b5 else b6
b5:
  v14 = load.8 v13+0
  v15 = add v14, 1
  store.8 v13+0, v15
  jump b10
b6:
  v16 = slot 2+0
  store.8 v16+0, 1
  v18 = call 2(v12, v10, v16, 0)
  if v18 ne 0 then b7 else b10
b7:
  v19 = mapvalue 1+8
  v20 = load.8 v19+0
  atomicadd.8 v19+0, 1
  if v20 eq 0 then b8 else b10
b8:
  v22 = map 0
  v23 = call 131(v22, 24, 0)
  if v23 ne 0 then b9 else b10
b9:
  v21 = ext.4s v18
  store.8 v23+0, 0
  store.8 v23+8, 1
  store.8 v23+16, v21
  call 132(v23, 2)
  jump b10
b10:
  if v7 slt 0 then b11 else b12
b11:
  v24 = mapvalue 1+24
  atomicadd.8 v24+0, 1
  return 0
b12:
  return 0
}

map 1 fst_loss: kind 4, key 4, value 72, entries 1
map 3 @: kind 2, key 8, value 8, entries 4096
