package cli

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"fst"
	"fst/compiler/stages"
	"fst/docs"
	"fst/scripts"
)

// shells are those that completion can be written for.
var shells = map[string]func(*completions) string{"bash": (*completions).bash, "zsh": (*completions).zsh, "fish": (*completions).fish}

// completion writes what a shell needs to complete fst's command lines.
func (a *app) completion(words []string) int {
	names := slices.Sorted(maps.Keys(shells))
	if len(words) != 1 || shells[words[0]] == nil {
		return a.fail(fmt.Errorf("usage: fst completion %s", strings.Join(names, "|")))
	}
	fmt.Fprint(a.stdout, shells[words[0]](a.completions()))
	return exitOK
}

// word is what may be completed, with a line that describes it.
type word struct{ name, help string }

// completions are the words of a command line.
type completions struct {
	options []option
	first   []word            // commands and tools
	tools   []word            // the tools alone
	own     map[string][]word // options behind a tool's name, with their dashes
	topics  []word            // what fst help explains besides
	values  []values
}

// values are the words that an option may have as its value, with blanks between them: everywhere, or
// behind some commands. Shells expand them when they complete.
type values struct{ option, commands, words string }

// kernelNames are those that --kernel takes, as the machine has them when a shell completes.
const kernelNames = `$(fst facts 2>/dev/null | cut -d" " -f1)`

func (a *app) completions() *completions {
	formats := strings.Join(fst.Formats(), " ")
	c := &completions{own: map[string][]word{}, values: []values{
		{"-f", "diff", "text html"},
		{"-f", "", formats},
		{"--format", "", formats},
		{"-B", "", "line full none"},
		{"--stage", "", strings.Join(stages.Names(), " ")},
		{"--backend", "", "kernel interpreter"},
		{"--kernel", "", kernelNames},
		{"--kernel", "check compile dashboard dump type", kernelNames},
	}}
	for _, o := range options {
		if o.help != "" {
			c.options = append(c.options, o)
		}
	}
	for _, cmd := range commands() {
		c.first = append(c.first, word{cmd.name, cmd.help})
	}
	for _, name := range append(scripts.Names(), "graph") {
		h, _ := a.header(name)
		if name != "graph" { // which is a command
			c.tools = append(c.tools, word{name, h.Question})
		}
		for _, o := range h.All(toolOptions) {
			if o.Short != "" {
				c.own[name] = append(c.own[name], word{"-" + o.Short, o.Help})
			}
			c.own[name] = append(c.own[name], word{"--" + o.Long, o.Help})
		}
	}
	c.first = append(c.first, c.tools...)
	for _, t := range docs.Topics() {
		if !strings.Contains(t, " ") {
			c.topics = append(c.topics, word{t, "a topic of the language"})
		}
	}
	for _, t := range append([]string{"tutorial", "one-liners", "columns"}, docs.Pages...) {
		c.topics = append(c.topics, word{t, "a page"})
	}
	return c
}

func joined(words []word) string {
	var names []string
	for _, w := range words {
		names = append(names, w.name)
	}
	return strings.Join(names, " ")
}

// valuesOf are the values of an option of fst's own, or of every tool's; empty if nothing is known of them.
func (c *completions) valuesOf(option string) string {
	for _, v := range c.values {
		if v.option == option && v.commands == "" {
			return v.words
		}
	}
	return ""
}

// asked are the values that bash and zsh ask for, which take the first that fits: without those behind some commands that an
// option has everywhere.
func (c *completions) asked() []values {
	return slices.DeleteFunc(slices.Clone(c.values), func(v values) bool { return v.commands != "" && c.valuesOf(v.option) == v.words })
}

// pattern matches "COMMAND:OPTION" of a command line, in bash and zsh.
func (v values) pattern() string {
	if v.commands == "" {
		return "*:" + v.option
	}
	return strings.ReplaceAll(v.commands, " ", ":"+v.option+"|") + ":" + v.option
}

// fstOptions are the options of fst itself, with their dashes.
func (c *completions) fstOptions() (list []word) {
	for _, o := range c.options {
		if o.short != 0 {
			list = append(list, word{"-" + string(o.short), o.help})
		}
		if o.long != "" {
			list = append(list, word{"--" + o.long, o.help})
		}
	}
	return list
}

// takeTools are the commands behind which the name of a tool may stand.
const takeTools = "show top web explain check compile dashboard dump"

// valued are fst's own options that take a value of which nothing is known.
func (c *completions) valued() (list []string) {
	for _, o := range c.options {
		if o.value != "" && o.short != 0 {
			list = append(list, "-"+string(o.short))
		}
		if o.value != "" && o.long != "" {
			list = append(list, "--"+o.long)
		}
	}
	return slices.DeleteFunc(list, func(name string) bool { return c.valuesOf(name) != "" })
}

func (c *completions) bash() string {
	var b strings.Builder
	fmt.Fprintf(&b, `# bash completion for fst, written by: fst completion bash
_fst() {
    local cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD-1]} name= word
    local names='%s'
    local options='%s' tools='%s'
    COMPREPLY=()
    for word in "${COMP_WORDS[@]:1:COMP_CWORD-1}"; do
        case " $names " in *" $word "*) name=$word; break ;; esac
    done
    case $name in
    %s) case $prev in
        -*) ;;
        *) COMPREPLY=($(compgen -W "$tools" -- "$cur")) ;;
        esac ;;
    '') case $prev in
        %s) return ;;
        esac ;;
    esac
    case $name:$prev in
`, joined(c.first), joined(c.fstOptions()), joined(c.tools), strings.ReplaceAll(takeTools, " ", "|"), strings.Join(c.valued(), "|"))
	for _, v := range c.asked() {
		fmt.Fprintf(&b, "    %s) COMPREPLY=($(compgen -W '%s' -- \"$cur\")); return ;;\n", v.pattern(), v.words)
	}
	fmt.Fprintf(&b, `    *:help|*:doc) COMPREPLY=($(compgen -W "$names %s" -- "$cur")); return ;;
    *:completion) COMPREPLY=($(compgen -W "bash fish zsh" -- "$cur")); return ;;
    esac
    case $name in
`, joined(c.topics))
	for _, name := range slices.Sorted(maps.Keys(c.own)) {
		fmt.Fprintf(&b, "    %s) options='%s' ;;\n", name, joined(c.own[name]))
	}
	b.WriteString(`    esac
    if [[ $cur == -* ]]; then
        COMPREPLY=($(compgen -W "$options" -- "$cur"))
    elif [[ -z $name ]]; then
        COMPREPLY=($(compgen -W "$names" -- "$cur"))
    fi
}
complete -o default -F _fst fst
`)
	return b.String()
}

