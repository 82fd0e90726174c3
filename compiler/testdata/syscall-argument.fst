// kernel 6.12
// One argument of a system call is read, not all six.
tracepoint:raw_syscalls:sys_enter { @[args.args[1]] = count(); }
---
; program sys_enter
program sys_enter
func sys_enter(v1) {
  slot 0 "key" size 8 align 8
  slot 1 "read" size 8 align 8
  slot 2 "first" size 16 align 8
b0:
  v4 = slot 0+0
  v5 = load.8 v1+0
  v6 = slot 1+0
  v7 = add v5, 104
  v8 = call 113(v6, 8, v7)
  v9 = load.8 v6+0
  store.8 v4+0, v9
  v10 = map 3
  v11 = call 1(v10, v4)
  if v11 ne 0 then b1 else b2
b1:
  v12 = load.8 v11+0
  v13 = add v12, 1
  store.8 v11+0, v13
  jump b8
b2:
  v14 = slot 2+0
  store.8 v14+0, 1
  v15 = call 2(v10, v4, v14, 1)
  if v15 ne 0 then b3 else b8
b3:
  v16 = call 1(v10, v4)
  if v16 ne 0 then b4 else b5
b4:
  v17 = load.8 v16+0
  v18 = add v17, 1
  store.8 v16+0, v18
  jump b8
b5:
  v19 = mapvalue 1+8
  v20 = load.8 v19+0
  atomicadd.8 v19+0, 1
  if v20 eq 0 then b6 else b8
b6:
  v22 = map 0
  v23 = call 131(v22, 24, 0)
  if v23 ne 0 then b7 else b8
b7:
  v21 = ext.4s v15
  store.8 v23+0, 0
  store.8 v23+8, 1
  store.8 v23+16, v21
  call 132(v23, 2)
  jump b8
b8:
  if v8 slt 0 then b9 else b10
b9:
  v24 = mapvalue 1+24
  atomicadd.8 v24+0, 1
  return 0
b10:
  return 0
}

map 1 fst_loss: kind 4, key 4, value 72, entries 1
map 3 @: kind 2, key 8, value 8, entries 4096
