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
	Kinds []waits // of which something waits
	Kind  string
	Rest  int  // that is not shown
	Full  bool // more wait than are ranked
}

// waits is a kind of what waits for people, with the number of those that wait.
type waits struct {
	Name string
	N    int
}

// Full reports that there may be more than are counted.
func (w waits) Full() bool { return w.N >= maxRanked }

// maxRanked bounds what is counted of a kind, and ordered by value: the newest ones.
const maxRanked = 1000

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
	f := report.WaitingFilter{Tenant: v.tenant.ID, Newest: maxRanked}
	if o.Kind != "" {
		f.Kinds = []string{o.Kind}
	}
	var err error
	if o.Waiting, err = h.reader(v).Waiting(f, openSize); err != nil {
		return err
	}
	for _, kind := range report.WaitingKinds {
		if n := o.Counts[kind]; n > 0 {
			k := waits{kind, n}
			o.Kinds = append(o.Kinds, k)
			o.Rest += n
			o.Full = o.Full || k.Full()
		}
	}
	o.Rest -= len(o.Items)
	return h.show(v, http.StatusOK, "open", "Waiting for people", o)
}
