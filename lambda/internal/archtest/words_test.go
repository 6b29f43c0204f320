package archtest

import (
	"go/ast"
	"go/token"
	"path"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// shared is the code that serves every workload, so that a further one finds no
// word of another in it: a row is a row there, with an id. Of setup and manifest it
// is what has no row of its own. Recordings are of one workload's questions, and
// imports are the business of the layers.
var shared = []string{
	"lambda/job/", "lambda/failure/", "lambda/llm/", "lambda/notify/", "lambda/telemetry/", "lambda/setup/secret/",
	"lambda/setup/workload.go", "lambda/setup/notify.go", "lambda/setup/aws", "lambda/setup/schema.go", "lambda/setup/price.go",
	"lambda/manifest/validate.go", "lambda/manifest/channel.go", "lambda/manifest/metric/doc.go",
}

// words are those of one workload each: its rows, its data and its function. Match is
// one only as the name of the function, since tables match errors as well.
var words = regexp.MustCompile(`(?i)\b(documents?|ingestions?|inbox|chunks?|contracts?|offers?|matchmaking|reviews?|` +
	`invoices?|rosters?|candidates?|playbooks?|(match|ingest) function)\b`)

// apart finds where a word ends within a name: failedDocument, document_id.
var apart = regexp.MustCompile(`([a-z])_?([A-Z])|_`)

// spoken are the words that shared code needs.
var spoken = []exemption{
	{"lambda/notify/message.go", regexp.MustCompile(`(?i)documents?|chunks?|ingestion|contract|offers`),
		"a person must read which work failed, and the console has pages of documents"},
	{"lambda/notify/notify.go", regexp.MustCompile(`(?i)documents?|contract`), "the subject with those pages, a column of the outbox, and whose file is named"},
	{"lambda/notify/outbox/outbox.go", regexp.MustCompile(`offers`), "the doc comment names the two outboxes there are"},
	{"lambda/notify/slack/message.go", regexp.MustCompile(`document`), "the verb: Slack does not document its limits"},
	{"lambda/telemetry/count.go", regexp.MustCompile(`offers`), "CountSchedule counts for the one schedule there is"},
}

type exemption struct {
	file string
	word *regexp.Regexp
	why  string
}

func TestSharedCodeIsGeneric(t *testing.T) {
	t.Parallel()
	needed := make([]bool, len(spoken))
	for _, s := range read(t, root) {
		is := func(prefix string) bool { return strings.HasPrefix(s.name, prefix) }
		if s.isTest() || is("lambda/llm/openai/recording/") || !slices.ContainsFunc(shared, is) {
			continue
		}
		for _, text := range texts(s) {
			for _, word := range words.FindAllString(apart.ReplaceAllString(text.of, "$1 $2"), -1) {
				i := slices.IndexFunc(spoken, func(row exemption) bool {
					return is(row.file) && row.word.FindString(word) == word
				})
				if i < 0 {
					t.Errorf("%v: %q in shared code: name the row, or give the reason in spoken", s.fset.Position(text.at), word)
					continue
				}
				needed[i] = true
			}
		}
	}
	for i, row := range spoken {
		if !needed[i] {
			t.Errorf("spoken: %s: nothing needs this row: delete it", row.file)
		}
	}
}

type text struct {
	of string
	at token.Pos
}

// texts returns the identifiers, the strings and the comments of a file, without
// imports and what is selected from them.
func texts(s source) (list []text) {
	imports := map[string]bool{}
	for _, spec := range s.file.Imports {
		imports[path.Base(imported(spec))] = true
	}
	for _, group := range s.file.Comments {
		for _, c := range group.List {
			list = append(list, text{c.Text, c.Pos()})
		}
	}
	ast.Inspect(s.file, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.ImportSpec:
			return false
		case *ast.SelectorExpr:
			x, ok := n.X.(*ast.Ident)
			return !ok || !imports[x.Name]
		case *ast.Ident:
			list = append(list, text{n.Name, n.Pos()})
		case *ast.BasicLit:
			if n.Kind == token.STRING {
				list = append(list, text{n.Value, n.Pos()})
			}
		}
		return true
	})
	return list
}

// What sets a row of the manifest apart is a field of the row, so that a further
// row needs no further case.
func TestNoRowComparedByName(t *testing.T) {
	t.Parallel()
	for _, s := range read(t, root) {
		if s.isTest() {
			continue
		}
		ast.Inspect(s.file, func(n ast.Node) bool {
			var compared []ast.Expr
			switch n := n.(type) {
			case *ast.CaseClause:
				compared = n.List
			case *ast.BinaryExpr:
				if n.Op == token.EQL || n.Op == token.NEQ {
					compared = []ast.Expr{n.X, n.Y}
				}
			}
			for _, e := range compared {
				if nameOfRow(e) {
					t.Errorf("%v: a row is compared by its name: give the row a field", s.fset.Position(e.Pos()))
				}
			}
			return true
		})
	}
}

// nameOfRow reports whether the expression has the form manifest.Match.Name.
func nameOfRow(e ast.Expr) bool {
	name, ok := e.(*ast.SelectorExpr)
	if !ok || name.Sel.Name != "Name" {
		return false
	}
	row, ok := name.X.(*ast.SelectorExpr)
	if !ok {
		return false
	}
	from, ok := row.X.(*ast.Ident)
	return ok && from.Name == "manifest"
}

// The store loads facts and writes values: package match computes warnings and three-way
// matches, so that their rules can be read and changed without SQL.
func TestStoreCallsNoJudge(t *testing.T) {
	t.Parallel()
	for _, s := range read(t, root) {
		if s.isTest() || !strings.HasPrefix(s.pkg(), "postgres") {
			continue
		}
		ast.Inspect(s.file, func(n ast.Node) bool {
			if call, ok := n.(*ast.CallExpr); ok {
				if f, ok := call.Fun.(*ast.SelectorExpr); ok {
					if from, ok := f.X.(*ast.Ident); ok && (from.Name == "warning" || from.Name == "threeway") {
						t.Errorf("%v: the store calls %s.%s: call it in package match", s.fset.Position(n.Pos()), from.Name, f.Sel.Name)
					}
				}
			}
			return true
		})
	}
}
