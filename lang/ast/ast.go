// Package ast is the tree of a program. Nothing writes to it after parsing:
// what later passes learn, they keep in tables of their own.
//
// It imports lang/source only.
package ast

import (
	"slices"
	"strings"

	"fst/lang/source"
)

// Node is any part of the tree.
type Node interface {
	Pos() source.Span
}

// At gives a node its place; every node embeds it.
type At struct {
	Span source.Span
}

func (a At) Pos() source.Span { return a.Span }

// SetPos gives a node that was copied another place.
func (a *At) SetPos(sp source.Span) { a.Span = sp }

// Program is a whole script.
type Program struct {
	At
	Defines  []*Define
	Includes []string   // names in #include lines, in order (tolerated, not read)
	CTypes   []*CType   // struct, union and enum definitions in C syntax
	Typedefs []*CMember // typedefs of other types than a struct with its body
	Config   []*Setting // all config blocks together, in order
	// Unsettled is true if a config block is not understood: settings may be missing.
	Unsettled bool
	Imports   []*Import  // import "x";
	MapDecls  []*MapDecl // let @m = hash(100);
	Macros    []*Macro   // macro name(...) { ... }, fn name(...) { ... }
	// Prelude are the macros of the standard library that all parts of the program
	// may call.
	Prelude []*Macro
	Probes  []*Probe // probe family:name(field: type, ...);
	// Libraries are the imported files that declare probes: of those the
	// program takes what it needs. All other imports are joined to it.
	Libraries []*Program
	// Declared are the declared probes that the clauses of the script are on,
	// in its order; only expansion, which replaces them, notes it.
	Declared []*Need
	// Uncalled are the bodies of functions that nothing calls, as clauses without
	// a probe: only expansion makes them, and only the checker looks at them.
	Uncalled []*Clause
	Clauses  []*Clause  // in source order
	Comments []*Comment // in source order, for the formatter
	// Directives are the places of preprocessor lines, for the formatter.
	Directives []source.Span
	// Declarations are the places of what is neither a clause nor has a body, for
	// the formatter.
	Declarations []*Declaration
}

// Declaration is where a declaration stands, to its ';' if it has one. Kind is its
// first word: config, import, let, probe, struct, union, enum or typedef.
type Declaration struct {
	At
	Kind string
}

// Define is "#define NAME VALUE" or "#define NAME(x) VALUE". Value is nil if the
// replacement is empty or is neither an expression nor statements of the
// language; Text has it raw.
type Define struct {
	At
	Name  string
	Text  string
	Value Expr
	// HasParams tells NAME(), which is called, from NAME.
	HasParams bool
	Params    []string
	// Rest is what all further arguments are called in the replacement:
	// "__VA_ARGS__" of NAME(x, ...), "args" of NAME(x, args...); or empty.
	Rest string
}

// Usage spells how the name is used: "NAME(x, ...)".
func (d *Define) Usage() string {
	if !d.HasParams {
		return d.Name
	}
	params := slices.Clone(d.Params)
	switch d.Rest {
	case "":
	case "__VA_ARGS__":
		params = append(params, "...")
	default:
		params = append(params, d.Rest+"...")
	}
	return d.Name + "(" + strings.Join(params, ", ") + ")"
}

// CType is a struct, union or enum definition of the script.
type CType struct {
	At
	Kind    string // "struct", "union" or "enum"
	Name    string // may be empty for an enum and for nested anonymous types
	Members []*CMember
	Enums   []*CEnumerator
	Placement
	Pack int // of the #pragma pack that holds for it, 0 without one
}

// Placement is what attributes say of how a definition or a member lies in memory.
type Placement struct {
	Packed  bool // packed: without the gaps that alignment would leave
	Aligned int  // the number of aligned(N), 0 without one
}

// CMember is a member of a struct or union. Dims are array lengths, outermost
// first (-1: flexible). Bits is the width of a bitfield, or 0. Inline is a
// nested definition that is the member's type (Name may then be empty: the
// members are promoted).
type CMember struct {
	At
	Name   string
	Type   *TypeExpr
	Inline *CType
	Dims   []int
	Bits   int
	Placement
}

// CEnumerator is one name of an enum. Value is nil if it follows from the one
// before.
type CEnumerator struct {
	At
	Name  string
	Value Expr
}

// Setting is "key = value" of a config block. Value is a StringLit, IntLit,
// BoolLit or Ident (a bare word).
type Setting struct {
	At
	Key   string
	Value Expr
}

// Import is import "path".
type Import struct {
	At
	Path string
}

