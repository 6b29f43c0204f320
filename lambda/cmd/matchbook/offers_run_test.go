package main

import (
	"encoding/csv"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"matchbook/lambda/cli"
	"matchbook/lambda/cli/clitest"
	"matchbook/lambda/internal/must"
	"matchbook/lambda/local/offerrun"
	"matchbook/lambda/postgres/postgrestest"

	"github.com/jackc/pgx/v5"
)

const (
	sampleUsers = "../../../testdata/offers"
	sampleDate  = "2026-03-29"
)

// runOffers runs the samples in a database.
func runOffers(t *testing.T, url string, args ...string) string {
	t.Helper()
	return ends(t, url, cli.ExitFindings, // one of the users has a profile that cannot be read
		append([]string{"offers", "run", sampleUsers, "--date", sampleDate, "--database"}, args...)...)
}

// offerRows are the rows of the tables of offers, all columns but the times at
// which something was done.
func offerRows(t *testing.T, conn *pgx.Conn) (all string) {
	t.Helper()
	for _, sql := range []string{
		`SELECT to_jsonb(u) - 'created_at' FROM offer_user AS u ORDER BY id`,
		`SELECT to_jsonb(r) - 'frozen_at' FROM offer_roster AS r ORDER BY tenant_id, date`,
		`SELECT to_jsonb(j) - 'created_at' - 'started_at' - 'completed_at' - 'published_at' - 'due_at' - 'failed_at'
			FROM matchmaking_job AS j ORDER BY id`,
		`SELECT to_jsonb(o) FROM offer AS o ORDER BY id`,
		`SELECT to_jsonb(d) FROM offer_delivery AS d ORDER BY job_id`,
	} {
		rows, _ := conn.Query(t.Context(), sql)
		list := must.Get(pgx.CollectRows(rows, pgx.RowTo[string]))(t)
		all += strings.Join(list, "\n") + "\n"
	}
	return all
}

// The sets were found by hand, before the code was run: testdata/README.md has the
// arithmetic. A second run changes nothing, not a byte.
func TestOffersRunSamples(t *testing.T) {
	t.Parallel()
	url := postgrestest.EmptyURL(t)
	first := runOffers(t, url)
	_, want := clitest.Shown(t, "go run ./lambda/cmd/matchbook offers")
	clitest.WantShown(t, want[1:], first)
	conn := postgrestest.Conn(t, url)
	rows := offerRows(t, conn)
	// At nine in Honolulu the next date is due in Kiritimati: it is no part of this run.
	if n := strings.Count(rows, `"date": "`+sampleDate+`", "error"`); n != 23 || strings.Contains(rows, `"date": "2026-03-30"`) {
		t.Errorf("got %d jobs of the date, want 23, and no other date in\n%s", n, rows)
	}
	if second := runOffers(t, url); second != first {
		t.Errorf("the second run prints\n%s\nand the first one\n%s", second, first)
	}
	if again := offerRows(t, conn); again != rows {
		t.Errorf("the second run changed rows to\n%s\nfrom\n%s", again, rows)
	}
	r := decode[offerrun.Result](t, runOffers(t, url, "--json"))
	wantSets(t, r)
	testShadow(t, url)
	testExplain(t, url, conn, r)
	if want := (offerrun.Accounting{Users: 24, Completed: 22, Failed: 1, Without: 1, Offers: 60}); r.Accounting != want {
		t.Errorf("got %+v, want %+v", r.Accounting, want)
	}
}

// wantSets compares a result with what was found by hand.
func wantSets(t *testing.T, r offerrun.Result) {
	t.Helper()
	f := must.Get(os.Open(filepath.Join(sampleUsers, "sets-"+sampleDate+".csv")))(t)
	defer f.Close()
	want := must.Get(csv.NewReader(f).ReadAll())(t)
	got := [][]string{want[0]}
	for _, tenant := range r.Tenants {
		for _, s := range tenant.Sets {
			for _, o := range s.Offers {
				row := []string{s.User.String(), strconv.Itoa(o.Rank), o.Candidate.String(), strconv.Itoa(o.Score)}
				for i, term := range o.Terms {
					if term.Term != want[0][4+i] {
						t.Errorf("the term %d is %s, want %s", i, term.Term, want[0][4+i])
					}
					row = append(row, strconv.Itoa(term.Points))
				}
				got = append(got, row)
			}
		}
	}
	slices.SortFunc(got[1:], slices.Compare[[]string])
	if !slices.EqualFunc(got, want, slices.Equal) {
		t.Errorf("got\n%v\nwant\n%v", got, want)
	}
}

// Workers that are killed delay sets, and change none.
func TestOffersRunKilled(t *testing.T) {
	t.Parallel()
	out := runOffers(t, postgrestest.EmptyURL(t), "--json", "--kill-every", "1s", "--seed", "7")
	wantSets(t, decode[offerrun.Result](t, out))
}

func TestOffersRunMalformed(t *testing.T) {
	t.Parallel()
	const user = `"tenant_id": "` + oneTenant + `", "timezone": "Europe/Berlin", "profile": {}`
	folder := clitest.Folder(t, map[string]string{
		"a.jsonl": `{"id": "10000000-0000-4000-8000-0000000000a1", ` + user + "}\n\n" + `{"id": "x", ` + user + "}\n{\n" +
			`{"id": "10000000-0000-4000-8000-0000000000a1", ` + user + "}\n",
		"b.json": "[\n" + `{"id": "10000000-0000-4000-8000-0000000000a2", "tenant_id": "` + oneTenant + `", "timezone": "Local"},` + "\n" +
			`{"id": "10000000-0000-4000-8000-0000000000a3", "tenant_id": 7},` + "\n" +
			`{"id": "10000000-0000-4000-8000-0000000000a4", ` + user + `, "preferences": []}]`,
		"c.json": `{"id": "10000000-0000-4000-8000-0000000000a5", "tenant_id": "` + oneTenant +
			`", "timezone": "Europe/Berlin", "profile": {"name": "\u0000"}}`,
		"d.json": "[1, ",
		"e.txt":  "not looked at",
	})
	code, out, errOut := matchbook(t, postgrestest.EmptyURL(t), "offers", "run", folder, "--date", sampleDate, "--database")
	const want = `
  a.jsonl:3: id: invalid value "x": not a UUID of 36 characters
  a.jsonl:4: invalid JSON
  a.jsonl:5: duplicate id, first used in a.jsonl:1
  b.json:2: timezone: unknown time zone "Local": must be such as Europe/Berlin
  b.json:3: tenant_id: unexpected JSON number
  b.json:4: preferences: expected a JSON object
  d.json:1: expected an object with id, tenant_id, timezone, profile, preferences
  d.json:1: invalid JSON: unexpected end
  c.json:1: the database refused the data (SQLSTATE 22P05)
`
	_, got, _ := strings.Cut(strings.ReplaceAll(out, folder+string(filepath.Separator), ""), "MALFORMED")
	if code != cli.ExitFindings || !strings.HasPrefix(got, want) || !strings.Contains(out, "1 user = 1 completed") {
		t.Errorf("exit status %d, got\n%s%s, want\n%s", code, out, errOut, want)
	}
	wantRefused(t, "", "offers run", clitest.Refusals{
		{[]string{filepath.Join(folder, "none")}, "none does not exist"},
		{[]string{t.TempDir()}, ": expected .json or .jsonl"},
		{[]string{folder, "--date", "today"}, `--date: invalid date "today"`},
		{nil, "missing DIR"},
	})
}
