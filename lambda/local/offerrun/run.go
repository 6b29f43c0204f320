// Package offerrun runs a folder of users through the stack of the offer function. It also
// presents match offers to people: the sets of a date, its state, and the result of publishing
// jobs again.
package offerrun

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"math/rand/v2"
	"slices"
	"time"

	"matchbook/lambda/cli/term"
	"matchbook/lambda/failure"
	"matchbook/lambda/internal/plural"
	"matchbook/lambda/local"
	"matchbook/lambda/local/database"
	"matchbook/lambda/local/matchrun"
	"matchbook/lambda/manifest"
	"matchbook/lambda/offer"
	"matchbook/lambda/offer/day"
	"matchbook/lambda/offer/roster"
	"matchbook/lambda/postgres/offers"
	"matchbook/lambda/postgres/report"
	"matchbook/lambda/setup"

	"github.com/google/uuid"
)

// Options are the options of a run.
type Options struct {
	Date      string // empty means today in UTC
	Deliver   bool   // send the sets to the configured receiver
	JSON      bool   // print the result as JSON
	KillEvery time.Duration
	Seed      uint64 // of the kills; 0 draws one
	Logs      string // file for the logs of function and scheduler; "-" is the meter, empty discards them
	Database  database.Choice
}

// Run composes the sets of a date for the users of a folder, prints them, and reports whether
// all succeeded.
func (o Options) Run(ctx context.Context, dir string, env setup.Env, out io.Writer, m *term.Meter) (
	succeeded bool, err error,
) {
	date := day.Of(time.Now().UTC())
	if o.Date != "" {
		if date, err = day.Parse(o.Date); err != nil {
			return false, fmt.Errorf("--date: %w", err)
		}
	}
	f, err := readFolder(dir)
	if err != nil {
		return false, err
	}
	m.Say("%s read from %s, %d malformed", plural.Of(len(f.users), "user", "users"), dir, len(f.problems))
	to, err := newReceiver(env, o.Deliver, m)
	if err != nil {
		return false, err
	}
	r := &run{Session: local.Session{Progress: m, LogFile: o.Logs}, Options: o, folder: f, date: date, receiver: to}
	defer func() { err = errors.Join(err, r.Close()) }()
	if err := r.Open(ctx, o.Database, env, r.configure, manifest.Offer); err != nil {
		return false, err
	}
	result, err := r.do(ctx)
	if err != nil {
		return false, err
	}
	return result.Succeeded(), term.Print(out, result, o.JSON)
}

// run is a run for one date.
type run struct {
	local.Session
	Options
	folder   *folder
	date     day.Date
	tenants  []uuid.UUID
	receiver *receiver
	chosen   map[uuid.UUID]roster.Settings // a tenant without has the defaults
}

// configure freezes the clock between jumps. It starts when the date first becomes due
// anywhere: at the beginning of the date in the easternmost time zone, for any delivery hour.
func (r *run) configure(context.Context) (local.StackConfig, error) {
	return local.StackConfig{FrozenAt: r.date.Time().Add(-easternmost),
		Functions: []local.FunctionConfig{r.receiver.function()}}, nil
}

// easternmost is an upper bound for a time zone's offset from UTC.
const easternmost = 15 * time.Hour

// do stores the users, lets the date become due in each of their time zones, waits until each
// job has ended, and reads the result.
func (r *run) do(ctx context.Context) (*Result, error) {
	if err := r.load(ctx); err != nil {
		return nil, err
	}
	defer r.killing(ctx)()
	defer r.Watch(ctx, r.standing)()
	if err := r.queue(ctx); err != nil {
		return nil, err
	}
	if err := r.Drain(ctx, r.standing); err != nil {
		return nil, err
	}
	sent, err := r.deliver(ctx)
	if err != nil {
		return nil, err
	}
	result, err := r.result(ctx)
	if err == nil {
		result.Delivery = sent
	}
	return result, err
}

// killing kills the function repeatedly until stop is called.
func (r *run) killing(ctx context.Context) (stop func()) {
	for r.Seed == 0 {
		r.Seed = rand.Uint64() >> 32
	}
	kills := r.Kill(ctx, r.KillEvery, r.Seed)
	return func() {
		if n := kills(); r.KillEvery > 0 {
			r.Progress.Say("the function was killed %s", plural.Of(n, "time", "times"))
		}
	}
}

