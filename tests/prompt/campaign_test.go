package prompt

import (
	"flag"
	"fmt"
	"math/rand"
	"os"
	"regexp"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

var (
	edits = flag.Int("edits", 25, "how many changes TestCampaign makes")
	seed  = flag.Int64("seed", 0, "of TestCampaign; 0: one that it chooses, and shows")
)

// generator is a thread that makes calls of getppid, which nothing else here makes, until it is told to rest.
type generator struct {
	tid   int
	calls int64
	rests chan chan struct{} // sent: it rests until that is closed
}

func generate(t *testing.T) *generator {
	g := &generator{rests: make(chan chan struct{})}
	ready := make(chan int)
	go func() {
		runtime.LockOSThread()
		ready <- unix.Gettid()
		for {
			select {
			case <-t.Context().Done():
				return
			case until := <-g.rests:
				<-until
			default:
			}
			for range 200 {
				unix.Getppid()
				atomic.AddInt64(&g.calls, 1)
			}
			time.Sleep(100 * time.Microsecond)
		}
	}()
	g.tid = <-ready
	return g
}

// rest has no call be made while do runs; calls tells how many there were before.
func (g *generator) rest(do func(calls int64)) {
	until := make(chan struct{})
	g.rests <- until
	do(atomic.LoadInt64(&g.calls))
	close(until)
}

// counted is an entry that counts the calls of a generator.
type counted struct {
	*generator
	number, own int   // of the entry, and of the generator
	missed      int64 // the calls that it was not to see
	paused      bool
}

// text is one of several programs that count the same.
func (c *counted) text() string {
	forms := []string{ // each with its command in one line of the screen
		"/tid==%d/{@g%d=count()}",
		"{if(tid==%d){@g%d=count()}}",
		"/tid==%d&&1/{@g%d=count()}",
	}
	return "t:syscalls:sys_enter_getppid " + fmt.Sprintf(forms[rand.Intn(len(forms))], c.tid, c.own)
}

// TestCampaign changes entries at random while threads cause what they count: each call is counted once, but those
// made while the entry was paused or dropped, and in the end no descriptor is left. The long form is make campaign.
func TestCampaign(t *testing.T) {
	s := open(t)
	if *seed == 0 {
		*seed = time.Now().UnixNano()
	}
	t.Logf("seed %d", *seed)
	random := rand.New(rand.NewSource(*seed))
	descriptors := func() []string {
		dir := fmt.Sprintf("/proc/%d/fd", s.cmd.Process.Pid)
		files, err := os.ReadDir(dir)
		if err != nil {
			t.Fatal(err)
		}
		var list []string
		for _, f := range files {
			if to, err := os.Readlink(dir + "/" + f.Name()); err == nil {
				list = append(list, regexp.MustCompile(`\d+`).ReplaceAllString(to, "N"))
			}
		}
		slices.Sort(list)
		return list
	}
	answer := func(line string) string {
		s.enter(line)
		_, last, _ := cut(strings.TrimSuffix(s.text(), "\nfst> "), "> "+line)
		return strings.TrimSpace(last)
	}
	entries := []*counted{{generator: generate(t)}, {generator: generate(t), own: 1}, {generator: generate(t), own: 2}}
	add := func(c *counted) {
		said := answer(c.text())
		if _, err := fmt.Sscanf(said, "[%d] tracepoint", &c.number); err != nil {
			t.Fatalf("%q", said)
		}
	}
	for _, c := range entries {
		c.rest(func(calls int64) { add(c); c.missed = calls })
	}
	check := func(c *counted) {
		t.Helper()
		c.rest(func(calls int64) {
			missed := c.missed
			if c.paused { // since that many calls
				missed += calls
			}
			said := answer(fmt.Sprintf("@g%d", c.own))
			if n, _ := strconv.ParseInt(said[strings.LastIndexByte(said, ' ')+1:], 10, 64); n != calls-missed {
				t.Fatalf("%q after %d calls, %d of them not to be seen", said, calls, missed)
			}
		})
	}
	// unseen has a change to what an entry sees be made between two calls.
	unseen := func(c *counted, off bool, change func()) {
		c.rest(func(calls int64) {
			change()
			if off {
				c.missed -= calls
			} else {
				c.missed += calls
			}
		})
	}
	change := func() {
		c := entries[random.Intn(len(entries))]
		switch n := random.Intn(10); {
		case n < 5 && !c.paused:
			if said := answer(fmt.Sprintf(":replace %d %s", c.number, c.text())); !strings.Contains(said, "replaced") {
				t.Fatalf("%q", said)
			}
		case n < 7:
			command := "pause"
			if c.paused {
				command = "resume"
			}
			unseen(c, !c.paused, func() { answer(fmt.Sprintf(":%s %d", command, c.number)) })
			c.paused = !c.paused
		case n < 8 && !c.paused:
			unseen(c, true, func() { answer(fmt.Sprintf(":drop %d", c.number)) })
			unseen(c, false, func() { add(c) })
		case n < 9 && !c.paused:
			prompt := fmt.Sprintf("\n[%d]> ", c.number)
			before := strings.Count(s.text(), prompt)
			s.key(fmt.Sprintf(":edit %d\r", c.number))
			s.until("offers the text", func(text string) bool { return strings.Count(text, prompt) > before }) // what is typed sooner stands before it
			s.key("\x05\x15")
			s.wait(prompt)
			s.enter(c.text())
			if _, said, _ := cut(s.text(), prompt); !strings.Contains(said, "replaced") && !strings.Contains(said, "stays as it is") {
				t.Fatalf("%q", said)
			}
		default:
			check(c)
		}
	}
	// What is opened once and stays is there after one of each.
	answer("interval:100s { @once = 1; }")
	answer(":replace 4 interval:100s { @once = 2; }")
	answer(":pause 4")
	answer(":drop 4")
	before := descriptors()
	for range *edits {
		change()
	}
	for _, c := range entries {
		if c.paused {
			unseen(c, false, func() { answer(fmt.Sprintf(":resume %d", c.number)) })
			c.paused = false
		}
		check(c)
	}
	if after := descriptors(); !slices.Equal(before, after) {
		t.Errorf("descriptors before %q\nand after %q", before, after)
	}
}
