// kernel 6.12
kprobe:vfs_unlink { printf("%s %d\n", comm, pid); }
---
; program vfs_unlink
program vfs_unlink
func vfs_unlink(v1) {
b0:
  v4 = mapvalue fst_seen+0
  v5 = load.8 v4+0
  if v5 ult 2 then b1 else b2
b1:
  store.8 v4+0, 2
  jump b2
b2:
  v15 = map fst_ring
  v14 = call ringbuf_query(v15, 0)
  if v14 ugt ring_limit 4128768 then b4 else b5
b3:
  v6 = call get_current_pid_tgid()
  v7 = rsh v6, 32
  store.8 v9+0, message 0
  v11 = call get_current_task_btf()
  v12 = load.8 v11+2976
  store.8 v9+8, v12
  v13 = load.8 v11+2984
  store.8 v9+16, v13
  store.4 v9+24, v7
  v17 = const 2
  if v14 ule ring_quarter 1048576 then b6 else b7
b4:
  v10 = mapvalue fst_loss+0
  atomicadd.8 v10+0, 1
  return 0
b5:
  v9 = call ringbuf_reserve(v15, 32, 0)
  if v9 ne 0 then b3 else b4
b6:
  v17 = const 0
  jump b8
b7:
  v18 = rsh v14, 3
  v18 = sub v14, v18
  if v18 ugt ring_quarter 1048576 then b6 else b8
b8:
  call ringbuf_submit(v9, v17)
  return 0
}

map fst_loss: kind 4, key 4, value 96, entries 1
map fst_seen: kind 4, key 4, value 8, entries 1
