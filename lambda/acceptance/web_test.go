package acceptance_test

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"matchbook/lambda/blob"
	"matchbook/lambda/internal/must"
	"matchbook/lambda/job"
	"matchbook/lambda/local"
	"matchbook/lambda/local/lambdahost"
	"matchbook/lambda/manifest"
	"matchbook/lambda/manifest/variable"
	"matchbook/lambda/postgres"
	"matchbook/lambda/postgres/reviews"
	"matchbook/lambda/review"
	"matchbook/lambda/review/web"

	"github.com/google/uuid"
)

const tokenSecret = "a secret of the tests that is long enough"

// counter is the web function behind its URL, and the review function's work,
// which the test does when it wants.
type counter struct {
	*line
	function *lambdahost.Function
	url      string
	token    string // of testTenant
	files    string // the folder of the store of files
}

func newCounter(t *testing.T) *counter {
	t.Helper()
	l := newLineAt(t, time.Time{}, 1, func(c *local.FunctionConfig) {
		c.Row, c.NoMapping = manifest.Review, true
	})
	tokens := must.Get(web.NewTokens(tokenSecret))(t)
	files := t.TempDir()
	f := lambdahost.New(lambdahost.Config{Name: manifest.Web.Name, Bootstrap: bootstrap(t, manifest.Web.Package),
		Env:     append(l.Env(), variable.ReviewTokenSecret+"="+tokenSecret, variable.BlobURL+"="+blob.FolderURL(files)),
		Timeout: manifest.Web.Timeout, MaxConcurrency: 3, Logs: testLog{t}})
	server := httptest.NewServer(f.URL())
	t.Cleanup(func() {
		_ = f.Close() // first: the server waits for its requests
		server.Close()
	})
	return &counter{l, f, server.URL, tokens.ForTenant(testTenant, time.Hour), files}
}

// request makes a request with a token.
func (c *counter) request(token, method, path, body string) *http.Request {
	c.t.Helper()
	r := must.Get(http.NewRequestWithContext(c.t.Context(), method, c.url+path, strings.NewReader(body)))(c.t)
	r.Header.Set("Authorization", "Bearer "+token)
	r.Header.Set("Content-Type", "application/json")
	return r
}

// get sends a request, and returns the body, which must come with this status.
func (c *counter) get(want int, token, method, path, body string) string {
	c.t.Helper()
	r, err := http.DefaultClient.Do(c.request(token, method, path, body))
	must.OK(c.t, err)
	defer r.Body.Close()
	text, err := io.ReadAll(r.Body)
	if err != nil || r.StatusCode != want {
		c.t.Fatalf("%s %s: got %d, %v: %s", method, path, r.StatusCode, err, text)
	}
	return string(text)
}

// json is get for JSON.
func (c *counter) json(to any, want int, token, method, path, body string) {
	c.t.Helper()
	if text := c.get(want, token, method, path, body); json.Unmarshal([]byte(text), to) != nil {
		c.t.Fatalf("%s %s: got %s", method, path, text)
	}
}

// events opens the stream of a review, after a finding.
func (c *counter) events(token, path, after string) *bufio.Scanner {
	c.t.Helper()
	request := c.request(token, "GET", path+"/events", "")
	request.Header.Set("Last-Event-ID", after)
	r, err := http.DefaultClient.Do(request)
	must.OK(c.t, err)
	c.t.Cleanup(func() { r.Body.Close() })
	lines := bufio.NewScanner(r.Body)
	lines.Buffer(nil, 1<<20)
	return lines
}

// read reads these chunks, by rules, as the review function does.
func (c *counter) read(ids ...uuid.UUID) {
	c.t.Helper()
	quiet := slog.New(slog.DiscardHandler)
	reviewer := review.Reviewer{Store: reviews.New(c.DB), Sender: c.Queue, Log: quiet}
	runtime := job.Runtime{Store: c.DB.JobsOf(postgres.Tables[manifest.Review.Name]), Work: job.Each(reviewer.Review),
		Backoff: manifest.Review.Retries, Log: quiet}
	for _, id := range ids {
		delivery := job.Delivery{ID: id, Count: 1, SentAt: time.Now()}
		for _, s := range runtime.Run(c.t.Context(), []job.Delivery{delivery}, noMessages{}) {
			if s.Action != job.Ack {
				c.t.Fatalf("chunk %s: %v", id, s)
			}
		}
	}
}

