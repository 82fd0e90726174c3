package lower

import (
	"fst/compiler/analysis"
	"fst/compiler/ir"
	"fst/compiler/ir/irbuild"
	"fst/compiler/types"
	"fst/lang/ast"
)

// readString reads a NUL-terminated text; on failure the destination is all
// zero (the helpers' contract).
func (f texts) readString(dst ir.Operand, size int, src ir.Operand, isUser bool) {
	f.readTo(dst, ir.I(int64(size)), src, isUser, true)
}

// strTo is str(p[, n]).
func strTo(f *fn, x *ast.Call, t *types.Type, base ir.Reg, off int32) {
	v := f.conditions.settled(f.expr(x.Args[0]), x.Args[1:]...)
	isText := v.str != nil || v.isMem && v.t.Kind == types.String
	if isText && len(x.Args) < 2 && v.t.Size <= f.info.Config.MaxStrlen {
		f.values.storeValue(v, t, base, off)
		return
	}
	src, isUser, limit := ir.Operand{}, v.t.User, t.Size
	switch {
	case isText && (v.str != nil || v.sp == direct):
		b, o := f.values.inMemory(v)
		src, limit = f.AddConst(ir.R(b), int64(o)), min(limit, v.t.Size)
	case v.isMem && (isText || v.t.Kind == types.Array):
		src, isUser = f.values.address(v), v.sp == user
	default:
		src = f.values.operand(v)
	}
	if f.texts.userAddress(v.t) {
		isUser = true
	}
	dst := f.AddConst(ir.R(base), int64(off))
	if len(x.Args) < 2 {
		if base != f.ring {
			// Keys and values are compared in all their bytes, and the read
			// leaves those behind the NUL alone; a message ends at the NUL.
			f.Zero(base, off, t.Size)
		}
		f.texts.readString(dst, min(t.Size, f.info.Config.MaxStrlen+1), src, isUser)
		return
	}
	f.Zero(base, off, t.Size)
	n := f.scalarOf(x.Args[1])
	if n.IsImm() {
		f.texts.readString(dst, int(min(max(n.Imm, 1), int64(min(limit, f.info.Config.MaxStrlen+1)))), src, isUser)
		return
	}
	f.texts.boundedRead(dst, n, limit, src, isUser, true)
}

// boundedRead reads a number of bytes that is known only at run time.
func (f texts) boundedRead(dst, n ir.Operand, limit int, src ir.Operand, isUser, text bool) ir.Operand {
	size := f.AtMost(n, limit)
	done := f.NewBlock()
	f.Guard(ir.Ne, ir.R(size), ir.I(0), done)
	// The verifier wants to see both bounds on the register it is given, and before
	// Linux 5.11 forgets those of a register that was on the stack in between.
	bounded := f.Op(ir.OpAnd, ir.R(size), ir.I(int64(irbuild.RoundMask(limit))))
	if irbuild.RoundMask(limit) > limit {
		f.Guard(ir.ULe, bounded, ir.I(int64(limit)), done)
	}
	f.readTo(dst, bounded, src, isUser, text)
	f.Label(done)
	return ir.R(size)
}

// userAddress guesses the space of a plain number used as an address: in
// probes of user programs and system calls it is the program's.
func (f texts) userAddress(t *types.Type) bool {
	return t.Kind == types.Int && (f.u.IsUser() || f.u.Provider == "syscall" || f.p.allSys != "" || f.p.hook.Category == "syscalls")
}

// bufTo is buf(p[, n]): a length, then the bytes.
func bufTo(f *fn, x *ast.Call, t *types.Type, base ir.Reg, off int32) {
	f.Zero(base, off, t.Size)
	v := f.conditions.settled(f.expr(x.Args[0]), x.Args[1:]...)
	var src ir.Operand
	isUser, room := v.t.User || f.texts.userAddress(v.t), t.Len
	switch {
	case v.str != nil || v.isMem && !v.t.IsScalar() && v.sp == direct:
		own, at, size := f.texts.bytesOf(v)
		isUser, room = false, min(room, size)
		if n, ok := f.texts.bufLength(x, t); ok {
			f.Store(base, off, ir.I(int64(n)), 4)
			f.CopyMem(base, off+4, own, at, min(n, room))
			return
		}
		src = f.AddConst(ir.R(own), int64(at))
	case v.isMem && !v.t.IsScalar():
		src, isUser = f.values.address(v), v.sp == user
	default:
		src = f.values.operand(v)
	}
	dst := f.AddConst(ir.R(base), int64(off)+4)
	if n, ok := f.texts.bufLength(x, t); ok {
		f.Store(base, off, ir.I(int64(n)), 4)
		if n > 0 {
			f.probeRead(dst, n, src, isUser)
		}
		return
	}
	n := f.AtMost(f.scalarOf(x.Args[1]), t.Len)
	f.Store(base, off, ir.R(n), 4)
	f.texts.boundedRead(dst, ir.R(n), room, src, isUser, false)
}

// bufLength is how many bytes buf() takes, if that is known.
func (f texts) bufLength(x *ast.Call, t *types.Type) (int, bool) {
	if len(x.Args) < 2 {
		return t.Len, true
	}
	n, ok := analysis.Constant(f.u, x.Args[1])
	return int(min(max(n, 0), int64(t.Len))), ok
}

// ntopTo is ntop([af,] addr): a marker of 4 or 16 (the address' bytes), then
// the address.
func ntopTo(f *fn, x *ast.Call, _ *types.Type, base ir.Reg, off int32) {
	f.EachWord(off, 20, func(o int32, n int) { f.Store(base, o, ir.I(0), n) })
	af := ir.I(0)
	if len(x.Args) > 1 {
		af = f.scalarOf(x.Args[0])
	}
	addr := f.expr(x.Args[len(x.Args)-1])
	put := func(size int) {
		f.Store(base, off, ir.I(int64(size)), 1)
		f.values.copyValue(addr, base, off+4, size)
	}
	const inet, inet6 = 2, 10 // AF_INET, AF_INET6
	switch {
	case addr.t.IsScalar():
		f.Store(base, off, ir.I(4), 1)
		f.Store(base, off+4, f.values.operand(addr), 4)
	case !addr.isMem || addr.t.Size < 16 || len(x.Args) > 1 && af == ir.I(inet):
		put(4)
	case len(x.Args) > 1 && !af.IsImm(): // the family decides
		f.IfElse(ir.Eq, af, ir.I(inet6), func() { put(16) }, func() { put(4) })
	default:
		put(16)
	}
}
