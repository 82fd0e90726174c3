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
  v12 = map "@start"
  v11 = call get_current_task_btf()
  v8 = call task_storage_get(v12, v11, 0, 1)
  if v8 ne 0 then b3 else b4
b3:
  v9 = load.8 v6+0
  store.8 v8+0, v9
  store.8 v8+8, 1
  return 0
b4:
  v10 = mapvalue fst_loss+8
  atomicadd.8 v10+0, 1
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
  v31 = map "@start"
  v30 = call get_current_task_btf()
  v6 = call task_storage_get(v31, v30, 0, 0)
  if v6 ne 0 then b4 else b29
b3:
  v10 = load.8 v4+0
  if v10 ult 2 then b5 else b6
b4:
  v8 = load.8 v6+0
  if v8 ne 0 then b3 else b29
b5:
  store.8 v4+0, 2
  jump b6
b6:
  v12 = const 0
  if v6 ne 0 then b7 else b8
b7:
  v13 = load.8 v6+0
  v12 = copy v13
  jump b8
b8:
  v11 = call ktime_get_boot_ns()
  v14 = sub v11, v12
  v15 = slot 0+0
  store.4 v15+0, 0
  v32 = map "@"
  v16 = call map_lookup_elem(v32, v15)
  if v16 ne 0 then b9 else b10
b9:
  v17 = const 0
  if v14 sge 0 then b13 else b27
b10:
  if v6 ne 0 then b28 else b29
b11:
  v19 = copy v14
  v20 = const 0
  if v14 uge 4294967296 then b15 else b16
b12:
  if v17 ult 65 then b27 else b10
b13:
  if v14 ult 1 then b14 else b11
b14:
  v18 = add v14, 1
  v17 = copy v18
  jump b12
b15:
  v19 = rsh v19, 32
  v20 = add v20, 32
  jump b16
b16:
  if v19 uge 65536 then b17 else b18
b17:
  v19 = rsh v19, 16
  v20 = add v20, 16
  jump b18
b18:
  if v19 uge 256 then b19 else b20
b19:
  v19 = rsh v19, 8
  v20 = add v20, 8
  jump b20
b20:
  if v19 uge 16 then b21 else b22
b21:
  v19 = rsh v19, 4
  v20 = add v20, 4
  jump b22
b22:
  if v19 uge 4 then b23 else b24
b23:
  v19 = rsh v19, 2
  v20 = add v20, 2
  jump b24
b24:
  if v19 uge 2 then b25 else b26
b25:
  v20 = add v20, 1
  jump b26
b26:
  v22 = add v20, 2
  v17 = copy v22
  jump b12
b27:
  v23 = lsh v17, 3
  v24 = add v16, v23
  v25 = load.8 v24+0
  v26 = add v25, 1
  store.8 v24+0, v26
  jump b10
b28:
  store.8 v6+0, 0
  store.8 v6+8, 0
  return 0
b29:
  return 0
}

map fst_loss: kind 4, key 4, value 192, entries 1
map @start: kind 8, key 4, value 16, entries 0
map @: kind 5, key 4, value 520, entries 1
map fst_seen: kind 4, key 4, value 16, entries 1
