package check

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"fst/compiler/object"
	"fst/lang/ast"
	"fst/lang/diag"
)

// setting is the value of a config key as the script sees it.
type setting struct {
	isText bool
	text   string
	num    int64
}

// configKey describes one key of the config block. check refuses a value by
// saying what is allowed; set may be nil for keys that change nothing here.
type configKey struct {
	kind  byte // 'i' integer, 'b' bool, 's' string or word, '%' a share
	words []string
	min   int64
	set   func(c *object.Config, s setting)
}

var configKeys = map[string]configKey{
	"max_strlen":    {kind: 'i', min: 1, set: func(c *object.Config, s setting) { c.MaxStrlen = int(s.num) }},
	"max_map_keys":  {kind: 'i', min: 1, set: func(c *object.Config, s setting) { c.MaxMapKeys = int(s.num) }},
	"max_cat_bytes": {kind: 'i', min: 1, set: func(c *object.Config, s setting) { c.MaxCatBytes = int(s.num) }},
	"print_maps_on_exit": {kind: 'b', set: func(c *object.Config, s setting) {
		c.PrintMapsOnExit = s.num != 0
	}},
	"str_trunc_trailer": {kind: 's', set: func(c *object.Config, s setting) { c.StrTruncTrailer = s.text }},
	"missing_probes": {kind: 's', words: []string{"error", "warn", "ignore"}, set: func(c *object.Config, s setting) {
		c.MissingProbes = s.text
	}},
	"perf_rb_pages": {kind: 'i', set: func(c *object.Config, s setting) {
		if s.num > 0 {
			c.RingBytes = int(min(s.num, 1<<18)) * 4096
		}
	}},
	"stack_mode": {kind: 's', words: stackModes, set: func(c *object.Config, s setting) { c.StackMode = s.text }},
	"cpp_demangle": {kind: 'b', set: func(c *object.Config, s setting) {
		c.CppDemangle = s.num != 0
	}},
	"license": {kind: 's', words: []string{"GPL", "GPL v2", "GPL and additional rights", "Dual BSD/GPL", "Dual MIT/GPL", "Dual MPL/GPL"},
		set: func(c *object.Config, s setting) { c.License = s.text }},
	"cache_user_symbols":        {kind: 's', words: []string{"PER_PID", "PER_PROGRAM", "NONE", "1", "0"}},
	"lazy_symbolication":        {kind: 'b'},
	"log_size":                  {kind: 'i'},
	"max_bpf_progs":             {kind: 'i', min: 1},
	"max_probes":                {kind: 'i', min: 1},
	"on_stack_limit":            {kind: 'i'},
	"show_debug_info":           {kind: 'b'},
	"use_blazesym":              {kind: 'b'},
	"unstable_tseries":          {kind: 's', words: unstable},
	"unstable_dw_ustack":        {kind: 's', words: unstable},
	"unstable_import_statement": {kind: 's', words: unstable},
	"unstable_typeinfo":         {kind: 's', words: unstable},
	"max_overhead": {kind: '%', set: func(c *object.Config, s setting) {
		c.MaxOverhead, _ = object.ParseShare(s.text)
	}},
}

// unstable are the values of the keys for features that bpftrace may still
// change: fst has each of them for good, and only "error" means something.
var unstable = []string{"error", "warn", "enable"}

var stackModes = []string{"bpftrace", "perf", "raw", "build_id"}

// oldConfigKeys are names of earlier releases; an empty one has no meaning
// any more.
var oldConfigKeys = map[string]string{
	"strlen": "max_strlen", "map_keys_max": "max_map_keys", "cat_bytes_max": "max_cat_bytes", "no_cpp_demangle": "cpp_demangle",
	"symbol_source": "", "max_type_res_iterations": "", "unstable_macro": "", "unstable_map_decl": "", "unstable_addr": "", "unstable_import": "",
}

// maxStrlenLimit keeps strings within what one map value may hold.
const maxStrlenLimit = 1 << 15

// config reads the script's config block and then the environment, which wins.
func (c *checker) config() {
	d := object.DefaultConfig()
	c.info.Config = d
	c.settings["max_strlen"] = setting{num: int64(d.MaxStrlen)}
	c.settings["max_map_keys"] = setting{num: int64(d.MaxMapKeys)}
	c.settings["max_cat_bytes"] = setting{num: int64(d.MaxCatBytes)}
	c.settings["missing_probes"] = setting{isText: true, text: d.MissingProbes}
	c.settings["stack_mode"] = setting{isText: true, text: d.StackMode}
	c.settings["print_maps_on_exit"] = setting{num: 1}
	c.settings["str_trunc_trailer"] = setting{isText: true, text: d.StrTruncTrailer}
	c.settings["max_probes"] = setting{num: 1024}
	c.settings["max_bpf_progs"] = setting{num: 1024}
	for _, s := range c.prog.Config {
		c.configEntry(s)
	}
	for n, text := range c.opts.Env {
		key, k, inverted := envKey(n)
		if s, problem := k.parse(text); key != "" && problem == "" {
			if inverted {
				s.num = 1 - s.num
			}
			c.apply(key, k, s)
		}
	}
}

