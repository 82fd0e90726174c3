package object

import "testing"

func TestColumns(t *testing.T) {
	for _, test := range []struct{ format, names, keys, bad string }{
		{"PID %-7d COMM %-16s PATH %s", "PID,COMM,PATH,", "pid,comm,path,", ""},
		{"LAT(us) %8d HIT%% %3d READ/s %d", "LAT(us),HIT%,READ/s,", "lat_us,hitpct,read_s,", ""},
		{"A B %d\n", "A B,", "a_b,", ""},
		{"A %d %d", "", "", "a conversion has no name"},
		{"A %d B", "", "", "the column B has no conversion"},
	} {
		verbs, _ := ParseFormat(test.format)
		cols, bad := Columns(verbs)
		names, keys := "", ""
		for _, c := range cols {
			names += c.Name + ","
			keys += c.Key() + ","
		}
		if names != test.names || keys != test.keys || bad != test.bad {
			t.Errorf("%q: %q %q %q", test.format, names, keys, bad)
		}
	}
}

// TestColumnWidths makes sure that a heading fits above its column, and that
// numbers are whole.
func TestColumnWidths(t *testing.T) {
	verbs, _ := ParseFormat("LONGNAME %3d N %5d C %hhd LAST %s")
	cols, _ := Columns(verbs)
	for i, want := range []struct{ width, bits int }{{8, 64}, {5, 64}, {1, 8}, {0, 64}} {
		if v := cols[i].Verb; v.Width != want.width || v.Bits != want.bits {
			t.Errorf("%s: width %d bits %d, want %v", cols[i].Name, v.Width, v.Bits, want)
		}
	}
}
