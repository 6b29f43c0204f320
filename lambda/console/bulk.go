package console

import (
	"errors"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"matchbook/lambda/cli/explain"
	"matchbook/lambda/cli/term"
	"matchbook/lambda/console/login"
	"matchbook/lambda/document"
	"matchbook/lambda/job"
	"matchbook/lambda/match/rules"
	"matchbook/lambda/match/threeway"
	"matchbook/lambda/match/warning"
	"matchbook/lambda/postgres"
	"matchbook/lambda/postgres/ingestions"
	"matchbook/lambda/postgres/matches"
	"matchbook/lambda/postgres/offers"
	"matchbook/lambda/postgres/report"

	"github.com/google/uuid"
)

// bulk describes the form for several things of a kind, which does the same as their own pages.
type bulk struct {
	Buttons []button
	Must    bool // have a reason
	seen    func(*handler, *visit, explain.WaitingItem) (string, error)
	do      func(*handler, *visit, picked, postgres.Action) (job.Sender, []job.Stamped, error)
	admit   func(*handler, *visit, []picked) error // nil: they are documents
}

type button struct{ Name, Label string }

// bulks are the kinds with such a form.
var bulks = map[string]bulk{
	report.WaitingQuestion: {
		[]button{{string(rules.Confirmed), "Confirm"}, {string(rules.Rejected), "Reject"}}, false, seenPair, decideOne, nil,
	},
	report.WaitingWarning:  {[]button{{"settle", "Settle"}}, true, nil, settleOne, nil},
	report.WaitingDocument: {[]button{{"match", "Match again"}}, true, seenDocument, matchOne, nil},
	report.WaitingFile:     {[]button{{"read", "Read again"}}, true, seenFile, readOne, nil},
	report.WaitingReview:   {nil, false, func(*handler, *visit, explain.WaitingItem) (string, error) { return "any", nil }, nil, nil},
	report.WaitingInvoice: {[]button{{string(threeway.Approve), "Approve"}, {string(threeway.Hold), "Hold"},
		{string(threeway.Dispute), "Dispute"}, {string(threeway.Withdraw), "Withdraw"}}, true, seenInvoice, settleOneInvoice, nil},
}

// bulkAssign is the form for whatever waits in /open. It acts in any state.
var bulkAssign = bulk{[]button{{string(matches.Assign), "Assign"}}, false, nil, assignOne, nil}

func assignOne(h *handler, v *visit, p picked, a postgres.Action) (job.Sender, []job.Stamped, error) {
	to := term.Clean(v.PostFormValue("assignee"), term.MaxValue)
	return nil, nil, h.matches.WriteNote(v.Context(), p.document, matches.Note{Form: a.ID, Kind: matches.Assign, Text: to, By: a.By})
}

// picked is a thing that a person ticked, in the state they saw.
type picked struct {
	document, other uuid.UUID
	seen            string // of a warning its kind and facts, otherwise a version
}

func (p picked) pair() []string { return []string{p.document.String(), p.other.String()} }

func seenPair(h *handler, v *visit, i explain.WaitingItem) (string, error) {
	return h.matches.PairVersion(v.Context(), i.Document.ID, i.Other.ID)
}

func seenDocument(h *handler, v *visit, i explain.WaitingItem) (string, error) {
	return h.DB.DocumentVersion(v.Context(), i.Document.ID)
}

func seenFile(h *handler, v *visit, i explain.WaitingItem) (string, error) {
	return ingestions.New(h.DB).FileVersion(v.Context(), i.Document.ID)
}

func decideOne(h *handler, v *visit, p picked, a postgres.Action) (job.Sender, []job.Stamped, error) {
	_, stamped, err := h.reader(v).Decide(p.pair(), matches.Decision{Verdict: rules.Verdict(v.PostFormValue("do")), By: a.By,
		Origin: postgres.OriginConsole, Note: a.Reason, Seen: p.seen})
	return h.Sender, stamped, err
}

func settleOne(h *handler, v *visit, p picked, a postgres.Action) (job.Sender, []job.Stamped, error) {
	kind, facts, _ := strings.Cut(p.seen, "_")
	_, err := h.reader(v).Settle(p.pair(), matches.Settlement{Kind: warning.Kind(kind), By: a.By, Origin: postgres.OriginConsole,
		Verdict: v.PostFormValue("verdict"), Reason: a.Reason, Facts: facts})
	return nil, nil, err
}

func matchOne(h *handler, v *visit, p picked, a postgres.Action) (job.Sender, []job.Stamped, error) {
	stamped, err := h.DB.PublishFor(v.Context(), p.document, a)
	return h.Sender, stamped, err
}

func readOne(h *handler, v *visit, p picked, a postgres.Action) (job.Sender, []job.Stamped, error) {
	stamped, err := ingestions.New(h.DB).ReadAgain(v.Context(), p.document, a, false)
	return h.Reads, stamped, err
}

// ticks returns the value of each item's tick: documents and state.
func (h *handler) ticks(v *visit, kind string, items []explain.WaitingItem) (list []string, err error) {
	b, known := bulks[kind]
	if !known || !v.acts() {
		return nil, nil
	}
	seen := b.seen
	if kind == report.WaitingWarning {
		if seen, err = h.seenWarnings(v, items); err != nil {
			return nil, err
		}
	}
	for _, i := range items {
		s, err := seen(h, v, i)
		switch {
		case errors.Is(err, job.ErrNotFound), errors.Is(err, matches.ErrNoSuchPair):
			s = "gone"
		case err != nil:
			return nil, err
		}
		other := uuid.Nil
		if i.Other != nil {
			other = i.Other.ID
		}
		list = append(list, i.Document.ID.String()+"_"+other.String()+"_"+s)
	}
	return list, nil
}

