// kernel 6.12 thread_maps
syscall:pread64 /args.fd > 2 && retval > 0/ { @[args.count] = hist(took); }
---
; program sys_exit_pread6
program sys_exit_pread6
func sys_exit_pread6(v1) {
  slot 0 "key" size 8 align 8
  slot 1 "read" size 8 align 8
b0:
  v3 = const 0
  v51 = map fst_pair_sys_exit_pread6
  v50 = call get_current_task_btf()
  v4 = call task_storage_get(v51, v50, 0, 0)
  if v4 ne 0 then b1 else b52
b1:
  v5 = load.8 v4+0
  if v5 ne 0 then b2 else b51
b2:
  v6 = load.8 v1+0
  v52 = slot 1+0
  v53 = add v6, 120
  v54 = call probe_read(v52, 8, v53)
  v55 = and v54, 16777216
  v3 = or v3, v55
  v7 = load.8 v52+0
  if v7 ne 17 then b51 else b3
b3:
  v9 = load.4 v50+16
  v10 = and v9, 2
  if v10 eq 0 then b4 else b51
b4:
  v11 = load.8 v4+8
  v12 = load.8 v4+16
  store.8 v4+0, 0
  v15 = mapvalue fst_seen+0
  v16 = load.8 v15+0
  if v16 ult 1 then b5 else b6
b5:
  store.8 v15+0, 1
  jump b6
b6:
  if v11 ugt 2 then b7 else b51
b7:
  v17 = load.8 v1+8
  if v17 sgt 0 then b8 else b51
b8:
  v19 = load.8 v15+0
  if v19 ult 2 then b9 else b10
b9:
  store.8 v15+0, 2
  jump b10
b10:
  v13 = call ktime_get_boot_ns()
  v14 = sub v13, v5
  v20 = slot 0+0
  store.8 v20+0, v12
  v56 = map "@"
  v21 = call map_lookup_elem(v56, v20)
  if v21 ne 0 then b11 else b12
b11:
  v22 = const 0
  if v14 sge 0 then b15 else b29
b12:
  v32 = mapvalue fst_zero+0
  v33 = call map_update_elem(v56, v20, v32, 1)
  v34 = call map_lookup_elem(v56, v20)
  if v34 ne 0 then b31 else b30
b13:
  v24 = copy v14
  v25 = const 0
  if v14 uge 4294967296 then b17 else b18
b14:
  if v22 ult 65 then b29 else b51
b15:
  if v14 ult 1 then b16 else b13
b16:
  v23 = add v14, 1
  v22 = copy v23
  jump b14
b17:
  v24 = rsh v24, 32
  v25 = add v25, 32
  jump b18
b18:
  if v24 uge 65536 then b19 else b20
b19:
  v24 = rsh v24, 16
  v25 = add v25, 16
  jump b20
b20:
  if v24 uge 256 then b21 else b22
b21:
  v24 = rsh v24, 8
  v25 = add v25, 8
  jump b22
b22:
  if v24 uge 16 then b23 else b24
b23:
  v24 = rsh v24, 4
  v25 = add v25, 4
  jump b24
b24:
  if v24 uge 4 then b25 else b26
b25:
  v24 = rsh v24, 2
  v25 = add v25, 2
  jump b26
b26:
  if v24 uge 2 then b27 else b28
b27:
  v25 = add v25, 1
  jump b28
b28:
  v27 = add v25, 2
  v22 = copy v27
  jump b14
b29:
  v28 = lsh v22, 3
  v29 = add v21, v28
  v30 = load.8 v29+0
  v31 = add v30, 1
  store.8 v29+0, v31
  jump b51
b30:
  v45 = mapvalue fst_loss+8
  v46 = load.8 v45+0
  atomicadd.8 v45+0, 1
  if v46 eq 0 then b49 else b51
b31:
  v35 = const 0
  if v14 sge 0 then b34 else b48
b32:
  v37 = copy v14
  v38 = const 0
  if v14 uge 4294967296 then b36 else b37
b33:
  if v35 ult 65 then b48 else b51
b34:
  if v14 ult 1 then b35 else b32
b35:
  v36 = add v14, 1
  v35 = copy v36
  jump b33
b36:
  v37 = rsh v37, 32
  v38 = add v38, 32
  jump b37
b37:
  if v37 uge 65536 then b38 else b39
b38:
  v37 = rsh v37, 16
  v38 = add v38, 16
  jump b39
b39:
  if v37 uge 256 then b40 else b41
b40:
  v37 = rsh v37, 8
  v38 = add v38, 8
  jump b41
b41:
  if v37 uge 16 then b42 else b43
b42:
  v37 = rsh v37, 4
  v38 = add v38, 4
  jump b43
b43:
  if v37 uge 4 then b44 else b45
b44:
  v37 = rsh v37, 2
  v38 = add v38, 2
  jump b45
b45:
  if v37 uge 2 then b46 else b47
b46:
  v38 = add v38, 1
  jump b47
b47:
  v40 = add v38, 2
  v35 = copy v40
  jump b33
b48:
  v41 = lsh v35, 3
  v42 = add v34, v41
  v43 = load.8 v42+0
  v44 = add v43, 1
  store.8 v42+0, v44
  jump b51
b49:
  v59 = map fst_ring
  v48 = call ringbuf_reserve(v59, 24, 0)
  if v48 ne 0 then b50 else b51
b50:
  v47 = ext.4s v33
  store.8 v48+0, message 0
  store.8 v48+8, 1
  store.8 v48+16, v47
  call ringbuf_submit(v48, 2)
  jump b51
b51:
  if v3 ne 0 then b53 else b52
b52:
  return 0
b53:
  v49 = mapvalue fst_reads+0
  atomicadd.8 v49+0, 1
  return 0
}

