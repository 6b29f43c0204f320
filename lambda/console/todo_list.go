package console

import (
	"net/url"
	"slices"
	"time"

	"matchbook/lambda/cli/explain"
	"matchbook/lambda/cli/term"
	"matchbook/lambda/postgres/report"

	"github.com/google/uuid"
)

// todoList has the things to do in several tenants, by the filter of the address.
type todoList struct {
	Items    []explain.WaitingItem
	Kinds    []string
	Kind     string // empty: all
	Of       []report.Tenant
	Tenant   string // empty: all
	Assignee string
	At, Next string // places of this page and the next; empty: the first or the last one
	First    bool
	Called   map[uuid.UUID]string // the tenants, and the jobs of match offers
	Assigned map[uuid.UUID]string
	filter   report.ToDoFilter
}

// readToDo reads the list, by the filter of the address, in the first maxTenants tenants of the person.
func (h *handler) readToDo(v *visit, size int) (l todoList, err error) {
	ids, _ := v.person.Tenants()
	l = todoList{Kinds: report.ToDoKinds, Kind: v.FormValue("kind"), Tenant: v.FormValue("tenant"),
		Assignee: term.Clean(v.FormValue("assigned"), term.MaxValue), Called: map[uuid.UUID]string{}}
	l.filter.Assignee, l.At = l.Assignee, v.FormValue("after")
	if l.filter.After, err = readWaitingPlace(l.At); err != nil {
		return l, err
	}
	l.First = l.At == ""
	if l.Kind != "" {
		if l.filter.Kinds = []string{l.Kind}; !slices.Contains(l.Kinds, l.Kind) {
			return l, errNotFound
		}
	}
	if l.Of, err = h.reports.Tenants(v.Context(), ids, maxTenants); err != nil {
		return l, err
	}
	for _, t := range l.Of {
		if l.Called[t.ID] = term.Clean(t.Name, term.MaxValue); l.Tenant == "" || l.Tenant == t.ID.String() {
			l.filter.Tenants = append(l.filter.Tenants, t.ID)
		}
	}
	if l.Tenant != "" && len(l.filter.Tenants) == 0 {
		return l, errNotFound
	}
	if l.Items, err = h.reader(v).ToDo(l.filter, size+1); err != nil {
		return l, err
	}
	if len(l.Items) > size {
		l.Items = l.Items[:size]
		l.Next = waitingPlace(l.Items[size-1].Place())
	}
	return l, h.nameToDo(v, &l)
}

// nameToDo adds the names of the jobs, and to whom documents are assigned.
func (h *handler) nameToDo(v *visit, l *todoList) error {
	var jobs, documents []uuid.UUID
	for _, i := range l.Items {
		if i.Kind == report.ToRequeue {
			jobs = append(jobs, i.Document.ID)
		} else {
			documents = append(documents, i.Document.ID)
		}
	}
	found, err := h.reports.OfferJobs(v.Context(), jobs)
	if err != nil {
		return err
	}
	for _, j := range found {
		l.Called[j.ID] = "offers of " + j.Date.String() + " for " + offerList{}.Called(j)
	}
	l.Assigned, err = h.matches.Assignees(v.Context(), documents)
	return err
}

// Page returns the page where a thing is finished.
func (l todoList) Page(i explain.WaitingItem) string {
	switch {
	case i.Kind == report.ToRequeue:
		return "/offers/" + i.Document.ID.String()
	case i.Kind == report.WaitingQuestion && i.Other != nil:
		return "/pairs/" + i.Document.ID.String() + "/" + i.Other.ID.String()
	}
	return "/documents/" + i.Document.ID.String()
}

// What names a thing.
func (l todoList) What(i explain.WaitingItem) string {
	switch {
	case i.Kind == report.ToRequeue:
		return l.Called[i.Document.ID]
	case i.Other != nil:
		return i.Document.InShort() + " and " + i.Other.InShort()
	}
	return i.Document.InShort()
}

// After returns the address of the list from a place on; empty is the beginning.
func (l todoList) After(path, place string) string {
	q := url.Values{}
	for name, value := range map[string]string{"kind": l.Kind, "tenant": l.Tenant, "assigned": l.Assignee, "after": place} {
		if value != "" {
			q.Set(name, value)
		}
	}
	return path + "?" + q.Encode()
}

// todoSheet writes what waits, from the place shown on.
func (h *handler) todoSheet(v *visit) error {
	l, err := h.readToDo(v, sheetRows)
	if err != nil {
		return err
	}
	rows := [][]string{{"since", "kind", "tenant", "what", "assigned", "why", "file", "id", "other_id"}}
	for _, i := range l.Items {
		other := ""
		if i.Other != nil {
			other = i.Other.ID.String()
		}
		rows = append(rows, []string{i.Since.UTC().Format(time.RFC3339), i.Kind, l.Called[i.TenantID], l.What(i), l.Assigned[i.Document.ID],
			i.Why, i.Document.FileName, i.Document.ID.String(), other})
	}
	return v.sheet("todo", rows)
}
