package main

import (
	"path/filepath"
	"strings"
	"testing"

	"matchbook/lambda/cli"
	"matchbook/lambda/cli/clitest"
	"matchbook/lambda/postgres/postgrestest"
)

const samples = "../../../testdata/documents"

func TestMain(m *testing.M) { clitest.Main(m) }

// mbdev runs the command against the database at url.
func mbdev(t testing.TB, url string, args ...string) (code int, out, errOut string) {
	t.Helper()
	return clitest.Run(t, run, url, args...)
}

// wantRefused wants a command to refuse these arguments.
func wantRefused(t *testing.T, url, command string, list clitest.Refusals) {
	t.Helper()
	clitest.WantRefused(t, func(args ...string) (code int, out, errOut string) {
		return mbdev(t, url, append(strings.Fields(command), args...)...)
	}, list)
}

func TestHelpExamples(t *testing.T) {
	t.Parallel()
	for _, command := range []string{"eval", "train", "drill", "record", "invoke", "queue"} {
		code, out, _ := mbdev(t, "", command, "--help")
		if code != cli.ExitOK || !strings.Contains(out, "Examples:") {
			t.Errorf("%s --help: exit status %d, output %q", command, code, out)
		}
	}
}

func TestPageCommandsAccepted(t *testing.T) {
	t.Parallel()
	clitest.WantAccepted(t, "mbdev", run, 10)
}

func TestPageListsCommands(t *testing.T) {
	t.Parallel()
	clitest.WantListed(t, "mbdev", run, 6)
}

func TestInvokeNewerSchema(t *testing.T) {
	t.Parallel()
	target := postgrestest.URL(t)
	postgrestest.Exec(t, postgrestest.Conn(t, target), "INSERT INTO goose_db_version (version_id, is_applied) VALUES (99999, true)")
	wantRefused(t, target, "invoke", clitest.Refusals{{[]string{"-e", filepath.Join(sampleEvents, "one-document.json")},
		"database schema version 99999 is newer than this program's "}})
}
