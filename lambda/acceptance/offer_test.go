package acceptance_test

import (
	"errors"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"net/http/httptest"
	"regexp"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"matchbook/lambda/internal/must"
	"matchbook/lambda/local"
	"matchbook/lambda/local/eventsource"
	"matchbook/lambda/local/webhook"
	"matchbook/lambda/manifest"
	"matchbook/lambda/manifest/variable"
	"matchbook/lambda/offer"
	"matchbook/lambda/postgres/offers"

	"github.com/google/uuid"
)

// offerLine is a line with the offer function, at nine o'clock in UTC.
type offerLine struct{ *line }

func newOfferLine(t *testing.T, concurrency int, env ...string) offerLine {
	t.Helper()
	return newOfferLineOf(t, manifest.Offer, concurrency, func(c *local.FunctionConfig) { c.Env = env })
}

func newOfferLineOf(t *testing.T, row manifest.Function, concurrency int, configure func(*local.FunctionConfig)) offerLine {
	t.Helper()
	l := offerLine{newLine(t, concurrency, func(c *local.FunctionConfig) {
		c.Row = row
		configure(c)
	})}
	l.exec("INSERT INTO tenant (id, name) VALUES ($1, 'Testers')", testTenant)
	return l
}

// users inserts n users of a zone, all of whom suit each other.
func (l offerLine) users(n int, zone string) (ids []uuid.UUID) {
	l.t.Helper()
	for i := range n {
		id := uuid.NewSHA1(testTenant, fmt.Append(nil, zone, i))
		l.exec(`INSERT INTO offer_user (id, tenant_id, timezone, profile, preferences, active_at)
			VALUES ($1, $2, $3, '{"interests": ["chess", "tea"]}', '{"interests": {"chess": 3}}', $4)`, id, testTenant, zone, testStart)
		ids = append(ids, id)
	}
	return ids
}

// schedule runs the scheduler once, and returns its report.
func (l offerLine) schedule() string {
	l.t.Helper()
	s := offer.Scheduler{Store: offers.New(l.DB), Sender: l.Queue, Log: slog.New(slog.DiscardHandler)}
	r := must.Get(s.Run(l.t.Context()))(l.t)
	return fmt.Sprintf("%d rosters, %d jobs, %d skipped, %d unsent", r.Rosters, r.Queued, r.TooLate+r.UnknownZone, r.Unsent)
}

// jobs lists the ids of all jobs.
func (l offerLine) jobs() []uuid.UUID {
	return query[[]uuid.UUID](l.line, "SELECT array_agg(id ORDER BY id) FROM matchmaking_job")
}

// sets is all that users were offered, as text. It has no time of the run.
func (l offerLine) sets() string {
	return query[string](l.line, `SELECT string_agg(format('%s %s %s', j.id, j.offers, (SELECT string_agg(o::text, ';' ORDER BY rank)
		FROM offer AS o WHERE (o.tenant_id, o.date, o.user_id) = (j.tenant_id, j.date, j.user_id))), E'\n' ORDER BY j.id)
		FROM matchmaking_job AS j WHERE j.status = 'completed'`)
}

// job describes the job of a user.
func (l offerLine) job(user uuid.UUID) string {
	return query[string](l.line, `SELECT status || ', ' || retry_count || ' retries, ' || coalesce(jsonb_array_length(offers), 0) || ' offers, '
		|| (SELECT count(*) FROM notification WHERE subject_id = j.id) || ' notifications, ' || coalesce(error_message, 'no error')
		FROM matchmaking_job AS j WHERE user_id = $1`, user)
}

// A worker is killed while it stores a set; each message comes twice; two schedulers
// run; users change while jobs wait; completed jobs are published and delivered again.
// Each user has one set, of the roster that was frozen, and it never changes.
func TestOneSetDespiteKills(t *testing.T) {
	t.Parallel()
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	random := rand.New(rand.NewPCG(seed, 0))
	var large atomic.Bool // a batch of the only worker, more than a receive
	whole := newOfferLineOf(t, manifest.Offer, 1, func(c *local.FunctionConfig) {
		c.OnInvocation = func(i eventsource.Invocation) {
			if len(i.MessageIDs) > manifest.MessagesPerCall {
				large.Store(true)
			}
		}
	})
	small := manifest.Offer
	small.BatchSize = 10
	harmed := newOfferLineOf(t, small, 2, func(*local.FunctionConfig) {})
	for _, l := range []offerLine{whole, harmed} {
		l.users(60, "Etc/UTC")
		l.users(60, "Europe/Berlin")
		l.users(5, "America/New_York") // it is four in the morning: the last date is due
	}
	g := whole.gate() // until all are sent
	check(t, "a quiet run", whole.schedule(), "2 rosters, 125 jobs, 0 skipped, 0 unsent")
	g.open()
	whole.finish()
	waitFor(t, "a batch is larger than a receive", large.Load)

	g = harmed.gate()
	check(t, "the run that is harmed", harmed.schedule(), "2 rosters, 125 jobs, 0 skipped, 0 unsent")
	check(t, "a second scheduler", harmed.schedule(), "0 rosters, 0 jobs, 0 skipped, 0 unsent")
	jobs := harmed.jobs()
	for _, i := range random.Perm(len(jobs)) {
		must.OK(t, harmed.Send(t.Context(), jobs[i].String()))
	}
	// More jobs than a batch has are claimed, and both workers stand at the gate: either
	// has sets that are not stored when it is killed.
	waitFor(t, "two workers have jobs, and store sets", func() bool {
		return g.waiting() > 1 && query[int](harmed.line, "SELECT count(*) FROM matchmaking_job WHERE status = 'running'") > small.BatchSize
	})
	if !harmed.Function.Kill(random.IntN) {
		t.Error("no process to kill")
	}
	g.cut()
	harmed.exec(`UPDATE offer_user SET profile = '{"interests": ["go"]}', active = id::text < '8'`)
	g.open()
	harmed.finish()
	want := whole.sets()
	check(t, "completed jobs", strings.Count(want, "\n")+1, 125)
	check(t, "the sets after a kill, as of the roster", harmed.sets(), want)

	harmed.publish(jobs...)
	harmed.finish()
	check(t, "the sets after a rerun", harmed.sets(), want)
	check(t, "duplicates", query[int](harmed.line, `SELECT count(*) - count(DISTINCT (date, user_id, candidate_id)) FROM offer`), 0)
	check(t, "offers in sets and in rows", query[int](harmed.line, `SELECT sum(jsonb_array_length(offers)) FROM matchmaking_job`),
		query[int](harmed.line, `SELECT count(*) FROM offer`))
	if n := query[int](harmed.line, "SELECT count(*) FROM offer"); n < 100 {
		t.Errorf("only %d offers: users who suit each other are offered none", n)
	}
	check(t, "the schedule function", harmed.duplicates(), "0")
	harmed.exec("ALTER TABLE offer DROP CONSTRAINT offer_tenant_id_date_user_id_candidate_id_key")
	harmed.exec(`INSERT INTO offer (id, tenant_id, date, user_id, candidate_id, rank, score, offered_at, expires_at)
		SELECT gen_random_uuid(), tenant_id, date, user_id, candidate_id, rank, score, offered_at, expires_at FROM offer
		WHERE date = '2026-03-02' LIMIT 1`)
	check(t, "the schedule function, with a candidate twice in a set", harmed.duplicates(), "1")
	check(t, "attempts of the one that was killed", query[int](harmed.line, "SELECT max(retry_count) FROM matchmaking_job"), 1)
}

