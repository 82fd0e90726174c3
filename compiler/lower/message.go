package lower

import (
	"fst/compiler/analysis"
	"fst/compiler/builtin"
	"fst/compiler/check"
	"fst/compiler/ir"
	"fst/compiler/object"
	"fst/compiler/types"
	"fst/lang/ast"
	"fst/lang/source"
)

// messages sends what user space shows or does.
type messages struct{ *fn }

// message adds a message description and returns it.
func (l *lowerer) message(kind object.MessageKind, u *check.Unit, sp source.Span) *object.Message {
	m := &object.Message{ID: len(l.obj.Messages), Kind: kind, Size: object.HeaderSize, Map: -1, Clause: u.Index, Span: sp}
	l.obj.Messages = append(l.obj.Messages, m)
	return m
}

// field appends a value of type t to a message's record.
func field(m *object.Message, t *types.Type) *object.MessageField {
	a := t.Align()
	m.Size = (m.Size + a - 1) &^ (a - 1)
	m.Fields = append(m.Fields, object.MessageField{Type: t, Offset: m.Size})
	m.Size += t.Size
	return &m.Fields[len(m.Fields)-1]
}

// send emits a message whose fields are written by fill. Messages that steer
// (control) may use the room that the others leave free.
func (f messages) send(m *object.Message, control bool, fill func(rec ir.Reg)) {
	m.Size = (m.Size + 7) &^ 7
	stamped := f.info.Opts.Stamps && m.Kind.IsShown()
	if stamped && m.Time == 0 {
		m.Time = m.Size
		m.Size += 8
		fill = f.withTime(m, fill)
	}
	f.ringUse(m)
	f.SendRecord(f.obj.Ring, m.Size, control, func(rec ir.Reg) {
		if stamped {
			f.Store(rec, 0, ir.Operand{Link: ir.Message, Imm: int64(m.ID)}, 4)
			f.Store(rec, 4, f.AddConst(f.Fact(ir.FactCPU), 1), 4)
		} else {
			f.Store(rec, 0, ir.Operand{Link: ir.Message, Imm: int64(m.ID)}, 8)
		}
		if fill != nil {
			f.ring = rec
			fill(rec)
			f.ring = 0
		}
	}, func() { f.loss(object.LossRingFull) })
}

// sendWords emits a message that steers, with numbers of 8 bytes.
func (f messages) sendWords(m *object.Message, t *types.Type, words ...ir.Operand) {
	f.send(m, true, f.wordFields(m, t, words...))
}

// wordFields adds a field for each number of 8 bytes and returns what fills them.
func (f messages) wordFields(m *object.Message, t *types.Type, words ...ir.Operand) func(rec ir.Reg) {
	first := len(m.Fields)
	for range words {
		field(m, t)
	}
	return func(rec ir.Reg) {
		for i, w := range words {
			f.Store(rec, int32(m.Fields[first+i].Offset), w, 8)
		}
	}
}

// withTime stamps a record before it is filled: what fills it may take long.
func (f messages) withTime(m *object.Message, fill func(rec ir.Reg)) func(rec ir.Reg) {
	return func(rec ir.Reg) {
		f.Store(rec, int32(m.Time), f.probed.nsecs(), 8)
		if fill != nil {
			fill(rec)
		}
	}
}

// messageType is the type under which a value travels: numbers read from
// aggregations are plain, odd types as they are.
func messageType(t *types.Type) *types.Type {
	switch {
	case t.Kind.IsAggregation():
		return types.IntType(8, t.Agg.Signed)
	case t.Kind == types.None, t.Kind == types.Invalid:
		return types.U64
	}
	return t
}

// withFields adds a field for each expression and returns what fills them.
// Numbers are computed before the record is reserved; the rest is written
// straight into it, unless the order in which the expressions are evaluated
// matters: with a record in hand a program must not leave, nor say anything
// that comes before the record.
func (f messages) withFields(m *object.Message, args []ast.Expr) func(rec ir.Reg) {
	var fills []func(rec ir.Reg)
	inOrder := analysis.HasEffects(args...)
	names := f.schema.Arguments(f.u, args)
	for i, a := range args {
		t := messageType(f.typeOf(a))
		names[i].Type = t
		fd := named(m, names[i])
		off := int32(fd.Offset)
		fd.Own = (t.Kind == types.String || t.Kind == types.Int) && f.origins.IsOwn(f.u, a)
		if t.IsScalar() {
			op := f.scalarOf(a)
			fills = append(fills, func(rec ir.Reg) { f.Store(rec, off, op, t.Size) })
			continue
		}
		if inOrder {
			mem := f.Slot("argument", t.Size)
			f.exprTo(a, t, mem, 0)
			fills = append(fills, func(rec ir.Reg) { f.CopyMem(rec, off, mem, 0, t.Size) })
			continue
		}
		fills = append(fills, func(rec ir.Reg) { f.exprTo(a, t, rec, off) })
	}
	return func(rec ir.Reg) {
		for _, fill := range fills {
			fill(rec)
		}
	}
}

