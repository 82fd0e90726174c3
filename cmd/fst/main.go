// Command fst runs small tracing programs on the live kernel.
package main

import (
	"context"
	"os"
	"runtime"

	"fst"
	"fst/cmd/fst/cli"
)

func init() { runtime.LockOSThread() } // see fst.OnMainThread

func main() {
	os.Exit(fst.OnMainThread(func() int {
		return cli.Run(context.Background(), os.Args[1:], os.Stdin, os.Stdout, os.Stderr, os.Environ())
	}))
}
