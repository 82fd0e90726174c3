// kernel 7.2
syscall:pread64 /args.fd > 2 && retval > 0/ { printf("%d\n", args.count); }
---
; program sys_exit_pread6
program sys_exit_pread6
func sys_exit_pread6(v1) {
  slot 0 "pair" size 16 align 8
b0:
  v4 = load.8s v1+8
  if v4 ne 17 then b12 else b1
b1:
  v5 = call get_current_task_btf()
  v6 = load.4 v5+16
  v7 = and v6, 2
  if v7 eq 0 then b2 else b12
b2:
  v8 = slot 0+0
  v9 = call get_current_task()
  v10 = call get_current_pid_tgid()
  v11 = rsh v10, 32
  store.8 v8+0, v9
  store.8 v8+8, v11
  v24 = map fst_pair_sys_exit_pread6
  v12 = call map_lookup_elem(v24, v8)
  if v12 ne 0 then b3 else b12
b3:
  v14 = load.8 v12+8
  v15 = load.8 v12+16
  call map_delete_elem(v24, v8)
  v17 = mapvalue fst_seen+0
  v18 = load.8 v17+0
  if v18 ult 1 then b4 else b5
b4:
  store.8 v17+0, 1
  jump b5
b5:
  if v14 ugt 2 then b6 else b12
b6:
  v19 = load.8 v1+16
  if v19 sgt 0 then b7 else b12
b7:
  v21 = load.8 v17+0
  if v21 ult 2 then b8 else b9
b8:
  store.8 v17+0, 2
  jump b9
b9:
  v27 = map fst_ring
  v26 = call ringbuf_query(v27, 0)
  if v26 ugt ring_limit 4128768 then b11 else b13
b10:
  store.8 v22+0, message 0
  store.8 v22+8, v15
  v29 = const 2
  if v26 ule ring_quarter 1048576 then b14 else b15
b11:
  v23 = mapvalue fst_loss+0
  atomicadd.8 v23+0, 1
  return 1
b12:
  return 1
b13:
  v22 = call ringbuf_reserve(v27, 16, 0)
  if v22 ne 0 then b10 else b11
b14:
  v29 = const 0
  jump b16
b15:
  v30 = rsh v26, 3
  v30 = sub v26, v30
  if v30 ugt ring_quarter 1048576 then b14 else b16
b16:
  call ringbuf_submit(v22, v29)
  return 1
}

; program sys_enter_pread
program sys_enter_pread
func sys_enter_pread(v1) {
  slot 0 "pair" size 16 align 8
  slot 1 "entry" size 24 align 8
b0:
  v4 = load.8s v1+8
  if v4 ne 17 then b7 else b1
b1:
  v5 = call get_current_task_btf()
  v6 = load.4 v5+16
  v7 = and v6, 2
  if v7 eq 0 then b2 else b7
b2:
  v8 = mapvalue fst_seen+0
  v9 = load.8 v8+0
  if v9 ult 1 then b3 else b4
b3:
  store.8 v8+0, 1
  jump b4
b4:
  v10 = load.8 v1+16
  v11 = ext.4 v10
  if v11 ugt 2 then b5 else b7
b5:
  v12 = slot 0+0
  v13 = call get_current_task()
  v14 = call get_current_pid_tgid()
  v15 = rsh v14, 32
  store.8 v12+0, v13
  store.8 v12+8, v15
  v16 = slot 1+0
  store.8 v16+8, v11
  v19 = load.8 v1+32
  store.8 v16+16, v19
  v20 = call ktime_get_boot_ns()
  store.8 v16+0, v20
  v23 = map fst_pair_sys_exit_pread6
  v21 = call map_update_elem(v23, v12, v16, 0)
  if v21 ne 0 then b6 else b7
b6:
  v22 = mapvalue fst_loss+16
  atomicadd.8 v22+0, 1
  return 1
b7:
  return 1
}

map fst_loss: kind 4, key 4, value 96, entries 1
map fst_pair_sys_exit_pread6: kind 0, key 16, value 24, entries 16384
map fst_seen: kind 4, key 4, value 8, entries 1
