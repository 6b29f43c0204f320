package archtest

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"maps"
	"path"
	"slices"
	"strconv"
	"strings"
)

const (
	modulePath = "matchbook"
	maxLines   = 500 // of a file that is no test
)

// vague names give no hint of the contents of a package.
var vague = []string{"util", "utils", "common", "models", "types", "helpers"}

type tables struct {
	layers      [][]string
	exceptions  []exception
	modules     []module
	environment []reader
}

type exception struct{ from, to, why string }

type module struct {
	path, why string
	in        []string // the packages that may import it
}

type reader struct{ pkg, why string }

// source is a Go file, named by its path from the root.
type source struct {
	name  string
	file  *ast.File
	fset  *token.FileSet
	lines int
}

func parse(name, text string) (source, error) {
	fset := token.NewFileSet()
	file, err := parser.ParseFile(fset, name, text, parser.ParseComments|parser.SkipObjectResolution)
	return source{name, file, fset, strings.Count(text, "\n")}, err
}

func (s source) pkg() string  { return strings.TrimPrefix(path.Dir(s.name), "lambda/") }
func (s source) isTest() bool { return strings.HasSuffix(s.name, "_test.go") }

// uses finds the functions of a standard package that the file calls or
// hands on.
func (s source) uses(pkg string, functions ...string) (found []*ast.SelectorExpr) {
	local := ""
	for _, spec := range s.file.Imports {
		if imported(spec) == pkg {
			local = path.Base(pkg)
			if spec.Name != nil {
				local = spec.Name.Name
			}
		}
	}
	ast.Inspect(s.file, func(n ast.Node) bool {
		if sel, ok := n.(*ast.SelectorExpr); ok && slices.Contains(functions, sel.Sel.Name) {
			if x, ok := sel.X.(*ast.Ident); ok && x.Name == local {
				found = append(found, sel)
			}
		}
		return true
	})
	return found
}

func imported(spec *ast.ImportSpec) string {
	p, _ := strconv.Unquote(spec.Path.Value) // the parser has checked it
	return p
}

// checker collects what breaks the rules, and which rows were needed.
type checker struct {
	tables
	needed   map[string]bool
	problems []string
}

// check returns a sentence for each violation: where, what, what to do.
func check(t tables, sources []source) []string {
	c := &checker{tables: t, needed: map[string]bool{}}
	packages := map[string][]source{}
	for _, s := range sources {
		if s.isTest() {
			c.testFile(s)
			continue
		}
		packages[s.pkg()] = append(packages[s.pkg()], s)
	}
	for _, pkg := range slices.Sorted(maps.Keys(packages)) {
		c.pkg(pkg, packages[pkg])
		for _, s := range packages[pkg] {
			c.imports(s)
			c.readsEnvironment(s)
			c.length(s)
		}
	}
	c.rows()
	return c.problems
}

func (c *checker) report(where, format string, args ...any) {
	c.problems = append(c.problems, where+": "+fmt.Sprintf(format, args...))
}

func (c *checker) reportAt(s source, n ast.Node, format string, args ...any) {
	p := s.fset.Position(n.Pos())
	c.report(fmt.Sprintf("%s:%d", p.Filename, p.Line), format, args...)
}

func (c *checker) testFile(s source) {
	for _, use := range s.uses("time", "Sleep") {
		c.reportAt(s, use, "a test sleeps: wait for what it waits for, or move a clock")
	}
}

func (c *checker) pkg(pkg string, sources []source) {
	if c.layer(pkg) < 0 {
		c.report(pkg, "the package is in no layer: add it to layers, as far down as it can be")
	}
	name := sources[0].file.Name.Name
	if slices.Contains(vague, name) {
		c.report(pkg, "package %s could be anything: name it for what it provides", name)
	}
	sentence := "Package " + name
	if name == "main" {
		sentence = "Command " + path.Base(pkg)
	}
	if !slices.ContainsFunc(sources, func(s source) bool {
		return strings.HasPrefix(s.file.Doc.Text(), sentence+
			" ")
	}) {
		c.report(pkg, "no doc comment: start it with %q and say what it is for", "// "+sentence)
	}
}

