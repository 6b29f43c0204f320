package main

import (
	"bytes"
	"strings"
	"testing"

	"matchbook/lambda/cli"
	"matchbook/lambda/cli/clitest"
	"matchbook/lambda/manifest/variable"
	"matchbook/lambda/postgres/postgrestest"
)

const samples = "../../../testdata/documents"

func TestMain(m *testing.M) { clitest.Main(m) }

// mbdev runs the command against the database at url.
func mbdev(t testing.TB, url string, args ...string) (code int, out, errOut string) {
	t.Helper()
	return clitest.Run(t, run, url, args...)
}

func TestHelpShowsExamples(t *testing.T) {
	t.Parallel()
	for _, command := range []string{"eval", "train", "drill", "record", "invoke", "queue"} {
		code, out, _ := mbdev(t, "", command, "--help")
		if code != cli.ExitOK || !strings.Contains(out, "Examples:") {
			t.Errorf("%s --help: exit status %d, output %q", command, code, out)
		}
	}
}

func TestCommandsOfThePagesAreAccepted(t *testing.T) {
	t.Parallel()
	clitest.WantAccepted(t, "mbdev", run, 10)
}

func TestCommandsOfThePageAreAllCommands(t *testing.T) {
	t.Parallel()
	clitest.WantListed(t, "mbdev", run, 6)
}

func TestInvokeRefusesASchemaThatIsNewer(t *testing.T) {
	t.Parallel()
	target := postgrestest.URL(t)
	if _, err := postgrestest.Conn(t, target).Exec(t.Context(), "INSERT INTO goose_db_version (version_id, is_applied) VALUES (99999, true)"); err != nil {
		t.Fatal(err)
	}
	env := func(name string) string { return map[string]string{variable.DatabaseURL: target}[name] }
	args := []string{"invoke", "-e", "../../../testdata/events/one-document.json", "--database"}
	var out bytes.Buffer
	if code := run(t.Context(), args, env, &out, &out); code != cli.ExitError || !strings.Contains(out.String(), "the database's schema is at version 99999, and this program knows versions up to ") {
		t.Errorf("exit status %d, %s", code, &out)
	}
}
