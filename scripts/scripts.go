// Package scripts holds the bundled tools: one .fst file each, with a header
// that says which question it answers. They can do nothing that a user's own
// script could not.
//
// It must not import any other package of this project.
package scripts

import (
	"embed"
	"strings"
)

//go:embed *.fst examples/*.txt
var files embed.FS

// Topics are what tools are about, in the order they are listed.
var Topics = []string{"programs and processes", "system calls", "CPUs", "files", "memory", "disks", "network", "functions"}

// Start is a question that people come with, and what to type first.
type Start struct{ Question, Commands string }

// Starts are where to begin.
var Starts = []Start{
	{"Why is my disk slow?", "iostat 1; biolatency --disk vda 5; biosnoop"},
	{"Who makes my disks work?", "biotop 1; filetop 1; syncsnoop"},
	{"Who fills the page cache?", "cachefill 5; cachestat 1; readahead 5"},
	{"What does this process wait for?", "waits -p PID 5; waits -K -p PID 5; wakeuptime -p PID 5"},
	{"Who changes my files?", "filegone; filetop 1; opensnoop"},
	{"What does this process do?", "syscount -p PID 5; profile -p PID 5; opensnoop -p PID"},
	{"Which system call fails?", "syserr -p PID 5; opensnoop -x; trace syscall:openat"},
	{"Why are the CPUs busy?", "profile 5; execsnoop; hardirqs 1; softirqs 1"},
	{"Why does a program not get a CPU?", "runqlat 1; runqslower; runqlen 1"},
	{"Where does the memory go?", "memleak -p PID 10; slabratetop 1; vmscan 1; oomkill"},
	{"Why is the network slow?", "tcplife; tcprtt -r 5; tcpretrans; tcpconnect; gethostlatency"},
	{"Which programs start many others?", "execsnoop; exitsnoop; pidpersec 1"},
	{"What wakes an idle machine?", "wakeuptime 5; hardirqs 5; workers 5"},
	{"What happens inside this function?", "graph vfs_read; funclatency vfs_read 5; stackcount vfs_read 5"},
}

// Columns are the headings that mean the same in all tools. A tool's Reading explains all others that it has.
var Columns = []struct{ Name, Meaning string }{
	{"PID, TID", "the numbers of the process and of the thread"},
	{"PPID", "the number of the parent process"},
	{"COMM", "the name of the thread; that of a process is the name of its first thread"},
	{"UID", "the number of the user"},
	{"ERR", "the error of a system call, 0 if it succeeded; ERESTARTSYS and the like: a signal interrupted it, and it fails with EINTR or begins again"},
	{"PATH, FILE", "a file"},
	{"DISK", "a disk, as in /proc/diskstats"},
	{"FUNC, FUNCTION", "a function or a system call"},
	{"SYSCALL", "a system call"},
	{"COUNT", "how many there were of what the row is about"},
	{"TOTAL, AVG, MAX", "the sum, the average and the largest of a time, over all that COUNT counts"},
}

// Names lists the bundled tools, sorted.
func Names() []string {
	entries, _ := files.ReadDir(".")
	names := make([]string, 0, len(entries))
	for _, e := range entries {
		if name, ok := strings.CutSuffix(e.Name(), ".fst"); ok {
			names = append(names, name)
		}
	}
	return names
}

// Source returns the text of a bundled tool.
func Source(name string) (text string, ok bool) {
	b, err := files.ReadFile(name + ".fst")
	return string(b), err == nil
}

// Example returns what a bundled tool has once said: the command line, and
// lines that it really printed.
func Example(name string) (text string, ok bool) {
	b, err := files.ReadFile("examples/" + name + ".txt")
	return string(b), err == nil
}
