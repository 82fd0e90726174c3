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
  v7 = call 4(v5, 8, v6)
  v8 = load.8 v5+0
  if v8 eq 17 then b1 else b2
b1:
  v9 = mapvalue 4+0
  v10 = load.8 v9+0
  if v10 ult 1 then b4 else b5
b2:
  if v8 eq 295 then b1 else b3
b3:
  if v8 eq 327 then b1 else b16
b4:
  store.8 v9+0, 1
  jump b5
b5:
  v11 = load.8 v1+8
  if v11 slt 0 then b6 else b16
b6:
  v13 = load.8 v9+0
  if v13 ult 2 then b7 else b8
b7:
  store.8 v9+0, 2
  jump b8
b8:
  v14 = slot 1+0
  v15 = add v8, 1
  store.8 v14+0, v15
  v16 = map 3
  v17 = call 1(v16, v14)
  if v17 ne 0 then b9 else b10
b9:
  v18 = load.8 v17+0
  v19 = add v18, 1
  store.8 v17+0, v19
  jump b16
b10:
  v20 = slot 2+0
  store.8 v20+0, 1
  v21 = call 2(v16, v14, v20, 1)
  if v21 ne 0 then b11 else b16
b11:
  v22 = call 1(v16, v14)
  if v22 ne 0 then b12 else b13
b12:
  v23 = load.8 v22+0
  v24 = add v23, 1
  store.8 v22+0, v24
  jump b16
b13:
  v25 = mapvalue 1+8
  v26 = load.8 v25+0
  atomicadd.8 v25+0, 1
  if v26 eq 0 then b14 else b16
b14:
  v28 = map 0
  v29 = call 131(v28, 24, 0)
  if v29 ne 0 then b15 else b16
b15:
  v27 = ext.4s v21
  store.8 v29+0, 0
  store.8 v29+8, 1
  store.8 v29+16, v27
  call 132(v29, 2)
  jump b16
b16:
  if v7 slt 0 then b17 else b18
b17:
  v30 = mapvalue 1+24
  atomicadd.8 v30+0, 1
  return 0
b18:
  return 0
}

map 1 fst_loss: kind 4, key 4, value 88, entries 1
map 3 @: kind 2, key 8, value 8, entries 4096
map 4 fst_seen: kind 4, key 4, value 8, entries 1
