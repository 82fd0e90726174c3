package unwind

import (
	"bytes"

	"fst/compiler/object"
)

// Registers by their numbers in call frame information for x86-64.
const (
	regBP = 6
	regSP = 7
	regRA = 16
)

// Instructions of call frame programs (DW_CFA_).
const (
	cfaAdvance       = 0x40 // with 6 bits of operand
	cfaOffset        = 0x80
	cfaRestore       = 0xc0
	cfaNop           = 0x00
	cfaSetLoc        = 0x01
	cfaAdvance1      = 0x02
	cfaAdvance2      = 0x03
	cfaAdvance4      = 0x04
	cfaOffsetExt     = 0x05
	cfaRestoreExt    = 0x06
	cfaUndefined     = 0x07
	cfaSameValue     = 0x08
	cfaRegister      = 0x09
	cfaRemember      = 0x0a
	cfaRestoreState  = 0x0b
	cfaDef           = 0x0c
	cfaDefRegister   = 0x0d
	cfaDefOffset     = 0x0e
	cfaDefExpression = 0x0f
	cfaExpression    = 0x10
	cfaOffsetSF      = 0x11
	cfaDefSF         = 0x12
	cfaDefOffsetSF   = 0x13
	cfaValOffset     = 0x14
	cfaValOffsetSF   = 0x15
	cfaValExpression = 0x16
	cfaGNUArgsSize   = 0x2e
	cfaGNUNegOffset  = 0x2f
)

// state is the rules at a place of a function.
type state struct {
	rule   object.UnwindRule
	reg    uint64 // of UnwindSP and UnwindBP, as the program names it
	offset int64
	bp     int64
	bpAt   BPPlace
	// raUndefined: nobody called; raMoved: the return address is not where
	// calls put it.
	raUndefined, raMoved bool
}

// machine runs the program that describes a function's frame.
type machine struct {
	cie        *cie
	loc, end   uint64
	state      state
	initial    state
	remembered []state
	rows       []Row
	bad        bool
}

func (m *machine) run(r *reader) {
	for len(r.data) > 0 && !m.bad && !r.bad {
		m.step(r)
	}
	m.bad = m.bad || r.bad
}

func (m *machine) step(r *reader) {
	op := r.u8()
	operand := uint64(op & 0x3f)
	switch op & 0xc0 {
	case cfaAdvance:
		m.advance(operand)
		return
	case cfaOffset:
		m.saved(operand, int64(r.uleb())*m.cie.dataAlign)
		return
	case cfaRestore:
		m.restore(operand)
		return
	}
	s := &m.state
	switch op {
	case cfaNop:
	case cfaSetLoc:
		m.row()
		m.loc = r.pointer(m.cie.enc, 0)
	case cfaAdvance1:
		m.advance(uint64(r.u8()))
	case cfaAdvance2:
		m.advance(uint64(r.u16()))
	case cfaAdvance4:
		m.advance(uint64(r.u32()))
	case cfaOffsetExt:
		reg := r.uleb()
		m.saved(reg, int64(r.uleb())*m.cie.dataAlign)
	case cfaOffsetSF:
		reg := r.uleb()
		m.saved(reg, r.sleb()*m.cie.dataAlign)
	case cfaGNUNegOffset:
		reg := r.uleb()
		m.saved(reg, -int64(r.uleb())*m.cie.dataAlign)
	case cfaRestoreExt:
		m.restore(r.uleb())
	case cfaUndefined:
		switch r.uleb() {
		case regBP:
			s.bpAt = BPLost
		case m.cie.returns:
			s.raUndefined = true
		}
	case cfaSameValue:
		switch r.uleb() {
		case regBP:
			s.bpAt = BPSame
		case m.cie.returns:
			s.raMoved = true
		}
	case cfaRegister, cfaValOffset:
		m.lost(r.uleb())
		r.uleb()
	case cfaValOffsetSF:
		m.lost(r.uleb())
		r.sleb()
	case cfaExpression:
		reg := r.uleb()
		expr := r.take(int(min(r.uleb(), 1<<20)))
		m.lost(reg)
		if reg == regBP && bytes.Equal(expr, []byte{opBReg + regBP, 0}) {
			s.bpAt = BPAtBP
		}
	case cfaValExpression:
		m.lost(r.uleb())
		r.skip(int(min(r.uleb(), 1<<20)))
	case cfaRemember:
		m.remembered = append(m.remembered, *s)
	case cfaRestoreState:
		n := len(m.remembered) - 1
		if n < 0 {
			m.bad = true
			return
		}
		*s, m.remembered = m.remembered[n], m.remembered[:n]
	case cfaDef:
		reg := r.uleb()
		m.define(reg, int64(r.uleb()))
	case cfaDefSF:
		reg := r.uleb()
		m.define(reg, r.sleb()*m.cie.dataAlign)
	case cfaDefRegister:
		m.define(r.uleb(), s.offset)
	case cfaDefOffset:
		m.define(s.reg, int64(r.uleb()))
	case cfaDefOffsetSF:
		m.define(s.reg, r.sleb()*m.cie.dataAlign)
	case cfaDefExpression:
		s.rule, s.offset = expression(r.take(int(min(r.uleb(), 1<<20))))
	case cfaGNUArgsSize:
		r.uleb()
	default:
		m.bad = true
	}
}

