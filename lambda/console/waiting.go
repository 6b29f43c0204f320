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
	"matchbook/lambda/document"
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
}

// waits is a kind of waiting item, with its count.
type waits struct {
	Name string
	N    int
}

// Full reports whether N is only a lower bound.
func (w waits) Full() bool { return w.N >= maxRanked }

// maxRanked bounds the items of a kind to count and rank by value. They're the newest.
const maxRanked = 1000

const openSize = 25

func (h *handler) open(v *visit) error {
	if err := h.choose(v); err != nil {
		return err
	}
	o := openPage{Kind: v.FormValue("kind"), All: v.FormValue("all") != ""}
	if o.Kind != "" && !slices.Contains(report.WaitingKinds, o.Kind) {
		return errNotFound
	}
	after, err := readWaitingPlace(v.FormValue("after"))
	if err != nil {
		return err
	}
	o.First = after == report.WaitingPlace{}
	f := report.WaitingFilter{Tenant: v.tenant.ID, Newest: maxRanked, All: o.All, After: after}
	if o.Kind != "" {
		f.Kinds = []string{o.Kind}
	}
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
	return h.show(v, http.StatusOK, "open", "Waiting for people", o)
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
	if len(parts) != 5 || !slices.Contains(report.WaitingKinds, parts[0]) || !placeWorth.MatchString(parts[1]) {
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
