package render

import "strconv"

const barWidth = 52

// barLength is computed in single precision, as bpftrace does, so that bars
// do not differ by one.
func barLength(count, largest uint64) int {
	if largest == 0 {
		return 0
	}
	share := float32(count) / float32(largest)
	return int(share * barWidth)
}

func padTo(b []byte, n int) []byte {
	for len(b) < n {
		b = append(b, ' ')
	}
	return b
}

func appendRight(b []byte, width int, n uint64) []byte {
	var digits [20]byte
	text := strconv.AppendUint(digits[:0], n, 10)
	b = padTo(b, len(b)+width-len(text))
	return append(b, text...)
}
