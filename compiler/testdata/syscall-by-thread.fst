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
  v4 = map fst_pair0
  v5 = call get_current_task_btf()
  v6 = call task_storage_get(v4, v5, 0, 0)
  if v6 ne 0 then b1 else b53
b1:
  v7 = load.8 v6+0
  if v7 ne 0 then b2 else b51
b2:
  v8 = load.8 v1+0
  v54 = slot 1+0
  v55 = add v8, 120
  v56 = call probe_read(v54, 8, v55)
  v57 = and v56, 16777216
  v3 = or v3, v57
  v9 = load.8 v54+0
  if v9 eq 17 then b3 else b51
b3:
  v11 = load.4 v5+16
  v12 = and v11, 2
  if v12 eq 0 then b4 else b51
b4:
  v13 = load.8 v6+8
  v14 = load.8 v6+16
  store.8 v6+0, 0
  v17 = mapvalue fst_seen+0
  v18 = load.8 v17+0
  if v18 ult 1 then b5 else b6
b5:
  store.8 v17+0, 1
  jump b6
b6:
  if v13 ugt 2 then b7 else b51
b7:
  v19 = load.8 v1+8
  if v19 sgt 0 then b8 else b51
b8:
  v21 = load.8 v17+0
  if v21 ult 2 then b9 else b10
b9:
  store.8 v17+0, 2
  jump b10
b10:
  v15 = call ktime_get_boot_ns()
  v16 = sub v15, v7
  v22 = slot 0+0
  store.8 v22+0, v14
  v23 = map "@"
  v24 = call map_lookup_elem(v23, v22)
  if v24 ne 0 then b11 else b12
b11:
  v25 = const 0
  if v16 slt 0 then b29 else b13
b12:
  v35 = mapvalue fst_zero+0
  v36 = call map_update_elem(v23, v22, v35, 1)
  v37 = call map_lookup_elem(v23, v22)
  if v37 ne 0 then b30 else b31
b13:
  if v16 ult 1 then b14 else b15
b14:
  v26 = add v16, 1
  v25 = copy v26
  jump b16
b15:
  v27 = copy v16
  v28 = const 0
  if v16 uge 4294967296 then b17 else b18
b16:
  if v25 ult 65 then b29 else b51
b17:
  v27 = rsh v27, 32
  v28 = add v28, 32
  jump b18
b18:
  if v27 uge 65536 then b19 else b20
b19:
  v27 = rsh v27, 16
  v28 = add v28, 16
  jump b20
b20:
  if v27 uge 256 then b21 else b22
b21:
  v27 = rsh v27, 8
  v28 = add v28, 8
  jump b22
b22:
  if v27 uge 16 then b23 else b24
b23:
  v27 = rsh v27, 4
  v28 = add v28, 4
  jump b24
b24:
  if v27 uge 4 then b25 else b26
b25:
  v27 = rsh v27, 2
  v28 = add v28, 2
  jump b26
b26:
  if v27 uge 2 then b27 else b28
b27:
  v28 = add v28, 1
  jump b28
b28:
  v30 = add v28, 2
  v25 = copy v30
  jump b16
b29:
  v31 = lsh v25, 3
  v32 = add v24, v31
  v33 = load.8 v32+0
  v34 = add v33, 1
  store.8 v32+0, v34
  jump b51
b30:
  v38 = const 0
  if v16 slt 0 then b48 else b32
b31:
  v48 = mapvalue fst_loss+8
  v49 = load.8 v48+0
  atomicadd.8 v48+0, 1
  if v49 eq 0 then b49 else b51
b32:
  if v16 ult 1 then b33 else b34
b33:
  v39 = add v16, 1
  v38 = copy v39
  jump b35
b34:
  v40 = copy v16
  v41 = const 0
  if v16 uge 4294967296 then b36 else b37
b35:
  if v38 ult 65 then b48 else b51
b36:
  v40 = rsh v40, 32
  v41 = add v41, 32
  jump b37
b37:
  if v40 uge 65536 then b38 else b39
b38:
  v40 = rsh v40, 16
  v41 = add v41, 16
  jump b39
b39:
  if v40 uge 256 then b40 else b41
b40:
  v40 = rsh v40, 8
  v41 = add v41, 8
  jump b41
b41:
  if v40 uge 16 then b42 else b43
b42:
  v40 = rsh v40, 4
  v41 = add v41, 4
  jump b43
b43:
  if v40 uge 4 then b44 else b45
b44:
  v40 = rsh v40, 2
  v41 = add v41, 2
  jump b45
b45:
  if v40 uge 2 then b46 else b47
b46:
  v41 = add v41, 1
  jump b47
b47:
  v43 = add v41, 2
  v38 = copy v43
  jump b35
b48:
  v44 = lsh v38, 3
  v45 = add v37, v44
  v46 = load.8 v45+0
  v47 = add v46, 1
  store.8 v45+0, v47
  jump b51
b49:
  v51 = map fst_ring
  v52 = call ringbuf_reserve(v51, 24, 0)
  if v52 ne 0 then b50 else b51
b50:
  v50 = ext.4s v36
  store.8 v52+0, 0
  store.8 v52+8, 1
  store.8 v52+16, v50
  call ringbuf_submit(v52, 2)
  jump b51
b51:
  if v3 ne 0 then b52 else b53
b52:
  v53 = mapvalue fst_reads+0
  atomicadd.8 v53+0, 1
  return 0
b53:
  return 0
}

; program sys_enter_pread
program sys_enter_pread
func sys_enter_pread(v1) {
  slot 0 "read" size 8 align 8
b0:
  v3 = const 0
  v4 = load.8s v1+8
  if v4 eq 17 then b1 else b10
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
  v25 = slot 0+0
  v26 = add v10, 112
  v27 = call probe_read(v25, 8, v26)
  v28 = and v27, 16777216
  v3 = or v3, v28
  v11 = load.8 v25+0
  v12 = ext.4 v11
  if v12 ugt 2 then b5 else b8
b5:
  v13 = map fst_pair0
  v15 = call task_storage_get(v13, v5, 0, 1)
  if v15 ne 0 then b7 else b6
b6:
  v22 = mapvalue fst_loss+16
  atomicadd.8 v22+0, 1
  jump b8
b7:
  store.8 v15+8, v12
  v30 = add v10, 96
  v31 = call probe_read(v25, 8, v30)
  v32 = and v31, 33554432
  v3 = or v3, v32
  v20 = load.8 v25+0
  store.8 v15+16, v20
  v21 = call ktime_get_boot_ns()
  store.8 v15+0, v21
  jump b8
b8:
  if v3 ne 0 then b9 else b10
b9:
  if v3 set 16777216 then b11 else b12
b10:
  return 0
b11:
  v23 = mapvalue fst_reads+8
  atomicadd.8 v23+0, 1
  return 0
b12:
  v24 = mapvalue fst_reads+0
  atomicadd.8 v24+0, 1
  return 0
}

map fst_loss: kind 4, key 4, value 96, entries 1
map @: kind 2, key 8, value 520, entries 4096
map fst_pair0: kind 8, key 4, value 24, entries 0
map fst_reads: kind 4, key 4, value 16, entries 1
map fst_seen: kind 4, key 4, value 8, entries 1
map fst_zero: kind 4, key 4, value 520, entries 1
