package listen

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

func serve(t *testing.T, addr, token string, write func(io.Writer) error) *Server {
	t.Helper()
	s, err := Listen(addr, token)
	if err != nil {
		t.Fatal(err)
	}
	s.Serve(write)
	t.Cleanup(s.Close)
	return s
}

func hello(w io.Writer) error {
	_, err := io.WriteString(w, "up 1\n")
	return err
}

// ask sends a request and returns the status and the body.
func ask(t *testing.T, method, url string, header ...string) (int, string) {
	t.Helper()
	r, err := http.NewRequest(method, url, nil)
	if err != nil {
		t.Fatal(err)
	}
	for i := 0; i+1 < len(header); i += 2 {
		if r.Header.Set(header[i], header[i+1]); header[i] == "Host" {
			r.Host = header[i+1]
		}
	}
	a, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer a.Body.Close()
	body, err := io.ReadAll(a.Body)
	if err != nil {
		t.Fatal(err)
	}
	return a.StatusCode, string(body)
}

// TestAnswers: what Go's client understands of each answer.
func TestAnswers(t *testing.T) {
	s := serve(t, ":0", "", hello)
	if !strings.HasPrefix(s.URL(), "http://127.0.0.1:") || s.Token() != "" {
		t.Errorf("it is at %s", s.URL())
	}
	root := strings.TrimSuffix(s.URL(), "metrics")
	locked := serve(t, "127.0.0.1:0", "0123456789abcdef", hello)
	everywhere := serve(t, "0.0.0.0:0", "", hello)
	if len(everywhere.Token()) < 16 {
		t.Errorf("the token is %q", everywhere.Token())
	}
	for _, c := range []struct {
		method, url string
		header      []string
		status      int
		body        string
	}{
		{"GET", s.URL(), nil, 200, "up 1\n"},
		{"GET", s.URL() + "?name[]=up", nil, 200, "up 1\n"},
		{"HEAD", s.URL(), nil, 200, ""},
		{"GET", root, nil, 404, "The metrics are at /metrics.\n"},
		{"POST", s.URL(), nil, 405, "There is only GET.\n"},
		{"GET", s.URL(), []string{"Host", "example.org"}, 403, "The host must be an address or localhost.\n"},
		{"GET", s.URL(), []string{"Host", "localhost:1"}, 200, "up 1\n"},
		{"GET", s.URL(), []string{"X", strings.Repeat("x", mostHead-200)}, 200, "up 1\n"},
		{"GET", locked.URL(), nil, 401, "Authorization: Bearer TOKEN is needed.\n"},
		{"GET", locked.URL(), []string{"Authorization", "Bearer 0123456789abcdee"}, 401, "Authorization: Bearer TOKEN is needed.\n"},
		{"GET", locked.URL(), []string{"Authorization", "bearer 0123456789abcdef", "Host", "example.org"}, 200, "up 1\n"},
		{"GET", strings.Replace(everywhere.URL(), "[::]", "127.0.0.1", 1), []string{"Authorization", "Bearer " + everywhere.Token()}, 200, "up 1\n"},
	} {
		if status, body := ask(t, c.method, c.url, c.header...); status != c.status || body != c.body {
			t.Errorf("%s %s %.60q: %d %q", c.method, c.url, c.header, status, body)
		}
	}
}

// TestScrapes: the page is made by one at a time, no more often than it may, and is never older than that.
func TestScrapes(t *testing.T) {
	var made, at atomic.Int64
	s := serve(t, ":0", "", func(w io.Writer) error {
		if at.Add(1) != 1 {
			t.Error("two write at once")
		}
		defer at.Add(-1)
		_, err := fmt.Fprintf(w, "made %d\n", made.Add(1))
		return err
	})
	start := time.Now()
	var clients sync.WaitGroup
	for range mostClients / 2 { // a place is free a moment after the answer
		clients.Go(func() {
			for range 1000 / (mostClients / 2) {
				if status, body := ask(t, "GET", s.URL()); status != 200 || !strings.HasPrefix(body, "made ") {
					t.Errorf("%d %q", status, body)
				}
			}
		})
	}
	clients.Wait()
	if n, most := made.Load(), 2+int64(time.Since(start)/freshFor); n > most {
		t.Errorf("the page was made %d times within %v", n, time.Since(start))
	}
	before := made.Load()
	time.Sleep(2 * freshFor)
	if _, body := ask(t, "GET", s.URL()); body != fmt.Sprintf("made %d\n", before+1) {
		t.Errorf("after a while there is %q, and it was made %d times before", body, before)
	}
}

