package types

import (
	"fmt"
	"math/rand/v2"
	"testing"
)

// rank counts a key as a program does: irbuild.Builder.Rank.
func rank(a *Agg, v []byte, key uint64) {
	l := a.Ranking()
	setWord(v, 1, word(v, 1)+1)
	set := l.sets(v)[key*0x9e3779b97f4a7c15>>32%uint64(l.Sets)]
	least := -1
	for i := range RankingWays {
		slot := set[8+i*l.SlotSize():]
		switch n := word(slot, 0); {
		case n > 0 && word(slot, 2) == key:
			setWord(slot, 0, n+1)
			return
		case least < 0, n < word(set[8+least*l.SlotSize():], 0):
			least = i
		}
	}
	slot := set[8+least*l.SlotSize():]
	setWord(slot, 1, word(slot, 0))
	setWord(slot, 0, word(slot, 0)+1)
	setWord(slot, 2, key)
}

// TestRankings counts random keys on several CPUs and merges them: of each key that is left, the true number lies
// within its bounds, and no other key occurred more often than the least of its set. Few keys are counted exactly.
func TestRankings(t *testing.T) {
	if testing.Short() {
		t.Skip("slow under the race detector, which finds nothing here that it does not find in other tests")
	}
	r := rand.New(rand.NewPCG(1, 2))
	for round := range 200 {
		agg := Agg{N: 1 + r.IntN(40), Elem: U64}
		keys := 1 + r.IntN(300)
		if round%4 == 0 {
			keys = 1 + r.IntN(RankingWays)
		}
		typ := AggregationType(Top, agg)
		truth := map[uint64]uint64{}
		var cpus [][]byte
		for range 1 + r.IntN(5) {
			v := make([]byte, typ.Size)
			for range r.IntN(3000) {
				key := uint64(r.IntN(1 + r.IntN(keys)))
				truth[key]++
				rank(&agg, v, key)
			}
			setWord(v, 0, uint64(r.IntN(2)))
			for range word(v, 0) { // missed
				truth[uint64(r.IntN(keys))]++
			}
			cpus = append(cpus, v)
		}
		for len(cpus) > 1 { // in any order
			i, j := 0, 1+r.IntN(len(cpus)-1)
			merged := make([]byte, typ.Size)
			mergeRankings(merged, cpus[i], &agg)
			mergeRankings(merged, cpus[j], &agg)
			cpus[j] = merged
			cpus = cpus[1:]
		}
		v, total := cpus[0], uint64(0)
		for _, n := range truth {
			total += n
		}
		if got := typ.Kind.Aggregation().Weight(v, &agg); got != total {
			t.Fatalf("%d events are %d", total, got)
		}
		left := map[uint64]bool{}
		for _, k := range agg.RankedOf(v) {
			key := word(k.Key, 0)
			left[key] = true
			if n := truth[key]; n > k.Count || n < k.Count-k.Error {
				t.Errorf("round %d: %d occurred %d times, not %d to %d", round, key, n, k.Count-k.Error, k.Count)
			}
			if keys <= RankingWays && k.Error != word(v, 0) {
				t.Errorf("round %d: one of %d keys has the error %d", round, keys, k.Error)
			}
		}
		l := agg.Ranking()
		for key, n := range truth {
			_, others := l.ranked(l.sets(v)[key*0x9e3779b97f4a7c15>>32%uint64(l.Sets)])
			if !left[key] && n > others+word(v, 0) {
				t.Errorf("round %d: %d occurred %d times and is left out, others at most %d", round, key, n, others)
			}
		}
	}
}

// TestRankingTorn takes sets that were read in the midst of a change from another reading.
func TestRankingTorn(t *testing.T) {
	agg := Agg{N: 20, Elem: U64}
	l := agg.Ranking()
	v, again := make([]byte, l.size()), make([]byte, l.size())
	setWord(l.sets(v)[1], l.SetSize()/8-1, 3) // a change has begun
	for i := range 2 {
		setWord(l.sets(again)[1], 0, uint64(2+i))
		setWord(l.sets(again)[1], l.SetSize()/8-1, 3)
		if torn := mendRanking(v, again, &agg); torn != (i == 0) {
			t.Errorf("reading %d: torn is %v", i, torn)
		}
	}
	if got := word(l.sets(v)[1], 0); got != 3 {
		t.Error("the intact set is not taken", got)
	}
}

// TestRankingLayout has room for what is asked for.
func TestRankingLayout(t *testing.T) {
	for _, n := range []int{1, 10, 16, 17, 100, 250} {
		for _, size := range []int{1, 8, 16, 20, 64} {
			a := Agg{N: n, Elem: StringType(size)}
			if l := a.Ranking(); l.size() > MostRanking || l.Slots() < 2*n && n*size <= 8192 || l.Slots() < 4*n && n*size < 1024 {
				t.Error(fmt.Sprint(n, " keys of ", size, ": ", l))
			}
		}
	}
}
