package export

import (
	"bufio"
	"encoding/base64"
	"errors"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	common "go.opentelemetry.io/proto/otlp/common/v1"
	logs "go.opentelemetry.io/proto/otlp/logs/v1"
	metrics "go.opentelemetry.io/proto/otlp/metrics/v1"
	traces "go.opentelemetry.io/proto/otlp/trace/v1"
	"google.golang.org/protobuf/proto"

	"fst"
	"fst/cmd/fst/otlp"
)

// receiver keeps what it is sent, as the official module reads it.
type receiver struct {
	mu      sync.Mutex
	spans   []*traces.Span
	logs    []*logs.LogRecord
	metrics []*metrics.Metric
	service string
	errs    []error
}

func (r *receiver) ServeHTTP(w http.ResponseWriter, req *http.Request) {
	body, err := io.ReadAll(req.Body)
	r.take(strings.TrimPrefix(req.URL.Path, "/v1/"), body, err)
}

// take takes a request of a kind.
func (r *receiver) take(kind string, body []byte, err error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	switch kind { // TracesData and the like have the fields of the requests
	case "traces":
		var data traces.TracesData
		err = errors.Join(err, proto.Unmarshal(body, &data))
		for _, of := range data.ResourceSpans {
			r.service = attributes(of.Resource.Attributes)["service.name"]
			for _, scope := range of.ScopeSpans {
				r.spans = append(r.spans, scope.Spans...)
			}
		}
	case "logs":
		var data logs.LogsData
		err = errors.Join(err, proto.Unmarshal(body, &data))
		for _, of := range data.ResourceLogs {
			for _, scope := range of.ScopeLogs {
				r.logs = append(r.logs, scope.LogRecords...)
			}
		}
	case "metrics":
		var data metrics.MetricsData
		err = errors.Join(err, proto.Unmarshal(body, &data))
		for _, of := range data.ResourceMetrics {
			for _, scope := range of.ScopeMetrics {
				r.metrics = append(r.metrics, scope.Metrics...)
			}
		}
	default:
		err = errors.New(kind)
	}
	if err != nil {
		r.errs = append(r.errs, err)
	}
}

func attributes(list []*common.KeyValue) map[string]string {
	all := map[string]string{}
	for _, a := range list {
		switch v := a.Value.Value.(type) {
		case *common.AnyValue_StringValue:
			all[a.Key] = v.StringValue
		case *common.AnyValue_IntValue:
			all[a.Key] = strconv.FormatInt(v.IntValue, 10)
		}
	}
	return all
}

// TestOTLP: calls are spans of their thread, text and rows are logs, and what maps count arrives to the last call.
func TestOTLP(t *testing.T) {
	if os.Geteuid() != 0 {
		t.Skip("tracing needs root")
	}
	const script = `
begin { printf("it begins\n"); row("NAME %s N %d", "a b", 7); $took = 3us; print((cpu, pid, $took)); }
syscall:dup /pid == $1 && args.fildes >= 1 << 20/
tracepoint:syscalls:sys_enter_dup /pid == $1 && args.fildes >= 1 << 20/ {
	@calls[args.fildes - (1 << 20)] = count();
	@sizes = hist(args.fildes);
	@bytes = stats(2KB);
	@last = 1500us / 1us;
}
report { print(@calls); print(@sizes); print(@bytes); print(@last); }`
	t.Run("module", func(t *testing.T) {
		r := &receiver{}
		server := httptest.NewServer(r)
		defer server.Close()
		sendCalls(t, script, server.URL)
		r.check(t)
	})
	t.Run("collector", func(t *testing.T) {
		collector := reader(t, "collector")
		l, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			t.Fatal(err)
		}
		l.Close()
		run := exec.Command(collector, l.Addr().String())
		run.Stderr = os.Stderr
		end, _ := run.StdinPipe()
		said, _ := run.StdoutPipe()
		if err := run.Start(); err != nil {
			t.Fatal(err)
		}
		lines := bufio.NewReader(said)
		if line, err := lines.ReadString('\n'); line != "ready\n" {
			t.Fatal(line, err)
		}
		r := &receiver{}
		var reading sync.WaitGroup
		reading.Go(func() {
			for {
				line, err := lines.ReadString('\n')
				if err != nil {
					return
				}
				kind, text, _ := strings.Cut(strings.TrimSpace(line), " ")
				body, err := base64.StdEncoding.DecodeString(text)
				r.take(kind, body, err)
			}
		})
		sendCalls(t, script, "http://"+l.Addr().String())
		end.Close()
		reading.Wait()
		if err := run.Wait(); err != nil {
			t.Error(err)
		}
		r.check(t)
	})
}

