package naming

import (
	"encoding/binary"
	"testing"
	"time"

	"fst/compiler/object"
	"fst/compiler/types"
	"fst/runtime/event"
	"fst/runtime/value"
)

// system counts what it is asked; nothing else than symbols of the kernel and users is asked of it.
type system struct {
	System
	symbols, users int
}

func (s *system) KernelSymbol(addr uint64) (string, uint64, string) {
	s.symbols++
	return "f", addr & 0xff, ""
}
func (s *system) KernelSymbolSize(uint64) uint64  { return 0x100 }
func (s *system) Stack(value.Stack) []uint64      { return []uint64{0x1001, 0x1002} }
func (s *system) UserName(uint32) string          { s.users++; return "root" }
func (s *system) Wall(int64) time.Time            { return time.Time{} }
func (s *system) TAIOffset() (none time.Duration) { return none }

// keeper keeps the events it is given.
type keeper struct{ events []event.Event }

func (k *keeper) Event(e event.Event) { k.events = append(k.events, event.Own(e)) }
func (k *keeper) Flush() error        { return nil }

// TestStage: names are looked up once, whoever and however many show them, and stay those of their event.
func TestStage(t *testing.T) {
	word := func(n uint64) []byte { return binary.NativeEndian.AppendUint64(nil, n) }
	ksym, plain := &types.Type{Kind: types.KSym, Size: 8}, types.U64
	named := &object.Message{Fields: []object.MessageField{{Type: ksym}, {Type: ksym}}}
	number := &object.Message{Fields: []object.MessageField{{Type: plain}}}
	pointer := &object.Message{Fields: []object.MessageField{{Type: plain}}, Format: []object.Verb{{Conv: 'p', Pointer: "B"}}}
	obj := &object.Object{Config: object.DefaultConfig(), Messages: []*object.Message{named, number, pointer}}
	sys, kept := &system{}, &keeper{}
	s := NewStage(&Namer{System: sys, Object: obj}, kept)
	s.Event(&event.Record{Message: named, Data: word(0x1005)})
	s.Event(&event.Record{Message: named, Data: word(0x1006)})
	if sys.symbols != 2 {
		t.Errorf("%d look-ups, not one for each event", sys.symbols)
	}
	s.Event(&event.Record{Message: number, Data: word(0x1007)})
	if sys.symbols != 2 {
		t.Error("a number was looked up")
	}
	s.Event(&event.Record{Message: pointer, Data: word(0x1008)})
	for i, addr := range []uint64{0x1005, 0x1006, 0, 0x1007} {
		places := event.NamesOf(kept.events[i]).Places
		p, ok := places[value.Address{Addr: addr}]
		if addr == 0 {
			if len(places) != 0 {
				t.Errorf("event %d has names: %v", i, places)
			}
		} else if !ok || len(places) != 1 || p.Symbol != "f" || p.Offset != addr&0xff || i == 3 && p.Size != 0x100 {
			t.Errorf("event %d: %+v", i, places)
		}
	}
	if addr := (value.Address{Addr: 0x1008}); event.NamesOf(kept.events[3]).Places[addr].Symbol != "" {
		t.Error("a return address is in the function of the call")
	}

	// Of a map what is shown is named, each thing once.
	stack := &types.Type{Kind: types.KStack, Size: 8}
	key := types.TupleType([]*types.Type{stack, {Kind: types.Username, Size: 8}})
	entry := func(id, count uint64) value.Entry {
		return value.Entry{Key: append(word(id), word(types.Named)...), Value: word(count)}
	}
	m := &event.Map{Map: &object.Map{Key: key, Value: plain}, Top: 2,
		Snapshot: &value.Snapshot{Entries: []value.Entry{entry(1, 1), entry(2, 2), entry(3, 3)}}}
	sys.symbols = 0
	s.Event(m)
	if len(m.Names.Stacks) != 2 || sys.symbols != 4 || sys.users != 1 || len(m.Names.Texts) != 1 {
		t.Errorf("%d stacks, %d symbols, %d users: %+v", len(m.Names.Stacks), sys.symbols, sys.users, m.Names)
	}
	if m.Names.Bytes() == 0 {
		t.Error("names take no memory")
	}
}
