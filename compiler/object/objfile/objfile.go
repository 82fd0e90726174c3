// Package objfile writes compiled scripts to files and reads them again.
//
// A file is a magic number, the version of the format, a checksum, and the object in CBOR
// (RFC 8949): that has a notation for bytes and for texts of any encoding, names its fields,
// and its decoder is bounded in depth and size, so that files of unknown origin can be read.
package objfile

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"

	"fst/compiler/object"
	"fst/compiler/types"

	"github.com/fxamacker/cbor/v2"
)

// Header tells what an object was compiled by and for.
type Header struct {
	Version string // of fst
	Release string // of the kernel
	Arch    string // as in GOARCH
	BTF     []byte // SHA-256 of the kernel's type information
}

const (
	magic = "\x7ffsto\r\n\x00"
	// format is the version of the format. Whoever changes the meaning of a field, or of an
	// internal map, adds 1.
	format   = 1
	prologue = len(magic) + 4 + sha256.Size
	// maxSize is the size of the largest file that is read.
	maxSize = 64 << 20
)

// Is reports whether the beginning of a file is that of an object.
func Is(beginning []byte) bool { return bytes.HasPrefix(beginning, []byte(magic)) }

// ErrDamaged is the error of a file that is not as it was written.
var ErrDamaged = errors.New("the file is damaged or incomplete: compile the script again")

// FormatError is the error of a file of another version of the format.
type FormatError struct{ Format uint32 }

func (e *FormatError) Error() string {
	return fmt.Sprintf("the file has version %d of the format, and this fst reads version %d: compile the script again with this fst", e.Format, format)
}

// content is what is written in CBOR.
type content struct {
	Header Header
	Object *object.Object
	// Stacks are those of the object, in order: they have keys that are not texts.
	Stacks []stack
}

type stack struct {
	Key object.StackKey
	Map int
}

// Write writes an object. The same object always gives the same bytes.
func Write(w io.Writer, h Header, obj *object.Object) error {
	plain := *obj
	plain.Stacks = nil
	c := content{Header: h, Object: &plain}
	for k, m := range obj.Stacks {
		c.Stacks = append(c.Stacks, stack{k, m})
	}
	slices.SortFunc(c.Stacks, func(a, b stack) int { return a.Map - b.Map })
	body, err := encoding.Marshal(c)
	if err != nil {
		return err
	}
	sum := sha256.Sum256(body)
	head := binary.LittleEndian.AppendUint32([]byte(magic), format)
	_, err = w.Write(slices.Concat(head, sum[:], body))
	return err
}

var encoding = func() cbor.EncMode {
	m, err := cbor.EncOptions{Sort: cbor.SortNone, OmitEmpty: cbor.OmitEmptyGoValue}.EncMode()
	if err != nil {
		panic(err)
	}
	return m
}()

var decoding = func() cbor.DecMode {
	m, err := cbor.DecOptions{DupMapKey: cbor.DupMapKeyEnforcedAPF, MaxNestedLevels: 256, MaxArrayElements: 1 << 22, MaxMapPairs: 1 << 16,
		IndefLength: cbor.IndefLengthForbidden, TagsMd: cbor.TagsForbidden, ExtraReturnErrors: cbor.ExtraDecErrorUnknownField,
		UTF8: cbor.UTF8DecodeInvalid}.DecMode()
	if err != nil {
		panic(err)
	}
	return m
}()

// Read reads an object. The error is ErrDamaged, a *FormatError, or one of r.
func Read(r io.Reader) (Header, *object.Object, error) {
	data, err := io.ReadAll(io.LimitReader(r, maxSize+1))
	switch {
	case err != nil:
		return Header{}, nil, err
	case len(data) < prologue || len(data) > maxSize || !Is(data):
		return Header{}, nil, ErrDamaged
	}
	if v := binary.LittleEndian.Uint32(data[len(magic):]); v != format {
		return Header{}, nil, &FormatError{v}
	}
	body := data[prologue:]
	if sum := sha256.Sum256(body); !bytes.Equal(sum[:], data[len(magic)+4:prologue]) {
		return Header{}, nil, ErrDamaged
	}
	return decode(body)
}

func decode(body []byte) (Header, *object.Object, error) {
	var c content
	if err := decoding.Unmarshal(body, &c); err != nil || c.Object == nil {
		return Header{}, nil, ErrDamaged
	}
	for _, s := range c.Stacks {
		if c.Object.Stacks == nil {
			c.Object.Stacks = map[object.StackKey]int{}
		}
		c.Object.Stacks[s.Key] = s.Map
	}
	if !isWhole(c.Object) {
		return Header{}, nil, ErrDamaged
	}
	return c.Header, c.Object, nil
}

// isWhole reports whether what an object refers to is in it.
func isWhole(o *object.Object) bool {
	isMap := func(i int) bool { return i >= -1 && i < len(o.Maps) }
	for i, m := range o.Maps {
		if m == nil || m.ID != i || m.KeySize < 0 || m.ValueSize < 0 || m.MaxEntries < 0 || m.Turns != nil && (m.Turns.Map < 0 || !isMap(m.Turns.Map)) ||
			!isType(m.Key, m.KeySize) || !isSchema(m.Schema) {
			return false
		}
	}
	for _, i := range slices.AppendSeq([]int{o.Ring, o.Loss, o.ReadLoss, o.Seen}, maps.Values(o.Stacks)) {
		if !isMap(i) {
			return false
		}
	}
	for _, p := range o.Programs {
		if p == nil || p.Clause < 0 || len(p.Code.Insns)%object.InstructionSize != 0 {
			return false
		}
		for _, id := range p.Code.Maps() {
			if int(id) >= len(o.Maps) {
				return false
			}
		}
	}
	for i, m := range o.Messages {
		if m == nil || m.ID != i || m.Size < 0 || !isMap(m.Map) || !isSchema(m.Schema) {
			return false
		}
		for _, f := range m.Fields {
			if f.Type == nil || f.Offset < 0 || f.Type.Size < 0 || f.Offset+f.Type.Size > m.Size || !isType(f.Type, f.Type.Size) {
				return false
			}
		}
		if m.Table != nil && slices.ContainsFunc(m.Table.Maps, func(i int) bool { return i < 0 || !isMap(i) }) {
			return false
		}
	}
	return o.Sources != nil
}

func isSchema(s *object.Schema) bool {
	return s == nil || s.Keys >= 0 && s.Keys <= len(s.Fields) &&
		!slices.ContainsFunc(s.Fields, func(f object.Field) bool { return f.Type == nil || !isType(f.Type, f.Type.Size) })
}

// isType reports whether a value of a type, and all parts of it, are in so many bytes.
func isType(t *types.Type, room int) bool {
	if t == nil {
		return true
	}
	if t.Size < 0 || t.Size > room {
		return false
	}
	if t.Kind == types.Array && (t.Elem == nil || t.Len < 0 || !isType(t.Elem, t.Elem.Size) || t.Elem.Size*t.Len > max(t.Size, 0)) {
		return false
	}
	for _, f := range t.Fields() {
		if f.Type == nil || f.Offset < 0 || !isType(f.Type, t.Size-f.Offset) {
			return false
		}
	}
	return true
}
