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
  if v9 slt 0 then b4 else b12
b2:
  if v8 eq 295 then b1 else b3
b3:
  if v8 eq 327 then b1 else b12
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
  jump b12
b6:
  v16 = slot 2+0
  store.8 v16+0, 1
  v17 = call 2(v12, v10, v16, 1)
  if v17 ne 0 then b7 else b12
b7:
  v18 = call 1(v12, v10)
  if v18 ne 0 then b8 else b9
b8:
  v19 = load.8 v18+0
  v20 = add v19, 1
  store.8 v18+0, v20
  jump b12
b9:
  v21 = mapvalue 1+8
  v22 = load.8 v21+0
  atomicadd.8 v21+0, 1
  if v22 eq 0 then b10 else b12
b10:
  v24 = map 0
  v25 = call 131(v24, 24, 0)
  if v25 ne 0 then b11 else b12
b11:
  v23 = ext.4s v17
  store.8 v25+0, 0
  store.8 v25+8, 1
  store.8 v25+16, v23
  call 132(v25, 2)
  jump b12
b12:
  if v7 slt 0 then b13 else b14
b13:
  v26 = mapvalue 1+24
  atomicadd.8 v26+0, 1
  return 0
b14:
  return 0
}

map 1 fst_loss: kind 4, key 4, value 72, entries 1
map 3 @: kind 2, key 8, value 8, entries 4096
