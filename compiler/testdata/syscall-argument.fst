// kernel 6.12
// One argument of a system call is read, not all six.
tracepoint:raw_syscalls:sys_enter { @[args.args[1]] = count(); }
---
; program sys_enter
program sys_enter
func sys_enter(v1) {
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
  v7 = load.8 v1+0
  v22 = slot 2+0
  v23 = add v7, 104
  v24 = call probe_read(v22, 8, v23)
  v25 = and v24, 16777216
  v3 = or v3, v25
  v8 = load.8 v22+0
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

map fst_loss: kind 4, key 4, value 96, entries 1
map @: kind 2, key 8, value 8, entries 4096
map fst_seen: kind 4, key 4, value 8, entries 1
map fst_reads: kind 4, key 4, value 8, entries 1
