package check

import (
	"slices"

	"fst/compiler/builtin"
	"fst/compiler/object"
	"fst/compiler/probe"
	"fst/compiler/target"
	"fst/compiler/types"
	"fst/lang/ast"
	"fst/lang/diag"
	"fst/lang/source"
)

// The way of a check:
//
//  1. config block and environment, C definitions, map declarations;
//  2. attach points -> places (package probe, clauses.go), and clauses -> units (units.go);
//  3. types: every unit is walked again and again, without complaints, until
//     the types of maps and variables no longer grow (types.Unify has the rules);
//  4. one more walk fills the tables of the units and reports what is wrong.
//
// A map's type comes from all clauses together, so nothing can be said of an
// expression that reads one before all were seen: hence 3 before 4. While 3
// runs, a type that is not known yet is Invalid, which every rule passes on
// silently, as it does after an error.

// maxPasses bounds step 3. Types only grow, and a handful of passes settles
// any script that people write.
const maxPasses = 24

// checker is the state of one Check.
type checker struct {
	prog  *ast.Program
	opts  Options
	t     target.Target
	diags *diag.List
	// probes finds the places of attach points, once the settings are known.
	probes *probe.Resolver
	// warned are the warnings that are shown if there is no error.
	warned diag.List
	info   *Info
	// misexpanded is true if expansion has reported errors.
	misexpanded bool
	// quiet is true while types are inferred: nothing is reported.
	quiet bool
	// errorsAt are the places with errors.
	errorsAt map[source.Span]bool
	// faults are the errors of the last walk while quiet.
	faults  int
	changed bool

	maps     map[string]*mapState
	mapOrder []*mapState
	structs  map[string]*types.Type // by "struct NAME", "union NAME", "enum NAME", and "NAME" of all
	typedefs map[string]*ast.CMember
	// incomplete are structs that members of the script's definitions point
	// to, and nobody defines.
	incomplete map[string]*types.Type
	noType     map[source.Span]bool // the names of types that are not there, once that is said
	enums      map[string]enumerator
	getopts    map[string]bool          // the options that the script reads; false: with a wrong value
	sortable   []string                 // the columns of the script's tables
	sorted     bool                     // --sort names one of them
	absent     map[source.Span]*absence // arguments that were reported as missing
	defaults   map[string]*firstGetopt
	settings   map[string]builtin.SettingValue
	openSaid   map[string]bool // the warnings about open parameters
	filtered   bool            // --probe-filter left out a probe
	units      []*unitChecker
	// manyUserFuncs is true if a clause that uses func is on so many functions
	// of programs that they share a link.
	manyUserFuncs bool
	lookups       map[string]lookup
	layouts       map[*types.Type]*layoutState
	inline        map[*ast.CType]*types.Type
	bitTypes      map[string]*types.Type // of bits(), by the enum's name
}

// enumerator is a name of an enum of the script.
type enumerator struct {
	value int64
	t     *types.Type
	at    source.Span
}

// firstGetopt is the first getopt() of an option: all others must agree.
type firstGetopt struct {
	at  source.Span
	def string
}

// lookup remembers an answer of the target about an enumerator.
type lookup struct {
	value int64
	t     *types.Type
	ok    bool
}

// invalid is the type of what is wrong or not known yet.
var invalid = &types.Type{Kind: types.Invalid}

// Check resolves the names and types of a program whose macros are expanded.
// It reports everything that it finds wrong; the Info is complete only if
// diags has no errors.
//
// The value of `probe` is a number, which costs nothing, until a script takes it
// for a text among others: then it is checked once more, with names for texts.
func Check(prog *ast.Program, opts Options, diags *diag.List) *Info {
	var said diag.List
	misexpanded := diags.HasErrors()
	c := check(prog, opts, &said, misexpanded, false)
	if said.HasErrors() && slices.ContainsFunc(c.info.Units, func(u *Unit) bool { return u.UsesProbe }) {
		var again diag.List
		if text := check(prog, opts, &again, misexpanded, true); again.Errors() < said.Errors() {
			c, said = text, again
		}
	}
	diags.All = append(diags.All, said.All...)
	if !diags.HasErrors() {
		diags.All = append(diags.All, c.warned.All...)
	}
	diags.Sort(nil)
	return c.info
}

// maxErrors is at how many places of a script errors are reported; fewer are shown
// (diag.Renderer).
const maxErrors = 100

// tooMany ends the check after maxErrors.
type tooMany struct{}

func check(prog *ast.Program, opts Options, diags *diag.List, misexpanded, probeText bool) *checker {
	c := newChecker(prog, opts, diags)
	c.misexpanded = misexpanded
	c.info.ProbeText = probeText
	c.guard(c.all)
	return c
}

// all checks the program.
func (c *checker) all() {
	c.config()
	c.probes = c.resolver()
	c.cTypes()
	c.mapDecls()
	c.clauses()
	c.infer()
	for _, u := range c.units {
		u.run()
		u.finish()
	}
	c.info.Units = slices.DeleteFunc(c.info.Units, func(u *Unit) bool { return u.open })
	c.finishMaps()
	c.unknownOptions()
	c.unsorted()
	c.parameters()
}

