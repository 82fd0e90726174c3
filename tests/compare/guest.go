package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"time"
)

// What runs inside the guest.

const (
	startLimit = 6 * time.Minute // until a tool has attached; LLVM is slow under emulation
	endLimit   = 2 * time.Minute // from SIGINT until it has ended
	workLimit  = 4 * time.Minute // a script of the case
	quiet      = 2 * time.Second // a tool that opened no more of BPF for so long has attached
	settle     = 500 * time.Millisecond
)

// attached is what fst and bpftrace print once all probes are attached, if the
// environment variable of that name is set.
const attached = "__BPFTRACE_NOTIFY_PROBES_ATTACHED"

// inside runs a job and prints a message for each rival. Who starts and is not
// right is tried a second time, and that counts: a slow guest shall be nobody's
// fault.
func inside(path string) error {
	data, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	var j job
	if err := json.Unmarshal(data, &j); err != nil {
		return err
	}
	for _, c := range j.Cases {
		for _, rival := range c.Rivals {
			result, err := j.try(c, rival)
			if err != nil || !result.final() {
				result, err = j.try(c, rival)
				result.Second = true
			}
			m := message{Result: result}
			if err != nil {
				m = message{Result: Result{Case: c.Name, Kernel: j.Kernel, Who: rival.Who}, Trouble: err.Error()}
			}
			line, err := json.Marshal(m)
			if err != nil {
				return err
			}
			fmt.Printf("%s\n", line)
		}
	}
	return nil
}

// trial is one rival at work.
type trial struct {
	dir string
	env []string
}

func (j job) try(c Case, rival Rival) (result Result, err error) {
	dir, err := os.MkdirTemp("", "compare-")
	if err != nil {
		return result, err
	}
	defer os.RemoveAll(dir)
	device := os.Getenv("FST_SCRATCH_DEV")
	t := trial{dir, append(os.Environ(), "DIR="+dir, "OUT="+dir+"/out", "ERR="+dir+"/err", "FST="+j.FST,
		"SCRATCH="+device, "DISK="+filepath.Base(device), "LC_ALL=C", "TZ=UTC")}
	defer func() {
		if _, cerr := t.script(c.Cleanup); cerr != nil {
			err = errors.Join(err, fmt.Errorf("cleanup: %w", cerr))
		}
	}()
	if _, err := t.script(c.Setup); err != nil {
		return result, fmt.Errorf("setup: %w", err)
	}
	result = Result{Case: c.Name, Kernel: j.Kernel, Who: rival.Who, Digest: c.digest(rival)}

	command := rival.Command
	switch rival.Who {
	case "fst":
		command = j.FST + " " + command
	case "bcc":
		command = "stdbuf -oL " + command // some die of SIGINT with what they have not written
	}
	tool := exec.Command("/bin/sh", "-c", "exec "+command)
	tool.Dir, tool.Env = dir, append(t.env, attached+"=1")
	tool.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	out, err := os.Create(filepath.Join(dir, "out"))
	if err != nil {
		return result, err
	}
	defer out.Close()
	errs, err := os.Create(filepath.Join(dir, "err"))
	if err != nil {
		return result, err
	}
	defer errs.Close()
	tool.Stdout, tool.Stderr = out, errs
	if err := tool.Start(); err != nil {
		return result, err
	}
	ended := make(chan struct{})
	go func() {
		tool.Wait()
		close(ended)
	}()
	defer func() {
		syscall.Kill(-tool.Process.Pid, syscall.SIGKILL)
		<-ended
	}()

	if j.Show {
		defer func() {
			if err != nil || !result.Right() {
				t.show(c.Name + ", " + rival.Command)
			}
		}()
	}

	if ok, err := t.ready(tool.Process.Pid, ended); err != nil {
		return result, err
	} else if !ok {
		result.Says = t.complaint()
		return result, nil
	}
	result.Started = true
	if _, err := t.script(c.Workload); err != nil {
		return result, fmt.Errorf("workload: %w", err)
	}
	time.Sleep(settle)
	syscall.Kill(-tool.Process.Pid, syscall.SIGINT)
	select {
	case <-ended:
	case <-time.After(endLimit):
		return result, fmt.Errorf("it has not ended %v after SIGINT", endLimit)
	}
	if err := t.dropLine(attached); err != nil {
		return result, err
	}
	if result.Witness, err = t.script(c.Witness); err != nil {
		return result, fmt.Errorf("witness: %w", err)
	}
	if result.Says, err = t.script(rival.Value); err != nil {
		return result, fmt.Errorf("value: %w", err)
	}
	if result.Says == "" {
		result.Says = "nothing"
	}
	return result, nil
}

