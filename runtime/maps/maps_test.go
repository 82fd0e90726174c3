package maps

import (
	"encoding/binary"
	"errors"
	"reflect"
	"slices"
	"strings"
	"testing"

	"fst/compiler/object"
	"fst/compiler/types"

	"golang.org/x/sys/unix"
)

// words packs numbers as the kernel keeps them.
func words(ws ...int64) []byte {
	var b []byte
	for _, w := range ws {
		b = binary.NativeEndian.AppendUint64(b, uint64(w))
	}
	return b
}

func TestMerge(t *testing.T) {
	agg := func(k types.Kind, a types.Agg) *types.Type { return &types.Type{Kind: k, Agg: a} }
	for name, c := range map[string]struct {
		typ        *types.Type
		size       int
		vals, want []byte
	}{
		"count":        {agg(types.Count, types.Agg{}), 8, words(3, 0, 4), words(7)},
		"avg":          {agg(types.Avg, types.Agg{}), 16, words(-10, 2, 0, 0, 40, 1), words(30, 3)},
		"min signed":   {agg(types.Min, types.Agg{Signed: true}), 16, words(0, 0, -5, 2, 7, 1), words(-5, 3)},
		"min unsigned": {agg(types.Min, types.Agg{}), 16, words(0, 0, -5, 2, 7, 1), words(7, 3)},
		"max signed":   {agg(types.Max, types.Agg{Signed: true}), 16, words(-9, 1, -5, 2, 0, 0), words(-5, 3)},
		"max unsigned": {agg(types.Max, types.Agg{}), 16, words(-9, 1, 5, 2, 0, 0), words(-9, 3)},
		"max negative": {agg(types.Max, types.Agg{Signed: true}), 16, words(0, 0, -5, 1), words(-5, 1)},
		"hist":         {agg(types.Hist, types.Agg{}), 24, words(1, 0, 2, 0, 5, 1), words(1, 5, 3)},
		"tseries sum": {agg(types.TSeries, types.Agg{Func: types.Sum, Slots: 2}), 48,
			words(10, 1, 1, 11, 2, 1 /* next CPU */, 12, 5, 1, 11, 3, 2), words(11, 5, 3, 12, 5, 1)},
		"tseries max": {agg(types.TSeries, types.Agg{Func: types.Max, Signed: true, Slots: 2}), 48,
			words(10, -1, 1, 0, 0, 0, 0, 0, 0, 10, -2, 1), words(10, -1, 2, 0, 0, 0)},
		"plain": {types.U64, 8, words(0, 6), words(6)},
		"one":   {agg(types.Count, types.Agg{}), 8, words(6), words(6)},
	} {
		dst := make([]byte, c.size)
		merge(dst, c.vals, c.size, c.typ)
		if !slices.Equal(dst, c.want) {
			t.Errorf("%s: % x, want % x", name, dst, c.want)
		}
	}
}

func newMap(t testing.TB, spec object.Map) *Map {
	t.Helper()
	// Kernels before 5.11 count maps against it.
	unix.Setrlimit(unix.RLIMIT_MEMLOCK, &unix.Rlimit{Cur: unix.RLIM_INFINITY, Max: unix.RLIM_INFINITY})
	all := []*object.Map{&spec}
	if spec.Turns != nil {
		spec.Turns.Map = len(all)
		all = append(all, &object.Map{Name: "fst_turns", Kind: object.MapShared, KeySize: 4, ValueSize: spec.Turns.Offset + object.TurnsSize, MaxEntries: 1})
	}
	s, err := Create(&object.Object{Maps: all, Config: object.DefaultConfig()}, nil, -1)
	if errors.Is(err, unix.EPERM) {
		t.Skip("no permission to create maps: ", err)
	}
	if errors.Is(err, unix.EINVAL) && spec.Kind == object.MapTaskStorage {
		t.Skip(err)
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.Close)
	return s.Map(0)
}

func fill(t testing.TB, m *Map, n int) {
	t.Helper()
	for i := range n {
		var v []byte
		for c := range m.cpus {
			v = append(v, words(int64(i+c))...)
		}
		if err := m.Update(words(int64(i)), v); err != nil {
			t.Fatal(err)
		}
	}
}

