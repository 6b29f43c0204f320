package explain

import (
	"fmt"
	"strings"
	"time"

	"matchbook/lambda/cli/term"
	"matchbook/lambda/internal/plural"
	"matchbook/lambda/manifest"
	"matchbook/lambda/postgres"
	"matchbook/lambda/postgres/report"

	"github.com/google/uuid"
)

// Waiting lists open work for people. All texts are clean.
type Waiting struct {
	Counts map[string]int `json:"counts"` // by kind, including items not listed
	Items  []WaitingItem  `json:"waiting"`
	Failed []string       `json:"failed,omitempty"`             // rows that are no documents: parts of reviews, jobs of offers
	Differ int            `json:"invoices_to_settle,omitempty"` // invoices that differ from orders and receipts
	Away   []string       `json:"away,omitempty"`               // services that are away; what waits for them needs nobody
}

// WaitingItem is a piece of work for a person.
type WaitingItem struct {
	Kind     string        `json:"kind"` // of report.WaitingKinds
	TenantID uuid.UUID     `json:"tenant_id"`
	Document waitingNamed  `json:"document"`
	Other    *waitingNamed `json:"other,omitempty"`
	Unread   *uuid.UUID    `json:"unread_ingestion_id,omitempty"` // of a file that could not be read
	Value    *string       `json:"value,omitempty"`               // the larger total of the two
	Score    *float64      `json:"score,omitempty"`
	Worth    string        `json:"worth"` // orders the list, see report.Waiting
	Why      string        `json:"why"`
	Since    time.Time     `json:"since"`
}

type waitingNamed struct {
	named
	Supplier string `json:"supplier,omitempty"`
}

// InShort returns Called with the supplier.
func (n waitingNamed) InShort() string {
	if n.Supplier == "" {
		return n.Called()
	}
	return n.Called() + " of " + n.Supplier
}

// Waiting reads at most limit items, the ones worth most first. Use Place to continue the list.
func (d *Reader) Waiting(f report.WaitingFilter, limit int) (*Waiting, error) {
	counts, err := d.reports.WaitingCounts(d.ctx, f)
	if err != nil {
		return nil, err
	}
	found, err := d.reports.Waiting(d.ctx, f, limit)
	if err != nil {
		return nil, err
	}
	items, err := d.items(found)
	if err != nil {
		return nil, err
	}
	away, err := postgres.ReadAway(d.ctx, d.db)
	if err != nil {
		return nil, err
	}
	w := &Waiting{Counts: counts, Items: items}
	w.Failed, w.Differ, err = d.elsewhere(f)
	for _, a := range away {
		w.Away = append(w.Away, term.Clean(a.String(), term.MaxText))
	}
	return w, err
}

// ToDo reads at most limit things to do in several tenants, the longest wait first.
func (d *Reader) ToDo(f report.ToDoFilter, limit int) ([]WaitingItem, error) {
	found, err := d.reports.ToDo(d.ctx, f, limit)
	if err != nil {
		return nil, err
	}
	return d.items(found)
}

func (d *Reader) items(found []report.Waiting) ([]WaitingItem, error) {
	names, err := d.namesOf(found)
	list := []WaitingItem{}
	for _, i := range found {
		item := WaitingItem{Kind: i.Kind, TenantID: i.TenantID, Document: names[i.Document], Value: i.Value, Score: i.Score,
			Unread: i.Unread, Worth: i.Worth, Why: term.Clean(i.Words, term.MaxText), Since: i.Since}
		if i.Other != nil {
			other := names[*i.Other]
			item.Other = &other
		}
		if i.Kind == report.ToRequeue { // it's no document
			item.Document.ID = i.Document
		}
		list = append(list, item)
	}
	return list, err
}

// elsewhere counts failed rows without a document to decide about, and invoices to settle, which the
// console lists. A filter of documents leaves them out.
func (d *Reader) elsewhere(f report.WaitingFilter) (failed []string, differ int, err error) {
	if len(f.Kinds) > 0 || f.MinValue != "" || f.Type != "" || !f.Since.IsZero() || f.Within > 0 || f.Newest > 0 {
		return nil, 0, nil
	}
	for _, w := range []struct {
		function manifest.Function
		one      string
	}{{manifest.Review, "part of a review|parts of reviews"}, {manifest.Offer, "job of match offers|jobs of match offers"}} {
		found, err := d.reports.Workload(d.ctx, w.function, f.Tenant)
		if err != nil {
			return nil, 0, err
		}
		one, many, _ := strings.Cut(w.one, "|")
		if found.Failed > 0 {
			failed = append(failed, plural.Of(found.Failed, one, many))
		}
	}
	differ, err = d.reports.ToSettle(d.ctx, f.Tenant)
	return failed, differ, err
}

