// Package listen serves the metrics of a session over HTTP to Prometheus and its like, or a page to browsers.
//
// It speaks as much of HTTP/1.1 as that takes: net/http would make fst 4 MB larger. What a client may do
// is bounded (the constants below), so that none costs more than a few scrapes.
package listen

import (
	"crypto/rand"
	"crypto/subtle"
	"errors"
	"fmt"
	"io"
	"net"
	"net/netip"
	"strings"
	"sync"
	"syscall"
	"time"

	"fst/lang/load"
)

const (
	mostClients = 16              // at a time; others are told to come again
	mostHead    = 8 << 10         // bytes of a request
	requestTime = 5 * time.Second // for the request to arrive,
	answerTime  = 10 * time.Second
	// The page is made anew once it is as old as freshFor, and as rest times what it took: clients do not
	// take more than a tenth of a CPU, however many there are.
	freshFor = 100 * time.Millisecond
	rest     = 9
)

// Server serves a page. Its methods may be called by several goroutines.
type Server struct {
	listener net.Listener
	token    string // empty: none is needed
	clients  chan struct{}
	served   sync.WaitGroup
	closing  chan struct{}
	page     page
	site     *site // instead of the page
}

// site is a page for browsers, who ask again and again for what is new. Its addresses begin with the token.
type site struct {
	html func() ([]byte, error)
	data func(known string) ([]byte, error)

	mu    sync.Mutex // makes one answer at a time
	until time.Time  // and then rests
	asked time.Time  // for data
}

// page is what was written last.
type page struct {
	mu    sync.Mutex
	write func(io.Writer) error
	body  []byte
	until time.Time // it is fresh
}

// Listen listens on HOST:PORT, on the loopback address if there is no host. Elsewhere clients need a token,
// which is made if none is given. The error is a sentence.
func Listen(addr, token string) (*Server, error) {
	host, port, err := net.SplitHostPort(addr)
	if err != nil || port == "" {
		return nil, errors.New("want HOST:PORT, or :PORT for this machine only, as in :9435")
	}
	if host == "" {
		host = "127.0.0.1"
	}
	at, err := net.ResolveTCPAddr("tcp", net.JoinHostPort(host, port))
	if err != nil {
		reason := innermost(err).Error()
		if bad := (*net.AddrError)(nil); errors.As(err, &bad) {
			reason = bad.Err
		}
		if unknown := (*net.DNSError)(nil); errors.As(err, &unknown) {
			reason = unknown.Err
		}
		return nil, fmt.Errorf("there is no address %s: %s", addr, reason)
	}
	l, err := net.ListenTCP("tcp", at)
	switch {
	case errors.Is(err, syscall.EADDRINUSE):
		return nil, fmt.Errorf("port %d is in use: choose another one", at.Port)
	case errors.Is(err, syscall.EACCES):
		return nil, fmt.Errorf("there is no right to listen on port %d: choose one from 1024 on", at.Port)
	case errors.Is(err, syscall.EADDRNOTAVAIL):
		return nil, fmt.Errorf("this machine does not have the address %s", at.IP)
	case err != nil:
		return nil, innermost(err)
	}
	if token == "" && !at.IP.IsLoopback() {
		token = rand.Text()
	}
	return &Server{listener: l, token: token, clients: make(chan struct{}, mostClients), closing: make(chan struct{})}, nil
}

func innermost(err error) error {
	for next := errors.Unwrap(err); next != nil; next = errors.Unwrap(err) {
		err = next
	}
	return err
}

// Token reads one from a file: its first line, of 16 characters or more.
func Token(file string) (string, error) {
	text, err := load.Named(file, 1<<16)
	if err != nil {
		return "", err
	}
	token, _, _ := strings.Cut(string(text), "\n")
	token = strings.TrimSpace(token)
	if len(token) < 16 || strings.ContainsFunc(token, func(r rune) bool { return r <= ' ' || r > '~' }) {
		return "", fmt.Errorf("%s: a token has 16 characters or more, without blanks", file)
	}
	return token, nil
}

// URL is where the metrics are.
func (s *Server) URL() string { return "http://" + s.listener.Addr().String() + "/metrics" }

// SiteURL is where ServeSite has its page.
func (s *Server) SiteURL() string {
	return "http://" + s.listener.Addr().String() + "/" + s.token + "/"
}

// Token is what clients must send as "Authorization: Bearer TOKEN", or empty.
func (s *Server) Token() string { return s.token }

// Serve serves what write writes, until Close. write is called by one goroutine at a time.
func (s *Server) Serve(write func(io.Writer) error) {
	s.page.write = write
	s.serve()
}

// ServeSite serves a page for browsers at SiteURL, and there at data?KNOWN what is new for those who know something, until Close. Both
// functions are called by one goroutine at a time. The server must have a token.
func (s *Server) ServeSite(html func() ([]byte, error), data func(known string) ([]byte, error)) {
	s.site = &site{html: html, data: data}
	s.serve()
}

// Linger waits a moment for a browser that shows the page, so that it has seen the end.
func (s *Server) Linger() {
	s.site.mu.Lock()
	shown := time.Since(s.site.asked) < 3*time.Second
	s.site.mu.Unlock()
	if shown {
		time.Sleep(1200 * time.Millisecond)
	}
}

