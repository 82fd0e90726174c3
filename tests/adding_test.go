package tests

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"fst/compiler/builtin"
)

// A kind of message is known to so many files at most, and a kind of probe, and an aggregation:
// docs/architecture.md, "Adding things", says which these are.
const (
	mostForMessage     = 6
	mostForProbe       = 8
	mostForAggregation = 4
)

// TestFilesOfAnAggregation counts the files that name each kind of aggregation, and that of the shape in which it
// is shown. All others ask its record.
func TestFilesOfAnAggregation(t *testing.T) {
	all := mentions(t)
	const records, shown = "../compiler/types/aggregation.go", "../runtime/render/aggregation.go"
	kinds := 0
	for _, f := range builtin.Funcs {
		if f.Aggregation == 0 {
			continue
		}
		kinds++
		files := []string{records, shown}
		for word, in := range all {
			if name, ok := strings.CutPrefix(word, "types."); ok && strings.EqualFold(name, f.Aggregation.String()) {
				files = append(files, in...)
			}
		}
		files = slices.Compact(slices.Sorted(slices.Values(files)))
		if len(files) != mostForAggregation {
			t.Errorf("%s() is named in %d files: %s", f.Name, len(files), strings.Join(files, " "))
		}
	}
	if kinds < 10 {
		t.Errorf("only %d aggregations are found", kinds)
	}
}

// woven are the built-ins that more files than one know outside of compiler/builtin: the words of which the language
// itself is made, and calls that stand for other expressions. None may be added.
var woven = strings.Fields(`VarArgs VarArgN VarCgroup VarComm VarConfig VarContainer VarCurtask VarErrno VarNsecs VarPcomm VarPid VarPod VarProbe VarRet VarRetval VarTid VarTook
	FuncFollowed FuncKaddr FuncKptr FuncNtop FuncStr FuncTable FuncUptr FuncWitness`)

// TestFilesOfABuiltin counts the files that name each function and variable: the record, and the code that is
// made for it (compiler/lower), if there is any of its own.
func TestFilesOfABuiltin(t *testing.T) {
	named := 0
	for word, files := range mentions(t) {
		name, ok := strings.CutPrefix(word, "builtin.")
		if ok = ok && regexp.MustCompile(`^(Var|Func)[A-Z]`).MatchString(name); !ok || strings.HasSuffix(name, "ByName") || strings.HasSuffix(name, "Names") {
			continue
		}
		named++
		only := len(files) == 1 && strings.HasPrefix(files[0], "../compiler/lower/")
		if only == slices.Contains(woven, name) {
			t.Errorf("%s is named in %s; in the list of those that are in several: %t", name, strings.Join(files, " "), !only)
		}
	}
	if named < 80 { // others are their records alone
		t.Errorf("only %d built-ins are found", named)
	}
}

// TestFilesOfAVariable: a variable whose value a program gets by one question, or by reading a member of the task, is
// its record and nothing else. Of the others lowering has one more file.
func TestFilesOfAVariable(t *testing.T) {
	all, alone := mentions(t), 0
	for _, v := range builtin.Vars {
		var files []string
		for word, in := range all {
			if name, ok := strings.CutPrefix(word, "builtin.Var"); ok && strings.EqualFold(name, strings.ReplaceAll(v.Name, "_", "")) {
				files = in
			}
		}
		recorded := v.Fact != 0 || v.Member != nil
		woven := slices.ContainsFunc(woven, func(w string) bool { return strings.EqualFold(w, "Var"+v.Name) })
		switch {
		case recorded && len(files) == 0:
			alone++
		case recorded && !woven:
			t.Errorf("the record of %s says where it comes from, but it is named in %s", v.Name, strings.Join(files, " "))
		case !recorded && len(files) == 0 && v.Rule == nil:
			t.Errorf("%s has neither a source in its record nor code", v.Name)
		}
	}
	if alone < 8 {
		t.Errorf("only %d variables are records alone", alone)
	}
}

// TestFilesOfAMessage counts the files that name each kind of message: those that lay it out, do what it
// asks for, and show it.
func TestFilesOfAMessage(t *testing.T) {
	kinds := 0
	for word, files := range mentions(t) {
		if !strings.HasPrefix(word, "Msg") {
			continue
		}
		kinds++
		if len(files) > mostForMessage {
			t.Errorf("%s is named in %d files: %s", word, len(files), strings.Join(files, " "))
		}
	}
	if kinds < 15 {
		t.Errorf("only %d kinds of messages are found", kinds)
	}
}

// TestFilesOfAProbe counts the files that name a kind of probe, by its word in scripts or that of its hook.
func TestFilesOfAProbe(t *testing.T) {
	all := mentions(t)
	for hook, word := range map[string]string{"HookWatchpoint": "watchpoint"} {
		files := slices.Compact(slices.Sorted(slices.Values(slices.Concat(all[hook], all[word]))))
		if len(files) == 0 || len(files) > mostForProbe {
			t.Errorf("%s is named in %d files: %s", word, len(files), strings.Join(files, " "))
		}
	}
}

// mentions are the files of the product in which each identifier stands, or each word as a text, by itself or
// as the beginning of an attach point.
func mentions(t *testing.T) map[string][]string {
	all := map[string][]string{}
	for _, dir := range []string{"../lang", "../compiler", "../runtime", "../cmd", "../"} {
		err := filepath.WalkDir(dir, func(file string, d fs.DirEntry, err error) error {
			if err == nil && d.IsDir() && dir == "../" && file != dir {
				return filepath.SkipDir
			}
			if err != nil || d.IsDir() || filepath.Ext(file) != ".go" || strings.HasSuffix(file, "_test.go") {
				return err
			}
			tree, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.SkipObjectResolution)
			if err != nil {
				return err
			}
			ast.Inspect(tree, func(n ast.Node) bool {
				word := ""
				switch n := n.(type) {
				case *ast.Ident:
					word = n.Name
				case *ast.SelectorExpr: // NAME of another package, as package.NAME besides
					if x, ok := n.X.(*ast.Ident); ok {
						word = x.Name + "." + n.Sel.Name
					}
				case *ast.BasicLit:
					text, _ := strconv.Unquote(n.Value)
					word, _, _ = strings.Cut(text, ":")
				}
				if files := all[word]; word != "" && (len(files) == 0 || files[len(files)-1] != file) {
					all[word] = append(files, file)
				}
				return true
			})
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	return all
}
