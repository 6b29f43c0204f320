package console

import (
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"matchbook/lambda/cli/explain"
	"matchbook/lambda/cli/term"
	"matchbook/lambda/document"
	"matchbook/lambda/match/warning"
	"matchbook/lambda/postgres/report"

	"github.com/google/uuid"
)

type openPage struct {
	*explain.Waiting
	Kinds []waits // with waiting items
	Kind  string
	First bool
	Next  string // place of the next page; empty: last page
	Full  bool   // some items may be missing; see maxRanked
	All   bool   // with folded questions
	Bulk  bulk   // what can be done about several at once
	Ticks []string
	// Assigned has the assignees of the documents, and Assignee is the one that the list is for.
	Assigned map[uuid.UUID]string
	Assignee string
	Form     uuid.UUID
	notice
}

// waits is a kind of waiting item, with its count.
type waits struct {
	Name string
	N    int
}

// Full reports whether N is only a lower bound.
func (w waits) Full() bool { return w.N >= maxRanked }

// Verdicts lists what a person can find about the warnings of the page.
func (o openPage) Verdicts() (list []string) {
	for _, i := range o.Items {
		for _, v := range warning.Kind(i.WarningKind()).Verdicts() {
			if !slices.Contains(list, v) {
				list = append(list, v)
			}
		}
	}
	return list
}

// maxRanked bounds the items of a kind to count and rank by value. They're the newest.
const maxRanked = 1000

const openSize = 25

func (h *handler) open(v *visit) error {
	if err := h.choose(v); err != nil {
		return err
	}
	return h.showOpen(v, http.StatusOK, "")
}

// filter reads the kind and the place of a list of waiting things from the address or the form.
func (v *visit) filter() (f report.WaitingFilter, err error) {
	f = report.WaitingFilter{Tenant: v.tenant.ID, Newest: maxRanked, All: v.FormValue("all") != "",
		Assignee: term.Clean(v.FormValue("assigned"), term.MaxValue)}
	if kind := v.FormValue("kind"); kind != "" {
		if f.Kinds = []string{kind}; !slices.Contains(report.WaitingKinds, kind) {
			return f, errNotFound
		}
	}
	f.After, err = readWaitingPlace(v.FormValue("after"))
	return f, err
}

// showOpen shows the list. problem is the reason if an action failed.
func (h *handler) showOpen(v *visit, status int, problem string) error {
	o := openPage{Kind: v.FormValue("kind"), All: v.FormValue("all") != "", Form: uuid.New(), Bulk: bulks[v.FormValue("kind")]}
	o.notice = notice{v.didMany(), problem}
	f, err := v.filter()
	if err != nil {
		return err
	}
	o.First, o.Assignee = f.After == report.WaitingPlace{}, f.Assignee
	if o.Waiting, err = h.reader(v).Waiting(f, openSize+1); err != nil {
		return err
	}
	for _, kind := range report.WaitingKinds {
		if n := o.Counts[kind]; n > 0 {
			k := waits{kind, n}
			o.Kinds = append(o.Kinds, k)
			o.Full = o.Full || k.Full()
		}
	}
	if len(o.Items) > openSize {
		o.Items = o.Items[:openSize]
		o.Next = waitingPlace(o.Items[openSize-1].Place())
	}
	if o.Ticks, err = h.ticks(v, o.Kind, o.Items); err != nil {
		return err
	}
	ids := make([]uuid.UUID, len(o.Items))
	for i, item := range o.Items {
		ids[i] = item.Document.ID
	}
	if o.Assigned, err = h.matches.Assignees(v.Context(), ids); err != nil {
		return err
	}
	return h.show(v, status, "open", "Waiting for people", o)
}

// didMany describes a finished action on several things, by the parameters of the address.
func (v *visit) didMany() string {
	did, err := strconv.Atoi(v.URL.Query().Get("did"))
	if err != nil {
		return ""
	}
	words := "Done: " + thousands(did) + "."
	if left, err := strconv.Atoi(v.URL.Query().Get("left")); err == nil && left > 0 {
		words += " Left as they are, because they have changed or it can't be done: " + thousands(left) + "."
	}
	return words
}

// nextQuestion redirects to the question after a place and the pair left, otherwise to the
// list.
func (h *handler) nextQuestion(v *visit) error {
	if err := h.choose(v); err != nil {
		return err
	}
	after, err := readWaitingPlace(v.FormValue("after"))
	if err != nil {
		return err
	}
	w, err := h.reader(v).Waiting(report.WaitingFilter{Tenant: v.tenant.ID, Newest: maxRanked, After: after,
		Kinds: []string{report.WaitingQuestion}}, 2)
	if err != nil {
		return err
	}
	target := "/open?" + url.Values{"kind": {report.WaitingQuestion}, "tenant": {v.tenant.ID.String()}}.Encode()
	for _, i := range w.Items {
		a, b := i.Document.ID.String(), i.Other.ID.String()
		if left := v.FormValue("left"); !strings.Contains(left, a) || !strings.Contains(left, b) {
			target = "/pairs/" + a + "/" + b + "?" + url.Values{"from": {waitingPlace(i.Place())}}.Encode()
			break
		}
	}
	http.Redirect(v.w, v.Request, target, http.StatusSeeOther)
	return nil
}

// waitingPlace formats a place: kind, worth, microseconds since 1970, and the documents.
func waitingPlace(p report.WaitingPlace) string {
	return fmt.Sprintf("%s_%s_%d_%s_%s", p.Kind, p.Worth, p.Since.UnixMicro(), p.Document, p.Other)
}

var placeWorth = regexp.MustCompile(`^[0-9]{1,24}\.[0-9]{2}$`)

// readWaitingPlace parses a place from an address. An empty text is the beginning.
func readWaitingPlace(text string) (p report.WaitingPlace, err error) {
	if text == "" {
		return p, nil
	}
	parts := strings.Split(text, "_")
	if len(parts) != 5 || !slices.Contains(report.ToDoKinds, parts[0]) || !placeWorth.MatchString(parts[1]) {
		return p, errNotFound
	}
	at, err1 := strconv.ParseInt(parts[2], 10, 64)
	document, err2 := document.ParseID(parts[3])
	other, err3 := uuid.Parse(parts[4])
	if errors.Join(err1, err2, err3) != nil || at < 0 || at > lastPlace {
		return p, errNotFound
	}
	return report.WaitingPlace{Kind: parts[0], Worth: parts[1], Since: time.UnixMicro(at), Document: document, Other: other}, nil
}