func (c *checker) imports(s source) {
	for _, spec := range s.file.Imports {
		p := imported(spec)
		first, rest, _ := strings.Cut(p, "/")
		switch {
		case first == modulePath:
			c.importsOurs(s, spec, strings.TrimPrefix(rest, "lambda/"))
		case strings.Contains(first, "."):
			c.importsModule(s, spec, p)
		}
	}
}

func (c *checker) importsOurs(s source, spec *ast.ImportSpec, to string) {
	from := s.pkg()
	if strings.HasSuffix(to, "test") && !strings.HasSuffix(from, "test") {
		c.reportAt(s, spec, "%s imports %s, which is for tests: only test files and packages for tests may", from, to)
	}
	a, b := c.layer(from), c.layer(to)
	if a < 0 || b < 0 || a < b { // one without a layer is reported once, not at every import
		return
	}
	for _, e := range c.exceptions {
		if e.from == from && e.to == to {
			c.needed["exceptions: "+from+" imports "+to] = true
			return
		}
	}
	where := "above it"
	if a == b {
		where = "beside it"
	}
	c.reportAt(s, spec, "%s imports %s, which is %s: declare an interface in %s, or move what both need below them",
		from, to, where, from)
}

func (c *checker) importsModule(s source, spec *ast.ImportSpec, p string) {
	row := module{}
	for _, m := range c.modules {
		if (p == m.path || strings.HasPrefix(p, m.path+"/")) && len(m.path) > len(row.path) {
			row = m
		}
	}
	if row.path == "" {
		c.reportAt(s, spec, "%s is of no listed module: do without, or give its reason in modules and in the README", p)
		return
	}
	for _, pattern := range row.in {
		if covers(pattern, s.pkg()) {
			c.needed["modules: "+pattern+" uses "+row.path] = true
			return
		}
	}
	c.reportAt(s, spec, "%s uses %s: leave that to %s, behind an interface",
		s.pkg(), row.path, strings.Join(row.in, ", "))
}

func (c *checker) readsEnvironment(s source) {
	for _, use := range s.uses("os", "Getenv", "LookupEnv", "Environ", "ExpandEnv") {
		i := slices.IndexFunc(c.environment, func(r reader) bool { return covers(r.pkg, s.pkg()) })
		if i < 0 {
			c.reportAt(s, use, "os.%s in %s: take the value from setup.Config", use.Sel.Name, s.pkg())
			continue
		}
		c.needed["environment: "+c.environment[i].pkg] = true
	}
}

func (c *checker) length(s source) {
	if s.lines > maxLines {
		c.report(s.name, "%d lines: split it by concern, %d are enough", s.lines, maxLines)
	}
}

// rows reports the rows that allow an import or a use that does not occur.
func (c *checker) rows() {
	var all []string
	for _, e := range c.exceptions {
		all = append(all, "exceptions: "+e.from+" imports "+e.to)
	}
	for _, m := range c.modules {
		for _, pattern := range m.in {
			all = append(all, "modules: "+pattern+" uses "+m.path)
		}
	}
	for _, r := range c.environment {
		all = append(all, "environment: "+r.pkg)
	}
	for _, layer := range c.layers {
		for _, pattern := range layer {
			all = append(all, "layers: "+pattern)
		}
	}
	for _, row := range all {
		if !c.needed[row] {
			c.report(row, "nothing needs this row: delete it")
		}
	}
}

// layer is the place of a package, -1 if it has none.
func (c *checker) layer(pkg string) int {
	for i, layer := range c.layers {
		for _, pattern := range layer {
			if covers(pattern, pkg) {
				c.needed["layers: "+pattern] = true
				return i
			}
		}
	}
	return -1
}

func covers(pattern, pkg string) bool {
	below, all := strings.CutSuffix(pattern, "...")
	return pkg == strings.TrimSuffix(below, "/") || all && strings.HasPrefix(pkg, below)
}
