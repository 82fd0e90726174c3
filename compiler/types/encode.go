package types

import (
	"sync"

	"github.com/fxamacker/cbor/v2"
)

// encoded is a type as it is written to files.
type encoded struct {
	Kind        Kind
	Size        int          `cbor:",omitempty"`
	Signed      bool         `cbor:",omitempty"`
	Name        string       `cbor:",omitempty"`
	Elem        *Type        `cbor:",omitempty"`
	Len         int          `cbor:",omitempty"`
	User        bool         `cbor:",omitempty"`
	Char        bool         `cbor:",omitempty"`
	Bits        bool         `cbor:",omitempty"`
	Ctx         bool         `cbor:",omitempty"`
	Fmt         string       `cbor:",omitempty"`
	Stack       *StackFormat `cbor:",omitempty"`
	Agg         *Agg         `cbor:",omitempty"`
	Fields      []Field      `cbor:",omitempty"`
	Enumerators []Enumerator `cbor:",omitempty"`
}

// MarshalCBOR encodes a type with all that a value of it has. Of what pointers lead to only
// the kind and the name are kept: types of the kernel refer to each other without end.
func (t *Type) MarshalCBOR() ([]byte, error) {
	e := encoded{Kind: t.Kind, Size: t.Size, Signed: t.Signed, Name: t.Name, Elem: t.Elem, Len: t.Len, User: t.User, Char: t.Char,
		Bits: t.Bits, Ctx: t.Ctx, Fmt: t.Fmt, Fields: t.Fields(), Enumerators: t.Enumerators()}
	if t.Stack != (StackFormat{}) {
		e.Stack = &t.Stack
	}
	if t.Agg != (Agg{}) {
		e.Agg = &t.Agg
	}
	if t.Kind == Pointer && t.Elem != nil {
		e.Elem = t.Elem.named()
	}
	return cbor.Marshal(e)
}

// named is a type without what it contains.
func (t *Type) named() *Type {
	n := &Type{Kind: t.Kind, Size: t.Size, Signed: t.Signed, Name: t.Name, Len: t.Len, User: t.User, Char: t.Char, Bits: t.Bits, Stack: t.Stack}
	switch {
	case t.Elem != nil:
		n.Elem = t.Elem.named()
	case t.Kind == Tuple || t.Kind == Record:
		n.fields = t.fields
	}
	return n
}

var decoding = sync.OnceValue(func() cbor.DecMode {
	m, err := cbor.DecOptions{MaxNestedLevels: 256, UTF8: cbor.UTF8DecodeInvalid}.DecMode()
	if err != nil {
		panic(err)
	}
	return m
})

// UnmarshalCBOR implements cbor.Unmarshaler.
func (t *Type) UnmarshalCBOR(data []byte) error {
	var e encoded
	if err := decoding().Unmarshal(data, &e); err != nil {
		return err
	}
	t.Kind, t.Size, t.Signed, t.Name, t.Elem, t.Len, t.User, t.Char = e.Kind, e.Size, e.Signed, e.Name, e.Elem, e.Len, e.User, e.Char
	t.Bits, t.Ctx, t.Fmt, t.fields, t.enums = e.Bits, e.Ctx, e.Fmt, e.Fields, e.Enumerators
	if e.Stack != nil {
		t.Stack = *e.Stack
	}
	if e.Agg != nil {
		t.Agg = *e.Agg
	}
	return nil
}
