package archtest

import (
	"flag"
	"go/ast"
	"maps"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"matchbook/lambda/internal/must"
	"matchbook/lambda/internal/pagetest"
)

var update = flag.Bool("update", false, "point the links to tests at the files that hold the tests now")

// testName matches what a page or a comment names as the proof of a claim.
var testName = regexp.MustCompile(`\b(?:Test|Benchmark|Fuzz)[A-Z]\w*`)

// tests returns the file of each test, by its name. A suite such as jobtest
// holds tests outside test files.
func tests(sources []source) map[string][]string {
	files := map[string][]string{}
	for _, s := range sources {
		for _, d := range s.file.Decls {
			if f, ok := d.(*ast.FuncDecl); ok && testName.MatchString(f.Name.Name) {
				files[f.Name.Name] = append(files[f.Name.Name], s.name)
			}
		}
	}
	return files
}

func TestNamedTestsExist(t *testing.T) {
	t.Parallel()
	sources := read(t, root)
	exists := tests(sources)
	for _, s := range sources {
		for _, comment := range s.file.Comments {
			for _, name := range testName.FindAllString(comment.Text(), -1) {
				if exists[name] == nil {
					t.Errorf("%v: there is no %s", s.fset.Position(comment.Pos()), name)
				}
			}
		}
	}
	named := 0
	for _, page := range pagetest.Read(t, root) {
		for _, name := range testName.FindAllString(page.Text, -1) {
			named++
			if exists[name] == nil {
				t.Errorf("%s: there is no %s", page.Path, name)
			}
		}
	}
	if named < 40 {
		t.Errorf("the pages name only %d tests", named)
	}
}

func TestPageLinksResolve(t *testing.T) {
	t.Parallel()
	exists := tests(read(t, root))
	for _, page := range pagetest.Read(t, root) {
		for _, link := range page.Links() {
			file, anchor, _ := strings.Cut(link.Target, "#")
			target := path.Join(path.Dir(page.Path), file)
			if file == "" {
				target = page.Path
			}
			text, err := os.ReadFile(filepath.Join(root, target))
			if info, statErr := os.Stat(filepath.Join(root, target)); statErr == nil && info.IsDir() {
				err = nil
			}
			files, isTest := exists[link.Text]
			switch {
			case isTest && !slices.Contains(files, target):
				repoint(t, page, link, files[0])
			case err != nil:
				t.Errorf("%s: [%s](%s): %v", page.Path, link.Text, link.Target, err)
			case anchor != "" && !slices.Contains(anchors(string(text)), anchor):
				t.Errorf("%s: [%s](%s): the page has no such heading", page.Path, link.Text, link.Target)
			}
		}
	}
}

// repoint reports a link that misses its test, or corrects it.
func repoint(t *testing.T, page pagetest.Page, link pagetest.Link, file string) {
	t.Helper()
	if !*update {
		t.Errorf("%s: %s is in %s, not in %s; -update corrects it", page.Path, link.Text, file, link.Target)
		return
	}
	relative := must.Get(filepath.Rel(path.Dir(page.Path), file))(t)
	name := filepath.Join(root, page.Path)
	text := must.Get(os.ReadFile(name))(t)
	was, is := "["+link.Text+"]("+link.Target+")", "["+link.Text+"]("+filepath.ToSlash(relative)+")"
	must.OK(t, os.WriteFile(name, []byte(strings.ReplaceAll(string(text), was, is)), 0o644))
}

// anchors returns the fragments of the headings of a page, as GitHub makes them.
func anchors(text string) (fragments []string) {
	for _, heading := range regexp.MustCompile(`(?m)^#+ (.+)$`).FindAllStringSubmatch(text, -1) {
		plain := regexp.MustCompile(`[^\p{L}\p{N} _-]`).ReplaceAllString(strings.ToLower(heading[1]), "")
		fragments = append(fragments, strings.ReplaceAll(plain, " ", "-"))
	}
	return fragments
}

func TestReadmeLinksAllPages(t *testing.T) {
	t.Parallel()
	pages := pagetest.Read(t, root)
	readme := pages[0]
	links := map[string]int{}
	for _, page := range pages[1:] {
		// Not linked are golden files, the pages of the samples, which testdata/README.md
		// links, and the forms of issues and pull requests.
		below := strings.Contains(page.Path, "/testdata/") || strings.HasPrefix(page.Path, "testdata/") &&
			path.Dir(page.Path) != "testdata"
		if !below && !strings.Contains(strings.ToLower(page.Path), "_template") {
			links[page.Path] = 0
		}
	}
	for _, link := range readme.Links() {
		// A link to a heading is no second link to its page.
		if _, ok := links[link.Target]; ok {
			links[link.Target]++
		}
	}
	for _, file := range slices.Sorted(maps.Keys(links)) {
		if links[file] != 1 {
			t.Errorf("README.md links %s %d times, want once", file, links[file])
		}
	}
}

// A path such as lambda/match, wherever a page names it, leads somewhere.
func TestPagePathsExist(t *testing.T) {
	t.Parallel()
	paths := regexp.MustCompile(`(?:^|[\s` + "`" + `(.'"]/?)((?:lambda|infra|migrations|testdata)/[\w./-]*\w)`)
	for _, page := range pagetest.Read(t, root) {
		if page.Path == "CHANGELOG.md" { // it names what was there then
			continue
		}
		for _, found := range paths.FindAllStringSubmatch(page.Text, -1) {
			if _, err := os.Stat(filepath.Join(root, found[1])); err != nil {
				t.Errorf("%s: %v", page.Path, err)
			}
		}
	}
}

func TestVariablesDocumented(t *testing.T) {
	t.Parallel()
	var text strings.Builder
	for _, page := range pagetest.Read(t, root) {
		text.WriteString(page.Text)
	}
	variables := 0
	for _, s := range read(t, root) {
		if s.pkg() != "manifest/variable" {
			continue
		}
		ast.Inspect(s.file, func(n ast.Node) bool {
			spec, ok := n.(*ast.ValueSpec)
			if !ok || spec.Names[0].Name == "SecretSuffix" || len(spec.Values) != 1 {
				return true
			}
			if value, ok := spec.Values[0].(*ast.BasicLit); ok {
				variables++
				if name := strings.Trim(value.Value, `"`); !strings.Contains(text.String(), "`"+name) {
					t.Errorf("no page explains %s", name)
				}
			}
			return true
		})
	}
	if variables < 15 {
		t.Errorf("only %d variables are known", variables)
	}
}
