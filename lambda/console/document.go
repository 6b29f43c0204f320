package console

import (
	"cmp"
	"net/http"

	"matchbook/lambda/cli/explain"
	"matchbook/lambda/cli/term"
	"matchbook/lambda/review/record"

	"github.com/google/uuid"
)

// documentPage is a document with everything known about it.
type documentPage struct {
	*explain.Explanation
	Timeline []explain.Event // latest first
	Picture  *picture        // of its cluster; nil: not in one
	Review   *reviewed       // latest one of a contract; nil: none
	Desk     *desk
	Form     uuid.UUID // makes the form act once
	Seen     string    // version of the state shown
	Assignee string
	Comments []explain.Event // latest first
	Invoice  string          // version of its three-way match; empty: none
	notice
}

// notice is the result of an action, or the reason why it failed.
type notice struct {
	Done    string
	Problem string
}

// Bounds of a page.
const (
	maxPairs    = 30
	maxComments = 20
)

// Shown returns the pairs to show, best first.
func (d documentPage) Shown() any { return d.Pairs[:min(len(d.Pairs), maxPairs)] }

// Matchable reports whether matching the document again can help: a file that was not read can't be
// matched.
func (d documentPage) Matchable() bool { return d.Document.Type != "" && !d.Document.Empty() }

// OfFile reports whether it came in a file.
func (d documentPage) OfFile() bool { return d.Desk.File != uuid.Nil }

// Failed reports whether its file was not read.
func (d documentPage) Failed() bool { return d.Desk.Status == "failed" }

// More is the number of pairs left out.
func (d documentPage) More() int { return max(len(d.Pairs)-maxPairs, 0) }

func (h *handler) document(v *visit) error {
	ids, err := h.admit(v, "id")
	if err != nil {
		return err
	}
	return h.showDocument(v, http.StatusOK, ids[0], "")
}

// showDocument shows a document. problem is the reason if an action failed.
func (h *handler) showDocument(v *visit, status int, id uuid.UUID, problem string) (err error) {
	done := v.URL.Query().Get("done")
	d := documentPage{Form: uuid.New(), notice: notice{cmp.Or(dones[done], findingDone[record.ActionKind(done)]), problem}}
	if d.Seen, err = h.DB.DocumentVersion(v.Context(), id); err != nil { // before the state, since that may change
		return err
	}
	versions, err := h.matches.InvoiceVersions(v.Context(), []uuid.UUID{id})
	if err != nil {
		return err
	}
	d.Invoice = versions[id]
	if err := h.notes(v, id, &d); err != nil {
		return err
	}
	if d.Explanation, err = h.reader(v).Document(id); err != nil {
		return err
	}
	if d.Timeline, err = h.reader(v).Timeline(id, h.Prices); err != nil {
		return err
	}
	if d.Picture, err = h.picture(v, d.Explanation); err != nil {
		return err
	}
	if d.Review, err = h.reviewOf(v, id); err != nil {
		return err
	}
	if d.Desk, err = h.desk(v, id, v.typed, v.flaws); err != nil {
		return err
	}
	if d.Review != nil && d.Document.Empty() { // reviewed only, so there is nothing to match
		d.Document.Unreadable, d.NoMatch = "", nil
	}
	return h.show(v, status, "document", d.Document.Called(), d)
}

// notes reads what people say to each other about the document.
func (h *handler) notes(v *visit, id uuid.UUID, d *documentPage) error {
	assignees, err := h.matches.Assignees(v.Context(), []uuid.UUID{id})
	if err != nil {
		return err
	}
	d.Assignee = term.Clean(assignees[id], term.MaxValue)
	comments, err := h.matches.Comments(v.Context(), id, maxComments)
	for _, c := range comments {
		words := term.Clean(c.By, term.MaxValue) + ": " + term.Clean(c.Text, term.MaxText)
		d.Comments = append(d.Comments, explain.Event{At: c.At, What: words})
	}
	return err
}

func (h *handler) picture(v *visit, e *explain.Explanation) (*picture, error) {
	members := e.Document.Cluster
	if len(members) < 2 {
		return nil, nil
	}
	at := 0
	for i, m := range members {
		if m.ID == e.Document.ID {
			at = i
		}
	}
	rest := len(members) - maxDrawn
	if rest > 0 { // the document, and its neighbours by arrival
		from := min(max(at-maxDrawn/2, 0), rest)
		members = members[from : from+maxDrawn]
	}
	g := graph{current: e.Document.ID, rest: max(rest, 0)}
	ids := make([]uuid.UUID, len(members))
	for i, m := range members {
		ids[i] = m.ID
		g.nodes = append(g.nodes, node{ID: m.ID, Type: m.Type, Label: m.Called(), Number: m.Number})
	}
	matches, err := h.reports.Matches(v.Context(), ids)
	for _, m := range matches {
		g.edges = append(g.edges, link{A: m.A, B: m.B, Confidence: m.Confidence, By: m.DecidedBy})
	}
	return g.draw(), err
}

type pairPage struct {
	*explain.Comparison
	Seen   string // version of the pair
	ByHand bool   // decided by a person
	From   string // its place among the questions; empty: opened from elsewhere
	notice
}

func (h *handler) pair(v *visit) error {
	ids, err := h.admit(v, "a", "b")
	if err != nil {
		return err
	}
	return h.showPair(v, http.StatusOK, ids, "")
}

// showPair shows a pair. problem is the reason if nothing was decided.
func (h *handler) showPair(v *visit, status int, ids []uuid.UUID, problem string) (err error) {
	from := v.FormValue("from")
	if _, err := readWaitingPlace(from); err != nil {
		return err
	}
	p := pairPage{From: from, notice: notice{dones[v.URL.Query().Get("done")], problem}}
	if p.Seen, err = h.matches.PairVersion(v.Context(), ids[0], ids[1]); err != nil { // before the pair, since that may change
		return err
	}
	if p.Comparison, err = h.reader(v).Pair(ids[0], ids[1]); err != nil {
		return err
	}
	p.ByHand = p.Pair != nil && p.Pair.DecidedBy == "person"
	return h.show(v, status, "pair", p.A.Called()+" and "+p.B.Called(), p)
}