// script runs a section of shell commands and returns what it printed, as one
// line.
func (t trial) script(text string) (string, error) {
	ctx, cancel := context.WithTimeout(context.Background(), workLimit)
	defer cancel()
	cmd := exec.CommandContext(ctx, "/bin/sh", "-ec", text)
	cmd.Dir, cmd.Env = t.dir, t.env
	var out, errs bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errs
	cmd.WaitDelay = time.Second // what it leaves behind must not hold us
	if err := cmd.Run(); err != nil && !errors.Is(err, exec.ErrWaitDelay) {
		return "", fmt.Errorf("%w\n%s%s", err, out.String(), errs.String())
	}
	return strings.Join(strings.Fields(out.String()), " "), nil
}

// ready waits until a tool has attached: it says so, or it holds BPF links or
// perf events, and for a while no more of them. A tool that ended before is not
// ready.
func (t trial) ready(pid int, ended <-chan struct{}) (bool, error) {
	held, since := 0, time.Now()
	for limit := time.After(startLimit); ; {
		select {
		case <-ended:
			return false, nil
		case <-limit:
			return false, fmt.Errorf("it has neither attached nor ended in %v", startLimit)
		case <-time.After(100 * time.Millisecond):
		}
		if out, _ := os.ReadFile(filepath.Join(t.dir, "out")); bytes.Contains(out, []byte(attached)) {
			return true, nil
		}
		if now := probes(pid); now != held {
			held, since = now, time.Now()
		}
		if held > 0 && time.Since(since) > quiet {
			return true, nil
		}
	}
}

// probes is how many BPF links and perf events a process holds.
func probes(pid int) (n int) {
	fds, _ := filepath.Glob(fmt.Sprintf("/proc/%d/fd/*", pid))
	for _, fd := range fds {
		to, _ := os.Readlink(fd)
		if strings.Contains(to, "bpf_link") || strings.Contains(to, "bpf-raw-tracepoint") || strings.Contains(to, "[perf_event]") {
			n++
		}
	}
	return n
}

// complaint is why a tool did not start: the last line that tells of an error,
// or its last line.
func (t trial) complaint() string {
	last := "(it says nothing)"
	for _, name := range []string{"out", "err"} {
		text, _ := os.ReadFile(filepath.Join(t.dir, name))
		for line := range strings.Lines(string(text)) {
			line = strings.TrimSpace(line)
			lower := strings.ToLower(line)
			if strings.Contains(lower, "error") || strings.Contains(lower, "fail") || strings.Contains(lower, "not found") {
				return line
			}
			if line != "" {
				last = line
			}
		}
	}
	return last
}

// dropLine removes a line from what the tool printed.
func (t trial) dropLine(line string) error {
	path := filepath.Join(t.dir, "out")
	text, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	return os.WriteFile(path, bytes.ReplaceAll(text, []byte(line+"\n"), nil), 0o644)
}

// shown is how much of a tool's output is shown.
const shown = 4000

// show prints the end of what a tool printed, for who looks for the reason.
func (t trial) show(title string) {
	for _, name := range []string{"out", "err"} {
		text, _ := os.ReadFile(filepath.Join(t.dir, name))
		fmt.Fprintf(os.Stderr, "--- %s (%s)\n%s\n", title, name, text[max(0, len(text)-shown):])
	}
}
