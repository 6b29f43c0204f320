package sqs

import (
	"bytes"
	"cmp"
	"flag"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

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
	source := filepath.Join(cmp.Or(os.Getenv("MATCHBOOK_SHARED"), filepath.Join("..", "..", "..", "..", "shared")),
		"sqs-conformance")
	if _, err := os.Stat(filepath.Join(source, "conf.go")); err != nil {
		t.Skipf("without the conformance program: set MATCHBOOK_SHARED to the folder that holds it: %v", err)
	}
	// It may be read-only, and go run may want to write there.
	program := t.TempDir()
	if err := os.CopyFS(program, os.DirFS(source)); err != nil {
		t.Fatalf("copy the conformance program: %v", err)
	}
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
