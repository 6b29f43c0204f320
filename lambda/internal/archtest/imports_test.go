package archtest

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"matchbook/lambda/internal/must"
)

// rules say who may import whom. A package is named by its folder below lambda/, or
// below the root; x/... is x and all below it. Test files may import anything.
type rules struct {
	tiers      []tier
	exceptions []exception
	modules    []module
}

// A package imports from its own tier and from those below it. Where the rooms of a
// tier are apart, none imports another.
type tier struct {
	rooms []string
	apart bool
}

type exception struct{ from, to, why string }

type module struct {
	path, why string
	in        []string // the packages that may import it
}

var tree = rules{
	tiers: []tier{
		{rooms: []string{"cmd/...", "acceptance/...", "cli/clitest", "postgres/postgrestest"}},
		{rooms: []string{"console/...", "cli/...", "local/...", "eval/...", "job/republish"}},
		{apart: true, rooms: []string{"function/..."}},
		{rooms: []string{"setup/...", "telemetry"}},
		{apart: true, rooms: []string{"postgres/...", "job/sqsjob", "llm/openai/...", "notify/slack", "notify/email", "notify/webhook",
			"ingest/documentai", "ingest/textract", "ingest/tesseract"}},
		{apart: true, rooms: []string{"match/...", "ingest/...", "review/...", "offer/..."}},
		{rooms: []string{"job/...", "llm/...", "notify/...", "blob/...", "telemetry/emf", "telemetry/prometheus", "telemetry/trace"}},
		{rooms: []string{"document/...", "failure/...", "manifest/...", "migrations", "internal/...", "cli/term"}},
		{rooms: []string{"infra/..."}},
	},
	exceptions: []exception{
		{"infra/...", "manifest/...", "the facts that it shares with the runtime"},
		{"ingest/...", "review/record", "the review that it starts of a contract that it has read"},
		{"review/...", "ingest/ingestion", "the contract that was ingested"},
		{"review/...", "ingest/transcript", "the form in which every text comes, with its places"},
	},
	modules: []module{
		{"github.com/jackc/pgx", "all SQL is in one place; local servers and clocks are no tables of ours",
			[]string{"postgres/...", "local/...", "acceptance/example"}},
		{"github.com/sashabaranov/go-openai", "a model is a port", []string{"llm/openai"}},
		{"github.com/aws/aws-sdk-go-v2", "AWS is behind ports; the doctor compares what is deployed, and migrate answers CodeDeploy",
			[]string{"setup/...", "blob", "job/sqsjob", "notify/email", "ingest/textract", "local/...", "function/ingest", "cli/doctor", "cli/clitest", "cmd/migrate"}},
		{"github.com/aws/aws-cdk-go", "a function describes no stack", []string{"infra/..."}},
	},
}

func TestImportsPointOneWay(t *testing.T) {
	t.Parallel()
	for _, problem := range tree.check(read(t, root)) {
		t.Error(problem)
	}
}

// check returns a sentence for each import that breaks a rule, and for each row that
// nothing needs.
func (r rules) check(sources []source) (problems []string) {
	needed := map[string]bool{}
	for _, s := range sources {
		if s.isTest() {
			continue
		}
		for _, spec := range s.file.Imports {
			to, ours := strings.CutPrefix(imported(spec), modulePath+"/")
			problem := r.module(s.pkg(), to, needed)
			if ours {
				problem = r.ours(s.pkg(), strings.TrimPrefix(to, "lambda/"), needed)
			}
			if problem != "" {
				problems = append(problems, fmt.Sprintf("%v: %s", s.fset.Position(spec.Pos()), problem))
			}
		}
	}
	for _, row := range r.rows() {
		if !needed[row] {
			problems = append(problems, row+": nothing needs this row: delete it")
		}
	}
	return problems
}

func (r rules) ours(from, to string, needed map[string]bool) string {
	if strings.HasSuffix(to, "test") && !strings.HasSuffix(from, "test") {
		return to + " is for tests: only test files and packages for tests may import it"
	}
	a, room := r.place(from)
	b, other := r.place(to)
	needed[room], needed[other] = true, true
	if a < 0 {
		return from + " is in no tier: add its folder"
	}
	if a < b || a == b && (room == other || !r.tiers[a].apart) {
		return ""
	}
	for _, e := range r.exceptions {
		if covers(e.from, from) && covers(e.to, to) {
			needed[e.from+" imports "+e.to] = true
			return ""
		}
	}
	return fmt.Sprintf("%s imports %s, which is not below it: declare an interface in %s, or move what both need below them", from, to, from)
}