// MapDecl is "let @name = kind(max_entries);".
type MapDecl struct {
	At
	Name string // without @
	Kind string // hash, lruhash, percpuhash, percpulruhash, percpuarray
	Max  Expr
}

// Macro is "macro name(params) { body }" or, with a Signature, a function:
// "fn name($a : type, $b : type) : type { body }". A function's parameters are
// variables of its own. A macro's parameter is a *Var (by
// reference), a *Map or an *Ident (an expression, substituted).
type Macro struct {
	At
	Name   string
	Params []Expr
	// Signature is nil for a macro.
	Signature *Signature
	Body      *Block
}

// Word is what the definition is called in sentences.
func (m *Macro) Word() string {
	if m.Signature != nil {
		return "function"
	}
	return "macro"
}

// Signature is what a function says of its types. A type that is left out, nil,
// follows from what the parameter is given, or from what is returned.
type Signature struct {
	At
	Params []*TypeExpr
	Result *TypeExpr
}

// IsVoid reports whether a function says that it has no value.
func (s *Signature) IsVoid() bool {
	return s.Result != nil && s.Result.Name == "void" && len(s.Result.Post) == 0
}

// Probe is "probe family:name(field: type, ...) [witness(...)];": a probe that
// clauses fire.
type Probe struct {
	At
	Family, Name string
	Fields       []*ProbeField
	// Witness is the call of witness() behind the fields, or nil.
	Witness *Call
	// Doc is the text of the comment lines directly above.
	Doc string
}

// Title is the probe as attach points name it.
func (p *Probe) Title() string { return p.Family + ":" + p.Name }

// ProbeField is what clauses on a probe see as args.NAME.
type ProbeField struct {
	At
	Name string
	Type *TypeExpr // nil: that of the values it is given
	Doc  string    // the comment behind it
}

// Comment is a comment with its delimiters.
type Comment struct {
	At
	Text string
}

// Clause is "probe[, probe...] [/filter/] { body }".
type Clause struct {
	At
	Probes []*AttachPoint
	Filter Expr   // nil if none
	Body   *Block // nil: the default action (print the event)
	// Drains are the maps that begin anew with each run of the clause, which
	// shows what they had: those of a report.
	Drains []string
	// For is set on clauses of a library: what needs them.
	For *Need
}

// OnEvents reports whether the clause acts on something that happens: begin, end, intervals, reports, tests and benchmarks are
// nobody's events.
func (c *Clause) OnEvents() bool {
	for _, p := range c.Probes {
		switch p.Provider {
		case "begin", "end", "self", "interval", "report", "test", "bench":
			return false
		}
	}
	return true
}

// Need is a probe of a library as a script names it.
type Need struct {
	Probe   string
	Written string      // as the script has it, which may be a pattern of several
	Span    source.Span // of the attach point
	// When is the comptime that says whether it is used at all, or nil.
	When Expr
}

// AttachPoint is one item of a clause's probe list.
type AttachPoint struct {
	At
	Label string // "label=kprobe:f": the text of `probe`, or empty
	// Provider is the long, lower-case name: "kprobe", "tracepoint",
	// "begin", "interval", "call", "syscall", or a stable probe's family
	// ("io"). An unknown provider is kept as it was written, lower case.
	Provider string
	// Written is the provider as it stands in the text ("k", "BEGIN").
	Written string
	// ProviderSpan is where it stands, or invalid if it is that of the first alternative.
	ProviderSpan source.Span
	// Parts is what follows the provider, split at ':' outside quotes, with
	// quotes and escapes removed: kprobe:ext4:ext4_sync* has two.
	Parts []string
	// PartSpans are the places of Parts.
	PartSpans []source.Span
	// Options are, for each part, the getopt() that it stands for, as in
	// profile:hz:getopt("frequency", 99), or nil.
	Options []*Call
	// Raw is the attach point's whole text.
	Raw string
	// Or are the alternatives of "kprobe:a | b | c" behind the first, in
	// order; the first that exists is taken. Their own Or is empty. "b"
	// without a provider inherits the provider (and leading parts, if it
	// has fewer) of the first.
	Or []*AttachPoint
	// Before are the alternatives in front that a clause of their own is made
	// of; this is the last. Only expansion sets it.
	Before []*AttachPoint
}

// Stmt is a statement.
type Stmt interface {
	Node
	stmt()
}

// Block is "{ stmts }". As an expression (BlockExpr, IfExpr, a macro's body)
// its value is Value: the last expression, written without a ';'.
type Block struct {
	At
	Stmts []Stmt
	Value Expr
}

