package render

import (
	"encoding/hex"
	"os"
	"testing"

	"fst/compiler/object"
	"fst/compiler/types"
)

func TestPacket(t *testing.T) {
	b := newBoth()
	path := t.TempDir() + "/x.pcap"
	m, rec := message(object.MsgPacket, "", integer(types.U64, 10e9),
		integer(types.U32, 60), buffer("\x45\x00"))
	m.Sep = path
	b.text.Message(m, rec)
	b.text.Message(m, rec)
	b.text.Exit()
	got, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	const header = "4d3cb2a1" + "02000400" + "00000000" + "00000000" + "00000400" + "65000000"
	text := hex.EncodeToString(got)
	packet := "02000000" + "3c000000" + "4500"
	if len(got) != 24+2*18 || text[:48] != header || text[64:84] != packet || text[100:] != packet {
		t.Errorf("%s", text)
	}
	m.Sep = path + "/nosuch/x"
	b.text.Message(m, rec)
	if got := b.errs.String(); got == "" {
		t.Error("a file that can't be made is not reported")
	}
}
