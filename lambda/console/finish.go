package console

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"matchbook/lambda/cli/term"
	"matchbook/lambda/document"
	"matchbook/lambda/ingest/gate"
	"matchbook/lambda/ingest/printed"
	"matchbook/lambda/job"
	"matchbook/lambda/postgres"
	"matchbook/lambda/postgres/ingestions"
	"matchbook/lambda/postgres/report"

	"github.com/google/uuid"
)

// flaw is something wrong with a value. Field is its path, or empty for the whole document.
type flaw struct {
	Field string `json:"field"`
	Text  string `json:"text"`
}

// maxValues bounds a form of values, in bytes.
const maxValues = 256 << 10

// prefix marks the inputs of values in a form.
const prefix = "value."

var lineForm = regexp.MustCompile(`^line_items\.(\d{1,4})\.([a-z_]+)$`)

// lineOf returns the line, from 0, and the column of a path.
func lineOf(at string) (n int, column string, ok bool) {
	m := lineForm.FindStringSubmatch(at)
	if m == nil {
		return 0, "", false
	}
	n, _ = strconv.Atoi(m[1])
	return n, m[2], true
}

// typing is a form of values: what was typed, and what of it differs from the document.
type typing struct {
	typed   map[string]string
	changes map[string]json.RawMessage // nil: to remove
	flaws   []flaw
	broken  bool // a flaw that can't be stored
}

// read compares a form with the values of the document.
func (t *typing) read(form map[string][]string, values map[string]string) {
	t.typed, t.changes = map[string]string{}, map[string]json.RawMessage{}
	for name, list := range form {
		at, ok := strings.CutPrefix(name, prefix)
		if !ok {
			continue
		}
		value := strings.TrimSpace(list[0])
		t.typed[at] = value
		if value == values[at] || value == shownValue(values[at]) {
			continue
		}
		raw, err := document.ParseField(at, printed.Typed(at, value))
		if err != nil {
			t.flaws, t.broken = append(t.flaws, flaw{at, term.Clean(strings.TrimPrefix(err.Error(), at+": "), term.MaxText)}), true
			continue
		}
		if old, err := document.ParseField(at, values[at]); err != nil || values[at] == "" || !bytes.Equal(old, raw) {
			t.changes[at] = raw
		}
	}
	slices.SortFunc(t.flaws, func(a, b flaw) int { return strings.Compare(a.Field, b.Field) })
}

// set returns structured data with the changes, for the checks only: PostgreSQL applies them.
func set(data json.RawMessage, changes map[string]json.RawMessage) (document.Data, error) {
	var root map[string]any
	if json.Unmarshal(data, &root) != nil || root == nil {
		root = map[string]any{}
	}
	for _, at := range inOrder(changes) {
		if at == "type" {
			continue
		}
		var value any
		if changes[at] != nil {
			_ = json.Unmarshal(changes[at], &value) // by ParseField
		}
		changed, err := put(root, strings.Split(at, "."), value)
		if err != nil {
			return document.Data{}, err
		}
		root = changed.(map[string]any)
	}
	whole, err := json.Marshal(root)
	if err != nil {
		return document.Data{}, err
	}
	return document.Parse(whole)
}

// inOrder lists the paths so that item 9 comes before item 10.
func inOrder(changes map[string]json.RawMessage) []string {
	all := make([]string, 0, len(changes))
	for at := range changes {
		all = append(all, at)
	}
	key := func(at string) string {
		parts := strings.Split(at, ".")
		for i, p := range parts {
			if n, err := strconv.Atoi(p); err == nil {
				parts[i] = fmt.Sprintf("%04d", n)
			}
		}
		return strings.Join(parts, ".")
	}
	slices.SortFunc(all, func(a, b string) int { return strings.Compare(key(a), key(b)) })
	return all
}

var errNoRoom = errors.New("fill the line before it first")