type (
	// ExprStmt is an expression for its effect.
	ExprStmt struct {
		At
		X Expr
	}
	// Assign is "target op value" with Op one of = += -= *= /= %= &= |= ^=
	// <<= >>=. Target is a Var, Map, or the Ident "_" (value discarded).
	Assign struct {
		At
		Target Expr
		Op     string
		Value  Expr
	}
	// Let is "let $x", "let $x = e", "let $x: type = e".
	Let struct {
		At
		Var   *Var
		Type  *TypeExpr // nil if not given
		Value Expr      // nil if not given
		// Field is the field of a probe that the variable stands for; only expansion sets it.
		Field *ProbeField
	}
	// If is "if (cond) {...} else ...". Else is nil, or a Block whose only
	// statement is an If for "else if".
	If struct {
		At
		Cond Expr
		Then *Block
		Else *Block
		// Filter marks the filter of a clause that is put in, see Inline.
		Filter bool
	}
	// While is "while (cond) {...}".
	While struct {
		At
		Cond Expr
		Body *Block
	}
	// Unroll is "unroll (n) {...}".
	Unroll struct {
		At
		N    Expr
		Body *Block
	}
	// ForRange is "for ($i : from..to) {...}": from inclusive, to exclusive.
	ForRange struct {
		At
		Var      *Var
		From, To Expr
		Body     *Block
	}
	// ForMap is "for ($kv : @map) {...}".
	ForMap struct {
		At
		Var  *Var
		Map  *Map
		Body *Block
	}
	Break    struct{ At }
	Continue struct{ At }
	// Return is "return" or "return e".
	Return struct {
		At
		Value Expr
	}
	// Fire is "fire family:name(field = e, ...);".
	Fire struct {
		At
		Family, Name string
		NameSpan     source.Span // of family:name
		Fields       *Record
	}
	// Inline is a clause of a probe that is fired, put in where it is fired;
	// only expansion makes it. return leaves the Inline.
	Inline struct {
		At
		Clause *Clause // as written
		Probe  string  // the text of `probe`
		Body   *Block
	}
	// FuncBody is the body of a function, put in where it is called; only
	// expansion makes it. return leaves the FuncBody, and has no value there.
	FuncBody struct {
		At
		Body *Block
	}
	// Event prints an event with some fields: the default action of a clause
	// of a probe that is fired. Only expansion makes it.
	Event struct {
		At
		Probe  string
		Fields *Record
	}
	// BlockStmt is a nested block.
	BlockStmt struct {
		At
		Body *Block
	}
)

func (*ExprStmt) stmt()  {}
func (*Assign) stmt()    {}
func (*Let) stmt()       {}
func (*If) stmt()        {}
func (*While) stmt()     {}
func (*Unroll) stmt()    {}
func (*ForRange) stmt()  {}
func (*ForMap) stmt()    {}
func (*Break) stmt()     {}
func (*Continue) stmt()  {}
func (*Return) stmt()    {}
func (*Fire) stmt()      {}
func (*Inline) stmt()    {}
func (*FuncBody) stmt()  {}
func (*Event) stmt()     {}
func (*BlockStmt) stmt() {}

// Expr is an expression.
type Expr interface {
	Node
	expr()
}

