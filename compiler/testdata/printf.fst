// kernel 6.12
kprobe:vfs_unlink { printf("%s %d\n", comm, pid); }
---
; program vfs_unlink
program vfs_unlink
func vfs_unlink(v1) {
b0:
  v7 = map 0
  v8 = call 134(v7, 0)
  if v8 ugt 4128768 then b1 else b2
b1:
  v11 = mapvalue 1+0
  atomicadd.8 v11+0, 1
  return 0
b2:
  v10 = call 131(v7, 32, 0)
  if v10 ne 0 then b3 else b1
b3:
  v4 = call 14()
  v5 = rsh v4, 32
  store.8 v10+0, 0
  v12 = call 158()
  v13 = load.8 v12+2976
  store.8 v10+8, v13
  v14 = load.8 v12+2984
  store.8 v10+16, v14
  store.4 v10+24, v5
  v15 = const 2
  if v8 ugt 1048576 then b5 else b4
b4:
  v15 = const 0
  jump b5
b5:
  call 132(v10, v15)
  return 0
}

map 1 fst_loss: kind 4, key 4, value 72, entries 1
