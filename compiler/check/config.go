package check

import (
	"fmt"
	"fst/lang/parse"
	"maps"
	"slices"
	"strconv"
	"strings"

	"fst/compiler/builtin"
	"fst/compiler/object"
	"fst/lang/ast"
	"fst/lang/source"
)

// setting is the value of a config key as the script sees it.
type setting struct {
	isText bool
	text   string
	num    int64
}

// configKey is a key of the config block: check refuses a value by saying what
// is allowed; set is nil for keys that change nothing here.
type configKey struct {
	builtin.Setting
	set func(c *object.Config, s setting)
}

var configKeys = func() map[string]configKey {
	m := map[string]configKey{}
	for _, s := range builtin.Settings {
		m[s.Name] = configKey{s, setters[s.Name]}
	}
	return m
}()

var setters = map[string]func(c *object.Config, s setting){
	"max_strlen":         func(c *object.Config, s setting) { c.MaxStrlen = int(s.num) },
	"max_map_keys":       func(c *object.Config, s setting) { c.MaxMapKeys = int(s.num) },
	"max_cat_bytes":      func(c *object.Config, s setting) { c.MaxCatBytes = int(s.num) },
	"print_maps_on_exit": func(c *object.Config, s setting) { c.PrintMapsOnExit = s.num != 0 },
	"str_trunc_trailer":  func(c *object.Config, s setting) { c.StrTruncTrailer = s.text },
	"missing_probes":     func(c *object.Config, s setting) { c.MissingProbes = s.text },
	"stack_mode":         func(c *object.Config, s setting) { c.StackMode = s.text },
	"cpp_demangle":       func(c *object.Config, s setting) { c.CppDemangle = s.num != 0 },
	"show_debug_info":    func(c *object.Config, s setting) { c.DebugInfo = s.num != 0 },
	"license":            func(c *object.Config, s setting) { c.License = s.text },
	"perf_rb_pages": func(c *object.Config, s setting) {
		if s.num > 0 {
			c.RingBytes = int(s.num) * 4096
		}
	},
	"max_overhead": func(c *object.Config, s setting) { c.MaxOverhead, _ = parse.Share(s.text) },
}

// config reads the script's config block and then the environment, which wins.
func (c *checker) config() {
	d := object.DefaultConfig()
	c.info.Config = d
	for name, k := range configKeys {
		if v, problem := k.parse(k.Default); problem == "" {
			c.apply(name, k, v)
		} else {
			c.settings[name] = setting{isText: true} // no limit
		}
	}
	before := c.diags.Errors()
	for _, s := range c.prog.Config {
		c.configEntry(s)
	}
	if c.prog.Unsettled || c.diags.Errors() > before {
		c.info.Config.MissingProbes = "ignore" // for all that is known
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
	if now, old := builtin.OldSettings[key]; old && now != "" {
		return now, key == "no_cpp_demangle"
	}
	return key, false
}

// keySpan is where the key of a setting stands.
func keySpan(s *ast.Setting) source.Span {
	return source.Span{Start: s.Span.Start, End: s.Span.Start + source.Pos(len(s.Key))}
}

func (c *checker) configEntry(s *ast.Setting) {
	name := s.Key
	if env, ok := strings.CutPrefix(name, "BPFTRACE_"); ok {
		name = strings.ToLower(env) // as the environment writes it
	} else if name == strings.ToUpper(name) {
		name = strings.ToLower(name)
	}
	key, inverted := currentKey(name)
	if _, old := builtin.OldSettings[name]; old {
		if key == name {
			c.diags.Warnf(keySpan(s), "the setting %s no longer has an effect", s.Key).Hintf("leave it out")
			return
		}
		c.diags.Warnf(keySpan(s), "the setting %s is now called %s", s.Key, key).Hintf("write %s", key)
	}
	k, ok := configKeys[key]
	if !ok {
		suggest(c.errorf(keySpan(s), "there is no setting %s", s.Key).Hintf("fst doc settings lists them"), s.Key, "", slices.Collect(maps.Keys(configKeys)))
		return
	}
	var text string
	switch v := s.Value.(type) {
	case *ast.StringLit:
		text = v.Value // numbers, too, may stand in quotes
	case *ast.IntLit:
		text = strconv.FormatUint(v.Value, 10)
		if k.Kind == builtin.SwitchSetting || k.Kind == builtin.FeatureSetting {
			text = strconv.FormatBool(v.Value != 0)
		}
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
		if _, quoted := s.Value.(*ast.StringLit); quoted && k.Kind == builtin.NumberSetting {
			text = strconv.Quote(text)
		}
		c.configError(s.Value, s.Key, k, text)
		return
	}
	if inverted {
		val.num = 1 - val.num
	}
	c.apply(key, k, val)
}

func (c *checker) configError(at ast.Node, key string, k configKey, found string) {
	d := c.errorf(at.Pos(), "%s can't be %s: %s", key, found, k.wants())
	if len(k.Words) > 0 {
		suggest(d, found, "", k.Words)
	}
	if d.Hint == "" && k.Default != "" {
		d.Hintf("the default is %s = %s", key, k.Default)
	}
}

func (c *checker) apply(key string, k configKey, s setting) {
	c.settings[key] = s
	if k.set != nil {
		k.set(&c.info.Config, s)
	}
}

func (k configKey) wants() string {
	switch {
	case k.Kind == builtin.NumberSetting && k.Max > 0:
		return fmt.Sprintf("it must be an integer from %d to %d", k.Min, k.Max)
	case k.Kind == builtin.NumberSetting:
		return fmt.Sprintf("it must be an integer of at least %d", k.Min)
	case k.Kind == builtin.SwitchSetting:
		return "it must be true or false"
	case k.Kind == builtin.ShareSetting:
		return "it must be a share of one CPU, such as 2%"
	case len(k.Words) > 0:
		return "it must be one of " + strings.Join(k.Words, ", ")
	}
	return "it must be a string"
}

// parse reads a value; problem says what it must be if it is not.
func (k configKey) parse(text string) (s setting, problem string) {
	switch k.Kind {
	case builtin.NumberSetting:
		n, err := strconv.ParseInt(text, 0, 64)
		if err != nil || n < k.Min || k.Max > 0 && n > k.Max {
			return s, k.wants()
		}
		return setting{num: n}, ""
	case builtin.SwitchSetting:
		on, ok := parseBool(text)
		if !ok {
			return s, k.wants()
		}
		return setting{num: b2i(on)}, ""
	case builtin.FeatureSetting:
		switch on, ok := parseBool(text); {
		case ok && on:
			text = "enable"
		case ok:
			text = "error"
		}
	case builtin.ShareSetting:
		if _, ok := parse.Share(text); !ok {
			return s, k.wants()
		}
	}
	if len(k.Words) > 0 {
		i := slices.IndexFunc(k.Words, func(w string) bool { return strings.EqualFold(w, text) })
		if i < 0 {
			return s, k.wants()
		}
		text = k.Words[i]
	}
	return setting{isText: true, text: text}, ""
}

// parseBool reads what switches are set to, in any case of letters.
func parseBool(word string) (on, ok bool) {
	switch strings.ToLower(word) {
	case "true", "1", "yes", "on":
		return true, true
	case "false", "0", "no", "off":
		return false, true
	}
	return false, false
}
