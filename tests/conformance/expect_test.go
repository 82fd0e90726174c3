package conformance

import (
	"strings"
	"testing"
)

const table = `Attached 2 probes
PID     COMM                   R_KB   TIME(us) FILE
12      dd                      100       1500 a b
13      cat                      20        300 c

PID     COMM                   R_KB   TIME(us) FILE
14      dd                       11         20 d

COMM     ERROR                     COUNT
mv       No such file                 77

COMM     FILE      COUNT
dc                    78
bc       f            79

@latency[read]:
[0, 1)                 3 |@@@   |
[1, 2)                 4 |@@@@  |

@latency[write]:
[0, 1)                 1 |@@@   |

@wide[0]:
(..., 0)               2 |@@    |
[0]                    3 |@@@   |
[1K, 2K)               4 |@@@@  |
[2K, ...)              5 |@@@@@ |

@off[
        do_nanosleep+101
        hrtimer_nanosleep+20
, sleep]: 12
@off[
        do_nanosleep+101
, a:b]: 13
@sizes[vda]: { .count = 2, .average = 16, .total = 33 }
@times: p50 5 p90 500 p99 500 p99.9 501 max 502
@n: 5
@by[a, b]: 6
{"type": "row", "data": {"pid": 20, "from": "", "file": "a  b\n", "r_kb": 2, "lat_us": 9}}
{"type": "table", "data": [{"pid": 21, "r_kb": 3}, {"pid": 22, "r_kb": 4}]}
{"type": "lost_events", "data": {"events": 7}}
`

var counted = map[string]string{"bytes": "113664", "pid": "12", "low": "10", "who": "cat"}

func TestExpectationsThatHold(t *testing.T) {
	for _, line := range []string{
		"PID=12: R_KB = 100",
		"PID={pid}: TIME = R_KB * 15",
		"COMM=dd: sum(R_KB) = floor(bytes / 1024)",
		"COMM=dd: max(R_KB) = 100",
		"COMM=dd: each(TIME) = low .. 2000 # all three were measured by hand",
		"COMM=dd: rows = 2",
		"COMM={who}: FILE is c",
		"PID=12: FILE is a b",
		"total(@latency[read]) = 7",
		"total(@latency) = 8",
		"ERROR=No such file: COUNT = 77",
		"COUNT=77: ERROR is No such file",
		"COMM=dc: COUNT = 78",
		"COMM=bc: FILE is f",
		"COMM=dd: each(FILE) matches [ad]( b)?",
		"total(@off) = 25",
		"total(@off with do_nanosleep, sleep]) = 12",
		"total(@off with do_nanosleep+101) = 25",
		"total(@off with do_nanosleep, wake]) = 0",
		"within(@wide[0], 0, 1) = 3",
		"within(@wide[0], 0, 2048) = 7",
		"within(@latency[read], 1, 8) = 4",
		"within(@wide[0], low - 10, 204.8 * low) = 7",
		"lines(/^1[24] .* [ad]/) = 2",
		"lines(/{who} /) = 1",
		"@n = 5",
		"@sizes[vda].total = 33",
		"@times.p99.9 = 501",
		"@times.max = 502",
		"@by[a, b] = low - 4",
		"PID=99: rows = 0",
		`PID=20: FILE is a  b\n`,
		"PID=20, FROM=: LAT = R_KB + 7",
		"PID=22: R_KB = 4",
	} {
		x, err := parseExpectation(line)
		if err == nil {
			err = x.hold(parsePrinted(table), counted)
		}
		if err != nil {
			t.Errorf("%s: %v", line, err)
		}
	}
}

func TestExpectationsThatDoNotHold(t *testing.T) {
	for line, want := range map[string]string{
		"PID=12: R_KB = 101":                       "it is 100, not 101",
		"PID=12: R_KB = 101 .. 110 # of the three": "not within 101 .. 110",
		"COMM=dd: R_KB = 111":                      "2 rows are that",
		"COMM=cp: R_KB = 0":                        "no row",
		"PID=12: W_KB = 0":                         "no number",
		"PID=12: R_KB = nothing":                   "did not say nothing",
		"@m = 0":                                   "nothing printed is named @m",
		"COMM=cat: FILE matches d":                 `it is "c"`,
		"COMM=cat: FILE is d":                      `it is "c", not "d"`,
		"PID=12: R_KB = 1 << 2":                    "an expression has",
		"PID=12: R_KB = system(1)":                 "an expression has",
	} {
		x, err := parseExpectation(line)
		if err != nil {
			t.Errorf("%s: %v", line, err)
			continue
		}
		if err := x.hold(parsePrinted(table), counted); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, expected %s", line, err, want)
		}
	}
}

func TestMisspeltExpectations(t *testing.T) {
	for line, want := range map[string]string{
		"R_KB == 1":             "an expect line is",
		"R_KB":                  "an expect line is",
		"r_kb = 1":              "is no column",
		"PID: R_KB = 1":         "is not COLUMN=VALUE",
		"R_KB = 1 .. 2":         "needs its derivation",
		"R_KB = 1 .. 2 # noise": "needs its derivation",
		"total(R_KB) = 1":       "total() and within() are of maps",
		"sum(@x) = 1":           "total() and within() are of maps",
		"R_KB = (1":             "expected",
	} {
		if _, err := parseExpectation(line); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, expected %s", line, err, want)
		}
	}
}

func TestLossesAreNames(t *testing.T) {
	e := &execution{Case: &Case{Prog: "a\nb\nc"}, stderr: "Lost 5 events\n" +
		"stdin:1:2-9: WARNING: new key was not stored\nstdin:2:1-9: WARNING: 12 events were skipped: x\n" +
		"stdin:3:1-9: WARNING: 3 returns were not seen\nstdin:2:1-9: WARNING: 1 read failed\n"}
	witness := map[string]string{}
	e.countLosses(witness)
	for name, want := range map[string]string{"lost": "16", "lost_1": "0", "lost_2": "13", "lost_3": "3"} {
		if witness[name] != want {
			t.Errorf("%s is %q, want %s", name, witness[name], want)
		}
	}
}