// seenWarnings reads the facts of the warnings listed, all at once.
func (h *handler) seenWarnings(v *visit, items []explain.WaitingItem) (func(*handler, *visit, explain.WaitingItem) (string, error), error) {
	var ids []uuid.UUID
	for _, i := range items {
		ids = append(ids, i.Document.ID)
	}
	found, err := h.reports.Warnings(v.Context(), ids)
	return func(_ *handler, _ *visit, i explain.WaitingItem) (string, error) {
		for _, w := range found {
			if w.Document == i.Document.ID && w.Other == i.Other.ID && w.Kind == i.WarningKind() {
				return w.Kind + "_" + w.Facts, nil
			}
		}
		return "gone", nil
	}, err
}

// readTicks parses the ticks of a form.
func readTicks(v *visit) (list []picked, err error) {
	for _, tick := range v.PostForm["tick"] {
		parts := strings.SplitN(tick, "_", 3)
		if len(parts) != 3 || len(list) == openSize || parts[2] == "" {
			return nil, errBadForm
		}
		p := picked{seen: parts[2]}
		var noOther error
		p.document, err = document.ParseID(parts[0])
		p.other, noOther = uuid.Parse(parts[1])
		if errors.Join(err, noOther) != nil {
			return nil, errBadForm
		}
		list = append(list, p)
	}
	return list, nil
}

// admitDocuments refuses ticks of documents that aren't the tenant's.
func admitDocuments(h *handler, v *visit, list []picked) error {
	var ids []uuid.UUID
	for _, p := range list {
		ids = append(ids, p.document)
		if p.other != uuid.Nil {
			ids = append(ids, p.other)
		}
	}
	slices.SortFunc(ids, func(a, b uuid.UUID) int { return strings.Compare(a.String(), b.String()) })
	ids = slices.Compact(ids)
	found, err := h.reports.Summaries(v.Context(), ids)
	if err == nil && (len(found) != len(ids) ||
		slices.ContainsFunc(found, func(s report.Summary) bool { return s.TenantID != v.tenant.ID })) {
		err = errNotFound
	}
	return err
}

// actOnMany does a thing about everything ticked in the list of what waits.
func (h *handler) actOnMany(v *visit) error {
	return h.actOnTicked(v, func() bulk {
		b, known := bulks[v.FormValue("kind")]
		if known && v.PostFormValue("do") == string(matches.Assign) {
			return bulkAssign
		}
		return b
	}, "/open", h.showOpen)
}

// acts reports whether the person may act for the tenant shown.
func (v *visit) acts() bool { return v.person.Role(v.tenant.ID) >= login.Operator }

// actOnTicked does what the form says about everything ticked, and leads back to the list. What
// has changed meanwhile is left alone and counted. again shows the list with a problem.
func (h *handler) actOnTicked(v *visit, of func() bulk, list string, again func(v *visit, status int, problem string) error) error {
	v.Body = http.MaxBytesReader(v.w, v.Body, maxForm)
	if v.ParseForm() != nil {
		return errBadForm
	}
	if err := h.choose(v); err != nil {
		return err
	}
	if !v.acts() {
		return errNoOperator
	}
	b := of()
	form, noForm := document.ParseID(v.PostFormValue("form"))
	if noForm != nil || !slices.ContainsFunc(b.Buttons, func(b button) bool { return b.Name == v.PostFormValue("do") }) {
		return errBadForm
	}
	ticked, err := readTicks(v)
	admit := b.admit
	if admit == nil {
		admit = admitDocuments
	}
	if err == nil {
		err = admit(h, v, ticked)
	}
	if err != nil {
		return err
	}
	a := postgres.Action{By: term.Clean(v.person.Name, term.MaxValue), Reason: term.Clean(v.PostFormValue("reason"), term.MaxText)}
	if problem := incomplete(v, b, ticked, a); problem != "" {
		return again(v, http.StatusBadRequest, problem)
	}
	done, err := h.doMany(v, b, form, ticked, a)
	if err != nil {
		return err
	}
	q := url.Values{"tenant": {v.tenant.ID.String()}, "did": {strconv.Itoa(done)}, "left": {strconv.Itoa(len(ticked) - done)}}
	for _, kept := range []string{"kind", "all", "state", "of", "date", "assigned"} {
		if value := v.FormValue(kept); value != "" {
			q.Set(kept, value)
		}
	}
	http.Redirect(v.w, v.Request, list+"?"+q.Encode(), http.StatusSeeOther)
	return nil
}

// incomplete returns what a form lacks, for the person.
func incomplete(v *visit, b bulk, ticked []picked, a postgres.Action) string {
	switch {
	case len(ticked) == 0:
		return "Tick what it is about."
	case b.Must && a.Reason == "":
		return "Enter a reason. It is kept with your name."
	case b.Buttons[0].Name == "settle" && v.PostFormValue("verdict") == "":
		return "Choose a verdict."
	}
	return ""
}

// doMany returns how many were done, by this form or its first sending.
func (h *handler) doMany(v *visit, b bulk, form uuid.UUID, list []picked, a postgres.Action) (done int, err error) {
	for _, p := range list {
		a.ID, a.Seen = uuid.NewSHA1(form, p.document[:]), p.seen
		to, stamped, err := b.do(h, v, p, a)
		h.sendTo(v, to, stamped)
		var ours explain.Error
		var kept offers.Refused
		switch {
		case err == nil:
			done++
		case errors.As(err, &ours), errors.As(err, &kept), errors.Is(err, postgres.ErrStale), errors.Is(err, ingestions.ErrNoFile),
			errors.Is(err, job.ErrNotFound):
		default:
			return done, err
		}
	}
	return done, nil
}