// named appends a value to a message's record that people are shown.
func named(m *object.Message, shown object.Field) *object.MessageField {
	if m.Schema == nil {
		m.Schema = &object.Schema{}
	}
	m.Schema.Add(shown)
	return field(m, shown.Type)
}

// printf is printf, errorf, warnf, cat, system and time: a constant format and
// its arguments.
func (f messages) printf(kind object.MessageKind, x *ast.Call) {
	m := f.message(kind, f.u, x.Span)
	format, args := "%H:%M:%S\n", x.Args
	if len(args) > 0 {
		format, args = f.u.Strings[args[0]], args[1:]
	}
	if kind == object.MsgTime {
		m.Format = []object.Verb{{Literal: format}}
	} else {
		m.Format = f.parseFormat(format)
	}
	f.send(m, false, f.withFields(m, args))
}

// print is print(value), print(@m), print(@m, top, div) and print(@m[k]).
func printCall(f *fn, x *ast.Call) {
	if mx, ok := x.Args[0].(*ast.Map); ok {
		switch m := f.info.ByName[mx.Name]; {
		case mx.Keys == nil:
			msg := f.message(object.MsgPrintMap, f.u, x.Span)
			msg.Map, msg.Drained = f.maps[m], f.access.isDrained(m)
			ops := []ir.Operand{ir.I(0), ir.I(0)}
			for i, a := range x.Args[1:] {
				ops[i] = f.scalarOf(a)
			}
			f.messages.sendWords(msg, types.U64, ops...)
			return
		case m.Value.Kind.IsChart():
			f.messages.printEntry(m, mx, x)
			return
		}
	}
	if f.messages.isPinned() {
		f.messages.seqPrintf([]object.Verb{{Conv: 's', Bits: 64, Prec: -1}, {Literal: "\n"}}, x.Args[:1], x.Span)
		return
	}
	msg := f.message(object.MsgPrintValue, f.u, x.Span)
	f.messages.send(msg, false, f.messages.withFields(msg, x.Args[:1]))
}

// runtimeError tells user space what went wrong at the present place. It is one
// of few, so it may use the room of messages that steer; if even that is taken
// nothing is said here, but what went wrong is counted.
func (f messages) runtimeError(kind object.LossKind, code ir.Operand) {
	m := f.message(object.MsgRuntimeError, f.u, f.Span)
	fill := f.wordFields(m, types.I64, ir.I(int64(kind)), code)
	f.ringUse(m)
	f.SendRecord(f.obj.Ring, m.Size, true, func(rec ir.Reg) {
		f.Store(rec, 0, ir.Operand{Link: ir.Message, Imm: int64(m.ID)}, 8)
		fill(rec)
	}, func() {})
}

// lossAt counts something that was lost, and tells where when it is the first
// of its kind. code is what a helper returned, or 0.
func (f messages) lossAt(kind object.LossKind, code ir.Operand) {
	f.lossThen(kind, func() {
		if f.ring == 0 { // not amid another message
			// Map helpers return an int: before Linux 6.12 it may come
			// without its sign.
			f.runtimeError(kind, f.Extend(code, 4, true))
		}
	})
}

// printEntry is print(@m[k]) of an aggregation that is shown as a whole: the
// message names the map and carries the key, user space reads the rest.
func (f messages) printEntry(m *check.Map, x *ast.Map, call *ast.Call) {
	msg := f.message(object.MsgPrintEntry, f.u, call.Span)
	msg.Map, msg.Drained = f.maps[m], f.access.isDrained(m)
	off := int32(field(msg, m.Key).Offset)
	key := f.access.key(m, x.Keys)
	f.send(msg, true, func(rec ir.Reg) { f.CopyMem(rec, off, key, 0, m.Key.Size) })
}

// mapMessage is clear(@m) and zero(@m).
func (f messages) mapMessage(kind object.MessageKind, x *ast.Call) {
	m := f.message(kind, f.u, x.Span)
	m.Map = f.maps[f.info.ByName[x.Args[0].(*ast.Map).Name]]
	f.send(m, true, nil)
}

