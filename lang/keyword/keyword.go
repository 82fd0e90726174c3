// Package keyword is the table of the words that the grammar itself knows. The
// parser, the documentation (fst doc) and the completion of the prompt read it.
package keyword

// Kind is where a word stands.
type Kind byte

const (
	Declaration Kind = iota // between clauses
	Statement               // at the start of a statement
	Value                   // within an expression
)

// Word is a keyword. Those that are not Reserved are ordinary names where they
// can't be meant.
type Word struct {
	Name     string
	Kind     Kind
	Reserved bool
	Forms    []string // what else begins so and says the same
	Usage    string
	Help     string
	Example  string // a whole script
}

// Words are all keywords, in the order in which they are documented.
var Words = []Word{
	{Name: "config", Usage: "config = { NAME = VALUE; ... }", Help: "the settings of a script; fst doc settings lists them",
		Example: `config = { max_strlen = 200 } begin { print(config.max_strlen); }`},
	{Name: "import", Reserved: true, Usage: `import "FILE"`, Help: "include another file in the script; from a file that declares probes, only what the script uses",
		Example: `import "slow.fst"; slow:read { @ = hist(took / 1ms); }`},
	{Name: "macro", Reserved: true, Usage: "macro NAME(a, $b, @c) { ...; VALUE }", Help: "statements that replace NAME(...) where it is called; the value is that of the last one. The caller gives an expression for a, a variable for $b, a map for @c",
		Example: `macro kilobytes(n) { n / 1KB } syscall:read /ret > 0/ { @[comm] = hist(kilobytes(ret)); }`},
	{Name: "fn", Usage: "fn NAME($a: TYPE, ...): TYPE { ... }", Help: "a function; return gives its value. Types may be omitted",
		Example: `fn double($n: int64): int64 { return $n * 2; } begin { print(double(4)); }`},
	{Name: "probe", Usage: "probe KIND:NAME(FIELD: TYPE, ...)", Help: "declare a probe of the script's own, which fire fires",
		Example: `probe slow:read(took: uint64); syscall:read /took > 10ms/ { fire slow:read(took = took); } slow:read { @ = hist(took / 1ms); }`},
	{Name: "struct", Forms: []string{"union", "enum", "typedef"}, Usage: "struct NAME { TYPE MEMBER; ... }", Help: "a type, as in C. The types of the kernel are already known",
		Example: `struct pair { int a; int b; }; uprobe:/bin/bash:readline { print(((struct pair *)arg0)->b); }`},
	{Name: "if", Kind: Statement, Usage: "if (CONDITION) { ... } else { ... }", Help: "run the first block if the condition is not 0, else the other. Used as a value, it is the last value of the block that runs",
		Example: `syscall:read { if (errno) { @failed++ } else { @bytes = sum(ret) } }`},
	{Name: "else", Kind: Statement, Reserved: true, Usage: "else { ... } or else if (CONDITION) { ... }", Help: "after the '}' of an if: what to do if its condition is 0",
		Example: `syscall:read { if (errno) { @failed++ } else if (ret == 0) { @end++ } else { @bytes = sum(ret) } }`},
	{Name: "while", Kind: Statement, Reserved: true, Usage: "while (CONDITION) { ... }", Help: "a loop that runs as long as the condition is not 0",
		Example: `begin { $i = 0; while ($i < 3) { print($i); $i++; } }`},
	{Name: "for", Kind: Statement, Reserved: true, Usage: "for ($i : FROM..TO) { ... } or for ($kv : @MAP) { ... }", Help: "a loop over the numbers from FROM to TO - 1, or over a map: $kv.0 is the key and $kv.1 the value",
		Example: `begin { @a[1] = 2; for ($kv : @a) { print(($kv.0, $kv.1)); } for ($i : 0..3) { print($i); } }`},
	{Name: "unroll", Kind: Statement, Reserved: true, Usage: "unroll (N) { ... }", Help: "repeat a block N times",
		Example: `begin { unroll (3) { printf("again\n"); } }`},
	{Name: "break", Kind: Statement, Reserved: true, Usage: "break", Help: "leave the innermost loop",
		Example: `begin { for ($i : 0..9) { if ($i == 3) { break; } print($i); } }`},
	{Name: "continue", Kind: Statement, Reserved: true, Usage: "continue", Help: "continue with the next iteration of the innermost loop",
		Example: `begin { for ($i : 0..9) { if ($i % 2) { continue; } print($i); } }`},
	{Name: "return", Kind: Statement, Reserved: true, Usage: "return or return VALUE", Help: "leave the clause, or the function with its value",
		Example: `syscall:read { if (errno) { return; } @bytes = sum(ret); }`},
	{Name: "let", Kind: Statement, Reserved: true, Usage: "let $NAME: TYPE = VALUE or let @MAP = hash(KEYS)", Help: "declare a variable in a block, with or without its type; or declare a map outside the clauses: hash, lruhash (which drops the least recently used element), percpuhash, percpulruhash or percpuarray",
		Example: `let @newest = lruhash(100); syscall:read { let $n: int64 = ret; @newest[tid] = $n; }`},
	{Name: "fire", Kind: Statement, Usage: "fire KIND:NAME(FIELD = VALUE, ...)", Help: "run the clauses on a probe that the script, or a file that it imports, declares",
		Example: `probe slow:read(took: uint64); syscall:read /took > 10ms/ { fire slow:read(took = took); } slow:read { @ = hist(took / 1ms); }`},
	{Name: "comptime", Kind: Value, Usage: "comptime CONSTANT", Help: "an expression that must be constant at compile time. A clause whose filter begins with a false one is left out",
		Example: `tracepoint:sched:sched_switch /comptime getopt("switches", false)/ { @ = count(); } begin { exit(); }`},
	{Name: "sizeof", Kind: Value, Usage: "sizeof(TYPE or VALUE)", Help: "how many bytes a type or a value takes",
		Example: `begin { print(sizeof(struct task_struct)); }`},
	{Name: "offsetof", Kind: Value, Usage: "offsetof(TYPE or VALUE, MEMBER)", Help: "the offset of a member in a struct, in bytes",
		Example: `begin { print(offsetof(struct task_struct, comm)); }`},
	{Name: "typeof", Kind: Value, Usage: "typeof(VALUE)", Help: "the type of a value, usable wherever a type is",
		Example: `begin { $a = (uint8)5; let $b: typeof($a) = 7; print((typeof($a))256 + $b); }`},
	{Name: "uint64", Kind: Value, Forms: []string{"uint8", "uint16", "uint32", "int8", "int16", "int32", "int64", "bool"}, Usage: "(uint64)VALUE or let $NAME: uint64",
		Help:    "a numeric type: signed (int8 to int64), unsigned (uint8 to uint64), or bool. (uint8[4])VALUE is an array, (uint8 *)VALUE an address; C's names (unsigned int, size_t, u32) and the kernel's types work too",
		Example: `begin { $n = (int8)250; print($n); print((uint8[4])0x01020304); }`},
	{Name: "string", Kind: Value, Forms: []string{"buffer"}, Usage: "string[N] or buffer[N]", Help: "the type of a text or of bytes, with room for N bytes; the N of a string is rounded up to a multiple of 8; without [N], for max_strlen bytes",
		Example: `begin { let $s: string[16] = "x"; print($s); }`},
	{Name: "$1", Kind: Value, Forms: []string{"$#"}, Usage: "$1, $2, ... and $#", Help: "the arguments after the script on the command line, and their number. str($1) is the text; an argument that was not given is 0 and \"\"",
		Example: `begin { if ($# > 0) { print((str($1), $2)); } }`},
	{Name: "true", Kind: Value, Forms: []string{"false"}, Usage: "true or false", Help: "the two values of bool; as numbers, 1 and 0",
		Example: `begin { $seen = false; if (!$seen) { print(true); } }`},
}

// Lookup finds a word by its name.
func Lookup(name string) (Word, bool) {
	for _, w := range Words {
		if w.Name == name {
			return w, true
		}
	}
	return Word{}, false
}
