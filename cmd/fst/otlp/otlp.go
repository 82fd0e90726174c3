// Package otlp delivers requests of OpenTelemetry's protocol over HTTP to a collector.
//
// It speaks as much of HTTP/1.1 as that takes: net/http would make fst 4 MB larger. What waits for a collector is bounded, and
// nobody waits for it.
package otlp

import (
	"bufio"
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
	"net"
	"net/url"
	"strconv"
	"strings"
	"sync"
	"time"
	"unicode"
)

const (
	mostBytes   = 16 << 20         // of requests that wait
	requestTime = 10 * time.Second // for a request and its answer
	firstPause  = time.Second      // before a request is sent again, doubled each time
	lastPause   = 30 * time.Second
	mostAnswer  = 64 << 10 // bytes of an answer that are read
)

// Client delivers what is written to it, in order. Its methods may be called by several goroutines.
type Client struct {
	url     *url.URL
	addr    string
	headers string      // lines of a request
	failing func(error) // called when delivery first fails, and again after each success

	mu       sync.Mutex
	changed  *sync.Cond
	waiting  []request
	bytes    int
	closed   bool
	items    int // all that were written
	lost     int // those that were not delivered
	lastErr  error
	patience chan struct{} // closed when nobody waits any more
	done     chan struct{}
}

// request is one that waits.
type request struct {
	kind  string
	items int
	body  []byte
}

// New returns a client of the collector at a URL, http://HOST:PORT, whose paths are below that of the URL. headers are sent with each request:
// NAME=VALUE, separated by commas, with %XX for special characters. failing is told when requests fail that did not before.
func New(text, headers string, failing func(error)) (*Client, error) {
	u, err := url.Parse(text)
	switch {
	case err == nil && u.Scheme == "https":
		return nil, errors.New("want http://HOST:PORT: fst does not encrypt; run a collector on this machine that forwards to this one")
	case err != nil || u.Scheme != "http" || u.Hostname() == "" || u.RawQuery != "" || u.User != nil || u.Fragment != "":
		return nil, errors.New("want http://HOST:PORT of a collector, as in http://localhost:4318")
	}
	lines, err := headerLines(headers)
	if err != nil {
		return nil, err
	}
	c := &Client{url: u, headers: lines, addr: net.JoinHostPort(u.Hostname(), cmp.Or(u.Port(), "4318")), failing: failing, patience: make(chan struct{}), done: make(chan struct{})}
	c.changed = sync.NewCond(&c.mu)
	go c.serve()
	return c, nil
}

// HeadersVariable is the environment variable that has headers for New.
const HeadersVariable = "OTEL_EXPORTER_OTLP_HEADERS"

func headerLines(list string) (lines string, err error) {
	for pair := range strings.SplitSeq(list, ",") {
		name, value, ok := strings.Cut(strings.TrimSpace(pair), "=")
		name = strings.TrimSpace(name)
		value, err := url.PathUnescape(strings.TrimSpace(value))
		switch {
		case pair == "":
			continue
		case err != nil || !ok || name == "" || strings.Trim(name, tokenChars) != "" || strings.ContainsFunc(value, unicode.IsControl):
			return "", fmt.Errorf("invalid header in %s: want NAME=VALUE, with commas between", HeadersVariable) // its value may be a secret
		}
		lines += name + ": " + value + "\r\n"
	}
	return lines, nil
}

// tokenChars are those of the names of headers.
const tokenChars = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789!#$%&'*+-.^_`|~"

