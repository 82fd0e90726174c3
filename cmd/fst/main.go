// Command fst runs small tracing programs on the live kernel.
package main

import (
	"context"
	"fst/runtime/mainthread"
	"os"
	"runtime"

	"fst/cmd/fst/cli"
)

func init() { runtime.LockOSThread() } // see mainthread.Serve

func main() {
	os.Exit(mainthread.Serve(func() int {
		return cli.Run(context.Background(), os.Args[1:], os.Stdin, os.Stdout, os.Stderr, os.Environ())
	}))
}
