package export

import (
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"
	"time"

	"fst"
	"fst/cmd/fst/listen"
)

// TestLivePage: a browser shows exactly what was counted before it came, refreshes what is counted meanwhile, and who does not read an answer
// neither stops the program nor other clients. Names of a hostile process are text. It says which rows it shows if not all.
func TestLivePage(t *testing.T) {
	if os.Geteuid() != 0 || testing.Short() {
		t.Skip("tracing needs root, and takes some seconds")
	}
	browser, err := exec.LookPath("chromium-headless-shell")
	if err != nil {
		t.Skip("no Chromium is installed")
	}
	text := fmt.Sprintf(`begin { for ($i : 0..1200) { row("ROW %%d", $i); } $took = 3ms; @pair[1] = ($took, 8); } syscall:dup /pid == %d && args.fildes >= 1 << 20/ { @calls = count(); @sizes = hist(args.fildes); @names["</script><img src=x>"] = count(); }`, os.Getpid())
	prog, err := fst.Compile(text, fst.Options{ReportEvery: 1})
	if err != nil {
		t.Fatal(err)
	}
	page := prog.Page("test", io.Discard)
	s, err := listen.Listen(":0", "0123456789abcdef")
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	ctx, stop := context.WithCancel(context.Background())
	defer stop()
	session, err := prog.Start(ctx, fst.RunOptions{Page: page})
	if err != nil {
		t.Fatal(err)
	}
	defer session.Close()
	s.ServeSite(page.HTML, page.Data)
	dead, err := net.Dial("tcp", strings.Split(s.SiteURL(), "/")[2])
	if err != nil {
		t.Fatal(err)
	}
	defer dead.Close()
	fmt.Fprint(dead, "GET /0123456789abcdef/ HTTP/1.1\r\n\r\n") // and it reads nothing
	call := func(n int) {
		for range n {
			syscall.Dup(1 << 20)
		}
	}
	call(1234)
	for deadline := time.Now().Add(20 * time.Second); time.Now().Before(deadline); time.Sleep(100 * time.Millisecond) {
		if a, err := http.Get(s.SiteURL() + "data?"); err == nil {
			body, _ := io.ReadAll(a.Body)
			a.Body.Close()
			if strings.Contains(string(body), `[["1234"]]`) {
				break
			}
		}
	}
	go func() { // the browser has loaded the page then, or shows all at once
		time.Sleep(time.Second)
		call(766)
	}()
	dir := t.TempDir()
	for deadline := time.Now().Add(20 * time.Second); ; {
		cmd := exec.Command(browser, "--headless", "--no-sandbox", "--disable-gpu", "--virtual-time-budget=6000", "--dump-dom", s.SiteURL())
		cmd.Env = append(os.Environ(), "HOME="+dir)
		out, err := cmd.Output()
		if err != nil {
			t.Fatal(err)
		}
		_, dom, _ := strings.Cut(string(out), "<main")
		dom, _, _ = strings.Cut(dom, "<noscript")
		if strings.Contains(dom, "ROW</pre>") || !strings.Contains(dom, " the last 1,000 rows<") || !strings.Contains(dom, "The search finds 700 older rows, too.") {
			t.Fatalf("not all rows are shown, and the page does not say so, or they have two headings: %s", dom)
		}
		if !strings.Contains(dom, `<td class="number">3000000</td><td class="number">8</td>`) {
			t.Fatalf("the parts of a tuple are no columns: %s", dom)
		}
		if strings.Contains(dom, "<img") {
			t.Fatalf("a name has become an element: %s", dom)
		}
		if strings.Contains(dom, `<td class="number">2000</td>`) && strings.Contains(dom, `data-total="2000"`) && strings.Contains(dom, `<span>[1M, 2M)</span><span class="count">2,000</span>`) {
			break
		}
		if time.Now().After(deadline) {
			t.Fatalf("it shows %s", dom)
		}
	}
	stop()
	if _, err := session.Wait(); err != nil {
		t.Error(err)
	}
	if data, err := page.Data(""); err != nil || !strings.Contains(string(data), `"over":true`) {
		t.Errorf("%v: %s", err, data)
	}
}
