// kernel 6.12
tracepoint:raw_syscalls:sys_enter /pid == 42/ { @[comm] = count(); }
---
; program sys_enter
program sys_enter
func sys_enter(v1) {
  slot 0 "key" size 16 align 8
  slot 1 "first" size 16 align 8
b0:
  v4 = call 14()
  v5 = rsh v4, 32
  if v5 eq 42 then b1 else b9
b1:
  v7 = slot 0+0
  v8 = call 158()
  v9 = load.8 v8+2976
  store.8 v7+0, v9
  v10 = load.8 v8+2984
  store.8 v7+8, v10
  v11 = map 3
  v12 = call 1(v11, v7)
  if v12 ne 0 then b2 else b3
b2:
  v13 = load.8 v12+0
  v14 = add v13, 1
  store.8 v12+0, v14
  return 0
b3:
  v15 = slot 1+0
  store.8 v15+0, 1
  v16 = call 2(v11, v7, v15, 1)
  if v16 ne 0 then b4 else b9
b4:
  v17 = call 1(v11, v7)
  if v17 ne 0 then b5 else b6
b5:
  v18 = load.8 v17+0
  v19 = add v18, 1
  store.8 v17+0, v19
  return 0
b6:
  v20 = mapvalue 1+8
  v21 = load.8 v20+0
  atomicadd.8 v20+0, 1
  if v21 eq 0 then b7 else b9
b7:
  v23 = map 0
  v24 = call 131(v23, 24, 0)
  if v24 ne 0 then b8 else b9
b8:
  v22 = ext.4s v16
  store.8 v24+0, 0
  store.8 v24+8, 1
  store.8 v24+16, v22
  call 132(v24, 2)
  return 0
b9:
  return 0
}

map 1 fst_loss: kind 4, key 4, value 72, entries 1
map 3 @: kind 2, key 16, value 8, entries 4096
