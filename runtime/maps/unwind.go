package maps

import (
	"unsafe"

	"fst/compiler/object"
	"fst/runtime/bpf"

	"golang.org/x/sys/unix"
)

// createRows makes an array for n rows of an unwind table.
func createRows(n int) (int, error) {
	return bpf.CreateMap(&bpf.MapSpec{Type: bpf.Array, Name: "fst_unwind_rows", Key: 4, Value: 8, Entries: n, Flags: bpf.InnerMap | bpf.Mmapable})
}

// AddUnwindTable puts the table of a file into the map with an index, of kind
// MapUnwind. It may be
// called by any goroutine.
func (s *Set) AddUnwindTable(id int, key [object.UnwindKeySize]byte, rows []object.UnwindRow) error {
	fd, err := createRows(len(rows))
	if err != nil {
		return err
	}
	defer unix.Close(fd) // the map keeps it
	// A system's binaries have millions of rows: an update of each takes seconds.
	memory, err := unix.Mmap(fd, 0, len(rows)*int(unsafe.Sizeof(rows[0])), unix.PROT_READ|unix.PROT_WRITE, unix.MAP_SHARED)
	if err != nil {
		return err
	}
	copy(memory, bytesOf(rows))
	if err := unix.Munmap(memory); err != nil {
		return err
	}
	return bpf.Update(s.FD(id), key[:], bytesOf([]uint32{uint32(fd)}))
}

// bytesOf are the bytes of numbers in memory.
func bytesOf[T ~uint32 | ~uint64](list []T) []byte {
	return unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(list))), len(list)*int(unsafe.Sizeof(list[0])))
}
