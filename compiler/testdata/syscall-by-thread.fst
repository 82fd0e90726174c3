// kernel 6.12 thread_maps
syscall:pread64 /args.fd > 2 && retval > 0/ { @[args.count] = hist(took); }
---
; program sys_exit_pread6
program sys_exit_pread6
func sys_exit_pread6(v1) {
  slot 0 "read" size 8 align 8
  slot 1 "key" size 8 align 8
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
  v9 = slot 0+0
  v10 = add v8, 120
  v11 = call probe_read(v9, 8, v10)
  v12 = and v11, 16777216
  v3 = or v3, v12
  v13 = load.8 v9+0
  if v13 eq 17 then b3 else b51
b3:
  v15 = load.4 v5+16
  v16 = and v15, 2
  if v16 eq 0 then b4 else b51
b4:
  v17 = load.8 v6+8
  v18 = load.8 v6+16
  store.8 v6+0, 0
  v21 = mapvalue fst_seen+0
  v22 = load.8 v21+0
  if v22 ult 1 then b5 else b6
b5:
  store.8 v21+0, 1
  jump b6
b6:
  if v17 ugt 2 then b7 else b51
b7:
  v23 = load.8 v1+8
  if v23 sgt 0 then b8 else b51
b8:
  v25 = load.8 v21+0
  if v25 ult 2 then b9 else b10
b9:
  store.8 v21+0, 2
  jump b10
b10:
  v19 = call ktime_get_boot_ns()
  v20 = sub v19, v7
  v26 = slot 1+0
  store.8 v26+0, v18
  v27 = map "@"
  v28 = call map_lookup_elem(v27, v26)
  if v28 ne 0 then b11 else b12
b11:
  v29 = const 0
  if v20 slt 0 then b29 else b13
b12:
  v39 = mapvalue fst_zero+0
  v40 = call map_update_elem(v27, v26, v39, 1)
  v41 = call map_lookup_elem(v27, v26)
  if v41 ne 0 then b30 else b31
b13:
  if v20 ult 1 then b14 else b15
b14:
  v30 = add v20, 1
  v29 = copy v30
  jump b16
b15:
  v31 = copy v20
  v32 = const 0
  if v20 uge 4294967296 then b17 else b18
b16:
  if v29 ult 65 then b29 else b51
b17:
  v31 = rsh v31, 32
  v32 = add v32, 32
  jump b18
b18:
  if v31 uge 65536 then b19 else b20
b19:
  v31 = rsh v31, 16
  v32 = add v32, 16
  jump b20
b20:
  if v31 uge 256 then b21 else b22
b21:
  v31 = rsh v31, 8
  v32 = add v32, 8
  jump b22
b22:
  if v31 uge 16 then b23 else b24
b23:
  v31 = rsh v31, 4
  v32 = add v32, 4
  jump b24
b24:
  if v31 uge 4 then b25 else b26
b25:
  v31 = rsh v31, 2
  v32 = add v32, 2
  jump b26
b26:
  if v31 uge 2 then b27 else b28
b27:
  v32 = add v32, 1
  jump b28
b28:
  v34 = add v32, 2
  v29 = copy v34
  jump b16
b29:
  v35 = lsh v29, 3
  v36 = add v28, v35
  v37 = load.8 v36+0
  v38 = add v37, 1
  store.8 v36+0, v38
  jump b51
b30:
  v42 = const 0
  if v20 slt 0 then b48 else b32
b31:
  v52 = mapvalue fst_loss+8
  v53 = load.8 v52+0
  atomicadd.8 v52+0, 1
  if v53 eq 0 then b49 else b51
b32:
  if v20 ult 1 then b33 else b34
b33:
  v43 = add v20, 1
  v42 = copy v43
  jump b35
b34:
  v44 = copy v20
  v45 = const 0
  if v20 uge 4294967296 then b36 else b37
b35:
  if v42 ult 65 then b48 else b51
b36:
  v44 = rsh v44, 32
  v45 = add v45, 32
  jump b37
b37:
  if v44 uge 65536 then b38 else b39
b38:
  v44 = rsh v44, 16
  v45 = add v45, 16
  jump b39
b39:
  if v44 uge 256 then b40 else b41
b40:
  v44 = rsh v44, 8
  v45 = add v45, 8
  jump b41
b41:
  if v44 uge 16 then b42 else b43
b42:
  v44 = rsh v44, 4
  v45 = add v45, 4
  jump b43
b43:
  if v44 uge 4 then b44 else b45
b44:
  v44 = rsh v44, 2
  v45 = add v45, 2
  jump b45
b45:
  if v44 uge 2 then b46 else b47
b46:
  v45 = add v45, 1
  jump b47
b47:
  v47 = add v45, 2
  v42 = copy v47
  jump b35
b48:
  v48 = lsh v42, 3
  v49 = add v41, v48
  v50 = load.8 v49+0
  v51 = add v50, 1
  store.8 v49+0, v51
  jump b51
b49:
  v55 = map fst_ring
  v56 = call ringbuf_reserve(v55, 24, 0)
  if v56 ne 0 then b50 else b51
b50:
  v54 = ext.4s v40
  store.8 v56+0, 0
  store.8 v56+8, 1
  store.8 v56+16, v54
  call ringbuf_submit(v56, 2)
  jump b51
b51:
  if v3 ne 0 then b52 else b53
b52:
  v57 = mapvalue fst_reads+0
  atomicadd.8 v57+0, 1
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
  v11 = slot 0+0
  v12 = add v10, 112
  v13 = call probe_read(v11, 8, v12)
  v14 = and v13, 16777216
  v3 = or v3, v14
  v15 = load.8 v11+0
  v16 = ext.4 v15
  if v16 ugt 2 then b5 else b8
b5:
  v17 = map fst_pair0
  v19 = call task_storage_get(v17, v5, 0, 1)
  if v19 ne 0 then b7 else b6
b6:
  v34 = mapvalue fst_loss+16
  atomicadd.8 v34+0, 1
  jump b8
b7:
  v23 = call probe_read(v11, 8, v12)
  v24 = and v23, 33554432
  v3 = or v3, v24
  v25 = load.8 v11+0
  v26 = ext.4 v25
  store.8 v19+8, v26
  v29 = add v10, 96
  v30 = call probe_read(v11, 8, v29)
  v31 = and v30, 33554432
  v3 = or v3, v31
  v32 = load.8 v11+0
  store.8 v19+16, v32
  v33 = call ktime_get_boot_ns()
  store.8 v19+0, v33
  jump b8
b8:
  if v3 ne 0 then b9 else b10
b9:
  if v3 set 16777216 then b11 else b12
b10:
  return 0
b11:
  v35 = mapvalue fst_reads+8
  atomicadd.8 v35+0, 1
  return 0
b12:
  v36 = mapvalue fst_reads+0
  atomicadd.8 v36+0, 1
  return 0
}

map fst_loss: kind 4, key 4, value 96, entries 1
map @: kind 2, key 8, value 520, entries 4096
map fst_pair0: kind 8, key 4, value 24, entries 0
map fst_reads: kind 4, key 4, value 16, entries 1
map fst_seen: kind 4, key 4, value 8, entries 1
map fst_zero: kind 4, key 4, value 520, entries 1