func (m *machine) define(reg uint64, offset int64) {
	m.state.reg, m.state.offset = reg, offset
	switch reg {
	case regSP:
		m.state.rule = object.UnwindSP
	case regBP:
		m.state.rule = object.UnwindBP
	default:
		m.state.rule = object.UnwindUnknown
	}
}

// saved is the rule that a register is at an offset from the CFA.
func (m *machine) saved(reg uint64, offset int64) {
	switch reg {
	case regBP:
		m.state.bp, m.state.bpAt = offset, BPAtCFA
	case m.cie.returns:
		m.state.raUndefined, m.state.raMoved = false, offset != -8
	}
}

// lost is a rule that is not followed.
func (m *machine) lost(reg uint64) {
	switch reg {
	case regBP:
		m.state.bpAt = BPLost
	case m.cie.returns:
		m.state.raMoved = true
	}
}

func (m *machine) restore(reg uint64) {
	switch reg {
	case regBP:
		m.state.bp, m.state.bpAt = m.initial.bp, m.initial.bpAt
	case m.cie.returns:
		m.state.raUndefined, m.state.raMoved = m.initial.raUndefined, m.initial.raMoved
	}
}

func (m *machine) advance(n uint64) {
	m.row()
	m.loc += n * m.cie.codeAlign
}

// row ends the code for which the present rules hold.
func (m *machine) row() {
	if m.loc >= m.end {
		return
	}
	s := &m.state
	r := Row{Start: m.loc, Rule: s.rule, Offset: s.offset, BP: s.bp, BPPlace: s.bpAt}
	switch {
	case m.cie.signal:
		r = Row{Start: m.loc, Rule: object.UnwindSignal}
	case s.raUndefined:
		r = Row{Start: m.loc, Rule: object.UnwindEnd}
	case s.raMoved || s.rule == object.UnwindEnd || s.rule == object.UnwindUnknown || m.cie.returns != regRA:
		r = Row{Start: m.loc, Rule: object.UnwindUnknown, BPPlace: BPLost}
	}
	if r.BPPlace != BPAtCFA {
		r.BP = 0
	}
	if n := len(m.rows); n > 0 && m.rows[n-1].Start == r.Start {
		m.rows[n-1] = r
		return
	}
	m.rows = append(m.rows, r)
}

// Operations of expressions (DW_OP_).
const (
	opDeref = 0x06
	opAnd   = 0x1a
	opPlus  = 0x22
	opShl   = 0x24
	opGE    = 0x2a
	opLit   = 0x30
	opBReg  = 0x70
)

// Entries of a procedure linkage table have one description, which linkers write
// as rsp + 8 + (((rip & 15) >= N) << 3): from byte N of an entry on, a number is
// on the stack.
var (
	pltExpression = []byte{opBReg + regRA, 0, opLit + 15, opAnd}
	pltRest       = []byte{opGE, opLit + 3, opShl, opPlus}
)

// expression recognises the expressions for CFAs that compilers and linkers make.
func expression(code []byte) (object.UnwindRule, int64) {
	r := reader{data: code}
	op := r.u8()
	offset := r.sleb()
	switch {
	case r.bad:
	case op == opBReg+regSP && offset == 8 && bytes.HasPrefix(r.data, pltExpression):
		if rest := r.data[len(pltExpression):]; len(rest) > 0 && rest[0]-opLit < 16 && bytes.Equal(rest[1:], pltRest) {
			return object.UnwindPLT, 8 * int64(rest[0]-opLit)
		}
	case op == opBReg+regBP && bytes.Equal(r.data, []byte{opDeref}):
		return object.UnwindBPDeref, offset
	}
	return object.UnwindUnknown, 0
}
