package render

import (
	"bytes"
	"strings"

	"fst/compiler/object"
	"fst/compiler/types"
	"fst/runtime/event"

	"golang.org/x/sys/unix"
)

// command is a message's text that is not shown but used.
func (f formatter) command(m *object.Message, record []byte) string {
	return f.p.exactly(func() []byte { return f.printf(nil, m, record) })
}

// join appends the words of a join message.
func (f formatter) join(b []byte, m *object.Message, record []byte) []byte {
	if len(m.Fields) == 0 {
		return b
	}
	for i, word := range joinedWords(m, record) {
		if i > 0 {
			b = append(b, m.Sep...)
		}
		b = f.p.bytes(b, word)
	}
	return append(b, '\n')
}

// joinedWords are the words of a join message. An empty word ends them: what follows it was
// not written.
func joinedWords(m *object.Message, record []byte) (list [][]byte) {
	if len(m.Fields) == 0 {
		return nil
	}
	v := event.Field(&m.Fields[0], record)
	if v.Type.Kind == types.Array && v.Type.Elem.Kind == types.String {
		for i := range v.Len() {
			word := v.Index(i).Bytes()
			if len(word) == 0 {
				break
			}
			list = append(list, word)
		}
		return list
	}
	words := v.Bytes()
	if v.Type.Kind == types.String {
		words = v.Data
	}
	for len(words) > 0 && words[len(words)-1] == 0 {
		words = words[:len(words)-1]
	}
	return bytes.Split(words, []byte{0})
}

// runtimeError is the text of a MsgRuntimeError: what went wrong (a LossKind)
// and, if there is one, the helper's return code.
func (n *notes) runtimeError(m *object.Message, record []byte) (text string, code int64) {
	kind := object.LossOther
	if len(m.Fields) > 0 {
		kind = object.LossKind(event.Field(&m.Fields[0], record).Int())
	}
	if len(m.Fields) > 1 {
		code = event.Field(&m.Fields[1], record).Int()
	}
	if kind == object.LossMapFull && code == -int64(unix.ENOMEM) {
		return "new key was not stored: the kernel could not allocate memory for so large a value; " +
			"let @m = percpuhash(100) keeps memory for 100 keys", code
	}
	return strings.TrimPrefix(n.lossText(object.Loss{Kind: kind}, 1), "1 "), code
}
