package ftrace

import (
	"encoding/binary"
	"fmt"
	"reflect"
	"strings"
	"testing"
)

// format is a format file with fields "TYPE NAME" of a size, each behind the
// one before and the common ones.
func format(id int, fields ...string) string {
	var b strings.Builder
	fmt.Fprintf(&b, "name: x\nID: %d\nformat:\n\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n\n", id)
	at := 8
	for _, f := range fields {
		decl, size, _ := strings.Cut(f, ":")
		n := 0
		fmt.Sscan(size, &n)
		fmt.Fprintf(&b, "\tfield:%s;\toffset:%d;\tsize:%d;\tsigned:0;\n", decl, at, n)
		at += n
	}
	return b.String() + "\nprint fmt: \"\"\n"
}

var formats = map[string]string{
	"funcgraph_entry": format(11, "unsigned long func:8", "unsigned long depth:8", "unsigned long args[]:0"),
	"funcgraph_exit":  format(10, "unsigned long func:8", "unsigned long retval:8", "unsigned int depth:4", "unsigned int overrun:4", "unsigned long long calltime:8", "unsigned long long rettime:8"),
	"sched_switch":    format(300, "char prev_comm[16]:16", "pid_t prev_pid:4", "int prev_prio:4", "long prev_state:8", "char next_comm[16]:16", "pid_t next_pid:4", "int next_prio:4"),
}

func record(id uint16, flags byte, tid uint32, fields ...any) []byte {
	b := binary.NativeEndian.AppendUint16(nil, id)
	b = append(b, flags, 0)
	b = binary.NativeEndian.AppendUint32(b, tid)
	for _, f := range fields {
		switch v := f.(type) {
		case uint64:
			b = binary.NativeEndian.AppendUint64(b, v)
		case uint32:
			b = binary.NativeEndian.AppendUint32(b, v)
		case string:
			b = append(b, append([]byte(v), make([]byte, 16-len(v))...)...)
		}
	}
	return b
}

// TestEvents decodes records with all that newer kernels tell.
func TestEvents(t *testing.T) {
	l, err := NewLayouts(func(_, event string) (string, error) { return formats[event], nil })
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		record []byte
		want   Event
	}{
		{record(11, HardIRQ|1, 7, uint64(0xabc), uint64(2), uint64(5), uint64(6)),
			Event{Kind: Enter, CPU: 3, Time: 9, TID: 7, Context: HardIRQ, Func: 0xabc, Depth: 2, Args: []uint64{5, 6}}},
		{record(10, 0, 7, uint64(0xabc), uint64(1)<<63, uint32(2), uint32(0), uint64(100), uint64(130)),
			Event{Kind: Return, CPU: 3, Time: 9, TID: 7, Func: 0xabc, Depth: 2, Begin: 100, End: 130, Result: 1 << 63, HasResult: true}},
		{record(300, 0, 7, "dd", uint32(7), uint32(120), uint64(2), "swapper/3", uint32(0), uint32(120)),
			Event{Kind: Switch, CPU: 3, Time: 9, TID: 7, Switch: Switched{Comm: "dd", State: 2, NextComm: "swapper/3"}}},
	} {
		if got, ok := l.event(3, 9, c.record); !ok || !reflect.DeepEqual(got, c.want) {
			t.Errorf("got %+v\nwant %+v", got, c.want)
		}
	}
	for _, other := range [][]byte{nil, {1}, record(5, 0, 1)} {
		if e, ok := l.event(0, 0, other); ok {
			t.Errorf("%v is %+v", other, e)
		}
	}
}

func TestUnknownLayout(t *testing.T) {
	_, err := NewLayouts(func(_, event string) (string, error) { return strings.ReplaceAll(formats[event], "calltime", "x"), nil })
	if err == nil || !strings.Contains(err.Error(), "ftrace:funcgraph_exit has no field calltime") {
		t.Error(err)
	}
}
