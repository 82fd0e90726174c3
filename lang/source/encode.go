package source

import (
	"errors"

	"github.com/fxamacker/cbor/v2"
)

// encoded is a Set as it is written to files.
type encoded struct {
	Files []encodedFile
	Uses  []encodedUse
	End   Pos
}

type encodedFile struct {
	Name    []byte // of any encoding, as Text
	Text    []byte
	Base    Pos
	Library bool
}

type encodedUse struct {
	What     []byte
	At, Text Span
	Argument bool
	Base     Pos
}

// MarshalCBOR implements cbor.Marshaler.
func (s *Set) MarshalCBOR() ([]byte, error) {
	e := encoded{End: s.end}
	for _, f := range s.files {
		e.Files = append(e.Files, encodedFile{[]byte(f.Name), []byte(f.Text), f.Base, f.Library})
	}
	for _, u := range s.uses {
		e.Uses = append(e.Uses, encodedUse{[]byte(u.What), u.At, u.text, u.Argument, u.base})
	}
	return cbor.Marshal(e)
}

var errOrder = errors.New("places of the source texts are out of order")

// UnmarshalCBOR implements cbor.Unmarshaler. The files and uses must be in order, and
// uses be of what is before them.
func (s *Set) UnmarshalCBOR(data []byte) error {
	var e encoded
	if err := cbor.Unmarshal(data, &e); err != nil {
		return err
	}
	*s = Set{}
	for _, f := range e.Files {
		if f.Base <= s.end || int64(f.Base)+int64(len(f.Text)) > int64(e.End) {
			return errOrder
		}
		s.end = f.Base - 1
		s.Add(string(f.Name), string(f.Text)).Library = f.Library
	}
	last := Pos(0)
	for _, u := range e.Uses {
		if u.Base <= last || u.At.Start >= u.Base || u.Text.Start < 0 || u.Text.Start > u.Text.End || u.Text.End >= u.Base {
			return errOrder
		}
		last = u.Base
		s.uses = append(s.uses, &Use{What: string(u.What), At: u.At, Argument: u.Argument, text: u.Text, base: u.Base})
	}
	s.end = e.End
	return nil
}
