package acceptance_test

import (
	"bufio"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"matchbook/lambda/failure"
	"matchbook/lambda/internal/must"
	"matchbook/lambda/internal/testenv"
	"matchbook/lambda/manifest/variable"
	"matchbook/lambda/notify/outbox"
	"matchbook/lambda/notify/webhook"

	"github.com/google/uuid"
)

// typescript are the packages of the examples in TypeScript. .ci/run fetches them
// before the tests.
const typescript = "pg@8.16.3 tsx@4.20.6 standardwebhooks@1.1.1"

// typeScript returns a command that runs a program with these packages.
func typeScript(t *testing.T, code string, args ...string) *exec.Cmd {
	t.Helper()
	npm, dir := testenv.Program(t, "npm", "apt-get install nodejs npm"), t.TempDir()
	install := append([]string{"install", "--offline", "--no-audit", "--no-fund", "--prefix", dir}, strings.Fields(typescript)...)
	if err := exec.CommandContext(t.Context(), npm, install...).Run(); err != nil {
		testenv.Missing(t, typescript+" are not in npm's cache: npm install --prefix $(mktemp -d) "+typescript)
	}
	must.OK(t, os.WriteFile(filepath.Join(dir, "example.ts"), []byte(code), 0o600))
	// One process: the program tsx starts another, which would outlive it.
	cmd := exec.CommandContext(t.Context(), "node", append([]string{"--import", "tsx", "example.ts"}, args...)...)
	cmd.Dir = dir
	return cmd
}

func TestTypeScriptInserts(t *testing.T) {
	testenv.OnlyThorough(t, "installs Node programs")
	t.Parallel()
	wantInserted(t, typeScript(t, pageExample(t, "typescript")))
}

// The receiver of INTEGRATE.md, as it stands there, verifies requests with the standard's
// library from npm: with its secret, also beside the next one, and with no other.
func TestReadyLibrary(t *testing.T) {
	testenv.OnlyThorough(t, "installs Node programs")
	t.Parallel()
	const next = "whsec_dGhlLW5leHQta2V5LW9mLXRoZS1zaWduYXR1cmVz" // the-next-key-of-the-signatures
	port := freePort(t)
	cmd := typeScript(t, pageExampleAfter(t, "## Events", "typescript"), port)
	cmd.Env = append(os.Environ(), variable.EventsWebhookSecret+"="+hookSecret)
	cmd.Stderr = testLog{t}
	out := must.Get(cmd.StdoutPipe())(t)
	must.OK(t, cmd.Start())
	t.Cleanup(func() {
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
	})
	lines := bufio.NewScanner(out)
	for lines.Scan() && lines.Text() != "listening" {
	}
	parcel := outbox.Parcel{ID: uuid.New(), Tries: 1, Body: []byte(`{"number":"Ä-1"}`)}
	for secret, want := range map[string]string{
		hookSecret: "", next + " " + hookSecret: "",
		next: "receiver denied access: it rejected the signature or the address (HTTP 401)",
	} {
		to := must.Get(webhook.New(webhook.Config{URL: "http://127.0.0.1:" + port, Secret: secret}))(t)
		if err := to.Send(t.Context(), parcel); (err == nil) != (want == "") || err != nil && failure.Of(err).Text != want {
			t.Errorf("got %v, want %q", err, want)
		}
	}
}