// put sets a value below at. An item must be a known one or the next.
func put(at any, parts []string, value any) (any, error) {
	if len(parts) == 0 {
		return value, nil
	}
	if n, err := strconv.Atoi(parts[0]); err == nil {
		list, _ := at.([]any)
		if n > len(list) {
			return nil, errNoRoom
		}
		if n == len(list) {
			list = append(list, nil)
		}
		inner, err := put(list[n], parts[1:], value)
		list[n] = inner
		return list, err
	}
	object, ok := at.(map[string]any)
	if !ok {
		object = map[string]any{}
	}
	inner, err := put(object[parts[0]], parts[1:], value)
	if object[parts[0]] = inner; inner == nil {
		delete(object, parts[0])
	}
	return object, err
}

// examine reads a form of values, and checks them as they would be: sums, dates, check digits and
// required fields.
func (h *handler) examine(v *visit, id uuid.UUID) (t typing, err error) {
	raws, err := h.matches.Raws(v.Context(), []uuid.UUID{id})
	if err != nil || len(raws) == 0 {
		return t, errors.Join(err, errNotFound)
	}
	values, err := h.values(v, id)
	if err != nil {
		return t, err
	}
	t.read(v.PostForm, values)
	data, err := set(json.RawMessage(raws[0].Data), t.changes)
	if err != nil {
		t.flaws, t.broken = append(t.flaws, flaw{"", term.Clean(err.Error(), term.MaxText)}), true
		return t, nil
	}
	kind := raws[0].Type
	if chosen, ok := t.typed["type"]; ok {
		kind = document.Type(chosen)
	}
	if kind == "" && !t.broken {
		t.flaws, t.broken = append(t.flaws, flaw{"type", "Choose what it is."}), true
	}
	own, err := ingestions.New(h.DB).OwnCompanies(v.Context(), v.tenant.ID)
	if err != nil {
		return t, err
	}
	for _, r := range gate.Typed(kind, data, time.Now(), own...) {
		if !slices.ContainsFunc(t.flaws, func(f flaw) bool { return f.Field == r.Field }) {
			t.flaws = append(t.flaws, flaw{r.Field, term.Clean(r.Text, term.MaxText)})
		}
	}
	return t, nil
}

// check answers with the flaws of values while a person types them. It stores nothing.
func (h *handler) check(v *visit) error {
	ids, err := h.actWith(v, maxValues, "id")
	if err != nil {
		return err
	}
	t, err := h.examine(v, ids[0])
	if err != nil {
		return err
	}
	v.w.Header().Set("Content-Type", "application/json")
	return json.NewEncoder(v.w).Encode(append([]flaw{}, t.flaws...))
}

// formOf reads the key of a form, and what its person saw.
func (v *visit) formOf() (a postgres.Action, err error) {
	if a.ID, err = document.ParseID(v.PostFormValue("form")); err != nil || v.PostFormValue("seen") == "" {
		return a, errBadForm
	}
	a.By, a.Seen = term.Clean(v.person.Name, term.MaxValue), v.PostFormValue("seen")
	a.Reason = term.Clean(v.PostFormValue("reason"), term.MaxText)
	return a, nil
}

// correct stores what a person typed, and that the document needs nobody any more. Values that
// don't add up are stored only if the person insists, because the page may print them.
func (h *handler) correct(v *visit) error {
	ids, err := h.actWith(v, maxValues, "id")
	if err != nil {
		return err
	}
	a, err := v.formOf()
	if err != nil {
		return err
	}
	version, err := ingestions.New(h.DB).FileVersion(v.Context(), ids[0])
	if err != nil {
		return err
	}
	if version != a.Seen { // a double click, or a stale page: its old values are no corrections
		_, _, err := ingestions.New(h.DB).Finish(v.Context(), ids[0], a, nil)
		return h.acted(v, ids[0], nil, nil, err, "finished")
	}
	t, err := h.examine(v, ids[0])
	if err != nil {
		return err
	}
	if t.broken || len(t.flaws) > 0 && v.PostFormValue("sure") == "" {
		v.typed, v.flaws = t.typed, t.flaws
		return h.showDocument(v, http.StatusUnprocessableEntity, ids[0], "Nothing was saved yet. See what is marked below.")
	}
	stamped, _, err := ingestions.New(h.DB).Finish(v.Context(), ids[0], a, t.changes)
	return h.acted(v, ids[0], h.Sender, stamped, err, "finished")
}

