// Package bpf is the bpf(2) system call: the few commands that a session
// needs, without the feature probes of a general library (they cost more than
// a whole start of fst) and with what such a library hides (the BTF id that a
// program attaches to, raw per-CPU values).
//
// All descriptors it returns are closed on exec. It must not import anything
// of this project.
package bpf

import (
	"errors"
	"strings"
	"unsafe"

	"golang.org/x/sys/unix"
)

type command uintptr

const (
	cmdMapCreate         command = 0
	cmdMapLookup         command = 1
	cmdMapUpdate         command = 2
	cmdMapDelete         command = 3
	cmdMapNextKey        command = 4
	cmdProgLoad          command = 5
	cmdObjPin            command = 6
	cmdProgTestRun       command = 10
	cmdBTFFDByID         command = 19
	cmdProgFDByID        command = 13
	cmdObjInfo           command = 15
	cmdRawTracepointOpen command = 17
	cmdBTFNextID         command = 23
	cmdMapLookupBatch    command = 24
	cmdMapUpdateBatch    command = 26
	cmdMapDeleteBatch    command = 27
	cmdLinkCreate        command = 28
	cmdEnableStats       command = 32
	cmdIterCreate        command = 33
)

// call is the system call; it starts again when a signal came in between (the
// Go scheduler sends them all the time).
func call(cmd command, attr unsafe.Pointer, size uintptr) (int, error) {
	for try := 0; ; try++ {
		r, _, errno := unix.Syscall(unix.SYS_BPF, uintptr(cmd), uintptr(attr), size)
		switch {
		case errno == 0:
			return int(r), nil
		case errno == unix.EINTR, errno == unix.EAGAIN && cmd == cmdProgLoad && try < 100:
			continue
		}
		return -1, errno
	}
}

func slicePtr[T any](s []T) pointer {
	if len(s) == 0 {
		return pointer{}
	}
	return pointer{p: unsafe.Pointer(&s[0])}
}

// Name makes a name that the kernel takes for a program or a map: at most 15
// letters, digits, dots and underscores.
func Name(s string) (n [16]byte) {
	i := 0
	for _, c := range []byte(s) {
		if i == 15 {
			break
		}
		if c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || c == '_' {
			n[i] = c
			i++
		}
	}
	return n
}

// ProgType is a kernel program type.
type ProgType uint32

// The program types that fst uses.
const (
	Kprobe        ProgType = 2
	Tracepoint    ProgType = 5
	PerfEvent     ProgType = 7
	RawTracepoint ProgType = 17
	Tracing       ProgType = 26
)

// AttachType is a kernel attach type.
type AttachType uint32

// The attach types that fst uses.
const (
	NoAttachType AttachType = 0
	TraceFentry  AttachType = 24
	TraceFexit   AttachType = 25
	TraceIter    AttachType = 28
	PerfLink     AttachType = 41
	KprobeMulti  AttachType = 42
	UprobeMulti  AttachType = 48
	// KprobeSession is for programs that run at entry and return.
	KprobeSession AttachType = 56
)

// Prog is a program to load.
type Prog struct {
	Type     ProgType
	Expected AttachType
	Name     string
	License  string
	Code     []byte // instructions as the kernel takes them
	// AttachBTFID is the function or iterator of a Tracing program, within
	// the BTF object of AttachBTFObj (0: vmlinux).
	AttachBTFID  uint32
	AttachBTFObj int
	// BTF is the descriptor of the program's own type information, with
	// FuncInfo records of 8 bytes; 0 if it needs none.
	BTF      int
	FuncInfo []byte
	// KernelVersion is not checked since 5.0.
}

// progLoadAttr is the beginning of what BPF_PROG_LOAD takes: kernels take what is behind
// it to be zero.
type progLoadAttr struct {
	progType, insnCnt uint32
	insns, license    pointer
	log               struct {
		level, size uint32
		buf         pointer
	}
	_                  [2]uint32 // kern_version, prog_flags
	name               [16]byte
	_                  uint32 // prog_ifindex
	expectedAttachType uint32
	btf                struct {
		fd, funcInfoRecSize uint32
		funcInfo            pointer
		funcInfoCnt         uint32
		_                   uint32 // line_info_rec_size
	}
	_                           pointer // line_info
	_                           uint32  // line_info_cnt
	attachBTFID, attachBTFObjFD uint32
	_                           uint32 // core_relo_cnt
}

// Load loads a program without a log. If the kernel refuses it, LoadLog tells
// why.
func Load(p *Prog) (int, error) { return load(p, 0, nil) }

