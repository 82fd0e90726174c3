package lower

import (
	"cmp"

	"fst/compiler/analysis"
	"fst/compiler/ir"
	"fst/compiler/object"
	"fst/compiler/target"
	"fst/compiler/types"
	"fst/lang/ast"
)

// constBytes puts constant bytes, all of them, into memory.
func (f texts) constBytes(text string, t *types.Type) value {
	mem := f.Slot("bytes", max(t.Size, 8))
	f.StoreBytes(mem, 0, text[:min(len(text), t.Size)], t.Size)
	return memory(t, mem, 0)
}

// bytesOf is the memory of any value: a number's own bytes too.
func (f texts) bytesOf(v value) (base ir.Reg, off int32, size int) {
	v = f.values.sized(v)
	switch {
	case v.str != nil:
		text := cmp.Or(v.written, v.str)
		t := types.StringType(len(*text) + 1)
		base, off = f.values.inMemory(value{t: t, str: text})
		return base, off, t.Size
	case !v.isMem || v.t.IsScalar():
		size = argSize(v.t)
		tmp := f.Slot("number", 8)
		f.Store(tmp, 0, f.values.operand(v), 8)
		return tmp, 0, size
	}
	base, off = f.values.inMemory(v)
	return base, off, v.t.Size
}

// pointee is what memcmp and write_user mean by a pointer: n bytes there.
func (f texts) pointee(v value, n int) value {
	if v.t.Kind != types.Pointer || v.isMem && v.sp == direct && !v.t.IsScalar() {
		return v
	}
	t := types.ArrayOf(types.U8, n)
	return value{t: t, isMem: true, base: f.values.operand(v), sp: spaceOf(v.t.User)}
}

// memcmp is 0 if n bytes are the same, else the difference of the first two
// that are not. What lies behind the shorter value is not compared.
func (f texts) memcmp(a, b value, n int) ir.Operand {
	ab, ao, asize := f.bytesOf(f.pointee(a, n))
	bb, bo, bsize := f.bytesOf(f.pointee(b, n))
	return f.CompareBytes(ab, ao, bb, bo, min(n, asize, bsize))
}

// concatTo is str_concat(a, b). The second text goes where the first one
// ended, which only reading it tells.
func concatTo(f *fn, x *ast.Call, t *types.Type, base ir.Reg, off int32) {
	ab, ao, asize := f.texts.bytesOf(f.conditions.settled(f.expr(x.Args[0]), x.Args[1]))
	bb, bo, bsize := f.texts.bytesOf(f.expr(x.Args[1]))
	whole := f.Slot("concat", asize+bsize)
	f.Zero(whole, 0, (asize+bsize+7)&^7)
	n := f.CopyText(ir.R(whole), ir.I(int64(asize)), f.AddConst(ir.R(ab), int64(ao)))
	length := f.NewVar(f.AddConst(n, -1)) // without the NUL
	f.If(ir.UGe, ir.R(length), ir.I(int64(asize)), func() { f.Set(length, ir.I(0)) })
	end := f.Op(ir.OpAdd, ir.R(whole), ir.R(length))
	f.CopyText(end, ir.I(int64(bsize)), f.AddConst(ir.R(bb), int64(bo)))
	f.values.storeValue(memory(types.StringType(asize+bsize), whole, 0), t, base, off)
}

// writeUser is write_user(to, from, length).
func writeUser(f *fn, x *ast.Call) ir.Operand {
	to := f.values.operand(f.expr(x.Args[0]))
	from := f.conditions.settled(f.expr(x.Args[1]), x.Args[2])
	n, constant := analysis.Constant(f.u, x.Args[2])
	if from.t.Kind == types.Pointer {
		if !constant {
			f.diags.Errorf(x.Args[2].Pos(), "the length must be a constant where write_user() is given a pointer").
				Hintf("write a number or a parameter of the script, or give the value instead of its address")
			return ir.I(0)
		}
		from = f.texts.pointee(from, int(n))
	}
	base, off, size := f.texts.bytesOf(from)
	if from.isMem && from.sp == direct && !from.t.IsScalar() {
		// What lies in the kernel's own objects (comm in a task) must not be handed
		// over: copy_to_user() checks its source and ends the kernel (hardened usercopy).
		own := f.Slot("written", max(size, 8))
		f.CopyMem(own, 0, base, off, size)
		base, off = own, 0
	}
	src := f.AddConst(ir.R(base), int64(off))
	if constant && n > int64(from.t.Size) {
		f.diags.Errorf(x.Args[2].Pos(), "write_user() can't write %d bytes of a value of %d", n, from.t.Size).
			Hintf("write as many as it has: sizeof() tells")
		return ir.I(0)
	}
	if constant {
		return f.Do(ir.OpWriteUser, to, src, ir.I(n))
	}
	length := ir.R(f.AtMost(f.scalarOf(x.Args[2]), size))
	return f.SelectIf(ir.Ne, length, ir.I(0), ir.I(0), func() ir.Operand { return f.Do(ir.OpWriteUser, to, src, length) })
}

// funcIPOfUprobes is the first kernel whose bpf_get_func_ip knows the function
// of a uprobe and of a uretprobe.
const funcIPOfUprobes = 6<<16 | 6<<8

// userSymbol is uaddr("symbol"): as far from the probed place as the file
// says, wherever the file was loaded.
func (f texts) userSymbol(x *ast.Call) ir.Operand {
	h := f.p.hook
	sym, known := f.t.Object(h.Path, f.u.Strings[x.Args[0]])
	at, fixed, ok := f.t.Address(h.Path, h.FileOffset)
	byHelper := f.t.Since(funcIPOfUprobes) && f.t.Has(target.GetFuncIP)
	switch {
	case !known || !ok || f.p.multi || h.Kind == object.HookUretprobe && !fixed && !byHelper:
		f.diags.Errorf(x.Span, "the address of %s can't be told here", f.u.Strings[x.Args[0]]).
			Hintf("use it in a uprobe of one function")
		return ir.I(0)
	case fixed:
		return ir.I(int64(sym.Addr))
	}
	ip := f.Load(f.ctx, regOffsets["ip"], 8, false)
	if h.Kind == object.HookUretprobe {
		ip = f.Fact(ir.FactFunction, ir.R(f.ctx))
	}
	return f.Op(ir.OpAdd, ip, ir.R(f.Reg(ir.I(int64(sym.Addr-at)))))
}

// maxDebugArgs is how many values bpf_trace_printk takes.
const maxDebugArgs = 3

// debugf prints to the kernel's trace pipe.
func debugf(f *fn, x *ast.Call) {
	args := x.Args[1:]
	if len(args) > maxDebugArgs {
		f.diags.Errorf(x.Span, "debugf() takes at most %d values", maxDebugArgs).Hintf("printf() takes any number")
		return
	}
	format := f.u.Strings[x.Args[0]]
	text := f.texts.constBytes(format, types.StringType(len(format)+1))
	words := []ir.Operand{ir.R(f.Reg(text.base)), ir.I(int64(len(format) + 1))}
	for _, a := range args {
		v := f.expr(a)
		if v.str != nil || v.isMem && !v.t.IsScalar() {
			base, off, _ := f.texts.bytesOf(v)
			words = append(words, f.AddConst(ir.R(base), int64(off)))
			continue
		}
		words = append(words, f.values.operand(v))
	}
	f.Do(ir.OpTrace, words...)
	f.obj.Debugs = true
}
