package archtest

import (
	"maps"
	"slices"
	"strings"
	"testing"
)

// A small tree that keeps every rule and needs every row.
var (
	smallTables = tables{
		layers: [][]string{{"cmd/..."}, {"setup"}, {"sql"}, {"task", "sweep", "tasktest"}, {"id"}},
		exceptions: []exception{
			{"tasktest", "task", "tests its ports"},
		},
		modules: []module{
			{"example.org/db", "the database", []string{"sql"}},
			{"example.org/db/pool", "many of them", []string{"setup"}},
			{"example.org/uuid", "ids", []string{"..."}},
		},
		environment: []reader{{"cmd/...", "for setup"}},
	}
	smallTree = map[string]string{
		"lambda/cmd/run/main.go":      "// Command run runs.\npackage main\nimport (\n\"os\"\n\"matchbook/lambda/setup\"\n)\nfunc main() { setup.Read(os.Getenv) }",
		"lambda/setup/setup.go":       "// Package setup reads.\npackage setup\nimport (\n\"matchbook/lambda/sql\"\n\"example.org/db/pool\"\n)",
		"lambda/sql/sql.go":           "// Package sql stores.\npackage sql\nimport (\n\"example.org/db/types\"\n\"matchbook/lambda/task\"\n)",
		"lambda/task/task.go":         "package task\nimport (\n\"time\"\n\"matchbook/lambda/id\"\n)\nfunc Today() { time.Now() }",
		"lambda/task/doc.go":          "// Package task tasks.\npackage task",
		"lambda/task/task_test.go":    "package task_test\nimport (\n\"os\"\n\"example.org/anything\"\n\"matchbook/lambda/sql\"\n\"matchbook/lambda/tasktest\"\n)\nvar _ = os.Getenv\n" + strings.Repeat("\n", maxLines),
		"lambda/tasktest/tasktest.go": "// Package tasktest tests.\npackage tasktest\nimport \"matchbook/lambda/task\"",
		"lambda/sweep/sweep.go":       "// Package sweep sweeps.\npackage sweep",
		"lambda/id/id.go": "// Package id names.\npackage id\nimport \"example.org/uuid\"\n" +
			strings.Repeat("\n", maxLines-3),
	}
)

func TestEachRuleReportsItsViolation(t *testing.T) {
	t.Parallel()
	with := func(name, text string) map[string]string { return map[string]string{name: text} }
	for name, tc := range map[string]struct {
		files map[string]string // added to the small tree, or replaced
		rows  func(*tables)
		want  string
	}{
		"the small tree keeps them all": {},
		"import of the layer above": {
			files: with("lambda/id/up.go", "package id\nimport \"matchbook/lambda/sweep\""),
			want:  "lambda/id/up.go:2: id imports sweep, which is above it: declare an interface in id, or move what both need below them",
		},
		"import of a sibling": {
			files: with("lambda/task/side.go", "package task\nimport \"matchbook/lambda/sweep\""),
			want:  "lambda/task/side.go:2: task imports sweep, which is beside it: declare an interface in task, or move what both need below them",
		},
		"import of a package for tests": {
			files: with("lambda/sql/test.go", "package sql\nimport \"matchbook/lambda/tasktest\""),
			want:  "lambda/sql/test.go:2: sql imports tasktest, which is for tests: only test files and packages for tests may",
		},
		"import of a package for tests by another one": {
			files: with("lambda/sqltest/sqltest.go", "// Package sqltest is.\npackage sqltest\nimport \"matchbook/lambda/tasktest\""),
			rows:  func(t *tables) { t.layers = append([][]string{{"sqltest"}}, t.layers...) },
		},
		"package in no layer": {
			files: with("lambda/new/new.go", "// Package new is.\npackage new\nimport \"matchbook/lambda/sql\""),
			want:  "new: the package is in no layer: add it to layers, as far down as it can be",
		},
		"module that is not listed": {
			files: with("lambda/sql/orm.go", "package sql\nimport \"example.org/dbx\""),
			want:  "lambda/sql/orm.go:2: example.org/dbx is of no listed module: do without, or give its reason in modules and in the README",
		},
		"module in another package": {
			files: with("lambda/task/db.go", "package task\nimport \"example.org/db\""),
			want:  "lambda/task/db.go:2: task uses example.org/db: leave that to sql, behind an interface",
		},
		"module below a listed one, in the package of that": {
			files: with("lambda/sql/pool.go", "package sql\nimport \"example.org/db/pool\""),
			want:  "lambda/sql/pool.go:2: sql uses example.org/db/pool: leave that to setup, behind an interface",
		},
		"package without a doc comment": {
			files: with("lambda/sweep/sweep.go", "// What sweeps.\npackage sweep"),
			want:  `sweep: no doc comment: start it with "// Package sweep" and say what it is for`,
		},
		"command with the doc comment of a package": {
			files: with("lambda/cmd/walk/main.go", "// Package main walks.\npackage main"),
			want:  `cmd/walk: no doc comment: start it with "// Command walk" and say what it is for`,
		},
		"vague name": {
			files: with("lambda/cmd/run/util/util.go", "// Package util is.\npackage util"),
			want:  "cmd/run/util: package util could be anything: name it for what it provides",
		},
		"long file": {
			files: with("lambda/sweep/long.go", "package sweep"+strings.Repeat("\n", maxLines+1)),
			want:  "lambda/sweep/long.go: 501 lines: split it by concern, 500 are enough",
		},
		"sleep in a test": {
			files: with("lambda/sweep/sweep_test.go", "package sweep\nimport clock \"time\"\nvar nap = clock.Sleep"),
			want:  "lambda/sweep/sweep_test.go:3: a test sleeps: wait for what it waits for, or move a clock",
		},
		"read of the environment": {
			files: with("lambda/setup/env.go", "package setup\nimport \"os\"\nvar _, _ = os.LookupEnv(\"X\")"),
			want:  "lambda/setup/env.go:3: os.LookupEnv in setup: take the value from setup.Config",
		},
		"layer that nothing is in": {
			rows: func(t *tables) { t.layers = append(t.layers, []string{"old"}) },
			want: "layers: old: nothing needs this row: delete it",
		},
		"exception that nothing needs": {
			rows: func(t *tables) { t.exceptions = append(t.exceptions, exception{from: "sweep", to: "task"}) },
			want: "exceptions: sweep imports task: nothing needs this row: delete it",
		},
		"module that nothing uses": {
			rows: func(t *tables) {
				t.modules = append(t.modules,
					module{path: "example.org/old", in: []string{"sql"}})
			},
			want: "modules: sql uses example.org/old: nothing needs this row: delete it",
		},
		"reader that does not read": {
			rows: func(t *tables) { t.environment = append(t.environment, reader{pkg: "setup"}) },
			want: "environment: setup: nothing needs this row: delete it",
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			rules, files := smallTables, maps.Clone(smallTree)
			if tc.rows != nil {
				rules.layers, rules.exceptions = slices.Clone(rules.layers), slices.Clone(rules.exceptions)
				rules.modules, rules.environment = slices.Clone(rules.modules), slices.Clone(rules.environment)
				tc.rows(&rules)
			}
			maps.Copy(files, tc.files)
			var sources []source
			for _, name := range slices.Sorted(maps.Keys(files)) {
				s, err := parse(name, files[name])
				if err != nil {
					t.Fatal(err)
				}
				sources = append(sources, s)
			}
			if got := strings.Join(check(rules, sources), "\n"); got != tc.want {
				t.Errorf("got  %s\nwant %s", got, tc.want)
			}
		})
	}
}