// What the verifier says (BPF_LOG_LEVEL1, BPF_LOG_STATS): each instruction and
// state, or little more than why it refuses.
const (
	logSteps = 1
	logWords = 4
)

// LoadLog loads a program that the kernel has refused once more, for the
// verifier's log. Up to Linux 6.3 the kernel keeps the beginning of a log that is
// too long: then its last words are asked for alone, and stand behind it.
func LoadLog(p *Prog) (log string, err error) {
	for size := 1 << 20; ; size *= 4 {
		log, err := loadLog(p, logSteps, size)
		if !errors.Is(err, unix.ENOSPC) {
			return log, err
		}
		if size >= 16<<20 {
			words, err := loadLog(p, logWords, 1<<16)
			return log[:strings.LastIndexByte(log, '\n')+1] + words, err
		}
	}
}

// loadLog loads a program with a log of at most size bytes.
func loadLog(p *Prog, level uint32, size int) (log string, err error) {
	buf := make([]byte, size)
	fd, err := load(p, level, buf)
	if err == nil {
		unix.Close(fd)
		return "", nil
	}
	return unix.ByteSliceToString(buf), err
}

func load(p *Prog, level uint32, log []byte) (int, error) {
	if len(p.Code) == 0 {
		return -1, unix.EINVAL
	}
	license := append([]byte(p.License), 0)
	a := progLoadAttr{
		progType: uint32(p.Type), insnCnt: uint32(len(p.Code) / 8), insns: slicePtr(p.Code), license: slicePtr(license),
		name: Name(p.Name), expectedAttachType: uint32(p.Expected), attachBTFID: p.AttachBTFID, attachBTFObjFD: uint32(p.AttachBTFObj),
	}
	if len(log) > 0 {
		a.log.level, a.log.size, a.log.buf = level, uint32(len(log)), slicePtr(log)
	}
	if p.BTF != 0 {
		a.btf.fd, a.btf.funcInfoRecSize, a.btf.funcInfo, a.btf.funcInfoCnt = uint32(p.BTF), 8, slicePtr(p.FuncInfo), uint32(len(p.FuncInfo)/8)
	}
	// Kernels accept a longer structure than they know if the rest is zero.
	fd, err := call(cmdProgLoad, unsafe.Pointer(&a), unsafe.Sizeof(a))
	return fd, err
}

// TestRun runs a raw tracepoint program once on this CPU, with a context of
// zeros.
func TestRun(prog int) (ret uint32, err error) {
	// A context of 12 arguments satisfies every program and every kernel.
	var ctx [12]uint64
	a := struct {
		fd, ret, inSize, outSize  uint32
		in, out                   pointer
		repeat, duration          uint32
		ctxInSize, ctxOutSize     uint32
		ctxIn, ctxOut             pointer
		flags, cpu, batch, unused uint32
	}{fd: uint32(prog), ctxInSize: 96, ctxIn: slicePtr(ctx[:])}
	_, err = call(cmdProgTestRun, unsafe.Pointer(&a), unsafe.Sizeof(a))
	return a.ret, err
}

// OpenRawTracepoint attaches a raw tracepoint program to a tracepoint. With an
// empty name it attaches a Tracing program to what it was loaded for.
func OpenRawTracepoint(prog int, name string) (int, error) {
	var text []byte
	if name != "" {
		text = append([]byte(name), 0)
	}
	a := struct {
		name       pointer
		fd, unused uint32
		cookie     uint64
	}{name: slicePtr(text), fd: uint32(prog)}
	fd, err := call(cmdRawTracepointOpen, unsafe.Pointer(&a), 16) // the cookie came with 6.10
	return fd, err
}

type linkAttr struct {
	prog, target uint32
	attachType   AttachType
	flags        uint32
	rest         [48]byte
}

// kprobesAttr and uprobesAttr are linkAttr for links to many places.
type kprobesAttr struct {
	prog, target         uint32
	attachType           AttachType
	flags                uint32
	multiFlags, count    uint32
	syms, addrs, cookies pointer
	_                    [16]byte
}

type uprobesAttr struct {
	prog, target                 uint32
	attachType                   AttachType
	flags                        uint32
	path, offsets, refs, cookies pointer
	count, multiFlags            uint32
	pid, _                       uint32
}

// LinkKprobes attaches a program to many kernel functions at once. cookies has
// what the program is told on each of them, or is empty.
func LinkKprobes(prog int, ret bool, functions []string, cookies []uint64) (int, error) {
	names := make([][]byte, len(functions))
	ptrs := make([]pointer, len(functions))
	for i, f := range functions {
		names[i] = append([]byte(f), 0)
		ptrs[i] = slicePtr(names[i])
	}
	a := kprobesAttr{prog: uint32(prog), attachType: KprobeMulti, count: uint32(len(ptrs)), syms: slicePtr(ptrs), cookies: slicePtr(cookies)}
	if ret {
		a.multiFlags = 1
	}
	fd, err := call(cmdLinkCreate, unsafe.Pointer(&a), unsafe.Sizeof(a))
	return fd, err
}

