package console

import (
	"errors"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"time"

	"matchbook/lambda/cli/explain"
	"matchbook/lambda/cli/term"
	"matchbook/lambda/document"
	"matchbook/lambda/job"
	"matchbook/lambda/match/threeway"
	"matchbook/lambda/postgres"
	"matchbook/lambda/postgres/matches"
	"matchbook/lambda/postgres/report"

	"github.com/google/uuid"
)

// invoiceList is a page of three-way matches.
type invoiceList struct {
	Invoices []report.ListedInvoice
	Ticks    []string
	Next     string // place of the next page; empty: last page
	First    bool
	State    string // one of Views
	Verdict  threeway.Verdict
	Views    []invoiceView
	Verdicts []threeway.Verdict // to choose from
	Bulk     bulk
	Form     uuid.UUID
	notice
}

// invoiceView is a choice of states and verdicts.
type invoiceView struct {
	Name   string
	states []threeway.State
	differ bool // only the verdicts that need someone
	N      int
	Full   bool
}

// invoiceViews are the choices, the default first.
var invoiceViews = []invoiceView{
	{Name: "to settle", states: []threeway.State{threeway.Open, threeway.Reopened}, differ: true},
	{Name: "reopened", states: []threeway.State{threeway.Reopened}},
	{Name: "on hold", states: []threeway.State{threeway.OnHold}},
	{Name: "disputed", states: []threeway.State{threeway.Disputed}},
	{Name: "approved", states: []threeway.State{threeway.Approved}},
	{Name: "all", states: threeway.States},
}

func (i invoiceView) verdicts() []threeway.Verdict {
	if i.differ {
		return threeway.Verdicts(false)
	}
	return append(threeway.Verdicts(false), threeway.Verdicts(true)...)
}

// readInvoices reads from the address or the form what to list.
func (h *handler) readInvoices(v *visit) (l invoiceList, f report.InvoiceFilter, after report.Place, err error) {
	if err := h.choose(v); err != nil {
		return l, f, after, err
	}
	l = invoiceList{State: v.FormValue("state"), Verdict: threeway.Verdict(v.FormValue("of")), Form: uuid.New(),
		Bulk: bulks[report.WaitingInvoice], Views: slices.Clone(invoiceViews), Verdicts: invoiceView{}.verdicts()}
	if l.State == "" {
		l.State = invoiceViews[0].Name
	}
	at := slices.IndexFunc(invoiceViews, func(i invoiceView) bool { return i.Name == l.State })
	after, err = readPlace(v.FormValue("after"))
	if at < 0 || err != nil || l.Verdict != "" && !slices.Contains(l.Verdicts, l.Verdict) {
		return l, f, after, errNotFound
	}
	f = report.InvoiceFilter{Tenant: v.tenant.ID, States: invoiceViews[at].states, Verdicts: invoiceViews[at].verdicts()}
	if l.Verdict != "" {
		f.Verdicts = []threeway.Verdict{l.Verdict}
	}
	l.First = after == report.Place{}
	return l, f, after, nil
}

func (h *handler) invoices(v *visit) error { return h.showInvoices(v, http.StatusOK, "") }

// showInvoices shows the list. problem is the reason if an action failed.
func (h *handler) showInvoices(v *visit, status int, problem string) error {
	l, f, after, err := h.readInvoices(v)
	if err != nil {
		return err
	}
	l.notice = notice{v.didMany(), problem}
	if l.Invoices, err = h.reports.Invoices(v.Context(), f, after, openSize+1); err != nil {
		return err
	}
	if len(l.Invoices) > openSize {
		l.Invoices = l.Invoices[:openSize]
		last := l.Invoices[openSize-1].Place
		l.Next = strconv.FormatInt(last.At, 10) + "_" + last.ID.String()
	}
	if l.Ticks, err = h.invoiceTicks(v, l.Invoices); err != nil {
		return err
	}
	for i, view := range l.Views {
		if view.Name == "all" { // many, and nobody waits for their number
			continue
		}
		counts, err := h.reports.InvoiceCounts(v.Context(),
			report.InvoiceFilter{Tenant: v.tenant.ID, States: view.states, Verdicts: view.verdicts()}, maxRanked)
		if err != nil {
			return err
		}
		for _, n := range counts {
			l.Views[i].N += n
		}
		l.Views[i].Full = l.Views[i].N >= maxRanked
	}
	return h.show(v, status, "invoices", "Three-way match", l)
}

