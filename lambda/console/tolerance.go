package console

import (
	"errors"
	"maps"
	"net/http"
	"net/url"
	"slices"

	"matchbook/lambda/cli/term"
	"matchbook/lambda/document"
	"matchbook/lambda/ingest/printed"
	"matchbook/lambda/match/threeway"
	"matchbook/lambda/postgres"
	"matchbook/lambda/postgres/matches"
	"matchbook/lambda/postgres/report"

	"github.com/google/uuid"
)

// tolerancePage has the tolerances of a tenant, one of them in a form.
type tolerancePage struct {
	All     []supplierTolerance // the tenant's first
	More    int
	Changes []toleranceChange
	Edited  *toleranceForm
	notice
}

// supplierTolerance is a row of the page.
type supplierTolerance struct {
	Key    string
	Values []string // of the columns, as threeway.Bounds, then services
	Free   bool     // no receipt is needed
}

// Columns are the names of Values.
func (tolerancePage) Columns() (list []string) {
	for _, b := range threeway.Bounds {
		list = append(list, b.Name)
	}
	return append(list, threeway.Services)
}

type toleranceForm struct {
	Key      string
	Fields   []toleranceField
	Receipt  bool
	Services string
	Stored   bool // it has its own, which can be removed
	Form     uuid.UUID
	Seen     string
}

type toleranceField struct{ Name, Purpose, Value string }

// toleranceChange is an entry of the history.
type toleranceChange struct {
	report.ToleranceChange
	Words []string
}

// Bounds of the page.
const (
	maxTolerances       = 100
	maxToleranceChanges = 30
)

func (h *handler) tolerances(v *visit) error {
	if err := h.choose(v); err != nil {
		return err
	}
	return h.showTolerances(v, http.StatusOK, nil, "")
}

// showTolerances shows the page. typed are the values of a form that was not stored, with the problem.
func (h *handler) showTolerances(v *visit, status int, typed map[string]string, problem string) error {
	p := tolerancePage{notice: notice{dones[v.URL.Query().Get("done")], problem}}
	seen, err := h.matches.TolerancesVersion(v.Context(), v.tenant.ID) // before the state, since that may change
	if err != nil {
		return err
	}
	all, err := h.matches.Tolerances(v.Context(), v.tenant.ID)
	if err != nil {
		return err
	}
	if v.Form.Has("supplier") {
		key, err := threeway.ParseSupplier(v.FormValue("supplier"))
		if err != nil {
			status, p.Problem = http.StatusBadRequest, "Nothing was done: supplier: "+err.Error()+"."
		} else {
			p.Edited = toleranceIn(all, key, typed, v.acts())
			p.Edited.Seen = seen
		}
	}
	all[""] = all.For("")
	keys := slices.Sorted(maps.Keys(all))
	p.More = max(len(keys)-maxTolerances, 0)
	for _, key := range keys[:len(keys)-p.More] {
		t := all[key]
		p.All = append(p.All, rowOf(key, &t))
	}
	changes, err := h.reports.ToleranceChanges(v.Context(), v.tenant.ID, maxToleranceChanges)
	for _, c := range changes {
		p.Changes = append(p.Changes, toleranceChange{c, changeWords(c)})
	}
	if err != nil {
		return err
	}
	return h.show(v, status, "tolerances", "Tolerances", p)
}

func rowOf(key string, t *threeway.Tolerance) supplierTolerance {
	row := supplierTolerance{Key: key, Free: !t.NeedsReceipt}
	values := t.Values()
	for _, name := range (tolerancePage{}).Columns() {
		row.Values = append(row.Values, values[name])
	}
	return row
}

func toleranceIn(all threeway.Tolerances, key string, typed map[string]string, acts bool) *toleranceForm {
	t := all.For(key)
	values := t.Values()
	maps.Copy(values, typed)
	_, stored := all[key]
	f := &toleranceForm{Key: key, Receipt: values[threeway.NeedsReceipt] == "true", Services: values[threeway.Services],
		Stored: stored && acts, Form: uuid.New()}
	for _, b := range threeway.Bounds {
		f.Fields = append(f.Fields, toleranceField{b.Name, b.Purpose, values[b.Name]})
	}
	return f
}

// changeWords lists what a change changed.
func changeWords(c report.ToleranceChange) (list []string) {
	if c.After == nil {
		return []string{"removed"}
	}
	before, after := c.Before.Values(), c.After.Values()
	for _, name := range append((tolerancePage{}).Columns(), threeway.NeedsReceipt) {
		if before[name] != after[name] {
			list = append(list, term.Clean(name+" "+before[name]+" → "+after[name], term.MaxText))
		}
	}
	if len(list) == 0 {
		list = append(list, "set as it was for all others")
	}
	return list
}

// setTolerance stores a tolerance, or removes a supplier's.
func (h *handler) setTolerance(v *visit) error {
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
	form, noForm := document.ParseID(v.PostFormValue("form"))
	key, noKey := threeway.ParseSupplier(v.PostFormValue("supplier"))
	c := matches.ToleranceChange{Form: form, By: term.Clean(v.person.Name, term.MaxValue), Origin: postgres.OriginConsole,
		Reason: term.Clean(v.PostFormValue("reason"), term.MaxText), Seen: v.PostFormValue("seen")}
	typed := typedTolerance(v)
	switch do := v.PostFormValue("do"); {
	case noForm != nil, noKey != nil, c.Seen == "", do != "set" && do != "remove", do == "remove" && key == "":
		return errBadForm
	case do == "set":
		c.Change = func(t *threeway.Tolerance) error { return t.Apply(typed) }
		if err := c.Change(new(threeway.Usual())); err != nil {
			return h.showTolerances(v, http.StatusBadRequest, typed, "Nothing was done: "+err.Error()+".")
		}
	}
	if c.Reason == "" {
		return h.showTolerances(v, http.StatusBadRequest, typed, "Enter a reason. It is kept with your name.")
	}
	_, _, stamped, err := h.matches.SetTolerance(v.Context(), v.tenant.ID, key, c)
	h.send(v, stamped)
	switch {
	case errors.Is(err, matches.ErrStaleTolerance):
		return h.showTolerances(v, http.StatusConflict, nil,
			"The tolerances have changed since you opened them. Nothing was done; see their current state below.")
	case err != nil:
		return err
	}
	done := url.Values{"tenant": {v.tenant.ID.String()}, "done": {"tolerance"}}
	http.Redirect(v.w, v.Request, "/tolerances?"+done.Encode(), http.StatusSeeOther)
	return nil
}

// typedTolerance reads the values of a form. A number that it lacks is an invalid amount.
func typedTolerance(v *visit) map[string]string {
	typed := map[string]string{threeway.NeedsReceipt: "false", threeway.Services: term.Clean(v.PostFormValue(threeway.Services), maxWords)}
	if v.PostFormValue(threeway.NeedsReceipt) != "" {
		typed[threeway.NeedsReceipt] = "true"
	}
	for _, b := range threeway.Bounds {
		typed[b.Name] = printed.TypedNumber(term.Clean(v.PostFormValue(b.Name), term.MaxValue))
	}
	return typed
}