// Write takes one request: a line with its kind and how many items it has, and its body. It never waits: a request for which
// there is no room counts as lost.
func (c *Client) Write(text []byte) (int, error) {
	head, body, _ := bytes.Cut(text, []byte("\n"))
	kind, number, _ := strings.Cut(string(head), " ")
	items, err := strconv.Atoi(number)
	if err != nil {
		return 0, fmt.Errorf("no request: %q", head)
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.items += items
	if c.closed || c.bytes+len(body) > mostBytes {
		c.lost += items
		return len(text), nil
	}
	c.waiting = append(c.waiting, request{kind, items, bytes.Clone(body)})
	c.bytes += len(body)
	c.changed.Signal()
	return len(text), nil
}

// Close waits for what is to be delivered yet, but no longer than that. It tells how many of the items that were written were
// not delivered, and the last reason.
func (c *Client) Close(patience time.Duration) (lost, items int, reason error) {
	c.mu.Lock()
	c.closed = true
	c.changed.Signal()
	c.mu.Unlock()
	select {
	case <-c.done:
	case <-time.After(patience):
		close(c.patience)
		<-c.done
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.lost, c.items, c.lastErr
}

// serve delivers requests until Close.
func (c *Client) serve() {
	defer close(c.done)
	working := true
	for {
		c.mu.Lock()
		for len(c.waiting) == 0 && !c.closed {
			c.changed.Wait()
		}
		if len(c.waiting) == 0 {
			c.mu.Unlock()
			return
		}
		r := c.waiting[0]
		c.waiting = c.waiting[1:]
		c.mu.Unlock()
		err := c.deliver(r, func(err error) {
			if working {
				c.failing(err)
			}
			working = false
		})
		working = err == nil
		c.mu.Lock()
		c.bytes -= len(r.body)
		if err != nil {
			c.lost += r.items
			if c.lastErr == nil || !errors.Is(err, errSlow) {
				c.lastErr = err
			}
		}
		c.mu.Unlock()
	}
}

// deliver sends a request, again and again if it fails for a reason that may pass.
func (c *Client) deliver(r request, failed func(error)) error {
	var before error
	for pause := firstPause; ; pause = min(2*pause, lastPause) {
		again, err := c.post(r)
		switch {
		case err == nil:
			return nil
		case err == errSlow && before != nil:
			return before
		}
		before = err
		failed(err)
		if !again {
			return err
		}
		select {
		case <-c.patience:
			return err
		case <-time.After(pause):
		}
	}
}

var errSlow = errors.New("the collector is too slow")

// post sends a request once. again tells that it may succeed later, as the protocol has it.
func (c *Client) post(r request) (again bool, err error) {
	select {
	case <-c.patience:
		return false, errSlow
	default:
	}
	conn, err := (&net.Dialer{Timeout: requestTime}).Dial("tcp", c.addr)
	if err != nil {
		return true, innermost(err)
	}
	defer conn.Close()
	conn.SetDeadline(time.Now().Add(requestTime))
	over := make(chan struct{})
	defer close(over)
	go func() {
		select {
		case <-c.patience:
			conn.SetDeadline(time.Now())
		case <-over:
		}
	}()
	head := fmt.Sprintf("POST %s/v1/%s HTTP/1.1\r\nHost: %s\r\nUser-Agent: fst\r\nContent-Type: application/x-protobuf\r\nContent-Length: %d\r\nConnection: close\r\n%s\r\n",
		strings.TrimSuffix(c.url.EscapedPath(), "/"), r.kind, c.url.Host, len(r.body), c.headers)
	if _, err = conn.Write(append([]byte(head), r.body...)); err != nil {
		return true, innermost(err)
	}
	line, err := bufio.NewReader(io.LimitReader(conn, mostAnswer)).ReadString('\n')
	words := strings.Fields(line)
	switch {
	case err != nil:
		return true, innermost(err)
	case len(words) < 2 || !strings.HasPrefix(words[0], "HTTP/1."):
		return false, errors.New("what answers does not speak HTTP")
	case words[1][0] == '2':
		return false, nil
	}
	again = words[1] == "429" || words[1] == "502" || words[1] == "503" || words[1] == "504"
	return again, fmt.Errorf("the collector answers %s", strings.Join(words[1:], " "))
}

func innermost(err error) error {
	for next := errors.Unwrap(err); next != nil; next = errors.Unwrap(err) {
		err = next
	}
	return err
}