// acted ends an act about a file: it sends the messages, and leads to the page.
func (h *handler) acted(v *visit, id uuid.UUID, to job.Sender, stamped []job.Stamped, err error, done string) error {
	switch {
	case errors.Is(err, postgres.ErrStale):
		return h.showDocument(v, http.StatusConflict, id,
			"The document has changed since you opened it. Nothing was done; see its current state below.")
	case errors.Is(err, ingestions.ErrNoFile), errors.Is(err, ingestions.ErrNoSuchPage), errors.Is(err, ingestions.ErrElectronic):
		return errBadForm
	case errors.Is(err, job.ErrNotFound):
		return errNotFound
	case err != nil:
		return err
	}
	h.sendTo(v, to, stamped)
	http.Redirect(v.w, v.Request, "/documents/"+id.String()+"?done="+done, http.StatusSeeOther)
	return nil
}

// readAgain publishes the file of a document.
func (h *handler) readAgain(v *visit) error {
	return h.fileAct(v, func(id uuid.UUID, a postgres.Action) error {
		stamped, err := ingestions.New(h.DB).ReadAgain(v.Context(), id, a, v.PostFormValue("fresh") != "")
		return h.acted(v, id, h.Reads, stamped, err, "read")
	})
}

// dismiss records that a file is no business document.
func (h *handler) dismiss(v *visit) error {
	return h.fileAct(v, func(id uuid.UUID, a postgres.Action) error {
		if a.Reason == "" {
			return h.showDocument(v, http.StatusBadRequest, id, "Enter a reason. It is kept with your name.")
		}
		stamped, err := ingestions.New(h.DB).Dismiss(v.Context(), id, a)
		return h.acted(v, id, h.Sender, stamped, err, "dismissed")
	})
}

// divide records at which pages the documents of a file begin, and has it read again.
func (h *handler) divide(v *visit) error {
	return h.fileAct(v, func(id uuid.UUID, a postgres.Action) error {
		begins := []int{1}
		for _, text := range v.PostForm["begin"] {
			n, err := strconv.Atoi(text)
			if err != nil {
				return errBadForm
			}
			begins = append(begins, n)
		}
		slices.Sort(begins)
		stamped, err := ingestions.New(h.DB).Divide(v.Context(), id, a, slices.Compact(begins))
		return h.acted(v, id, h.Reads, stamped, err, "divided")
	})
}

func (h *handler) fileAct(v *visit, do func(uuid.UUID, postgres.Action) error) error {
	ids, err := h.act(v, "id")
	if err != nil {
		return err
	}
	a, err := v.formOf()
	if err != nil {
		return err
	}
	return do(ids[0], a)
}

// maxAhead bounds the files among which the next one is found.
const maxAhead = 200

// nextFile redirects to the file that waits after a document, otherwise to the list.
func (h *handler) nextFile(v *visit) error {
	ids, err := h.admit(v, "id")
	if err != nil {
		return err
	}
	w, err := h.reports.Waiting(v.Context(), report.WaitingFilter{Tenant: v.tenant.ID, Newest: maxRanked,
		Kinds: []string{report.WaitingFile}}, maxAhead)
	if err != nil {
		return err
	}
	at := slices.IndexFunc(w, func(w report.Waiting) bool { return w.Document == ids[0] })
	if w = append(w[at+1:], w[:max(at, 0)]...); len(w) > 0 {
		http.Redirect(v.w, v.Request, "/documents/"+w[0].Document.String()+"#desk", http.StatusSeeOther)
		return nil
	}
	http.Redirect(v.w, v.Request, "/open?kind=file&tenant="+v.tenant.ID.String(), http.StatusSeeOther)
	return nil
}
