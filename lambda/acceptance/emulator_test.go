package acceptance_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"matchbook/lambda/blob"
	"matchbook/lambda/document"
	"matchbook/lambda/internal/must"
	"matchbook/lambda/internal/testenv"
	"matchbook/lambda/local"
	"matchbook/lambda/local/eventsource"
	"matchbook/lambda/local/sqs"
	"matchbook/lambda/manifest"
	"matchbook/lambda/manifest/variable"
	"matchbook/lambda/postgres"
	"matchbook/lambda/postgres/postgrestest"
	"matchbook/lambda/postgres/reviews"
	"matchbook/lambda/review"
	"matchbook/lambda/review/chunk"

	"github.com/google/uuid"
)

// emulatorVersion is a commit of AWS's Runtime Interface Emulator, which has no other versions
// at the module proxy.
const emulatorVersion = "github.com/aws/aws-lambda-runtime-interface-emulator/cmd/aws-lambda-rie@v0.0.0-20261030222936-bef5c4ba774d"

var emulatorProgram = sync.OnceValues(func() (string, error) {
	cmd := exec.Command("go", "install", emulatorVersion)
	cmd.Env = append(os.Environ(), "GOBIN="+builds, "CGO_ENABLED=0")
	out, err := cmd.CombinedOutput()
	_, _ = os.Stderr.Write(out)
	return filepath.Join(builds, "aws-lambda-rie"), err
})

// emulator is a bootstrap in AWS's Runtime Interface Emulator, which the base images for
// functions and sam local contain.
type emulator struct {
	t   *testing.T
	url string
}

// emulate starts the bootstrap of a package with these variables. It ends with the test.
func emulate(t *testing.T, pkg string, timeout time.Duration, logs io.Writer, env ...string) emulator {
	t.Helper()
	port, api, file := freePort(t), freePort(t), bootstrap(t, pkg)
	cmd := exec.CommandContext(t.Context(), must.Get(emulatorProgram())(t), "--log-level", "error",
		"--runtime-interface-emulator-address", "127.0.0.1:"+port, "--runtime-api-address", "127.0.0.1:"+api, file)
	cmd.Env = append([]string{"PATH=" + os.Getenv("PATH"), "HOME=" + t.TempDir(), "TMPDIR=" + t.TempDir(), "TZ=:UTC",
		"AWS_REGION=" + sqs.Region, "AWS_ACCESS_KEY_ID=local", "AWS_SECRET_ACCESS_KEY=local",
		fmt.Sprint("AWS_LAMBDA_FUNCTION_TIMEOUT=", int(timeout.Seconds()))}, env...)
	cmd.Dir, cmd.Stdout, cmd.Stderr, cmd.WaitDelay = filepath.Dir(file), logs, logs, time.Second
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	must.OK(t, cmd.Start())
	t.Cleanup(func() {
		_ = syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) // the bootstrap, too
		_ = cmd.Wait()
	})
	for _, at := range []string{port, api} { // an invocation starts the bootstrap, which needs the second
		waitFor(t, "the emulator listens", func() bool {
			conn, err := net.Dial("tcp", "127.0.0.1:"+at)
			if err == nil {
				_ = conn.Close()
			}
			return err == nil
		})
	}
	return emulator{t, "http://127.0.0.1:" + port + "/2015-03-31/functions/function/invocations"}
}

// Invoke returns the function's response.
func (e emulator) Invoke(ctx context.Context, payload []byte) ([]byte, error) {
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, e.url, bytes.NewReader(payload))
	if err != nil {
		return nil, err
	}
	response, err := http.DefaultClient.Do(r)
	if err != nil {
		return nil, err
	}
	defer response.Body.Close()
	return io.ReadAll(response.Body)
}

// answer returns the function's response as text.
func (e emulator) answer(payload string) string {
	e.t.Helper()
	return string(must.Get(e.Invoke(e.t.Context(), []byte(payload)))(e.t))
}

// emulated is a line whose functions all run in the emulator, behind mappings and queues.
type emulated struct {
	offerLine
	env   []string
	files string
}

func newEmulated(t *testing.T) *emulated {
	t.Helper()
	e := &emulated{files: t.TempDir()}
	e.line = newStage(t)
	c := local.StackConfig{FrozenAt: testStart, OnEvent: e.add}
	for _, row := range []manifest.Function{manifest.Match, manifest.Inbox, manifest.Ingest, manifest.Review, manifest.Offer} {
		c.Functions = append(c.Functions, local.FunctionConfig{Row: row, NoMapping: true,
			Env: []string{variable.BlobURL + "=" + blob.FolderURL(e.files)}})
	}
	e.start(c)
	e.env = e.Env()
	for i, w := range e.Consumers {
		row := c.Functions[i].Row
		function := emulate(t, row.Package, row.Timeout, e.output(), w.Env()...)
		mapping := eventsource.New(eventsource.Config{QueueURL: w.Queue.URL, QueueARN: w.Queue.ARN, Region: sqs.Region,
			BatchSize: row.BatchSize, Client: w.Queue.Client, Invoke: function.Invoke})
		ctx, cancel := context.WithCancel(t.Context())
		ran := make(chan struct{})
		go func() { defer close(ran); _ = mapping.Run(ctx) }()
		t.Cleanup(func() { cancel(); <-ran })
	}
	return e
}

// reached waits until a query returns this text.
func (e *emulated) reached(want, sql string, args ...any) {
	e.t.Helper()
	waitFor(e.t, want, func() bool { return query[string](e.line, sql, args...) == want })
}

