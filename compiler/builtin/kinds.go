package builtin

import "fst/compiler/types"

// Types of values that are shown as something else than what they are.
var (
	KSymType      = &types.Type{Kind: types.KSym, Size: 8}
	USymType      = &types.Type{Kind: types.USym, Size: 16}
	KFuncType     = &types.Type{Kind: types.Func, Size: 8}
	UFuncType     = &types.Type{Kind: types.Func, Size: 16, User: true}
	InetType      = &types.Type{Kind: types.Inet, Size: 20}
	MACType       = &types.Type{Kind: types.MAC, Size: 8}
	UsernameType  = &types.Type{Kind: types.Username, Size: 8}
	ContainerType = &types.Type{Kind: types.Container, Size: 8}
	PodType       = &types.Type{Kind: types.Pod, Size: 8}
	ProbeType     = &types.Type{Kind: types.ProbeName, Size: 8}
	SyscallType   = &types.Type{Kind: types.Syscall, Size: 8}
	ErrnoType     = &types.Type{Kind: types.Errno, Size: 8, Signed: true}
	SignalType    = &types.Type{Kind: types.SignalName, Size: 8, Signed: true}
)

// StackType is the type of a stack of at most limit frames.
func StackType(user bool, mode string, limit int) *types.Type {
	t := &types.Type{Kind: types.KStack, Size: 8, Stack: types.StackFormat{Mode: mode, Limit: limit}}
	if user {
		t.Kind, t.Size = types.UStack, 16
	}
	return t
}

// TimestampType is the type of strftime's result.
func TimestampType(format string) *types.Type {
	return &types.Type{Kind: types.Timestamp, Size: 8, Fmt: format}
}

// CgroupPathType is the type of cgroup_path's result: of the hierarchies whose
// names match a pattern, all if it is empty.
func CgroupPathType(pattern string) *types.Type {
	return &types.Type{Kind: types.CgroupPath, Size: 8, Fmt: pattern}
}
