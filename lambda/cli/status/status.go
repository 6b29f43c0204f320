// Package status gathers on one page what somebody called at night needs: each workload's rows and
// queue, outages, dead letters, the age of the backlog, what waits for people, and the spending of
// the day. It only reads.
package status

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"matchbook/lambda/cli/cost"
	"matchbook/lambda/cli/deadletter"
	"matchbook/lambda/cli/explain"
	"matchbook/lambda/cli/term"
	"matchbook/lambda/failure"
	"matchbook/lambda/manifest"
	"matchbook/lambda/postgres"
	"matchbook/lambda/postgres/events"
	"matchbook/lambda/postgres/report"

	"github.com/google/uuid"
)

// Reader reads the state of a system.
type Reader struct {
	DB      *postgres.DB
	Prices  *cost.ModelPrices
	Sources []deadletter.Source // queues; none, or ones without a queue: only the database is read
	Stack   string              // with these queues, for the commands to run; empty: they are in the environment
}

// Workload is the state of a function.
type Workload struct {
	Function string `json:"function"`
	report.Workload
	OldestSeconds int    `json:"oldest_seconds"`
	Queue         *Queue `json:"queue,omitempty"`
	subject       string
}

// Queue counts messages, approximately.
type Queue struct {
	Messages    int    `json:"messages"` // visible, in flight or delayed
	DeadLetters int    `json:"dead_letters"`
	Error       string `json:"error,omitempty"` // why they are unknown
}

// Overview is the state of the system, or of one tenant. All texts are clean.
type Overview struct {
	At        time.Time           `json:"at"`
	TenantID  *uuid.UUID          `json:"tenant_id,omitempty"`
	Workloads []Workload          `json:"workloads"`
	Away      []string            `json:"away"`   // outages of services, with what to do
	Errors    []Errors            `json:"errors"` // of rows that failed, or are tried again; the most frequent ones
	People    map[string]int      `json:"people"` // what waits for them, by kind
	Events    Events              `json:"events"`
	Sets      report.Sets         `json:"sets"` // of match offers, for their receiver
	Calls     int                 `json:"calls_today"`
	USD       float64             `json:"usd_today"`             // of priced models, in UTC
	Unpriced  bool                `json:"unpriced"`              // some models have no price
	Holders   []Holder            `json:"holders,omitempty"`     // transactions that have kept locks for long
	Clock     time.Duration       `json:"clock_ahead,omitempty"` // of the database, if it surely differs from this machine's
	Worked    *report.LastAttempt `json:"last_worked,omitempty"` // nil: never
	Broken    string              `json:"broken,omitempty"`      // why the database can't write, if rows wait and nothing is begun
	unpaid    []string            // errors of Away that pass by no means without a person
	stack     string              // as in Reader
}

// Errors counts rows of a function with the same error.
type Errors struct {
	Function string    `json:"function"`
	Failed   bool      `json:"failed"` // otherwise they are tried again
	Rows     int       `json:"rows"`
	Error    string    `json:"error"`
	Example  uuid.UUID `json:"example"`
	Called   string    `json:"called,omitempty"` // what people call the example
	function manifest.Function
}

// Holder is a transaction that keeps locks.
type Holder struct {
	Process int    `json:"process"` // of the server
	What    string `json:"what"`
}

// Events counts the events not yet accepted by their receiver.
type Events struct {
	Waiting int           `json:"waiting"`
	Dead    int           `json:"dead"` // given up
	Oldest  time.Duration `json:"-"`
	Error   string        `json:"error,omitempty"`            // an answer of the receiver
	GoneAt  *time.Time    `json:"receiver_gone_at,omitempty"` // when it answered HTTP 410, so that it gets nothing
}

const (
	maxErrors  = 3           // of a function
	readErrors = 100         // of a function, before errors with the same remedy are counted as one
	longLocked = time.Minute // our own transactions are shorter
)

// Overview reads the state of all tenants (uuid.Nil) or of one.
func (r Reader) Overview(ctx context.Context, tenant uuid.UUID) (*Overview, error) {
	o := &Overview{At: time.Now().UTC(), Away: []string{}, Errors: []Errors{}, stack: r.Stack}
	if tenant != uuid.Nil {
		o.TenantID = &tenant
	}
	reports := report.From(r.DB)
	for _, f := range manifest.Functions() {
		w := Workload{Function: f.Name, subject: f.Subject}
		if !f.Rowless {
			var err error
			if w.Workload, err = reports.Workload(ctx, f, tenant); err != nil {
				return nil, err
			}
			w.OldestSeconds = int(w.Oldest.Seconds())
			if err := o.readErrors(ctx, reports, f, tenant); err != nil {
				return nil, err
			}
		}
		if w.Queue = r.queue(ctx, f); w.Queue != nil || !f.Rowless {
			o.Workloads = append(o.Workloads, w)
		}
	}
	return o, r.rest(ctx, o, reports, tenant)
}

