// kernel 7.2
rawtracepoint:sched_process_fork { @[args.child->tgid] = count(); }
rawtracepoint:sched_process_exec, rawtracepoint:sched_wakeup { @n[arg0] = count(); }
---
; program sched_process_f
program sched_process_f
func sched_process_f(v1) {
  slot 0 "key" size 8 align 8
  slot 1 "first" size 16 align 8
  slot 2 "read" size 8 align 8
b0:
  v3 = const 0
  v4 = mapvalue fst_seen+0
  v5 = load.8 v4+0
  if v5 ult 2 then b1 else b2
b1:
  store.8 v4+0, 2
  jump b2
b2:
  v6 = slot 0+0
  v7 = load.8 v1+96
  v22 = slot 2+0
  v23 = add v7, 2812
  v24 = call probe_read(v22, 4, v23)
  v25 = and v24, 16777216
  v3 = or v3, v25
  v8 = load.4s v22+0
  store.8 v6+0, v8
  v26 = map "@"
  v9 = call map_lookup_elem(v26, v6)
  if v9 ne 0 then b3 else b4
b3:
  v10 = load.8 v9+0
  v11 = add v10, 1
  store.8 v9+0, v11
  jump b10
b4:
  v12 = slot 1+0
  store.8 v12+0, 1
  v13 = call map_update_elem(v26, v6, v12, 1)
  if v13 ne 0 then b5 else b10
b5:
  v14 = call map_lookup_elem(v26, v6)
  if v14 ne 0 then b7 else b6
b6:
  v17 = mapvalue fst_loss+8
  v18 = load.8 v17+0
  atomicadd.8 v17+0, 1
  if v18 eq 0 then b8 else b10
b7:
  v15 = load.8 v14+0
  v16 = add v15, 1
  store.8 v14+0, v16
  jump b10
b8:
  v29 = map fst_ring
  v20 = call ringbuf_reserve(v29, 24, 0)
  if v20 ne 0 then b9 else b10
b9:
  v19 = ext.4s v13
  store.8 v20+0, message 0
  store.8 v20+8, 1
  store.8 v20+16, v19
  call ringbuf_submit(v20, 2)
  jump b10
b10:
  if v3 ne 0 then b12 else b11
b11:
  return 0
b12:
  v21 = mapvalue fst_reads+0
  atomicadd.8 v21+0, 1
  return 0
}

; program sched_process_e
program sched_process_e
func sched_process_e(v1) {
  slot 0 "key" size 8 align 8
  slot 1 "first" size 16 align 8
b0:
  v4 = mapvalue fst_seen+8
  v5 = load.8 v4+0
  if v5 ult 2 then b1 else b2
b1:
  store.8 v4+0, 2
  jump b2
b2:
  v6 = slot 0+0
  v7 = load.8 v1+104
  store.8 v6+0, v7
  v20 = map "@n"
  v8 = call map_lookup_elem(v20, v6)
  if v8 ne 0 then b3 else b4
b3:
  v9 = load.8 v8+0
  v10 = add v9, 1
  store.8 v8+0, v10
  return 0
b4:
  v11 = slot 1+0
  store.8 v11+0, 1
  v12 = call map_update_elem(v20, v6, v11, 1)
  if v12 ne 0 then b5 else b10
b5:
  v13 = call map_lookup_elem(v20, v6)
  if v13 ne 0 then b7 else b6
b6:
  v16 = mapvalue fst_loss+104
  v17 = load.8 v16+0
  atomicadd.8 v16+0, 1
  if v17 eq 0 then b8 else b10
b7:
  v14 = load.8 v13+0
  v15 = add v14, 1
  store.8 v13+0, v15
  return 0
b8:
  v23 = map fst_ring
  v19 = call ringbuf_reserve(v23, 24, 0)
  if v19 ne 0 then b9 else b10
b9:
  v18 = ext.4s v12
  store.8 v19+0, message 1
  store.8 v19+8, 1
  store.8 v19+16, v18
  call ringbuf_submit(v19, 2)
  return 0
b10:
  return 0
}

; program sched_wakeup
program sched_wakeup
func sched_wakeup(v1) {
  slot 0 "key" size 8 align 8
  slot 1 "first" size 16 align 8
b0:
  v4 = mapvalue fst_seen+8
  v5 = load.8 v4+0
  if v5 ult 2 then b1 else b2
b1:
  store.8 v4+0, 2
  jump b2
b2:
  v6 = slot 0+0
  v7 = load.8 v1+0
  store.8 v6+0, v7
  v20 = map "@n"
  v8 = call map_lookup_elem(v20, v6)
  if v8 ne 0 then b3 else b4
b3:
  v9 = load.8 v8+0
  v10 = add v9, 1
  store.8 v8+0, v10
  return 0
b4:
  v11 = slot 1+0
  store.8 v11+0, 1
  v12 = call map_update_elem(v20, v6, v11, 1)
  if v12 ne 0 then b5 else b10
b5:
  v13 = call map_lookup_elem(v20, v6)
  if v13 ne 0 then b7 else b6
b6:
  v16 = mapvalue fst_loss+104
  v17 = load.8 v16+0
  atomicadd.8 v16+0, 1
  if v17 eq 0 then b8 else b10
b7:
  v14 = load.8 v13+0
  v15 = add v14, 1
  store.8 v13+0, v15
  return 0
b8:
  v23 = map fst_ring
  v19 = call ringbuf_reserve(v23, 24, 0)
  if v19 ne 0 then b9 else b10
b9:
  v18 = ext.4s v12
  store.8 v19+0, message 2
  store.8 v19+8, 1
  store.8 v19+16, v18
  call ringbuf_submit(v19, 2)
  return 0
b10:
  return 0
}

map fst_loss: kind 4, key 4, value 192, entries 1
map @: kind 2, key 8, value 8, entries 4096
map @n: kind 2, key 8, value 8, entries 4096
map fst_seen: kind 4, key 4, value 16, entries 1
map fst_reads: kind 4, key 4, value 8, entries 1