// TestBounds: who says nothing, or does not read, costs a place for a while and holds nobody up; Close ends all.
func TestBounds(t *testing.T) {
	s := serve(t, ":0", "", hello)
	addr := s.listener.Addr().String()
	var silent []net.Conn
	for range mostClients {
		c, err := net.Dial("tcp", addr)
		if err != nil {
			t.Fatal(err)
		}
		defer c.Close()
		fmt.Fprint(c, "GET /metrics HTTP/1.1\r\nX: ")
		silent = append(silent, c)
	}
	for len(s.clients) < mostClients {
		time.Sleep(time.Millisecond)
	}
	c, err := net.Dial("tcp", addr)
	if err != nil {
		t.Fatal(err)
	}
	if text, _ := io.ReadAll(c); !bytes.HasPrefix(text, []byte("HTTP/1.1 503 ")) {
		t.Errorf("one too many gets %q", text)
	}
	silent[0].Close() // whose place is free then
	for len(s.clients) == mostClients {
		time.Sleep(time.Millisecond)
	}
	if status, _ := ask(t, "GET", s.URL()); status != 200 {
		t.Errorf("then there is %d", status)
	}
	head := answer{}
	if head = s.answer(strings.NewReader("GET /metrics HTTP/1.1\r\nX: " + strings.Repeat("x", mostHead))); head.status != "400 Bad Request" {
		t.Errorf("a large request gets %q", head.status)
	}
	ended := serve(t, ":0", "", func(io.Writer) error { return errors.New("closed") })
	if status, body := ask(t, "GET", ended.URL()); status != 503 || body != "The script has ended.\n" {
		t.Errorf("%d %q", status, body)
	}
}

// TestSite: a page for browsers is at an address with the token only, and answers are made one at a time, however many ask.
func TestSite(t *testing.T) {
	s, err := Listen(":0", "0123456789abcdef")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.Close)
	var at atomic.Int64
	s.ServeSite(func() ([]byte, error) { return []byte("<html>"), nil }, func(known string) ([]byte, error) {
		if at.Add(1) != 1 {
			t.Error("two answers are made at once")
		}
		defer at.Add(-1)
		if known == "bad" {
			return nil, errors.New("it failed")
		}
		return []byte(known), nil
	})
	root := strings.TrimSuffix(s.SiteURL(), s.Token()+"/")
	for _, c := range []struct {
		method, url string
		header      []string
		status      int
		body        string
	}{
		{"GET", s.SiteURL(), nil, 200, "<html>"},
		{"HEAD", s.SiteURL(), nil, 200, ""},
		{"GET", s.SiteURL() + "data?1.2.3", nil, 200, "1.2.3"},
		{"GET", s.SiteURL() + "data?bad", nil, 500, "it failed.\n"},
		{"GET", s.SiteURL() + "data/", nil, 404, "There is only the page.\n"},
		{"GET", s.SiteURL() + "metrics", nil, 404, "There is only the page.\n"},
		{"POST", s.SiteURL() + "data", nil, 405, "There is only GET.\n"},
		{"GET", root, nil, 403, "The address must have the token that fst has printed.\n"},
		{"GET", root + "0123456789abcdee/data", nil, 403, "The address must have the token that fst has printed.\n"},
		{"GET", root + "data", []string{"Authorization", "Bearer 0123456789abcdef"}, 403, "The address must have the token that fst has printed.\n"},
	} {
		if status, body := ask(t, c.method, c.url, c.header...); status != c.status || body != c.body {
			t.Errorf("%s %s %.60q: %d %q", c.method, c.url, c.header, status, body)
		}
	}
	// The page asks for data below its own address.
	if a, err := http.Get(strings.TrimSuffix(s.SiteURL(), "/")); err != nil || a.Request.URL.String() != s.SiteURL() {
		t.Errorf("%v: the page is at %v", err, a.Request.URL)
	}
	var clients sync.WaitGroup
	for range mostClients / 2 {
		clients.Go(func() {
			for range 20 {
				if status, body := ask(t, "GET", s.SiteURL()+"data?7"); status != 200 || body != "7" {
					t.Errorf("%d %q", status, body)
				}
			}
		})
	}
	clients.Wait()
}

