package ir

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"text/scanner"
)

// Parse reads the text form of a program.
func Parse(text string) (*Program, error) {
	p := &parser{}
	p.scan.Init(strings.NewReader(text))
	p.scan.Mode = scanner.ScanIdents | scanner.ScanInts | scanner.ScanStrings | scanner.ScanComments | scanner.SkipComments
	p.scan.Error = func(*scanner.Scanner, string) {}
	p.next()
	prog := p.program()
	if p.err != nil {
		return nil, p.err
	}
	return prog, nil
}

// parser reads one token ahead. After the first error all tokens are EOF.
type parser struct {
	scan   scanner.Scanner
	tok    rune
	err    error
	f      *Func
	blocks map[string]*Block
	placed map[*Block]bool
	maps   []string
}

func (p *parser) next() {
	if p.err == nil {
		p.tok = p.scan.Scan()
	}
}

func (p *parser) fail(format string, args ...any) {
	if p.err == nil {
		p.err = fmt.Errorf("ir: line %d: %s", p.scan.Line, fmt.Sprintf(format, args...))
		p.tok = scanner.EOF
	}
}

// text is the text of the current token.
func (p *parser) text() string {
	if p.err != nil {
		return ""
	}
	return p.scan.TokenText()
}

func (p *parser) is(s string) bool { return p.err == nil && p.tok != scanner.EOF && p.text() == s }

func (p *parser) accept(s string) bool {
	if p.is(s) {
		p.next()
		return true
	}
	return false
}

func (p *parser) expect(s string) {
	if !p.accept(s) {
		p.fail("%q expected, found %q", s, p.text())
	}
}

func (p *parser) word() string {
	s := p.text()
	if p.tok != scanner.Ident {
		p.fail("a word expected, found %q", s)
	}
	p.next()
	return s
}

// name is a word, a number or a quoted text.
func (p *parser) name() string {
	s := p.text()
	if p.tok == scanner.String {
		u, err := strconv.Unquote(s)
		if err != nil {
			p.fail("bad text %s", s)
		}
		s = u
	}
	p.next()
	return s
}

func (p *parser) number() int64 {
	sign := ""
	if p.accept("-") {
		sign = "-"
	} else {
		p.accept("+")
	}
	v, err := strconv.ParseInt(sign+p.text(), 0, 64)
	if err != nil {
		p.fail("a number expected, found %q", sign+p.text())
	}
	p.next()
	return v
}

// mapIndex is a map by its name, or by its index.
func (p *parser) mapIndex() int32 {
	if p.tok == scanner.Int {
		return int32(p.number())
	}
	name := p.name()
	i := slices.Index(p.maps, name)
	if i < 0 {
		i = len(p.maps)
		p.maps = append(p.maps, name)
	}
	return int32(i)
}

// helper is a helper by its name, or by its number.
func (p *parser) helper() int32 {
	if p.tok == scanner.Int {
		return int32(p.number())
	}
	name := p.word()
	n, ok := helperNumbers[name]
	if !ok {
		p.fail("there is no helper %s", name)
	}
	return n
}

func (p *parser) program() *Program {
	p.expect("program")
	prog := &Program{Name: p.name()}
	for p.err == nil && p.tok != scanner.EOF {
		prog.Funcs = append(prog.Funcs, p.function())
	}
	prog.Maps = p.maps
	return prog
}

func (p *parser) function() *Func {
	p.expect("func")
	p.f = &Func{Name: p.name()}
	p.blocks, p.placed = map[string]*Block{}, map[*Block]bool{}
	p.expect("(")
	for p.err == nil && !p.is(")") {
		p.f.Params = append(p.f.Params, p.reg())
		p.accept(",")
	}
	p.expect(")")
	if p.accept("failed") {
		p.f.Failed = p.reg()
	}
	p.f.Aliased = p.accept("aliased")
	p.expect("{")
	for p.accept("slot") {
		p.number()
		s := Slot{Name: p.name()}
		p.expect("size")
		s.Size = int(p.number())
		p.expect("align")
		s.Align = int(p.number())
		s.Far = p.accept("far")
		s.Near = p.accept("near")
		p.f.Slots = append(p.f.Slots, s)
	}
	for p.err == nil && !p.is("}") {
		p.block()
	}
	p.expect("}")
	if p.f.NumRegs == 0 {
		p.f.NumRegs = 1
	}
	for label, b := range p.blocks {
		if !p.placed[b] {
			p.fail("block %s is not in %s", label, p.f.Name)
		}
	}
	return p.f
}

// target returns the block of a label.
func (p *parser) target() *Block {
	label := p.word()
	b := p.blocks[label]
	if b == nil {
		id, err := strconv.Atoi(strings.TrimPrefix(label, "b"))
		if err != nil {
			p.fail("a block expected, found %q", label)
		}
		b = &Block{ID: id}
		p.blocks[label] = b
	}
	return b
}

