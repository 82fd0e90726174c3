package maps

import (
	"unsafe"

	"fst/compiler/object"
	"fst/runtime/bpf"

	"golang.org/x/sys/unix"
)

// createRows makes an array for n rows of an unwind table.
func createRows(n int) (int, error) {
	return bpf.CreateMap(&bpf.MapSpec{Type: bpf.Array, Name: "fst_unwind_rows", Key: 4, Value: 8, Entries: n, Flags: bpf.InnerMap})
}

// AddUnwindTable puts the table of a file into a map of kind MapUnwind. It may be
// called by any goroutine.
func (m *Map) AddUnwindTable(key [object.UnwindKeySize]byte, rows []object.UnwindRow) error {
	fd, err := createRows(len(rows))
	if err != nil {
		return err
	}
	defer unix.Close(fd) // the map keeps it
	const piece = 1 << 16
	keys := make([]uint32, min(len(rows), piece))
	for from := 0; from < len(rows); from += piece {
		part := rows[from:min(from+piece, len(rows))]
		for i := range part {
			keys[i] = uint32(from + i)
		}
		if _, err := bpf.UpdateBatch(fd, bytesOf(keys[:len(part)]), bytesOf(part), len(part)); err != nil {
			return err
		}
	}
	return bpf.Update(m.fd, key[:], bytesOf([]uint32{uint32(fd)}))
}

// bytesOf are the bytes of numbers in memory.
func bytesOf[T ~uint32 | ~uint64](list []T) []byte {
	return unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(list))), len(list)*int(unsafe.Sizeof(list[0])))
}