// TestListenErrors: each is a sentence.
func TestListenErrors(t *testing.T) {
	s := serve(t, ":0", "", hello)
	_, port, _ := net.SplitHostPort(s.listener.Addr().String())
	for addr, want := range map[string]string{
		"9435":              "want HOST:PORT, or :PORT for this machine only, as in :9435",
		"":                  "want HOST:PORT, or :PORT for this machine only, as in :9435",
		":" + port:          "port " + port + " is in use: choose another one",
		"192.0.2.1:9435":    "this machine does not have the address 192.0.2.1",
		":99999":            "there is no address :99999: invalid port",
		":22x":              "there is no address :22x: unknown port",
		"host.invalid:9435": "there is no address host.invalid:9435: ",
	} {
		_, err := Listen(addr, "")
		if err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%q: %v", addr, err)
		}
	}
	dir := t.TempDir()
	for text, want := range map[string]string{"0123456789abcdef\nmore": "", "short\n": "a token has 16 characters or more, without blanks", "0123456789 abcdef": "a token has 16"} {
		file := filepath.Join(dir, "token")
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		token, err := Token(file)
		if want == "" && token != "0123456789abcdef" || want != "" && (err == nil || !strings.Contains(err.Error(), want)) {
			t.Errorf("%q: %q, %v", text, token, err)
		}
	}
	if _, err := Token(filepath.Join(dir, "none")); !errors.Is(err, os.ErrNotExist) {
		t.Error(err)
	}
}

// FuzzRequest: nothing that a client sends makes the server fail, get past the token, or read more than it may.
func FuzzRequest(f *testing.F) {
	const token = "0123456789abcdef"
	for _, text := range []string{"", "GET /metrics HTTP/1.1\r\n\r\n", "GET /metrics HTTP/1.0\nHost: a\nAuthorization: Bearer x\n\n", "HEAD / HTTP/1.1\r\nHost: [::1]:3\r\n\r\n",
		"GET  HTTP/1.1\r\n\r\n", "GET /0123456789abcdef/data?1.2 HTTP/1.1\r\n\r\n", "POST /metrics?x HTTP/1.1\r\n:\r\n\r\n", "\r\n\r\n", "GET /metrics HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n"} {
		f.Add([]byte(text))
	}
	locked := &Server{token: token, page: page{write: hello}}
	open := &Server{page: page{write: hello}}
	same := func(known string) ([]byte, error) { return []byte(known), nil }
	browsed := &Server{token: token, site: &site{html: func() ([]byte, error) { return nil, nil }, data: same}}
	f.Fuzz(func(t *testing.T, text []byte) {
		from := &counted{Reader: bytes.NewReader(text)}
		a := locked.answer(from)
		if a.status == "200 OK" && !bytes.Contains(text, []byte(token)) {
			t.Error("the token was not asked for")
		}
		if a := browsed.answer(bytes.NewReader(text)); a.status == "200 OK" && !bytes.Contains(text, []byte("/"+token+"/")) {
			t.Error("the token was not in the address")
		}
		if from.n > mostHead {
			t.Errorf("%d bytes were read", from.n)
		}
		if a := open.answer(bytes.NewReader(text)); a.status == "200 OK" && string(a.body) != "up 1\n" {
			t.Errorf("%q", a.body)
		}
		var out bytes.Buffer
		a.write(&out)
		if !bytes.HasPrefix(out.Bytes(), []byte("HTTP/1.1 ")) || bytes.Count(out.Bytes(), []byte("\r\n\r\n")) != 1 {
			t.Errorf("%q", &out)
		}
	})
}

type counted struct {
	io.Reader
	n int
}

func (c *counted) Read(b []byte) (int, error) {
	n, err := c.Reader.Read(b)
	c.n += n
	return n, err
}
