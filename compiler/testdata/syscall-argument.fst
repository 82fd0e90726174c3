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
  jump b6
b2:
  v14 = slot 2+0
  store.8 v14+0, 1
  v16 = call 2(v10, v4, v14, 0)
  if v16 ne 0 then b3 else b6
b3:
  v17 = mapvalue 1+8
  v18 = load.8 v17+0
  atomicadd.8 v17+0, 1
  if v18 eq 0 then b4 else b6
b4:
  v20 = map 0
  v21 = call 131(v20, 24, 0)
  if v21 ne 0 then b5 else b6
b5:
  v19 = ext.4s v16
  store.8 v21+0, 0
  store.8 v21+8, 1
  store.8 v21+16, v19
  call 132(v21, 2)
  jump b6
b6:
  if v8 slt 0 then b7 else b8
b7:
  v22 = mapvalue 1+24
  atomicadd.8 v22+0, 1
  return 0
b8:
  return 0
}

map 1 fst_loss: kind 4, key 4, value 72, entries 1
map 3 @: kind 2, key 8, value 8, entries 4096