func (r rules) module(from, to string, needed map[string]bool) string {
	for _, m := range r.modules {
		if !strings.HasPrefix(to, m.path) {
			continue
		}
		i := slices.IndexFunc(m.in, func(pattern string) bool { return covers(pattern, from) })
		if i < 0 {
			return fmt.Sprintf("%s uses %s: leave that to %s, behind an interface", from, m.path, strings.Join(m.in, ", "))
		}
		needed[m.in[i]+" uses "+m.path] = true
	}
	return ""
}

// place returns the tier and the room of a package: the longest that covers it.
func (r rules) place(pkg string) (place int, room string) {
	place = -1
	for i, tier := range r.tiers {
		for _, pattern := range tier.rooms {
			if covers(pattern, pkg) && len(pattern) > len(room) {
				place, room = i, pattern
			}
		}
	}
	return place, room
}

func (r rules) rows() (rows []string) {
	for _, tier := range r.tiers {
		rows = append(rows, tier.rooms...)
	}
	for _, e := range r.exceptions {
		rows = append(rows, e.from+" imports "+e.to)
	}
	for _, m := range r.modules {
		for _, pattern := range m.in {
			rows = append(rows, pattern+" uses "+m.path)
		}
	}
	return rows
}

func covers(pattern, pkg string) bool {
	below, all := strings.CutSuffix(pattern, "...")
	return pkg == strings.TrimSuffix(below, "/") || all && strings.HasPrefix(pkg, below)
}

func TestRulesReportViolations(t *testing.T) {
	t.Parallel()
	small := rules{
		tiers: []tier{{rooms: []string{"cmd/..."}}, {rooms: []string{"sql", "sqltest"}}, {apart: true, rooms: []string{"task/...", "job"}}, {rooms: []string{"id", "text"}}},
		exceptions: []exception{
			{"task/...", "job", "an exception"},
		},
		modules: []module{{"example.org/db", "the database", []string{"sql"}}},
	}
	kept := []string{"cmd/run: matchbook/lambda/sql", "sql: matchbook/lambda/task example.org/db/pool", "task/part: matchbook/lambda/task",
		"task: matchbook/lambda/job", "job: matchbook/lambda/id",
		"id: matchbook/lambda/text fmt", "sqltest: matchbook/lambda/task/tasktest"}
	for name, tc := range map[string]struct{ without, with, want string }{
		"the small tree keeps them all": {},
		"import from above": {"", "id: matchbook/lambda/sql",
			"id imports sql, which is not below it: declare an interface in id, or move what both need below them"},
		"import of another room": {"", "job: matchbook/lambda/task/part",
			"job imports task/part, which is not below it: declare an interface in job, or move what both need below them"},
		"import of a package for tests":   {"", "sql: matchbook/lambda/sqltest", "sqltest is for tests: only test files and packages for tests may import it"},
		"package in no tier":              {"", "new: matchbook/lambda/id", "new is in no tier: add its folder"},
		"module in another package":       {"", "task: example.org/db", "task uses example.org/db: leave that to sql, behind an interface"},
		"tier that nothing is in":         {"cmd/run: matchbook/lambda/sql", "", "cmd/...: nothing needs this row: delete it"},
		"exception that nothing needs":    {"task: matchbook/lambda/job", "", "task/... imports job: nothing needs this row: delete it"},
		"use of a module that is no more": {"sql: matchbook/lambda/task example.org/db/pool", "sql: matchbook/lambda/task", "sql uses example.org/db: nothing needs this row: delete it"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var sources []source
			for _, line := range append(slices.Clone(kept), tc.with) {
				pkg, imports, ok := strings.Cut(line, ": ")
				if !ok || line == tc.without {
					continue
				}
				s := must.Get(parse("lambda/"+pkg+"/file.go", "package p\nimport (\n\""+strings.ReplaceAll(imports, " ", "\"\n\"")+"\"\n)"))(t)
				sources = append(sources, s)
			}
			got := strings.Join(small.check(sources), "\n")
			if tc.want == "" && got != "" || !strings.HasSuffix(got, tc.want) || strings.Contains(got, "\n") {
				t.Errorf("got  %s\nwant %s", got, tc.want)
			}
		})
	}
}
