package acceptance_test

import (
	"io"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"matchbook/lambda/internal/must"
	"matchbook/lambda/manifest/variable"
	"matchbook/lambda/postgres/offers"

	"github.com/google/uuid"
	standardwebhooks "github.com/standard-webhooks/standard-webhooks/libraries/go"
)

// hookSecret is the base64 of SECRET-KEY-OF-SIGNATURES.
const hookSecret = "whsec_U0VDUkVULUtFWS1PRi1TSUdOQVRVUkVT"

// receiver gets sets, and may be down, or hold its answers back.
type receiver struct {
	t      *testing.T
	url    string
	hold   chan struct{} // answers wait until it is closed
	asking chan struct{} // gets an entry for each request, as long as there is room

	mu     sync.Mutex
	up     bool
	asked  int
	taken  map[uuid.UUID]int
	bodies map[uuid.UUID]string
}

func newReceiver(t *testing.T, up bool) *receiver {
	t.Helper()
	r := &receiver{t: t, up: up, hold: make(chan struct{}), asking: make(chan struct{}, 1),
		taken: map[uuid.UUID]int{}, bodies: map[uuid.UUID]string{}}
	server := httptest.NewServer(r)
	t.Cleanup(server.Close)
	r.url = server.URL + "/SECRET-PATH"
	return r
}

func (r *receiver) env() []string {
	return []string{variable.OffersWebhookURL + "=" + r.url, variable.OffersWebhookSecret + "=" + hookSecret}
}

func (r *receiver) ServeHTTP(w http.ResponseWriter, req *http.Request) {
	body, err := io.ReadAll(req.Body)
	id, _ := uuid.Parse(req.Header.Get(standardwebhooks.HeaderWebhookID))
	if wrong := must.Get(standardwebhooks.NewWebhook(hookSecret))(r.t).Verify(body, req.Header); err != nil || wrong != nil {
		r.t.Errorf("job %s: %v, %v", id, err, wrong)
	}
	if !r.take(id, string(body)) {
		http.Error(w, "SECRET-ANSWER", http.StatusServiceUnavailable)
		return
	}
	select {
	case r.asking <- struct{}{}:
	default:
	}
	<-r.hold
}

// take takes a set if the receiver is up.
func (r *receiver) take(id uuid.UUID, body string) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.asked++
	if known, ok := r.bodies[id]; ok && known != body {
		r.t.Errorf("job %s was sent as\n%s\nand as\n%s", id, known, body)
	}
	r.bodies[id] = body
	if r.up {
		r.taken[id]++
	}
	return r.up
}

func (r *receiver) repair() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.up = true
}

func (r *receiver) counts() (sets, most, asked int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, n := range r.taken {
		most = max(most, n)
	}
	return len(r.taken), most, r.asked
}

// sent compares the sets that the receiver has with the stored ones.
func (l offerLine) sent(r *receiver) {
	l.t.Helper()
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, id := range l.jobs() {
		offers := query[int](l.line, "SELECT jsonb_array_length(offers) FROM matchmaking_job WHERE id = $1", id)
		if n := strings.Count(r.bodies[id], `"candidate_id"`); r.taken[id] == 0 || n != offers {
			l.t.Errorf("job %s of %d offers was sent %d times: %s", id, offers, r.taken[id], r.bodies[id])
		}
	}
}

// While the receiver is down all sets are composed, and it gets few requests. The sweep
// sends the sets when it is up: each once, as it is stored. No log has a secret.
func TestReceiverDown(t *testing.T) {
	t.Parallel()
	r := newReceiver(t, false)
	close(r.hold)
	l := newOfferLine(t, 1, r.env()...)
	l.users(60, "Etc/UTC")
	check(t, "schedule", l.schedule(), "1 rosters, 60 jobs, 0 skipped, 0 unsent")
	l.finish()
	check(t, "completed", query[int](l.line, "SELECT count(*) FROM matchmaking_job WHERE status = 'completed'"), 60)
	if sets, _, asked := r.counts(); sets != 0 || asked == 0 || asked > 30 {
		t.Errorf("%d sets by %d requests, want none by the 16 of one round, or a few more if this takes minutes", sets, asked)
	}
	if n, _, err := offers.New(l.DB).Undelivered(t.Context()); n != 60 || err != nil {
		t.Errorf("%d undelivered, %v", n, err)
	}
	r.repair()
	must.OK(t, l.Advance(t.Context(), 30*time.Second))
	for range 2 {
		l.sweepFunction()
	}
	if sets, most, _ := r.counts(); sets != 60 || most != 1 {
		t.Errorf("%d sets, one %d times, want each of 60 once", sets, most)
	}
	l.sent(r)
	for _, secret := range []string{"SECRET", r.url} {
		if strings.Contains(l.text.String(), secret) {
			t.Errorf("the log shows %q", secret)
		}
	}
	if !strings.Contains(l.text.String(), "receiver failed (HTTP 503)") {
		t.Error("no log shows that the receiver was down")
	}
}

// A worker that is killed between the request and its record leaves sets that the
// receiver has: they come again, with the same key and the same bytes.
func TestKilledSender(t *testing.T) {
	t.Parallel()
	r := newReceiver(t, true)
	l := newOfferLine(t, 1, r.env()...)
	l.users(8, "Etc/UTC")
	check(t, "schedule", l.schedule(), "1 rosters, 8 jobs, 0 skipped, 0 unsent")
	<-r.asking
	if !l.Function.Kill(rand.IntN) {
		t.Error("no process to kill")
	}
	before, _, _ := r.counts()
	close(r.hold)
	l.finish()
	must.OK(t, l.Advance(t.Context(), time.Minute))
	l.sweepFunction()
	sets, most, asked := r.counts()
	if before == 0 || sets != 8 || most != 2 || asked <= 8 {
		t.Errorf("%d sets before the kill; then %d by %d requests, one %d times", before, sets, asked, most)
	}
	l.sent(r)
	if n, _, err := offers.New(l.DB).Undelivered(t.Context()); n != 0 || err != nil {
		t.Errorf("%d undelivered, %v", n, err)
	}
}
