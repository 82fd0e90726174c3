package value

import (
	"encoding/binary"
	"fmt"
	"net"
	"net/netip"
	"reflect"

	"fst/compiler/types"
)

// Encode lays a Go value out as one of a type: the inverse of what decoding gives for
// numbers, enums, booleans, texts, buffers, addresses of the network, and tuples of these
// ([]any). The error says what does not go into the type.
func Encode(t *types.Type, v any) ([]byte, error) {
	b := make([]byte, t.Size)
	if err := encode(b, t, v); err != nil {
		return nil, err
	}
	return b, nil
}

func encode(b []byte, t *types.Type, v any) error {
	wrong := fmt.Errorf("a %T is no %s", v, t)
	r := reflect.ValueOf(v)
	switch t.Kind {
	case types.Int, types.Enum, types.Pointer, types.Timestamp:
		n, ok := number(r, t.Signed)
		if !ok {
			return wrong
		}
		if bits := 8 * t.Size; bits < 64 {
			if t.Signed && int64(n)<<(64-bits)>>(64-bits) != int64(n) || !t.Signed && n>>bits != 0 {
				return fmt.Errorf("%v does not fit into %s", v, t)
			}
		}
		putWord(b, n)
	case types.Bool:
		if r.Kind() != reflect.Bool {
			return wrong
		}
		if r.Bool() {
			b[0] = 1
		}
	case types.String:
		if r.Kind() != reflect.String {
			return wrong
		}
		if n := copy(b[:len(b)-1], r.String()); n < r.Len() {
			return fmt.Errorf("a text of %d bytes is longer than the %d of %s", r.Len(), len(b)-1, t)
		}
	case types.Array:
		if !t.IsCharArray() || r.Kind() != reflect.String {
			return wrong
		}
		if n := copy(b, r.String()); n < r.Len() {
			return fmt.Errorf("a text of %d bytes is longer than %s", r.Len(), t)
		}
	case types.Buffer:
		data, ok := v.([]byte)
		if !ok {
			return wrong
		}
		if len(data) > t.Len {
			return fmt.Errorf("%d bytes are more than the %d of %s", len(data), t.Len, t)
		}
		binary.NativeEndian.PutUint32(b, uint32(len(data)))
		copy(b[4:], data)
	case types.Inet:
		return encodeIP(b, v, wrong)
	case types.MAC:
		mac, ok := v.(net.HardwareAddr)
		if !ok || len(mac) > len(b) {
			return wrong
		}
		copy(b, mac)
	case types.Tuple:
		list, ok := v.([]any)
		fields := t.Fields()
		if !ok {
			return wrong
		}
		if len(list) != len(fields) {
			return fmt.Errorf("%d values are not the %d of %s", len(list), len(fields), t)
		}
		for i, f := range fields {
			if err := encode(b[f.Offset:f.Offset+f.Type.Size], f.Type, list[i]); err != nil {
				return err
			}
		}
	default:
		return fmt.Errorf("a %s can't be written", t)
	}
	return nil
}

// number is v as the 64 bits of a number; ok is false for what is none, or has another sign.
func number(v reflect.Value, signed bool) (n uint64, ok bool) {
	switch {
	case v.CanInt():
		return uint64(v.Int()), signed || v.Int() >= 0
	case v.CanUint():
		return v.Uint(), !signed || v.Uint() <= 1<<63-1
	}
	return 0, false
}

func putWord(b []byte, n uint64) {
	switch len(b) {
	case 1:
		b[0] = byte(n)
	case 2:
		binary.NativeEndian.PutUint16(b, uint16(n))
	case 4:
		binary.NativeEndian.PutUint32(b, uint32(n))
	default:
		binary.NativeEndian.PutUint64(b, n)
	}
}

// encodeIP writes the family and the address.
func encodeIP(b []byte, v any, wrong error) error {
	ip, ok := v.(netip.Addr)
	if !ok || !ip.IsValid() {
		return wrong
	}
	family := uint32(4)
	if ip.Is6() {
		family = 16
	}
	binary.NativeEndian.PutUint32(b, family)
	copy(b[4:], ip.AsSlice())
	return nil
}