func TestHashes(t *testing.T) {
	const n = 30_000
	for _, kind := range []object.MapKind{object.MapHash, object.MapPerCPUHash, object.MapLRUHash, object.MapPerCPULRUHash} {
		m := newMap(t, object.Map{Name: "@x", Kind: kind, KeySize: 8, ValueSize: 8, MaxEntries: 2 * n, Present: -1, NoPrealloc: true,
			Key: types.U64, Value: &types.Type{Kind: types.Count, Size: 8}})
		if kind == object.MapLRUHash || kind == object.MapPerCPULRUHash {
			fill(t, m, 1000)
		} else {
			fill(t, m, n)
		}
		s, err := m.Read()
		if err != nil {
			t.Fatal(err)
		}
		if len(s.Entries) != 1000 && len(s.Entries) != n {
			t.Errorf("kind %d: %d entries", kind, len(s.Entries))
		}
		for _, e := range s.Entries {
			i := binary.NativeEndian.Uint64(e.Key)
			var want uint64
			for c := range m.cpus {
				want += i + uint64(c)
			}
			if got := binary.NativeEndian.Uint64(e.Value); got != want {
				t.Fatalf("[%d] = %d, want %d", i, got, want)
			}
		}
		for i, want := range map[int][]Entry{7: {s.Entries[7]}, -1: nil} {
			key := binary.NativeEndian.AppendUint64(nil, 1<<40)
			if i >= 0 {
				key = s.Entries[i].Key
			}
			if one, err := m.ReadKey(key); err != nil || !reflect.DeepEqual(one.Entries, want) {
				t.Errorf("one element: %+v, not %+v; %v", one.Entries, want, err)
			}
		}
		var slow int
		if err := m.Storage.(*inKernel).walkKeys(func(_, _ []byte) { slow++ }); err != nil || slow != len(s.Entries) {
			t.Errorf("key by key: %d entries, %v", slow, err)
		}
		// Where a key is removed under the walk the kernel begins anew.
		given := map[string]int{}
		if err := m.Storage.(*inKernel).walkKeys(func(key, _ []byte) {
			if given[string(key)]++; len(given) == 500 {
				if err := m.Delete(key); err != nil {
					t.Fatal(err)
				}
			}
		}); err != nil || len(given) != len(s.Entries) {
			t.Errorf("key by key, one removed: %d of %d entries, %v", len(given), len(s.Entries), err)
		}
		for key, times := range given {
			if times != 1 {
				t.Fatalf("key %x was given %d times", key, times)
			}
		}
		if s, err = m.Read(); err != nil {
			t.Fatal(err)
		}
		if err := m.Zero(); err != nil {
			t.Error(err)
		}
		if z, _ := m.Read(); len(z.Entries) != len(s.Entries) || binary.NativeEndian.Uint64(z.Entries[7].Value) != 0 {
			t.Error("not zeroed")
		}
		if err := m.Clear(); err != nil {
			t.Error(err)
		}
		if z, _ := m.Read(); len(z.Entries) != 0 {
			t.Errorf("%d entries left", len(z.Entries))
		}
	}
}

// Values of each CPU take whole words, also where there is one CPU.
func TestStride(t *testing.T) {
	for _, c := range []struct {
		kind object.MapKind
		cpus int
		want int
	}{{object.MapPerCPUHash, 1, 16}, {object.MapPerCPUArray, 3, 48}, {object.MapHash, 1, 12}} {
		m := table{Spec: &object.Map{Kind: c.kind, ValueSize: 12}, cpus: c.cpus}
		if got := m.entrySize(); got != c.want {
			t.Errorf("kind %d with %d CPUs: %d bytes, not %d", c.kind, c.cpus, got, c.want)
		}
	}
}

