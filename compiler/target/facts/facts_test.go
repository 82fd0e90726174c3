package facts

import (
	"reflect"
	"strings"
	"testing"

	"fst/compiler/target"
	"fst/compiler/types"
)

func TestFilterFunctions(t *testing.T) {
	const list = "vfs_read\nvfs_readv\nrcu_read\n__vfs_read.part.0\nvfs_x.isra.0\nnoprobe_vfs_read\next4_read [ext4]\nvfs_read [odd]\nread_page\nread_page [ext4]\nread_page [ext4]\n"
	black := map[string]bool{"noprobe_vfs_read": true}
	for _, c := range []struct{ module, pattern, want string }{
		{"*", "vfs_read", "odd:vfs_read+ vmlinux:vfs_read+"},
		{"vmlinux", "vfs_read", "vmlinux:vfs_read+"},
		{"*", "*read", "ext4:ext4_read odd:vfs_read+ vmlinux:vfs_read+"},
		{"ext*", "*", "ext4:ext4_read ext4:read_page*+"},
		{"vmlinux", "read_*", "vmlinux:read_page+"},
		{"*", "vfs_x*", "vmlinux:vfs_x.isra.0"},
		{"*", "__vfs_read.part.0", "vmlinux:__vfs_read.part.0"},
		{"*", "rcu_read", "vmlinux:rcu_read"},
		{"*", "noprobe_vfs_read", "vmlinux:noprobe_vfs_read"},
		{"*", "read", ""},
	} {
		var got []string
		for _, f := range FilterFunctions(list, c.module, c.pattern, black) {
			text := f.Module + ":" + f.Name
			if f.Several {
				text += "*"
			}
			if f.Elsewhere {
				text += "+"
			}
			got = append(got, text)
		}
		if s := strings.Join(got, " "); s != c.want {
			t.Errorf("%s:%s gives %q, not %q", c.module, c.pattern, s, c.want)
		}
	}
}

func TestParseVersion(t *testing.T) {
	for _, c := range []struct {
		release, version string
		want             uint32
	}{
		{"6.12.107+deb13-cloud-amd64", "#1 SMP", 6<<16 | 12<<8 | 107},
		{"5.10.0-32-cloud-amd64", "#1 SMP Debian 5.10.223-1 (2024-08-10)", 5<<16 | 10<<8 | 223},
		{"6.18.44-fc-v669", "", 6<<16 | 18<<8 | 44},
		{"7.0-rc1", "", 7 << 16},
		{"4.9.337", "", 4<<16 | 9<<8 | 255},
	} {
		if got := ParseVersion(c.release, c.version); got != c.want {
			t.Errorf("%s: %#x, not %#x", c.release, got, c.want)
		}
	}
}

const schedExec = `name: sched_process_exec
ID: 317
format:
	field:unsigned short common_type;	offset:0;	size:2;	signed:0;
	field:int common_pid;	offset:4;	size:4;	signed:1;

	field:__data_loc char[] filename;	offset:8;	size:4;	signed:0;
	field:pid_t pid;	offset:12;	size:4;	signed:1;
	field:char comm[16];	offset:16;	size:16;	signed:0;
	field:__u8 saddr_v6[16];	offset:32;	size:16;	signed:0;
	field:const void * skaddr;	offset:48;	size:8;	signed:0;
	field:struct sock * sk;	offset:56;	size:8;	signed:0;
	field:bool ok;	offset:64;	size:1;	signed:0;
	field:enum state st;	offset:68;	size:4;	signed:0;
	field:unsigned long args[6];	offset:72;	size:48;	signed:0;
	field:sector_t sector;	offset:120;	size:8;	signed:0;
	field:uuid_t id;	offset:128;	size:16;	signed:0;
	field:__rel_loc char[] tail;	offset:144;	size:4;	signed:0;
	field:__u8 daddr[sizeof(struct sockaddr_in6)];	offset:148;	size:28;	signed:0;

print fmt: "field:no no;", REC->pid
`

