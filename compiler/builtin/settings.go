package builtin

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"fst/lang/parse"
)

// SettingKind is what a setting of the config block holds.
type SettingKind byte

const (
	NumberSetting  SettingKind = 'i'
	SwitchSetting  SettingKind = 'b'
	WordSetting    SettingKind = 's' // a string or word
	FeatureSetting SettingKind = 'f' // one of Words, of which true means enable and false error
	ShareSetting   SettingKind = '%' // a share, such as 2%
)

// Setting is a key of the config block, and with BPFTRACE_ before its name in
// capitals a variable of the environment.
type Setting struct {
	Name  string
	Kind  SettingKind
	Words []string // what it may be, if not any
	Min   int64
	Max   int64 // 0 is no limit
	// Default is what it is if nobody sets it.
	Default string
	Help    string
}

// StackModes are how stacks are shown.
var StackModes = []string{"bpftrace", "perf", "raw", "build_id"}

// unstable are the values of the keys for features that bpftrace may still
// change: fst has each of them for good. They were switches before they were words.
var unstable = []string{"error", "warn", "enable", "true", "false", "1", "0"}

// SwitchedOff reports whether one of those says that a feature is not to be used.
func SwitchedOff(word string) bool { return word == "error" || word == "false" || word == "0" }

// OldSettings are names of settings in earlier releases, and what they are called
// now; an empty one no longer has an effect.
var OldSettings = map[string]string{
	"strlen": "max_strlen", "map_keys_max": "max_map_keys", "cat_bytes_max": "max_cat_bytes", "no_cpp_demangle": "cpp_demangle",
	"symbol_source": "", "max_type_res_iterations": "", "unstable_macro": "", "unstable_map_decl": "", "unstable_addr": "", "unstable_import": "",
}

// Settings are all settings.
var Settings = []Setting{
	{"max_strlen", NumberSetting, nil, 1, 4 << 20, "1024", "room for a string, in bytes, including its end"},
	{"max_map_keys", NumberSetting, nil, 1, 0, "4096", "how many keys a map holds, unless let declares it"},
	{"max_probes", NumberSetting, nil, 1, 0, "1024", "how many places a script may be attached to"},
	{"max_bpf_progs", NumberSetting, nil, 1, 0, "1024", "how many BPF programs a clause may become"},
	{"max_cat_bytes", NumberSetting, nil, 1, 0, "10240", "how much of a file cat() prints"},
	{"max_overhead", ShareSetting, nil, 0, 0, "", "the share of one CPU that the probes may take, such as 2%"},
	{"missing_probes", WordSetting, []string{"error", "warn", "ignore"}, 0, 0, "error", "what to do about a probe that does not exist"},
	{"print_maps_on_exit", SwitchSetting, nil, 0, 0, "true", "print all maps at the end"},
	{"str_trunc_trailer", WordSetting, nil, 0, 0, "..", "what is shown after a string that was cut"},
	{"stack_mode", WordSetting, StackModes, 0, 0, "bpftrace", "how stacks are shown"},
	{"cpp_demangle", SwitchSetting, nil, 0, 0, "true", "show the names of C++ functions as in the source"},
	{"show_debug_info", SwitchSetting, nil, 0, 0, "false", "show source lines and inlined functions in user stacks, for programs with debug information"},
	{"perf_rb_pages", NumberSetting, nil, 0, 1 << 17, "0", "pages of memory for events on their way to the output"},
	{"license", WordSetting, []string{"GPL", "GPL v2", "GPL and additional rights", "Dual BSD/GPL", "Dual MIT/GPL", "Dual MPL/GPL"}, 0, 0, "GPL",
		"the license that is reported to the kernel"},
	{"cache_user_symbols", WordSetting, []string{"PER_PID", "PER_PROGRAM", "NONE", "1", "0"}, 0, 0, "PER_PID", "accepted, without effect"},
	{"lazy_symbolication", SwitchSetting, nil, 0, 0, "true", "accepted, without effect"},
	{"log_size", NumberSetting, nil, 0, 0, "1000000", "accepted, without effect"},
	{"on_stack_limit", NumberSetting, nil, 0, 0, "32", "accepted, without effect"},
	{"use_blazesym", SwitchSetting, nil, 0, 0, "false", "accepted, without effect"},
	{"unstable_tseries", FeatureSetting, unstable, 0, 0, "enable", "accepted, without effect"},
	{"unstable_dw_ustack", FeatureSetting, unstable, 0, 0, "enable", "accepted, without effect"},
	{"unstable_import_statement", FeatureSetting, unstable, 0, 0, "enable", "accepted, without effect"},
	{"unstable_typeinfo", FeatureSetting, unstable, 0, 0, "enable", "accepted, without effect"},
}

// SettingValue is what a setting is set to: a text, or a number, which is 0 or 1 for a switch.
type SettingValue struct {
	IsText bool
	Text   string
	Num    int64
}

// SettingByName finds a setting by its name, or returns nil.
func SettingByName(name string) *Setting {
	i := slices.IndexFunc(Settings, func(s Setting) bool { return s.Name == name })
	if i < 0 {
		return nil
	}
	return &Settings[i]
}

// SettingNames are the names of all settings.
func SettingNames() []string {
	names := make([]string, len(Settings))
	for i, s := range Settings {
		names[i] = s.Name
	}
	return names
}

// Wants says what a value of the setting must be.
func (s *Setting) Wants() string {
	switch {
	case s.Kind == NumberSetting && s.Max > 0:
		return fmt.Sprintf("it must be an integer from %d to %d", s.Min, s.Max)
	case s.Kind == NumberSetting:
		return fmt.Sprintf("it must be an integer of at least %d", s.Min)
	case s.Kind == SwitchSetting:
		return "it must be true or false"
	case s.Kind == ShareSetting:
		return "it must be a share of one CPU, such as 2%"
	case len(s.Words) > 0:
		return "it must be one of " + strings.Join(s.Words, ", ")
	}
	return "it must be a string"
}

// Parse reads a value; ok is false if the setting can't have it.
func (s *Setting) Parse(text string) (v SettingValue, ok bool) {
	switch s.Kind {
	case NumberSetting:
		n, err := strconv.ParseInt(text, 0, 64)
		return SettingValue{Num: n}, err == nil && n >= s.Min && (s.Max == 0 || n <= s.Max)
	case SwitchSetting:
		on, ok := ParseSwitch(text)
		if on {
			v.Num = 1
		}
		return v, ok
	case FeatureSetting:
		switch on, ok := ParseSwitch(text); {
		case ok && on:
			text = "enable"
		case ok:
			text = "error"
		}
	case ShareSetting:
		if _, ok := parse.Share(text); !ok {
			return v, false
		}
	}
	if len(s.Words) > 0 {
		i := slices.IndexFunc(s.Words, func(w string) bool { return strings.EqualFold(w, text) })
		if i < 0 {
			return v, false
		}
		text = s.Words[i]
	}
	return SettingValue{IsText: true, Text: text}, true
}

// ParseSwitch reads what switches are set to, in any case of letters.
func ParseSwitch(word string) (on, ok bool) {
	switch strings.ToLower(word) {
	case "true", "1", "yes", "on":
		return true, true
	case "false", "0", "no", "off":
		return false, true
	}
	return false, false
}