func (h *handler) invoiceTicks(v *visit, list []report.ListedInvoice) (ticks []string, err error) {
	if !v.acts() {
		return nil, nil
	}
	var ids []uuid.UUID
	for _, i := range list {
		ids = append(ids, i.ID)
	}
	seen, err := h.matches.InvoiceVersions(v.Context(), ids)
	for _, id := range ids {
		ticks = append(ticks, id.String()+"_"+uuid.Nil.String()+"_"+seen[id])
	}
	return ticks, err
}

// invoiceSheet writes the invoices of a list, from the place shown on.
func (h *handler) invoiceSheet(v *visit) error {
	_, f, after, err := h.readInvoices(v)
	if err != nil {
		return err
	}
	list, err := h.reports.Invoices(v.Context(), f, after, sheetRows)
	if err != nil {
		return err
	}
	rows := [][]string{{"number", "supplier", "date", "total", "currency", "verdict", "state", "by", "at", "reason", "file", "id"}}
	for _, i := range list {
		row := []string{i.Number, i.Supplier, i.Date, amount(i.Total), i.Currency, string(i.Verdict), string(i.State), "", "", "",
			i.FileName, i.ID.String()}
		if s := i.Settled; s != nil {
			copy(row[7:], []string{s.By, s.At.UTC().Format(time.RFC3339), s.Reason})
		}
		rows = append(rows, row)
	}
	return v.sheet("invoices", rows)
}

// actOnInvoices acts on the ticked invoices.
func (h *handler) actOnInvoices(v *visit) error {
	return h.actOnTicked(v, func() bulk { return bulks[report.WaitingInvoice] }, "/invoices", h.showInvoices)
}

// settleInvoice acts on one invoice from its page.
func (h *handler) settleInvoice(v *visit) error {
	ids, err := h.act(v, "id")
	if err != nil {
		return err
	}
	form, noForm := document.ParseID(v.PostFormValue("form"))
	a := matches.InvoiceAction{Form: form, Action: threeway.Action(v.PostFormValue("action")), Seen: v.PostFormValue("seen"),
		Reason: v.PostFormValue("reason"), By: v.person.Name, Origin: postgres.OriginConsole}
	if noForm != nil || a.Seen == "" || a.Action.State() == "" {
		return errBadForm
	}
	_, err = h.reader(v).SettleInvoice(ids[0].String(), a)
	var ours explain.Error
	switch {
	case errors.As(err, &ours):
		return h.showDocument(v, http.StatusConflict, ids[0], "Nothing was done: "+term.Clean(ours.Error(), term.MaxText)+".")
	case err != nil:
		return err
	}
	http.Redirect(v.w, v.Request, "/documents/"+ids[0].String()+"?"+url.Values{"done": {string(a.Action)}}.Encode(), http.StatusSeeOther)
	return nil
}

func seenInvoice(h *handler, v *visit, i explain.WaitingItem) (string, error) {
	seen, err := h.matches.InvoiceVersions(v.Context(), []uuid.UUID{i.Document.ID})
	if err == nil && seen[i.Document.ID] == "" {
		err = job.ErrNotFound
	}
	return seen[i.Document.ID], err
}

func settleOneInvoice(h *handler, v *visit, p picked, a postgres.Action) (job.Sender, []job.Stamped, error) {
	_, err := h.reader(v).SettleInvoice(p.document.String(), matches.InvoiceAction{Form: a.ID,
		Action: threeway.Action(v.PostFormValue("do")), Seen: p.seen, Reason: a.Reason, By: a.By, Origin: postgres.OriginConsole})
	return nil, nil, err
}
