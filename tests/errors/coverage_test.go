package errors_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// passes are the packages that complain about scripts.
var passes = []string{"lang/parse", "compiler/expand", "compiler/probe", "compiler/builtin", "compiler/check", "compiler/lower", "runtime/interpreter"}

// reporters are the functions that report a message, with the place of its
// text among their arguments.
var reporters = map[string]int{"errorf": 1, "Errorf": 1, "Warnf": 1, "incomplete": 1, "report": 1, "fail": 2, "misused": 2, "unexpected": 0, "bad": 3, "wrong": 1, "faulty": 3, "faultf": 2, "unfit": 1, "wrongOption": 1}

// unreachable are messages that no script gives rise to, with the reason: an
// earlier pass refuses all programs that would reach them.
var unreachable = map[string]string{
	"address % of % is in no function":               "recordings know the code of functions only",
	"%+% is in the middle of an instruction":         "recordings hold no code of programs",
	"nothing is known of the program's source lines": "every kernel that is not a test's reads debug information",
	"the address of % can't be told here":            "recorded binaries are loaded at fixed addresses",
	"the number of system call % is not known":       "the tables of numbers hold all that have events",
	"the inode of % can't be read: %":                "recordings have no files",
	"% of another thread than the current one needs cgroup version 2; containers here are in version 1": "recordings have no cgroups",
	"this can't be used as a value":                                         "all kinds of expressions have rules",
	"a value of type % can't be a key":                                      "maps of aggregations are read as numbers",
	"values of this type can't be read":                                     "pointers to nothing known are void pointers",
	"the interpreter can't run this: %":                                     "only a fault of the compiler, or of the interpreter, would",
	"% is too large: a script has at most % bytes":                          "such a case would fill its file; tests/hostile/campaign has it",
	"this #define has % bytes: at most % are read":                          "such a case would fill its file; tests/hostile/campaign has it",
	"this definition has % bytes: at most % are read":                       "such a case would fill its file; tests/hostile/campaign has it",
	"this condition has % bytes: at most % are read":                        "such a case would fill its file; tests/hostile/campaign has it",
	"with this the script's probes match more than % functions of programs": "recorded binaries have few; tests/hostile/campaign has it",
}

// TestEveryMessageHasACase reads the passes' sources for the messages that
// they can give, and looks for each in the files of cases.
func TestEveryMessageHasACase(t *testing.T) {
	var said []string
	for _, topic := range topics(t) {
		for _, c := range topic.cases {
			for line := range strings.Lines(c.says) {
				_, message, ok := strings.Cut(strings.TrimRight(line, "\n"), "ERROR: ")
				if !ok {
					_, message, ok = strings.Cut(strings.TrimRight(line, "\n"), "WARNING: ")
				}
				if ok {
					said = append(said, message)
				}
			}
		}
	}
	all := messages(t)
	if len(all) < 200 {
		t.Fatalf("only %d messages are found in the sources", len(all))
	}
	known := map[string]bool{}
	for _, m := range all {
		known[m.text] = true
		isSaid := slices.ContainsFunc(said, m.pattern.MatchString)
		reason, exempt := unreachable[m.text]
		switch {
		case !isSaid && !exempt:
			t.Errorf("%s: no case has the message %q; add one to testdata (README.md)", m.place, m.text)
		case isSaid && exempt:
			t.Errorf("%s: a case has the message %q, which is called unreachable (%s)", m.place, m.text, reason)
		}
	}
	for text := range maps.Keys(unreachable) {
		if !known[text] {
			t.Errorf("no message is called %q any more", text)
		}
	}
}

// withoutHint are the cases in which nothing is to be said besides the message:
// the script's author has written it, or it holds the remedy.
var withoutHint = []string{"fail", "fail-in-branch", "error-line", "no-hook", "tracepoint-not-read"}

