package lower_test

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"os"
	"strings"
	"testing"

	"fst/compiler/ir"
	"fst/compiler/ir/interp"
)

// printsTo makes bpf_seq_printf() print to a text, for the conversions of numbers and strings.
func printsTo(file *strings.Builder) map[int32]interp.Helper {
	return map[int32]interp.Helper{ir.HelperSeqPrintf: func(m *interp.Machine, a [5]uint64) (uint64, error) {
		format, err := m.Memory(a[1], int(a[2]))
		if err != nil || format[len(format)-1] != 0 {
			return 0, fmt.Errorf("the format %q does not end: %v", format, err)
		}
		data, err := m.Memory(a[3], int(a[4]))
		if a[4] > 0 && err != nil {
			return 0, err
		}
		var args []any
		for spec := range strings.SplitSeq(strings.ReplaceAll(string(format[:len(format)-1]), "%%", ""), "%") {
			if i := strings.IndexAny(spec, "dsux"); i >= 0 && len(args) < len(data)/8 {
				word := binary.LittleEndian.Uint64(data[8*len(args):])
				switch spec[i] {
				case 's':
					var text strings.Builder
					for ; ; word++ {
						c, err := m.Memory(word, 1)
						if err != nil {
							return 0, err
						}
						if c[0] == 0 {
							break
						}
						text.WriteByte(c[0])
					}
					args = append(args, text.String())
				case 'd':
					args = append(args, int64(word))
				default:
					args = append(args, word)
				}
			}
		}
		text := strings.NewReplacer("llu", "d", "ll", "").Replace(string(format[:len(format)-1]))
		fmt.Fprintf(file, text, args...)
		return 0, nil
	}}
}

// TestPinned: a pinned iterator prints into the file that it is pinned as, in the kernel.
func TestPinned(t *testing.T) {
	for _, c := range []struct{ body, want string }{
		{`printf("%-6d|%5d|%05d|%+d\n", pid, 7, 7, 7);`, "700   |    7|00007|+7\n"},
		{`printf("%d %u %x %d\n", (int32)-1, (uint32)-1, 255, (int8)200);`, "-1 4294967295 ff -56\n"},
		{`printf("100%% of %s\n", comm);`, "100% of sh\n"},
		{`printf("%s %s\n", ctx.task.comm, "literal");`, "sh literal\n"},
		{`printf("%8s|%-8s|\n", comm, comm);`, "      sh|sh      |\n"},
		{`printf("nothing\n");`, "nothing\n"},
		{`printf("%p %s\n", (void *)0x1234, 5);`, "0x1234 5\n"},
		{`print(ctx.task.pid); print(comm); print((int64)-3);`, "701\nsh\n-3\n"},
		{`if (ctx.task.tgid == 1) { print("one"); } else { print("other"); }`, "other\n"},
		{`$i = 0; while ($i < 3) { printf("%d ", $i); $i++; }`, "0 1 2 "},
	} {
		w := newWorld(t, "6.12")
		var file strings.Builder
		w.more = printsTo(&file)
		meta := w.put(words(0xabc, 5, 2))
		r := w.run([]any{words(meta, w.task)}, "iter:task:tasks { "+c.body+" }")
		if file.String() != c.want || strings.TrimSpace(r.Out+r.Errs) != "" {
			t.Errorf("%s prints %q, want %q; %s%s", c.body, file.String(), c.want, r.Out, r.Errs)
		}
	}
}

// TestPackets: the bytes of a packet behind an offset, as many as are asked for, and as are in its linear part; and the
// length that they had on the wire.
func TestPackets(t *testing.T) {
	packet := make([]byte, 256)
	for i := range packet {
		packet[i] = byte(i)
	}
	for _, c := range []struct {
		args              string
		len, paged        int
		wire, kept, first int
	}{
		{"1500, 0", 100, 0, 100, 100, 0},
		{"64, 0", 100, 0, 64, 64, 0},
		{"1500, 14", 100, 0, 86, 86, 14},
		{"40, 14", 100, 0, 40, 40, 14},
		{"1500, 0", 200, 150, 200, 50, 0}, // the rest lies in pages
		{"1500, 60", 200, 150, 140, 0, 0},
		{"args.skb.len, 0", 77, 0, 77, 77, 0},
		{"0, 0", 100, 0, 0, 0, 0},
		{"1500, 300", 100, 0, 0, 0, 0}, // behind its end
	} {
		w := newWorld(t, newest)
		skb := w.object("sk_buff", map[string]any{"len": c.len, "data_len": c.paged, "data": w.put(packet)})
		path := t.TempDir() + "/x.pcap"
		r := w.run([]any{call{args: []uint64{skb}}}, `fentry:ip_rcv { skboutput("`+path+`", args.skb, `+c.args+`); }`)
		file, err := os.ReadFile(path)
		const header, entry = 24, 16
		if err != nil || len(file) < header+entry || strings.TrimSpace(r.Out+r.Errs) != "" {
			t.Fatalf("%+v: %v, %d bytes, %s%s", c, err, len(file), r.Out, r.Errs)
		}
		number := func(at int) int { return int(binary.LittleEndian.Uint32(file[header+at:])) }
		if want := packet[c.first:][:c.kept]; number(8) != c.kept || number(12) != c.wire || !bytes.Equal(file[header+entry:], want) {
			t.Errorf("%+v: %d of %d bytes: %x", c, number(8), number(12), file[header+entry:])
		}
	}
}
