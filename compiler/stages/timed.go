package stages

import (
	"time"

	"fst/compiler/target"
	"fst/compiler/types"
)

// live is all that a compile asks of the running kernel.
type live interface {
	target.Target
	target.DebugInfo
	target.Code
	target.Programs
}

// timed is a kernel that adds up how long it thinks about the questions of a compile
// for which it reads something. They come one at a time.
type timed struct {
	live
	asked time.Duration
}

func (t *timed) time() func() {
	began := time.Now()
	return func() { t.asked += time.Since(began) }
}

func (t *timed) Tracepoint(category, event string) (*target.Tracepoint, error) {
	defer t.time()()
	return t.live.Tracepoint(category, event)
}

func (t *timed) Tracepoints(category, event string) ([]string, error) {
	defer t.time()()
	return t.live.Tracepoints(category, event)
}

func (t *timed) RawTracepoint(event string) (*target.Func, bool) {
	defer t.time()()
	return t.live.RawTracepoint(event)
}

func (t *timed) RawTracepoints(pattern string) []string {
	defer t.time()()
	return t.live.RawTracepoints(pattern)
}

func (t *timed) Function(module, name string) (*target.Func, bool) {
	defer t.time()()
	return t.live.Function(module, name)
}

func (t *timed) Traceable(module, pattern string) ([]target.FuncName, error) {
	defer t.time()()
	return t.live.Traceable(module, pattern)
}

func (t *timed) Type(tag, name string) (*types.Type, bool) {
	defer t.time()()
	return t.live.Type(tag, name)
}

func (t *timed) Enumerator(name string) (int64, *types.Type, bool) {
	defer t.time()()
	return t.live.Enumerator(name)
}

func (t *timed) Symbol(name string) (uint64, bool) {
	defer t.time()()
	return t.live.Symbol(name)
}

func (t *timed) Syscall(name string) (*target.Func, bool) {
	defer t.time()()
	return t.live.Syscall(name)
}

func (t *timed) Syscalls(pattern string) []string {
	defer t.time()()
	return t.live.Syscalls(pattern)
}

func (t *timed) Symbols(path, pattern string) ([]target.UserSymbol, error) {
	defer t.time()()
	return t.live.Symbols(path, pattern)
}

func (t *timed) Binary(name string, pid int) ([]string, error) {
	defer t.time()()
	return t.live.Binary(name, pid)
}