// load stores the users. Users refused by the database are reported as malformed, and the
// others are still stored.
func (r *run) load(ctx context.Context) error {
	changed := 0
	for users := range slices.Chunk(r.folder.users, matchrun.Chunk) {
		n, others, err := offers.New(r.Stack.DB).ImportUsers(ctx, users)
		if err != nil {
			if n, others, err = r.loadEach(ctx, users); err != nil {
				return err
			}
		}
		changed += n
		for _, id := range others {
			r.folder.refuseUser(id, "duplicate id: it belongs to a user of another tenant")
		}
	}
	for _, u := range r.folder.users {
		r.tenants = append(r.tenants, u.Tenant)
	}
	slices.SortFunc(r.tenants, func(a, b uuid.UUID) int { return slices.Compare(a[:], b[:]) })
	r.tenants = slices.Compact(r.tenants)
	r.Progress.Say("%d of them stored, the others were already there", changed)
	return nil
}

func (r *run) loadEach(ctx context.Context, users []offer.User) (changed int, others []uuid.UUID, err error) {
	for _, u := range slices.Clone(users) {
		n, other, err := offers.New(r.Stack.DB).ImportUsers(ctx, []offer.User{u})
		switch {
		case ctx.Err() != nil:
			return 0, nil, ctx.Err()
		case err != nil && failure.Of(err).Kind != failure.Permanent:
			return 0, nil, err
		case err != nil:
			r.folder.refuseUser(u.ID, failure.Of(err).Text)
		}
		changed, others = changed+n, append(others, other...)
	}
	return changed, others, nil
}

// queue advances the clock to the due instant of each time zone in turn, and runs the
// scheduler.
func (r *run) queue(ctx context.Context) error {
	chosen, err := offers.New(r.Stack.DB).Settings(ctx)
	if err != nil {
		return err
	}
	r.chosen = chosen
	store := oneDate{offers.New(r.Stack.DB), r.date, r.tenants, chosen}
	scheduler := &offer.Scheduler{Store: store, Sender: r.Stack.Queue, Log: slog.New(slog.NewTextHandler(r.Session.Logs, nil))}
	due, err := store.due(ctx)
	if err != nil {
		return err
	}
	for _, at := range due {
		if err := r.Stack.WaitIdle(ctx); err != nil { // a jump would end the visibility of running work
			return err
		}
		now, err := store.Now(ctx)
		if err != nil {
			return err
		}
		if at.After(now) {
			if err := r.Stack.Advance(ctx, at.Sub(now)); err != nil {
				return err
			}
		}
		if _, err := scheduler.Run(ctx); err != nil {
			return err
		}
	}
	return nil
}

func (r *run) standing(ctx context.Context) (unfinished int, line string, err error) {
	states, err := report.From(r.Stack.DB).OfferProgress(ctx, r.date, r.tenants)
	return states["pending"] + states["running"], fmt.Sprintf("%d sets completed, %d failed, %d running, %d waiting",
		states["completed"], states["failed"], states["running"], states["pending"]), err
}

// oneDate limits the scheduler to the users of some tenants waiting for one date, once it is
// due. The limit is needed because the next date becomes due in the east before this one does
// in the west.
type oneDate struct {
	offer.ScheduleStore
	date    day.Date
	tenants []uuid.UUID
	chosen  map[uuid.UUID]roster.Settings
}

// Waiting implements offer.ScheduleStore.
func (s oneDate) Waiting(ctx context.Context) ([]offer.Group, error) {
	now, err := s.Now(ctx)
	if err != nil {
		return nil, err
	}
	groups, err := s.ScheduleStore.Waiting(ctx)
	return slices.DeleteFunc(groups, func(g offer.Group) bool {
		due, waits := s.waits(g)
		return !waits || due.After(now)
	}), err
}

// due returns the times when the date becomes due, in order.
func (s oneDate) due(ctx context.Context) (list []time.Time, err error) {
	groups, err := s.ScheduleStore.Waiting(ctx)
	for _, g := range groups {
		if due, waits := s.waits(g); waits {
			list = append(list, due)
		}
	}
	slices.SortFunc(list, time.Time.Compare)
	return slices.CompactFunc(list, time.Time.Equal), err
}

func (s oneDate) waits(g offer.Group) (due time.Time, waits bool) {
	zone, err := day.Zone(g.Zone)
	if err != nil || !slices.Contains(s.tenants, g.Tenant) || g.Through != nil && *g.Through >= s.date {
		return due, false
	}
	return ruleOf(s.chosen, g.Tenant).Due(s.date, zone)
}

func ruleOf(chosen map[uuid.UUID]roster.Settings, tenant uuid.UUID) day.Rule {
	if s, ok := chosen[tenant]; ok {
		return s.Rule()
	}
	return roster.Usual().Rule()
}