// TestDrain empties maps of each kind twice: what it returns the second time is
// what came in between.
func TestDrain(t *testing.T) {
	count := &types.Type{Kind: types.Count, Size: 8}
	largest := &types.Type{Kind: types.Max, Size: 16}
	for _, spec := range []object.Map{
		{Kind: object.MapHash, KeySize: 8, ValueSize: 8, Key: types.U64, Value: count, Turns: &object.Turns{}},
		{Kind: object.MapPerCPUHash, KeySize: 8, ValueSize: 8, Key: types.U64, Value: count, Turns: &object.Turns{}},
		{Kind: object.MapLRUHash, KeySize: 8, ValueSize: 8, Key: types.U64, Value: count, Turns: &object.Turns{Offset: object.TurnsSize}},
		{Kind: object.MapPerCPULRUHash, KeySize: 8, ValueSize: 8, Key: types.U64, Value: count, Turns: &object.Turns{}},
		{Kind: object.MapArray, KeySize: 4, ValueSize: 8, Key: types.U64, Value: count},
		{Kind: object.MapPerCPUArray, KeySize: 4, ValueSize: 8, Value: count},
		{Kind: object.MapPerCPUArray, KeySize: 4, ValueSize: 16, Value: largest, Turns: &object.Turns{}},
		{Kind: object.MapArray, KeySize: 4, ValueSize: 16, Value: largest, Turns: &object.Turns{}},
	} {
		spec.Name, spec.MaxEntries, spec.Present = "@x", 64, -1
		m := newMap(t, spec)
		turns, _ := m.entries.(*turns)
		// add counts n more in entry 3, or entry 0 of a map without keys.
		var total int64
		add := func(n int64) {
			t.Helper()
			total += n
			key := make([]byte, spec.KeySize)
			if spec.Key != nil {
				key[0] = 3
			}
			val := make([]byte, m.entrySize())
			if !m.Storage.(*inKernel).isArray() {
				total = n
			}
			binary.NativeEndian.PutUint64(val, uint64(total))
			if spec.Value == largest {
				binary.NativeEndian.PutUint64(val, uint64(n))
				binary.NativeEndian.PutUint64(val[8:], 1)
			}
			used := m
			if turns != nil {
				used = turns.maps[*turns.now&1]
			}
			if err := used.Update(key, val); err != nil {
				t.Fatal(err)
			}
		}
		// next is what a message asks for.
		next := func() uint64 {
			if turns == nil {
				return 0
			}
			return *turns.taken + 1
		}
		// turn does what a program does: the drained map is then there twice.
		turn := func() {
			if t := turns; t != nil && *t.now == *t.taken {
				*t.now++
			}
		}
		expect := func(what string, s *Snapshot, err error, want ...int64) {
			t.Helper()
			var got []int64
			if err == nil {
				for _, e := range s.Entries {
					got = append(got, int64(binary.NativeEndian.Uint64(e.Value)))
				}
			}
			if err != nil || !slices.Equal(got, want) {
				t.Errorf("kind %d of %v, %s: %v %v, want %v", spec.Kind, spec.Value.Kind, what, got, err, want)
			}
		}
		for _, n := range []int64{5, 7} {
			add(n)
			s, err := m.Read()
			expect("read", s, err, n)
			if n == 7 {
				turn() // else Drain does it
				turn()
			}
			s, err = m.Read()
			expect("read again", s, err, n)
			s, err = m.Drain(next())
			expect("drained", s, err, n)
			s, err = m.Read()
			expect("read empty", s, err)
			s, err = m.Drain(next())
			expect("drained empty", s, err)
		}
		if err := m.Clear(); err != nil {
			t.Error(err)
		}
		total = 0
		add(9)
		s, err := m.Read()
		expect("cleared", s, err, 9)
		if turns == nil {
			continue
		}
		// What waits and what has come since are one map, of which Drain takes what waits.
		turn()
		total = 0
		add(4)
		sum := int64(13)
		if spec.Value == largest {
			sum = 9
		}
		s, err = m.Read()
		expect("both", s, err, sum)
		s, err = m.Drain(next())
		expect("the older", s, err, 9)
		s, err = m.Read()
		expect("the newer", s, err, 4)
		s, err = m.Drain(*turns.taken)
		expect("taken already", s, err)
		s, err = m.Read()
		expect("still the newer", s, err, 4)
		turn()
		add(3)
		if err := m.Clear(); err != nil {
			t.Error(err)
		}
		s, err = m.Read()
		expect("both cleared", s, err)
		add(2)
		total = 0
		s, err = m.Drain(*turns.now + 1)
		expect("two turns", s, err, 2)
	}
}

func TestKeyedArray(t *testing.T) {
	for _, kind := range []object.MapKind{object.MapArray, object.MapPerCPUArray} {
		m := newMap(t, object.Map{Name: "@x", Kind: kind, KeySize: 4, ValueSize: 8, MaxEntries: 512, Present: -1, Script: true,
			Key: types.U64, Value: &types.Type{Kind: types.Count, Size: 8}})
		val := make([]byte, m.entrySize())
		for i := range val {
			if i%8 == 0 {
				val[i] = 2
			}
		}
		if err := m.Update([]byte{44, 1, 0, 0}, val); err != nil {
			t.Fatal(err)
		}
		s, err := m.Read()
		if err != nil || len(s.Entries) != 1 || !slices.Equal(s.Entries[0].Key, words(300)) || !slices.Equal(s.Entries[0].Value, words(2*int64(m.cpus))) {
			t.Errorf("%+v %v", s, err)
		}
		if one, err := m.ReadKey(words(300)); err != nil || !reflect.DeepEqual(one, s) {
			t.Errorf("one element: %+v %v", one, err)
		}
		for _, none := range []int64{299, 512, -1} {
			if one, err := m.ReadKey(words(none)); err != nil || len(one.Entries) != 0 {
				t.Errorf("element %d: %+v %v", none, one, err)
			}
		}
		if err := m.Clear(); err != nil {
			t.Error(err)
		}
		if s, _ := m.Read(); len(s.Entries) != 0 {
			t.Error("not cleared")
		}
	}
}

