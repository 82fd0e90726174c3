package render

import (
	"strconv"
	"time"
)

// appendTime appends t by a format of C's strftime in the C locale, with the
// flags and widths of the GNU library. extended adds %f (microseconds), and
// gives %l (milliseconds) and %k (nanoseconds) another meaning than C's.
func appendTime(b []byte, format string, t time.Time, extended bool) []byte {
	for i := 0; i < len(format); i++ {
		if format[i] != '%' {
			b = append(b, format[i])
			continue
		}
		d, n := parseDirective(format[i:])
		if n == 0 {
			b = append(b, '%')
			continue
		}
		start := len(b)
		out, ok := d.append(b, t, extended)
		if !ok {
			out = append(b, format[i:i+n]...)
		} else if d.flag == '^' || d.flag == '#' {
			upper(out[start:])
		}
		b = out
		i += n - 1
	}
	return b
}

// directive is one % of a format.
type directive struct {
	letter byte
	flag   byte // '_' '-' '0' '^' '#' or 0
	width  int
}

func parseDirective(s string) (d directive, n int) {
	i := 1
	for ; i < len(s); i++ {
		switch s[i] {
		case '_', '-', '0', '^', '#':
			d.flag = s[i]
			continue
		}
		break
	}
	for ; i < len(s) && s[i] >= '0' && s[i] <= '9'; i++ {
		d.width = min(d.width*10+int(s[i]-'0'), 1024)
	}
	for i < len(s) && (s[i] == 'E' || s[i] == 'O') {
		i++
	}
	if i >= len(s) {
		return d, 0
	}
	d.letter = s[i]
	return d, i + 1
}

// append writes the directive's part of t; ok is false if C has no such
// letter.
func (d directive) append(b []byte, t time.Time, extended bool) (out []byte, ok bool) {
	sub := func(format string) ([]byte, bool) { return appendTime(b, format, t, false), true }
	switch d.letter {
	case 'a':
		return t.AppendFormat(b, "Mon"), true
	case 'A':
		return t.AppendFormat(b, "Monday"), true
	case 'b', 'h':
		return t.AppendFormat(b, "Jan"), true
	case 'B':
		return t.AppendFormat(b, "January"), true
	case 'c':
		return sub("%a %b %e %H:%M:%S %Y")
	case 'C':
		return d.number(b, t.Year()/100, 2, '0')
	case 'd':
		return d.number(b, t.Day(), 2, '0')
	case 'D', 'x':
		return sub("%m/%d/%y")
	case 'e':
		return d.number(b, t.Day(), 2, ' ')
	case 'f':
		if !extended {
			return b, false
		}
		return d.number(b, t.Nanosecond()/1000, 6, '0')
	case 'F':
		return sub("%Y-%m-%d")
	case 'g', 'G':
		year, _ := t.ISOWeek()
		if d.letter == 'g' {
			return d.number(b, year%100, 2, '0')
		}
		return d.number(b, year, 1, '0')
	case 'H':
		return d.number(b, t.Hour(), 2, '0')
	case 'I':
		return d.number(b, hour12(t), 2, '0')
	case 'j':
		return d.number(b, t.YearDay(), 3, '0')
	case 'k':
		if extended {
			return d.number(b, t.Nanosecond(), 9, '0')
		}
		return d.number(b, t.Hour(), 2, ' ')
	case 'l':
		if extended {
			return d.number(b, t.Nanosecond()/1e6, 3, '0')
		}
		return d.number(b, hour12(t), 2, ' ')
	case 'm':
		return d.number(b, int(t.Month()), 2, '0')
	case 'M':
		return d.number(b, t.Minute(), 2, '0')
	case 'n':
		return append(b, '\n'), true
	case 'p':
		return t.AppendFormat(b, "PM"), true
	case 'P':
		return t.AppendFormat(b, "pm"), true
	case 'r':
		return sub("%I:%M:%S %p")
	case 'R':
		return sub("%H:%M")
	case 's':
		return strconv.AppendInt(b, t.Unix(), 10), true
	case 'S':
		return d.number(b, t.Second(), 2, '0')
	case 't':
		return append(b, '\t'), true
	case 'T', 'X':
		return sub("%H:%M:%S")
	case 'u':
		return d.number(b, (int(t.Weekday())+6)%7+1, 1, '0')
	case 'U':
		return d.number(b, (t.YearDay()+6-int(t.Weekday()))/7, 2, '0')
	case 'V':
		_, week := t.ISOWeek()
		return d.number(b, week, 2, '0')
	case 'w':
		return d.number(b, int(t.Weekday()), 1, '0')
	case 'W':
		return d.number(b, (t.YearDay()+6-(int(t.Weekday())+6)%7)/7, 2, '0')
	case 'y':
		return d.number(b, t.Year()%100, 2, '0')
	case 'Y':
		return d.number(b, t.Year(), 1, '0')
	case 'z':
		return t.AppendFormat(b, "-0700"), true
	case 'Z':
		return t.AppendFormat(b, "MST"), true
	case '%':
		return append(b, '%'), true
	}
	return b, false
}

// number pads n to a width with fill, unless the directive says otherwise.
func (d directive) number(b []byte, n, width int, fill byte) ([]byte, bool) {
	switch d.flag {
	case '-':
		width = 0
	case '_':
		fill = ' '
	case '0':
		fill = '0'
	}
	text := strconv.Itoa(n)
	for i := len(text); i < max(width, d.width); i++ {
		b = append(b, fill)
	}
	return append(b, text...), true
}

func hour12(t time.Time) int { return (t.Hour()+11)%12 + 1 }