// guard runs f to its end or to the error that is one too many.
func (c *checker) guard(f func()) {
	defer func() {
		if r := recover(); r != nil {
			if _, ok := r.(tooMany); !ok {
				panic(r)
			}
		}
	}()
	f()
}

// Settled checks what can be told of a program with errors in its text: the
// settings, and the probes that the kernel has or lacks. Of the bodies nothing
// is said: what is missing in them would make more complaints than mistakes.
func Settled(prog *ast.Program, opts Options, diags *diag.List) {
	c := newChecker(prog, opts, diags)
	c.guard(func() {
		c.config()
		c.probes = c.resolver()
		for _, cl := range prog.Clauses {
			// Of what is no kind a library may define it.
			if !slices.ContainsFunc(cl.Probes, func(ap *ast.AttachPoint) bool { return !probe.IsKind(ap.Provider) }) {
				c.clausePoints(cl)
			}
		}
	})
	diags.Sort(nil)
}

func newChecker(prog *ast.Program, opts Options, diags *diag.List) *checker {
	return &checker{
		prog: prog, opts: opts, t: opts.Target, diags: diags,
		info: &Info{ByName: map[string]*Map{}, Opts: opts, Config: object.DefaultConfig()},
		maps: map[string]*mapState{}, absent: map[source.Span]*absence{}, structs: map[string]*types.Type{}, enums: map[string]enumerator{},
		getopts: map[string]bool{}, defaults: map[string]*firstGetopt{}, settings: map[string]builtin.SettingValue{}, openSaid: map[string]bool{}, lookups: map[string]lookup{},
		typedefs: map[string]*ast.CMember{}, incomplete: map[string]*types.Type{}, noType: map[source.Span]bool{}, layouts: map[*types.Type]*layoutState{}, inline: map[*ast.CType]*types.Type{},
		bitTypes: map[string]*types.Type{}, errorsAt: map[source.Span]bool{},
	}
}

func (c *checker) resolver() *probe.Resolver {
	o := c.opts
	return &probe.Resolver{Target: c.t, Params: o.Params, OpenParams: o.OpenParams, Named: o.Named, Flags: o.Flags, PID: o.PID, CPID: o.CPID, Follow: o.Follow,
		Unsafe: o.Unsafe, Missing: c.info.Config.MissingProbes, Diags: c.diags,
		Option: func(name, def, help string, at source.Span) { c.declareOption(name, def, help, at) }}
}

// infer runs step 3.
func (c *checker) infer() {
	c.quiet = true
	c.settle()
	// What comes from nowhere is a number, and so is then what comes from itself
	// alone, as in @n = @n + 1. The other way round what is counted of the first
	// would be taken for a number.
	for _, m := range c.mapOrder {
		if !m.assigned && m.read != nil {
			m.assigned, m.zero = true, true
			m.m.Value = types.WeakInt
			c.settle()
		}
	}
	for _, m := range c.mapOrder {
		if m.assigned && m.m.Value == nil && !m.broken {
			m.m.Value = types.WeakInt
			c.settle()
		}
		// Keys, too: for ($kv : @m) { @m[$kv.0] = 1; }
		if m.looped && m.m.Key == nil && m.scalar == nil && c.faults == 0 {
			m.m.Key = types.WeakInt
			c.settle()
		}
	}
	c.fitKeys()
	c.quiet = false
}

// settle walks the units until no type grows any more.
func (c *checker) settle() {
	for range maxPasses {
		c.changed, c.faults = false, 0
		for _, m := range c.mapOrder {
			m.unsure = false
		}
		for _, u := range c.units {
			u.run()
		}
		if !c.changed {
			break
		}
	}
}

// errorf reports an error; while types are inferred it is thrown away.
func (c *checker) errorf(sp source.Span, format string, args ...any) *diag.Diagnostic {
	if c.quiet {
		c.faults++
		return &diag.Diagnostic{}
	}
	if c.errorsAt[sp] = true; len(c.errorsAt) > maxErrors {
		panic(tooMany{})
	}
	return c.diags.Errorf(sp, format, args...)
}

// silently runs f without reporting anything.
func (c *checker) silently(f func()) {
	quiet, faults := c.quiet, c.faults
	c.quiet = true
	defer func() { c.quiet, c.faults = quiet, faults }()
	f()
}

// wrong is the type of an expression of which something was reported.
func wrong(*diag.Diagnostic) *types.Type { return invalid }

// suggest sets a hint "did you mean X?" if one of the names is near.
func suggest(d *diag.Diagnostic, word, prefix string, names []string) *diag.Diagnostic {
	if d.Message == "" {
		return d // nobody will see it
	}
	if n := diag.Nearest(word, names); n != "" {
		d.Hintf("did you mean %s%s?", prefix, n)
	}
	return d
}