func TestTaskStorage(t *testing.T) {
	m := newMap(t, object.Map{Name: "@start", Kind: object.MapTaskStorage, KeySize: 4, ValueSize: 8, Present: -1, Script: true,
		Key: types.U32, Value: types.U64})
	fd, err := unix.PidfdOpen(unix.Getpid(), 0)
	if err != nil {
		t.Fatal(err)
	}
	defer unix.Close(fd)
	err = m.Update(words(int64(fd))[:4], words(77))
	if errors.Is(err, unix.ENOMEM) {
		t.Skip("new kernels have no task storage on a processor without cmpxchg16b: ", err)
	}
	if err != nil {
		t.Fatal(err)
	}
	s, err := m.Read()
	if err != nil || len(s.Entries) != 1 || !slices.Equal(s.Entries[0].Key, words(int64(unix.Getpid()))[:4]) || !slices.Equal(s.Entries[0].Value, words(77)) {
		t.Errorf("%+v %v", s, err)
	}
	if err := m.Clear(); err != nil {
		t.Error(err)
	}
	if s, _ := m.Read(); len(s.Entries) != 0 {
		t.Error("not cleared")
	}
}

func TestCounters(t *testing.T) {
	m := newMap(t, object.Map{Name: "fst_loss", Kind: object.MapArray, KeySize: 4, ValueSize: 32, MaxEntries: 1, Present: -1})
	if err := m.Update(make([]byte, 4), words(0, 3, 0, 1)); err != nil {
		t.Fatal(err)
	}
	if c, err := m.Counters(); err != nil || !slices.Equal(c, []uint64{0, 3, 0, 1}) {
		t.Error(c, err)
	}
}

func BenchmarkRead(b *testing.B) {
	const n = 1_000_000
	m := newMap(b, object.Map{Name: "@x", Kind: object.MapHash, KeySize: 8, ValueSize: 8, MaxEntries: n, Present: -1,
		Key: types.U64, Value: types.U64})
	fill(b, m, n)
	for b.Loop() {
		if s, err := m.Read(); err != nil || len(s.Entries) != n {
			b.Fatal(len(s.Entries), err)
		}
	}
}

// TestCreateErrors: the reason is told from the size of what was refused, and
// what helps is of that map.
func TestCreateErrors(t *testing.T) {
	ring := &object.Map{Name: "fst_ring", Kind: object.MapRingBuf, MaxEntries: 4 << 20}
	small := &object.Map{Name: "fst_loss", Kind: object.MapArray, KeySize: 4, ValueSize: 8, MaxEntries: 1}
	many := &object.Map{Name: "@a", Kind: object.MapPerCPUHash, KeySize: 8, ValueSize: 8, MaxEntries: 1 << 30}
	value := &object.Map{Name: "@h", Kind: object.MapArray, KeySize: 4, ValueSize: 5 << 20, MaxEntries: 1}
	for _, c := range []struct {
		spec *object.Map
		err  error
		want string
	}{
		{ring, unix.ENOMEM, "cannot create the buffer for messages: it takes 4194304 bytes, and the kernel gives no more memory; take less: config = { perf_rb_pages = 16 }; or raise"},
		{small, unix.ENOMEM, "cannot create the map fst_loss: it takes 12 bytes, and the kernel gives no more memory; free some"},
		{many, unix.ENOMEM, "cannot create the map @a: 1073741824 entries of 16 bytes need more memory than the kernel gives; lower max_map_keys"},
		{value, unix.E2BIG, "cannot create the map @h: a value of 5242880 bytes is larger than the kernel takes; lower"},
	} {
		if got := createError(c.spec, size(c.spec, []int{0, 1, 5}), c.err).Error(); !strings.HasPrefix(got, c.want) {
			t.Errorf("%s", got)
		}
	}
	if got := size(many, []int{0, 1, 5}); got != 3*16<<30 {
		t.Errorf("%d bytes of @a", got)
	}
}
