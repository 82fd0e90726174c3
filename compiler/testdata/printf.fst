// kernel 6.12
kprobe:vfs_unlink { printf("%s %d\n", comm, pid); }
---
; program vfs_unlink
program vfs_unlink
func vfs_unlink(v1) {
b0:
  v4 = mapvalue 4+0
  v5 = load.8 v4+0
  if v5 ult 2 then b1 else b2
b1:
  store.8 v4+0, 2
  jump b2
b2:
  v9 = map 0
  v10 = call 134(v9, 0)
  if v10 ugt 4128768 then b3 else b4
b3:
  v13 = mapvalue 1+0
  atomicadd.8 v13+0, 1
  return 0
b4:
  v12 = call 131(v9, 32, 0)
  if v12 ne 0 then b5 else b3
b5:
  v6 = call 14()
  v7 = rsh v6, 32
  store.8 v12+0, 0
  v14 = call 158()
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
  call 132(v12, v17)
  return 0
}

map 1 fst_loss: kind 4, key 4, value 96, entries 1
map 4 fst_seen: kind 4, key 4, value 8, entries 1
