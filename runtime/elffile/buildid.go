package elffile

import (
	"debug/elf"
	"encoding/hex"
)

// BuildID returns the id by which a program is known to its debug information: in
// hex, as the linker left it in a note, or "".
func BuildID(e *elf.File) string {
	for _, p := range e.Progs {
		if p.Type != elf.PT_NOTE || p.Filesz > 1<<16 {
			continue
		}
		notes := make([]byte, p.Filesz)
		if _, err := p.ReadAt(notes, 0); err != nil {
			continue
		}
		for len(notes) >= 12 {
			nameSize, size := int(e.ByteOrder.Uint32(notes)), int(e.ByteOrder.Uint32(notes[4:]))
			typ := e.ByteOrder.Uint32(notes[8:])
			at := 12 + (nameSize+3)&^3
			if nameSize < 0 || size < 0 || at < 12 || at+size < at || at+size > len(notes) {
				break
			}
			if typ == 3 && string(notes[12:12+nameSize]) == "GNU\x00" {
				return hex.EncodeToString(notes[at : at+size])
			}
			notes = notes[min(len(notes), at+(size+3)&^3):]
		}
	}
	return ""
}
