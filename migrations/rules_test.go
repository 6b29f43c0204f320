package migrations

import (
	"fmt"
	"io/fs"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// firstRuled is the first migration under the rules: the ones before were
// applied long ago.
const firstRuled = "00010"

func TestMigrationsDoNotBlock(t *testing.T) {
	t.Parallel()
	names, err := fs.Glob(FS, "*.sql")
	if err != nil {
		t.Fatal(err)
	}
	var ruled []migration
	for _, name := range names {
		if name < firstRuled {
			continue
		}
		text, err := FS.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		ruled = append(ruled, read(name, string(text)))
	}
	for _, broken := range breaches(ruled) {
		t.Error(broken)
	}
}

// A number that two branches took, or one that came later than its followers, would
// otherwise be seen by the first database that is migrated.
func TestNumbersHaveNoHole(t *testing.T) {
	t.Parallel()
	names, err := fs.Glob(FS, "*")
	if err != nil {
		t.Fatal(err)
	}
	for i, name := range names {
		if want := fmt.Sprintf("%05d_", i+1); !strings.HasPrefix(name, want) {
			t.Fatalf("%s: its number is not %s", name, strings.TrimSuffix(want, "_"))
		}
	}
	if len(names) != Newest {
		t.Errorf("Newest is %d, but the last migration is %s", Newest, names[len(names)-1])
	}
}

// migration is a file as read: the statements of both halves, without comments.
type migration struct {
	name          string
	noTransaction bool
	up, down      []string
}

var (
	comment    = regexp.MustCompile(`--[^\n]*`)
	half       = regexp.MustCompile(`(?m)^-- \+goose (Up|Down)\b.*$`)
	dollars    = regexp.MustCompile(`(?s)\$(\w*)\$.*?\$\w*\$`)
	quoted     = regexp.MustCompile(`'[^']*'`)
	whitespace = regexp.MustCompile(`\s+`)
)

func read(name, text string) migration {
	m := migration{name: name, noTransaction: strings.Contains(text, "-- +goose NO TRANSACTION")}
	marks := half.FindAllStringSubmatchIndex(text, -1)
	for i, mark := range marks {
		end := len(text)
		if i+1 < len(marks) {
			end = marks[i+1][0]
		}
		list := statements(text[mark[1]:end])
		if text[mark[2]:mark[3]] == "Up" {
			m.up = list
		} else {
			m.down = list
		}
	}
	return m
}

// statements splits SQL. Quoted texts are emptied before: no rule is about
// them.
func statements(sql string) (list []string) {
	sql = comment.ReplaceAllString(sql, "")
	sql = dollars.ReplaceAllString(sql, "''")
	sql = quoted.ReplaceAllString(sql, "''")
	for s := range strings.SplitSeq(sql, ";") {
		if s = strings.TrimSpace(whitespace.ReplaceAllString(s, " ")); s != "" {
			list = append(list, s)
		}
	}
	return list
}

var (
	createsTable = regexp.MustCompile(`(?i)^CREATE TABLE (?:IF NOT EXISTS )?(\S+)`)
	nextClause   = regexp.MustCompile(`(?i), ?(ADD|ALTER|DROP|VALIDATE)\b`)
	takesLock    = regexp.MustCompile(`(?i)^ALTER TABLE (?:IF EXISTS )?(?:ONLY )?([^\s;]+)`)
	createsIndex = regexp.MustCompile(`(?i)^CREATE (?:UNIQUE )?INDEX (CONCURRENTLY )?.*? ?ON (?:ONLY )?(\w+)`)
	setsTimeout  = regexp.MustCompile(`(?i)^SET (LOCAL )?lock_timeout\b`)
	constrains   = regexp.MustCompile(`(?i)\bADD (?:CONSTRAINT (\w+) )?CHECK\b`)
	columnCheck  = regexp.MustCompile(`(?i)\bADD (?:COLUMN )?(?:IF NOT EXISTS )?\w+ [^(]*\bCHECK\b|\bADD COLUMN\b.*\bCHECK\b`)
	notValid     = regexp.MustCompile(`(?i)\bNOT VALID\b`)
	validates    = regexp.MustCompile(`(?i)\bVALIDATE CONSTRAINT (\w+)`)
)

// breaches lists the violations of the rules.
func breaches(all []migration) (list []string) {
	for i, m := range all {
		say := func(statement, format string, args ...any) {
			list = append(list, fmt.Sprintf("%s: %.80q %s", m.name, statement, fmt.Sprintf(format, args...)))
		}
		for _, statements := range [][]string{m.up, m.down} {
			m.checkLocks(statements, say)
		}
		for n, s := range m.up {
			later := m.up[n+1:]
			if !m.noTransaction {
				later = nil
			}
			for _, next := range all[i+1:] {
				later = slices.Concat(later, next.up)
			}
			if !takesLock.MatchString(s) {
				continue
			}
			for clause := range strings.SplitSeq(nextClause.ReplaceAllString(s, ";$1"), ";") {
				checkConstraint(clause, later, say)
			}
		}
	}
	return list
}

// checkLocks is about tables in use, not about the ones that the same migration
// has made.
func (m migration) checkLocks(statements []string, say func(string, string, ...any)) {
	timeout, how := false, "SET LOCAL lock_timeout"
	if m.noTransaction {
		how = "SET lock_timeout"
	}
	made := map[string]bool{}
	for _, s := range statements {
		if set := setsTimeout.FindStringSubmatch(s); set != nil {
			timeout = true
			if local := set[1] != ""; local == m.noTransaction {
				say(s, "lasts too long or has no effect: write %s", how)
			}
		}
		if table := createsTable.FindStringSubmatch(s); table != nil {
			made[table[1]] = true
		}
		if table := takesLock.FindStringSubmatch(s); table != nil && !made[table[1]] && !timeout {
			say(s, "waits for its lock without an end, and all that comes after it waits too: put %s = '2s' before it",
				how)
		}
		if index := createsIndex.FindStringSubmatch(s); index != nil && !made[index[2]] &&
			(index[1] == "" || !m.noTransaction) {
			say(s, "stops all writing to %s while it builds: CREATE INDEX CONCURRENTLY, in a migration with NO TRANSACTION", index[2])
		}
	}
}

func checkConstraint(s string, later []string, say func(string, string, ...any)) {
	added := constrains.FindStringSubmatch(s)
	switch {
	case added == nil && columnCheck.MatchString(s):
		say(s, "reads the whole table under its lock: add the column, then ADD CONSTRAINT ... CHECK ... NOT VALID, then VALIDATE CONSTRAINT")
	case added == nil:
	case !notValid.MatchString(s):
		say(s, "reads the whole table under its lock: write NOT VALID, and VALIDATE CONSTRAINT later")
	case added[1] == "":
		say(s, "has no name to validate it by: ADD CONSTRAINT name CHECK ... NOT VALID")
	case !slices.ContainsFunc(later, func(l string) bool {
		named := validates.FindStringSubmatch(l)
		return named != nil && named[1] == added[1]
	}):
		say(s, "is never validated: VALIDATE CONSTRAINT %s, in a later migration or statement, and not in the same transaction, which holds the lock", added[1])
	}
}

func TestMigrationRulesRefuse(t *testing.T) {
	t.Parallel()
	const noTx = "-- +goose NO TRANSACTION\n"
	for _, tc := range []struct {
		name, sql, want string // a part of the only breach; empty: fine
	}{
		{"no timeout", "-- +goose Up\nALTER TABLE document ADD COLUMN a int;",
			"put SET LOCAL lock_timeout = '2s' before it"},
		{"a timeout afterwards", "-- +goose Up\nALTER TABLE document ADD COLUMN a int; SET LOCAL lock_timeout = '2s';",
			"put SET LOCAL lock_timeout"},
		{"a timeout in a comment", "-- +goose Up\n-- SET LOCAL lock_timeout = '2s';\nALTER TABLE document ADD COLUMN a int;", "put SET LOCAL lock_timeout"},
		{"a timeout in the other half", "-- +goose Up\nSET LOCAL lock_timeout = '2s';\nALTER TABLE document ADD COLUMN a int;\n-- +goose Down\nALTER TABLE document DROP COLUMN a;", `"ALTER TABLE document DROP COLUMN a" waits`},
		{"a timeout", "-- +goose Up\nSET LOCAL lock_timeout = '2s';\nalter table\n document ADD COLUMN a int;", ""},
		{"a timeout for the session in a transaction", "-- +goose Up\nSET lock_timeout = '2s';\nALTER TABLE document ADD COLUMN a int;", "write SET LOCAL lock_timeout"},
		{"a timeout for no transaction", noTx + "-- +goose Up\nSET LOCAL lock_timeout = '2s';\nALTER TABLE document ADD COLUMN a int;", "write SET lock_timeout"},
		{"a new table", "-- +goose Up\nCREATE TABLE t (a int CHECK (a > 0));\nALTER TABLE t ADD COLUMN b int;\nCREATE INDEX t_idx ON t (a);", ""},
		{"a CHECK", noTx + "-- +goose Up\nSET lock_timeout = '2s';\nALTER TABLE document ADD CONSTRAINT a_check CHECK (a > 0);", "write NOT VALID"},
		{"a CHECK without a name", noTx + "-- +goose Up\nSET lock_timeout = '2s';\nALTER TABLE document ADD CHECK (a > 0) NOT VALID;", "has no name"},
		{"a CHECK of a new column", noTx + "-- +goose Up\nSET lock_timeout = '2s';\nALTER TABLE document ADD COLUMN a int NOT NULL DEFAULT 0 CHECK (a > 0);", "add the column, then ADD CONSTRAINT"},
		{"the same without the word COLUMN", noTx + "-- +goose Up\nSET lock_timeout = '2s';\nALTER TABLE document ADD a int CHECK (a > 0);", "add the column, then ADD CONSTRAINT"},
		{"a CHECK of a new column beside one that is not valid", noTx + "-- +goose Up\nSET lock_timeout = '2s';\nALTER TABLE document ADD COLUMN a int CHECK (a > 0), ADD CONSTRAINT b_check CHECK (b IN (1, 2)) NOT VALID; ALTER TABLE document VALIDATE CONSTRAINT b_check;", "add the column, then ADD CONSTRAINT"},
		{"a CHECK that is never validated", noTx + "-- +goose Up\nSET lock_timeout = '2s';\nALTER TABLE document ADD CONSTRAINT a_check CHECK (a > 0) NOT VALID; ALTER TABLE document VALIDATE CONSTRAINT b_check;", "is never validated"},
		{"a CHECK validated under the same lock", "-- +goose Up\nSET LOCAL lock_timeout = '2s';\nALTER TABLE document ADD CONSTRAINT a_check CHECK (a > 0) NOT VALID; ALTER TABLE document VALIDATE CONSTRAINT a_check;", "is never validated"},
		{"a CHECK validated later", noTx + "-- +goose Up\nSET lock_timeout = '2s';\nALTER TABLE document ADD CONSTRAINT a_check CHECK (a IN ('x;y')) NOT VALID; ALTER TABLE document VALIDATE CONSTRAINT a_check;", ""},
		{"an index", "-- +goose Up\nCREATE UNIQUE INDEX i ON document (a);", "CREATE INDEX CONCURRENTLY"},
		{"an index in a transaction", "-- +goose Up\nCREATE INDEX CONCURRENTLY i ON document (a);", "NO TRANSACTION"},
		{"an index, concurrently", noTx + "-- +goose Up\nDROP INDEX CONCURRENTLY IF EXISTS i;\nCREATE INDEX CONCURRENTLY i ON document (a);", ""},
		{"the body of a function", "-- +goose Up\nCREATE FUNCTION f() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN ALTER TABLE x ADD y int; END $$;", ""},
	} {
		got := breaches([]migration{read("00099_x.sql", tc.sql)})
		if tc.want == "" && len(got) > 0 || tc.want != "" && (len(got) != 1 || !strings.Contains(got[0], tc.want)) {
			t.Errorf("%s: got %q, want %q", tc.name, got, tc.want)
		}
	}
	const first, second = "-- +goose Up\nSET LOCAL lock_timeout = '2s';\nALTER TABLE document ADD CONSTRAINT a_check CHECK (a > 0) NOT VALID;",
		"-- +goose Up\nSET LOCAL lock_timeout = '2s';\nALTER TABLE document VALIDATE CONSTRAINT a_check;"
	if got := breaches([]migration{read("00098_x.sql", first), read("00099_x.sql", second)}); len(got) > 0 {
		t.Errorf("validated by the next migration: got %q", got)
	}
	if got := breaches([]migration{read("00098_x.sql", second), read("00099_x.sql", first)}); len(got) != 1 {
		t.Errorf("validated before it was added: got %q", got)
	}
}
