package web

import (
	"context"
	"fmt"
	"log/slog"
	"math"
	"strings"
	"testing"
	"time"

	"matchbook/lambda/internal/must"
	"matchbook/lambda/internal/testenv"
	"matchbook/lambda/job"
	"matchbook/lambda/postgres/postgrestest"
	"matchbook/lambda/postgres/reviews"
	"matchbook/lambda/review"
	"matchbook/lambda/review/record"

	"github.com/chromedp/chromedp"
	"github.com/google/uuid"
)

// stored is a site over a real database, with one review that was started through
// it. The test is its queue: deliver reads what was sent.
type stored struct {
	*site
	url   string
	store *reviews.Store
	started
}

// twoChunks is a contract whose clauses are in its second chunk.
var twoChunks = strings.Repeat("Nothing is agreed here, not even this. ", 150) + "\n\n12. Termination. Either party may " +
	"terminate this Agreement on thirty days' written notice. It renews for further terms of one year."

func newStored(t *testing.T) *stored {
	t.Helper()
	s := &stored{url: postgrestest.URL(t)}
	s.store = reviews.New(postgrestest.Open(t, s.url))
	s.site = newSite(t, func(c *Config) {
		c.Reviews, c.Control, c.Poll = s.store, s.store, 10*time.Millisecond
		c.Starter = &review.Starter{Store: s.store, Sender: c.Sender, Log: c.Log}
	})
	s.started = decoded[started](s.site, s.post(fmt.Sprintf(`{"name":"two.txt","text":%q}`, twoChunks)), 202)
	return s
}

// deliver delivers the messages that were sent until now.
func (s *stored) deliver() {
	s.t.Helper()
	var batch []job.Delivery
	s.change(func() {
		for _, m := range s.sent {
			batch = append(batch, job.Delivery{ID: m.ID, Count: 1, SentAt: time.Now(), PublishedAt: m.PublishedAt})
		}
		s.sent = nil
	})
	log := slog.New(slog.DiscardHandler)
	reviewer := &review.Reviewer{Store: s.store, Sender: s.shelf, Log: log}
	runtime := &job.Runtime{Store: s.store, Work: job.Each(reviewer.Review), Lease: time.Minute, Log: log}
	for _, ended := range runtime.Run(s.t.Context(), batch, quiet{}) {
		if ended.Action != job.Ack {
			s.t.Fatalf("a delivery ended with %+v", ended)
		}
	}
}

// quiet carries out no settlement.
type quiet struct{}

func (quiet) Settle(context.Context, []job.Settled)        {}
func (quiet) Extend(context.Context, []int, time.Duration) {}

func TestHandlerOnPostgres(t *testing.T) {
	t.Parallel()
	s := newStored(t)
	path := "/reviews/" + s.ID.String()
	as := func(method, path string) answer { return s.doAs(s.Token, method, path, "") }
	for _, a := range []answer{
		s.doAs(s.tokens.ForJob(tenantB, s.ID), "GET", path, ""), // signed, but of another tenant
		s.doAs(s.tokens.ForTenant(tenantA, time.Hour), "GET", "/reviews/"+uuid.NewString(), ""),
	} {
		s.body(a, 404)
	}
	if got := decoded[changed](s.site, as("POST", path+"/cancel"), 202); got.Status != record.Cancelled {
		t.Errorf("cancelled: %+v", got)
	}
	v := decoded[view](s.site, as("GET", path), 200)
	if len(v.Unread) != 3 || v.Unread[1].Stage != "cancelled-at-stage-1" || !v.Over || v.Name != "two.txt" {
		t.Errorf("got %+v", v)
	}
	s.deliver() // the messages of before change nothing
	if got := decoded[changed](s.site, as("POST", path+"/retry"), 202); got.Status != record.Running || len(s.sent) != 2 {
		t.Errorf("retried: %+v, sent %v", got, s.sent)
	}
	s.deliver()
	s.deliver() // the contract as a whole
	stream := s.body(as("GET", path+"/events"), 200)
	all := decoded[found](s.site, as("GET", path+"/findings?after=0"), 200)
	for i, f := range all.Findings {
		if f.Seq != i+1 || !strings.Contains(stream, fmt.Sprintf("id: %d\nevent: finding\n", f.Seq)) {
			t.Errorf("finding %d: %+v, in the stream\n%s", i+1, f, stream)
		}
	}
	if len(all.Findings) < 2 || all.Status != record.Completed || strings.Count(stream, "event: end\n") != 1 {
		t.Errorf("found %+v; the stream is\n%s", all, stream)
	}
	if text := s.body(as("GET", path+"/text"), 200); text != twoChunks {
		t.Errorf("the contract is %q", text)
	}
	if report := s.body(as("GET", path+"/report"), 200); !strings.Contains(report, all.Findings[0].Title) {
		t.Errorf("the report is %s", report)
	}
	s.body(as("GET", fmt.Sprint(path, "/findings?after=", math.MaxInt32)), 200)
	s.body(as("GET", fmt.Sprint(path, "/findings?after=", math.MaxInt32+1)), 400)
}

// A chunk fails, and a person lets the review go on: the page strikes through what
// its last step concluded without that chunk.
func TestPageStrikesWithdrawn(t *testing.T) {
	t.Parallel()
	testenv.OnlyThorough(t, "opens a browser once more")
	p, s := newTab(t), newStored(t)
	const fail = "UPDATE review_chunk SET status = 'failed', failed_at = now(), error = 'HTTP 500' WHERE id = $1"
	must.Get(postgrestest.Conn(t, s.url).Exec(t.Context(), fail, s.sent[1].ID))(t)
	s.change(func() { s.sent = s.sent[:1] })
	s.deliver()
	s.deliver()
	p.Run(chromedp.Navigate(s.server.URL + s.Page))
	p.wait(ended + " === 'completed-with-gaps'")
	const missing = "Missing clause: termination (in the parts that were read)"
	names := func(selector string) string { return strings.Join(p.list(selector, "e.textContent"), "; ") }
	if got := names("#findings li:not(.withdrawn) .name"); !strings.Contains(got, missing) {
		t.Errorf("found without the chunk: %s", got)
	}
	p.Run(chromedp.Click("#retry"))
	p.wait("document.getElementById('status').textContent === 'running'")
	s.deliver()
	s.deliver()
	p.wait(ended + " === 'completed'")
	if got := names("#findings li.withdrawn .name"); !strings.Contains(got, missing) {
		t.Errorf("withdrawn: %s", got)
	}
	if got := names("#findings li:not(.withdrawn) .name"); strings.Contains(got, "termination (") ||
		!strings.Contains(got, "governing law") {
		t.Errorf("found in the end: %s", got)
	}
	if got := p.list("mark", "e.textContent"); len(got) == 0 || !strings.Contains(twoChunks, got[0]) {
		t.Errorf("marked: %q", got)
	}
	p.NoErrors()
}
