package analysis_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"fst/compiler"
	"fst/compiler/analysis"
	"fst/compiler/builtin"
	"fst/compiler/check"
	"fst/compiler/target/fixture"
	"fst/lang/ast"
	"fst/lang/diag"
	"fst/lang/parse"
	"fst/lang/source"
)

// checked are the units of a script, on Linux 6.12.
func checked(t *testing.T, script string) []*check.Unit {
	t.Helper()
	k, err := fixture.Load("6.12")
	if err != nil {
		t.Fatal(err)
	}
	var set source.Set
	var diags diag.List
	tree := parse.Parse(set.Add("a.fst", script), &diags)
	_, info := compiler.Check(&set, tree, check.Options{Target: k}, &diags)
	if diags.HasErrors() {
		t.Fatal(script, diags.All)
	}
	return info.Units
}

// TestMapUses: what a script does with its map @m.
func TestMapUses(t *testing.T) {
	for body, want := range map[string]analysis.MapUse{
		"@m[pid] = count();": {},
		"@m[pid] = 1;":       {Read: true},
		"@m[pid]++;":         {Read: true},
		"@m[pid] = 1; if (@m[pid] == 1) { exit() }": {Read: true},
		"@m[pid] = count(); delete(@m, pid);":       {Does: builtin.DoesDelete},
		"@m[pid] = count(); clear(@m); zero(@m);":   {Does: builtin.DoesClear | builtin.DoesZero},
		"@m[pid] = count(); print(@m);":             {Does: builtin.ShowsMaps},
		"@m[pid] = 1; print(@m[pid]);":              {Read: true},
		"@m[pid] = 1; for ($kv : @m) { }":           {Looped: true, Read: true},
		"@m[pid] = 1; @other[@m[pid]] = count();":   {Read: true},
		"@m[@m[1]] = 2;":                            {Read: true},
	} {
		got := *analysis.FindMapUses(checked(t, "begin { "+body+" }")).Of("m")
		got.Does &= builtin.DoesDelete | builtin.DoesClear | builtin.DoesZero | builtin.ShowsMaps
		if body != "@m[pid] = count(); print(@m);" {
			got.Does &^= builtin.ShowsMaps // of an element
		}
		if got != want {
			t.Errorf("%s: %+v, want %+v", body, got, want)
		}
	}
}

// TestLoops: which loops become callbacks, which variables their bodies share with the rest, and whether some is within another.
func TestLoops(t *testing.T) {
	for body, want := range map[string]string{
		"$n = 0; for ($i : 0..3) { $n += $i; }":                                  "0 callbacks, shared: ",
		"$n = 0; for ($i : 0..100000) { $n += $i; }":                             "1 callbacks, shared: n",
		"for ($i : 0..pid) { $n = $i; print($n); }":                              "1 callbacks, shared: ",
		"$n = 0; for ($kv : @m) { $n += $kv.1; } print($n);":                     "1 callbacks, shared: n",
		"for ($kv : @m) { for ($i : 0..pid) { print($i); } }":                    "2 callbacks, nested, shared: ",
		"for ($i : 0..9) { for ($j : 0..pid) { print($j); } }":                   "1 callbacks, nested, shared: ",
		"$i = 0; while ($i < 3) { $i++; }":                                       "0 callbacks, shared: ",
		"$i = 0; while ($i < 100000) { $i++; }":                                  "1 callbacks, shared: i",
		"unroll(3) { print(1); }":                                                "0 callbacks, shared: ",
		"$a = 1; $b = 2; for ($kv : @m) { $a = $b; } for ($i : 0..pid) { $b++ }": "2 callbacks, shared: a b",
	} {
		units := checked(t, "begin { @m[1] = 1; "+body+" }")
		questions := 0
		l := analysis.FindLoops(units[0], func() bool { questions++; return true })
		got := fmt.Sprintf("%d callbacks, ", l.Callbacks)
		if l.HasNested() {
			got += "nested, "
		}
		var shared []string
		for _, v := range l.Shared {
			shared = append(shared, v.Name)
		}
		slices.Sort(shared)
		if got += "shared: " + strings.Join(shared, " "); got != want {
			t.Errorf("%s: %s, want %s", body, got, want)
		}
		if old := analysis.FindLoops(units[0], func() bool { return false }); strings.Contains(body, "while") && old.Callbacks != 0 {
			t.Errorf("%s: a callback on a kernel without bpf_loop", body)
		}
		if l.Callbacks == 0 && questions > 0 {
			t.Errorf("%s: the kernel is asked, and nothing depends on it", body)
		}
	}
}

// TestLive: a unit whose filter is false is idle, and of a script's own all else counts.
func TestLive(t *testing.T) {
	for script, want := range map[string]bool{
		"begin { @a = 1; }":                              false,
		"interval:1s /false/ { print(1); }":              true,
		"interval:1s /comptime (1 == 2)/ { @x = 1; }":    true,
		"interval:1s /pid == 1 && false/ { print(2); }":  true,
		"interval:1s /pid == 1 || false/ { print(2); }":  false,
		"interval:1s /(1 == 2) && pid == 1/ { @x = 1; }": true,
	} {
		for _, u := range checked(t, script) {
			if got := analysis.FindLive([]*check.Unit{u}).IsIdle(u); got != want {
				t.Errorf("%s: idle is %v", script, got)
			}
		}
	}
	// A field of a library's probe that the script does not read has no effect.
	units := checked(t, "sched:off { @[args.why] = count(); }")
	live, idle := analysis.FindLive(units), 0
	for _, u := range units {
		if live.IsIdle(u) {
			idle++
		} else if u.Body != nil {
			for _, s := range u.Body.Stmts {
				if live.Idle(u, s) {
					idle++
				}
			}
		}
	}
	if idle == 0 {
		t.Error("all of sched:off is computed for one of its fields")
	}
}

