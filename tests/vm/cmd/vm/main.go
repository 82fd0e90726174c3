// Command vm runs a command under the kernels of the test matrix.
//
//	vm setup [KERNEL...]   fetch kernels, build the root file system
//	vm list                what is there
//	vm run --kernel 6.1 [--dir DIR] [--add PACKAGE] [--timeout SEC] -- COMMAND [ARG...]
//
// The exit status of run is the command's own; 124 on timeout, 125 if the
// guest could not be started or died.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"strings"
	"syscall"
	"time"

	"fst/tests/vm"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM, syscall.SIGHUP)
	status, err := run(ctx, os.Args[1:])
	stop()
	if err != nil {
		fmt.Fprintln(os.Stderr, "vm:", err)
	}
	os.Exit(status)
}

func run(ctx context.Context, args []string) (int, error) {
	if len(args) == 0 {
		return 2, errors.New("say: vm setup | list | run")
	}
	cache, err := vm.DefaultCache()
	if err != nil {
		return 125, err
	}
	switch args[0] {
	case "setup":
		return setup(ctx, cache, args[1:])
	case "list":
		for _, k := range vm.Kernels {
			dir, info, _ := cache.Kernel(k.Name)
			fmt.Printf("%s\t%s\t%s\n", k.Name, info.Release, dir)
		}
		image, _ := cache.Root()
		fmt.Printf("root\t%s\n", image)
		return 0, nil
	case "run":
		return runCommand(ctx, cache, args[1:])
	}
	return 2, fmt.Errorf("no subcommand %q; say: vm setup | list | run", args[0])
}

func setup(ctx context.Context, cache vm.Cache, names []string) (int, error) {
	kernels := vm.Kernels
	if len(names) > 0 {
		kernels = nil
	}
	for _, name := range names {
		k, err := vm.FindKernel(name)
		if err != nil {
			return 2, err
		}
		kernels = append(kernels, k)
	}
	if err := cache.Setup(ctx, kernels, nil, progress); err != nil {
		return 125, err
	}
	return 0, nil
}

type list []string

func (l *list) String() string     { return strings.Join(*l, " ") }
func (l *list) Set(s string) error { *l = append(*l, s); return nil }

func runCommand(ctx context.Context, cache vm.Cache, args []string) (int, error) {
	o := vm.Options{Stdout: os.Stdout, Stderr: os.Stderr}
	var env, packages list
	flags := flag.NewFlagSet("vm run", flag.ContinueOnError)
	flags.StringVar(&o.Kernel, "kernel", "", "5.10, 6.1, 6.12 or 7.2")
	flags.StringVar(&o.Dir, "dir", "", "host directory, /host in the guest and working directory")
	flags.StringVar(&o.Append, "append", "", "more kernel command line")
	flags.IntVar(&o.CPUs, "smp", 2, "CPUs")
	flags.IntVar(&o.MemoryMiB, "mem", 2048, "memory, MiB")
	flags.IntVar(&o.ScratchMiB, "scratch", 1024, "size of the scratch disk, MiB")
	flags.Var(&env, "env", "`NAME=VALUE` for the command; may be repeated")
	flags.Var(&packages, "add", "Debian `package` that the guest shall have; may be repeated")
	timeout := flags.Float64("timeout", 120, "seconds, boot included")
	verbose := flags.Bool("v", false, "print timings at the end")
	if err := flags.Parse(args); err != nil {
		return 2, nil
	}
	o.Command, o.Env, o.Packages = flags.Args(), env, packages
	if len(o.Command) == 0 {
		return 2, errors.New("no command; say: vm run --kernel 6.1 -- COMMAND [ARG...]")
	}
	k, err := vm.FindKernel(o.Kernel)
	if err != nil {
		return 2, err
	}
	if err := cache.Setup(ctx, []vm.Kernel{k}, o.Packages, progress); err != nil {
		return 125, err
	}
	ctx, cancel := context.WithTimeout(ctx, time.Duration(*timeout*float64(time.Second)))
	defer cancel()
	result, err := cache.Run(ctx, o)
	for _, line := range result.Complaints {
		progress("kernel: " + line)
	}
	if *verbose {
		progress(fmt.Sprintf("boot %.1f s, command %.1f s, %s",
			result.Boot.Seconds(), result.Command.Seconds(), result.Console))
	}
	switch {
	case errors.Is(err, context.DeadlineExceeded):
		return 124, fmt.Errorf("timeout after %g s; the console is in %s", *timeout, result.Console)
	case err != nil:
		return 125, err
	}
	return result.Status, nil
}

func progress(line string) { fmt.Fprintln(os.Stderr, "vm:", line) }
