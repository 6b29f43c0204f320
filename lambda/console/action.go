package console

import (
	"errors"
	"net/http"
	"net/url"

	"matchbook/lambda/cli/explain"
	"matchbook/lambda/cli/term"
	"matchbook/lambda/console/login"
	"matchbook/lambda/document"
	"matchbook/lambda/failure"
	"matchbook/lambda/job"
	"matchbook/lambda/match/rules"
	"matchbook/lambda/match/threeway"
	"matchbook/lambda/match/warning"
	"matchbook/lambda/postgres"
	"matchbook/lambda/postgres/matches"

	"github.com/google/uuid"
)

const maxForm = 64 << 10

// act admits an operator to the documents in a path and parses the form.
func (h *handler) act(v *visit, names ...string) ([]uuid.UUID, error) {
	return h.actWith(v, maxForm, names...)
}

// actWith is act for a form of at most so many bytes.
func (h *handler) actWith(v *visit, most int64, names ...string) ([]uuid.UUID, error) {
	v.Body = http.MaxBytesReader(v.w, v.Body, most)
	ids, err := h.admit(v, names...)
	if err != nil {
		return nil, err
	}
	if v.person.Role(v.tenant.ID) < login.Operator {
		return nil, errNoOperator
	}
	if err := v.ParseForm(); err != nil {
		return nil, errBadForm
	}
	return ids, nil
}

// decide records a decision. Repeating one changes nothing; a stale form gets 409.
func (h *handler) decide(v *visit) error {
	ids, err := h.act(v, "a", "b")
	if err != nil {
		return err
	}
	d := matches.Decision{Verdict: rules.Verdict(v.PostFormValue("verdict")), By: v.person.Name, Origin: postgres.OriginConsole,
		Note: v.PostFormValue("note"), Seen: v.PostFormValue("seen")}
	switch d.Verdict {
	case rules.Confirmed, rules.Rejected, rules.Withdrawn:
	default:
		return errBadForm
	}
	if d.Seen == "" {
		return errBadForm
	}
	_, stamped, err := h.reader(v).Decide([]string{ids[0].String(), ids[1].String()}, d)
	h.send(v, stamped)
	var ours explain.Error
	switch {
	case errors.Is(err, postgres.ErrStale):
		return h.showPair(v, http.StatusConflict, ids,
			"The pair has changed since you opened it. Nothing was decided; see its current state below.")
	case errors.As(err, &ours):
		return h.showPair(v, http.StatusConflict, ids, term.Clean(ours.Error(), term.MaxText))
	case err != nil:
		return err
	}
	done := url.Values{"done": {string(d.Verdict)}}
	if from := v.PostFormValue("from"); from != "" {
		done.Set("from", from)
	}
	http.Redirect(v.w, v.Request, v.URL.Path+"?"+done.Encode(), http.StatusSeeOther)
	return nil
}

// publish queues a document for matching again, and keeps the reason.
func (h *handler) publish(v *visit) error {
	ids, err := h.act(v, "id")
	if err != nil {
		return err
	}
	form, noID := document.ParseID(v.PostFormValue("form"))
	reason := term.Clean(v.PostFormValue("reason"), term.MaxText)
	if noID != nil {
		return errBadForm
	}
	if reason == "" {
		return h.showDocument(v, http.StatusBadRequest, ids[0], "Enter a reason. It is kept with your name.")
	}
	stamped, err := h.DB.PublishFor(v.Context(), ids[0], postgres.Action{ID: form, By: term.Clean(v.person.Name, term.MaxValue),
		Reason: reason, Seen: v.PostFormValue("seen")})
	switch {
	case errors.Is(err, postgres.ErrStale):
		return h.showDocument(v, http.StatusConflict, ids[0],
			"The document has changed since you opened it. Nothing was done; see its current state below.")
	case err != nil:
		return err
	}
	h.send(v, stamped)
	http.Redirect(v.w, v.Request, "/documents/"+ids[0].String()+"?done=published", http.StatusSeeOther)
	return nil
}

// settle settles a warning about the first document that names the other one.
func (h *handler) settle(v *visit) error {
	ids, err := h.act(v, "id", "other")
	if err != nil {
		return err
	}
	facts, verdict := v.PostFormValue("facts"), v.PostFormValue("verdict")
	if facts == "" || verdict == "" {
		return errBadForm
	}
	_, err = h.reader(v).Settle([]string{ids[0].String(), ids[1].String()}, matches.Settlement{Kind: warning.Kind(v.PostFormValue("kind")),
		By: v.person.Name, Origin: postgres.OriginConsole, Verdict: verdict, Reason: v.PostFormValue("reason"), Facts: facts})
	var ours explain.Error
	switch {
	case errors.As(err, &ours):
		return h.showDocument(v, http.StatusConflict, ids[0], term.Clean(ours.Error(), term.MaxText))
	case err != nil:
		return err
	}
	http.Redirect(v.w, v.Request, "/documents/"+ids[0].String()+"?done=settled", http.StatusSeeOther)
	return nil
}

// send sends the messages of published documents. If it fails, the sweep retries.
func (h *handler) send(v *visit, stamped []job.Stamped) { h.sendTo(v, h.Sender, stamped) }

func (h *handler) sendTo(v *visit, to job.Sender, stamped []job.Stamped) {
	if err := job.Send(v.Context(), to, stamped); err != nil {
		h.Log.Warn("enqueue failed; sweep will retry", "reason", failure.Of(err).Text)
	}
}

// dones describes a finished action, by the done parameter of the address.
var dones = map[string]string{
	string(rules.Confirmed):   "Confirmed: the two belong together.",
	string(rules.Rejected):    "Rejected: the two do not belong together.",
	string(rules.Withdrawn):   "Withdrawn: the rules decided again.",
	"published":               "Published: the document will be matched again.",
	"finished":                "Saved: the document needs nobody any more.",
	"read":                    "Its file will be read again.",
	"dismissed":               "Done: it is matched with nothing, and waits for nobody. Read it again to take that back.",
	"divided":                 "Its file will be read again, one document from each part.",
	string(threeway.Approve):  "Approved. It is reopened if what it bills, or what was ordered or received, changes.",
	string(threeway.Hold):     "On hold.",
	string(threeway.Dispute):  "Disputed.",
	string(threeway.Withdraw): "Withdrawn: the invoice is open again.",
	string(matches.Comment):   "The comment is stored.",
	string(matches.Assign):    "The assignment is stored.",
	"tolerance":               "Saved. The invoices that it concerns are judged again.",
	"settled":                 "Settled: the warning is no longer open work unless its facts change.",
}
