package console

import (
	"net/http"
	"strconv"

	"matchbook/lambda/cli/term"
	"matchbook/lambda/document"
	"matchbook/lambda/postgres/matches"
	"matchbook/lambda/postgres/report"

	"github.com/google/uuid"
)

// mostCounted bounds the things of a kind that are counted for the navigation and for /todo, so
// that a page costs the same however much waits.
const mostCounted = 100

// tally is a count, up to mostCounted of each kind.
type tally struct {
	N    int
	Full bool // N is a lower bound
}

func (t *tally) add(n int) { t.N, t.Full = t.N+n, t.Full || n >= mostCounted }

// tenantCounts has the number of things that wait in a tenant.
type tenantCounts struct {
	Open, Invoices, Offers *tally
	kinds                  map[string]int
}

func (h *handler) counts(v *visit, tenant uuid.UUID) (c tenantCounts, err error) {
	c = tenantCounts{Open: &tally{}, Invoices: &tally{}, Offers: &tally{}}
	if c.kinds, err = h.reports.WaitingCounts(v.Context(), report.WaitingFilter{Tenant: tenant, Newest: mostCounted}); err != nil {
		return c, err
	}
	for _, n := range c.kinds {
		c.Open.add(n)
	}
	invoices, err := h.reports.InvoiceCounts(v.Context(), report.InvoiceFilter{Tenant: tenant,
		States: invoiceViews[0].states, Verdicts: invoiceViews[0].verdicts()}, mostCounted)
	if err != nil {
		return c, err
	}
	for _, n := range invoices {
		c.Invoices.add(n)
	}
	failed, err := h.reports.FailedOfferCount(v.Context(), tenant, mostCounted)
	c.Offers.add(failed)
	return c, err
}

// todoPage lists the tenants that the person may see, with what waits in each, and all of it, the
// oldest first.
type todoPage struct {
	Kinds   []string
	Tenants []todoTenant // on the first page of the list
	Before  string       // number of the previous page of tenants; empty: none
	Next    string
	List    todoList
}

type todoTenant struct {
	report.Tenant
	tenantCounts
	Kinds []tally // of report.WaitingKinds
	Mine  tally   // assigned to the person
}

// todoSize is the number of tenants on a page, and maxTodo the last page.
const (
	todoSize = 15
	maxTodo  = 200
)

func (h *handler) todo(v *visit) error {
	number := 0
	if text := v.FormValue("page"); text != "" {
		var err error
		if number, err = strconv.Atoi(text); err != nil || number < 0 || number > maxTodo {
			return errNotFound
		}
	}
	list, err := h.readToDo(v, openSize)
	if err != nil {
		return err
	}
	p := todoPage{Kinds: report.WaitingKinds, List: list}
	if list.First {
		if err := h.countToDo(v, &p, number); err != nil {
			return err
		}
	}
	return h.show(v, http.StatusOK, "todo", "To do", p)
}

// countToDo adds a page of tenants with their counts.
func (h *handler) countToDo(v *visit, p *todoPage, number int) error {
	ids, _ := v.person.Tenants()
	found, err := h.reports.Tenants(v.Context(), ids, (number+1)*todoSize+1)
	if err != nil {
		return err
	}
	if number > 0 {
		p.Before = strconv.Itoa(number - 1)
	}
	if len(found) > (number+1)*todoSize {
		found, p.Next = found[:(number+1)*todoSize], strconv.Itoa(number+1)
	}
	for _, t := range found[min(number*todoSize, len(found)):] {
		one, err := h.todoOf(v, t)
		if err != nil {
			return err
		}
		p.Tenants = append(p.Tenants, one)
	}
	return nil
}

func (h *handler) todoOf(v *visit, t report.Tenant) (one todoTenant, err error) {
	one.Tenant = t
	if one.tenantCounts, err = h.counts(v, t.ID); err != nil {
		return one, err
	}
	for _, kind := range report.WaitingKinds {
		var n tally
		n.add(one.kinds[kind])
		one.Kinds = append(one.Kinds, n)
	}
	name := term.Clean(v.person.Name, term.MaxValue)
	if name == "" {
		return one, nil
	}
	mine, err := h.reports.WaitingCounts(v.Context(), report.WaitingFilter{Tenant: t.ID, Newest: mostCounted, Assignee: name})
	for _, n := range mine {
		one.Mine.add(n)
	}
	return one, err
}

// note stores a comment about a document, or to whom it is assigned.
func (h *handler) note(v *visit) error {
	ids, err := h.act(v, "id")
	if err != nil {
		return err
	}
	form, noForm := document.ParseID(v.PostFormValue("form"))
	n := matches.Note{Form: form, Kind: matches.NoteKind(v.PostFormValue("do")), By: term.Clean(v.person.Name, term.MaxValue)}
	switch n.Kind {
	case matches.Comment:
		n.Text = term.Clean(v.PostFormValue("text"), term.MaxText)
	case matches.Assign:
		n.Text = term.Clean(v.PostFormValue("assignee"), term.MaxValue)
	default:
		noForm = errBadForm
	}
	if noForm != nil {
		return errBadForm
	}
	if n.Kind == matches.Comment && n.Text == "" {
		return h.showDocument(v, http.StatusBadRequest, ids[0], "Enter a comment.")
	}
	if err := h.matches.WriteNote(v.Context(), ids[0], n); err != nil {
		return err
	}
	http.Redirect(v.w, v.Request, "/documents/"+ids[0].String()+"?done="+string(n.Kind), http.StatusSeeOther)
	return nil
}