func (s *Server) serve() {
	s.served.Go(func() {
		for {
			c, err := s.listener.Accept()
			select {
			case <-s.closing:
				if err == nil {
					c.Close()
				}
				return
			default:
			}
			if err != nil { // no descriptors: they come back
				time.Sleep(freshFor)
				continue
			}
			select {
			case s.clients <- struct{}{}:
				s.served.Go(func() {
					defer func() { <-s.clients }()
					s.client(c)
				})
			default:
				c.SetDeadline(time.Now().Add(freshFor))
				answer{status: "503 Service Unavailable", body: []byte("There are too many clients.\n")}.write(c)
				c.Close()
			}
		}
	})
}

// Close ends all connections.
func (s *Server) Close() {
	close(s.closing)
	s.listener.Close()
	s.served.Wait()
}

// client serves a connection, which is closed with its first answer.
func (s *Server) client(c net.Conn) {
	defer c.Close()
	done := make(chan struct{})
	defer close(done)
	go func() {
		select {
		case <-s.closing:
			c.SetDeadline(time.Now())
		case <-done:
		}
	}()
	c.SetDeadline(time.Now().Add(requestTime))
	a := s.answer(c)
	c.SetDeadline(time.Now().Add(answerTime))
	a.write(c)
}

// answer is that to a request.
func (s *Server) answer(from io.Reader) answer {
	r, err := readRequest(from)
	if err != nil {
		return answer{status: "400 Bad Request", body: []byte(err.Error() + ".\n")}
	}
	switch {
	case r.method != "GET" && r.method != "HEAD":
		return answer{status: "405 Method Not Allowed", header: "Allow: GET, HEAD\r\n", body: []byte("There is only GET.\n")}
	case s.site != nil:
		return s.site.answer(r, s.token)
	case s.token != "" && !isToken(r.authorization, s.token):
		return answer{status: "401 Unauthorized", header: "WWW-Authenticate: Bearer\r\n", body: []byte("Authorization: Bearer TOKEN is needed.\n")}
	case s.token == "" && !isLocal(r.host): // a page of the web whose name leads here
		return answer{status: "403 Forbidden", body: []byte("The host must be an address or localhost.\n")}
	case r.path != "/metrics":
		return answer{status: "404 Not Found", body: []byte("The metrics are at /metrics.\n")}
	}
	body, err := s.page.get()
	if err != nil {
		return answer{status: "503 Service Unavailable", body: []byte("The script has ended.\n")}
	}
	return answer{status: "200 OK", kind: "text/plain; version=0.0.4; charset=utf-8", body: body, noBody: r.method == "HEAD"}
}

// siteHeader keeps pages of the web out, and what is shown to the browser.
const siteHeader = "Cache-Control: no-store\r\nReferrer-Policy: no-referrer\r\nX-Frame-Options: DENY\r\nCross-Origin-Resource-Policy: same-origin\r\n"

// answer is that to a request for the page, or for what is new.
func (s *site) answer(r request, token string) answer {
	given, path, whole := strings.Cut(strings.TrimPrefix(r.path, "/"), "/")
	if subtle.ConstantTimeCompare([]byte(given), []byte(token)) != 1 {
		return answer{status: "403 Forbidden", body: []byte("The address must have the token that fst has printed.\n")}
	}
	if !whole { // the page asks for data below its own address
		return answer{status: "301 Moved Permanently", header: "Location: /" + token + "/\r\n", body: []byte("The page's address ends with a slash.\n")}
	}
	if path != "" && path != "data" {
		return answer{status: "404 Not Found", body: []byte("There is only the page.\n")}
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	time.Sleep(time.Until(s.until))
	start := time.Now()
	a := answer{status: "200 OK", kind: "text/html; charset=utf-8", header: siteHeader, noBody: r.method == "HEAD"}
	var err error
	if path == "data" {
		s.asked, a.kind = start, "application/json"
		a.body, err = s.data(r.query)
	} else {
		a.body, err = s.html()
	}
	if err != nil {
		return answer{status: "500 Internal Server Error", body: []byte(err.Error() + ".\n")}
	}
	end := time.Now()
	s.until = end.Add(min(rest*end.Sub(start), time.Second))
	return a
}

func isToken(authorization, token string) bool {
	scheme, given, _ := strings.Cut(authorization, " ")
	return strings.EqualFold(scheme, "Bearer") && subtle.ConstantTimeCompare([]byte(strings.TrimSpace(given)), []byte(token)) == 1
}

// isLocal reports whether the host that a client asks for is an address, or localhost. HTTP/1.0 names none.
func isLocal(host string) bool {
	if name, _, err := net.SplitHostPort(host); err == nil {
		host = name
	}
	_, err := netip.ParseAddr(strings.Trim(host, "[]"))
	return err == nil || host == "" || strings.EqualFold(host, "localhost")
}

// get returns the page, which nobody changes.
func (p *page) get() ([]byte, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	start := time.Now()
	if start.Before(p.until) {
		return p.body, nil
	}
	body := buffer(make([]byte, 0, len(p.body)+len(p.body)/8))
	if err := p.write(&body); err != nil {
		return nil, err
	}
	p.body = body
	end := time.Now()
	p.until = end.Add(max(freshFor, rest*end.Sub(start)))
	return p.body, nil
}

type buffer []byte

func (b *buffer) Write(text []byte) (int, error) {
	*b = append(*b, text...)
	return len(text), nil
}
