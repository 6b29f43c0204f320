package console

import (
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strconv"

	"matchbook/lambda/cli/term"
	"matchbook/lambda/document"
	"matchbook/lambda/job"
	"matchbook/lambda/postgres"
	"matchbook/lambda/postgres/reviews"
	"matchbook/lambda/review/record"
	findings "matchbook/lambda/review/report"

	"github.com/google/uuid"
)

// reviewed is the latest review of a contract, with the selected findings.
type reviewed struct {
	record.Job
	All, Open int // findings to decide about, decided or not
	Findings  []findings.Finding
	More      int // of the selected ones, left out
	Analysts  []string
	Chosen    url.Values // the filter
}

// maxFindings bounds the findings on a page.
const maxFindings = 50

// Query returns the filter for an address.
func (r reviewed) Query() string {
	if len(r.Chosen) == 0 {
		return ""
	}
	return "?" + r.Chosen.Encode()
}

// Severities lists the choices of the filter.
func (reviewed) Severities() []record.Severity { return record.Choices() }

// States lists the choices of the filter.
func (reviewed) States() []record.State { return record.States() }

// reviewOf reads the latest review of a document, or nil.
func (h *handler) reviewOf(v *visit, id uuid.UUID) (*reviewed, error) {
	reviews := reviews.New(h.DB)
	j, err := reviews.Latest(v.Context(), id)
	if errors.Is(err, job.ErrNotFound) {
		return nil, nil
	}
	r := &reviewed{Job: j, Chosen: url.Values{}}
	for _, name := range []string{"severity", "analyst", "state"} {
		if value := v.URL.Query().Get(name); value != "" {
			r.Chosen.Set(name, value)
		}
	}
	filter, unknown := findings.NewFilter(r.Chosen.Get("severity"), r.Chosen.Get("analyst"), r.Chosen.Get("state"))
	if unknown != nil {
		return nil, errNotFound
	}
	found, err1 := findings.Findings(v.Context(), reviews, j.ID)
	actions, err2 := reviews.Actions(v.Context(), j.ID)
	if err := errors.Join(err, err1, err2); err != nil {
		return nil, err
	}
	all := findings.With(found, actions)
	all = slices.DeleteFunc(all, func(f findings.Finding) bool { return !f.Stands() })
	for _, f := range all {
		r.All++
		if f.State == record.Open {
			r.Open++
		}
		if !slices.Contains(r.Analysts, f.Analyst) {
			r.Analysts = append(r.Analysts, f.Analyst)
		}
	}
	slices.Sort(r.Analysts)
	r.Findings = filter.Select(all)
	r.More = max(len(r.Findings)-maxFindings, 0)
	r.Findings = r.Findings[:len(r.Findings)-r.More]
	return r, nil
}

// actOnFinding records a person's action about a finding.
func (h *handler) actOnFinding(v *visit) error {
	ids, err := h.act(v, "id")
	if err != nil {
		return err
	}
	review, noReview := document.ParseID(v.PathValue("review"))
	seq, noSeq := strconv.ParseInt(v.PathValue("seq"), 10, 32)
	if errors.Join(noReview, noSeq) != nil {
		return errNotFound
	}
	j, err := reviews.New(h.DB).Job(v.Context(), review)
	if err == nil && (j.DocumentID != ids[0] || j.TenantID != v.tenant.ID) {
		return errNotFound
	}
	var q record.Request
	if err == nil {
		q, err = findingForm(v)
	}
	if err == nil {
		if err := q.Check(); err != nil {
			return h.showDocument(v, http.StatusBadRequest, ids[0], "Nothing was done: "+err.Error()+".")
		}
		_, err = reviews.New(h.DB).Act(v.Context(), review, record.Ref{Seq: int(seq)}, q)
	}
	switch {
	case errors.Is(err, record.ErrChanged), errors.Is(err, record.ErrObsolete):
		return h.showDocument(v, http.StatusConflict, ids[0], "Nothing was done: "+err.Error()+". See the current state below.")
	case errors.Is(err, job.ErrNotFound):
		return errNotFound
	case err != nil:
		return err
	}
	query := v.URL.Query()
	query.Set("done", string(q.Kind))
	target := url.URL{Path: "/documents/" + ids[0].String(), RawQuery: query.Encode(), Fragment: fmt.Sprint("finding-", seq)}
	http.Redirect(v.w, v.Request, target.String(), http.StatusSeeOther)
	return nil
}

func findingForm(v *visit) (q record.Request, err error) {
	form, noForm := document.ParseID(v.PostFormValue("form"))
	seen, noSeen := strconv.ParseInt(v.PostFormValue("seen"), 10, 64)
	q = record.Request{Form: form, Seen: &seen, Action: record.Action{Kind: record.ActionKind(v.PostFormValue("action")),
		Text: term.Clean(v.PostFormValue("text"), term.MaxText), By: term.Clean(v.person.Name, term.MaxValue),
		Origin: postgres.OriginConsole}}
	if q.Kind == record.Assign {
		q.Text = term.Clean(v.PostFormValue("assignee"), term.MaxValue)
	}
	if errors.Join(noForm, noSeen) != nil || findingDone[q.Kind] == "" {
		return q, errBadForm
	}
	return q, nil
}

// findingDone describes a finished action about a finding, by the done parameter of the address.
var findingDone = map[record.ActionKind]string{
	record.Accept:  "Accepted: the risk of the finding is real.",
	record.Reject:  "Rejected: the finding stays so in later reviews of the clause.",
	record.Reopen:  "Reopened: the finding is open again.",
	record.Comment: "The comment is stored.",
	record.Assign:  "The assignment is stored.",
}
