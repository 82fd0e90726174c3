package otlp

import (
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"
)

// TestDelivery: requests arrive in order, as the protocol has them.
func TestDelivery(t *testing.T) {
	var mu sync.Mutex
	var got []string
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		mu.Lock()
		defer mu.Unlock()
		got = append(got, r.Method+" "+r.URL.Path+" "+r.Header.Get("Content-Type")+" "+r.Header.Get("Api-Key")+" "+r.Header.Get("Tenant")+" "+string(body))
	}))
	defer s.Close()
	c, err := New(s.URL+"/below/", "api-key=a%20b%2C, tenant = one=1", func(err error) { t.Error(err) })
	if err != nil {
		t.Fatal(err)
	}
	io.WriteString(c, "logs 2\na\nb")
	io.WriteString(c, "traces 1\nc")
	if lost, items, err := c.Close(5 * time.Second); lost != 0 || items != 3 || err != nil {
		t.Error(lost, items, err)
	}
	want := "POST /below/v1/logs application/x-protobuf a b, one=1 a\nb|POST /below/v1/traces application/x-protobuf a b, one=1 c"
	if s := strings.Join(got, "|"); s != want {
		t.Errorf("%q", s)
	}
}

// TestCollectors: one that is slow, dead, or answers with an error holds up nobody, and what it did not get is counted.
func TestCollectors(t *testing.T) {
	hang := make(chan struct{})
	slow := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { <-hang }))
	defer slow.Close()
	defer close(hang)
	broken := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { w.WriteHeader(500) }))
	defer broken.Close()
	tries := 0
	busy := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if tries++; tries == 1 {
			w.WriteHeader(503)
		}
	}))
	defer busy.Close()
	other, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer other.Close()
	go func() {
		for {
			c, err := other.Accept()
			if err != nil {
				return
			}
			c.Read(make([]byte, 1000))
			io.WriteString(c, "220 mail ready\r\n")
			c.Close()
		}
	}()
	dead, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	dead.Close()
	for _, test := range []struct {
		name, url, reason string
		lost              int
		patience          time.Duration
	}{
		{"slow", slow.URL, "timeout", 8, 100 * time.Millisecond},
		{"dead", "http://" + dead.Addr().String(), "connection refused", 8, 100 * time.Millisecond},
		{"broken", broken.URL, "the collector answers 500 Internal Server Error", 8, 5 * time.Second},
		{"busy", busy.URL, "", 0, 5 * time.Second},
		{"other", "http://" + other.Addr().String(), "what answers does not speak HTTP", 8, 5 * time.Second},
	} {
		failed := ""
		c, err := New(test.url, "", func(err error) { failed = err.Error() })
		if err != nil {
			t.Fatal(err)
		}
		start := time.Now()
		for range 2 {
			io.WriteString(c, "metrics 4\nx")
		}
		if took := time.Since(start); took > 50*time.Millisecond {
			t.Errorf("%s: writing took %v", test.name, took)
		}
		lost, items, err := c.Close(test.patience)
		if took := time.Since(start); took > test.patience+time.Second {
			t.Errorf("%s: the end took %v", test.name, took)
		}
		reason := ""
		if err != nil {
			reason = err.Error()
		}
		if lost != test.lost || items != 8 || !strings.Contains(reason, test.reason) || (failed == "") != (test.reason == "" && test.name != "busy") {
			t.Errorf("%s: %d of %d are lost: %s, %s", test.name, lost, items, reason, failed)
		}
	}
}

// TestRoom: what waits is bounded.
func TestRoom(t *testing.T) {
	dead, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	dead.Close()
	c, err := New("http://"+dead.Addr().String(), "", func(error) {})
	if err != nil {
		t.Fatal(err)
	}
	text := "logs 1\n" + strings.Repeat("x", 1<<20)
	for range 20 {
		io.WriteString(c, text)
	}
	c.mu.Lock()
	if c.bytes != mostBytes || c.lost != 4 {
		t.Errorf("%d bytes wait, %d are lost", c.bytes, c.lost)
	}
	c.mu.Unlock()
	if lost, items, _ := c.Close(0); lost != 20 || items != 20 {
		t.Errorf("%d of %d", lost, items)
	}
}

// TestURLs: an error says what is expected.
func TestURLs(t *testing.T) {
	for url, want := range map[string]string{
		"localhost:4318":         "want http://HOST:PORT of a collector, as in http://localhost:4318",
		"":                       "want http://HOST:PORT of a collector, as in http://localhost:4318",
		"http://":                "want http://HOST:PORT of a collector, as in http://localhost:4318",
		"http://a b":             "want http://HOST:PORT of a collector, as in http://localhost:4318",
		"grpc://localhost:4317":  "want http://HOST:PORT of a collector, as in http://localhost:4318",
		"https://localhost:4318": "want http://HOST:PORT: fst does not encrypt; run a collector on this machine that forwards to this one",
	} {
		if _, err := New(url, "", nil); err == nil || err.Error() != want {
			t.Errorf("%q: %v", url, err)
		}
	}
}

// TestHeaders: what would not be a header is refused, and its value, which may be a secret, is not shown.
func TestHeaders(t *testing.T) {
	for _, bad := range []string{"secret", "=secret", "a b=secret", "a:=secret", "a=secret%0d%0aX: y", "a=secret%", "a=b,secret"} {
		if _, err := New("http://localhost", bad, nil); err == nil || strings.Contains(err.Error(), "secret") {
			t.Errorf("%q: %v", bad, err)
		}
	}
}
