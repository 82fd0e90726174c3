package kernel

import (
	"github.com/cilium/ebpf"
	"github.com/cilium/ebpf/btf"

	"fst/compiler/target"
	"fst/compiler/types"
)

// BPFFunctions lists the functions of the BPF programs that are loaded and say
// what their functions are called, by the id of the program.
func (s *System) BPFFunctions() []target.BPFFunction {
	var all []target.BPFFunction
	for id, err := ebpf.ProgramGetNextID(0); err == nil; id, err = ebpf.ProgramGetNextID(id) {
		p, err := ebpf.NewProgramFromID(id)
		if err != nil {
			continue // gone in between
		}
		all = append(all, s.bpfFunctions(p, uint32(id))...)
		p.Close()
	}
	return all
}

func (s *System) bpfFunctions(p *ebpf.Program, id uint32) []target.BPFFunction {
	info, err := p.Info()
	if err != nil {
		return nil
	}
	btfID, known := info.BTFID()
	infos, err := info.FuncInfos()
	if !known || err != nil {
		return nil
	}
	own := map[string]bool{} // the type information may be of several programs
	for _, f := range infos {
		own[f.Func.Name] = true
	}
	handle, err := btf.NewHandleFromID(btfID)
	if err != nil {
		return nil
	}
	defer handle.Close()
	spec, err := handle.Spec(nil)
	if err != nil {
		return nil
	}
	var list []target.BPFFunction
	for t, err := range spec.All() {
		f, ok := t.(*btf.Func)
		if err != nil || !ok || !own[f.Name] {
			continue
		}
		proto, ok := f.Type.(*btf.FuncProto)
		typeID, err := spec.TypeID(f)
		if !ok || err != nil {
			continue
		}
		fn := &target.Func{Name: f.Name, Module: "bpf", ID: uint32(typeID), Result: s.bpfType(proto.Return)}
		for _, param := range proto.Params {
			fn.Params = append(fn.Params, target.Param{Name: param.Name, Type: s.bpfType(param.Type)})
		}
		if !contextIsTyped(fn) {
			// The kernel then takes the function to have five arguments, and
			// its result lies behind those.
			fn.Result = types.NoneType
		}
		list = append(list, target.BPFFunction{Program: id, Func: fn})
	}
	return list
}

// contextIsTyped reports whether a function is that of a program whose context
// has a type: only then the kernel relies on what is said of it.
func contextIsTyped(f *target.Func) bool {
	if len(f.Params) != 1 {
		return false
	}
	t := f.Params[0].Type
	return t.Kind == types.Pointer && t.Elem.Kind == types.Struct
}

// contexts are what the kernel has in place of the structs that programs are
// written with.
var contexts = map[string]string{"__sk_buff": "sk_buff", "xdp_md": "xdp_buff"}

// bpfType is a type of a program as the kernel has it: a number, or a pointer
// to a struct of that name.
func (s *System) bpfType(t btf.Type) *types.Type {
	switch t := btf.UnderlyingType(t).(type) {
	case *btf.Void:
		return types.NoneType
	case *btf.Int:
		return types.IntType(int(t.Size), t.Encoding == btf.Signed)
	case *btf.Enum:
		return types.IntType(int(t.Size), t.Signed)
	case *btf.Pointer:
		if st, ok := btf.UnderlyingType(t.Target).(*btf.Struct); ok {
			name := st.Name
			if kernels := contexts[name]; kernels != "" {
				name = kernels
			}
			if known, ok := s.Type("struct", name); ok {
				return types.PointerTo(known, false)
			}
		}
		return types.PointerTo(types.NoneType, false)
	}
	return types.U64
}
