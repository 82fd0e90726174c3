// kernel 6.12
// What surely gets its whole value first is written in place, without being zeroed.
tracepoint:syscalls:sys_enter_openat /pid == 77/ {
	$name = str(args.filename, 32);
	if (args.flags & 1) {
		$other = comm;
	}
	printf("%s %s\n", $name, $other);
}
---
; program sys_enter_opena
program sys_enter_opena
func sys_enter_opena(v1) {
  slot 0 "$name" size 32 align 8
  slot 1 "read" size 8 align 8
  slot 2 "$other" size 16 align 8
b0:
  v3 = const 0
  v4 = load.8s v1+8
  if v4 eq 257 then b1 else b16
b1:
  v5 = mapvalue 3+0
  v6 = load.8 v5+0
  if v6 ult 1 then b2 else b3
b2:
  store.8 v5+0, 1
  jump b3
b3:
  v7 = call 14()
  v8 = rsh v7, 32
  if v8 eq 77 then b4 else b14
b4:
  v11 = load.8 v5+0
  if v11 ult 2 then b5 else b6
b5:
  store.8 v5+0, 2
  jump b6
b6:
  v12 = slot 0+0
  v13 = load.8 v1+0
  v14 = slot 1+0
  v15 = add v13, 104
  v16 = call 4(v14, 8, v15)
  v3 = or v3, v16
  v17 = load.8 v14+0
  store.8 v12+0, 0
  store.8 v12+8, 0
  store.8 v12+16, 0
  store.8 v12+24, 0
  v18 = call 114(v12, 32, v17)
  v3 = or v3, v18
  v21 = add v13, 96
  v22 = call 4(v14, 8, v21)
  v3 = or v3, v22
  v23 = load.8 v14+0
  v24 = ext.4s v23
  v25 = and v24, 1
  v26 = slot 2+0
  store.8 v26+0, 0
  store.8 v26+8, 0
  if v25 ne 0 then b7 else b8
b7:
  v28 = call 158()
  v29 = load.8 v28+2976
  store.8 v26+0, v29
  v30 = load.8 v28+2984
  store.8 v26+8, v30
  jump b8
b8:
  v31 = map 0
  v32 = call 134(v31, 0)
  if v32 ugt 4128768 then b9 else b10
b9:
  v35 = mapvalue 1+0
  atomicadd.8 v35+0, 1
  jump b14
b10:
  v34 = call 131(v31, 56, 0)
  if v34 ne 0 then b11 else b9
b11:
  store.8 v34+0, 0
  v37 = load.8 v12+0
  store.8 v34+8, v37
  v38 = load.8 v12+8
  store.8 v34+16, v38
  v39 = load.8 v12+16
  store.8 v34+24, v39
  v40 = load.8 v12+24
  store.8 v34+32, v40
  v42 = load.8 v26+0
  store.8 v34+40, v42
  v43 = load.8 v26+8
  store.8 v34+48, v43
  v44 = const 2
  if v32 ugt 1048576 then b13 else b12
b12:
  v44 = const 0
  jump b13
b13:
  call 132(v34, v44)
  jump b14
b14:
  if v3 slt 0 then b15 else b16
b15:
  v45 = mapvalue 1+24
  atomicadd.8 v45+0, 1
  return 0
b16:
  return 0
}

map 1 fst_loss: kind 4, key 4, value 88, entries 1
map 3 fst_seen: kind 4, key 4, value 8, entries 1
