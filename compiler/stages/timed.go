package stages

import (
	"time"

	"fst/compiler/target"
	"fst/compiler/types"
)

// timed is a kernel that adds up how long it thinks about the questions of a compile
// for which it reads something. They come one at a time.
type timed struct {
	target.Live
	asked time.Duration
}

func (t *timed) time() func() {
	began := time.Now()
	return func() { t.asked += time.Since(began) }
}

func (t *timed) Tracepoint(category, event string) (*target.Tracepoint, error) {
	defer t.time()()
	return t.Live.Tracepoint(category, event)
}

func (t *timed) Tracepoints(category, event string) ([]string, error) {
	defer t.time()()
	return t.Live.Tracepoints(category, event)
}

func (t *timed) RawTracepoint(event string) (*target.Func, bool) {
	defer t.time()()
	return t.Live.RawTracepoint(event)
}

func (t *timed) RawTracepoints(pattern string) []string {
	defer t.time()()
	return t.Live.RawTracepoints(pattern)
}

func (t *timed) Function(module, name string) (*target.Func, bool) {
	defer t.time()()
	return t.Live.Function(module, name)
}

func (t *timed) Traceable(module, pattern string) ([]target.FuncName, error) {
	defer t.time()()
	return t.Live.Traceable(module, pattern)
}

func (t *timed) Type(tag, name string) (*types.Type, bool) {
	defer t.time()()
	return t.Live.Type(tag, name)
}

func (t *timed) Enumerator(name string) (int64, *types.Type, bool) {
	defer t.time()()
	return t.Live.Enumerator(name)
}

func (t *timed) Symbol(name string) (uint64, bool) {
	defer t.time()()
	return t.Live.Symbol(name)
}

func (t *timed) Syscall(name string) (*target.Func, bool) {
	defer t.time()()
	return t.Live.Syscall(name)
}

func (t *timed) Syscalls(pattern string) []string {
	defer t.time()()
	return t.Live.Syscalls(pattern)
}

func (t *timed) Symbols(path, pattern string) ([]target.UserSymbol, error) {
	defer t.time()()
	return t.Live.Symbols(path, pattern)
}

func (t *timed) Binary(name string, pid int) ([]string, error) {
	defer t.time()()
	return t.Live.Binary(name, pid)
}
