package console

import (
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"matchbook/lambda/document"
	"matchbook/lambda/ingest/printed"
	"matchbook/lambda/match/score"
	"matchbook/lambda/postgres/report"

	"github.com/google/uuid"
)

const pageSize = 50

type documentList struct {
	Documents []report.Listed
	Next      string // place of the next page; empty: last page
	First     bool
	States    []string
	Types     []document.Type
	State     string
	Type      document.Type
	Search    string
	By        string   // the way used, one of searches
	Bys       []string // the ways to choose from
	size      int      // of a page
}

// searches are the ways to search, tried in this order.
var searches = []string{"number", "amount", "party"}

// readList reads from the address what to list.
func (h *handler) readList(v *visit) (l documentList, after report.Place, err error) {
	if err := h.choose(v); err != nil {
		return l, after, err
	}
	if after, err = readPlace(v.FormValue("after")); err != nil {
		return l, after, err
	}
	l = documentList{size: pageSize, First: after == report.Place{}, States: report.Stages, Types: document.Types,
		State: v.FormValue("state"), Type: document.Type(v.FormValue("type")), By: v.FormValue("by"), Bys: searches,
		Search: strings.TrimSpace(v.FormValue("q"))}
	if l.State != "" && !slices.Contains(report.Stages, l.State) || l.Type != "" && !slices.Contains(document.Types, l.Type) ||
		l.By != "" && !slices.Contains(searches, l.By) || !searchable(l.Search) {
		return l, after, errNotFound
	}
	return l, after, nil
}

func (h *handler) documents(v *visit) error {
	l, after, err := h.readList(v)
	if err != nil {
		return err
	}
	if l.Search == "" {
		err = h.list(v, &l, after)
	} else if id, noID := document.ParseID(l.Search); noID == nil {
		return h.lead(v, id, l)
	} else {
		err = h.search(v, &l, after)
	}
	if err != nil {
		return err
	}
	if len(l.Documents) > pageSize {
		l.Documents = l.Documents[:pageSize]
		last := l.Documents[pageSize-1].Place
		l.Next = strconv.FormatInt(last.At, 10) + "_" + last.ID.String()
	}
	return h.show(v, http.StatusOK, "documents", "Documents", l)
}

const maxSearch = 400

func searchable(s string) bool {
	return len(s) <= maxSearch && utf8.ValidString(s) && !strings.Contains(s, "\x00")
}

// lastPlace is after every time in a database, in microseconds.
const lastPlace = 4e18

// readPlace parses a place from the address.
func readPlace(text string) (p report.Place, err error) {
	if text == "" {
		return p, nil
	}
	at, id, _ := strings.Cut(text, "_")
	var err1, err2 error
	p.At, err1 = strconv.ParseInt(at, 10, 64)
	p.ID, err2 = document.ParseID(id)
	if err1 != nil || err2 != nil || p.At < -lastPlace || p.At > lastPlace {
		return p, errNotFound
	}
	return p, nil
}

// list reads one document more than a page shows, so that the last page is known.
func (h *handler) list(v *visit, l *documentList, after report.Place) (err error) {
	f := report.ListFilter{Tenant: v.tenant.ID}
	if l.State != "" {
		f.Stages = []string{l.State}
	}
	if l.Type != "" {
		f.Types = []document.Type{l.Type}
	}
	l.Documents, err = h.reports.List(v.Context(), f, after, l.size+1)
	return err
}

// lead redirects to the document with an id, if it belongs to the tenant.
func (h *handler) lead(v *visit, id uuid.UUID, l documentList) error {
	found, err := h.reports.Summaries(v.Context(), []uuid.UUID{id})
	if err != nil {
		return err
	}
	if len(found) == 1 && found[0].TenantID == v.tenant.ID {
		http.Redirect(v.w, v.Request, "/documents/"+id.String(), http.StatusSeeOther)
		return nil
	}
	l.By = "id"
	return h.show(v, http.StatusOK, "documents", "Documents", l)
}

// search reads one document more than a page shows. By default it uses the first way to find
// any.
func (h *handler) search(v *visit, l *documentList, after report.Place) (err error) {
	ways := searches
	if l.By != "" {
		ways = []string{l.By}
	}
	for _, by := range ways {
		l.By = by
		switch by {
		case "number":
			l.Documents, err = h.numbered(v, l.Search, after, l.size+1)
		case "amount":
			l.Documents, err = h.totalled(v, l.Search, after, l.size+1)
		case "party":
			l.Documents, err = h.ofParty(v, l.Search, after, l.size+1)
		}
		if err != nil || len(l.Documents) > 0 {
			return err
		}
	}
	if len(ways) > 1 {
		l.By = ""
	}
	return nil
}

// numbered finds documents by their own number, however it's written.
func (h *handler) numbered(v *visit, number string, after report.Place, n int) ([]report.Listed, error) {
	own, err := score.OwnKeys(v.tenant.ID, number)
	if err != nil {
		return nil, err
	}
	return h.reports.Keyed(v.Context(), v.tenant.ID, own, number, after, n)
}

func (h *handler) totalled(v *visit, text string, after report.Place, n int) ([]report.Listed, error) {
	forms := totals(text)
	if len(forms) == 0 {
		return nil, nil
	}
	return h.reports.Totalled(v.Context(), v.tenant.ID, forms, after, n)
}

// totals lists the stored forms of a total: 119, 119.0 and 119.00.
func totals(text string) []string {
	plain := printed.Decimal(text)
	a, err := document.ParseAmount(plain)
	if err != nil {
		return nil
	}
	forms := []string{plain, a.Canonical()}
	whole, decimals, _ := strings.Cut(a.Canonical(), ".")
	for n := len(decimals); n < 2; n++ {
		decimals += "0"
		forms = append(forms, whole+"."+decimals)
	}
	slices.Sort(forms)
	return slices.Compact(forms)
}

// ofParty finds documents by the name, VAT id or IBAN of the supplier, otherwise of the buyer.
func (h *handler) ofParty(v *visit, name string, after report.Place, n int) ([]report.Listed, error) {
	data, err := json.Marshal(document.Data{Supplier: document.Party{Name: name, VATID: name, IBAN: name}})
	if err != nil {
		return nil, err
	}
	d, err := score.Read(score.Raw{TenantID: v.tenant.ID, Type: document.Invoice, Data: string(data)})
	if err != nil {
		return nil, err
	}
	keys := d.Companies()
	if len(keys) == 0 {
		return nil, nil
	}
	return h.reports.Keyed(v.Context(), v.tenant.ID, keys, "", after, n)
}

// Nothing describes an empty list.
func (l documentList) Nothing() string {
	switch {
	case l.Search == "" && l.First:
		return "No documents here."
	case l.Search == "":
		return "No more documents."
	case l.By == "":
		return fmt.Sprintf("No document found with number, amount or company %q.", l.Search)
	}
	return fmt.Sprintf("No document found with %s %q.", l.By, l.Search)
}
