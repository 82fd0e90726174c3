#!/usr/bin/env fst
// bashreadline: Which commands are typed into bash?
//
// Topic: programs and processes
// Usage: bashreadline
// Common: task, time
// Reading: COMMAND is a line entered at the prompt of bash.
// Example: fst bashreadline -T
// Misses: Shells other than /bin/bash, and scripts.
// Cost: One pair of probes per line.
// Instead: execsnoop

ucall:/bin/bash:readline /mine() && retval/ {
	row("PID %-7d COMMAND %s", pid, str(retval));
}
