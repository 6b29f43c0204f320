package console

import (
	"net/http"
	"slices"

	"matchbook/lambda/explain"
	"matchbook/lambda/postgres/report"
)

// openPage is a page of what waits for people.
type openPage struct {
	*explain.Waiting
	Kinds []stage // with what waits of each
	Kind  string
	Rest  int // that is not shown
}

// openSize is the number of items of a page.
const openSize = 25

func (h *handler) open(v *visit) error {
	if err := h.choose(v); err != nil {
		return err
	}
	o := openPage{Kind: v.FormValue("kind")}
	if o.Kind != "" && !slices.Contains(report.WaitingKinds, o.Kind) {
		return errNotFound
	}
	f := report.WaitingFilter{Tenant: v.tenant.ID}
	if o.Kind != "" {
		f.Kinds = []string{o.Kind}
	}
	var err error
	if o.Waiting, err = h.reader(v).Waiting(f, openSize); err != nil {
		return err
	}
	for _, kind := range report.WaitingKinds {
		if n := o.Counts[kind]; n > 0 {
			o.Kinds = append(o.Kinds, stage{kind, report.Count{N: n}})
			o.Rest += n
		}
	}
	o.Rest -= len(o.Items)
	return h.show(v, http.StatusOK, "open", "Waiting for people", o)
}