// envKey finds the setting that a variable of the environment gives; key is
// empty if it gives none: many belong to other programs or to the runtime.
func envKey(name string) (key string, k configKey, inverted bool) {
	key, ok := strings.CutPrefix(name, "BPFTRACE_")
	if ok {
		key, inverted = currentKey(strings.ToLower(key))
		k, ok = configKeys[key]
	}
	if !ok {
		return "", k, false
	}
	return key, k, inverted
}

// CheckEnv returns an error if a BPFTRACE_... variable has a value that its
// setting can't have.
func CheckEnv(env map[string]string) error {
	names := slices.Sorted(maps.Keys(env))
	for _, n := range names {
		key, k, _ := envKey(n)
		if _, problem := k.parse(env[n]); key != "" && problem != "" {
			return fmt.Errorf("the environment variable %s is %q, but %s", n, env[n], problem)
		}
	}
	return nil
}

func currentKey(key string) (name string, inverted bool) {
	if now, old := oldConfigKeys[key]; old && now != "" {
		return now, key == "no_cpp_demangle"
	}
	return key, false
}

func (c *checker) configEntry(s *ast.Setting) {
	name := s.Key
	if env, ok := strings.CutPrefix(name, "BPFTRACE_"); ok {
		name = strings.ToLower(env) // as the environment writes it
	}
	key, inverted := currentKey(name)
	if _, old := oldConfigKeys[name]; old {
		if key == name {
			c.diags.Warnf(s.Span, "the setting %s has no meaning any more", s.Key).Hintf("leave it out")
			return
		}
		c.diags.Warnf(s.Span, "the setting %s is now called %s", s.Key, key)
	}
	k, ok := configKeys[key]
	if !ok {
		var names []string
		for n := range configKeys {
			names = append(names, n)
		}
		suggest(c.errorf(s.Span, "there is no setting %s", s.Key), s.Key, "", names)
		return
	}
	var text string
	switch v := s.Value.(type) {
	case *ast.StringLit:
		text = v.Value
		if k.kind == 'i' {
			c.configError(v, s.Key, k, fmt.Sprintf("%q", text))
			return
		}
	case *ast.IntLit:
		text = strconv.FormatUint(v.Value, 10)
	case *ast.BoolLit:
		text = strconv.FormatBool(v.Value)
	case *ast.Ident:
		text = v.Name
	default:
		if s.Value != nil {
			c.configError(s.Value, s.Key, k, "an expression")
		}
		return
	}
	val, problem := k.parse(text)
	if problem != "" {
		c.configError(s.Value, s.Key, k, text)
		return
	}
	if inverted {
		val.num = 1 - val.num
	}
	c.apply(key, k, val)
}

func (c *checker) configError(at ast.Node, key string, k configKey, found string) *diag.Diagnostic {
	d := c.errorf(at.Pos(), "%s can't be %s: %s", key, found, k.wants())
	if len(k.words) > 0 {
		suggest(d, found, "", k.words)
	}
	return d
}

func (c *checker) apply(key string, k configKey, s setting) {
	c.settings[key] = s
	if k.set != nil {
		k.set(&c.info.Config, s)
	}
	c.info.Config.MaxStrlen = min(c.info.Config.MaxStrlen, maxStrlenLimit)
}

func (k configKey) wants() string {
	switch {
	case k.kind == 'i':
		return fmt.Sprintf("it must be an integer of at least %d", k.min)
	case k.kind == 'b':
		return "it must be true or false"
	case k.kind == '%':
		return "it must be a share of one CPU, such as 2%"
	case len(k.words) > 0:
		return "it must be one of " + strings.Join(k.words, ", ")
	}
	return "it must be a string"
}

// parse reads a value; problem says what it must be if it is not.
func (k configKey) parse(text string) (s setting, problem string) {
	switch k.kind {
	case 'i':
		n, err := strconv.ParseInt(text, 0, 64)
		if err != nil || n < k.min {
			return s, k.wants()
		}
		return setting{num: n}, ""
	case 'b':
		switch strings.ToLower(text) {
		case "true", "1":
			return setting{num: 1}, ""
		case "false", "0":
			return setting{}, ""
		}
		return s, k.wants()
	case '%':
		if _, ok := object.ParseShare(text); !ok {
			return s, k.wants()
		}
	}
	if len(k.words) > 0 {
		i := slices.IndexFunc(k.words, func(w string) bool { return strings.EqualFold(w, text) })
		if i < 0 {
			return s, k.wants()
		}
		text = k.words[i]
	}
	return setting{isText: true, text: text}, ""
}
