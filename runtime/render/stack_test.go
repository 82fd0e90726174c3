package render

import (
	"testing"

	"fst/compiler/object"
)

// TestDebugInfo shows the source of user frames: the first of the stack is at the
// address itself, all others are one byte before what they return to.
func TestDebugInfo(t *testing.T) {
	for _, c := range []struct{ mode, text, json string }{
		{"", "\n        [inlined] sum@/src/sum.h:3\n        main+0@/src/prog.c:12\n        0x55d77e4b3139\n\n",
			`"\n        [inlined] sum@/src/sum.h:3\n        main+0@/src/prog.c:12\n        0x55d77e4b3139\n"`},
		{"perf", "\n\t4000 sum@/src/sum.h:3 (inlined)\n\t4000 main+0@/src/prog.c:12 (/bin/prog)\n\t55d77e4b3139 0x55d77e4b3139 ([unknown])\n\n",
			`"\n\t4000 sum@/src/sum.h:3 (inlined)\n\t4000 main+0@/src/prog.c:12 (/bin/prog)\n\t55d77e4b3139 0x55d77e4b3139 ([unknown])\n"`},
		{"raw", "\n4000\n55d77e4b3139\n\n", `"\n4000\n55d77e4b3139\n"`},
	} {
		b := newBoth()
		b.obj.Config.DebugInfo = true
		m, rec := message(object.MsgPrintValue, "", ustack(2, 7, c.mode))
		b.each(func(o form) { o.Message(m, rec) })
		b.expect(t, c.mode, c.text, `{"type": "value", "data": `+c.json+"}\n")
	}
}
