package republish

import (
	"context"
	"fmt"
	"slices"
	"time"

	"matchbook/lambda/cli/term"
	"matchbook/lambda/document"
	"matchbook/lambda/postgres"

	"github.com/google/uuid"
)

// ParseEvents reads the flags of the command about events, each of which may be empty: an
// event's id, the time since which or the duration within which they were recorded, and
// the id of a tenant.
func ParseEvents(id, since, tenant string) (f postgres.EventFilter, err error) {
	if id != "" {
		if f.ID, err = document.ParseID(id); err != nil {
			return f, fmt.Errorf("--id %.50q is %w", id, err)
		}
	}
	parsed, err := ParseFilter("", since, tenant)
	f.Tenant, f.Since, f.Within = parsed.Tenant, parsed.Since, parsed.Within
	return f, err
}

// Events counts events that the receiver has not accepted.
type Events struct {
	RecordedSince *time.Time   `json:"recorded_since"` // nil: there is no receiver
	States        []EventState `json:"events"`
}

// EventState counts the events of a tenant and a kind.
type EventState struct {
	TenantID uuid.UUID `json:"tenant_id"`
	Kind     string    `json:"kind"`
	Waiting  int       `json:"waiting"`
	Oldest   int       `json:"oldest_seconds"` // the age of the oldest that waits
	Refused  int       `json:"refused"`        // of those that wait, by the receiver
	Dead     int       `json:"dead"`           // given up
	Error    string    `json:"error"`          // of the oldest that was tried
}

// EventsRequeued counts the events that are sent again, as they were before.
type EventsRequeued struct {
	DryRun bool         `json:"dry_run"`
	States []EventState `json:"events"`
}

// ReadEvents counts the events of a tenant, or of all.
func ReadEvents(ctx context.Context, db *postgres.DB, f postgres.EventFilter) (*Events, error) {
	since, err := db.Events().RecordedSince(ctx)
	if err != nil {
		return nil, err
	}
	list, err := db.Events().States(ctx, f)
	return &Events{since, eventStates(list)}, err
}

// RequeueEvents has events sent at once that were given up, or that wait for their next
// try; dryRun only counts them.
func RequeueEvents(ctx context.Context, db *postgres.DB, f postgres.EventFilter, dryRun bool) (*EventsRequeued, error) {
	act := db.Events().Requeue
	if dryRun {
		act = db.Events().Late
	}
	list, err := act(ctx, f)
	return &EventsRequeued{dryRun, eventStates(list)}, err
}

func eventStates(list []postgres.EventState) []EventState {
	states := []EventState{}
	for _, s := range list {
		states = append(states, EventState{s.Tenant, s.Kind, s.Waiting, int(s.Oldest.Seconds()), s.Refused, s.Dead,
			term.Clean(s.Error, term.MaxText)})
	}
	return states
}

// lateAfter is the age of the oldest event that is too old, as that of the stack's alarm.
const lateAfter = time.Hour

// Succeeded reports whether no event was given up or has waited for an hour.
func (r *Events) Succeeded() bool {
	return !slices.ContainsFunc(r.States, func(s EventState) bool {
		return s.Dead > 0 || time.Duration(s.Oldest)*time.Second >= lateAfter
	})
}

// Text is the report for people.
func (r *Events) Text() string {
	p := &term.Page{}
	switch {
	case r.RecordedSince == nil:
		p.Line("Events are not recorded: no function with EVENTS_WEBHOOK_URL has run.")
	case len(r.States) == 0:
		p.Line("Events are recorded since %s; none waits.", r.RecordedSince.UTC().Format(time.RFC3339))
	default:
		p.Line("Events are recorded since %s. Not accepted:", r.RecordedSince.UTC().Format(time.RFC3339))
	}
	printStates(p, r.States)
	return p.String()
}

// Text is the report for people.
func (r *EventsRequeued) Text() string {
	n := 0
	for _, s := range r.States {
		n += s.Waiting + s.Dead
	}
	p := &term.Page{}
	switch {
	case n == 0:
		p.Line("no such event was given up, or waits for its next try")
	case r.DryRun:
		p.Line("%d events would be sent again:", n)
	default:
		p.Line("%d events are sent again, by the next sweep or batch:", n)
	}
	printStates(p, r.States)
	return p.String()
}

func printStates(p *term.Page, states []EventState) {
	if len(states) == 0 {
		return
	}
	p.Line("%9s %10s %9s %9s  %-16s %s", "waiting", "oldest", "refused", "given up", "kind", "tenant")
	for _, s := range states {
		oldest := "-"
		if s.Waiting > 0 {
			oldest = (time.Duration(s.Oldest) * time.Second).String()
		}
		p.Line("%9d %10s %9d %9d  %-16s %s", s.Waiting, oldest, s.Refused, s.Dead, term.Clean(s.Kind, term.MaxValue), s.TenantID)
		if s.Error != "" {
			p.Hang("            ", s.Error)
		}
	}
}
