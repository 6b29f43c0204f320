package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"matchbook/lambda/cli"
	"matchbook/lambda/postgres/postgrestest"
	"matchbook/lambda/review/playbook"
)

const (
	bookTenant  = "10000000-0000-4000-8000-000000000001"
	otherTenant = "20000000-0000-4000-8000-000000000001"
	bookText    = `{"name": "Supplier <& Co>", "version": "7", "side": "supplier", "positions": {"renewal": {"required": false,
		"clause": "unwanted", "acceptable": "", "unwanted": "Any.", "fallback": "", "severity": "high", "reason": ""}}}`
)

func TestPlaybookOfATenantIsSetAndShown(t *testing.T) {
	t.Parallel()
	url, folder := postgrestest.URL(t), t.TempDir()
	write := func(name, text string) string {
		file := filepath.Join(folder, name)
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return file
	}
	book := func(tenant string, args ...string) (code int, out, errOut string) {
		return matchbook(t, url, append([]string{"review", "playbook", "--tenant", tenant}, args...)...)
	}
	code, standard, errOut := book(bookTenant, "show")
	if code != cli.ExitOK || standard != string(playbook.Default()) || !strings.Contains(errOut, "the default, since it has none") {
		t.Errorf("without a playbook: exit status %d, %s\n%s", code, errOut, standard)
	}
	wrong := write("wrong.json", strings.Replace(bookText, `"high"`, `"hgih"`, 1))
	if code, out, errOut := book(bookTenant, "set", wrong); code != cli.ExitError || out != "" ||
		!strings.Contains(errOut, wrong+`: positions.renewal.severity: found "hgih", expected one of`) {
		t.Errorf("a mistake: exit status %d, %s%s", code, out, errOut)
	}
	if _, out, _ := book(bookTenant, "show"); out != standard {
		t.Errorf("a playbook with a mistake is stored: %s", out)
	}

	p, err := playbook.Parse([]byte(bookText))
	if err != nil {
		t.Fatal(err)
	}
	has := "tenant " + bookTenant + " has the playbook " + p.Version()
	if code, out, errOut := book(bookTenant, "set", write("book.json", bookText)); code != cli.ExitOK || !strings.HasPrefix(out, has) {
		t.Errorf("set: exit status %d, %s%s; want %s", code, out, errOut, has)
	}
	code, shown, errOut := book(bookTenant, "show")
	if code != cli.ExitOK || errOut != has+", its own\n" || !strings.Contains(shown, `"Supplier <& Co>"`) {
		t.Errorf("show: exit status %d, %s\n%s", code, errOut, shown)
	}
	if _, out, _ := book(bookTenant, "set", write("again.json", shown)); !strings.HasPrefix(out, has) {
		t.Errorf("what was shown is another playbook: %s, want %s", out, has)
	}
	if _, out, _ := book(otherTenant, "show"); out != standard {
		t.Errorf("another tenant has %s", out)
	}

	const spoil = `UPDATE review_playbook SET playbook = '{"side": 1}'`
	if _, err := postgrestest.Conn(t, url).Exec(t.Context(), spoil); err != nil {
		t.Fatal(err)
	}
	if code, out, errOut := book(bookTenant, "show"); code != cli.ExitError || out != "" ||
		!strings.Contains(errOut, "can begin: its playbook: ") {
		t.Errorf("one that another program has stored: exit status %d, %s%s", code, out, errOut)
	}
}

func TestPlaybookNeedsATenantAFileAndADatabase(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		args []string
		want string
	}{
		{[]string{"show"}, `"tenant" not set`},
		{[]string{"show", "--tenant", "7"}, "--tenant: not a UUID of 36 characters"},
		{[]string{"show", "--tenant", bookTenant}, "DATABASE_URL"},
		{[]string{"set", "--tenant", bookTenant}, "accepts 1 arg"},
		{[]string{"set", "--tenant", bookTenant, "/nowhere.json"}, "/nowhere.json: no such file"},
	} {
		code, out, errOut := matchbook(t, "", append([]string{"review", "playbook"}, tc.args...)...)
		if code != cli.ExitError || out != "" || !strings.Contains(errOut, tc.want) {
			t.Errorf("%v: exit status %d, %s%s; want %q", tc.args, code, out, errOut, tc.want)
		}
	}
	if code, out, _ := matchbook(t, "", "review", "playbook", "--help"); code != cli.ExitOK || !strings.Contains(out, "Examples:") {
		t.Errorf("--help: exit status %d, %s", code, out)
	}
}
