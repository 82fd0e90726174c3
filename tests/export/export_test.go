// Package export has what others read of fst's metrics.
package export

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"fst"
	"fst/cmd/fst/listen"
)

// script counts calls of dup with the numbers of files that are not there, and reports some of its maps.
const script = `
tracepoint:syscalls:sys_enter_dup /pid == $1 && args.fildes >= 1 << 20/ {
	@calls[args.fildes - (1 << 20)] = count();
	@kept[comm] = count();
	@all = count();
	@sizes = hist(args.fildes);
	@sum = sum((uint64)args.fildes);
	@start[tid] = nsecs;
	delete(@start[tid]);
}
interval:ms:30 { print(@calls); clear(@calls); print(@sizes); clear(@sizes); print(@all); clear(@all); }
`

// start runs the script for this process and serves its metrics.
func start(t *testing.T) (s *listen.Server, stop func()) {
	t.Helper()
	if os.Geteuid() != 0 {
		t.Skip("tracing needs root")
	}
	prog, err := fst.Compile(script, fst.Options{Params: fst.Params{Words: []string{strconv.Itoa(os.Getpid())}}})
	if err != nil {
		t.Fatal(err)
	}
	session, err := prog.Start(t.Context(), fst.RunOptions{Outputs: []fst.Output{{Writer: io.Discard}}, Metrics: true})
	if errors.Is(err, fst.ErrPermission) {
		t.Skip(err)
	}
	if err != nil {
		t.Fatal(err)
	}
	if s, err = listen.Listen(":0", ""); err != nil {
		t.Fatal(err)
	}
	s.Serve(session.WriteMetrics)
	stop = sync.OnceFunc(func() {
		s.Close()
		if err := session.Close(); err != nil {
			t.Error(err)
		}
	})
	t.Cleanup(stop)
	return s, stop
}

func get(t *testing.T, url string) string {
	t.Helper()
	a, err := http.Get(url)
	if err != nil {
		t.Fatal(err)
	}
	defer a.Body.Close()
	body, err := io.ReadAll(a.Body)
	if err != nil || a.StatusCode != 200 {
		t.Fatalf("%s: %s %v", a.Status, body, err)
	}
	return string(body)
}

// sample is the number behind a series.
func sample(page, series string) int {
	_, rest, _ := strings.Cut(page, "\n"+series+" ")
	number, _, _ := strings.Cut(rest, "\n")
	n, err := strconv.Atoi(number)
	if err != nil {
		return -1
	}
	return n
}

// TestScrapes: while threads call and the script empties its maps, 1,000 scrapes never see a counter go back, and the last
// one has every call.
func TestScrapes(t *testing.T) {
	s, _ := start(t)
	const threads, scrapers, scrapes = 2, 8, 1000
	keys := []int{0, 1, 2, 3}
	var made [threads]int
	var load, clients sync.WaitGroup
	done := make(chan struct{})
	for i := range made {
		load.Go(func() {
			for {
				select {
				case <-done:
					return
				default:
				}
				for _, k := range keys {
					syscall.Dup(1<<20 + k)
				}
				made[i]++
			}
		})
	}
	counters := []string{`fst_calls_total{fildes="0"}`, `fst_calls_total{fildes="3"}`, `fst_all_total`, `fst_sizes_count`, `fst_sizes_bucket{le="2097151"}`}
	for range scrapers {
		clients.Go(func() {
			last := map[string]int{}
			for range scrapes / scrapers {
				page := get(t, s.URL())
				for _, c := range counters {
					n := sample(page, c)
					if n < last[c] {
						t.Errorf("%s is %d after %d", c, n, last[c])
					}
					last[c] = n
				}
			}
		})
	}
	clients.Wait()
	close(done)
	load.Wait()
	want := 0
	for _, n := range made {
		want += n
	}
	all := want * len(keys)
	page := ""
	for range 50 { // on a busy machine maps are read the more seldom the longer that takes, and a report is to come
		time.Sleep(200 * time.Millisecond)
		if page = get(t, s.URL()); sample(page, counters[2]) == all && sample(page, counters[3]) == all {
			break
		}
	}
	sum := 0
	for _, k := range keys {
		sum += want * (1<<20 + k)
	}
	for series, n := range map[string]int{counters[0]: want, counters[1]: want, counters[2]: all, counters[3]: all, counters[4]: all, "fst_sum_total": sum} {
		if got := sample(page, series); got != n {
			t.Errorf("%s is %d, not %d", series, got, n)
		}
	}
	if strings.Contains(page, "fst_start") {
		t.Error("what the script keeps for itself is among the metrics")
	}
	if t.Failed() {
		t.Log(page)
	}
	t.Logf("%d calls", all)
}

