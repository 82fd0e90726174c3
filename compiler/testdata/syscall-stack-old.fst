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
  if v4 eq 80 then b1 else b14
b1:
  v5 = mapvalue 4+0
  v6 = load.8 v5+0
  if v6 ult 2 then b2 else b3
b2:
  store.8 v5+0, 2
  jump b3
b3:
  v8 = map 5
  v9 = call 27(v1, v8, 2)
  if v9 slt 0 then b4 else b6
b4:
  if v9 eq -14 then b6 else b5
b5:
  v10 = mapvalue 1+48
  atomicadd.8 v10+0, 1
  jump b6
b6:
  v7 = slot 0+0
  v11 = slot 1+0
  store.4 v11+0, v9
  store.4 v11+4, 0
  v12 = load.8 v11+0
  store.8 v7+0, v12
  v13 = map 3
  v14 = call 1(v13, v7)
  if v14 ne 0 then b7 else b8
b7:
  v15 = load.8 v14+0
  v16 = add v15, 1
  store.8 v14+0, v16
  return 0
b8:
  v17 = slot 2+0
  store.8 v17+0, 1
  v18 = call 2(v13, v7, v17, 1)
  if v18 ne 0 then b9 else b14
b9:
  v19 = call 1(v13, v7)
  if v19 ne 0 then b10 else b11
b10:
  v20 = load.8 v19+0
  v21 = add v20, 1
  store.8 v19+0, v21
  return 0
b11:
  v22 = mapvalue 1+8
  v23 = load.8 v22+0
  atomicadd.8 v22+0, 1
  if v23 eq 0 then b12 else b14
b12:
  v25 = map 0
  v26 = call 131(v25, 24, 0)
  if v26 ne 0 then b13 else b14
b13:
  v24 = ext.4s v18
  store.8 v26+0, 0
  store.8 v26+8, 1
  store.8 v26+16, v24
  call 132(v26, 2)
  return 0
b14:
  return 0
}

map 1 fst_loss: kind 4, key 4, value 88, entries 1
map 3 @: kind 2, key 8, value 8, entries 4096
map 4 fst_seen: kind 4, key 4, value 8, entries 1
map 5 fst_stack2: kind 7, key 4, value 16, entries 16384
