// kernel 6.12 thread_maps
tracepoint:raw_syscalls:sys_enter { @start[tid] = nsecs; }
tracepoint:raw_syscalls:sys_exit /@start[tid]/ { @ = hist(nsecs - @start[tid]); delete(@start[tid]); }
---
; program sys_enter
program sys_enter
func sys_enter(v1) {
  slot 0 "value" size 8 align 8
b0:
  v4 = mapvalue fst_seen+0
  v5 = load.8 v4+0
  if v5 ult 2 then b1 else b2
b1:
  store.8 v4+0, 2
  jump b2
b2:
  v6 = slot 0+0
  v7 = call ktime_get_boot_ns()
  store.8 v6+0, v7
  v8 = map "@start"
  v9 = call get_current_task_btf()
  v10 = call task_storage_get(v8, v9, 0, 1)
  if v10 ne 0 then b3 else b4
b3:
  v11 = load.8 v6+0
  store.8 v10+0, v11
  store.8 v10+8, 1
  return 0
b4:
  v12 = mapvalue fst_loss+8
  atomicadd.8 v12+0, 1
  return 0
}

; program sys_exit
program sys_exit
func sys_exit(v1) {
  slot 0 "index" size 8 align 8
b0:
  v4 = mapvalue fst_seen+8
  v5 = load.8 v4+0
  if v5 ult 1 then b1 else b2
b1:
  store.8 v4+0, 1
  jump b2
b2:
  v6 = map "@start"
  v7 = call get_current_task_btf()
  v8 = call task_storage_get(v6, v7, 0, 0)
  if v8 ne 0 then b4 else b29
b3:
  v12 = load.8 v4+0
  if v12 ult 2 then b5 else b6
b4:
  v10 = load.8 v8+0
  if v10 ne 0 then b3 else b29
b5:
  store.8 v4+0, 2
  jump b6
b6:
  v14 = const 0
  if v8 ne 0 then b7 else b8
b7:
  v15 = load.8 v8+0
  v14 = copy v15
  jump b8
b8:
  v13 = call ktime_get_boot_ns()
  v16 = sub v13, v14
  v17 = slot 0+0
  store.4 v17+0, 0
  v18 = map "@"
  v19 = call map_lookup_elem(v18, v17)
  if v19 ne 0 then b9 else b10
b9:
  v20 = const 0
  if v16 slt 0 then b27 else b11
b10:
  if v8 ne 0 then b28 else b29
b11:
  if v16 ult 1 then b12 else b13
b12:
  v21 = add v16, 1
  v20 = copy v21
  jump b14
b13:
  v22 = copy v16
  v23 = const 0
  if v16 uge 4294967296 then b15 else b16
b14:
  if v20 ult 65 then b27 else b10
b15:
  v22 = rsh v22, 32
  v23 = add v23, 32
  jump b16
b16:
  if v22 uge 65536 then b17 else b18
b17:
  v22 = rsh v22, 16
  v23 = add v23, 16
  jump b18
b18:
  if v22 uge 256 then b19 else b20
b19:
  v22 = rsh v22, 8
  v23 = add v23, 8
  jump b20
b20:
  if v22 uge 16 then b21 else b22
b21:
  v22 = rsh v22, 4
  v23 = add v23, 4
  jump b22
b22:
  if v22 uge 4 then b23 else b24
b23:
  v22 = rsh v22, 2
  v23 = add v23, 2
  jump b24
b24:
  if v22 uge 2 then b25 else b26
b25:
  v23 = add v23, 1
  jump b26
b26:
  v25 = add v23, 2
  v20 = copy v25
  jump b14
b27:
  v26 = lsh v20, 3
  v27 = add v19, v26
  v28 = load.8 v27+0
  v29 = add v28, 1
  store.8 v27+0, v29
  jump b10
b28:
  store.8 v8+0, 0
  store.8 v8+8, 0
  return 0
b29:
  return 0
}

map fst_loss: kind 4, key 4, value 192, entries 1
map @start: kind 8, key 4, value 16, entries 0
map @: kind 5, key 4, value 520, entries 1
map fst_seen: kind 4, key 4, value 16, entries 1
