package main

import (
	"bufio"
	"fmt"
	"os"
	"strings"
	"syscall"
	"time"
)

// line prints a line at each call of getpgid.
var line = question{
	floor:  "printf PID",
	script: `tracepoint:syscalls:sys_enter_getpgid /pid == PID/ { printf("%d %s %d\n", pid, comm, args->pid); }`,
	ply:    `tracepoint:syscalls/sys_enter_getpgid / pid == PID / { printf("%d %s %d\n", pid, comm, data->pid); }`,
}

// printf: how many of a million lines, made as fast as the machine can, get
// lost on the way to the output, and what one costs the tracer.
func (b *bench) printf() error {
	const events = 1_000_000
	b.each("printf", func(t tool) error {
		g, err := newGenerator("getpgid")
		if err != nil {
			return err
		}
		defer g.close()
		out, err := scratch()
		if err != nil {
			return err
		}
		defer out.Close()
		p, err := t.trace(line, g, startOptions{stdout: out, pinned: true})
		if err != nil {
			return err
		}
		if err := p.awaitAttached(g, 1); err != nil {
			p.kill()
			return err
		}
		const first = 10_000_000 // no other line ends in such a number
		g.from(first)
		busy := p.cpuTimeNow()
		g.run(events)
		settle(out)
		busy = p.cpuTimeNow() - busy
		if _, err := p.stop(); err != nil {
			return err
		}
		prefix, got := fmt.Sprintf("%d ", g.pid), 0
		err = eachLine(out, func(line string) {
			number := line[strings.LastIndexByte(line, ' ')+1:]
			if strings.HasPrefix(line, prefix) && len(number) == 8 && number[0] == '1' {
				got++
			}
		})
		if err != nil {
			return err
		}
		b.results.add("printf", "lost", "%", t.name, 100*float64(events-got)/events)
		b.results.add("printf", "cpu an event", "µs", t.name, float64(busy.Microseconds())/float64(max(got, 1)))
		return g.err
	})
	return nil
}

// lag: what an event costs that which is traced while the reader does not keep up: it is
// stopped, and most of its ring fills.
func (b *bench) lag() error {
	b.each("lag", func(t tool) error {
		const events = 100_000 // of 24 or 32 bytes, in a ring of 4 MiB
		g, err := newGenerator("getpgid")
		if err != nil {
			return err
		}
		defer g.close()
		out, err := scratch()
		if err != nil {
			return err
		}
		defer out.Close()
		g.from(1)
		untraced := g.run(events)
		p, err := t.trace(line, g, startOptions{stdout: out, pinned: true})
		if err != nil {
			return err
		}
		defer p.kill()
		if err := p.awaitAttached(g, 1); err != nil {
			return err
		}
		settle(out)
		if err := p.cmd.Process.Signal(syscall.SIGSTOP); err != nil {
			return err
		}
		traced := g.run(events)
		b.results.add("lag", "an event", "ns", t.name, traced-untraced)
		return g.err
	})
	return nil
}

// wildcard: attaching to the end of every system call, and leaving again.
func (b *bench) wildcard() error {
	all := question{
		floor:  "wildcard PID",
		script: "tracepoint:syscalls:sys_exit_* /pid == PID/ { @[probe] = count(); }",
	}
	b.each("wildcard", func(t tool) error {
		const opens = 1000
		g, err := newGenerator("openat")
		if err != nil {
			return err
		}
		defer g.close()
		p, err := t.trace(all, g, startOptions{})
		if err != nil {
			return err
		}
		attached := make(chan time.Time, 1)
		go func() { attached <- p.lastDescriptor() }()
		if err := p.awaitAttached(g, 1); err != nil {
			p.kill()
			return err
		}
		last := <-attached
		g.run(opens)
		took, err := p.stop()
		if err != nil {
			return err
		}
		if out := p.out.String(); !strings.Contains(out, "sys_exit_openat") {
			return fmt.Errorf("did not see openat: %.200q", out)
		}
		b.results.add("wildcard", "attach", "ms", t.name, float64(last.Sub(p.started))/millisecond)
		b.results.add("wildcard", "exit", "ms", t.name, float64(took)/millisecond)
		return g.err
	})
	return nil
}

// lastDescriptor waits until the number of the process's open files has not
// changed for a while, and returns when it last did: when it had attached all.
func (p *process) lastDescriptor() time.Time {
	last, n := p.started, 0
	for time.Since(last) < 2*time.Second && p.running() {
		if now := p.descriptors(); now != n {
			last, n = time.Now(), now
		}
		time.Sleep(time.Millisecond)
	}
	return last
}

// readout: the end of a script whose map has many keys.
func (b *bench) readout() error {
	const keys = 100_000
	count := question{
		floor:  fmt.Sprintf("readout PID %d", keys+keys/10),
		script: "tracepoint:syscalls:sys_enter_getpgid /pid == PID/ { @[args->pid] = count(); }",
	}
	env := []string{}
	for _, name := range []string{"BPFTRACE_MAX_MAP_KEYS", "BPFTRACE_MAP_KEYS_MAX"} { // the second until 0.18
		env = append(env, fmt.Sprintf("%s=%d", name, keys+keys/10))
	}
	b.each("readout", func(t tool) error {
		g, err := newGenerator("getpgid")
		if err != nil {
			return err
		}
		defer g.close()
		out, err := scratch()
		if err != nil {
			return err
		}
		defer out.Close()
		p, err := t.trace(count, g, startOptions{stdout: out, env: env})
		if err != nil {
			return err
		}
		g.from(1) // also while we wait, so that there are no other keys
		if err := p.awaitAttached(g, 1); err != nil {
			p.kill()
			return err
		}
		g.from(1)
		g.run(keys)
		peak := make(chan float64, 1)
		go func() { peak <- p.peakMemory() }()
		took, err := p.stop()
		memory := <-peak
		if err != nil {
			return err
		}
		got := 0
		err = eachLine(out, func(line string) {
			if strings.HasPrefix(line, "@[") {
				got++
			}
		})
		if err != nil {
			return err
		}
		if got < keys {
			return fmt.Errorf("printed %d of %d keys: %s", got, keys, p.complaint())
		}
		b.results.add("readout", "exit", "ms", t.name, float64(took)/millisecond)
		b.results.add("readout", "memory", "MiB", t.name, memory/mebibyte)
		return g.err
	})
	return nil
}

// scratch opens a file without a name, in memory where possible.
func scratch() (*os.File, error) {
	dir := "/dev/shm"
	if s, err := os.Stat(dir); err != nil || !s.IsDir() {
		dir = ""
	}
	f, err := os.CreateTemp(dir, "fst-bench-*")
	if err != nil {
		return nil, err
	}
	return f, os.Remove(f.Name())
}

// settle waits until a file no longer grows.
func settle(f *os.File) {
	limit := time.Now().Add(20 * time.Second)
	for was := int64(-1); time.Now().Before(limit); time.Sleep(300 * time.Millisecond) {
		s, err := f.Stat()
		if err != nil || s.Size() == was {
			return
		}
		was = s.Size()
	}
}

func eachLine(f *os.File, do func(line string)) error {
	if _, err := f.Seek(0, 0); err != nil {
		return err
	}
	s := bufio.NewScanner(f)
	s.Buffer(nil, 1<<20)
	for s.Scan() {
		do(s.Text())
	}
	return s.Err()
}
