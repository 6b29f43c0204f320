package offerrun

import (
	"cmp"
	"context"
	"encoding/hex"
	"slices"

	"matchbook/lambda/cli/offerset"
	"matchbook/lambda/cli/term"
	"matchbook/lambda/document/corpus"
	"matchbook/lambda/offer"
	"matchbook/lambda/offer/day"
	"matchbook/lambda/postgres/report"

	"github.com/google/uuid"
)

// Result has the sets of a date, also for use as JSON. It contains no times of the run, so the
// same rows give the same result.
type Result struct {
	Date       day.Date         `json:"date"`
	Tenants    []TenantSets     `json:"tenants"`
	Accounting Accounting       `json:"accounting"`
	Problems   []corpus.Problem `json:"problems"` // malformed parts of the folder

	Delivery *report.OfferDeliveries `json:"delivery,omitempty"` // nil without --deliver
}

// TenantSets are the sets of a tenant, earliest first.
type TenantSets struct {
	Tenant    uuid.UUID          `json:"tenant_id"`
	Algorithm int                `json:"algorithm"` // version
	Roster    string             `json:"roster"`    // digest; empty without a job
	Sets      []offerset.UserSet `json:"sets"`
	Without   []Without          `json:"without_job"`
}

// Without is a user without a job for the date.
type Without struct {
	User   uuid.UUID `json:"user_id"`
	Name   string    `json:"name,omitempty"`
	Reason string    `json:"reason"`
}

// Accounting counts users by the state of their job.
type Accounting struct {
	Users     int `json:"users"` // of the folder, and others with a job
	Completed int `json:"completed"`
	Failed    int `json:"failed"`
	Skipped   int `json:"skipped"`
	Open      int `json:"open"`
	Without   int `json:"without_job"`
	Offers    int `json:"offers"`
}

// Succeeded reports whether every user of the folder was read, and every job completed or
// skipped, and the receiver took every set.
func (r *Result) Succeeded() bool {
	return len(r.Problems) == 0 && r.Accounting.Failed == 0 && r.Accounting.Open == 0 &&
		(r.Delivery == nil || r.Delivery.Waiting == 0)
}

// result reads the stored sets.
func (r *run) result(ctx context.Context) (*Result, error) {
	reports := report.From(r.Stack.DB)
	jobs, err := reports.OffersOf(ctx, r.date, r.tenants)
	if err != nil {
		return nil, err
	}
	names, err := r.names(ctx, reports, jobs)
	if err != nil {
		return nil, err
	}
	out := &Result{Date: r.date, Tenants: []TenantSets{}, Problems: append([]corpus.Problem{}, r.folder.problems...)}
	for _, tenant := range r.tenants {
		t := TenantSets{Tenant: tenant, Sets: []offerset.UserSet{}, Without: []Without{}}
		for _, j := range jobs {
			if j.Tenant != tenant {
				continue
			}
			set, err := offerset.Of(j, names)
			if err != nil {
				return nil, err
			}
			t.Sets = append(t.Sets, set)
			t.Roster, t.Algorithm = cmp.Or(t.Roster, hex.EncodeToString(j.Digest)), max(t.Algorithm, j.Algorithm)
			out.Accounting.add(set)
		}
		t.Without = append(t.Without, r.without(t, names)...)
		out.Accounting.Without += len(t.Without)
		out.Accounting.Users += len(t.Without)
		out.Tenants = append(out.Tenants, t)
	}
	return out, nil
}

// names reads the names of all users in the result.
func (r *run) names(ctx context.Context, reports report.Reader, jobs []report.OfferJob) (map[uuid.UUID]string, error) {
	var ids []uuid.UUID
	for _, j := range jobs {
		offers, err := offerset.Offers(j)
		if err != nil {
			return nil, err
		}
		for _, o := range offers {
			ids = append(ids, o.Candidate)
		}
	}
	for _, u := range r.folder.users {
		ids = append(ids, u.ID)
	}
	names, err := reports.OfferNames(ctx, ids)
	for id, name := range names {
		names[id] = term.Clean(name, term.MaxValue)
	}
	return names, err
}

func (a *Accounting) add(s offerset.UserSet) {
	a.Users++
	a.Offers += len(s.Offers)
	switch s.Status {
	case "completed":
		a.Completed++
	case "failed":
		a.Failed++
	case "skipped":
		a.Skipped++
	default:
		a.Open++
	}
}

// without returns the folder's users without a job.
func (r *run) without(t TenantSets, names map[uuid.UUID]string) (list []Without) {
	for _, u := range r.folder.users {
		if u.Tenant != t.Tenant || slices.ContainsFunc(t.Sets, func(s offerset.UserSet) bool { return s.User == u.ID }) {
			continue
		}
		list = append(list, Without{u.ID, names[u.ID], whyWithout(u, r.date, ruleOf(r.chosen, u.Tenant))})
	}
	return list
}

func whyWithout(u offer.User, date day.Date, rule day.Rule) string {
	zone, err := day.Zone(u.Zone)
	if err == nil {
		if _, ever := day.Due(date, zone); !ever {
			return "the clocks of " + u.Zone + " left this date out"
		}
		if _, ever := rule.Due(date, zone); !ever {
			return "the tenant's settings have no sets on this date"
		}
	}
	if !u.Active {
		return "not active"
	}
	return "not in the roster of the date, or past it"
}