func (r Reader) rest(ctx context.Context, o *Overview, reports report.Reader, tenant uuid.UUID) (err error) {
	if err := r.away(ctx, o); err != nil {
		return err
	}
	if o.Worked, err = reports.LastAttempt(ctx); err != nil {
		return err
	}
	if err := r.call(ctx, o); err != nil {
		return err
	}
	if o.People, err = reports.WaitingCounts(ctx, report.WaitingFilter{Tenant: tenant}); err != nil {
		return err
	}
	if err := r.undelivered(ctx, o, tenant); err != nil {
		return err
	}
	locked := longLocked
	if o.stopped() != "" {
		locked = 0 // any lock may be the cause
	}
	if o.Holders, err = holders(ctx, reports, locked); err != nil {
		return err
	}
	if o.Clock, err = reports.ClockAhead(ctx); err != nil {
		return err
	}
	if o.stopped() != "" {
		if err := reports.Spill(ctx); err != nil {
			o.Broken = failure.Of(err).Text
		}
	}
	spent, err := reports.Spent(ctx, o.At.Truncate(24*time.Hour), tenant, 0)
	if err != nil {
		return err
	}
	priced := cost.Spent{Prices: r.Prices}
	priced.Add(spent)
	if o.Calls, o.Unpriced = priced.Total.Calls, len(priced.WithoutPrice) > 0; priced.Total.USD != nil {
		o.USD = *priced.Total.USD
	}
	return nil
}

func (r Reader) away(ctx context.Context, o *Overview) error {
	away, err := postgres.ReadAway(ctx, r.DB)
	for _, a := range away {
		sentence, remedy := term.Clean(a.String(), term.MaxText), explain.RemedyOf(a.Error)
		if remedy.Do != "" {
			sentence += "; " + remedy.Do
		}
		if !remedy.Passes && !a.Back {
			o.unpaid = append(o.unpaid, a.Error)
		}
		o.Away = append(o.Away, sentence)
	}
	return err
}

// undelivered reads what the receivers of events and sets didn't accept.
func (r Reader) undelivered(ctx context.Context, o *Overview, tenant uuid.UUID) error {
	store := events.New(r.DB)
	states, err := store.States(ctx, events.Filter{Tenant: tenant})
	if err != nil {
		return err
	}
	for _, e := range states {
		o.Events.Waiting, o.Events.Dead = o.Events.Waiting+e.Waiting, o.Events.Dead+e.Dead
		o.Events.Oldest = max(o.Events.Oldest, time.Duration(e.Oldest)*time.Second)
		o.Events.Error = cmp.Or(o.Events.Error, term.Clean(e.Error, term.MaxText))
	}
	if o.Events.GoneAt, err = store.GoneAt(ctx); err != nil {
		return err
	}
	o.Sets, err = report.From(r.DB).Sets(ctx, tenant)
	o.Sets.Error = term.Clean(o.Sets.Error, term.MaxText)
	return err
}

func holders(ctx context.Context, reports report.Reader, longer time.Duration) (list []Holder, err error) {
	found, err := reports.Holders(ctx, longer)
	for _, h := range found {
		who := cmp.Or(term.Clean(h.Program, term.MaxValue), "a program") + " as " + term.Clean(h.Role, term.MaxValue)
		what := fmt.Sprintf("%s has kept locks on %s for %s, so locked rows wait", who, h.Tables, term.Short(h.Age))
		list = append(list, Holder{h.Process, what})
	}
	return list, err
}

func (o *Overview) readErrors(ctx context.Context, reports report.Reader, f manifest.Function, tenant uuid.UUID) error {
	found, err := reports.Errors(ctx, f, tenant, readErrors)
	var list []Errors // one with each remedy
	for _, e := range found {
		remedy := explain.RemedyOf(e.Error)
		same := func(l Errors) bool {
			return remedy.Do != "" && l.Failed == e.Failed && explain.RemedyOf(l.Error) == remedy
		}
		if i := slices.IndexFunc(list, same); i >= 0 {
			list[i].Rows += e.Rows
			continue
		}
		list = append(list, Errors{Function: f.Name, Failed: e.Failed, Rows: e.Rows, Error: term.Clean(e.Error, term.MaxText),
			Example: e.Example, function: f})
	}
	o.Errors = append(o.Errors, list[:min(len(list), maxErrors)]...)
	return err
}

