package listen

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"strings"
)

// request is what counts of one.
type request struct{ method, path, query, host, authorization string }

var errRequest = errors.New("this is no request of HTTP/1")

// readRequest reads the head of a request; a body, which GET has not, is not read.
func readRequest(from io.Reader) (r request, err error) {
	head := make([]byte, 0, 512)
	for end := -1; end < 0; end = endOfHead(head) {
		if len(head) == mostHead {
			return r, errors.New("the request is too large")
		}
		if len(head) == cap(head) {
			head = append(make([]byte, 0, min(2*cap(head), mostHead)), head...)
		}
		n, err := from.Read(head[len(head):cap(head)])
		if head = head[:len(head)+n]; err != nil && endOfHead(head) < 0 {
			return r, errRequest
		}
	}
	lines := strings.Split(string(head[:endOfHead(head)]), "\n")
	words := strings.Split(strings.TrimSuffix(lines[0], "\r"), " ")
	if len(words) != 3 || !strings.HasPrefix(words[2], "HTTP/1.") {
		return r, errRequest
	}
	r.method, r.path = words[0], words[1]
	r.path, r.query, _ = strings.Cut(r.path, "?")
	for _, line := range lines[1:] {
		name, value, ok := strings.Cut(line, ":")
		if !ok {
			return r, errRequest
		}
		switch value = strings.TrimSpace(value); strings.ToLower(name) {
		case "host":
			if r.host != "" {
				return r, errors.New("there are two hosts")
			}
			r.host = value
		case "authorization":
			r.authorization = value
		}
	}
	return r, nil
}

// endOfHead is where the empty line begins that ends the head of a request, or -1.
func endOfHead(head []byte) int {
	end := bytes.Index(head, []byte("\r\n\r\n"))
	if bare := bytes.Index(head, []byte("\n\n")); bare >= 0 && (end < 0 || bare < end) {
		return bare
	}
	return end
}

// answer is a response.
type answer struct {
	status, kind, header string
	body                 []byte
	noBody               bool
}

func (a answer) write(to io.Writer) {
	if a.kind == "" {
		a.kind = "text/plain; charset=utf-8"
	}
	head := fmt.Sprintf("HTTP/1.1 %s\r\nContent-Type: %s\r\nContent-Length: %d\r\nX-Content-Type-Options: nosniff\r\n%sConnection: close\r\n\r\n",
		a.status, a.kind, len(a.body), a.header)
	if _, err := io.WriteString(to, head); err == nil && !a.noBody {
		to.Write(a.body)
	}
}
