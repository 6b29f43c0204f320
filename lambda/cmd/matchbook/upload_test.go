package main

import (
	"io"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"matchbook/lambda/cli"
)

// bucketRig is an S3 that records what is stored.
type bucketRig struct {
	mu     sync.Mutex
	stored []string // paths
	status int      // of the answers
}

func newBucketRig(t *testing.T) *bucketRig {
	t.Helper()
	r := &bucketRig{status: http.StatusOK}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, request *http.Request) {
		body, err := io.ReadAll(request.Body)
		if err != nil || request.Method != http.MethodPut || len(body) == 0 {
			http.Error(w, "want a file", http.StatusBadRequest)
			return
		}
		r.mu.Lock()
		defer r.mu.Unlock()
		if r.status != http.StatusOK {
			w.WriteHeader(r.status)
			_, _ = io.WriteString(w, "<Error><Code>AccessDenied</Code><Message>secret words</Message></Error>")
			return
		}
		r.stored = append(r.stored, request.URL.Path)
	}))
	t.Cleanup(server.Close)
	for name, value := range map[string]string{"AWS_ENDPOINT_URL_S3": server.URL, "AWS_REGION": "us-east-1",
		"AWS_ACCESS_KEY_ID": "x", "AWS_SECRET_ACCESS_KEY": "x"} {
		t.Setenv(name, value)
	}
	return r
}

//nolint:paralleltest // the SDK reads the process's own environment
func TestIngestBucket(t *testing.T) {
	r := newBucketRig(t)
	code, out, errOut := matchbook(t, "", "ingest", filepath.Join(sampleFiles, "invoice.pdf"), filepath.Join(sampleFiles, "scan.jpg"),
		"--bucket", "docs", "--tenant", oneTenant)
	want := "uploaded 2 of 2 files to s3://docs/inbox/" + oneTenant + "/, 0 left out\n" +
		"ingestion starts automatically; files with the same content as earlier ones change nothing\n"
	if code != cli.ExitOK || out != want {
		t.Errorf("exit status %d, got\n%s%s\nwant\n%s", code, out, errOut, want)
	}
	inbox := "/docs/inbox/" + oneTenant
	if want := []string{inbox + "/invoice.pdf", inbox + "/scan.jpg"}; !slices.Equal(r.stored, want) {
		t.Errorf("stored %q, want %q", r.stored, want)
	}
	r.status = http.StatusForbidden
	code, out, errOut = matchbook(t, "", "ingest", sampleFiles, "--bucket", "docs", "--tenant", oneTenant)
	out += errOut
	if code != cli.ExitError || !strings.Contains(out, "uploaded 0 of 11 files") || strings.Contains(out, "secret words") ||
		!strings.Contains(out, "broken.pdf: store the file: S3 denies access") {
		t.Errorf("exit status %d, %s", code, out)
	}
}
