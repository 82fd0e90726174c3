// kernel 6.12
tracepoint:raw_syscalls:sys_enter { @start[tid] = nsecs; }
tracepoint:raw_syscalls:sys_exit /@start[tid]/ { @ = hist(nsecs - @start[tid]); delete(@start[tid]); }
---
; program sys_enter
program sys_enter
func sys_enter(v1) {
  slot 0 "value" size 8 align 8
  slot 1 "key" size 8 align 8
b0:
  v4 = slot 0+0
  v5 = call 125()
  store.8 v4+0, v5
  v6 = slot 1+0
  v7 = call 14()
  v8 = ext.4 v7
  store.8 v6+0, v8
  v10 = map 3
  v11 = call 2(v10, v6, v4, 0)
  if v11 ne 0 then b1 else b4
b1:
  v12 = mapvalue 1+8
  v13 = load.8 v12+0
  atomicadd.8 v12+0, 1
  if v13 eq 0 then b2 else b4
b2:
  v15 = map 0
  v16 = call 131(v15, 24, 0)
  if v16 ne 0 then b3 else b4
b3:
  v14 = ext.4s v11
  store.8 v16+0, 0
  store.8 v16+8, 1
  store.8 v16+16, v14
  call 132(v16, 2)
  return 0
b4:
  return 0
}

; program sys_exit
program sys_exit
func sys_exit(v1) {
  slot 0 "key" size 8 align 8
  slot 1 "key" size 8 align 8
  slot 2 "index" size 8 align 8
  slot 3 "key" size 8 align 8
b0:
  v4 = slot 0+0
  v5 = call 14()
  v6 = ext.4 v5
  store.8 v4+0, v6
  v8 = map 3
  v9 = call 1(v8, v4)
  if v9 ne 0 then b2 else b24
b1:
  v13 = slot 1+0
  store.8 v13+0, v6
  v18 = call 1(v8, v13)
  v19 = const 0
  if v18 ne 0 then b3 else b4
b2:
  v11 = load.8 v9+0
  if v11 ne 0 then b1 else b24
b3:
  v20 = load.8 v18+0
  v19 = copy v20
  jump b4
b4:
  v12 = call 125()
  v21 = sub v12, v19
  v22 = slot 2+0
  store.4 v22+0, 0
  v23 = map 4
  v24 = call 1(v23, v22)
  if v24 ne 0 then b5 else b6
b5:
  v25 = const 0
  if v21 slt 0 then b23 else b7
b6:
  v37 = slot 3+0
  store.8 v37+0, v6
  call 3(v8, v37)
  return 0
b7:
  if v21 ult 1 then b8 else b9
b8:
  v26 = add v21, 1
  v25 = copy v26
  jump b10
b9:
  v27 = copy v21
  v28 = const 0
  if v21 uge 4294967296 then b11 else b12
b10:
  if v25 ult 65 then b23 else b6
b11:
  v27 = rsh v27, 32
  v28 = add v28, 32
  jump b12
b12:
  if v27 uge 65536 then b13 else b14
b13:
  v27 = rsh v27, 16
  v28 = add v28, 16
  jump b14
b14:
  if v27 uge 256 then b15 else b16
b15:
  v27 = rsh v27, 8
  v28 = add v28, 8
  jump b16
b16:
  if v27 uge 16 then b17 else b18
b17:
  v27 = rsh v27, 4
  v28 = add v28, 4
  jump b18
b18:
  if v27 uge 4 then b19 else b20
b19:
  v27 = rsh v27, 2
  v28 = add v28, 2
  jump b20
b20:
  if v27 uge 2 then b21 else b22
b21:
  v28 = add v28, 1
  jump b22
b22:
  v30 = add v28, 2
  v25 = copy v30
  jump b10
b23:
  v31 = lsh v25, 3
  v32 = add v24, v31
  v33 = load.8 v32+0
  v34 = add v33, 1
  store.8 v32+0, v34
  jump b6
b24:
  return 0
}

map 1 fst_loss: kind 4, key 4, value 144, entries 1
map 3 @start: kind 0, key 8, value 8, entries 4096
map 4 @: kind 5, key 4, value 520, entries 1
