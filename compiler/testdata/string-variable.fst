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
  if v4 eq 257 then b1 else b12
b1:
  v5 = call 14()
  v6 = rsh v5, 32
  if v6 eq 77 then b2 else b10
b2:
  v8 = slot 0+0
  v9 = load.8 v1+0
  v10 = slot 1+0
  v11 = add v9, 104
  v12 = call 113(v10, 8, v11)
  v3 = or v3, v12
  v13 = load.8 v10+0
  store.8 v8+0, 0
  store.8 v8+8, 0
  store.8 v8+16, 0
  store.8 v8+24, 0
  v14 = call 114(v8, 32, v13)
  v3 = or v3, v14
  v17 = add v9, 96
  v18 = call 113(v10, 8, v17)
  v3 = or v3, v18
  v19 = load.8 v10+0
  v20 = ext.4s v19
  v21 = and v20, 1
  v22 = slot 2+0
  store.8 v22+0, 0
  store.8 v22+8, 0
  if v21 ne 0 then b3 else b4
b3:
  v24 = call 158()
  v25 = load.8 v24+2976
  store.8 v22+0, v25
  v26 = load.8 v24+2984
  store.8 v22+8, v26
  jump b4
b4:
  v27 = map 0
  v28 = call 134(v27, 0)
  if v28 ugt 4128768 then b5 else b6
b5:
  v31 = mapvalue 1+0
  atomicadd.8 v31+0, 1
  jump b10
b6:
  v30 = call 131(v27, 56, 0)
  if v30 ne 0 then b7 else b5
b7:
  store.8 v30+0, 0
  v33 = load.8 v8+0
  store.8 v30+8, v33
  v34 = load.8 v8+8
  store.8 v30+16, v34
  v35 = load.8 v8+16
  store.8 v30+24, v35
  v36 = load.8 v8+24
  store.8 v30+32, v36
  v38 = load.8 v22+0
  store.8 v30+40, v38
  v39 = load.8 v22+8
  store.8 v30+48, v39
  v40 = const 2
  if v28 ugt 1048576 then b9 else b8
b8:
  v40 = const 0
  jump b9
b9:
  call 132(v30, v40)
  jump b10
b10:
  if v3 slt 0 then b11 else b12
b11:
  v41 = mapvalue 1+24
  atomicadd.8 v41+0, 1
  return 0
b12:
  return 0
}

map 1 fst_loss: kind 4, key 4, value 72, entries 1