// TestOrigins: which texts are literals of the script, however they are passed on.
func TestOrigins(t *testing.T) {
	for body, want := range map[string]bool{
		`$x = "a"; print($x);`:                               true,
		`$x = "a"; $x = "b"; print($x);`:                     true,
		`$x = "a"; $x = comm; print($x);`:                    false,
		`$x = pid == 1 ? "a" : "b"; print($x);`:              true,
		`$x = pid == 1 ? "a" : comm; print($x);`:             false,
		`@x = "a"; $y = @x; print($y);`:                      true,
		`@x = "a"; @x = comm; $y = @x; $z = $y; print($z);`:  false,
		`$x = "a"; $y = $x; $x = comm; print($y);`:           false,
		`let $x = "a"; print($x);`:                           true,
		`@x[1] = "a"; @x[2] = "b"; $y = @x[pid]; print($y);`: true,
	} {
		units := checked(t, "begin { "+body+" }")
		stmts := units[0].Body.Stmts
		shown := stmts[len(stmts)-1].(*ast.ExprStmt).X.(*ast.Call).Args[0]
		if got := analysis.FindOrigins(units).IsOwn(units[0], shown); got != want {
			t.Errorf("%s: of the script alone: %v", body, got)
		}
	}
}

// TestClearedBehind: which print() of a map is followed by its clear() with nothing between that has to do with it.
func TestClearedBehind(t *testing.T) {
	for body, want := range map[string]string{
		"print(@m); clear(@m);":                            "map[0:1]",
		"clear(@m); print(@m);":                            "map[]",
		"print(@m); print(1); clear(@m);":                  "map[0:2]",
		"print(@m); @m[2] = 3; clear(@m);":                 "map[]",
		"print(@m); if (pid == 1) { return; } clear(@m);":  "map[]",
		"print(@m); exit(); clear(@m);":                    "map[]",
		"print(@m); print(@n); clear(@m); clear(@n);":      "map[0:2 1:3]",
		"print(@m[1]); clear(@m);":                         "map[]",
		"print(@m); print(@m); clear(@m);":                 "map[1:2]",
		"print(@m); if (pid == 1) { clear(@m); } print(1)": "map[]",
	} {
		units := checked(t, "interval:1s { "+body+" } begin { @m[1] = 1; @n[1] = 1; }")
		all := func(string) bool { return true }
		behind := analysis.ClearedBehind(units[0], units[0].Body.Stmts, all)
		if got := fmt.Sprint(behind); got != want {
			t.Errorf("%s: %s, want %s", body, got, want)
		}
		if none := analysis.ClearedBehind(units[0], units[0].Body.Stmts, func(string) bool { return false }); len(none) > 0 {
			t.Errorf("%s: %v, and no map can be drained", body, none)
		}
	}
}

// TestFilters: the parts of a filter, those that are the same at the entry of a call, and those with effects.
func TestFilters(t *testing.T) {
	for filter, want := range map[string]string{
		"pid == 1":                             "entry",
		"pid == 1 && comm == \"x\"":            "entry; entry",
		"args.count > 1 && ret > 0":            "entry; ",
		"took > 1000 && tid == 3 && @m[tid]++": "; entry; effect",
		"(pid == 1 || tid == 2) && ret < 0":    "entry branches; ",
		"has_key(@m, pid)":                     "",
	} {
		u := checked(t, "syscall:read /"+filter+"/ { print(1); } begin { @m[(uint32)1] = 1; }")[0]
		var parts []string
		for _, x := range analysis.Conjuncts(u, u.Clause.Filter) {
			var is []string
			if analysis.SameAtEntry(u, x) {
				is = append(is, "entry")
			}
			if analysis.HasEffects(x) {
				is = append(is, "effect")
			}
			if analysis.Branches(x) {
				is = append(is, "branches")
			}
			parts = append(parts, strings.Join(is, " "))
		}
		if got := strings.Join(parts, "; "); got != want {
			t.Errorf("%s: %q, want %q", filter, got, want)
		}
	}
}

// TestVariables: which variables a body changes, and of which it takes the address.
func TestVariables(t *testing.T) {
	for body, want := range map[string]string{
		"$a = 1; $b = 2; $a++; $b += 1;":                "a b; ; false",
		"$a = 1; print($a);":                            "a; ; false",
		"$a = 1; $p = &$a; print(*$p);":                 "a p; a; true",
		"$a = (1, 2); print($a.0);":                     "a; ; false",
		"@m = 1; $p = &@m; print(*$p);":                 "p; ; true",
		"let $a: uint32; print($a);":                    "a; ; false",
		"$t = curtask; $p = &$t->pid; print((int64)$p)": "p t; ; false",
	} {
		u := checked(t, "begin { "+body+" }")[0]
		names := func(vars []*check.Var) string {
			var list []string
			for _, v := range vars {
				list = append(list, v.Name)
			}
			slices.Sort(list)
			return strings.Join(list, " ")
		}
		var taken []*check.Var
		for v := range analysis.AddressTaken(u) {
			taken = append(taken, v)
		}
		got := fmt.Sprintf("%s; %s; %v", names(analysis.ChangedVars(u, u.Body)), names(taken), analysis.TakesOwnAddress(u))
		if got != want {
			t.Errorf("%s: %s, want %s", body, got, want)
		}
	}
}
