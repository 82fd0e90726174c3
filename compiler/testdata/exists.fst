// kernel 5.10
rawtracepoint:block_rq_complete { if (exists(struct request, rq_disk)) { @ = count() } else { @other = count() } }
---
; program block_rq_comple
program block_rq_comple
func block_rq_comple(v1) {
  slot 0 "index" size 8 align 8
b0:
  v4 = slot 0+0
  store.4 v4+0, 0
  v5 = map 3
  v6 = call 1(v5, v4)
  if v6 ne 0 then b1 else b2
b1:
  v7 = load.8 v6+0
  v8 = add v7, 1
  store.8 v6+0, v8
  return 0
b2:
  return 0
}

map 1 fst_loss: kind 4, key 4, value 72, entries 1
map 3 @: kind 5, key 4, value 8, entries 1
