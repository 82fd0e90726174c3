#!/usr/bin/env fst
// funcslower: Which calls of this function take long, with which arguments?
//
// Topic: functions
// Usage: funcslower FUNCTION [--min US]
// Option: --min US: at least so many microseconds (default: 1000)
// Common: task, where
// Reading: A line for each slow call: its arguments, the result, and how long it took. FUNCTION is
//  a function of the kernel, or ucall:BINARY:FUNCTION, or syscall:NAME.
// Example: fst funcslower vfs_fsync_range --min 10000
// Example: fst funcslower -KU syscall:read -c cat
// Misses: Calls that had begun before, and functions that the compiler put into their callers.
// Cost: two probes for each call, some 200 ns; a line for each slow one.
// Instead: syscount

macro slow() { mine() && took >= getopt("min", 1000) * 1us }

call:$1 /slow()/
call:$1 /wants_where() && slow()/ { where(); }
