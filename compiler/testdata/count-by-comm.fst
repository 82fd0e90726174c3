// kernel 6.12
tracepoint:raw_syscalls:sys_enter /pid == 42/ { @[comm] = count(); }
---
; program sys_enter
program sys_enter
func sys_enter(v1) {
  slot 0 "key" size 16 align 8
  slot 1 "first" size 16 align 8
  slot 2 "loss" size 8 align 8
b0:
  v4 = call 14()
  v5 = rsh v4, 32
  v6 = ext.4 v5
  if v6 eq 42 then b1 else b13
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
  v17 = call 2(v11, v7, v15, 0)
  if v17 ne 0 then b4 else b13
b4:
  v18 = slot 2+0
  store.4 v18+0, 1
  v19 = map 1
  v20 = call 1(v19, v18)
  if v20 ne 0 then b5 else b13
b5:
  v21 = load.8 v20+0
  v22 = add v21, 1
  store.8 v20+0, v22
  if v21 eq 0 then b6 else b13
b6:
  v24 = map 0
  v25 = call 134(v24, 0)
  if v25 ugt 98304 then b7 else b8
b7:
  store.4 v18+0, 0
  v30 = call 1(v19, v18)
  if v30 ne 0 then b10 else b13
b8:
  v27 = call 131(v24, 24, 0)
  if v27 ne 0 then b9 else b7
b9:
  v23 = ext.4s v17
  store.8 v27+0, 0
  store.8 v27+8, 1
  store.8 v27+16, v23
  v33 = const 2
  if v25 ugt 32768 then b12 else b11
b10:
  v31 = load.8 v30+0
  v32 = add v31, 1
  store.8 v30+0, v32
  return 0
b11:
  v33 = const 0
  jump b12
b12:
  call 132(v27, v33)
  return 0
b13:
  return 0
}

map 1 fst_loss: kind 5, key 4, value 8, entries 9
map 3 @: kind 2, key 16, value 8, entries 4096
