package republish

import (
	"context"
	"fmt"
	"slices"
	"time"

	"matchbook/lambda/cli/term"
	"matchbook/lambda/document"
	"matchbook/lambda/internal/plural"
	"matchbook/lambda/postgres"
	"matchbook/lambda/postgres/events"
)

// ParseEvents parses the command's flags, each of which may be empty: an event's id; the time
// or the duration since the events were recorded; and a tenant's id.
func ParseEvents(id, since, tenant string) (f events.Filter, err error) {
	if id != "" {
		if f.ID, err = document.ParseID(id); err != nil {
			return f, fmt.Errorf("--id %.50q: %w", id, err)
		}
	}
	parsed, err := ParseFilter("", since, tenant)
	f.Tenant, f.Since, f.Within = parsed.Tenant, parsed.Since, parsed.Within
	return f, err
}

// Events counts the events not accepted by the receiver yet.
type Events struct {
	RecordedSince *time.Time     `json:"recorded_since"`   // nil without a receiver
	GoneAt        *time.Time     `json:"receiver_gone_at"` // when it answered HTTP 410; nil if it gets events
	States        []events.State `json:"events"`
}

// EventsRequeued counts the events queued for sending, in their states before.
type EventsRequeued struct {
	DryRun bool           `json:"dry_run"`
	States []events.State `json:"events"`
}

// ReadEvents counts the undelivered events of one tenant or of all.
func ReadEvents(ctx context.Context, db *postgres.DB, f events.Filter) (*Events, error) {
	since, err := events.New(db).RecordedSince(ctx)
	if err != nil {
		return nil, err
	}
	gone, err := events.New(db).GoneAt(ctx)
	if err != nil {
		return nil, err
	}
	list, err := events.New(db).States(ctx, f)
	return &Events{since, gone, cleaned(list)}, err
}

// RequeueEvents makes undelivered events due now, both given-up and waiting ones. With dryRun
// it only counts them.
func RequeueEvents(ctx context.Context, db *postgres.DB, f events.Filter, dryRun bool) (*EventsRequeued, error) {
	act := events.New(db).Requeue
	if dryRun {
		act = events.New(db).Late
	}
	list, err := act(ctx, f)
	return &EventsRequeued{dryRun, cleaned(list)}, err
}

// cleaned makes the errors of a receiver safe to print.
func cleaned(list []events.State) []events.State {
	for i := range list {
		list[i].Error = term.Clean(list[i].Error, term.MaxText)
	}
	return list
}

// lateAfter is the age at which the oldest event is too old; the stack's alarm uses the same.
const lateAfter = time.Hour

// Succeeded reports whether the receiver gets events, and none was given up or has waited for
// an hour.
func (r *Events) Succeeded() bool {
	return r.GoneAt == nil && !slices.ContainsFunc(r.States, func(s events.State) bool {
		return s.Dead > 0 || time.Duration(s.Oldest)*time.Second >= lateAfter
	})
}

// Text returns the report for people.
func (r *Events) Text() string {
	p := &term.Page{}
	switch {
	case r.RecordedSince == nil:
		p.Line("Events are not recorded yet: no function has run with EVENTS_WEBHOOK_URL.")
	case len(r.States) == 0:
		p.Line("Events recorded since %s: all accepted by the receiver.", r.RecordedSince.UTC().Format(time.RFC3339))
	default:
		p.Line("Events recorded since %s. Undelivered:", r.RecordedSince.UTC().Format(time.RFC3339))
	}
	if r.GoneAt != nil {
		p.Line("The receiver answered at %s that it is gone (HTTP 410), and gets nothing: "+
			`change EVENTS_WEBHOOK_URL, or run "matchbook events requeue".`, r.GoneAt.UTC().Format(time.RFC3339))
	}
	printStates(p, r.States)
	if r.GoneAt == nil && slices.ContainsFunc(r.States, func(s events.State) bool { return s.Dead+s.Refused > 0 }) {
		p.Line("Once the receiver works, send them at once, given-up ones too: matchbook events requeue")
	}
	return p.String()
}

// Text returns the report for people.
func (r *EventsRequeued) Text() string {
	n := 0
	for _, s := range r.States {
		n += s.Waiting + s.Dead
	}
	p := &term.Page{}
	switch {
	case n == 0:
		p.Line("no undelivered events found")
	case r.DryRun:
		p.Line("%s would be sent again:", plural.Of(n, "event"))
	default:
		p.Line("%s will be sent again by the next sweep or batch:", plural.Of(n, "event"))
	}
	printStates(p, r.States)
	return p.String()
}

func printStates(p *term.Page, states []events.State) {
	if len(states) == 0 {
		return
	}
	p.Line("%9s %10s %9s %9s  %-16s %s", "waiting", "oldest", "refused", "given up", "kind", "tenant")
	for _, s := range states {
		oldest := "-"
		if s.Waiting > 0 {
			oldest = (time.Duration(s.Oldest) * time.Second).String()
		}
		p.Line("%9d %10s %9d %9d  %-16s %s", s.Waiting, oldest, s.Refused, s.Dead, term.Clean(s.Kind, term.MaxValue), s.Tenant)
		if s.Error != "" {
			p.Hang("            ", s.Error)
		}
	}
}
