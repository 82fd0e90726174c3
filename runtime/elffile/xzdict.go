package elffile

import (
	"encoding/binary"
	"errors"
)

// mostDictionary is the largest dictionary that a .gnu_debugdata may ask for: that of
// `xz -9`. The decoder makes room for as much as the file says, up to 4 GiB.
const mostDictionary = 64 << 20

var (
	errXZ         = errors.New("not the parts of an .xz file")
	errDictionary = errors.New("its dictionary is too large")
)

// checkDictionaries reads the headers of all blocks of an .xz file, without unpacking
// them, and refuses one whose dictionary is too large ("The .xz File Format" 1.2.1;
// LZMA2's chunks as in the Linux kernel's lib/xz/xz_dec_lzma2.c).
func checkDictionaries(data []byte) error {
	const header = 12
	checkSizes := [16]int{1: 4, 2: 4, 3: 4, 4: 8, 5: 8, 6: 8, 7: 16, 8: 16, 9: 16, 10: 32, 11: 32, 12: 32, 13: 64, 14: 64, 15: 64}
	for len(data) > header {
		check := checkSizes[data[7]&15]
		at := header
		for at < len(data) && data[at] != 0 { // an index, not a block, begins with 0
			size := 4 * (int(data[at]) + 1)
			if at+size > len(data) {
				return errXZ
			}
			dictionary, err := blockDictionary(data[at : at+size])
			if err != nil {
				return err
			}
			if dictionary > mostDictionary {
				return errDictionary
			}
			end, err := skipChunks(data, at+size)
			if err != nil {
				return err
			}
			at = (end+3)&^3 + check
		}
		end, err := skipIndex(data, at)
		if err != nil {
			return err
		}
		data = data[end:]
		for len(data) >= 4 && binary.LittleEndian.Uint32(data) == 0 { // padding between streams
			data = data[4:]
		}
	}
	return nil
}

// blockDictionary is the size of the dictionary of a block with a single filter, LZMA2;
// the decoder knows no others.
func blockDictionary(header []byte) (uint64, error) {
	const lzma2 = 0x21
	flags, rest := header[1], header[2:]
	if flags&3 != 0 {
		return 0, errXZ
	}
	for _, sized := range []byte{0x40, 0x80} {
		if flags&sized != 0 {
			_, n := binary.Uvarint(rest)
			if n <= 0 {
				return 0, errXZ
			}
			rest = rest[n:]
		}
	}
	if len(rest) < 3 || rest[0] != lzma2 || rest[1] != 1 || rest[2] > 40 {
		return 0, errXZ
	}
	return uint64(2|rest[2]&1) << (rest[2]/2 + 11), nil
}

// skipChunks is where the chunks of LZMA2 that begin at a place end.
func skipChunks(data []byte, at int) (end int, err error) {
	for at+6 <= len(data) {
		switch control := data[at]; {
		case control == 0:
			return at + 1, nil
		case control < 3: // not compressed
			at += 3 + int(binary.BigEndian.Uint16(data[at+1:])) + 1
		case control >= 0x80:
			n := 5 + int(binary.BigEndian.Uint16(data[at+3:])) + 1
			if control >= 0xc0 {
				n++ // its properties
			}
			at += n
		default:
			return 0, errXZ
		}
	}
	return 0, errXZ
}

// skipIndex is where a stream ends whose index begins at a place.
func skipIndex(data []byte, at int) (end int, err error) {
	const crc, footer = 4, 12
	begin := at
	if at >= len(data) {
		return 0, errXZ
	}
	at++
	blocks, n := binary.Uvarint(data[at:])
	if n <= 0 || blocks > uint64(len(data)) {
		return 0, errXZ
	}
	at += n
	for range 2 * blocks {
		_, n := binary.Uvarint(data[at:])
		if n <= 0 {
			return 0, errXZ
		}
		at += n
	}
	at += -(at - begin) & 3
	if at += crc + footer; at > len(data) {
		return 0, errXZ
	}
	return at, nil
}
