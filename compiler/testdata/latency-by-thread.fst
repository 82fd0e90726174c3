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
  v4 = mapvalue 6+0
  v5 = load.8 v4+0
  if v5 ult 2 then b1 else b2
b1:
  store.8 v4+0, 2
  jump b2
b2:
  v6 = slot 0+0
  v7 = call 125()
  store.8 v6+0, v7
  v8 = slot 1+0
  v9 = call 14()
  v10 = ext.4 v9
  store.8 v8+0, v10
  v12 = map 4
  v13 = call 2(v12, v8, v6, 0)
  if v13 ne 0 then b3 else b6
b3:
  v14 = mapvalue 1+8
  v15 = load.8 v14+0
  atomicadd.8 v14+0, 1
  if v15 eq 0 then b4 else b6
b4:
  v17 = map 0
  v18 = call 131(v17, 24, 0)
  if v18 ne 0 then b5 else b6
b5:
  v16 = ext.4s v13
  store.8 v18+0, 0
  store.8 v18+8, 1
  store.8 v18+16, v16
  call 132(v18, 2)
  return 0
b6:
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
  v4 = mapvalue 6+8
  v5 = load.8 v4+0
  if v5 ult 1 then b1 else b2
b1:
  store.8 v4+0, 1
  jump b2
b2:
  v6 = slot 0+0
  v7 = call 14()
  v8 = ext.4 v7
  store.8 v6+0, v8
  v10 = map 4
  v11 = call 1(v10, v6)
  if v11 ne 0 then b4 else b28
b3:
  v15 = load.8 v4+0
  if v15 ult 2 then b5 else b6
b4:
  v13 = load.8 v11+0
  if v13 ne 0 then b3 else b28
b5:
  store.8 v4+0, 2
  jump b6
b6:
  v17 = slot 1+0
  store.8 v17+0, v8
  v22 = call 1(v10, v17)
  v23 = const 0
  if v22 ne 0 then b7 else b8
b7:
  v24 = load.8 v22+0
  v23 = copy v24
  jump b8
b8:
  v16 = call 125()
  v25 = sub v16, v23
  v26 = slot 2+0
  store.4 v26+0, 0
  v27 = map 5
  v28 = call 1(v27, v26)
  if v28 ne 0 then b9 else b10
b9:
  v29 = const 0
  if v25 slt 0 then b27 else b11
b10:
  v41 = slot 3+0
  store.8 v41+0, v8
  call 3(v10, v41)
  return 0
b11:
  if v25 ult 1 then b12 else b13
b12:
  v30 = add v25, 1
  v29 = copy v30
  jump b14
b13:
  v31 = copy v25
  v32 = const 0
  if v25 uge 4294967296 then b15 else b16
b14:
  if v29 ult 65 then b27 else b10
b15:
  v31 = rsh v31, 32
  v32 = add v32, 32
  jump b16
b16:
  if v31 uge 65536 then b17 else b18
b17:
  v31 = rsh v31, 16
  v32 = add v32, 16
  jump b18
b18:
  if v31 uge 256 then b19 else b20
b19:
  v31 = rsh v31, 8
  v32 = add v32, 8
  jump b20
b20:
  if v31 uge 16 then b21 else b22
b21:
  v31 = rsh v31, 4
  v32 = add v32, 4
  jump b22
b22:
  if v31 uge 4 then b23 else b24
b23:
  v31 = rsh v31, 2
  v32 = add v32, 2
  jump b24
b24:
  if v31 uge 2 then b25 else b26
b25:
  v32 = add v32, 1
  jump b26
b26:
  v34 = add v32, 2
  v29 = copy v34
  jump b14
b27:
  v35 = lsh v29, 3
  v36 = add v28, v35
  v37 = load.8 v36+0
  v38 = add v37, 1
  store.8 v36+0, v38
  jump b10
b28:
  return 0
}

map 1 fst_loss: kind 4, key 4, value 176, entries 1
map 4 @start: kind 0, key 8, value 8, entries 4096
map 5 @: kind 5, key 4, value 520, entries 1
map 6 fst_seen: kind 4, key 4, value 16, entries 1
