package console

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"slices"

	"matchbook/lambda/cli/offerset"
	"matchbook/lambda/cli/term"
	"matchbook/lambda/document"
	"matchbook/lambda/job"
	"matchbook/lambda/offer/day"
	"matchbook/lambda/offer/ranking"
	"matchbook/lambda/postgres"
	"matchbook/lambda/postgres/offers"
	"matchbook/lambda/postgres/report"

	"github.com/google/uuid"
)

// offerList has the failed jobs of a tenant, and the jobs of a date.
type offerList struct {
	Failed []report.OfferJob
	Ticks  []string
	N      int // of the failed ones, up to maxRanked
	Bulk   bulk
	Form   uuid.UUID
	Date   day.Date
	User   string
	Jobs   []report.OfferJob
	Next   string // the user after whom the next page begins; empty: last page
	notice
}

// Full reports whether N is only a lower bound.
func (o offerList) Full() bool { return o.N >= maxRanked }

// Called returns the name of a job's user, or else the id.
func (offerList) Called(j report.OfferJob) string {
	return cmp.Or(term.Clean(j.Name, term.MaxValue), j.User.String())
}

// bulkOffers is the form for several failed jobs.
var bulkOffers = bulk{[]button{{"requeue", "Try again"}, {refreeze, "Update and try again"}}, true, nil, requeueOne, admitOffers}

// refreeze is the button for a user with a profile that was corrected after the roster was frozen.
const refreeze = "refreeze"

func requeueOne(h *handler, v *visit, p picked, a postgres.Action) (job.Sender, []job.Stamped, error) {
	again := offers.New(h.DB).Requeue
	if v.PostFormValue("do") == refreeze {
		again = offers.New(h.DB).Refreeze
	}
	stamped, err := again(v.Context(), p.document, a)
	return h.Offers, stamped, err
}

// admitOffers refuses ticks of jobs that aren't the tenant's.
func admitOffers(h *handler, v *visit, list []picked) error {
	ids := map[uuid.UUID]bool{}
	for _, p := range list {
		ids[p.document] = true
	}
	found, err := h.reports.OfferJobs(v.Context(), slices.Collect(maps.Keys(ids)))
	if err == nil && (len(found) != len(ids) ||
		slices.ContainsFunc(found, func(j report.OfferJob) bool { return j.Tenant != v.tenant.ID })) {
		err = errNotFound
	}
	return err
}

func (h *handler) actOnOffers(v *visit) error {
	return h.actOnTicked(v, func() bulk { return bulkOffers }, "/offers", h.showOffers)
}

func (h *handler) offers(v *visit) error {
	if err := h.choose(v); err != nil {
		return err
	}
	return h.showOffers(v, http.StatusOK, "")
}

// showOffers shows the failed jobs and the jobs of a date. problem is the reason if an action failed.
func (h *handler) showOffers(v *visit, status int, problem string) (err error) {
	o := offerList{Bulk: bulkOffers, Form: uuid.New(), User: v.FormValue("user"), notice: notice{v.didMany(), problem}}
	if o.Failed, err = h.reports.FailedOfferPage(v.Context(), v.tenant.ID, openSize); err != nil {
		return err
	}
	if o.N, err = h.reports.FailedOfferCount(v.Context(), v.tenant.ID, maxRanked); err != nil {
		return err
	}
	if o.Ticks, err = h.offerTicks(v, o.Failed); err != nil {
		return err
	}
	if err := h.offersOf(v, &o); err != nil {
		return err
	}
	return h.show(v, status, "offers", "Match offers", o)
}

func (h *handler) offerTicks(v *visit, list []report.OfferJob) (ticks []string, err error) {
	if !v.acts() {
		return nil, nil
	}
	var ids []uuid.UUID
	for _, j := range list {
		ids = append(ids, j.ID)
	}
	seen, err := offers.New(h.DB).FailedVersions(v.Context(), ids)
	for _, id := range ids {
		ticks = append(ticks, id.String()+"_"+uuid.Nil.String()+"_"+cmp.Or(seen[id], "gone"))
	}
	return ticks, err
}

// offersOf reads the jobs of a date, of one user if the address has one. One job more than a page
// shows is read, so that the last page is known.
func (h *handler) offersOf(v *visit, o *offerList) (err error) {
	var user *uuid.UUID
	var after uuid.UUID
	if text := v.FormValue("date"); text != "" {
		o.Date, err = day.Parse(text)
	} else if o.Date, err = h.reports.LatestOffers(v.Context(), v.tenant.ID); err != nil {
		return err
	}
	if o.User != "" && err == nil {
		var id uuid.UUID
		id, err = document.ParseID(o.User)
		user = &id
	}
	if text := v.FormValue("after"); text != "" && err == nil {
		after, err = document.ParseID(text)
	}
	if err != nil {
		return errNotFound
	}
	if o.Jobs, err = h.reports.OfferPage(v.Context(), v.tenant.ID, o.Date, user, after, pageSize+1); err != nil {
		return err
	}
	if len(o.Jobs) > pageSize {
		o.Jobs = o.Jobs[:pageSize]
		o.Next = o.Jobs[pageSize-1].User.String()
	}
	return nil
}

// offerPage is a set of a user and a date, with a reason for each candidate.
type offerPage struct {
	*offerset.Explained
	Groups []reasons
	Asked  string // the candidate asked for
}

// reasons are the candidates with a verdict.
type reasons struct {
	Verdict ranking.Verdict
	N       int
	Shown   []offerset.Reason
}

// maxReasons bounds the candidates of a verdict on a page.
const maxReasons = 50

// More is the number of candidates left out.
func (r reasons) More() int { return r.N - len(r.Shown) }

// explainOffers shows a set, computed again from the date's roster by the code of matchbook offers
// explain.
func (h *handler) explainOffers(v *visit) error {
	id, err := document.ParseID(v.PathValue("job"))
	if err != nil {
		return errNotFound
	}
	found, err := h.reports.OfferJobs(v.Context(), []uuid.UUID{id})
	if err == nil && len(found) == 1 {
		err = h.enter(v, found[0].Tenant)
	}
	if err != nil || len(found) == 0 {
		return cmp.Or(err, errNotFound)
	}
	p := offerPage{Asked: v.FormValue("candidate")}
	candidate, noID := offerset.ParseCandidate(p.Asked)
	if noID != nil {
		return errNotFound
	}
	p.Explained, err = offerset.Explain(v.Context(), h.DB, id, candidate)
	if errors.Is(err, job.ErrNotFound) {
		return errNotFound
	}
	if err != nil {
		return err
	}
	for _, c := range p.Candidates {
		at := slices.IndexFunc(p.Groups, func(r reasons) bool { return r.Verdict == c.Verdict })
		if at < 0 {
			at, p.Groups = len(p.Groups), append(p.Groups, reasons{Verdict: c.Verdict})
		}
		if p.Groups[at].N++; p.Groups[at].N <= maxReasons {
			p.Groups[at].Shown = append(p.Groups[at].Shown, c)
		}
	}
	title := fmt.Sprintf("Offers of %s for %s", p.Date, cmp.Or(p.Name, p.User.String()))
	return h.show(v, http.StatusOK, "offer", title, p)
}
