// kernel 6.12
kprobe:vfs_unlink { printf("%s %d\n", comm, pid); }
---
; program vfs_unlink
program vfs_unlink
func vfs_unlink(v1) {
  slot 0 "loss" size 8 align 8
b0:
  v7 = map 0
  v8 = call 134(v7, 0)
  if v8 ugt 4128768 then b1 else b2
b1:
  v11 = slot 0+0
  store.4 v11+0, 0
  v12 = map 1
  v13 = call 1(v12, v11)
  if v13 ne 0 then b4 else b7
b2:
  v10 = call 131(v7, 32, 0)
  if v10 ne 0 then b3 else b1
b3:
  v4 = call 14()
  v5 = rsh v4, 32
  v6 = ext.4 v5
  store.8 v10+0, 0
  v16 = call 158()
  v17 = load.8 v16+2976
  store.8 v10+8, v17
  v18 = load.8 v16+2984
  store.8 v10+16, v18
  store.4 v10+24, v6
  v19 = const 2
  if v8 ugt 1048576 then b6 else b5
b4:
  v14 = load.8 v13+0
  v15 = add v14, 1
  store.8 v13+0, v15
  return 0
b5:
  v19 = const 0
  jump b6
b6:
  call 132(v10, v19)
  return 0
b7:
  return 0
}

map 1 fst_loss: kind 5, key 4, value 8, entries 9
