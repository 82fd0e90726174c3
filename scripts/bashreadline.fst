#!/usr/bin/env fst
// bashreadline: What do people type into their shells?
//
// Topic: programs and processes
// Usage: bashreadline
// Common: task, time
// Reading: COMMAND is a line that was entered at the prompt of a bash.
// Example: fst bashreadline -T
// Misses: Shells other than /bin/bash, and scripts.
// Cost: one pair of probes for each line.
// Instead: execsnoop

ucall:/bin/bash:readline /mine() && retval/ {
	row("PID %-7d COMMAND %s", pid, str(retval));
}
