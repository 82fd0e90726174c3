// kernel 6.1
tracepoint:syscalls:sys_enter_chdir { @[kstack(2)] = count(); }
---
; program sys_enter_chdir
program sys_enter_chdir
func sys_enter_chdir(v1) {
  slot 0 "key" size 8 align 8
  slot 1 "stack" size 8 align 8
  slot 2 "first" size 16 align 8
b0:
  v4 = load.8s v1+8
  if v4 eq 80 then b1 else b12
b1:
  v6 = map 4
  v7 = call 27(v1, v6, 2)
  if v7 slt 0 then b2 else b4
b2:
  if v7 eq -14 then b4 else b3
b3:
  v8 = mapvalue 1+48
  atomicadd.8 v8+0, 1
  jump b4
b4:
  v5 = slot 0+0
  v9 = slot 1+0
  store.4 v9+0, v7
  store.4 v9+4, 0
  v10 = load.8 v9+0
  store.8 v5+0, v10
  v11 = map 3
  v12 = call 1(v11, v5)
  if v12 ne 0 then b5 else b6
b5:
  v13 = load.8 v12+0
  v14 = add v13, 1
  store.8 v12+0, v14
  return 0
b6:
  v15 = slot 2+0
  store.8 v15+0, 1
  v16 = call 2(v11, v5, v15, 1)
  if v16 ne 0 then b7 else b12
b7:
  v17 = call 1(v11, v5)
  if v17 ne 0 then b8 else b9
b8:
  v18 = load.8 v17+0
  v19 = add v18, 1
  store.8 v17+0, v19
  return 0
b9:
  v20 = mapvalue 1+8
  v21 = load.8 v20+0
  atomicadd.8 v20+0, 1
  if v21 eq 0 then b10 else b12
b10:
  v23 = map 0
  v24 = call 131(v23, 24, 0)
  if v24 ne 0 then b11 else b12
b11:
  v22 = ext.4s v16
  store.8 v24+0, 0
  store.8 v24+8, 1
  store.8 v24+16, v22
  call 132(v24, 2)
  return 0
b12:
  return 0
}

map 1 fst_loss: kind 4, key 4, value 72, entries 1
map 3 @: kind 2, key 8, value 8, entries 4096
map 4 fst_stack2: kind 7, key 4, value 16, entries 16384
