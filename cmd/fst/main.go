// Command fst runs small tracing programs on the live kernel.
package main

import (
	"context"
	"os"

	"fst/cmd/fst/cli"
)

func main() {
	os.Exit(cli.Run(context.Background(), os.Args[1:], os.Stdin, os.Stdout, os.Stderr, os.Environ()))
}