// LinkUprobes attaches a program to many places of one file at once. refs has
// the semaphore of each place (0: none), cookies what the program is told there;
// either may be empty.
func LinkUprobes(prog int, ret bool, path string, offsets, refs, cookies []uint64, pid int) (int, error) {
	text := append([]byte(path), 0)
	a := uprobesAttr{prog: uint32(prog), attachType: UprobeMulti, path: slicePtr(text), offsets: slicePtr(offsets), refs: slicePtr(refs), cookies: slicePtr(cookies),
		count: uint32(len(offsets)), pid: uint32(pid)}
	if ret {
		a.multiFlags = 1
	}
	fd, err := call(cmdLinkCreate, unsafe.Pointer(&a), unsafe.Sizeof(a))
	return fd, err
}

// LinkUnreadable asks for a link to many places, of a type that has such links,
// whose list lies where nothing can be read. It never succeeds: the error is
// EFAULT if the kernel knows the type of link.
func LinkUnreadable(prog int, typ AttachType) error {
	attr := make([]uint64, unsafe.Sizeof(linkAttr{})/8) // addresses are numbers here: 1 is nobody's
	a := unsafe.Pointer(&attr[0])
	if typ == UprobeMulti {
		u := (*uprobesAttr)(a)
		u.prog, u.attachType, u.count = uint32(prog), typ, 1
		attr[unsafe.Offsetof(u.path)/8], attr[unsafe.Offsetof(u.offsets)/8] = 1, 1
	} else {
		k := (*kprobesAttr)(a)
		k.prog, k.attachType, k.count = uint32(prog), typ, 1
		attr[unsafe.Offsetof(k.addrs)/8] = 1
	}
	link, err := call(cmdLinkCreate, a, unsafe.Sizeof(linkAttr{}))
	if err == nil {
		unix.Close(link)
	}
	return err
}

// LinkPerfEvent hangs a program on a perf event (5.15). The link keeps the event open.
func LinkPerfEvent(prog, event int) (int, error) {
	a := linkAttr{prog: uint32(prog), target: uint32(event), attachType: PerfLink}
	return call(cmdLinkCreate, unsafe.Pointer(&a), unsafe.Sizeof(a))
}

// LinkMissed is how often kernel functions were called, or returned from, for which
// the kernel did not come to run the link's program (6.7; 0 on older ones): the probe
// was reached from within another one, or more threads were in a function than it
// follows. Runs that are left out later are in Info.Misses. The error is EINVAL for a
// descriptor that is no link.
func LinkMissed(link int) (uint64, error) {
	type linkInfo struct {
		typ, id, prog, _ uint32
		rest             [8]uint64
	}
	var i linkInfo
	if err := objInfo(link, unsafe.Pointer(&i), unsafe.Sizeof(i)); err != nil {
		return 0, err
	}
	const typePerfEvent, typeKprobeMulti, eventKprobe, eventKretprobe = 7, 8, 3, 4
	switch {
	case i.typ == typeKprobeMulti:
		return i.rest[2], nil // after the addresses, their number and flags
	case i.typ == typePerfEvent && (uint32(i.rest[0]) == eventKprobe || uint32(i.rest[0]) == eventKretprobe):
		return i.rest[4], nil // after the name, its length, offset and address
	}
	return 0, nil
}

// iterAttr is linkAttr for iterators.
type iterAttr struct {
	prog, target uint32
	attachType   AttachType
	flags        uint32
	info         pointer
	infoLen      uint32
	_            [36]byte
}

// cgroupWalk says which control groups an iterator visits and in which order, from
// the one of that descriptor or number on, or the root.
type cgroupWalk struct {
	order, fd uint32
	id        uint64
}

const parentsFirst = 2 // BPF_CGROUP_ITER_DESCENDANTS_PRE

// LinkIter makes an iterator's link; Iter opens it for one walk. Of what can be
// walked in several ways, such as control groups, it visits all.
func LinkIter(prog int, what string) (int, error) {
	a := iterAttr{prog: uint32(prog), attachType: TraceIter}
	if what == "cgroup" {
		walk := cgroupWalk{order: parentsFirst}
		a.info, a.infoLen = pointer{p: unsafe.Pointer(&walk)}, uint32(unsafe.Sizeof(walk))
	}
	return call(cmdLinkCreate, unsafe.Pointer(&a), unsafe.Sizeof(a))
}

