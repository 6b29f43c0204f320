package main

import (
	"fmt"
	"strings"
	"testing"

	"matchbook/lambda/cli"
	"matchbook/lambda/cli/clitest"
	"matchbook/lambda/internal/golden"
	"matchbook/lambda/local/offerrun"
	"matchbook/lambda/postgres/postgrestest"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
)

const (
	jobOfJonas = "6e01dcc2-8b55-5f0b-8cec-137c45d02a80"
	jobOfPiet  = "1991b19b-daa7-587b-a1d8-b5e3db327a2f"
	idOfTheo   = "40000000-0000-4000-8000-000000000204"
	idOfJonas  = "40000000-0000-4000-8000-000000000709"
)

// Found by hand, as the sets: testdata/README.md.
const explanationOfJonas = `
OFFERS of 2026-03-29 for Jonas
  completed in Europe/Berlin, due 2026-03-29 07:00Z, job 6e01dcc2-8b55-5f0b-8cec-137c45d02a80
  roster 9c1fe4e3a43d, algorithm 4
  computed again from its roster: identical, byte for byte
  of 12 other users: 5 ruled out by kind, 3 offered, 2 ruled out by distance, 1 ruled out by age, 1
  unreadable
OFFERED 3
   1  Mara          2293  interests 1000 + reciprocity 500 + distance 600 + activity 193
   2  Viktor        2293  interests 1000 + reciprocity 500 + distance 600 + activity 193
                     after the one before by lot, since the points are equal
   3  Theo          1532  interests 666 + reciprocity 250 + distance 516 + activity 100
FILTERED 8: kind 5, distance 2, age 1
      Bishnu       filter distance: the candidate needs to be as near as the other wants, if both
                   have a place (6709 km apart; the limit is 200 km)
      Grace        filter distance: the candidate needs to be as near as the other wants, if both
                   have a place (6804 km apart; the limit is 200 km)
      Ilse         filter age: the user needs to have an age the other looks for, in the year of the
                   date (22; wanted is 16 to 20)
      Aylin        filter kind: the candidate needs to be a kind of user the other looks for
      Sita         filter kind: the candidate needs to be a kind of user the other looks for
      Noah         filter kind: the candidate needs to be a kind of user the other looks for
      Lena         filter kind: the candidate needs to be a kind of user the other looks for
      Oda          filter kind: the candidate needs to be a kind of user the other looks for
UNREADABLE 1
      Piet         unreadable profile of the user: born must be a whole number
`

// testExplain explains the samples, also after users have changed and after someone
// changed what is stored.
func testExplain(t *testing.T, url string, conn *pgx.Conn, r offerrun.Result) {
	t.Helper()
	exec := func(sql string) {
		t.Helper()
		postgrestest.Exec(t, conn, sql)
	}
	var all strings.Builder
	explain := func(code int, want string, args ...string) string {
		t.Helper()
		got, out, errOut := matchbook(t, url, append([]string{"offers", "explain"}, args...)...)
		if text := fmt.Sprintf("$ %s\n%s%sexit status %d\n\n", strings.Join(args, " "), out, errOut, got); !strings.Contains(text, "--json") || args[0] == jobOfJonas {
			all.WriteString(text)
		}
		if got != code || !strings.Contains(out+errOut, want) {
			t.Errorf("%v: exit status %d, want %d with %q in\n%s%s", args, got, code, want, out, errOut)
		}
		return out
	}
	wantText(t, explain(cli.ExitOK, "", jobOfJonas), explanationOfJonas)
	exec(`UPDATE offer_user SET preferences = '{}', active = false`) // a set does not depend on what users are now
	same := 0
	for _, tenant := range r.Tenants {
		for _, s := range tenant.Sets {
			if s.Status == "completed" {
				same++
				explain(cli.ExitOK, `"same": true`, s.Job.String(), "--json")
			}
		}
	}
	if same != 22 {
		t.Errorf("%d sets were compared", same)
	}
	explain(cli.ExitOK, "reason: rank the candidates: unreadable profile of the user: born", jobOfPiet)
	explain(cli.ExitOK, "OFFERED 1\n   3  Theo", jobOfJonas, "--candidate", idOfTheo)
	explain(cli.ExitOK, "users are never offered to themselves", jobOfJonas, "--candidate", idOfJonas)
	explain(cli.ExitOK, "", jobOfJonas, "--candidate", idOfTheo, "--json")
	explain(cli.ExitOK, "not in the roster", jobOfJonas, "--candidate", uuid.Nil.String())
	explain(cli.ExitError, "job not found: "+idOfTheo, idOfTheo)
	explain(cli.ExitError, `invalid job id "x"`, "x")
	explain(cli.ExitError, `--candidate: invalid id "x": not a UUID`, jobOfJonas, "--candidate", "x")

	exec(`ALTER TABLE matchmaking_job DISABLE TRIGGER ALL`)
	exec(`UPDATE matchmaking_job SET offers = jsonb_set(offers, '{2,score}', '1533') WHERE id = '` + jobOfJonas + `'`)
	explain(cli.ExitFindings, "DIFFERENT: the stored set is not the one computed from its roster\n    stored  1  Mara", jobOfJonas)
	exec(`UPDATE matchmaking_job SET offers = '7' WHERE id = '` + jobOfJonas + `'`)
	explain(cli.ExitFindings, "DIFFERENT", jobOfJonas)
	exec(`UPDATE offer_roster SET content = '\x00'`)
	explain(cli.ExitFindings, "cannot be computed: roster of 2026-03-29 is damaged", jobOfJonas)
	exec(`DELETE FROM offer_roster`)
	explain(cli.ExitFindings, "cannot be computed: ", jobOfJonas)
	golden.Compare(t, "offers-explain.txt", all.String())
}

func TestOffersExplainNoSet(t *testing.T) {
	t.Parallel()
	url := postgrestest.URL(t)
	insertOfferJobs(t, postgrestest.Conn(t, url), "cancelled", "pending")
	out := printed(t, url, "offers", "explain", offerJob(1))
	wantText(t, out, `
OFFERS of 2026-03-29 for Ada
  skipped in Europe/Berlin, due 2026-03-29 07:00Z, job 60000000-0000-5000-8000-000000000001
  reason: nobody was there
`)
	if out := printed(t, url, "offers", "explain", offerJob(2)); !strings.Contains(out, "  pending in") ||
		!strings.Contains(out, "cannot be computed: ") {
		t.Errorf("got\n%s", out)
	}
}

// BenchmarkExplainHostile explains a set of a roster of 5,000 users with hostile names: 2,000 wide
// letters, escape sequences and other controls.
func BenchmarkExplainHostile(b *testing.B) {
	url := postgrestest.EmptyURL(b)
	name := strings.Repeat(`漢\u001b[2J\u202e\n`, 100) + strings.Repeat("字", 1600)
	var users strings.Builder
	for i := range 5000 {
		fmt.Fprintf(&users, `{"id": "10000000-0000-4000-8000-%012d", "tenant_id": %q, "timezone": "UTC", "profile": {"name": "%s"}}`+"\n",
			i, oneTenant, name)
	}
	folder := clitest.Folder(b, map[string]string{"users.jsonl": users.String()})
	ends(b, url, cli.ExitOK, "offers", "run", folder, "--date", sampleDate, "--database")
	id := postgrestest.Value[string](b, postgrestest.Conn(b, url), `SELECT id::text FROM matchmaking_job ORDER BY id LIMIT 1`)
	b.ReportAllocs()
	for b.Loop() {
		ends(b, url, cli.ExitOK, "offers", "explain", id)
	}
}
