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
	{Name: "import", Reserved: true, Usage: `import "FILE"`, Help: "make another file a part of the script; of a file that declares probes, what the script uses",
		Example: `import "slow.fst"; slow:read { @ = hist(took / 1ms); }`},
	{Name: "macro", Reserved: true, Usage: "macro NAME(a, $b, @c) { ...; VALUE }", Help: "statements, and the value of the last one, that are put in where NAME(...) stands. The place gives an expression for a, a variable for $b, a map for @c",
		Example: `macro kilobytes(n) { n / 1KB } syscall:read /ret > 0/ { @[comm] = hist(kilobytes(ret)); }`},
	{Name: "fn", Usage: "fn NAME($a: TYPE, ...): TYPE { ... }", Help: "a function, whose value return gives. Types may be left out",
		Example: `fn double($n: int64): int64 { return $n * 2; } begin { print(double(4)); }`},
	{Name: "probe", Usage: "probe KIND:NAME(FIELD: TYPE, ...)", Help: "declare a probe of the script's own, which fire fires",
		Example: `probe slow:read(took: uint64); syscall:read /took > 10ms/ { fire slow:read(took = took); } slow:read { @ = hist(took / 1ms); }`},
	{Name: "struct", Forms: []string{"union", "enum", "typedef"}, Usage: "struct NAME { TYPE MEMBER; ... }", Help: "a type, as in C. Those of the kernel are there",
		Example: `struct pair { int a; int b; }; uprobe:/bin/bash:readline { print(((struct pair *)arg0)->b); }`},
	{Name: "if", Kind: Statement, Usage: "if (CONDITION) { ... } else { ... }", Help: "the first block if the condition is not 0, else the other. As a value it is the last one of its block",
		Example: `syscall:read { if (errno) { @failed++ } else { @bytes = sum(ret) } }`},
	{Name: "else", Kind: Statement, Reserved: true, Usage: "else { ... } or else if (CONDITION) { ... }", Help: "behind the '}' of an if: what is done if its condition is 0",
		Example: `syscall:read { if (errno) { @failed++ } else if (ret == 0) { @end++ } else { @bytes = sum(ret) } }`},
	{Name: "while", Kind: Statement, Reserved: true, Usage: "while (CONDITION) { ... }", Help: "a loop that runs as long as the condition is not 0",
		Example: `begin { $i = 0; while ($i < 3) { print($i); $i++; } }`},
	{Name: "for", Kind: Statement, Reserved: true, Usage: "for ($i : FROM..TO) { ... } or for ($kv : @MAP) { ... }", Help: "a loop over numbers, TO left out, or over a map, whose key is $kv.0 and whose value is $kv.1",
		Example: `begin { @a[1] = 2; for ($kv : @a) { print(($kv.0, $kv.1)); } for ($i : 0..3) { print($i); } }`},
	{Name: "unroll", Kind: Statement, Reserved: true, Usage: "unroll (N) { ... }", Help: "do a block N times",
		Example: `begin { unroll (3) { printf("again\n"); } }`},
	{Name: "break", Kind: Statement, Reserved: true, Usage: "break", Help: "leave the innermost loop",
		Example: `begin { for ($i : 0..9) { if ($i == 3) { break; } print($i); } }`},
	{Name: "continue", Kind: Statement, Reserved: true, Usage: "continue", Help: "go on with the next turn of the innermost loop",
		Example: `begin { for ($i : 0..9) { if ($i % 2) { continue; } print($i); } }`},
	{Name: "return", Kind: Statement, Reserved: true, Usage: "return or return VALUE", Help: "leave the clause, or the function with its value",
		Example: `syscall:read { if (errno) { return; } @bytes = sum(ret); }`},
	{Name: "let", Kind: Statement, Reserved: true, Usage: "let $NAME: TYPE = VALUE or let @MAP = hash(KEYS)", Help: "declare a variable in a block, with its type or without, or between clauses a map: hash, lruhash (which forgets the oldest), percpuhash, percpulruhash or percpuarray",
		Example: `let @newest = lruhash(100); syscall:read { let $n: int64 = ret; @newest[tid] = $n; }`},
	{Name: "fire", Kind: Statement, Usage: "fire KIND:NAME(FIELD = VALUE, ...)", Help: "run the clauses on a probe that the script, or a file that it imports, declares",
		Example: `probe slow:read(took: uint64); syscall:read /took > 10ms/ { fire slow:read(took = took); } slow:read { @ = hist(took / 1ms); }`},
	{Name: "comptime", Kind: Value, Usage: "comptime CONSTANT", Help: "an expression that must be constant while compiling. A clause whose filter begins with one that is false is left out",
		Example: `tracepoint:sched:sched_switch /comptime getopt("switches", false)/ { @ = count(); } begin { exit(); }`},
	{Name: "sizeof", Kind: Value, Usage: "sizeof(TYPE or VALUE)", Help: "how many bytes a type or a value takes",
		Example: `begin { print(sizeof(struct task_struct)); }`},
	{Name: "offsetof", Kind: Value, Usage: "offsetof(TYPE or VALUE, MEMBER)", Help: "where in a struct a member begins, in bytes",
		Example: `begin { print(offsetof(struct task_struct, comm)); }`},
	{Name: "typeof", Kind: Value, Usage: "typeof(VALUE)", Help: "the type of a value, where a type is written",
		Example: `begin { $a = (uint8)5; let $b: typeof($a) = 7; print((typeof($a))256 + $b); }`},
	{Name: "uint64", Kind: Value, Forms: []string{"uint8", "uint16", "uint32", "int8", "int16", "int32", "int64", "bool"}, Usage: "(uint64)VALUE or let $NAME: uint64",
		Help:    "a type of numbers: with a sign (int8 to int64), without (uint8 to uint64), or bool. (uint8[4])VALUE is an array, (uint8 *)VALUE an address; C's names (unsigned int, size_t, u32) and the kernel's types go, too",
		Example: `begin { $n = (int8)250; print($n); print((uint8[4])0x01020304); }`},
	{Name: "string", Kind: Value, Forms: []string{"buffer"}, Usage: "string[N] or buffer[N]", Help: "the type of texts, and of bytes, with room for N; without [N] as much as max_strlen says",
		Example: `begin { let $s: string[16] = "x"; print($s); }`},
	{Name: "$1", Kind: Value, Forms: []string{"$#"}, Usage: "$1, $2, ... and $#", Help: "the words behind the script on the command line, and their number. str($1) is the text; a word that was not given is 0 and \"\"",
		Example: `begin { if ($# > 0) { print((str($1), $2)); } }`},
	{Name: "true", Kind: Value, Forms: []string{"false"}, Usage: "true or false", Help: "the two bools; as numbers 1 and 0",
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
