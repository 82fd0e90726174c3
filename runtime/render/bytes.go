package render

import "bytes"

const (
	lowerDigits = "0123456789abcdef"
	upperDigits = "0123456789ABCDEF"
)

// appendEscaped appends printable ASCII as it is and other bytes as \xHH.
func appendEscaped(b, data []byte) []byte {
	for _, c := range data {
		if c >= ' ' && c <= '~' {
			b = append(b, c)
		} else {
			b = append(b, '\\', 'x', lowerDigits[c>>4], lowerDigits[c&15])
		}
	}
	return b
}

// appendAllEscaped appends every byte as \xHH (%rx).
func appendAllEscaped(b, data []byte) []byte {
	for _, c := range data {
		b = append(b, '\\', 'x', lowerDigits[c>>4], lowerDigits[c&15])
	}
	return b
}

// appendSpaced appends bytes in hex with spaces between them (%rh).
func appendSpaced(b, data []byte) []byte {
	for i, c := range data {
		if i > 0 {
			b = append(b, ' ')
		}
		b = append(b, lowerDigits[c>>4], lowerDigits[c&15])
	}
	return b
}

func appendMAC(b, data []byte) []byte {
	for i, c := range data {
		if i > 0 {
			b = append(b, ':')
		}
		b = append(b, upperDigits[c>>4], upperDigits[c&15])
	}
	return b
}

// appendWords appends words that end with NULs, such as the arguments of a
// program, with blanks between them.
func appendWords(b, data []byte) []byte {
	for i, word := range bytes.Split(bytes.TrimRight(data, "\x00"), []byte{0}) {
		if i > 0 {
			b = append(b, ' ')
		}
		b = appendEscaped(b, word)
	}
	return b
}
