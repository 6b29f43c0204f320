package sqs

import (
	"bytes"
	"flag"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"matchbook/lambda/internal/must"
	"matchbook/lambda/internal/testenv"
	"matchbook/lambda/local/clock"
)

var conformance = flag.Bool("conformance",
	false, "run the checks of SQS in real time, on a machine that does nothing else")

// TestSQSConformance runs the checks that the delivery rules rely on, with the
// real SDK and in real time: about 70 s, most of them waiting. A machine that is
// busy otherwise fails them.
func TestSQSConformance(t *testing.T) {
	t.Parallel()
	if !*conformance {
		t.Skip("needs a quiet machine and about 70 s: run with -conformance")
	}
	source := filepath.Dir(testenv.Shared(t, "sqs-conformance/conf.go"))
	// It may be read-only, and go run may want to write there.
	program := t.TempDir()
	must.OK(t, os.CopyFS(program, os.DirFS(source)), "copy the conformance program")
	server := httptest.NewServer(New(clock.New()))
	t.Cleanup(server.Close)

	run := exec.CommandContext(t.Context(), "go", "run", ".", "local", server.URL)
	run.Dir = program
	out, err := run.CombinedOutput()
	lines := bytes.Split(bytes.TrimSpace(out), []byte("\n"))
	t.Logf("%s", lines[len(lines)-1])
	if err != nil {
		t.Errorf("%v\n%s", err, out)
	}
}
