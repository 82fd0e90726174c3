package trace

import (
	"context"
	"sync"

	"fst/runtime/kernel"
	"fst/runtime/symbol"
	"fst/runtime/unwind"
)

// layers finds the files that programs in the kernel see where a process has
// mapped one of an overlay file system, as the programs of containers are. Code
// runs from the file of a layer, but since Linux 6.7 /proc shows inode and device
// of the overlay instead (show_map_vma in fs/proc/task_mmu.c).
type layers struct {
	system *kernel.System

	mu     sync.Mutex
	known  map[unwind.Key]unwind.Key // by what /proc says
	mapped map[symbol.Mapping]unwind.Key
}

// mappedCodeScript asks the kernel what is mapped where, in every process.
const mappedCodeScript = `iter:task_vma /ctx.vma != 0 && ctx.vma.vm_file != 0 && (ctx.vma.vm_flags & 4) != 0/ {
	$inode = ctx.vma.vm_file.f_inode;
	print((ctx.task.tgid, ctx.vma.vm_start, ctx.vma.vm_end, $inode.i_ino, $inode.i_sb.s_dev));
}`

// key is how programs name the file that code is mapped from. ok is false if that
// can't be told any more, as the process has ended.
func (l *layers) key(c symbol.Code) (k unwind.Key, ok bool) {
	k = unwind.KeyOf(c.Inode, c.Dev)
	l.mu.Lock()
	defer l.mu.Unlock()
	if real, ok := l.known[k]; ok {
		return real, true
	}
	overlay, err := c.OnOverlay()
	if err != nil {
		return k, false
	}
	real := k
	if overlay {
		if real, ok = l.real(c); !ok {
			return k, false
		}
	}
	l.known[k] = real
	return real, true
}

// real is the name of a file of an overlay.
func (l *layers) real(c symbol.Code) (k unwind.Key, ok bool) {
	if k, ok = l.mapped[c.Mapping()]; ok {
		return k, true
	}
	if l.mapped = mappedCode(l.system); l.mapped == nil {
		return unwind.KeyOf(c.Inode, c.Dev), true // a kernel without the iterator is older than 6.7
	}
	k, ok = l.mapped[c.Mapping()]
	return k, ok
}

// settled forgets what is mapped now: processes come and go.
func (l *layers) settled() {
	l.mu.Lock()
	l.mapped = nil
	l.mu.Unlock()
}

// mappedCode is what code is mapped now, or nil on kernels that do not tell.
func mappedCode(k *kernel.System) map[symbol.Mapping]unwind.Key {
	mapped := map[symbol.Mapping]unwind.Key{}
	own, err := StartOwn(context.Background(), k, mappedCodeScript, func(r Record) {
		if len(r.Fields) != 1 {
			return
		}
		if v, _ := r.Fields[0].Value.([]any); len(v) == 5 {
			at := symbol.Mapping{PID: int(Number(v[0])), Start: Number(v[1]), End: Number(v[2])}
			mapped[at] = unwind.KeyOf(Number(v[3]), uint32(Number(v[4])))
		}
	})
	if err != nil {
		return nil
	}
	own.Wait()
	return mapped
}
