// kernel 6.1
tracepoint:syscalls:sys_enter_chdir { @[kstack(2)] = count(); }
---
; program sys_enter_chdir
program sys_enter_chdir
func sys_enter_chdir(v1) {
  slot 0 "key" size 8 align 8
  slot 1 "loss" size 8 align 8
  slot 2 "stack" size 8 align 8
  slot 3 "first" size 16 align 8
b0:
  v4 = load.8s v1+8
  if v4 eq 80 then b1 else b17
b1:
  v6 = map 4
  v7 = call 27(v1, v6, 2)
  if v7 slt 0 then b2 else b4
b2:
  if v7 eq -14 then b4 else b3
b3:
  v8 = slot 1+0
  store.4 v8+0, 6
  v9 = map 1
  v10 = call 1(v9, v8)
  if v10 ne 0 then b5 else b4
b4:
  v5 = slot 0+0
  v13 = slot 2+0
  store.4 v13+0, v7
  store.4 v13+4, 0
  v14 = load.8 v13+0
  store.8 v5+0, v14
  v15 = map 3
  v16 = call 1(v15, v5)
  if v16 ne 0 then b6 else b7
b5:
  v11 = load.8 v10+0
  v12 = add v11, 1
  store.8 v10+0, v12
  jump b4
b6:
  v17 = load.8 v16+0
  v18 = add v17, 1
  store.8 v16+0, v18
  return 0
b7:
  v19 = slot 3+0
  store.8 v19+0, 1
  v21 = call 2(v15, v5, v19, 0)
  if v21 ne 0 then b8 else b17
b8:
  v22 = slot 1+0
  store.4 v22+0, 1
  v23 = map 1
  v24 = call 1(v23, v22)
  if v24 ne 0 then b9 else b17
b9:
  v25 = load.8 v24+0
  v26 = add v25, 1
  store.8 v24+0, v26
  if v25 eq 0 then b10 else b17
b10:
  v28 = map 0
  v29 = call 134(v28, 0)
  if v29 ugt 98304 then b11 else b12
b11:
  store.4 v22+0, 0
  v34 = call 1(v23, v22)
  if v34 ne 0 then b14 else b17
b12:
  v31 = call 131(v28, 24, 0)
  if v31 ne 0 then b13 else b11
b13:
  v27 = ext.4s v21
  store.8 v31+0, 0
  store.8 v31+8, 1
  store.8 v31+16, v27
  v37 = const 2
  if v29 ugt 32768 then b16 else b15
b14:
  v35 = load.8 v34+0
  v36 = add v35, 1
  store.8 v34+0, v36
  return 0
b15:
  v37 = const 0
  jump b16
b16:
  call 132(v31, v37)
  return 0
b17:
  return 0
}

map 1 fst_loss: kind 5, key 4, value 8, entries 9
map 3 @: kind 2, key 8, value 8, entries 4096
map 4 fst_stack2: kind 7, key 4, value 16, entries 16384
