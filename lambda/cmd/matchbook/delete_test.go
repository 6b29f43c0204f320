package main

import (
	"strings"
	"testing"

	"matchbook/lambda/cli"
	"matchbook/lambda/cli/clitest"
	"matchbook/lambda/cli/erase"
	"matchbook/lambda/postgres/postgrestest"
)

const sampleTenant = "10000000-0000-4000-8000-000000000001"

func TestDeleteDocument(t *testing.T) {
	t.Parallel()
	url, id := matchedSample(t), matchedOnce(t).Matches[0].B.String()
	conn := postgrestest.Conn(t, url)
	of := func(id string) int {
		return postgrestest.Value[int](t, conn, `SELECT count(*) FROM document_match WHERE $1 IN (document_a_id, document_b_id)`, id)
	}
	partners := of(id)
	code, out, errOut := matchbook(t, url, "delete", "--document", id)
	if code != cli.ExitFindings || errOut != "nothing deleted: repeat the command with --confirm "+id+"\n" || partners == 0 || of(id) != partners {
		t.Errorf("exit status %d, got %s%s", code, out, errOut)
	}
	wantIn(t, out, "would delete 1 document of tenant ", " document_match\n")
	r := decode[erase.Report](t, ends(t, url, cli.ExitOK, "delete", "--document", id, "--confirm", id, "--json"))
	if of(id) != 0 || r.Published < partners || r.DryRun {
		t.Errorf("got %+v", r)
	}
	wantRefused(t, url, "delete", clitest.Refusals{
		{nil, "expected either --tenant or --document"},
		{[]string{"--tenant", sampleTenant, "--document", "X-404"}, "expected either --tenant or --document"},
		{[]string{"--document", "X-404"}, "document not found"},
		{[]string{"--document", id}, "document not found"},
		{[]string{"--tenant", id}, "unknown tenant"},
		{[]string{"--tenant", "me"}, "invalid --tenant \"me\""},
		{[]string{"--tenant", sampleTenant, "--confirm", "yes"}, "invalid --confirm \"yes\": expected " + sampleTenant},
	})
}

func TestDeleteTenant(t *testing.T) {
	t.Parallel()
	url := matchedSample(t)
	conn := postgrestest.Conn(t, url)
	count := func() int { return postgrestest.Value[int](t, conn, "SELECT count(*) FROM document") }
	all := count()
	wantIn(t, ends(t, url, cli.ExitOK, "delete", "--tenant", sampleTenant, "--dry-run"), "would delete tenant ")
	if count() != all {
		t.Fatal("a dry run deleted")
	}
	out := ends(t, url, cli.ExitOK, "delete", "--tenant", sampleTenant, "--confirm", sampleTenant)
	if left := count(); left == 0 || left == all || !strings.HasPrefix(out, "deleted tenant "+sampleTenant+": ") {
		t.Errorf("%d of %d documents left\n%s", left, all, out)
	}
	if n := postgrestest.Value[int](t, conn, "SELECT count(*) FROM document_key AS k WHERE NOT EXISTS (SELECT FROM document WHERE id = document_id)"); n > 0 {
		t.Errorf("%d keys left", n)
	}
}
