package notify_test

import (
	"context"
	"encoding/json"
	"errors"
	"math/rand/v2"
	"strings"
	"testing"
	"time"
	"unicode"
	"unicode/utf8"

	"matchbook/lambda/failure"
	"matchbook/lambda/internal/must"
	"matchbook/lambda/notify"
	"matchbook/lambda/notify/notifytest"

	"github.com/google/uuid"
)

func TestText(t *testing.T) {
	t.Parallel()
	for name, m := range notifytest.Messages() {
		notifytest.Golden(t, name+".txt", notify.Text(m))
	}
}

func TestTextsAreLimitedLines(t *testing.T) {
	t.Parallel()
	seed := rand.Uint64()
	r := rand.New(rand.NewPCG(seed, 0))
	for range 150 {
		m := notifytest.Random(r)
		texts := map[string]int{m.Title(): 100, m.Link: 2000}
		for _, f := range m.Facts() {
			texts[f.Name+f.Value] = 300
		}
		for _, f := range m.Failures {
			texts[f.Heading()], texts[f.Error] = 400, failure.MaxText
		}
		for text, limit := range texts {
			if utf8.RuneCountInString(text) > limit ||
				strings.ContainsFunc(text, func(r rune) bool { return !unicode.IsPrint(r) }) {
				t.Fatalf("seed %d: %q is longer than %d or no line", seed, text, limit)
			}
		}
	}
}

func TestPayload(t *testing.T) {
	t.Parallel()
	const payload = `{"document_id":"6ba7b810-9dad-11d1-80b4-00c04fd430c8","tenant_id":"6ba7b811-9dad-11d1-80b4-00c04fd430c8",
		"tenant":"Acme","kind":"permanent","error":"broken","attempts":2,"deliveries":3}`
	var got notify.Failure
	must.OK(t, json.Unmarshal([]byte(payload), &got))
	want := notify.Failure{
		SubjectID: uuid.MustParse("6ba7b810-9dad-11d1-80b4-00c04fd430c8"),
		TenantID:  uuid.MustParse("6ba7b811-9dad-11d1-80b4-00c04fd430c8"),
		Tenant:    "Acme", Kind: "permanent", Error: "broken", Attempts: 2, Deliveries: 3,
	}
	if got != want {
		t.Errorf("got %+v, want %+v", got, want)
	}
}

func TestThrottled(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		attempts, deliveries int
		want                 bool
	}{{3, 3, false}, {1, 3, true}, {0, 1, true}, {4, 3, false}, {2, 0, false}} {
		f := notify.Failure{Attempts: tc.attempts, Deliveries: tc.deliveries}
		if got := f.Throttled(); got != tc.want {
			t.Errorf("%d attempts, %d deliveries: got %v", tc.attempts, tc.deliveries, got)
		}
	}
}

func TestLink(t *testing.T) {
	t.Parallel()
	a, b := failed(1, "permanent", 1500*time.Millisecond), failed(2, "permanent", 0)
	strange := a
	strange.Kind = "a&b=c"
	const document = "/documents/00000000-0000-4000-8000-000000200001"
	for name, tc := range map[string]struct {
		failures []notify.Failure
		base     string
		want     string
	}{
		"one":                {[]notify.Failure{a}, "https://m.example", "https://m.example" + document},
		"a slash at its end": {[]notify.Failure{a}, "https://m.example/", "https://m.example" + document},
		"below a path": {[]notify.Failure{a}, "http://localhost:8080/admin/",
			"http://localhost:8080/admin" + document},
		"a query is dropped": {[]notify.Failure{a}, "https://m.example/x?a=b#c", "https://m.example/x" + document},
		"digest": {[]notify.Failure{a, b}, "https://m.example",
			"https://m.example/documents?matching_status=failed&kind=permanent&since=2026-03-02T10%3A00%3A00Z"},
		"digest, strange": {[]notify.Failure{strange, strange}, "https://m.example",
			"https://m.example/documents?matching_status=failed&kind=a%26b%3Dc&since=2026-03-02T10%3A00%3A01Z"},
		"no base":           {[]notify.Failure{a}, "", ""},
		"no page's address": {[]notify.Failure{a}, "javascript:alert(1)", ""},
		"no host":           {[]notify.Failure{a}, "https:///x", ""},
		"a password":        {[]notify.Failure{a}, "https://u:p@m.example", ""},
		"no address":        {[]notify.Failure{a}, "https://m.example/\n", ""},
		"characters of links": {[]notify.Failure{a}, "https://m.example/<a|b>\"",
			"https://m.example/%3Ca%7Cb%3E%22" + document},
		"endless": {[]notify.Failure{a}, "https://m.example/" + strings.Repeat("x", 2000), ""},
	} {
		if got := notify.Digest(tc.failures, tc.base).Link; got != tc.want {
			t.Errorf("%s: got %q, want %q", name, got, tc.want)
		}
	}
}

func TestDigest(t *testing.T) {
	t.Parallel()
	var failures []notify.Failure
	for n := 20; n > 0; n-- {
		failures = append(failures, failed(n, "lost", time.Duration(n)*time.Second))
	}
	m := notify.Digest(failures, "")
	if m.Kind != "lost" || m.Count != 20 || m.Tenants != 3 || len(m.IDs) != 20 || len(m.Failures) != notify.Listed ||
		m.Rest() != 15 {
		t.Errorf("got %+v", m)
	}
	if !m.Since.Equal(at(time.Second)) || !m.Until.Equal(at(20*time.Second)) {
		t.Errorf("got %v to %v", m.Since, m.Until)
	}
	for i, f := range m.Failures {
		if f.ID != failed(i+1, "", 0).ID {
			t.Errorf("place %d has %v", i, f.ID)
		}
	}
	if failures[0].ID != failed(20, "", 0).ID {
		t.Error("the caller's list was sorted")
	}
}