; program sys_enter_pread
program sys_enter_pread
func sys_enter_pread(v1) {
  slot 0 "read" size 8 align 8
b0:
  v3 = const 0
  v4 = load.8s v1+8
  if v4 ne 17 then b9 else b1
b1:
  v5 = call get_current_task_btf()
  v6 = load.4 v5+16
  v7 = and v6, 2
  if v7 eq 0 then b2 else b8
b2:
  v8 = mapvalue fst_seen+0
  v9 = load.8 v8+0
  if v9 ult 1 then b3 else b4
b3:
  store.8 v8+0, 1
  jump b4
b4:
  v10 = load.8 v1+0
  v23 = slot 0+0
  v24 = add v10, 112
  v25 = call probe_read(v23, 8, v24)
  v26 = and v25, 16777216
  v3 = or v3, v26
  v11 = load.8 v23+0
  v12 = ext.4 v11
  if v12 ugt 2 then b5 else b8
b5:
  v28 = map fst_pair_sys_exit_pread6
  v13 = call task_storage_get(v28, v5, 0, 1)
  if v13 ne 0 then b7 else b6
b6:
  v20 = mapvalue fst_loss+16
  atomicadd.8 v20+0, 1
  jump b8
b7:
  store.8 v13+8, v12
  v30 = add v10, 96
  v31 = call probe_read(v23, 8, v30)
  v32 = and v31, 33554432
  v3 = or v3, v32
  v18 = load.8 v23+0
  store.8 v13+16, v18
  v19 = call ktime_get_boot_ns()
  store.8 v13+0, v19
  jump b8
b8:
  if v3 ne 0 then b10 else b9
b9:
  return 0
b10:
  if v3 set 16777216 then b12 else b11
b11:
  v22 = mapvalue fst_reads+0
  atomicadd.8 v22+0, 1
  return 0
b12:
  v21 = mapvalue fst_reads+8
  atomicadd.8 v21+0, 1
  return 0
}

map fst_loss: kind 4, key 4, value 96, entries 1
map @: kind 2, key 8, value 520, entries 4096
map fst_pair_sys_exit_pread6: kind 8, key 4, value 24, entries 0
map fst_reads: kind 4, key 4, value 16, entries 1
map fst_seen: kind 4, key 4, value 8, entries 1
map fst_zero: kind 4, key 4, value 520, entries 1