// Every function succeeds in AWS's own emulator: a file comes in and is matched, a contract is
// read, offers are made, and both pages, the sweep and the migration answer.
func TestEmulatorRunsAll(t *testing.T) {
	testenv.OnlyThorough(t, "builds AWS's emulator")
	t.Parallel()
	e := newEmulated(t)

	for name, file := range map[string]string{"order.xml": "order-4711.xml", "invoice.pdf": "invoice-with-xml.pdf"} {
		(&office{line: e.line, files: e.files}).store(inInbox(name), sampleFile(t, file))
		must.OK(t, e.Consumers[1].Send(t.Context(), s3Event("Put", inInbox(name), "")))
	}
	e.reached("PO-2026-4711 RE-2026-118", `SELECT coalesce(string_agg(d.structured_data ->> 'number', ' ' ORDER BY d.structured_data ->> 'number'), '')
		FROM document_match JOIN document AS d ON d.id IN (document_a_id, document_b_id)`)

	text, _ := sample(t, "wartungsvertrag.txt")
	starter := review.Starter{Store: reviews.New(e.DB), Sender: e.Consumers[3].Queue, Log: slog.New(slog.DiscardHandler)}
	contract := must.Get(starter.Start(t.Context(), review.Request{TenantID: testTenant, Name: "contract",
		Text: must.Get(chunk.Clean([]byte(text)))(t)}))(t)
	e.reached("completed", "SELECT status FROM review_job WHERE id = $1", contract)

	e.exec("INSERT INTO tenant (id, name) VALUES ($1, 'Testers') ON CONFLICT DO NOTHING", testTenant)
	e.users(8, "UTC")
	schedule := emulate(t, manifest.Schedule.Package, manifest.Schedule.Timeout, e.output(),
		append(e.env, variable.QueueURL+"="+e.Consumers[4].Queue.URL)...)
	if report := schedule.answer("{}"); !strings.Contains(report, `"queued":8`) {
		t.Errorf("schedule: %s", report)
	}
	e.reached("completed 8", "SELECT coalesce(string_agg(DISTINCT status, ' '), '') || ' ' || count(*) FROM matchmaking_job WHERE status = 'completed'")

	sweep := emulate(t, manifest.Sweep.Package, manifest.Sweep.Timeout, e.output(), e.env...)
	check(t, "sweep", sweep.answer("{}"), `{"overdue":0,"backlog":0,"inserted":0,"recovered":0,"republished":0,"lost":0,"crashed":0}`)
	migrate := emulate(t, manifest.Migrate.Package, manifest.Migrate.Timeout, e.output(), variable.DatabaseURL+"="+postgrestest.EmptyURL(t))
	check(t, "migrate, twice", strings.Contains(migrate.answer("{}"), `"version":1,`), true)
	check(t, "migrate, twice", migrate.answer("{}"), `{"applied":[]}`)

	console := emulate(t, manifest.Console.Package, manifest.Console.Timeout, e.output(), append(e.env,
		variable.OIDCIssuer+"=https://127.0.0.1:1", variable.OIDCClientID+"=console", variable.AdminBaseURL+"=https://console.example")...)
	web := emulate(t, manifest.Web.Package, manifest.Web.Timeout, e.output(), append(e.env, variable.ReviewTokenSecret+"="+tokenSecret,
		variable.BlobURL+"="+blob.FolderURL(e.files))...)
	const request = `{"version":"2.0","rawPath":"/documents","headers":{"accept":"text/html"},"requestContext":{"domainName":"matchbook.example","http":{"method":"GET","path":"/documents"}}}`
	check(t, "console without a session", strings.Contains(console.answer(request), `"statusCode":401`), true)
	check(t, "web: no such page", strings.Contains(web.answer(request), `"statusCode":404`), true)
}

// The sample events get the answers that their page lists, and their documents are matched.
func TestEmulatorSampleEvents(t *testing.T) {
	testenv.OnlyThorough(t, "builds AWS's emulator")
	t.Parallel()
	l := newLineAt(t, testStart, 1, func(c *local.FunctionConfig) { c.NoMapping = true })
	var docs []postgres.Imported
	for _, name := range []string{"2026-03-02-purchase-order-4500000101", "2026-03-12-invoice-RE-2026-1187"} {
		var d struct {
			ID       uuid.UUID
			TenantID uuid.UUID `json:"tenant_id"`
			Type     document.Type
			Data     json.RawMessage `json:"structured_data"`
		}
		must.OK(t, json.Unmarshal([]byte(testdata(t, "documents/nimmerholz/"+name+".json")), &d))
		docs = append(docs, postgres.Imported{ID: d.ID, TenantID: d.TenantID, Type: d.Type, Data: d.Data})
	}
	must.Get(l.DB.Add(t.Context(), docs, postgres.AddOptions{Send: true}))(t)
	function := emulate(t, manifest.Match.Package, manifest.Match.Timeout, l.output(), l.Env()...)
	const succeeded = `{"batchItemFailures":[]}`
	for name, want := range map[string]string{
		"one-document.json": succeeded, "batch-with-poison-body.json": succeeded, "third-delivery.json": succeeded, "empty-batch.json": succeeded,
		"not-sqs.json": `{"errorMessage":"expected an SQS event: missing Records","errorType":"errorString"}`,
	} {
		check(t, name, function.answer(testdata(t, "events/"+name)), want)
	}
	l.wantAtOnce(docs[0].ID, docs[1].ID)
}