func TestRecorder(t *testing.T) {
	t.Parallel()
	busy := &failure.Error{Sentence: "busy", RetryAfter: time.Second}
	answers := []struct {
		arrives bool
		err     error
	}{{true, nil}, {false, busy}, {true, busy}}
	calls := 0
	r := &notify.Recorder{Name: "fake", Answer: func(notify.Message) (bool, error) {
		calls++
		return answers[calls-1].arrives, answers[calls-1].err
	}}
	for i, want := range answers {
		if err := r.Send(t.Context(), notify.One(failed(i, "a", 0), "")); !errors.Is(err, want.err) {
			t.Errorf("message %d: got %v, want %v", i, err, want.err)
		}
	}
	stopped, cancel := context.WithCancel(t.Context())
	cancel()
	var e *failure.Error
	if err := r.Send(stopped, notify.Message{}); !errors.As(err, &e) || e.Kind != failure.Transient {
		t.Errorf("stopped: got %v", err)
	}
	sent := r.Sent()
	if len(sent) != 2 || sent[0].IDs[0] != failed(0, "", 0).ID || sent[1].IDs[0] != failed(2, "", 0).ID {
		t.Errorf("got %+v", sent)
	}
	var zero notify.Recorder
	if r.Channel() != "fake" || zero.Channel() != "recorder" || zero.Send(t.Context(), notify.Test(ten, "")) != nil {
		t.Error("the zero value is no recorder")
	}
}

// Failures of two workloads are never in one message, and each names its own.
func TestOneWorkloadPerMessage(t *testing.T) {
	t.Parallel()
	lamp := failed(1, "permanent", 0)
	lamp.Subject = "lamp"
	send, _ := notify.Plan(ten, nil, []notify.Failure{lamp, failed(2, "permanent", 0)}, "https://example.com")
	if len(send) != 2 {
		t.Fatalf("%d messages, want 2: %+v", len(send), send)
	}
	for i, want := range []struct{ title, fact, link string }{
		{"Matching failed: permanent", "Document", "https://example.com/documents/"},
		{"Lamp failed: permanent", "Lamp", ""},
	} {
		m := send[i]
		if m.Title() != want.title || m.Facts()[0].Name != want.fact || !strings.HasPrefix(m.Link, want.link) ||
			(want.link == "") != (m.Link == "") {
			t.Errorf("got %q, %v, link %q; want %+v", m.Title(), m.Facts()[0], m.Link, want)
		}
	}
	if two := notify.Digest([]notify.Failure{lamp, lamp}, ""); two.Title() != "Lamp failed 2 times: permanent" {
		t.Errorf("got %q", two.Title())
	}
	if got, want := lamp.Topic(), "lamp permanent"; got != want {
		t.Errorf("topic %q, want %q", got, want)
	}
}

// Nobody outside knows a chunk: a message names the contract, its page and the command.
func TestWordsOfWorkloads(t *testing.T) {
	t.Parallel()
	for subject, want := range map[string][]string{
		"chunk": {"Reviewing a contract failed: transient", "Contract:   lease.pdf", "https://example.com/documents/",
			"matchbook status ", "Reviewing a contract failed 2 times: transient", ", contract lease.pdf"},
		"ingestion": {"Reading a file failed: transient", "File:       lease.pdf", "https://example.com/documents/", "Reading a file failed 2 times", ", file lease.pdf"},
		"job":       {"Composing match offers failed: transient", "Job:", "Composing match offers failed 2 times", "matchbook status --failed"},
	} {
		f := failed(1, "transient", 0)
		f.Subject = subject
		if subject != "job" {
			f.File, f.Document = "lease.pdf", uuid.New()
		}
		text := notify.Text(notify.One(f, "https://example.com")) + notify.Text(notify.Digest([]notify.Failure{f, f}, "https://example.com"))
		for _, words := range want {
			if !strings.Contains(text, words) {
				t.Errorf("%s: want %q in\n%s", subject, words, text)
			}
		}
		if linked := strings.Contains(text, "/documents/"+f.Document.String()); linked != (subject != "job") {
			t.Errorf("%s: linked %t\n%s", subject, linked, text)
		}
	}
}

// The beginning and the end of an outage concern no row and no tenant.
func TestOutageMessages(t *testing.T) {
	t.Parallel()
	at := time.Date(2026, 3, 2, 10, 0, 5, 0, time.UTC)
	began := notify.Failure{ID: uuid.New(), At: at, Subject: "service", Kind: "outage", Service: "gpt-test", Error: "5 calls in a row failed."}
	over := began
	over.Kind = "outage over"
	want := "Outage: gpt-test\n\n5 calls in a row failed.\n\nService:    gpt-test\nTenants:    all\nNoticed at: 2026-03-02 10:00:05 UTC\n"
	if got := notify.Text(notify.One(began, "https://matchbook.example.com")); got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	two := over
	two.ID, two.Service = uuid.New(), "textract"
	want = "Outage over of 2 services\n\nServices:   2\nTenants:    all\nFirst at:   2026-03-02 10:00:05 UTC\nLast at:    2026-03-02 10:00:05 UTC\n"
	m := notify.Digest([]notify.Failure{over, two}, "")
	if got := notify.Text(m); !strings.HasPrefix(got, want) || !strings.Contains(got, "\n10:00:05 UTC, textract\n    5 calls in a row failed.\n") {
		t.Errorf("got %q", got)
	}
	if began.Topic() == over.Topic() {
		t.Error("the end of an outage waits for its beginning's minute")
	}
}