// TestEveryMessageHasAHint wants the next thing to try behind each complaint.
func TestEveryMessageHasAHint(t *testing.T) {
	for _, topic := range topics(t) {
		for _, c := range topic.cases {
			if c.command || slices.Contains(withoutHint, c.name) {
				continue
			}
			complaint := ""
			for line := range strings.Lines(c.says + "END: ERROR: ") {
				switch {
				case strings.Contains(line, ": ERROR: "), strings.Contains(line, ": WARNING: "):
					if complaint != "" {
						t.Errorf("%s/%s has no hint: %s", topic.name, c.name, complaint)
					}
					complaint = line
				case strings.HasPrefix(line, "  hint: "):
					complaint = ""
				}
			}
		}
	}
}

// message is a text that a pass can give, with verbs and operands left open.
type message struct {
	place   string
	text    string // its parts, with "%" between
	pattern *regexp.Regexp
}

func messages(t *testing.T) []message {
	t.Helper()
	var all []message
	set := token.NewFileSet()
	for _, dir := range passes {
		files, err := filepath.Glob(filepath.Join("..", "..", dir, "*.go"))
		if err != nil || len(files) == 0 {
			t.Fatal(dir, err)
		}
		for _, path := range files {
			if strings.HasSuffix(path, "_test.go") {
				continue
			}
			src, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			f, err := parser.ParseFile(set, path, src, 0)
			if err != nil {
				t.Fatal(err)
			}
			add := func(x ast.Expr, prefix string) {
				parts := fragments(x)
				if prefix != "" && len(parts) > 0 {
					parts[0] = prefix + parts[0]
				}
				if text := strings.Join(parts, "%"); strings.Trim(text, "% ") != "" {
					for i := range parts {
						parts[i] = regexp.QuoteMeta(parts[i])
					}
					all = append(all, message{set.Position(x.Pos()).String(), text, regexp.MustCompile(strings.Join(parts, ".*"))})
				}
			}
			ast.Inspect(f, func(n ast.Node) bool {
				switch n := n.(type) {
				case *ast.CallExpr:
					name := calledName(n.Fun)
					if i, ok := reporters[name]; ok && i < len(n.Args) {
						prefix := ""
						if name == "unexpected" {
							prefix = "expected "
						}
						add(n.Args[i], prefix)
					}
				case *ast.KeyValueExpr:
					if k, ok := n.Key.(*ast.Ident); ok && strings.EqualFold(k.Name, "message") {
						add(n.Value, "")
					}
				case *ast.AssignStmt:
					if len(n.Lhs) == 1 && len(n.Rhs) == 1 && n.Tok == token.ASSIGN {
						if s, ok := n.Lhs[0].(*ast.SelectorExpr); ok && strings.EqualFold(s.Sel.Name, "message") {
							add(n.Rhs[0], "")
						}
					}
				}
				return true
			})
		}
	}
	return all
}

func calledName(x ast.Expr) string {
	switch x := x.(type) {
	case *ast.Ident:
		return x.Name
	case *ast.SelectorExpr:
		return x.Sel.Name
	}
	return ""
}

// verbs are what stands open in a format.
var verbs = regexp.MustCompile(`%[-+# 0-9.]*[a-zA-Z]`)

// fragments are the constant parts of a message.
func fragments(x ast.Expr) []string {
	switch x := x.(type) {
	case *ast.BasicLit:
		if text, err := strconv.Unquote(x.Value); err == nil {
			parts := verbs.Split(strings.ReplaceAll(text, "%%", "%"), -1)
			return parts
		}
	case *ast.BinaryExpr:
		return append(fragments(x.X), fragments(x.Y)...)
	case *ast.CallExpr:
		if name := calledName(x.Fun); (name == "Sprintf" || name == "Errorf") && len(x.Args) > 0 {
			return fragments(x.Args[0])
		}
	case *ast.Ident:
		return constant(x)
	}
	return nil
}

// constant is the text of a constant that is declared in the same file.
func constant(x *ast.Ident) []string {
	if x.Obj == nil || x.Obj.Kind != ast.Con {
		return nil
	}
	spec, ok := x.Obj.Decl.(*ast.ValueSpec)
	if !ok {
		return nil
	}
	for i, name := range spec.Names {
		if name.Name == x.Name && i < len(spec.Values) {
			return fragments(spec.Values[i])
		}
	}
	return nil
}
