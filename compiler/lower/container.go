package lower

import (
	"fst/compiler/check"
	"fst/compiler/ir"
	"fst/compiler/ir/irbuild"
	"fst/compiler/object"
	"fst/compiler/target"
	"fst/compiler/types"
	"fst/lang/ast"
)

// containerName is container or pod, by where its number is in what object.ContainersMapName has of a cgroup. A cgroup
// that is not there yet stands for itself, by its id.
func containerName(offset int32) varLowering {
	return func(f *fn, x ast.Expr, t *types.Type) value {
		id := f.probed.cgroupOf(x)
		name := f.NewVar(id)
		slot, key := f.Slot("slot", 4), f.Slot("cgroup", 8)
		f.Store(slot, 0, f.Op(ir.OpAnd, id, ir.I(object.ContainerSlots-1)), 4)
		p := f.MapOp(irbuild.Map{Index: f.ownMap(containerSlots)}, ir.OpMapLookup, ir.R(slot))
		f.If(ir.Ne, p, ir.I(0), func() {
			has := f.Load(p.Reg, 0, 8, false)
			f.IfElse(ir.Eq, has, id, func() { f.Set(name, f.Load(p.Reg, 8+offset, 8, false)) }, func() {
				f.If(ir.Ne, has, ir.I(0), func() {
					f.Store(key, 0, id, 8)
					p := f.MapOp(irbuild.Map{Index: f.ownMap(containersMap)}, ir.OpMapLookup, ir.R(key))
					f.If(ir.Ne, p, ir.I(0), func() { f.Set(name, f.Load(p.Reg, offset, 8, false)) })
				})
			})
		})
		return scalar(t, ir.R(name))
	}
}

// The maps of containers.
var (
	containersMap  = object.Map{Name: object.ContainersMapName, Kind: object.MapHash, KeySize: 8, ValueSize: 16, MaxEntries: object.ContainersSize}
	containerSlots = object.Map{Name: object.ContainerSlotsMapName, Kind: object.MapArray, Key: types.U32, Present: -1, KeySize: 4, ValueSize: 24, MaxEntries: object.ContainerSlots}
)

// cgroupOf is the id of the cgroup by which a container is known: the argument of container(id), or that of the current
// thread. Where the controllers are mounted one by one (version 1), that is its cgroup of the controller pids, which all runtimes use.
func (f probed) cgroupOf(x ast.Expr) ir.Operand {
	first := false
	if groups, ok := f.t.(target.Cgroups); ok {
		_, unified, err := groups.CgroupID(object.FirstCgroups)
		first = err == nil && !unified
	}
	other := argument(x)
	switch {
	case other != nil && first:
		f.diags.Errorf(x.Pos(), "%s of another thread than the current one needs cgroup version 2; containers here are in version 1", check.Word(x)).
			Hintf("%s works in probes that run in the container itself, such as syscall: and call:", check.Word(x))
		return ir.I(0)
	case other != nil:
		return f.scalarOf(other)
	case !first:
		return f.Fact(ir.FactCgroup)
	}
	index, _, ok := f.t.Enumerator("pids_cgrp_id")
	set, known := f.t.Type("struct", "css_set")
	if !ok || !known {
		return f.noTypes(x.Pos(), x)
	}
	all, _ := set.Field("subsys")
	if f.t.Has(target.TaskStorage) {
		// Loads that follow pointers from the task on: five reads by a helper cost ten times as much.
		css := f.Load(f.pointerIn(f.Fact(ir.FactTaskPointer), "task_struct", "cgroups").Reg, int32(all.Offset)+int32(8*index), 8, false)
		group := f.pointerIn(css, "cgroup_subsys_state", "cgroup")
		return f.pointerIn(f.pointerIn(group, "cgroup", "kn"), "kernfs_node", "id")
	}
	of := f.values.operand(f.kernelMember(f.Fact(ir.FactTask), "task_struct", "cgroups"))
	css := f.values.operand(value{t: all.Type.Elem, isMem: true, base: of, off: int64(all.Offset) + 8*index, sp: kernel})
	return f.values.operand(f.kernelMember(css, "cgroup_subsys_state", "cgroup", "kn", "id"))
}

// pointerIn loads a member of eight bytes from what a pointer with a type of the kernel's points to.
func (f probed) pointerIn(at ir.Operand, of, name string) ir.Operand {
	t, _ := f.t.Type("struct", of)
	fd, _ := t.Field(name)
	return f.Load(at.Reg, int32(fd.Offset), 8, false)
}
