// kernel 6.12
begin { for ($i : 0..100) { @sum += $i; } }
---
; program begin
program begin
func begin(v1) {
b0:
  v4 = const 0
  jump b1
b1:
  v8 = mapvalue "@sum"+0
  atomicadd.8 v8+0, v4
  store.8 v8+8, 1
  v4 = add v4, 1
  if v4 slt 100 then b1 else b2
b2:
  return 0
}

map fst_loss: kind 4, key 4, value 96, entries 1
map @sum: kind 4, key 4, value 16, entries 1
