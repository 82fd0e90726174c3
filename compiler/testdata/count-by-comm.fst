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
  v15 = map "@"
  v16 = call map_lookup_elem(v15, v11)
  if v16 ne 0 then b6 else b7
b6:
  v17 = load.8 v16+0
  v18 = add v17, 1
  store.8 v16+0, v18
  return 0
b7:
  v19 = slot 1+0
  store.8 v19+0, 1
  v20 = call map_update_elem(v15, v11, v19, 1)
  if v20 ne 0 then b8 else b13
b8:
  v21 = call map_lookup_elem(v15, v11)
  if v21 ne 0 then b9 else b10
b9:
  v22 = load.8 v21+0
  v23 = add v22, 1
  store.8 v21+0, v23
  return 0
b10:
  v24 = mapvalue fst_loss+8
  v25 = load.8 v24+0
  atomicadd.8 v24+0, 1
  if v25 eq 0 then b11 else b13
b11:
  v27 = map fst_ring
  v28 = call ringbuf_reserve(v27, 24, 0)
  if v28 ne 0 then b12 else b13
b12:
  v26 = ext.4s v20
  store.8 v28+0, 0
  store.8 v28+8, 1
  store.8 v28+16, v26
  call ringbuf_submit(v28, 2)
  return 0
b13:
  return 0
}

map fst_loss: kind 4, key 4, value 96, entries 1
map @: kind 2, key 16, value 8, entries 4096
map fst_seen: kind 4, key 4, value 8, entries 1