// join is join(argv[, sep]): up to 16 words of an array of strings.
func join(f *fn, x *ast.Call) {
	const words = 16
	width := min(f.info.Config.MaxStrlen, 1024)
	m := f.message(object.MsgJoin, f.u, x.Span)
	m.Sep = " "
	if len(x.Args) > 1 {
		m.Sep = f.u.Strings[x.Args[1]]
	}
	t := types.ArrayOf(types.StringType(width), words)
	off := int32(field(m, t).Offset)
	v := f.expr(x.Args[0])
	argv := f.values.operand(v)
	isUser := v.t.User || f.texts.userAddress(v.t)
	f.messages.send(m, false, func(rec ir.Reg) {
		all := f.NewBlock()
		for i := 0; i < words; i++ {
			p := f.values.loadMem(value{isMem: true, base: argv, off: int64(8 * i), sp: spaceOf(isUser)}, 8, false)
			at := off + int32(i*t.Elem.Size)
			f.Store(rec, at, ir.I(0), 8)
			f.Guard(ir.Ne, p, ir.I(0), all)
			f.texts.readString(f.AddConst(ir.R(rec), int64(at)), t.Elem.Size, p, isUser)
			if i < words-1 {
				// The next word is empty until it is read.
				f.Store(rec, at+int32(t.Elem.Size), ir.I(0), 8)
			}
		}
		f.Label(all)
	})
}

// eventField is a value that the default action shows.
type eventField struct {
	name string
	t    *types.Type
	v    value
	unit types.Unit
}

// event is the default action: time, thread, probe, arguments, result.
func (f messages) event() {
	own := f.threadFields(nil)
	if f.p.allSys != "" && len(f.u.Hooks) > 1 {
		own = append(own, eventField{name: "probe", t: &types.Type{Kind: types.ProbeName, Size: 8}, v: scalar(types.U64, f.probed.probeName())})
	}
	for _, a := range f.eventArgs() {
		own = append(own, f.shownField(a, f.probed.argNamed(a)))
	}
	if f.u.Retval != nil && !f.p.entry {
		own = append(own, eventField{name: "retval", t: f.u.Retval, v: f.probed.retval()})
	}
	if f.p.took != 0 {
		own = append(own, eventField{"took", types.U64, scalar(types.U64, ir.R(f.p.took)), types.Nanoseconds})
	}
	f.sendEvent(f.p.hook.Name, f.u.Clause.Span, own)
}

// eventOf is the default action of a clause on a declared probe: its fields
// instead of arguments. Those that are called like what every event has stand
// for that.
func (f messages) eventOf(s *ast.Event) {
	given := map[string]value{}
	var rest []eventField
	var took []eventField
	for i, name := range s.Fields.Names {
		x := s.Fields.Values[i]
		v := f.expr(x)
		switch name {
		case builtin.VarNsecs.Name, builtin.VarComm.Name, builtin.VarPid.Name, builtin.VarTid.Name:
			given[name] = v
		case builtin.VarTook.Name:
			took = append(took, eventField{name, v.t, v, f.schema.Unit(f.u, x)})
		default:
			shown := f.shownField(name, v)
			shown.unit = f.schema.Unit(f.u, x)
			rest = append(rest, shown)
		}
	}
	own := append(f.threadFields(given), rest...)
	f.sendEvent(s.Probe, s.Span, append(own, took...))
}

// threadFields are time and thread of an event. If the process is given, or an
// iterator runs, the event is not of the running thread, whose id would mislead.
func (f messages) threadFields(given map[string]value) []eventField {
	var out []eventField
	add := func(name string, t *types.Type, own func() value) {
		v, ok := given[name]
		_, foreign := given["pid"]
		if foreign = foreign || f.u.Provider == "iter"; !ok && foreign && name != builtin.VarNsecs.Name {
			return
		}
		if !ok {
			v = own()
		}
		out = append(out, eventField{name: name, t: t, v: v})
	}
	pt := ir.Operand{}
	thread := func() ir.Operand {
		if pt == (ir.Operand{}) {
			pt = f.Fact(ir.FactOwnIDs)
		}
		return pt
	}
	add("nsecs", types.U64, func() value { return scalar(types.U64, f.probed.nsecs()) })
	add("comm", types.StringType(16), f.probed.comm)
	add("pid", types.U32, func() value { return scalar(types.U32, f.Op(ir.OpRsh, thread(), ir.I(32))) })
	add("tid", types.U32, func() value { return scalar(types.U32, f.Extend(thread(), 4, false)) })
	return out
}

