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
  v9 = load.8 v5+0
  if v9 eq 17 then b1 else b2
b1:
  v10 = mapvalue 5+0
  v11 = load.8 v10+0
  if v11 ult 1 then b4 else b5
b2:
  if v9 eq 295 then b1 else b3
b3:
  if v9 eq 327 then b1 else b16
b4:
  store.8 v10+0, 1
  jump b5
b5:
  v12 = load.8 v1+8
  if v12 slt 0 then b6 else b16
b6:
  v14 = load.8 v10+0
  if v14 ult 2 then b7 else b8
b7:
  store.8 v10+0, 2
  jump b8
b8:
  v15 = slot 1+0
  v16 = add v9, 1
  store.8 v15+0, v16
  v17 = map 3
  v18 = call 1(v17, v15)
  if v18 ne 0 then b9 else b10
b9:
  v19 = load.8 v18+0
  v20 = add v19, 1
  store.8 v18+0, v20
  jump b16
b10:
  v21 = slot 2+0
  store.8 v21+0, 1
  v22 = call 2(v17, v15, v21, 1)
  if v22 ne 0 then b11 else b16
b11:
  v23 = call 1(v17, v15)
  if v23 ne 0 then b12 else b13
b12:
  v24 = load.8 v23+0
  v25 = add v24, 1
  store.8 v23+0, v25
  jump b16
b13:
  v26 = mapvalue 1+8
  v27 = load.8 v26+0
  atomicadd.8 v26+0, 1
  if v27 eq 0 then b14 else b16
b14:
  v29 = map 0
  v30 = call 131(v29, 24, 0)
  if v30 ne 0 then b15 else b16
b15:
  v28 = ext.4s v22
  store.8 v30+0, 0
  store.8 v30+8, 1
  store.8 v30+16, v28
  call 132(v30, 2)
  jump b16
b16:
  v8 = and v7, 16777216
  if v8 ne 0 then b17 else b18
b17:
  v31 = mapvalue 4+0
  atomicadd.8 v31+0, 1
  return 0
b18:
  return 0
}

map 1 fst_loss: kind 4, key 4, value 88, entries 1
map 3 @: kind 2, key 8, value 8, entries 4096
map 4 fst_reads: kind 4, key 4, value 8, entries 1
map 5 fst_seen: kind 4, key 4, value 8, entries 1
