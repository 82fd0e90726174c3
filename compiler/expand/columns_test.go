package expand

import (
	"slices"
	"strings"
	"testing"
)

func TestTimeFormat(t *testing.T) {
	for _, c := range []struct {
		format, text string
		times        []int
		conversions  int
	}{
		{"PID %-7d LAT %9T FILE %s", "PID %-7d LAT(us) %9d FILE %s", []int{1}, 3},
		{"HIT%% %4d TIME  %-9T", "HIT%% %4d TIME(us) %-9d", []int{1}, 2},
		{"A %T B %T", "A(us) %d B(us) %d", []int{0, 1}, 2},
		{"A %d", "A %d", nil, 1},
		{"A %", "A %", nil, 1},
		{"", "", nil, 0},
	} {
		texts, times, n := timeFormat(c.format)
		if text := strings.Join(texts, "us"); text != c.text || !slices.Equal(times, c.times) || n != c.conversions {
			t.Errorf("%q becomes %q, %v, %d", c.format, texts, times, n)
		}
	}
}
