package archtest

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"matchbook/lambda/internal/must"
)

const modulePath = "matchbook"

var root = filepath.Join("..", "..", "..")

// source is a Go file, named by its path from the root.
type source struct {
	name string
	file *ast.File
	fset *token.FileSet
}

func parse(name, text string) (source, error) {
	fset := token.NewFileSet()
	file, err := parser.ParseFile(fset, name, text, parser.ParseComments|parser.SkipObjectResolution)
	return source{name, file, fset}, err
}

func (s source) pkg() string  { return strings.TrimPrefix(path.Dir(s.name), "lambda/") }
func (s source) isTest() bool { return strings.HasSuffix(s.name, "_test.go") }

func imported(spec *ast.ImportSpec) string {
	p, _ := strconv.Unquote(spec.Path.Value) // the parser has checked it
	return p
}

// read parses the module's Go files, without those of modules below it.
func read(t *testing.T, root string) (sources []source) {
	t.Helper()
	must.OK(t, filepath.WalkDir(root, func(file string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		name := entry.Name()
		if entry.IsDir() {
			hidden := strings.HasPrefix(name, ".") && file != root || strings.HasPrefix(name, "_")
			if hidden || name == "testdata" || name == "node_modules" || name == "cdk.out" {
				return fs.SkipDir
			}
			if _, err := os.Stat(filepath.Join(file, "go.mod")); err == nil && file != root {
				return fs.SkipDir
			}
			return nil
		}
		if !strings.HasSuffix(name, ".go") {
			return nil
		}
		text, err := os.ReadFile(file)
		if err != nil {
			return err
		}
		relative, err := filepath.Rel(root, file)
		if err != nil {
			return err
		}
		s, err := parse(filepath.ToSlash(relative), string(text))
		sources = append(sources, s)
		return err
	}))
	return sources
}