// follow reads a stream to its end, or until until is true after an event. It
// returns the ids of the findings, and the last event.
func follow(lines *bufio.Scanner, until func(name string) bool) (findings []string, last string) {
	id := ""
	for lines.Scan() {
		name, value, _ := strings.Cut(lines.Text(), ": ")
		switch name {
		case "id":
			id = value
		case "event":
			if last = value; value == "finding" {
				findings = append(findings, id)
			}
		case "data":
			if until(last) {
				return findings, last
			}
		}
	}
	return findings, "cut"
}

// The real function starts a review, streams it, is killed in between, and loses
// nothing.
func TestFindingsStream(t *testing.T) {
	t.Parallel()
	c := newCounter(t)
	var started struct {
		ID    uuid.UUID
		Token string
	}
	body := must.Get(json.Marshal(map[string]any{"name": "Wartungsvertrag", "text": sampleContract(t)}))(t)
	c.json(&started, http.StatusAccepted, c.token, "POST", "/reviews", string(body))
	chunks, err := reviews.New(c.DB).Chunks(t.Context(), started.ID)
	if err != nil || len(chunks) < 4 {
		t.Fatalf("%d chunks, %v", len(chunks), err)
	}
	text := len(chunks) - 1
	if queue, _ := c.Stats(); queue.Visible != text {
		t.Errorf("%d messages, want %d", queue.Visible, text)
	}
	path := "/reviews/" + started.ID.String()

	stream := c.events(started.Token, path, "")
	half, got := text/2, 0
	for _, chunk := range chunks[:half] {
		c.read(chunk.ID)
	}
	stored, err := reviews.New(c.DB).Job(t.Context(), started.ID)
	if err != nil || stored.Findings == 0 {
		t.Fatalf("%d findings, %v", stored.Findings, err)
	}
	before, _ := follow(stream, func(name string) bool {
		if name == "finding" {
			got++
		}
		return got == stored.Findings
	})
	if !c.function.Kill(nil) {
		t.Fatal("no process streams")
	}
	if _, last := follow(stream, func(string) bool { return false }); last != "cut" {
		t.Errorf("the stream of a dead process ended with %s", last)
	}

	again := c.events(started.Token, path, before[len(before)-1])
	for _, chunk := range chunks[half:] {
		c.read(chunk.ID)
	}
	after, last := follow(again, func(name string) bool { return name == "end" })
	if stored, err = reviews.New(c.DB).Job(t.Context(), started.ID); err != nil || last != "end" {
		t.Fatalf("ended with %s, %v", last, err)
	}
	var want []string
	for i := range stored.Findings {
		want = append(want, fmt.Sprint(i+1))
	}
	if all := fmt.Sprint(append(before, after...)); all != fmt.Sprint(want) || len(after) == 0 {
		t.Errorf("findings %s, want %v", all, want)
	}
	var shown struct{ Status string }
	c.json(&shown, http.StatusOK, started.Token, "GET", path, "")
	if shown.Status != "completed" {
		t.Errorf("the review is %s", shown.Status)
	}
	if report := c.get(http.StatusOK, started.Token, "GET", path+"/report", ""); !strings.Contains(report, "Wartungsvertrag") {
		t.Errorf("the report: %.200s", report)
	}
}

// Cancelling through the URL stops the review; a retry lets it go on.
func TestCancelAndRetryByURL(t *testing.T) {
	t.Parallel()
	c := newCounter(t)
	var started struct {
		ID    uuid.UUID
		Token string
	}
	body := must.Get(json.Marshal(map[string]any{"text": sampleContract(t)}))(t)
	c.json(&started, http.StatusAccepted, c.token, "POST", "/reviews", string(body))
	path := "/reviews/" + started.ID.String()
	var changed struct{ Status string }
	c.json(&changed, http.StatusAccepted, started.Token, "POST", path+"/cancel", "")
	_, last := follow(c.events(started.Token, path, ""), func(name string) bool { return name == "end" })
	if last != "end" || changed.Status != "cancelled" {
		t.Errorf("cancelled: %s, the stream ended with %s", changed.Status, last)
	}
	before, _ := c.Stats()
	c.json(&changed, http.StatusAccepted, started.Token, "POST", path+"/retry", "")
	if after, _ := c.Stats(); changed.Status != "running" || after.Visible != 2*before.Visible {
		t.Errorf("goes on as %s, %d messages after %d", changed.Status, after.Visible, before.Visible)
	}
}

// sampleContract returns a contract of several chunks.
func sampleContract(t *testing.T) string {
	t.Helper()
	return strings.Repeat(testdata(t, "contracts/wartungsvertrag.txt")+"\n\n", 5)
}

// noMessages is a queue without messages: the test hands out the work.
type noMessages struct{}

func (noMessages) Settle(context.Context, []job.Settled)        {}
func (noMessages) Extend(context.Context, []int, time.Duration) {}