// shownField is a value as the default action shows it.
func (f messages) shownField(name string, v value) eventField {
	t := v.t
	switch {
	case isText(t):
		// char pointers are shown as the text they point to.
		ptr := f.values.operand(v)
		st := types.StringType(min(f.info.Config.MaxStrlen, 256))
		return eventField{name: name, t: st, v: value{t: st, isMem: true, base: ptr, sp: spaceOf(t.User)}}
	case v.isMem && t.Kind == types.String && t.Size == 0:
		// Its length is unknown, as of the texts of most tracepoints do.
		t = types.StringType(min(f.info.Config.MaxStrlen, 256))
	}
	if v.isMem && t.IsScalar() {
		v = scalar(t, f.values.operand(v))
	}
	return eventField{name: name, t: t, v: v}
}

// headRoles and tailRoles are what the first fields of an event with these names are, each
// once, and the last ones. What lies between are arguments.
var (
	headRoles = map[string]object.Role{builtin.VarNsecs.Name: object.RoleTime, builtin.VarComm.Name: object.RoleComm,
		builtin.VarPid.Name: object.RolePID, builtin.VarTid.Name: object.RoleTID, builtin.VarProbe.Name: object.RoleProbe}
	tailRoles = map[string]object.Role{builtin.VarRet.Name: object.RoleResult, builtin.VarRetval.Name: object.RoleResult, builtin.VarTook.Name: object.RoleTook}
)

// rolesOf are what the fields of an event are.
func rolesOf(fields []eventField) []object.Role {
	roles := make([]object.Role, len(fields))
	seen := map[object.Role]bool{object.RoleArg: true}
	first, end := 0, len(fields)
	for ; first < end && !seen[headRoles[fields[first].name]]; first++ {
		roles[first] = headRoles[fields[first].name]
		seen[roles[first]] = true
	}
	for ; end > first && !seen[tailRoles[fields[end-1].name]]; end-- {
		roles[end-1] = tailRoles[fields[end-1].name]
		seen[roles[end-1]] = true
	}
	return roles
}

// sendEvent sends an event's fields.
func (f messages) sendEvent(probe string, sp source.Span, fields []eventField) {
	m := f.message(object.MsgEvent, f.u, sp)
	m.Probe = probe
	offsets := make([]int32, len(fields))
	roles := rolesOf(fields)
	for i, fd := range fields {
		fields[i].t = messageType(fd.t)
		shown := object.Field{Name: fd.name, Type: fields[i].t, Unit: fd.unit, Role: roles[i]}
		if roles[i] == object.RoleTime {
			shown.Type, shown.Unit = types.U64, types.Nanoseconds
			fields[i].t = types.U64
		}
		offsets[i] = int32(named(m, shown).Offset)
		if roles[i] == object.RoleTime {
			m.Time = int(offsets[i])
		}
	}
	f.send(m, false, func(rec ir.Reg) {
		for i, it := range fields {
			if it.v.isMem && it.v.t.Kind == types.String && it.v.sp != direct {
				f.texts.readString(f.AddConst(ir.R(rec), int64(offsets[i])), it.t.Size, f.values.address(it.v), it.v.sp == user)
				continue
			}
			f.values.storeValue(it.v, it.t, rec, offsets[i])
		}
	})
}

// isText tells whether t is a pointer to characters.
func isText(t *types.Type) bool {
	return t.Kind == types.Pointer && t.Elem != nil && t.Elem.Kind == types.Int && t.Elem.Size == 1 && t.Elem.Char
}

// eventArgs are the names of the arguments that the default action shows.
func (f messages) eventArgs() []string {
	if len(f.u.EntryArgs) > 0 {
		return f.u.EntryArgs
	}
	switch {
	case f.u.Args == nil, f.p.allSys != "" && len(f.u.Hooks) > 1:
		return nil
	case f.u.Provider == "kretprobe", f.u.Provider == "uretprobe":
		return nil // the registers that held them are others at the return
	}
	var names []string
	for _, n := range f.u.Args.FieldNames() {
		fd, _ := f.u.Args.Field(n)
		// Of an array only the record of each event tells how long it is.
		dynamic := fd.DataLoc && !fd.Type.IsCharArray()
		if n != "__syscall_nr" && !(n == builtin.VarRet.Name && f.u.Retval != nil) && !dynamic {
			names = append(names, n)
		}
	}
	return names
}