// duplicates runs the schedule function, and returns what it measured.
func (l offerLine) duplicates() string {
	l.t.Helper()
	f, before := l.function(manifest.Schedule), len(l.text.String())
	_, err := f.Invoke(l.t.Context(), []byte(`{}`))
	must.OK(l.t, errors.Join(err, f.Close()))
	found := regexp.MustCompile(`"DuplicateOffers":(\d+)`).FindStringSubmatch(l.text.String()[before:])
	if found == nil {
		l.t.Fatalf("no metric in %s", l.text.String())
	}
	return found[1]
}

// gate makes the transactions wait that store sets.
func (l offerLine) gate() *gate {
	l.exec(`CREATE FUNCTION gate() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
		PERFORM pg_advisory_xact_lock_shared(` + fmt.Sprint(gateLock) + `); RETURN NULL; END $$`)
	l.exec(`CREATE TRIGGER gate AFTER INSERT ON offer FOR EACH STATEMENT EXECUTE FUNCTION gate()`)
	return l.closedGate()
}

// An error of the database is tried again after 30 s, 2 min and 5 min, and is then
// in the dead-letter queue; inconsistent data fails at once. People are sent both,
// and the other jobs of the batch are completed.
func TestOfferRetries(t *testing.T) {
	t.Parallel()
	var slack webhook.Receiver
	server := httptest.NewServer(&slack)
	t.Cleanup(server.Close)
	l := newOfferLine(t, 1, variable.SlackWebhookURL+"="+server.URL+webhook.Path)
	users := l.users(4, "Etc/UTC")
	broken, inconsistent := users[0], users[1]
	l.exec(`UPDATE offer_user SET profile = '{"born": "SECRET"}' WHERE id = $1`, inconsistent)
	l.exec(`CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS $$
		BEGIN RAISE EXCEPTION 'the text of a driver' USING ERRCODE = '57014'; END $$`)
	l.exec(`CREATE TRIGGER refuse BEFORE UPDATE OF offers ON matchmaking_job FOR EACH ROW
		WHEN (NEW.user_id = '` + broken.String() + `' AND NEW.offers IS NOT NULL) EXECUTE FUNCTION refuse()`)
	check(t, "schedule", l.schedule(), "1 rosters, 4 jobs, 0 skipped, 0 unsent")
	l.finish()

	job := func(user uuid.UUID) uuid.UUID {
		return query[uuid.UUID](l.line, "SELECT id FROM matchmaking_job WHERE user_id = $1", user)
	}
	check(t, "messages of an error of the database", l.lastLife(job(broken)),
		"received at 0, received at 30, received at 150, received at 450, moved to DLQ at 450")
	check(t, "its job", l.job(broken), "failed, 3 retries, 0 offers, 1 notifications, store the set: database error (SQLSTATE 57014)")
	check(t, "messages of inconsistent data", l.lastLife(job(inconsistent)), "received at 0, deleted at 0")
	check(t, "its job", l.job(inconsistent), "failed, 0 retries, 0 offers, 1 notifications, "+
		"rank the candidates: unreadable profile of the user: born must be a whole number")
	for _, user := range users[2:] {
		if got := l.job(user); !strings.HasPrefix(got, "completed, 0 retries, ") || !strings.HasSuffix(got, "0 notifications, no error") {
			t.Errorf("its batch-mate: %s", got)
		}
	}
	var sent []string
	for _, m := range slack.Taken() {
		sent = append(sent, string(m.Payload))
	}
	all := strings.Join(sent, "\n")
	for _, user := range []uuid.UUID{broken, inconsistent} {
		if id := job(user).String(); !strings.Contains(all, id) {
			t.Errorf("people were not sent the failure of %s: %s", id, all)
		}
	}
	if slices.ContainsFunc([]string{"SECRET", "the text of a driver"}, func(s string) bool { return strings.Contains(all, s) }) {
		t.Errorf("a value is in %s", all)
	}
}
