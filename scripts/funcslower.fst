#!/usr/bin/env fst
// funcslower: Which calls of a function are slow, with which arguments?
//
// Topic: functions
// Usage: funcslower FUNCTION [--min US]
// Option: --min US: at least US microseconds (default: 1000)
// Common: task, where
// Reading: A line for each slow call: its arguments, the result, and how long it took. FUNCTION is
//  a function of the kernel, or ucall:BINARY:FUNCTION, or syscall:NAME.
// Example: fst funcslower vfs_fsync_range --min 10000
// Example: fst funcslower -KU syscall:read -c cat
// Misses: Calls that started before tracing, and functions that the compiler has inlined.
// Cost: Two probes per call, about 200 ns; a line per slow call.
// Instead: syscount

macro slow() { mine() && took >= getopt("min", 1000) * 1us }

call:$1 /slow()/
call:$1 /wants_where() && slow()/ { where(); }
