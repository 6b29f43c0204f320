package bootstrap

import (
	"archive/zip"
	"bytes"
	"maps"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"matchbook/infra/settings"
)

// BenchmarkStart builds each function for this machine as it is deployed, beside a
// bare handler, and starts it until its first request to the Lambda Runtime API: cpu-ms is the
// processor time of a start, peak-MB the memory then. MB and zip-MB are the sizes
// of the program for ARM.
func BenchmarkStart(b *testing.B) {
	packages := settings.ManifestFacts().Packages(settings.Config{ReviewURL: true, Console: settings.OIDC})
	packages["bare"] = "./infra/bootstrap/testdata/bare"
	for _, name := range slices.Sorted(maps.Keys(packages)) {
		b.Run(name, func(b *testing.B) {
			dir := b.TempDir()
			for _, arch := range []string{"arm64", runtime.GOARCH} {
				if err := build(b.Context(), root, filepath.Join(dir, arch), packages[name], arch); err != nil {
					b.Fatal(err)
				}
			}
			var used time.Duration
			var peak float64
			for b.Loop() {
				cpu, mb := start(b, filepath.Join(dir, runtime.GOARCH, "bootstrap"))
				used, peak = used+cpu, max(peak, mb)
			}
			b.ReportMetric(float64(used.Microseconds())/1e3/float64(b.N), "cpu-ms")
			b.ReportMetric(peak, "peak-MB")
			size, zipped := sizes(b, filepath.Join(dir, "arm64", "bootstrap"))
			b.ReportMetric(size, "MB")
			b.ReportMetric(zipped, "zip-MB")
		})
	}
}

// environment is complete for each of the functions.
var environment = []string{
	"AWS_REGION=eu-central-1", "AWS_ACCESS_KEY_ID=none", "AWS_SECRET_ACCESS_KEY=none", "MATCH_MODE=rules",
	"DATABASE_URL=postgres://user@127.0.0.1:1/none", "BLOB_URL=s3://bucket", "OCR=none",
	"QUEUE_URL=https://sqs.eu-central-1.amazonaws.com/000000000000/own",
	"MATCH_QUEUE_URL=https://sqs.eu-central-1.amazonaws.com/000000000000/match",
	"INGEST_QUEUE_URL=https://sqs.eu-central-1.amazonaws.com/000000000000/ingest",
	"REVIEW_QUEUE_URL=https://sqs.eu-central-1.amazonaws.com/000000000000/review",
	"OFFER_QUEUE_URL=https://sqs.eu-central-1.amazonaws.com/000000000000/offer",
	"REVIEW_TOKEN_SECRET=0123456789abcdef0123456789abcdef",
	"OIDC_ISSUER=https://127.0.0.1:1", "OIDC_CLIENT_ID=console", "ADMIN_BASE_URL=https://console.example",
}

// start starts a function, and ends it at its first request for an event.
func start(b *testing.B, program string) (cpu time.Duration, peakMB float64) {
	b.Helper()
	ready := make(chan bool, 1)
	api := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		ready <- strings.HasSuffix(r.URL.Path, "/next")
		<-r.Context().Done()
	}))
	defer api.Close()
	var logs bytes.Buffer
	cmd := exec.CommandContext(b.Context(), program)
	cmd.Env = append(slices.Clone(environment), "AWS_LAMBDA_RUNTIME_API="+strings.TrimPrefix(api.URL, "http://"))
	cmd.Stdout, cmd.Stderr = &logs, &logs
	if err := cmd.Start(); err != nil {
		b.Fatal(err)
	}
	ended := make(chan struct{})
	go func() { _ = cmd.Wait(); close(ended) }() // it is killed below
	var event bool
	select {
	case event = <-ready:
	case <-ended:
	}
	status, _ := os.ReadFile(filepath.Join("/proc", strconv.Itoa(cmd.Process.Pid), "status")) // Linux only
	_ = cmd.Process.Kill()
	<-ended
	if !event {
		b.Fatalf("it ended without a request for an event:\n%s", logs.String())
	}
	if found := regexp.MustCompile(`VmHWM:\s*(\d+) kB`).FindSubmatch(status); found != nil {
		kb, _ := strconv.Atoi(string(found[1]))
		peakMB = float64(kb) / (1 << 10)
	}
	return cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime(), peakMB
}

// sizes returns the size of a program, and of an archive with it, in MB.
func sizes(b *testing.B, program string) (plain, zipped float64) {
	b.Helper()
	content, err := os.ReadFile(program)
	if err != nil {
		b.Fatal(err)
	}
	var packed bytes.Buffer
	archive := zip.NewWriter(&packed)
	entry, err := archive.Create("bootstrap")
	if err == nil {
		_, err = entry.Write(content)
	}
	if err == nil {
		err = archive.Close()
	}
	if err != nil {
		b.Fatal(err)
	}
	const mb = 1e6
	return float64(len(content)) / mb, float64(packed.Len()) / mb
}
