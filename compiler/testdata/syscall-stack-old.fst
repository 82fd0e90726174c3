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
  if v4 ne 80 then b23 else b1
b1:
  v5 = call get_current_task_btf()
  v6 = load.4 v5+16
  v7 = and v6, 2
  if v7 eq 0 then b2 else b23
b2:
  v8 = mapvalue fst_seen+0
  v9 = load.8 v8+0
  if v9 ult 2 then b3 else b4
b3:
  store.8 v8+0, 2
  jump b4
b4:
  v11 = slot 1+0
  v12 = const 0
  v14 = slot 1+8
  v13 = call get_stack(v1, v14, 16, 2)
  v16 = const 0
  v17 = const 0
  if v13 slt 0 then b7 else b9
b5:
  if v17 ne 0 then b12 else b6
b6:
  v10 = slot 0+0
  v37 = slot 3+0
  store.8 v37+0, v12
  v38 = load.8 v37+0
  store.8 v10+0, v38
  v51 = map "@"
  v39 = call map_lookup_elem(v51, v10)
  if v39 ne 0 then b16 else b17
b7:
  if v13 ne -14 then b8 else b6
b8:
  v18 = mapvalue fst_loss+56
  atomicadd.8 v18+0, 1
  jump b6
b9:
  if v17 ult v13 then b10 else b5
b10:
  v19 = add v11, v17
  v20 = load.8 v19+8
  if v20 ne 0 then b11 else b5
b11:
  v21 = xor v16, v20
  v23 = mul v21, -7046029254386353131
  v24 = rsh v23, 29
  v25 = xor v23, v24
  v16 = copy v25
  v26 = add v17, 8
  v17 = copy v26
  if v26 ult 16 then b9 else b5
b12:
  v27 = rsh v17, 3
  store.8 v11+0, v27
  v28 = load.8 v11+0
  v29 = rsh v16, 11
  v30 = lsh v29, 11
  v31 = or v30, v28
  v32 = slot 2+0
  store.8 v32+0, v31
  v52 = map fst_stack2
  v33 = call map_lookup_elem(v52, v32)
  if v33 eq 0 then b14 else b13
b13:
  v36 = load.8 v32+0
  v12 = copy v36
  jump b6
b14:
  v34 = call map_update_elem(v52, v32, v11, 0)
  if v34 slt 0 then b15 else b13
b15:
  v35 = mapvalue fst_loss+56
  atomicadd.8 v35+0, 1
  jump b6
b16:
  v40 = load.8 v39+0
  v41 = add v40, 1
  store.8 v39+0, v41
  return 0
b17:
  v42 = slot 4+0
  store.8 v42+0, 1
  v43 = call map_update_elem(v51, v10, v42, 1)
  if v43 ne 0 then b18 else b23
b18:
  v44 = call map_lookup_elem(v51, v10)
  if v44 ne 0 then b20 else b19
b19:
  v47 = mapvalue fst_loss+8
  v48 = load.8 v47+0
  atomicadd.8 v47+0, 1
  if v48 eq 0 then b21 else b23
b20:
  v45 = load.8 v44+0
  v46 = add v45, 1
  store.8 v44+0, v46
  return 0
b21:
  v56 = map fst_ring
  v50 = call ringbuf_reserve(v56, 24, 0)
  if v50 ne 0 then b22 else b23
b22:
  v49 = ext.4s v43
  store.8 v50+0, message 0
  store.8 v50+8, 1
  store.8 v50+16, v49
  call ringbuf_submit(v50, 2)
  return 0
b23:
  return 0
}

map fst_loss: kind 4, key 4, value 96, entries 1
map fst_scratch: kind 5, key 4, value 40, entries 4
map @: kind 2, key 8, value 8, entries 4096
map fst_seen: kind 4, key 4, value 8, entries 1
map fst_stack2: kind 7, key 8, value 24, entries 16384