// program finds one of Debian's package prometheus, or fetches it.
func program(t *testing.T, name string) string {
	t.Helper()
	if path, err := exec.LookPath(name); err == nil {
		return path
	}
	return fetched(t, "prometheus", "root/usr/bin/"+name, "apt-get download prometheus; dpkg-deb -x prometheus_*.deb root; rm prometheus_*.deb")
}

// TestPromtool: Prometheus' own checker has nothing to say of the page.
func TestPromtool(t *testing.T) {
	promtool := program(t, "promtool")
	s, _ := start(t)
	syscall.Dup(1 << 20)
	check := exec.Command(promtool, "check", "metrics")
	check.Stdin = strings.NewReader(get(t, s.URL()))
	if out, err := check.CombinedOutput(); err != nil || len(out) > 0 {
		t.Errorf("%v: %s", err, out)
	}
}

// TestPrometheus: a server scrapes the metrics, and answers with what this process has called.
func TestPrometheus(t *testing.T) {
	server := program(t, "prometheus")
	s, _ := start(t)
	const calls = 1234
	for range calls {
		syscall.Dup(1 << 20)
	}
	dir := t.TempDir()
	target, _ := url.Parse(s.URL())
	config := filepath.Join(dir, "prometheus.yml")
	text := fmt.Sprintf("global: {scrape_interval: 200ms}\nscrape_configs:\n- job_name: fst\n  static_configs:\n  - targets: [%q]\n", target.Host)
	if err := os.WriteFile(config, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	addr := l.Addr().String()
	l.Close()
	var said bytes.Buffer
	run := exec.Command(server, "--config.file="+config, "--storage.tsdb.path="+filepath.Join(dir, "data"), "--web.listen-address="+addr)
	run.Stdout, run.Stderr = &said, &said
	if err := run.Start(); err != nil {
		t.Fatal(err)
	}
	defer func() {
		run.Process.Signal(syscall.SIGTERM)
		run.Wait()
		if t.Failed() {
			t.Log(said.String())
		}
	}()
	for query, want := range map[string]string{
		`fst_calls_total{fildes="0"}`:               strconv.Itoa(calls),
		`sum(fst_kept_total)`:                       strconv.Itoa(calls),
		`fst_sizes_bucket{le="2097151"}`:            strconv.Itoa(calls),
		`histogram_quantile(1, fst_sizes_bucket)`:   "2097151",
		`fst_exporter_lost_total{kind="ring_full"}`: "0",
		`up{job="fst"}`:                             "1",
	} {
		got := ""
		for deadline := time.Now().Add(20 * time.Second); got != want && time.Now().Before(deadline); time.Sleep(100 * time.Millisecond) {
			got = ask(addr, query)
		}
		if got != want {
			t.Errorf("%s is %s, not %s", query, got, want)
		}
	}
}

// ask is the answer of a Prometheus to a query with one result.
func ask(addr, query string) string {
	a, err := http.Get("http://" + addr + "/api/v1/query?query=" + url.QueryEscape(query))
	if err != nil {
		return err.Error()
	}
	defer a.Body.Close()
	var answer struct {
		Data struct {
			Result []struct{ Value [2]any }
		}
	}
	if err := json.NewDecoder(a.Body).Decode(&answer); err != nil || len(answer.Data.Result) != 1 {
		return fmt.Sprintf("%v %v", err, answer)
	}
	return fmt.Sprint(answer.Data.Result[0].Value[1])
}
