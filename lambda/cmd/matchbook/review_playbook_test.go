package main

import (
	"strings"
	"testing"

	"matchbook/lambda/cli"
	"matchbook/lambda/cli/clitest"
	"matchbook/lambda/internal/must"
	"matchbook/lambda/postgres/postgrestest"
	"matchbook/lambda/review/playbook"
)

const (
	bookTenant  = "10000000-0000-4000-8000-000000000001"
	otherTenant = "20000000-0000-4000-8000-000000000001"
	bookText    = `{"name": "Supplier <& Co>", "version": "7", "side": "supplier", "positions": {"renewal": {"required": false,
		"clause": "unwanted", "acceptable": "", "unwanted": "Any.", "fallback": "", "severity": "high", "reason": ""}}}`
)

func TestPlaybookSetShow(t *testing.T) {
	t.Parallel()
	url := postgrestest.URL(t)
	book := func(tenant string, args ...string) (code int, out, errOut string) {
		return matchbook(t, url, append([]string{"review", "playbook", "--tenant", tenant}, args...)...)
	}
	code, standard, errOut := book(bookTenant, "show")
	if code != cli.ExitOK || standard != string(playbook.Default()) || !strings.Contains(errOut, "(the default)") {
		t.Errorf("without a playbook: exit status %d, %s\n%s", code, errOut, standard)
	}
	wrong := clitest.File(t, "wrong.json", strings.Replace(bookText, `"high"`, `"hgih"`, 1))
	if code, out, errOut := book(bookTenant, "set", wrong); code != cli.ExitError || out != "" ||
		!strings.Contains(errOut, wrong+`: positions.renewal.severity: invalid value "hgih", expected one of`) {
		t.Errorf("a mistake: exit status %d, %s%s", code, out, errOut)
	}
	if _, out, _ := book(bookTenant, "show"); out != standard {
		t.Errorf("a playbook with a mistake is stored: %s", out)
	}

	p := must.Get(playbook.Parse([]byte(bookText)))(t)
	stored := "stored playbook " + p.Version() + " of tenant " + bookTenant
	if code, out, errOut := book(bookTenant, "set", clitest.File(t, "book.json", bookText)); code != cli.ExitOK || !strings.HasPrefix(out, stored) {
		t.Errorf("set: exit status %d, %s%s; want %s", code, out, errOut, stored)
	}
	code, shown, errOut := book(bookTenant, "show")
	if code != cli.ExitOK || errOut != "tenant "+bookTenant+" uses playbook "+p.Version()+" (its own)\n" || !strings.Contains(shown, `"Supplier <& Co>"`) {
		t.Errorf("show: exit status %d, %s\n%s", code, errOut, shown)
	}
	if _, out, _ := book(bookTenant, "set", clitest.File(t, "again.json", shown)); !strings.HasPrefix(out, stored) {
		t.Errorf("what was shown is another playbook: %s, want %s", out, stored)
	}
	if _, out, _ := book(otherTenant, "show"); out != standard {
		t.Errorf("another tenant has %s", out)
	}

	const spoil = `UPDATE review_playbook SET playbook = '{"side": 1}'`
	postgrestest.Exec(t, postgrestest.Conn(t, url), spoil)
	if code, out, errOut := book(bookTenant, "show"); code != cli.ExitError || out != "" ||
		!strings.Contains(errOut, "so no review can start: ") {
		t.Errorf("one that another program has stored: exit status %d, %s%s", code, out, errOut)
	}
}

func TestPlaybookUsage(t *testing.T) {
	t.Parallel()
	wantRefused(t, "", "review playbook", clitest.Refusals{
		{[]string{"show"}, "missing --tenant"},
		{[]string{"show", "--tenant", "7"}, "--tenant: not a UUID of 36 characters"},
		{[]string{"show", "--tenant", bookTenant}, "DATABASE_URL"},
		{[]string{"set", "--tenant", bookTenant}, "missing FILE"},
		{[]string{"set", "--tenant", bookTenant, "/nowhere.json"}, "/nowhere.json: no such file"},
	})
}
