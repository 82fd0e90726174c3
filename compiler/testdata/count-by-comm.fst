// kernel 6.12
tracepoint:raw_syscalls:sys_enter /pid == 42/ { @[comm] = count(); }
---
; program sys_enter
program sys_enter
func sys_enter(v1) {
  slot 0 "key" size 16 align 8
  slot 1 "first" size 16 align 8
b0:
  v4 = mapvalue fst_seen+0
  v5 = load.8 v4+0
  if v5 ult 1 then b1 else b2
b1:
  store.8 v4+0, 1
  jump b2
b2:
  v6 = call get_current_pid_tgid()
  v7 = rsh v6, 32
  if v7 eq 42 then b3 else b13
b3:
  v10 = load.8 v4+0
  if v10 ult 2 then b4 else b5
b4:
  store.8 v4+0, 2
  jump b5
b5:
  v11 = slot 0+0
  v12 = call get_current_task_btf()
  v13 = load.8 v12+2976
  store.8 v11+0, v13
  v14 = load.8 v12+2984
  store.8 v11+8, v14
  v27 = map "@"
  v15 = call map_lookup_elem(v27, v11)
  if v15 ne 0 then b6 else b7
b6:
  v16 = load.8 v15+0
  v17 = add v16, 1
  store.8 v15+0, v17
  return 0
b7:
  v18 = slot 1+0
  store.8 v18+0, 1
  v19 = call map_update_elem(v27, v11, v18, 1)
  if v19 ne 0 then b8 else b13
b8:
  v20 = call map_lookup_elem(v27, v11)
  if v20 ne 0 then b10 else b9
b9:
  v23 = mapvalue fst_loss+8
  v24 = load.8 v23+0
  atomicadd.8 v23+0, 1
  if v24 eq 0 then b11 else b13
b10:
  v21 = load.8 v20+0
  v22 = add v21, 1
  store.8 v20+0, v22
  return 0
b11:
  v30 = map fst_ring
  v26 = call ringbuf_reserve(v30, 24, 0)
  if v26 ne 0 then b12 else b13
b12:
  v25 = ext.4s v19
  store.8 v26+0, message 0
  store.8 v26+8, 1
  store.8 v26+16, v25
  call ringbuf_submit(v26, 2)
  return 0
b13:
  return 0
}

map fst_loss: kind 4, key 4, value 96, entries 1
map @: kind 2, key 16, value 8, entries 4096
map fst_seen: kind 4, key 4, value 8, entries 1