type (
	// IntLit is an integer literal, units applied: 5ms is 5000000, 4KB 4096.
	IntLit struct {
		At
		Value    uint64
		Unsigned bool   // had a u suffix
		HasUnit  bool   // was written with a unit
		Text     string // as written
	}
	StringLit struct {
		At
		Value string // unescaped
		Text  string // as written, with its quotes; empty for a word of a config block
	}
	BoolLit struct {
		At
		Value bool
	}
	// Ident is a bare word: a built-in variable (pid, args, arg0), an
	// enumerator, a #define, a macro's parameter.
	Ident struct {
		At
		Name string
		// Parens is true for the name of a type in parentheses of its own: a
		// value, where without them a type would be read.
		Parens bool
	}
	// Var is $name (Name has no $).
	Var struct {
		At
		Name string
	}
	// Map is @name or @name[k1, k2]. Keys is nil without brackets.
	Map struct {
		At
		Name     string // without @; empty for the anonymous map
		NameSpan source.Span
		Keys     []Expr
	}
	// Param is $1 (N is 1) or $# (Count).
	Param struct {
		At
		N     int
		Count bool
	}
	// Call is name(args). Type arguments, as in exists(struct request,
	// rq_disk), are TypeArgs; exists(kprobe:x) has a ProbeArg.
	Call struct {
		At
		Name     string
		NameSpan source.Span
		Args     []Expr
	}
	// TypeArg is a type where an argument may be a type.
	TypeArg struct {
		At
		Type *TypeExpr
	}
	// ProbeArg is an attach point as an argument (of exists).
	ProbeArg struct {
		At
		Probe *AttachPoint
	}
	// Unary is Op X with Op one of ! ~ - * & +.
	Unary struct {
		At
		Op string
		X  Expr
	}
	// IncDec is ++x, x++, --x, x--. X is a Var or Map.
	IncDec struct {
		At
		Op     string // "++" or "--"
		Prefix bool
		X      Expr
	}
	// Binary is X Op Y with Op one of || && | ^ & == != < <= > >= << >> + - * / %.
	Binary struct {
		At
		Op     string
		OpSpan source.Span
		X, Y   Expr
	}
	// Cond is "c ? a : b", or "c ?: b" with A nil.
	Cond struct {
		At
		C, A, B Expr
	}
	// Field is X.name or X->name (both mean the same).
	Field struct {
		At
		X        Expr
		Name     string
		NameSpan source.Span
		Arrow    bool
	}
	// TupleIndex is X.N with a constant N.
	TupleIndex struct {
		At
		X Expr
		N int
	}
	// Index is X[I].
	Index struct {
		At
		X, I Expr
	}
	// Cast is (type)X.
	Cast struct {
		At
		Type *TypeExpr
		X    Expr
	}
	// Tuple is (a, b), (a,) or ().
	Tuple struct {
		At
		Elems []Expr
	}
	// Record is (name = e, ...).
	Record struct {
		At
		Names  []string
		Values []Expr
	}
	// SizeOf is sizeof(type) or sizeof(expr); one of Type and X is set.
	SizeOf struct {
		At
		Type *TypeExpr
		X    Expr
	}
	// OffsetOf is offsetof(type or expr, a.b[2].c).
	OffsetOf struct {
		At
		Type *TypeExpr
		X    Expr
		Path []string
	}
	// IfExpr is an if whose value is used; both branches have a Value.
	IfExpr struct {
		At
		Cond Expr
		Then *Block
		Else *Block
	}
	// BlockExpr is "{ stmts; value }" as an expression.
	BlockExpr struct {
		At
		Body *Block
	}
	// Refused is an error where it is not in a branch that a constant rules
	// out; only expansion makes it. Without a message it stands for a call that
	// was reported already: what that would do with its arguments is not known.
	Refused struct {
		At
		Message, Hint string
		Args          []Expr
	}
	// Comptime is "comptime X": X must fold to a constant.
	Comptime struct {
		At
		X Expr
	}
)

func (*IntLit) expr()     {}
func (*StringLit) expr()  {}
func (*BoolLit) expr()    {}
func (*Ident) expr()      {}
func (*Var) expr()        {}
func (*Map) expr()        {}
func (*Param) expr()      {}
func (*Call) expr()       {}
func (*TypeArg) expr()    {}
func (*ProbeArg) expr()   {}
func (*Unary) expr()      {}
func (*IncDec) expr()     {}
func (*Binary) expr()     {}
func (*Cond) expr()       {}
func (*Field) expr()      {}
func (*TupleIndex) expr() {}
func (*Index) expr()      {}
func (*Cast) expr()       {}
func (*Tuple) expr()      {}
func (*Record) expr()     {}
func (*SizeOf) expr()     {}
func (*OffsetOf) expr()   {}
func (*IfExpr) expr()     {}
func (*BlockExpr) expr()  {}
func (*Comptime) expr()   {}
func (*Refused) expr()    {}

// TypeExpr is a type as it is spelled: a base name with a postfix of pointers
// and arrays, read left to right ("struct foo*[4]" is an array of pointers).
type TypeExpr struct {
	At
	// Tag is "struct", "union", "enum", "typeof" or empty.
	Tag string
	// Name is the base: "uint64", "string", "task_struct", "unsigned long".
	// It is empty for typeof.
	Name string
	// NameSpan is where the base stands, with its Tag; Span goes on to the end of Post.
	NameSpan source.Span
	// TypeOf is the argument of typeof(expr).
	TypeOf Expr
	// Post are the derivations in order: Pointer, or an array length (-1
	// for []). string[N], buffer[N] and inet[N] have their N here too.
	Post []TypePost
}

// TypePost is one '*' or '[N]' of a TypeExpr.
type TypePost struct {
	Pointer bool
	Len     int
}
