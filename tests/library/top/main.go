// Command top shows which programs make most system calls, every second. A time that is
// typed in, such as 1ms, is the least that a call must take from then on:
//
//	top -n 10
package main

import (
	"bufio"
	"cmp"
	"context"
	"flag"
	"fmt"
	"io"
	"log"
	"os"
	"os/signal"
	"slices"
	"time"

	"fst"
)

// script shows and empties the map in the kernel, which loses no call in between.
const script = `
begin { @least = 0; }
syscall:* /took >= @least && ($2 == 0 || pid == $2)/ { @calls[comm, pid] = stats(took); }
interval:ms:$1 { print(@calls); clear(@calls); }
`

func main() {
	rows := flag.Int("n", 20, "how many rows")
	pid := flag.String("p", "0", "only this process")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	lines := make(chan string)
	go func() {
		for in := bufio.NewScanner(os.Stdin); in.Scan(); {
			lines <- in.Text()
		}
	}()
	if err := top(ctx, os.Stdout, lines, *rows, "1000", *pid); err != nil {
		log.Fatal(err)
	}
}

// row is a line of the table.
type row struct {
	Comm  string
	PID   int
	calls fst.Stats
}

// top shows the calls until ctx is done. The words are the interval in milliseconds, and
// the process, or 0 for all.
func top(ctx context.Context, w io.Writer, lines <-chan string, rows int, words ...string) error {
	prog, err := fst.Compile(script, fst.Options{Name: "top", Params: fst.Params{Words: words}})
	if err != nil {
		return err
	}
	session, err := prog.Start(ctx, fst.RunOptions{Maps: fst.MapsNever})
	if err != nil {
		return err
	}
	defer session.Close()
	least, err := session.Map("least")
	if err != nil {
		return err
	}
	for {
		select {
		case line := <-lines:
			d, err := time.ParseDuration(line)
			if err != nil {
				fmt.Fprintln(w, err)
			} else if err := least.Set(d); err != nil {
				return err
			}
		case event, ok := <-session.Channel():
			if !ok {
				_, err := session.Wait()
				return err
			}
			snapshot, ok := event.(*fst.Snapshot)
			if !ok {
				fmt.Fprint(w, event) // a warning or a loss
				continue
			}
			if err := show(w, snapshot, rows); err != nil {
				return err
			}
		}
	}
}

// show writes the programs with the most calls.
func show(w io.Writer, snapshot *fst.Snapshot, rows int) error {
	var list []row
	for _, entry := range snapshot.Entries {
		r := row{calls: entry.Value.(fst.Stats)}
		if err := entry.Key.Decode(&r); err != nil {
			return err
		}
		list = append(list, r)
	}
	slices.SortStableFunc(list, func(a, b row) int { return cmp.Compare(b.calls.Count, a.calls.Count) })
	fmt.Fprintf(w, "%-16s %7s %8s %10s\n", "COMM", "PID", "CALLS", "AVERAGE")
	for _, r := range list[:min(rows, len(list))] {
		fmt.Fprintf(w, "%-16s %7d %8d %10v\n", r.Comm, r.PID, r.calls.Count, r.calls.Average)
	}
	fmt.Fprintln(w)
	return nil
}