func (d *Reader) namesOf(found []report.Waiting) (map[uuid.UUID]waitingNamed, error) {
	var ids []uuid.UUID
	for _, i := range found {
		ids = append(ids, i.Document)
		if i.Other != nil {
			ids = append(ids, *i.Other)
		}
	}
	summaries, err := d.reports.Summaries(d.ctx, ids)
	names := make(map[uuid.UUID]waitingNamed, len(summaries))
	for _, s := range summaries {
		names[s.ID] = waitingNamed{name(s), term.Clean(s.Supplier, term.MaxValue)}
	}
	return names, err
}

// waitingWords has the noun of each kind, and the command that settles it.
var waitingWords = map[string]struct{ one, command string }{
	report.WaitingQuestion: {"question", "matchbook confirm %s %s, or reject"},
	report.WaitingWarning:  {"warning", "matchbook settle %s %s %s --reason TEXT"},
	report.WaitingDocument: {"failed document", "matchbook publish %s"},
	report.WaitingFile:     {"file", "matchbook correct %s FIELD=VALUE --done"},
	report.WaitingReview:   {"review", "matchbook review findings %s --state open"},
	report.WaitingInvoice:  {"invoice", "matchbook settle approve %s --reason TEXT, or hold, dispute, withdraw"},
}

// Text lists documents, reason and command of each item.
func (w *Waiting) Text() string {
	p := &page{}
	for _, sentence := range w.Away {
		p.Line("%s", sentence)
	}
	var counts []string
	for _, kind := range report.WaitingKinds {
		if n := w.Counts[kind]; n > 0 {
			counts = append(counts, plural.Of(n, waitingWords[kind].one))
		}
	}
	if len(w.Failed) > 0 {
		p.Line("Also failed: %s: matchbook status --failed", strings.Join(w.Failed, ", "))
	}
	nothing := "Nothing"
	if w.Differ > 0 {
		nothing += " else"
		p.Line("Also to settle: %s from what was ordered and received: To do in the console, or matchbook settle approve INVOICE",
			plural.Of(w.Differ, "invoice that differs", "invoices that differ"))
	}
	if len(counts) == 0 {
		p.Line("%s waits for people.", nothing)
		return p.String()
	}
	p.Line("Waiting for people: %s", strings.Join(counts, ", "))
	for _, i := range w.Items {
		p.Line("")
		p.item(i)
		p.do(itemIndent, i.commands())
	}
	rest := -len(w.Items)
	for _, n := range w.Counts {
		rest += n
	}
	if rest > 0 {
		p.Line("\n... and %d more: --limit", rest)
	}
	return p.String()
}

// WarningKind returns the kind of a warning.
func (i WaitingItem) WarningKind() string {
	kind, _, _ := strings.Cut(i.Why, ":")
	return kind
}

func (i WaitingItem) commands() []string {
	if do := i.Do(); do != nil {
		return do
	}
	ids := []any{i.Document.ID}
	switch i.Kind {
	case report.WaitingQuestion:
		ids = append(ids, i.Other.ID)
	case report.WaitingWarning:
		ids = []any{i.WarningKind(), i.Document.ID, i.Other.ID}
	}
	return []string{remedy(i.Kind, ids...)}
}

// Do returns what to do about a failed row, a line each; nil for other work.
func (i WaitingItem) Do() []string {
	switch {
	case i.Unread != nil:
		return unreadRemedy(i.Why, *i.Unread)
	case i.Kind == report.WaitingDocument:
		return DoAbout(i.Why, remedy(i.Kind, i.Document.ID))
	}
	return nil
}

// unreadRemedy returns what to do about a file that could not be read. Correcting its document
// doesn't read it.
func unreadRemedy(err string, ingestion uuid.UUID) []string {
	return DoAbout(err, fmt.Sprintf("matchbook publish --ingestions %s", ingestion))
}

// remedy returns the command that settles work of this kind on these ids.
func remedy(kind string, ids ...any) string { return fmt.Sprintf(waitingWords[kind].command, ids...) }

var itemIndent = strings.Repeat(" ", 16)

func (p *page) item(i WaitingItem) {
	head := waitingWords[i.Kind].one
	if i.Score != nil {
		head += fmt.Sprintf(" %.2f", *i.Score)
	}
	value := "-"
	if i.Value != nil {
		value = *i.Value
	}
	p.Line("%14s  %s, since %s", value, head, i.Since.UTC().Format(time.DateOnly))
	p.Hang(itemIndent, i.Document.InShort())
	if i.Document.Number != "" && i.Document.FileName != "" {
		p.Hang(itemIndent, "file "+i.Document.FileName)
	}
	if i.Other != nil {
		p.Hang(itemIndent, i.Other.InShort())
	}
	if i.Why != "" {
		p.Hang(itemIndent, i.Why)
	}
}
