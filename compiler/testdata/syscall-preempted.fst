// kernel 7.2
syscall:pread64 /args.fd > 2 && retval > 0/ { printf("%d\n", args.count); }
---
; program sys_exit_pread6
program sys_exit_pread6
func sys_exit_pread6(v1) {
  slot 0 "pair" size 16 align 8
b0:
  v4 = load.8s v1+8
  if v4 eq 17 then b1 else b14
b1:
  v5 = slot 0+0
  v6 = call 14()
  store.8 v5+0, v6
  store.8 v5+8, 0
  v7 = map 3
  v8 = call 1(v7, v5)
  if v8 ne 0 then b2 else b14
b2:
  v10 = load.8 v8+8
  v11 = load.8 v8+16
  call 3(v7, v5)
  v13 = mapvalue 4+0
  v14 = load.8 v13+0
  if v14 ult 1 then b3 else b4
b3:
  store.8 v13+0, 1
  jump b4
b4:
  if v10 ugt 2 then b5 else b14
b5:
  v15 = load.8 v1+16
  if v15 sgt 0 then b6 else b14
b6:
  v17 = load.8 v13+0
  if v17 ult 2 then b7 else b8
b7:
  store.8 v13+0, 2
  jump b8
b8:
  v18 = map 0
  v19 = call 134(v18, 0)
  if v19 ugt 4128768 then b9 else b10
b9:
  v22 = mapvalue 1+0
  atomicadd.8 v22+0, 1
  return 1
b10:
  v21 = call 131(v18, 16, 0)
  if v21 ne 0 then b11 else b9
b11:
  store.8 v21+0, 0
  store.8 v21+8, v11
  v23 = const 2
  if v19 ugt 1048576 then b13 else b12
b12:
  v23 = const 0
  jump b13
b13:
  call 132(v21, v23)
  return 1
b14:
  return 1
}

; program sys_enter_pread
program sys_enter_pread
func sys_enter_pread(v1) {
  slot 0 "pair" size 16 align 8
  slot 1 "entry" size 24 align 8
b0:
  v4 = load.8s v1+8
  if v4 eq 17 then b1 else b6
b1:
  v5 = mapvalue 4+0
  v6 = load.8 v5+0
  if v6 ult 1 then b2 else b3
b2:
  store.8 v5+0, 1
  jump b3
b3:
  v7 = load.8 v1+16
  v8 = ext.4 v7
  if v8 ugt 2 then b4 else b6
b4:
  v9 = slot 0+0
  v10 = call 14()
  store.8 v9+0, v10
  store.8 v9+8, 0
  v11 = slot 1+0
  store.8 v11+8, v8
  v14 = load.8 v1+32
  store.8 v11+16, v14
  v15 = call 125()
  store.8 v11+0, v15
  v16 = map 3
  v17 = call 2(v16, v9, v11, 0)
  if v17 ne 0 then b5 else b6
b5:
  v18 = mapvalue 1+8
  atomicadd.8 v18+0, 1
  return 1
b6:
  return 1
}

map 1 fst_loss: kind 4, key 4, value 88, entries 1
map 3 fst_pair0: kind 0, key 16, value 24, entries 16384
map 4 fst_seen: kind 4, key 4, value 8, entries 1
