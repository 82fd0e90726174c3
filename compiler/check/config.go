package check

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"fst/compiler/builtin"
	"fst/compiler/object"
	"fst/compiler/types"
	"fst/lang/ast"
	"fst/lang/parse"
	"fst/lang/source"
)

// setters put settings into the configuration of the object; the others change nothing in it.
var setters = map[string]func(c *object.Config, s builtin.SettingValue){
	"max_strlen":         func(c *object.Config, s builtin.SettingValue) { c.MaxStrlen = int(s.Num) },
	"max_map_keys":       func(c *object.Config, s builtin.SettingValue) { c.MaxMapKeys = int(s.Num) },
	"max_cat_bytes":      func(c *object.Config, s builtin.SettingValue) { c.MaxCatBytes = int(s.Num) },
	"print_maps_on_exit": func(c *object.Config, s builtin.SettingValue) { c.PrintMapsOnExit = s.Num != 0 },
	"str_trunc_trailer":  func(c *object.Config, s builtin.SettingValue) { c.StrTruncTrailer = s.Text },
	"missing_probes":     func(c *object.Config, s builtin.SettingValue) { c.MissingProbes = s.Text },
	"stack_mode":         func(c *object.Config, s builtin.SettingValue) { c.StackMode = s.Text },
	"cpp_demangle":       func(c *object.Config, s builtin.SettingValue) { c.CppDemangle = s.Num != 0 },
	"show_debug_info":    func(c *object.Config, s builtin.SettingValue) { c.DebugInfo = s.Num != 0 },
	"license":            func(c *object.Config, s builtin.SettingValue) { c.License = s.Text },
	"perf_rb_pages": func(c *object.Config, s builtin.SettingValue) {
		if s.Num > 0 {
			c.RingBytes = int(s.Num) * 4096
		}
	},
	"max_overhead": func(c *object.Config, s builtin.SettingValue) { c.MaxOverhead, _ = parse.Share(s.Text) },
}

// config reads the script's config block and then the environment, which wins.
func (c *checker) config() {
	for i := range builtin.Settings {
		s := &builtin.Settings[i]
		if v, ok := s.Parse(s.Default); ok {
			c.set(s, v)
		} else {
			c.settings[s.Name] = builtin.SettingValue{IsText: true} // no limit
		}
	}
	before := c.diags.Errors()
	for _, s := range c.prog.Config {
		c.configEntry(s)
	}
	if c.prog.Unsettled || c.diags.Errors() > before {
		c.info.Config.MissingProbes = "ignore" // for all that is known
	}
	for name, text := range c.opts.Env {
		if s, inverted := settingOfEnv(name); s != nil {
			if v, ok := s.Parse(text); ok {
				c.set(s, invert(v, inverted))
			}
		}
	}
}

func (c *checker) set(s *builtin.Setting, v builtin.SettingValue) {
	c.settings[s.Name] = v
	if set := setters[s.Name]; set != nil {
		set(&c.info.Config, v)
	}
}

// invert turns a switch round: what it was called before said the opposite.
func invert(v builtin.SettingValue, inverted bool) builtin.SettingValue {
	if inverted {
		v.Num = 1 - v.Num
	}
	return v
}

// settingOfEnv finds the setting that a variable of the environment gives, or nil:
// many belong to other programs or to the runtime.
func settingOfEnv(name string) (s *builtin.Setting, inverted bool) {
	key, ok := strings.CutPrefix(name, "BPFTRACE_")
	if !ok {
		return nil, false
	}
	key, inverted = currentKey(strings.ToLower(key))
	return builtin.SettingByName(key), inverted
}

// CheckEnv returns an error if a BPFTRACE_... variable has a value that its
// setting can't have.
func CheckEnv(env map[string]string) error {
	for _, name := range slices.Sorted(maps.Keys(env)) {
		if s, _ := settingOfEnv(name); s != nil {
			if _, ok := s.Parse(env[name]); !ok {
				return fmt.Errorf("the environment variable %s is %q, but %s", name, env[name], s.Wants())
			}
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
	k := builtin.SettingByName(key)
	if k == nil {
		suggest(c.errorf(keySpan(s), "there is no setting %s", s.Key).Hintf("fst doc settings lists them"), s.Key, "", builtin.SettingNames())
		return
	}
	if s.Value == nil {
		return
	}
	text, ok := settingText(s.Value, k)
	if !ok {
		c.configError(s, k, "an expression")
		return
	}
	v, ok := k.Parse(text)
	if !ok {
		if _, quoted := s.Value.(*ast.StringLit); quoted && k.Kind == builtin.NumberSetting {
			text = strconv.Quote(text)
		}
		c.configError(s, k, text)
		return
	}
	c.set(k, invert(v, inverted))
}

// settingText is the value of a setting as a text; ok is false if it is an expression.
func settingText(x ast.Expr, k *builtin.Setting) (text string, ok bool) {
	switch x := x.(type) {
	case *ast.StringLit:
		return x.Value, true // numbers, too, may stand in quotes
	case *ast.IntLit:
		if k.Kind == builtin.SwitchSetting || k.Kind == builtin.FeatureSetting {
			return strconv.FormatBool(x.Value != 0), true
		}
		return strconv.FormatUint(x.Value, 10), true
	case *ast.BoolLit:
		return strconv.FormatBool(x.Value), true
	case *ast.Ident:
		return x.Name, true
	}
	return "", false
}

func (c *checker) configError(s *ast.Setting, k *builtin.Setting, found string) {
	d := c.errorf(s.Value.Pos(), "%s can't be %s: %s", s.Key, found, k.Wants())
	if len(k.Words) > 0 {
		suggest(d, found, "", k.Words)
	}
	if d.Hint == "" && k.Default != "" {
		d.Hintf("the default is %s = %s", s.Key, k.Default)
	}
}

// configField is config.name.
func (u members) configField(x *ast.Field) *types.Type {
	u.Types[x.X] = types.NoneType
	s := builtin.SettingByName(x.Name)
	if s == nil {
		return wrong(suggest(u.errorf(x.NameSpan, "there is no setting %s", x.Name), x.Name, "config.", builtin.SettingNames()))
	}
	v := u.settings[x.Name]
	switch {
	case v.IsText:
		u.Strings[x] = v.Text
		return types.StringType(len(v.Text) + 1)
	case s.Kind == builtin.SwitchSetting:
		u.Consts[x] = v.Num
		return types.BoolType
	}
	u.Consts[x] = v.Num
	return types.I64
}

// configValue is `config`: all settings.
func (u members) configValue(x ast.Expr) *types.Type {
	r := u.newConstRecord(x)
	for _, s := range builtin.Settings {
		switch v := u.settings[s.Name]; {
		case v.IsText:
			r.text(s.Name, v.Text)
		case s.Kind == builtin.SwitchSetting:
			r.number(s.Name, v.Num, types.BoolType)
		default:
			r.number(s.Name, v.Num, types.I64)
		}
	}
	return r.done()
}
