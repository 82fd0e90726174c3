package conformance

import (
	"slices"
	"testing"
)

const page = `# A page

    # cat a.fst
    BEGIN { print("a"); }

    END { }

Text.

<!-- needs: root
workload: sleep 1 -->

    # fst a.fst 'b
    c' "d e"
    12.5us 0x7f "x"
    2026-11-27T23:48:12.31Z,cat,12

    [4, 8)    12 |@@  |

Another:

    # sh other
    # fst -e 'x'
    stdin:1:1-2: ERROR: no
      hint: yes
`

func TestPage(t *testing.T) {
	cases, err := ParsePage("p", page)
	if err != nil || len(cases) != 2 {
		t.Fatalf("%v, %d cases", err, len(cases))
	}
	c := cases[0]
	if !slices.Equal(c.Args, []string{"a.fst", "b\nc", "d e"}) || c.Files["a.fst"] != "BEGIN { print(\"a\"); }\n\nEND { }\n" ||
		!slices.Equal(c.Needs, []string{"root", "unemulated"}) || c.Workload != "sleep 1" || c.EndSelf || c.Exit != 0 || len(c.Printed) != 3 {
		t.Errorf("%+v", c)
	}
	if s := c.judgePage("[16K, 32K) 1 |@ |\n7ns   0x1 \"x\"\n2026-11-28T00:08:35.694Z,cat,1\n", ""); s != "" {
		t.Error(s)
	}
	if s := c.judgePage("7ns 0x1 \"y\"\n", ""); s == "" {
		t.Error("another text has the same shape")
	}
	c = cases[1]
	if c.Exit != 1 || !c.EndSelf || c.judgePage("", "stdin:1:1-2: ERROR: no\n  hint: yes\n") != "" || c.judgePage("", "stdin:1:1-2: ERROR: no\n") == "" {
		t.Errorf("%+v", c)
	}
}
