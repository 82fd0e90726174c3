// Package cpus reads the kernel's lists of processors.
package cpus

import (
	"errors"
	"fmt"
	"os"
	"strconv"
	"strings"
)

// Online are the numbers of the processors that run at the moment, in order.
func Online() ([]int, error) { return read("/sys/devices/system/cpu/online") }

// Possible are the numbers that processors can ever have until the next boot, in
// order. Numbers may be left out: values that the kernel keeps for each processor come
// one behind the other without gaps, while programs know a processor by its number.
func Possible() ([]int, error) { return read("/sys/devices/system/cpu/possible") }

func read(path string) ([]int, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	list, err := parse(strings.TrimSpace(string(text)))
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return list, nil
}

// parse reads a list as the kernel writes it: "0-3,5".
func parse(list string) ([]int, error) {
	var numbers []int
	for part := range strings.SplitSeq(list, ",") {
		lo, hi, ranged := strings.Cut(part, "-")
		if !ranged {
			hi = lo
		}
		a, err1 := strconv.Atoi(lo)
		b, err2 := strconv.Atoi(hi)
		if err := errors.Join(err1, err2); err != nil {
			return nil, fmt.Errorf("list of CPUs %q: %w", list, err)
		}
		for ; a <= b; a++ {
			numbers = append(numbers, a)
		}
	}
	return numbers, nil
}
