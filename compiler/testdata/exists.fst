// kernel 5.10
rawtracepoint:block_rq_complete { if (exists(struct request, rq_disk)) { @ = count() } else { @other = count() } }
---
; program block_rq_comple
program block_rq_comple
func block_rq_comple(v1) {
  slot 0 "index" size 8 align 8
b0:
  v4 = mapvalue fst_seen+0
  v5 = load.8 v4+0
  if v5 ult 2 then b1 else b2
b1:
  store.8 v4+0, 2
  jump b2
b2:
  v6 = slot 0+0
  store.4 v6+0, 0
  v10 = map "@"
  v7 = call map_lookup_elem(v10, v6)
  if v7 ne 0 then b3 else b4
b3:
  v8 = load.8 v7+0
  v9 = add v8, 1
  store.8 v7+0, v9
  return 0
b4:
  return 0
}

map fst_loss: kind 4, key 4, value 96, entries 1
map @: kind 5, key 4, value 8, entries 1
map fst_seen: kind 4, key 4, value 8, entries 1