func describe(f types.Field) string {
	s := f.Type.String() + " " + f.Name
	if f.DataLoc {
		s += " dataloc"
	}
	if f.Type.Kind == types.Pointer && f.Type.User {
		s += " user"
	}
	return s
}

func TestParseFormat(t *testing.T) {
	find := func(tag, name string) (*types.Type, bool) {
		switch tag + " " + name {
		case "struct sock":
			return types.NewStruct(types.Struct, "sock", 700, nil), true
		case "enum state":
			return types.EnumType("state", 4, false, nil), true
		}
		return nil, false
	}
	tp, err := ParseFormat("sched", "sched_process_exec", schedExec, find)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, f := range tp.Args.Fields() {
		got = append(got, describe(f))
	}
	want := []string{"char[0] filename dataloc", "int32 pid", "char[16] comm", "uint8[16] saddr_v6", "void * skaddr", "struct sock * sk",
		"bool ok", "enum state st", "uint64[6] args", "uint64 sector", "uint8[16] id", "uint32 tail", "uint8[28] daddr"}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("got  %q\nwant %q", got, want)
	}
	if tp.ID != 317 || !tp.Args.Ctx || tp.Args.Size != 176 {
		t.Errorf("ID %d, Ctx %v, Size %d", tp.ID, tp.Args.Ctx, tp.Args.Size)
	}
	if f, _ := tp.Args.Field("comm"); !f.Type.IsCharArray() || f.Offset != 16 {
		t.Errorf("comm: %+v", f)
	}
}

func TestParseFormatSyscall(t *testing.T) {
	const text = `ID: 700
	field:int __syscall_nr;	offset:8;	size:4;	signed:1;
	field:int dfd;	offset:16;	size:8;	signed:0;
	field:const char * filename;	offset:24;	size:8;	signed:0;
	field:umode_t mode;	offset:32;	size:8;	signed:0;
	field:const char *const * argv;	offset:40;	size:8;	signed:0;
	field:loff_t pos;	offset:48;	size:8;	signed:0;
`
	tp, err := ParseFormat("syscalls", "sys_enter_x", text, nil)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, f := range tp.Args.Fields() {
		got = append(got, describe(f))
	}
	want := []string{"int32 __syscall_nr", "int32 dfd", "char * filename user", "uint16 mode", "char ** argv user", "int64 pos"}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("got  %q\nwant %q", got, want)
	}
}

func TestSyscallTables(t *testing.T) {
	for arch, want := range map[string]map[string]int{
		"amd64": {"read": 0, "openat": 257, "mseal": 462, "newfstat": 5, "umount": 166},
		"arm64": {"read": 63, "openat": 56, "mseal": 462, "fstat": 80},
	} {
		k := New(nil, arch)
		for name, nr := range want {
			if got, ok := k.SyscallNumber(name); !ok || got != nr {
				t.Errorf("%s %s: %d, %v", arch, name, got, ok)
			}
		}
		if n, ok := k.SyscallName(want["read"]); !ok || n != "read" {
			t.Errorf("%s: %d is %q", arch, want["read"], n)
		}
		if _, ok := k.SyscallName(100000); ok {
			t.Errorf("%s: 100000 has a name", arch)
		}
	}
}

var _ target.Target = struct {
	*Kernel
	rest
}{}

// rest is what a Target has beyond the facts.
type rest interface {
	Release() string
	Since(uint32) bool
	Has(target.Feature) bool
	CPUs() int
	PIDMax() int
	Symbol(string) (uint64, bool)
	SymbolOffset(uint64) (uint64, bool)
	Binary(string, int) ([]string, error)
	Symbols(path, pattern string) ([]target.UserSymbol, error)
	FunctionAt(path string, addr uint64) (target.UserSymbol, bool)
	Object(path, name string) (target.UserSymbol, bool)
	FileOffset(path string, addr uint64) (offset uint64, ok bool)
	Address(path string, offset uint64) (addr uint64, fixed, ok bool)
	USDT(path, provider, name string) ([]target.USDTProbe, error)
}
