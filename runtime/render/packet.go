package render

import (
	"encoding/binary"
	"fmt"
	"maps"
	"os"
	"slices"
	"time"

	"fst/compiler/object"
)

// linkRaw is the pcap type of packets that begin with their IP header.
const linkRaw = 101

// packet appends a packet to a message's pcap file, which is made anew by the
// first one of a session.
func (p *printer) packet(m *object.Message, record []byte) error {
	if len(m.Fields) < 3 {
		return nil
	}
	var b []byte
	le := binary.LittleEndian
	out := p.packets[m.Sep]
	if out == nil {
		var err error
		if out, err = os.Create(m.Sep); err != nil {
			return fmt.Errorf("skboutput: %s: %s", m.Sep, reason(err))
		}
		if p.packets == nil {
			p.packets = map[string]*os.File{}
		}
		p.packets[m.Sep] = out
		// Times in nanoseconds, version 2.4, no time zone, packets of any size.
		for _, n := range []uint32{0xa1b23c4d, 4<<16 | 2, 0, 0, 1 << 18, linkRaw} {
			b = le.AppendUint32(b, n)
		}
	}
	at := p.res.BootTime().Add(time.Duration(fieldOf(&m.Fields[0], record).Int()))
	bytes := fieldOf(&m.Fields[2], record).Bytes()
	b = le.AppendUint32(b, uint32(at.Unix()))
	b = le.AppendUint32(b, uint32(at.Nanosecond()))
	b = le.AppendUint32(b, uint32(len(bytes)))
	b = le.AppendUint32(b, uint32(fieldOf(&m.Fields[1], record).Uint()))
	if _, err := out.Write(append(b, bytes...)); err != nil {
		return fmt.Errorf("skboutput: %s: %s", m.Sep, reason(err))
	}
	return nil
}

// closePackets ends the pcap files. Some file systems tell only then that not all
// could be written.
func (p *printer) closePackets(complain func(text string)) {
	for _, name := range slices.Sorted(maps.Keys(p.packets)) {
		if err := p.packets[name].Close(); err != nil {
			complain(fmt.Sprintf("ERROR: skboutput: %s: %s", name, reason(err)))
		}
	}
	p.packets = nil
}