const otlpCalls = 300

// sendCalls traces calls of this process, and sends what the script says of them.
func sendCalls(t *testing.T, script, url string) {
	t.Helper()
	client, err := otlp.New(url, "", func(err error) { t.Error(err) })
	if err != nil {
		t.Fatal(err)
	}
	prog, err := fst.Compile(script, fst.Options{Formats: []string{"otlp"}, Params: fst.Params{Words: []string{strconv.Itoa(os.Getpid())}}})
	if err != nil {
		t.Fatal(err)
	}
	session, err := prog.Start(t.Context(), fst.RunOptions{Outputs: []fst.Output{{Writer: client, Format: "otlp"}}})
	if errors.Is(err, fst.ErrPermission) {
		t.Skip(err)
	}
	if err != nil {
		t.Fatal(err)
	}
	for i := range otlpCalls {
		syscall.Dup(1<<20 + i%3)
	}
	session.Close()
	if lost, items, err := client.Close(5 * time.Second); lost > 0 || items == 0 || err != nil {
		t.Fatal(lost, items, err)
	}
}

// check compares what was received with what sendCalls has done.
func (r *receiver) check(t *testing.T) {
	t.Helper()
	const calls = otlpCalls
	if len(r.errs) > 0 || r.service != "fst" {
		t.Errorf("%v, service %q", r.errs, r.service)
	}
	if len(r.spans) != calls {
		t.Errorf("%d spans", len(r.spans))
	}
	ids := map[string]bool{}
	tracks := map[string]string{}
	for _, s := range r.spans {
		a := attributes(s.Attributes)
		ids[string(s.SpanId)] = true
		if track, known := tracks[a["thread.id"]]; known && track != string(s.TraceId) {
			t.Errorf("the thread %s is in two traces", a["thread.id"])
		}
		tracks[a["thread.id"]] = string(s.TraceId)
		if s.Name != "syscall:dup" || a["process.pid"] != strconv.Itoa(os.Getpid()) || !strings.HasPrefix(a["fildes"], "10485") || len(s.TraceId) != 16 || len(s.SpanId) != 8 ||
			s.StartTimeUnixNano >= s.EndTimeUnixNano || s.StartTimeUnixNano < uint64(time.Now().Add(-time.Minute).UnixNano()) || s.EndTimeUnixNano > uint64(time.Now().UnixNano()) {
			t.Fatalf("%v", s)
		}
	}
	if len(ids) != len(r.spans) {
		t.Errorf("%d spans have %d ids", len(r.spans), len(ids))
	}
	var said []string
	for _, l := range r.logs {
		said = append(said, l.Body.GetStringValue())
		if took := attributes(l.Attributes)["took_ns"]; strings.Contains(l.Body.GetStringValue(), "took") && took != "3000" {
			t.Errorf("a part of a tuple is %q: %v", took, l)
		}
	}
	if s := strings.Join(said, "|"); !regexp.MustCompile(`^it begins\|name=a b n=7\|cpu=\d+ pid=\d+ took_ns=3000$`).MatchString(s) {
		t.Errorf("%q", s)
	}
	sums := map[string]int64{}
	for _, m := range r.metrics {
		for _, p := range m.GetSum().GetDataPoints() {
			sums[m.Name+attributes(p.Attributes)["fildes"]] += p.GetAsInt()
			if s := m.GetSum(); !s.IsMonotonic || s.AggregationTemporality != metrics.AggregationTemporality_AGGREGATION_TEMPORALITY_DELTA {
				t.Errorf("%v", m)
			}
		}
		for _, p := range m.GetHistogram().GetDataPoints() {
			sums[m.Name] += int64(p.Count)
			sums[m.Name+".sum"] += int64(p.GetSum())
			for i, n := range p.BucketCounts {
				if n > 0 {
					sums[m.Name+".le."+strconv.Itoa(int(p.ExplicitBounds[i]))] += int64(n)
				}
			}
			if len(p.BucketCounts) > 0 && len(p.BucketCounts) != len(p.ExplicitBounds)+1 {
				t.Errorf("%v", m)
			}
		}
		for _, p := range m.GetGauge().GetDataPoints() {
			sums[m.Name+m.Unit] = int64(p.GetAsDouble() * 1e6)
		}
	}
	for name, want := range map[string]int64{"fst_calls0": calls / 3, "fst_calls2": calls / 3, "fst_sizes": calls, "fst_sizes.le.2097151": calls, "fst_bytes": calls,
		"fst_bytes.sum": calls * 2048, "fst_last_secondss": 1500} {
		if sums[name] != want {
			t.Errorf("%s is %d, not %d: %v", name, sums[name], want, sums)
		}
	}
}
