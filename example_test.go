package fst_test

import (
	"context"
	"errors"
	"fmt"
	"log"
	"time"

	"fst"
)

// Compile a script, run it for a second and read what it says as values. It
// needs root.
func Example() {
	prog, err := fst.Compile(`syscall:openat /comm == "ps"/`, fst.Options{})
	if err != nil {
		log.Fatal(err) // with the line and a caret, if the script is at fault
	}
	ctx, cancel := context.WithTimeout(context.Background(), time.Second)
	defer cancel()
	session, err := prog.Start(ctx, fst.RunOptions{})
	if err != nil {
		log.Fatal(err)
	}
	defer session.Close()
	for event, err := range session.Events() {
		if err != nil {
			log.Fatal(err)
		}
		switch e := event.(type) {
		case *fst.Hit:
			var call struct {
				PID      int
				Filename string
				Took     time.Duration
			}
			if err := e.Decode(&call); err != nil {
				log.Fatal(err)
			}
			fmt.Println(e.Time, call.PID, call.Filename, call.Took)
		case *fst.Warning, *fst.Lost:
			log.Print(e)
		}
	}
}

// Count for a second, and read the result as values when the script has ended.
func ExampleSession_Wait() {
	prog, err := fst.Compile(`syscall:openat { @us[comm] = hist(took / 1000); }`, fst.Options{})
	if err != nil {
		log.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(context.Background(), time.Second)
	defer cancel()
	session, err := prog.Start(ctx, fst.RunOptions{Maps: fst.MapsNever})
	if err != nil {
		log.Fatal(err)
	}
	defer session.Close()
	if _, err := session.Wait(); err != nil {
		log.Fatal(err)
	}
	us, err := session.Map("@us")
	if err != nil {
		log.Fatal(err)
	}
	histograms, err := us.Read()
	if err != nil {
		log.Fatal(err)
	}
	for _, h := range histograms.Entries {
		for _, b := range h.Value.([]fst.Bucket) {
			fmt.Printf("%s: %d from %d to %d us\n", h.Key.Get("comm"), b.Count, b.Min, b.Max)
		}
	}
}

// Count in the kernel, and look at the map while the script runs.
func ExampleMap() {
	prog, err := fst.Compile(`
		begin { @least = getopt("least", 0); }
		syscall:* /took >= @least/ { @calls[comm] = count(); }`, fst.Options{})
	if err != nil {
		log.Fatal(err)
	}
	session, err := prog.Start(context.Background(), fst.RunOptions{})
	if err != nil {
		log.Fatal(err)
	}
	defer session.Close()
	calls, err := session.Map("@calls")
	if err != nil {
		log.Fatal(err)
	}
	least, err := session.Map("@least")
	if err != nil {
		log.Fatal(err)
	}
	for range 10 {
		time.Sleep(time.Second)
		now, err := calls.Read()
		if err != nil {
			log.Fatal(err)
		}
		for _, c := range now.Entries {
			fmt.Println(c.Key.Get("comm"), c.Value.(uint64))
		}
		if err := errors.Join(calls.Clear(), least.Set(time.Millisecond)); err != nil { // from now on only long ones
			log.Fatal(err)
		}
	}
}

// Wait for events and for something else.
func ExampleSession_Channel() {
	prog, err := fst.Compile(`proc:exec`, fst.Options{})
	if err != nil {
		log.Fatal(err)
	}
	session, err := prog.Start(context.Background(), fst.RunOptions{})
	if err != nil {
		log.Fatal(err)
	}
	defer session.Close()
	for {
		select {
		case event, ok := <-session.Channel():
			if !ok {
				return // session.Wait tells why
			}
			fmt.Print(event)
		case <-time.After(time.Second):
			fmt.Println("nothing for a second")
		}
	}
}

// What is wrong with a script, as data.
func ExampleScriptError() {
	_, err := fst.Compile("begin { printf(\"%d\\n\", \"x\") }\n", fst.Options{Name: "hello.fst"})
	var wrong *fst.ScriptError
	if errors.As(err, &wrong) {
		for _, p := range wrong.Problems() {
			fmt.Printf("%s, line %d, column %d: %s\n", p.File, p.Line, p.Col, p.Message)
			fmt.Println(p.Hint)
		}
	}
	// Output:
	// hello.fst, line 1, column 24: %d prints a number, not string
	// print it with %s
}

// Compile for a kernel that is not here, from what it said of itself.
func ExampleOpenRecorded() {
	kernel, err := fst.OpenRecorded("compiler/target/fixture/testdata/5.10.zip")
	if err != nil {
		log.Fatal(err)
	}
	prog, err := fst.Compile(`call:vfs_read { @bytes[comm] = sum(args.count); }`, fst.Options{Kernel: kernel})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(prog.Probes(), prog.Maps())
	// Output: [call:vfs_read] [@bytes]
}

func ExampleFormat() {
	text, err := fst.Format("hello.fst", `begin{printf("hello\n");exit()}`)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Print(text)
	// Output:
	// begin { printf("hello\n"); exit(); }
}
