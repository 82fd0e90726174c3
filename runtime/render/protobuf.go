package render

import (
	"encoding/binary"
	"math"
)

// protobuf is a message in the encoding of Protocol Buffers.
type protobuf []byte

func (m *protobuf) number(field int, v uint64) {
	*m = binary.AppendUvarint(binary.AppendUvarint(*m, uint64(field)<<3), v)
}

// signed writes a number of a type that is not unsigned, such as int64.
func (m *protobuf) signed(field int, v int64) { m.number(field, uint64(v)) }

// fixed writes a number of a type of eight bytes, such as fixed64.
func (m *protobuf) fixed(field int, v uint64) {
	*m = binary.LittleEndian.AppendUint64(binary.AppendUvarint(*m, uint64(field)<<3|1), v)
}

func (m *protobuf) double(field int, v float64) { m.fixed(field, math.Float64bits(v)) }

func (m *protobuf) text(field int, v string) { m.bytes(field, []byte(v)) }

func (m *protobuf) bytes(field int, v []byte) {
	*m = binary.AppendUvarint(binary.AppendUvarint(*m, uint64(field)<<3|2), uint64(len(v)))
	*m = append(*m, v...)
}

func (m *protobuf) message(field int, fill func(*protobuf)) {
	var part protobuf
	fill(&part)
	m.bytes(field, part)
}

// numbered gives things numbers, from 1 on.
type numbered[T comparable] map[T]uint64

func (n numbered[T]) number(of T) (number uint64, isNew bool) {
	number, known := n[of]
	if !known {
		number = uint64(len(n) + 1)
		n[of] = number
	}
	return number, !known
}

func (n numbered[T]) inOrder() []T {
	all := make([]T, len(n))
	for of, number := range n {
		all[number-1] = of
	}
	return all
}
