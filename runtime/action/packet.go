package action

import (
	"encoding/binary"
	"fmt"
	"maps"
	"slices"

	"fst/lang/load"
	"fst/runtime/event"
	"fst/runtime/value"
)

// linkRaw is the pcap type of packets that begin with their IP header.
const linkRaw = 101

// packet appends a packet to a message's pcap file, which is made anew by the
// first one of a session.
func (r *Runner) packet(e *event.Record) error {
	m := e.Message
	if len(m.Fields) < 3 {
		return nil
	}
	var b []byte
	le := binary.LittleEndian
	out := r.packets[m.Sep]
	if out == nil {
		var err error
		if out, err = load.Create(m.Sep); err != nil {
			return fmt.Errorf("skboutput: %s: %s", m.Sep, reason(err))
		}
		if r.packets == nil {
			r.packets = map[string]*load.Output{}
		}
		r.packets[m.Sep] = out
		// Times in nanoseconds, version 2.4, no time zone, packets of any size.
		for _, n := range []uint32{0xa1b23c4d, 4<<16 | 2, 0, 0, 1 << 18, linkRaw} {
			b = le.AppendUint32(b, n)
		}
	}
	field := func(i int) value.Value { return event.Field(&m.Fields[i], e.Data) }
	at := e.Time
	bytes := field(2).Bytes()
	b = le.AppendUint32(b, uint32(at.Unix()))
	b = le.AppendUint32(b, uint32(at.Nanosecond()))
	b = le.AppendUint32(b, uint32(len(bytes)))
	b = le.AppendUint32(b, uint32(field(1).Uint()))
	if _, err := out.Write(append(b, bytes...)); err != nil {
		return fmt.Errorf("skboutput: %s: %s", m.Sep, reason(err))
	}
	return nil
}

// closePackets ends the pcap files. Some file systems tell only then that not all
// could be written.
func (r *Runner) closePackets() {
	for _, name := range slices.Sorted(maps.Keys(r.packets)) {
		if err := r.packets[name].Close(); err != nil {
			r.check(fmt.Errorf("skboutput: %s: %s", name, reason(err)))
		}
	}
	r.packets = nil
}