// zshWords are words with their descriptions, as _describe takes them.
func zshWords(words []word) string {
	var b strings.Builder
	for _, w := range words {
		fmt.Fprintf(&b, " '%s:%s'", w.name, strings.ReplaceAll(w.help, "'", `'\''`))
	}
	return "(" + b.String() + " )"
}

func (c *completions) zsh() string {
	var b strings.Builder
	fmt.Fprintf(&b, `#compdef fst
# zsh completion for fst, written by: fst completion zsh
_fst() {
    local -a names tools options topics shells
    local name= word
    names=%s
    tools=%s
    options=%s
    topics=%s
    shells=( bash fish zsh )
    for word in ${words[2,CURRENT-1]}; do
        if (( ${names[(I)$word:*]} )); then name=$word; break; fi
    done
    case $name:$words[CURRENT-1] in
`, zshWords(c.first), zshWords(c.tools), zshWords(c.fstOptions()), zshWords(c.topics))
	for _, v := range c.asked() {
		fmt.Fprintf(&b, "    %s) options=( %s ); _describe value options; return ;;\n", v.pattern(), v.words)
	}
	b.WriteString(`    *:help|*:doc) _describe name names -- topics; return ;;
    *:completion) _describe shell shells; return ;;
`)
	fmt.Fprintf(&b, `    :%s) _files; return ;;
    *:%s) if [[ $PREFIX != -* ]]; then _describe name tools; _files; return; fi ;;
    esac
    case $name in
`, strings.Join(c.valued(), "|:"), strings.ReplaceAll(takeTools, " ", "|*:"))
	for _, name := range slices.Sorted(maps.Keys(c.own)) {
		fmt.Fprintf(&b, "    %s) options=%s ;;\n", name, zshWords(c.own[name]))
	}
	b.WriteString(`    esac
    if [[ $PREFIX == -* ]]; then
        _describe -o option options
    elif [[ -z $name ]]; then
        _describe name names
        _files
    else
        _files
    fi
}
if [[ $funcstack[1] == _fst ]]; then _fst "$@"; else compdef _fst fst; fi
`)
	return b.String()
}

func (c *completions) fish() string {
	quote := func(s string) string {
		return "'" + strings.NewReplacer(`\`, `\\`, "'", `\'`).Replace(s) + "'"
	}
	var b strings.Builder
	first := joined(c.first)
	fmt.Fprintf(&b, "# fish completion for fst, written by: fst completion fish\nset -l names %s\n", first)
	const none = `"not __fish_seen_subcommand_from $names"`
	for _, w := range c.first {
		fmt.Fprintf(&b, "complete -c fst -n %s -a %s -d %s\n", none, w.name, quote(w.help))
	}
	option := func(condition string, short, long, values, help string, hasValue bool) {
		fmt.Fprintf(&b, "complete -c fst -n %s", condition)
		if short != "" {
			fmt.Fprintf(&b, " -s %s", short)
		}
		if long != "" {
			fmt.Fprintf(&b, " -l %s", long)
		}
		switch {
		case values != "":
			fmt.Fprintf(&b, " -x -a %s", quote(values))
		case hasValue:
			b.WriteString(" -r")
		}
		fmt.Fprintf(&b, " -d %s\n", quote(help))
	}
	for _, o := range c.options {
		short := ""
		if o.short != 0 {
			short = string(o.short)
		}
		option(none, short, o.long, cmp.Or(c.valuesOf("-"+short), c.valuesOf("--"+o.long)), o.help, o.value != "")
	}
	fmt.Fprintf(&b, "complete -c fst -n '__fish_seen_subcommand_from help doc' -a \"$names %s\"\n", joined(c.topics))
	fmt.Fprintf(&b, "complete -c fst -n '__fish_seen_subcommand_from %s' -a %s\n", takeTools, quote(joined(c.tools)))
	for _, v := range c.values {
		if name, long := strings.CutPrefix(v.option, "--"); v.commands != "" {
			kind := "-s"
			if long {
				kind = "-l"
			}
			fmt.Fprintf(&b, "complete -c fst -n '__fish_seen_subcommand_from %s' %s %s -x -a %s\n", v.commands, kind, strings.TrimPrefix(name, "-"), quote(v.words))
		}
	}
	b.WriteString("complete -c fst -n '__fish_seen_subcommand_from completion' -a 'bash fish zsh'\n")
	for _, name := range slices.Sorted(maps.Keys(c.own)) {
		condition := quote("__fish_seen_subcommand_from " + name)
		list := c.own[name]
		for i := 0; i < len(list); i++ {
			short, long := "", ""
			if !strings.HasPrefix(list[i].name, "--") {
				short = list[i].name[1:]
				i++
			}
			long = list[i].name[2:]
			option(condition, short, long, c.valuesOf("--"+long), list[i].help, false)
		}
	}
	return b.String()
}