func (p *parser) reg() Reg {
	s := p.word()
	n, err := strconv.Atoi(strings.TrimPrefix(s, "v"))
	if err != nil || n <= 0 || !strings.HasPrefix(s, "v") {
		p.fail("a register expected, found %q", s)
		return 0
	}
	p.f.NumRegs = max(p.f.NumRegs, n+1)
	return Reg(n)
}

func (p *parser) operand() Operand {
	if link := slices.Index(links[:], p.text()); link > 0 {
		p.next()
		return Operand{Link: Link(link), Imm: p.number()}
	}
	if p.tok == scanner.Ident {
		return R(p.reg())
	}
	return I(p.number())
}

func (p *parser) block() {
	b := p.target()
	p.expect(":")
	if p.placed[b] {
		p.fail("block b%d is there twice", b.ID)
	}
	p.placed[b] = true
	p.f.Blocks = append(p.f.Blocks, b)
	for p.err == nil && b.Term.Kind == TermInvalid {
		switch {
		case p.accept("jump"):
			b.Term = Term{Kind: TermJump, Then: p.target()}
		case p.accept("return"):
			b.Term = Term{Kind: TermReturn, A: p.operand()}
		case p.accept("if"):
			t := Term{Kind: TermBranch, A: p.operand()}
			t.Cond = p.cond()
			t.B = p.operand()
			p.expect("then")
			t.Then = p.target()
			p.expect("else")
			t.Else = p.target()
			b.Term = t
		default:
			b.Instrs = append(b.Instrs, p.instr())
		}
	}
}

func (p *parser) cond() Cond {
	s := p.word()
	for c, n := range conds {
		if n == s {
			return Cond(c)
		}
	}
	p.fail("unknown condition %q", s)
	return 0
}

func (p *parser) instr() Instr {
	var in Instr
	word := p.word()
	if p.is("=") {
		n, err := strconv.Atoi(strings.TrimPrefix(word, "v"))
		if err != nil || n <= 0 {
			p.fail("a register expected, found %q", word)
		}
		in.Dst = Reg(n)
		p.f.NumRegs = max(p.f.NumRegs, n+1)
		p.next()
		word = p.word()
	}
	for op, s := range shapes {
		if s.name == word && op > 0 {
			in.Op = Op(op)
		}
	}
	if in.Op == OpInvalid {
		p.fail("unknown operation %q", word)
		return in
	}
	s := shapes[in.Op]
	if s.sized {
		p.size(&in)
	}
	if s.mapped {
		in.Map = p.mapIndex()
		if s.args > 0 {
			if p.accept("in") {
				in.A = p.operand()
			}
			p.args(&in)
			return in
		}
	}
	switch in.Op {
	case OpReserve, OpSubmit:
		if p.accept("control") {
			in.B.Imm = 1
		}
	case OpStack:
		p.space(&in)
	case OpPath:
		p.bit(&in)
	case OpMapValue:
		in.Off = int32(p.number())
	case OpSlotAddr:
		in.Slot, in.Off = int32(p.number()), int32(p.number())
	case OpFuncAddr:
		in.Func = int32(p.number())
	case OpCall:
		if p.accept("@") {
			in.Func = int32(p.number())
		} else {
			in.Helper = p.helper()
		}
		p.args(&in)
	case OpGet:
		in.Fact = Fact(p.oneOf("fact", func(i int) string { return Fact(i).String() }, len(facts)))
		if !in.Fact.Asks() {
			return in
		}
	case OpRead:
		p.space(&in)
		in.A, in.Off = p.operand(), int32(p.number())
		p.bit(&in)
		if p.tok == scanner.String {
			in.Member = p.f.Member(p.name())
		}
		return in
	case OpReadMem:
		p.space(&in)
		in.Text = p.accept("text")
		p.bit(&in)
	}
	if s.operands > 0 {
		in.A = p.operand()
	}
	if s.args > 0 {
		p.args(&in)
	}
	if s.memory {
		in.Off = int32(p.number())
	}
	if s.operands > 1 {
		p.expect(",")
		in.B = p.operand()
	}
	return in
}

func (p *parser) args(in *Instr) {
	p.expect("(")
	for p.err == nil && !p.is(")") {
		in.Args = append(in.Args, p.operand())
		p.accept(",")
	}
	p.expect(")")
}

func (p *parser) bit(in *Instr) {
	if p.accept("bit") {
		in.Bit = int8(p.number())
	}
}

func (p *parser) space(in *Instr) {
	in.Space = Space(p.oneOf("space", func(i int) string { return spaces[i] }, len(spaces)))
}

// oneOf is the number of a word among n.
func (p *parser) oneOf(what string, name func(int) string, n int) int {
	s := p.word()
	for i := range n {
		if name(i) == s {
			return i
		}
	}
	p.fail("unknown %s %q", what, s)
	return 0
}

// size reads ".4" or ".4s".
func (p *parser) size(in *Instr) {
	p.expect(".")
	s := p.text()
	n, err := strconv.Atoi(s)
	if err != nil {
		p.fail("a size expected, found %q", s)
	}
	p.next()
	in.Size = int8(n)
	in.Signed = p.accept("s")
}
