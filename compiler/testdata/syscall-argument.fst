// kernel 6.12
// One argument of a system call is read, not all six.
tracepoint:raw_syscalls:sys_enter { @[args.args[1]] = count(); }
---
; program sys_enter
program sys_enter
func sys_enter(v1) {
  slot 0 "key" size 8 align 8
  slot 1 "read" size 8 align 8
  slot 2 "first" size 16 align 8
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
  v7 = load.8 v1+0
  v8 = slot 1+0
  v9 = add v7, 104
  v10 = call probe_read(v8, 8, v9)
  v11 = and v10, 16777216
  v3 = or v3, v11
  v12 = load.8 v8+0
  store.8 v6+0, v12
  v13 = map "@"
  v14 = call map_lookup_elem(v13, v6)
  if v14 ne 0 then b3 else b4
b3:
  v15 = load.8 v14+0
  v16 = add v15, 1
  store.8 v14+0, v16
  jump b10
b4:
  v17 = slot 2+0
  store.8 v17+0, 1
  v18 = call map_update_elem(v13, v6, v17, 1)
  if v18 ne 0 then b5 else b10
b5:
  v19 = call map_lookup_elem(v13, v6)
  if v19 ne 0 then b6 else b7
b6:
  v20 = load.8 v19+0
  v21 = add v20, 1
  store.8 v19+0, v21
  jump b10
b7:
  v22 = mapvalue fst_loss+8
  v23 = load.8 v22+0
  atomicadd.8 v22+0, 1
  if v23 eq 0 then b8 else b10
b8:
  v25 = map fst_ring
  v26 = call ringbuf_reserve(v25, 24, 0)
  if v26 ne 0 then b9 else b10
b9:
  v24 = ext.4s v18
  store.8 v26+0, 0
  store.8 v26+8, 1
  store.8 v26+16, v24
  call ringbuf_submit(v26, 2)
  jump b10
b10:
  if v3 ne 0 then b11 else b12
b11:
  v27 = mapvalue fst_reads+0
  atomicadd.8 v27+0, 1
  return 0
b12:
  return 0
}

map fst_loss: kind 4, key 4, value 96, entries 1
map @: kind 2, key 8, value 8, entries 4096
map fst_seen: kind 4, key 4, value 8, entries 1
map fst_reads: kind 4, key 4, value 8, entries 1
