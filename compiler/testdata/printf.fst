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
  v9 = map fst_ring
  v10 = call ringbuf_query(v9, 0)
  if v10 ugt 4128768 then b3 else b4
b3:
  v13 = mapvalue fst_loss+0
  atomicadd.8 v13+0, 1
  return 0
b4:
  v12 = call ringbuf_reserve(v9, 32, 0)
  if v12 ne 0 then b5 else b3
b5:
  v6 = call get_current_pid_tgid()
  v7 = rsh v6, 32
  store.8 v12+0, 0
  v14 = call get_current_task_btf()
  v15 = load.8 v14+2976
  store.8 v12+8, v15
  v16 = load.8 v14+2984
  store.8 v12+16, v16
  store.4 v12+24, v7
  v17 = const 2
  if v10 ugt 1048576 then b7 else b6
b6:
  v17 = const 0
  jump b7
b7:
  call ringbuf_submit(v12, v17)
  return 0
}

map fst_loss: kind 4, key 4, value 96, entries 1
map fst_seen: kind 4, key 4, value 8, entries 1
