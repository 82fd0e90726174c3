package main

import (
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"os"
	"regexp"
	"strconv"
	"syscall"
	"testing"
	"time"

	"fst"
)

const script = `
tracepoint:syscalls:sys_enter_dup /pid == $1/ { @dups[comm, args.fildes] = count(); @fds = hist(args.fildes); }
syscall:dup /pid == $1/ { @took[comm] = stats(took); }
BEGIN { @unread = *(uint64 *)8; }
`

// TestExporter asks for the metrics of calls that this process makes.
func TestExporter(t *testing.T) {
	if os.Geteuid() != 0 {
		t.Skip("tracing needs root")
	}
	listener, err := net.Listen("tcp", "localhost:0")
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
	defer cancel()
	done := make(chan error, 1)
	go func() {
		done <- export(ctx, listener, script, fst.Options{Params: fst.Params{Words: []string{strconv.Itoa(os.Getpid())}}})
	}()
	get(t, "http://"+listener.Addr().String()+"/metrics", done) // it is served when all is attached
	for range 3 {
		syscall.Dup(1 << 20)
	}
	page := get(t, "http://"+listener.Addr().String()+"/metrics", done)
	for _, want := range []string{
		`(?m)^fst_dups\{comm="[^"]+",fildes="1048576"\} 3$`,
		`(?m)^fst_fds_bucket\{le="2097151"\} 3\nfst_fds_bucket\{le="\+Inf"\} 3\nfst_fds_count 3$`,
		`(?m)^fst_took_ns_sum\{comm="[^"]+"\} [1-9][0-9]*\nfst_took_ns_count\{comm="[^"]+"\} 3$`,
		`(?m)^fst_lost_total\{clause="2",kind="read_failed",line="4"\} 1$`,
	} {
		if !regexp.MustCompile(want).MatchString(page) {
			t.Errorf("%s is not in\n%s", want, page)
		}
	}
	cancel()
	if err := <-done; err != nil {
		t.Error(err)
	}
}

func get(t *testing.T, url string, done <-chan error) string {
	t.Helper()
	for {
		response, err := http.Get(url)
		if err == nil {
			page, err := io.ReadAll(response.Body)
			response.Body.Close()
			if err != nil || response.StatusCode != http.StatusOK {
				t.Fatalf("%s: %s %v", response.Status, page, err)
			}
			return string(page)
		}
		select {
		case err := <-done:
			if errors.Is(err, fst.ErrPermission) {
				t.Skip(err)
			}
			t.Fatal(err)
		case <-time.After(10 * time.Millisecond):
		}
	}
}
