package lower

import (
	"fst/compiler/analysis"
	"fst/compiler/ir"
	"fst/compiler/object"
	"fst/compiler/types"
	"fst/lang/ast"
)

// maxPacketBytes is how much of a packet is kept if the script does not say it
// by a constant, and the largest such constant.
const (
	packetBytes    = 2048
	maxPacketBytes = 16384
)

// packet is skboutput("file", skb, length, offset): the bytes of a packet go
// to a pcap file. What lies in pages of its own, behind the linear part of the
// buffer, is not read: the file then tells both lengths.
func packet(f *fn, x *ast.Call) ir.Operand {
	skb, ok := f.t.Type("struct", "sk_buff")
	if !ok {
		f.diags.Errorf(x.Span, "there is no %s on this kernel", "struct sk_buff")
		return ir.I(0)
	}
	room := packetBytes
	if n, ok := analysis.Constant(f.u, x.Args[2]); ok {
		room = int(min(max(n, 1), maxPacketBytes))
	}
	p := ir.R(f.NewVar(f.values.operand(f.expr(x.Args[1]))))
	member := func(name string) ir.Operand {
		fd, _ := skb.Field(name)
		return ir.R(f.NewVar(f.values.operand(f.values.member(value{t: skb, isMem: true, base: p, sp: kernel}, fd))))
	}
	length, offset := ir.R(f.NewVar(f.scalarOf(x.Args[2]))), ir.R(f.NewVar(f.scalarOf(x.Args[3])))
	whole, data := member("len"), member("data")
	linear := f.Op(ir.OpSub, whole, member("data_len"))
	m := f.message(object.MsgPacket, f.u, x.Span)
	m.Sep = f.u.Strings[x.Args[0]]
	m.Time = field(m, types.U64).Offset
	at := int32(m.Time)
	lengthAt := int32(field(m, types.U32).Offset)
	t := types.BufferType(room)
	bytesAt := int32(field(m, t).Offset)
	// behind is what of n lies behind the offset, at most the length asked for.
	behind := func(n ir.Operand) ir.Operand {
		r := f.NewVar(ir.I(0))
		done := f.NewBlock()
		f.Guard(ir.UGt, n, offset, done)
		f.Set(r, f.Op(ir.OpSub, n, offset))
		f.Guard(ir.UGt, ir.R(r), length, done)
		f.Set(r, length)
		f.Label(done)
		return ir.R(r)
	}
	wire, kept := behind(whole), behind(linear)
	now := f.probed.nsecs()
	f.messages.send(m, false, func(rec ir.Reg) {
		f.Store(rec, at, now, 8)
		f.Store(rec, lengthAt, wire, 4)
		got := f.texts.boundedRead(f.AddConst(ir.R(rec), int64(bytesAt)+4), kept, t.Len, f.Op(ir.OpAdd, data, offset), false, false)
		f.Store(rec, bytesAt, got, 4)
	})
	return ir.I(0)
}
