package drill

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"sync"
	"time"

	"matchbook/lambda/manifest"
	"matchbook/lambda/manifest/variable"
	"matchbook/lambda/offer"
	"matchbook/lambda/offer/day"
	"matchbook/lambda/offer/ranking"
	"matchbook/lambda/postgres/offers"

	"github.com/google/uuid"
)

// offering is the workload of the offer function: tenants with users in several time zones. The
// schedule function queues their jobs, and a receiver gets the sets.
func offering() *workload {
	return &workload{
		Function: manifest.Offer, workers: 2, portion: 1,
		about:    "user_id",
		contents: []string{"offers"},
		effects:  []effect{{"offer", ""}},
		results:  `SELECT DISTINCT user_id, 'the user', 'has sets' FROM matchmaking_job WHERE status = 'completed'`,
		found:    "users with sets",
		env: func(l *line) []string {
			return []string{variable.OffersWebhookURL + "=" + l.receiver,
				variable.OffersWebhookSecret + "=whsec_ZHJpbGwtZHJpbGwtZHJpbGwtZHJpbGwtZHJpbGwtZHJpbGwt"}
		},
		supply:  (*papers).members,
		publish: (*line).admit,
		checks: []check{{"sets", "a user has one set for each date, as its roster gives it, never changed, and accepted by the receiver",
			(*evidence).composed}},
	}
}

// zones are the zones of users: it is never the same date in all.
var zones = []string{"Etc/UTC", "Europe/Berlin", "Asia/Tokyo", "America/New_York"}

// members creates a tenant with ten users for every tenth document.
func (p *papers) members(documents int) (things []thing) {
	now := time.Now()
	for range max(documents/10, 1) {
		tenant := p.id()
		for i := range 10 {
			p.users[tenant] = append(p.users[tenant], offer.User{ID: p.id(), Tenant: tenant, Zone: zones[i%len(zones)], Active: true,
				ActiveAt: &now, Profile: json.RawMessage(`{"interests": ["chess", "tea"]}`),
				Preferences: json.RawMessage(fmt.Sprintf(`{"interests": {"chess": %d}}`, 1+i%3))})
		}
		things = append(things, thing{id: tenant})
	}
	return things
}

// admit stores the users of tenants, and makes the schedule due.
func (l *line) admit(ctx context.Context, tenants []uuid.UUID) error {
	for _, t := range tenants {
		if _, _, err := offers.New(l.DB).ImportUsers(ctx, l.papers.users[t]); err != nil {
			return err
		}
		l.tasks[1].now.Store(true)
	}
	return nil
}

// deliveries is the receiver of sets. It fails when Slack does.
type deliveries struct {
	broken func() bool
	mu     sync.Mutex
	taken  map[uuid.UUID][]accepted // by job
}

// accepted is an accepted request.
type accepted struct {
	digest [32]byte
	offers int
}

func (d *deliveries) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	id, malformed := uuid.Parse(r.Header.Get("webhook-id"))
	if err != nil || malformed != nil || d.broken() {
		w.WriteHeader(http.StatusServiceUnavailable)
		return
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	d.taken[id] = append(d.taken[id], accepted{sha256.Sum256(body), strings.Count(string(body), `"candidate_id"`)})
}

// set is a job, with what its roster gives and what is stored.
type set struct {
	offer.Record
	want  []ranking.Offer
	Rows  string // candidates in the offer table, by rank
	taken []accepted
}

const (
	datesSQL = `SELECT DISTINCT tenant_id, (date - date 'epoch')::integer FROM matchmaking_job`
	// offeredSQL lists the candidates of each set.
	offeredSQL = `
SELECT j.id, coalesce((SELECT string_agg(candidate_id::text, ' ' ORDER BY rank) FROM offer AS o
	WHERE (o.tenant_id, o.date, o.user_id) = (j.tenant_id, j.date, j.user_id)), '') FROM matchmaking_job AS j`
)

// readSets reads all jobs. It computes from the rosters what the sets must be before it looks at
// them.
func (l *line) readSets(ctx context.Context) (sets []set, err error) {
	var dates []struct {
		Tenant uuid.UUID
		Date   int
	}
	var offered []struct {
		Job        uuid.UUID
		Candidates string
	}
	if err := cmp.Or(read(ctx, l.db, datesSQL, &dates), read(ctx, l.db, offeredSQL, &offered)); err != nil {
		return nil, err
	}
	rows := map[uuid.UUID]string{}
	for _, o := range offered {
		rows[o.Job] = o.Candidates
	}
	rankings := offer.Cache{Rosters: offers.New(l.DB)}
	for _, d := range dates {
		jobs, err := offers.New(l.DB).JobsOf(ctx, d.Tenant, day.Date(d.Date))
		if err != nil {
			return nil, err
		}
		for _, j := range jobs {
			want, err := rankings.Offers(ctx, j.Job)
			if err != nil {
				return nil, err
			}
			sets = append(sets, set{Record: j, want: want, Rows: rows[j.ID], taken: l.sets.taken[j.ID]})
		}
	}
	return sets, nil
}

// composed expects a set for each date from a user's first to the last of the user's zone.
func (e *evidence) composed() {
	dates := map[uuid.UUID][]day.Date{}
	for _, s := range e.sets {
		dates[s.User] = append(dates[s.User], s.Date)
		candidates := make([]string, len(s.want))
		for i, o := range s.want {
			candidates[i] = o.Candidate.String()
		}
		switch {
		case s.Status != "completed":
			e.broken(s.ID, "the set of %s is %s", s.Date, s.Status)
		case fmt.Sprint(s.Offers) != fmt.Sprint(s.want):
			e.broken(s.ID, "the set of %s is %v, but its roster gives %v", s.Date, s.Offers, s.want)
		case s.Rows != strings.Join(candidates, " "):
			e.broken(s.ID, "the offers of %s are %s, but its roster gives %v", s.Date, s.Rows, candidates)
		case len(s.taken) == 0:
			e.broken(s.ID, "the receiver never accepted the set of %s", s.Date)
		}
		for _, a := range s.taken {
			if a != s.taken[0] || a.offers != len(s.want) {
				e.broken(s.ID, "the receiver accepted the set of %s with %d offers, and not always the same", s.Date, a.offers)
			}
		}
		e.composedOnce(s)
	}
	for _, users := range e.papers.users {
		for _, u := range users {
			list := dates[u.ID]
			slices.Sort(list)
			if len(list) == 0 || int(list[len(list)-1]-list[0]) != len(list)-1 || len(slices.Compact(slices.Clone(list))) != len(list) {
				e.broken(u.ID, "the user has sets for %v: expected each date once", list)
			}
		}
	}
}

// composedOnce expects one write of a set.
func (e *evidence) composedOnce(s set) {
	writes := 0
	for _, c := range e.changes[s.ID] {
		if c.Contents {
			writes++
		}
	}
	if writes != 1 {
		e.broken(s.ID, "the set of %s was written %d times", s.Date, writes)
	}
}
