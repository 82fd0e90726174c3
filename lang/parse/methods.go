package parse

import (
	"strings"
)

// A call of a method, as in comm.contains("x"), is another slip: values have
// members, but no functions.

// mapMethods are what other languages call on a map; M stands for the map.
var mapMethods = map[string]string{
	"has": "write has_key(M, key)", "contains": "write has_key(M, key)", "exists": "write has_key(M, key)", "has_key": "write has_key(M, key)",
	"containsKey": "write has_key(M, key)", "get": "write M[key]", "lookup": "write M[key]", "put": "write M[key] = x",
	"append": "write M[key] = x", "push": "write M[key] = x",
	"delete": "write delete(M, key)", "remove": "write delete(M, key)", "pop": "write delete(M, key)", "del": "write delete(M, key)",
	"clear": "write clear(M)", "print": "write print(M)", "len": "write len(M)", "length": "write len(M)", "size": "write len(M)",
	"items": "write for ($kv : M) { print($kv.0); print($kv.1) }", "keys": "write for ($kv : M) { print($kv.0) }",
	"values": "write for ($kv : M) { print($kv.1) }", "forEach": "write for ($kv : M) { ... }", "each": "write for ($kv : M) { ... }",
	"top": "write print(M, 10)", "most_common": "write print(M, 10)", "sort": "print(M, 10) shows the largest entries",
}

// textMethods are what other languages call on a text, V.
var textMethods = map[string]string{
	"len": "write strlen(V)", "length": "write strlen(V)", "size": "write strlen(V)",
	"find": `strstr(V, "part") says where a part begins`, "index": `strstr(V, "part") says where a part begins`,
	"indexOf": `strstr(V, "part") says where a part begins`,
	"equals":  `write V == "text"`, "toString": "print(V) shows any value", "to_string": "print(V) shows any value", "String": "print(V) shows any value",
	"format": `write printf("%s ...", x)`,
}

func init() {
	for _, name := range []string{"contains", "includes", "match", "matches", "search", "test", "has", "in", "endswith", "endsWith", "ends_with", "hasSuffix"} {
		textMethods[name] = `strcontains(V, "part") is true if a text contains a part`
	}
	for _, name := range []string{"startswith", "startsWith", "starts_with", "hasPrefix", "has_prefix"} {
		textMethods[name] = `write strncmp(V, "abc", 3) == 0 for a text that begins with the three letters abc`
	}
	for _, name := range []string{"substr", "substring", "slice"} {
		textMethods[name] = "str(address, length) reads the first characters of a text"
	}
	for _, name := range []string{"upper", "lower", "toUpperCase", "toLowerCase", "strip", "trim", "replace", "split"} {
		textMethods[name] = "texts can't be changed or taken apart; strcontains and strstr look for parts"
	}
}

// packages are names that other languages have functions in, with what to say of them.
var packages = map[string]string{
	"console": outputUsage, "fmt": outputUsage, "System": outputUsage, "out": outputUsage, "log": outputUsage, "logging": outputUsage, "stdout": outputUsage,
	"time": "nsecs is the time, took what a call took; interval:1s runs every second", "os": "there are no packages; fst doc lists the functions",
	"sys": "there are no packages; fst doc lists the functions", "math": "there are no packages; fst doc lists the functions",
	"strings": holdsPart,
}

const outputUsage = `write print(x), or printf("%s %d\n", text, number)`

// receiver is the value in front of a method's name, if it is a name with
// keys or members.
var receiver = lazy(`[@$]?\w+(?:\[[^\[\]]*\])?(?:(?:\.|->)\w+)*$`)

// methodHint is the hint for x.name(, behind the name.
func (t *tokens) methodHint() string {
	name := t.prev
	if hint := t.aggregation(); hint != "" {
		return hint
	}
	before := strings.TrimRight(string(t.p.text[t.base:t.base+name.Pos.Offset]), " \t\n")
	value := receiver().FindString(strings.TrimSuffix(strings.TrimSuffix(before, "."), "->"))
	hint, isPackage := packages[value]
	if first, _, _ := strings.Cut(value, "."); !isPackage {
		hint, isPackage = packages[first]
	}
	switch known, isText := textMethods[name.Value]; {
	case isPackage && name.Value == "exit":
		return "write exit()"
	case isPackage:
		return hint
	case strings.HasPrefix(value, "@") && mapMethods[name.Value] != "":
		return strings.ReplaceAll(mapMethods[name.Value], "M", value)
	case isText && value == "":
		return strings.ReplaceAll(known, "V", "text")
	case isText:
		return strings.ReplaceAll(known, "V", value)
	}
	return "fst doc lists the functions, which are written name(x)"
}

// aggregations are what ply and BCC call on maps, with what fills a map here.
var aggregations = map[string]string{"count": "count()", "quantize": "hist(x)", "sum": "sum(x)", "avg": "avg(x)", "min": "min(x)", "max": "max(x)",
	"inc": "count()", "increment": "count()", "add": "sum(x)", "update": "x", "set": "x", "hist": "hist(x)", "lhist": "lhist(x, min, max, step)", "stats": "stats(x)"}

// aggregation is the hint for @map.count() and its like, behind the name.
func (t *tokens) aggregation() string {
	first, name := t.stmtStart, t.prev
	if first == nil || first.Type != tokMap && first.Type != tokVar || aggregations[name.Value] == "" {
		return ""
	}
	place, _ := strings.CutSuffix(strings.TrimSpace(string(t.p.text[t.base+first.Pos.Offset:t.base+name.Pos.Offset])), ".")
	place = strings.TrimSpace(place)
	return "write @" + strings.TrimLeft(place, "@$") + " = " + aggregations[name.Value]
}