// Iter opens an iterator's link: reading the file to its end walks it once.
func Iter(link int) (int, error) {
	a := struct{ link, flags uint32 }{link: uint32(link)}
	return call(cmdIterCreate, unsafe.Pointer(&a), unsafe.Sizeof(a))
}

// Pin gives a link or program a name in bpffs.
func Pin(fd int, path string) error {
	text := append([]byte(path), 0)
	a := struct {
		path      pointer
		fd, flags uint32
	}{path: slicePtr(text), fd: uint32(fd)}
	_, err := call(cmdObjPin, unsafe.Pointer(&a), unsafe.Sizeof(a))
	return err
}

// EnableStats lets the kernel account the time of programs until the
// descriptor is closed.
func EnableStats() (int, error) {
	var kind uint32 // BPF_STATS_RUN_TIME
	fd, err := call(cmdEnableStats, unsafe.Pointer(&kind), unsafe.Sizeof(kind))
	if errors.Is(err, unix.EPERM) {
		err = errors.New("root or CAP_SYS_ADMIN is needed for that")
	}
	return fd, err
}

// Info is what the kernel tells of a program.
type Info struct {
	ID              uint32
	Instructions    int // after the verifier's rewriting
	Bytes           int // of machine code
	Verified        int // instructions walked by the verifier (5.16)
	RunTimeNS, Runs uint64
	Misses          uint64 // runs left out for recursion (5.12)
}

// ProgInfo asks about a program.
func ProgInfo(fd int) (Info, error) {
	type progInfo struct {
		typ, id                              uint32
		tag                                  [8]byte
		jitedLen, xlatedLen                  uint32
		jited, xlated                        pointer
		loadTime                             uint64
		uid, nrMaps                          uint32
		mapIDs                               uint64
		name                                 [16]byte
		ifindex, gpl                         uint32
		netnsDev, netnsIno                   uint64
		nrKsyms, nrLens                      uint32
		ksyms, lens                          uint64
		btfID, funcInfoRec                   uint32
		funcInfo                             uint64
		nrFuncInfo, nrLineInfo               uint32
		lineInfo, jitedLineInfo              uint64
		nrJitedLineInfo, lineRec, jitLineRec uint32
		nrTags                               uint32
		tags                                 uint64
		runTime, runCnt, misses              uint64
		verified, attachObj, attachID, _     uint32
	}
	var i progInfo
	if err := objInfo(fd, unsafe.Pointer(&i), unsafe.Sizeof(i)); err != nil {
		return Info{}, err
	}
	return Info{ID: i.id, Instructions: int(i.xlatedLen / 8), Bytes: int(i.jitedLen), Verified: int(i.verified),
		RunTimeNS: i.runTime, Runs: i.runCnt, Misses: i.misses}, nil
}

func objInfo(fd int, info unsafe.Pointer, size uintptr) error {
	a := struct {
		fd, len uint32
		info    pointer
	}{fd: uint32(fd), len: uint32(size), info: pointer{p: info}}
	_, err := call(cmdObjInfo, unsafe.Pointer(&a), unsafe.Sizeof(a))
	return err
}

// OpenProgram opens a program that is loaded by its id.
func OpenProgram(id uint32) (int, error) {
	open := struct{ id, next, flags uint32 }{id: id}
	return call(cmdProgFDByID, unsafe.Pointer(&open), unsafe.Sizeof(open))
}

// ModuleBTF opens the type information of a kernel module. The error is ENOENT
// if the kernel has none for it.
func ModuleBTF(module string) (int, error) {
	for id := uint32(0); ; {
		next := struct{ start, next, flags uint32 }{start: id}
		if _, err := call(cmdBTFNextID, unsafe.Pointer(&next), unsafe.Sizeof(next)); err != nil {
			return -1, err
		}
		id = next.next
		open := struct{ id, next, flags uint32 }{id: id}
		fd, err := call(cmdBTFFDByID, unsafe.Pointer(&open), unsafe.Sizeof(open))
		if err != nil {
			continue // gone in between
		}
		var name [64]byte
		info := struct {
			btf           pointer
			size, id      uint32
			name          pointer
			nameLen, kern uint32
		}{name: slicePtr(name[:]), nameLen: uint32(len(name))}
		err = objInfo(fd, unsafe.Pointer(&info), unsafe.Sizeof(info))
		if err == nil && info.kern != 0 && unix.ByteSliceToString(name[:]) == module {
			return fd, nil
		}
		unix.Close(fd)
	}
}
