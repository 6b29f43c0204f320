package main

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

type kind string

const (
	comment   kind = "comment"
	page      kind = "page"
	help      kind = "help"
	errorText kind = "error"
)

// prose are the kinds with enough words for a rate.
var prose = []kind{comment, page}

// text is a comment, a page, an error text or a help text, from a line of a file on.
type text struct {
	kind  kind
	file  string
	line  int
	words string
}

// read returns the texts below root.
func read(root string) (texts []text, err error) {
	err = filepath.WalkDir(root, func(path string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		name := entry.Name()
		switch {
		case entry.IsDir() && slices.Contains([]string{".git", "node_modules", "cdk.out"}, name):
			return fs.SkipDir
		case entry.IsDir(), strings.HasSuffix(name, "_test.go"), name == "CHANGELOG.md":
			return nil
		case name != "README.md" && strings.Contains("/"+filepath.ToSlash(path), "/testdata/"): // golden files and samples
			return nil
		case filepath.Ext(name) == ".md":
			raw, err := os.ReadFile(path)
			texts = append(texts, text{page, path, 1, unquoted(string(raw))})
			return err
		case filepath.Ext(name) == ".go":
			of, err := goTexts(path)
			texts = append(texts, of...)
			return err
		}
		return nil
	})
	return texts, err
}

var quoted = regexp.MustCompile("(?s)```.*?```|`[^`\n]*`")

// unquoted returns a page without its code. Lines stay where they are.
func unquoted(page string) string {
	return quoted.ReplaceAllStringFunc(page, func(code string) string { return "x" + strings.Repeat("\n", strings.Count(code, "\n")) })
}

// goTexts returns the comments, error texts and help texts of a Go file.
func goTexts(path string) (texts []text, err error) {
	set := token.NewFileSet()
	file, err := parser.ParseFile(set, path, nil, parser.ParseComments|parser.SkipObjectResolution)
	if err != nil {
		return nil, err
	}
	add := func(k kind, at ast.Node, words string) {
		texts = append(texts, text{k, path, set.Position(at.Pos()).Line, words})
	}
	for _, group := range file.Comments {
		add(comment, group, group.Text())
	}
	ast.Inspect(file, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.CallExpr:
			name, of := called(n)
			switch {
			case len(n.Args) == 0:
			case name == "Errorf", name == "New" && of == "errors":
				add(errorText, n.Args[0], literals(n.Args[0]))
			case flag.MatchString(name):
				add(help, n, literals(n.Args[len(n.Args)-1]))
			}
		case *ast.KeyValueExpr:
			if key, ok := n.Key.(*ast.Ident); ok && (key.Name == "Short" || key.Name == "Long") {
				add(help, n.Value, literals(n.Value))
			}
		}
		return true
	})
	return texts, nil
}

// flag matches the methods of pflag that declare a flag, described by the last argument.
var flag = regexp.MustCompile(`^(Bool|String|StringArray|StringSlice|Int|Uint64|Float64|Duration)?Var?P?$`)

func called(call *ast.CallExpr) (name, of string) {
	selector, ok := call.Fun.(*ast.SelectorExpr)
	if !ok {
		return "", ""
	}
	if x, ok := selector.X.(*ast.Ident); ok {
		of = x.Name
	}
	return selector.Sel.Name, of
}

// literals returns the string literals of an expression, such as a sum, joined.
func literals(x ast.Expr) (words string) {
	ast.Inspect(x, func(n ast.Node) bool {
		if lit, ok := n.(*ast.BasicLit); ok && lit.Kind == token.STRING {
			literal, _ := strconv.Unquote(lit.Value) // the parser has checked it
			words += literal
		}
		return true
	})
	return words
}
