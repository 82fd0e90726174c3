package lower

import (
	"fst/compiler/ir"
)

// mapping finds what is mapped at pc, and notes it in the state.
func (u *unwinder) mapping(pc ir.Operand) {
	f := u.f
	mm := u.get(unwMM)
	vma := f.NewVar(ir.I(0))
	if t, ok := f.t.Type("struct", "mm_struct"); ok {
		if _, tree := t.Field("mm_mt"); tree {
			u.mapleLookup(mm, pc, vma)
		} else {
			u.redBlackLookup(mm, pc, vma)
		}
	}
	field := func(path string) ir.Operand { return u.kernelField(ir.R(vma), "vm_area_struct", path) }
	file, done := f.NewBlock(), f.NewBlock()
	f.Guard(ir.Ne, ir.R(vma), ir.I(0), u.stop)
	start, stop := field("vm_start"), field("vm_end")
	f.Guard(ir.UGe, pc, start, u.stop)
	f.Guard(ir.ULt, pc, stop, u.stop)
	f.Guard(ir.Set, field("vm_flags"), ir.I(vmExec), u.stop)
	u.put(unwStart, start)
	u.put(unwStop, stop)
	handle := field("vm_file")
	u.put(unwKey+8, ir.I(0))
	f.Guard(ir.Eq, handle, ir.I(0), file)
	u.put(unwKey, ir.I(anonymous))
	u.put(unwDelta, ir.I(0))
	f.Guard(ir.Eq, u.kernelField(mm, "mm_struct", "context.vdso"), start, done)
	u.put(unwKey, ir.I(0))
	u.put(unwDelta, f.Op(ir.OpSub, ir.R(f.Reg(ir.I(0))), start))
	f.Jump(done)

	f.SetBlock(file)
	u.put(unwDelta, f.Op(ir.OpSub, f.Op(ir.OpLsh, field("vm_pgoff"), ir.I(pageShift)), start))
	inode := u.kernelField(handle, "file", "f_inode")
	u.put(unwKey, u.kernelField(inode, "inode", "i_ino"))
	u.put(unwKey+8, u.kernelField(u.kernelField(inode, "inode", "i_sb"), "super_block", "s_dev"))
	f.Label(done)
}

// mapleLookup finds the mapping for an address in the tree of an address space
// (Linux 6.1 on). No lock is taken: what is read may be changed meanwhile, and
// is verified afterwards.
func (u *unwinder) mapleLookup(mm, pc ir.Operand, vma ir.Reg) {
	f := u.f
	enum := func(name string) int64 {
		v, _, ok := f.t.Enumerator(name)
		if !ok {
			f.frames.unknownLayout("enum maple_type")
		}
		return v
	}
	leaf, inner := enum("maple_leaf_64"), enum("maple_arange_64")
	const typeShift, typeMask, nodeMask = 3, 15, mapleNodeSize - 1
	node := f.NewVar(u.kernelField(mm, "mm_struct", "mm_mt.ma_root"))
	found := f.NewBlock()
	// scan sets out to the slot for pc of the node that was read.
	scan := func(structure string, out ir.Reg, then *ir.Block) {
		pivots, _ := u.offset(structure, "pivot")
		slots, _ := u.offset(structure, "slot")
		take := func(i int64) {
			f.Set(out, u.get(unwNode+int32(slots+8*i)))
			f.Jump(then)
		}
		n := (slots - pivots) / 8
		for i := range n {
			next := f.NewBlock()
			f.Guard(ir.ULe, pc, u.get(unwNode+int32(pivots+8*i)), next)
			take(i)
			f.SetBlock(next)
		}
		take(n)
	}
	next := f.NewBlock()
	f.CountedLoop(f.NewVar(ir.I(0)), ir.ULt, ir.I(mapleLevels), next, u.stop, func() {
		addr := f.Op(ir.OpAnd, ir.R(node), ir.I(^int64(nodeMask)))
		f.CopyKernel(f.AddConst(ir.R(u.mem), int64(u.at(unwNode))), ir.I(mapleNodeSize), addr)
		kind := f.Op(ir.OpAnd, f.Op(ir.OpRsh, ir.R(node), ir.I(typeShift)), ir.I(typeMask))
		f.If(ir.Eq, kind, ir.I(leaf), func() { scan("maple_range_64", vma, found) })
		f.Guard(ir.Eq, kind, ir.I(inner), u.stop)
		scan("maple_arange_64", node, next)
	})
	f.SetBlock(found)
}

// redBlackLookup is the same before Linux 6.1.
func (u *unwinder) redBlackLookup(mm, pc ir.Operand, vma ir.Reg) {
	f := u.f
	at, _ := u.offset("vm_area_struct", "vm_rb")
	node := f.NewVar(u.kernelField(mm, "mm_struct", "mm_rb.rb_node"))
	found := f.NewBlock()
	f.CountedLoop(f.NewVar(ir.I(0)), ir.ULt, ir.I(redBlackLevels), f.NewBlock(), u.stop, func() {
		f.Guard(ir.Ne, ir.R(node), ir.I(0), u.stop)
		f.Set(vma, f.AddConst(ir.R(node), -at))
		f.IfElse(ir.ULt, pc, u.kernelField(ir.R(vma), "vm_area_struct", "vm_start"), func() { f.Set(node, u.kernelField(ir.R(vma), "vm_area_struct", "vm_rb.rb_left")) }, func() {
			f.Guard(ir.UGe, pc, u.kernelField(ir.R(vma), "vm_area_struct", "vm_end"), found)
			f.Set(node, u.kernelField(ir.R(vma), "vm_area_struct", "vm_rb.rb_right"))
		})
	})
	f.SetBlock(found)
}
