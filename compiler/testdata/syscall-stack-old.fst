// kernel 6.1
tracepoint:syscalls:sys_enter_chdir { @[kstack(2)] = count(); }
---
; program sys_enter_chdir
program sys_enter_chdir
func sys_enter_chdir(v1) {
  slot 0 "key" size 8 align 8
  slot 1 "frames" size 24 align 8 far
  slot 2 "stack id" size 8 align 8
  slot 3 "stack" size 8 align 8
  slot 4 "first" size 16 align 8
b0:
  v4 = load.8s v1+8
  if v4 eq 80 then b1 else b22
b1:
  v5 = mapvalue 4+0
  v6 = load.8 v5+0
  if v6 ult 2 then b2 else b3
b2:
  store.8 v5+0, 2
  jump b3
b3:
  v8 = slot 1+0
  v9 = const 0
  v10 = slot 1+8
  v11 = call 67(v1, v10, 16, 2)
  v13 = const 0
  v14 = const 0
  if v11 slt 0 then b4 else b6
b4:
  if v11 eq -14 then b11 else b5
b5:
  v15 = mapvalue 1+48
  atomicadd.8 v15+0, 1
  jump b11
b6:
  if v14 ult v11 then b7 else b9
b7:
  v16 = add v8, v14
  v17 = load.8 v16+8
  if v17 eq 0 then b9 else b8
b8:
  v18 = xor v13, v17
  v20 = mul v18, -7046029254386353131
  v21 = rsh v20, 29
  v22 = xor v20, v21
  v13 = copy v22
  v23 = add v14, 8
  v14 = copy v23
  if v23 ult 16 then b6 else b9
b9:
  if v14 eq 0 then b11 else b10
b10:
  v24 = rsh v14, 3
  store.8 v8+0, v24
  v25 = load.8 v8+0
  v26 = rsh v13, 11
  v27 = lsh v26, 11
  v28 = or v27, v25
  v29 = slot 2+0
  store.8 v29+0, v28
  v30 = map 5
  v31 = call 1(v30, v29)
  if v31 ne 0 then b13 else b12
b11:
  v7 = slot 0+0
  v36 = slot 3+0
  store.8 v36+0, v9
  v37 = load.8 v36+0
  store.8 v7+0, v37
  v38 = map 3
  v39 = call 1(v38, v7)
  if v39 ne 0 then b15 else b16
b12:
  v33 = call 2(v30, v29, v8, 0)
  if v33 slt 0 then b14 else b13
b13:
  v35 = load.8 v29+0
  v9 = copy v35
  jump b11
b14:
  v34 = mapvalue 1+48
  atomicadd.8 v34+0, 1
  jump b11
b15:
  v40 = load.8 v39+0
  v41 = add v40, 1
  store.8 v39+0, v41
  return 0
b16:
  v42 = slot 4+0
  store.8 v42+0, 1
  v43 = call 2(v38, v7, v42, 1)
  if v43 ne 0 then b17 else b22
b17:
  v44 = call 1(v38, v7)
  if v44 ne 0 then b18 else b19
b18:
  v45 = load.8 v44+0
  v46 = add v45, 1
  store.8 v44+0, v46
  return 0
b19:
  v47 = mapvalue 1+8
  v48 = load.8 v47+0
  atomicadd.8 v47+0, 1
  if v48 eq 0 then b20 else b22
b20:
  v50 = map 0
  v51 = call 131(v50, 24, 0)
  if v51 ne 0 then b21 else b22
b21:
  v49 = ext.4s v43
  store.8 v51+0, 0
  store.8 v51+8, 1
  store.8 v51+16, v49
  call 132(v51, 2)
  return 0
b22:
  return 0
}

map 1 fst_loss: kind 4, key 4, value 88, entries 1
map 2 fst_scratch: kind 5, key 4, value 40, entries 4
map 3 @: kind 2, key 8, value 8, entries 4096
map 4 fst_seen: kind 4, key 4, value 8, entries 1
map 5 fst_stack2: kind 7, key 8, value 24, entries 16384