// call names the examples of errors as people do.
func (r Reader) call(ctx context.Context, o *Overview) error {
	var ids []uuid.UUID
	for _, e := range o.Errors {
		ids = append(ids, e.Example)
	}
	called, err := explain.NewReader(ctx, r.DB).Called(ids)
	for i, e := range o.Errors {
		o.Errors[i].Called = called[e.Example]
	}
	return err
}

// queue counts a function's messages; nil without a queue. A queue that doesn't answer must not
// hide the rest of the page.
func (r Reader) queue(ctx context.Context, f manifest.Function) *Queue {
	for _, s := range r.Sources {
		if s.Function.Name != f.Name || s.Queue == nil {
			continue
		}
		q := &Queue{}
		n, err := s.Queue.Backlog(ctx)
		if err == nil {
			q.Messages = n
			dead, missing := s.Queue.DeadLetters(ctx)
			if err = missing; dead != nil {
				q.DeadLetters = dead.Waiting()
			}
		}
		if err != nil {
			q.Error = failure.Of(err).Text
		}
		return q
	}
	return nil
}

// Succeeded reports whether nothing needs an operator. Outages end by themselves.
func (o *Overview) Succeeded() bool { return len(o.Next()) == 0 }

// Rows are rows in trouble, by function.
type Rows struct {
	Stuck bool      `json:"stuck"` // or failed
	Lists []RowList `json:"functions"`
}

// RowList has the rows in trouble of a function.
type RowList struct {
	Function string `json:"function"`
	Rows     []Row  `json:"rows"`
	More     bool   `json:"more"` // there are others
	Do       string `json:"do"`
	function manifest.Function
}

// Row is a row in trouble. Its texts are clean.
type Row struct {
	ID       uuid.UUID `json:"id"`
	TenantID uuid.UUID `json:"tenant_id"`
	Status   string    `json:"status"`
	Kind     string    `json:"kind,omitempty"`
	Attempts int       `json:"attempts"`
	Error    string    `json:"error,omitempty"`
	Waits    string    `json:"waits,omitempty"`
	Called   string    `json:"called,omitempty"` // by people
}

// maxRows bounds the rows listed of a function.
const maxRows = 20

// Rows lists the failed or stuck rows of all workloads.
func (r Reader) Rows(ctx context.Context, stuck bool, tenant uuid.UUID) (*Rows, error) {
	which := report.FailedRows
	if stuck {
		which = report.StuckRows
	}
	list := &Rows{Stuck: stuck, Lists: []RowList{}}
	for _, f := range manifest.Workloads() {
		found, err := report.From(r.DB).Troubles(ctx, f, which, tenant, maxRows+1)
		if err != nil {
			return nil, err
		}
		if len(found) == 0 {
			continue
		}
		l := RowList{Function: f.Name, More: len(found) > maxRows, function: f}
		var ids []uuid.UUID
		for _, t := range found[:min(len(found), maxRows)] {
			l.Rows = append(l.Rows, Row{t.ID, t.TenantID, t.Status, t.Kind, t.Attempts,
				term.Clean(t.Error, term.MaxText), explain.Waits(t), ""})
			ids = append(ids, t.ID)
		}
		called, err := explain.NewReader(ctx, r.DB).Called(ids)
		if err != nil {
			return nil, err
		}
		for i, row := range l.Rows {
			l.Rows[i].Called = called[row.ID]
		}
		if l.Do = l.again(); stuck {
			l.Do = "check that the sweep runs, because it publishes them again: matchbook doctor --stack STACK, or once by " +
				"matchbook sweep; with matchbook serve, that its process runs"
		}
		list.Lists = append(list.Lists, l)
	}
	return list, nil
}

// again returns what to do about failed rows: a remedy of each error, and the command to try again.
func (l RowList) again() string {
	var list []string
	for _, row := range l.Rows {
		if do := explain.RemedyOf(row.Error).Do; do != "" && !slices.Contains(list, do) {
			list = append(list, do)
		}
	}
	if len(list) == 0 {
		return "once the cause is fixed, " + l.function.Repair.Again
	}
	return strings.Join(append(list, "then "+l.function.Repair.Again), "; ")
}

// Succeeded reports whether there are no such rows.
func (r *Rows) Succeeded() bool { return len(r.Lists) == 0 }
