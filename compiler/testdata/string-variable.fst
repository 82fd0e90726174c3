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
  v17 = and v16, 16777216
  v3 = or v3, v17
  v18 = load.8 v14+0
  store.8 v12+0, 0
  store.8 v12+8, 0
  store.8 v12+16, 0
  store.8 v12+24, 0
  v19 = call 114(v12, 32, v18)
  v20 = and v19, 33554432
  v3 = or v3, v20
  v23 = add v13, 96
  v24 = call 4(v14, 8, v23)
  v25 = and v24, 67108864
  v3 = or v3, v25
  v26 = load.8 v14+0
  v27 = ext.4s v26
  v28 = and v27, 1
  v29 = slot 2+0
  store.8 v29+0, 0
  store.8 v29+8, 0
  if v28 ne 0 then b7 else b8
b7:
  v31 = call 158()
  v32 = load.8 v31+2976
  store.8 v29+0, v32
  v33 = load.8 v31+2984
  store.8 v29+8, v33
  jump b8
b8:
  v34 = map 0
  v35 = call 134(v34, 0)
  if v35 ugt 4128768 then b9 else b10
b9:
  v38 = mapvalue 1+0
  atomicadd.8 v38+0, 1
  jump b14
b10:
  v37 = call 131(v34, 56, 0)
  if v37 ne 0 then b11 else b9
b11:
  store.8 v37+0, 0
  v40 = load.8 v12+0
  store.8 v37+8, v40
  v41 = load.8 v12+8
  store.8 v37+16, v41
  v42 = load.8 v12+16
  store.8 v37+24, v42
  v43 = load.8 v12+24
  store.8 v37+32, v43
  v45 = load.8 v29+0
  store.8 v37+40, v45
  v46 = load.8 v29+8
  store.8 v37+48, v46
  v47 = const 2
  if v35 ugt 1048576 then b13 else b12
b12:
  v47 = const 0
  jump b13
b13:
  call 132(v37, v47)
  jump b14
b14:
  if v3 ne 0 then b15 else b16
b15:
  if v3 set 16777216 then b17 else b18
b16:
  return 0
b17:
  v48 = mapvalue 4+0
  atomicadd.8 v48+0, 1
  return 0
b18:
  if v3 set 33554432 then b19 else b20
b19:
  v49 = mapvalue 4+8
  atomicadd.8 v49+0, 1
  return 0
b20:
  v50 = mapvalue 4+16
  atomicadd.8 v50+0, 1
  return 0
}

map 1 fst_loss: kind 4, key 4, value 88, entries 1
map 3 fst_seen: kind 4, key 4, value 8, entries 1
map 4 fst_reads: kind 4, key 4, value 24, entries 1
