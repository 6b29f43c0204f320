// Package deadletter lists, redrives and drops the messages of dead-letter queues, each with the
// row it names. The row is the truth: a message of a row that has succeeded, or was published
// again, is done, and dropping it loses nothing. To redrive a message is to publish its failed row,
// so that the row has one message, with a new stamp, whatever else was sent.
//
// Each message redriven or dropped is recorded in dead_letter_action, before it is deleted.
package deadletter

import (
	"cmp"
	"context"
	"slices"
	"time"

	"matchbook/lambda/cli/cost"
	"matchbook/lambda/cli/term"
	"matchbook/lambda/job/sqsjob"
	"matchbook/lambda/manifest"
	"matchbook/lambda/postgres"
	"matchbook/lambda/postgres/report"

	"github.com/google/uuid"
)

// The states of a dead letter.
const (
	Failed  = report.LetterFailed
	Done    = report.LetterDone
	Waiting = report.LetterWaiting
	NoRow   = report.LetterNoRow
)

// Letter is a dead letter with its row. All texts are clean.
type Letter struct {
	Function  string     `json:"function"`
	MessageID string     `json:"message_id,omitempty"` // empty: a failed row without a message
	State     string     `json:"state"`
	Why       string     `json:"why,omitempty"` // of the state
	ID        uuid.UUID  `json:"id"`            // of the row
	TenantID  uuid.UUID  `json:"tenant_id"`
	Kind      string     `json:"kind,omitempty"` // of the failure
	Error     string     `json:"error,omitempty"`
	Attempts  int        `json:"attempts"`
	USD       *float64   `json:"usd,omitempty"` // paid for its document so far; nil: nothing, or an unknown price
	SentAt    *time.Time `json:"sent_at,omitempty"`
	ExpiresAt *time.Time `json:"expires_at,omitempty"`
	message   sqsjob.DeadLetter
	erased    bool // its row was deleted
}

// Source is a function with its queue.
type Source struct {
	Function manifest.Function
	Queue    *sqsjob.Queue // nil: without queues, as with matchbook serve, failed rows stand for dead letters
}

// Desk works on the dead letters of some functions.
type Desk struct {
	DB      *postgres.DB
	Prices  *cost.ModelPrices
	Sources []Source
	By      string // the person, for the record
	Reason  string
	// Wait waits between the batches of a redrive; nil: in real time.
	Wait func(context.Context, time.Duration) error
}

// Filter selects dead letters. A zero field selects all.
type Filter struct {
	Kind   string // of failure
	Tenant uuid.UUID
	IDs    []uuid.UUID // of rows or messages
	only   func(Letter) bool
}

func (f Filter) has(l Letter) bool {
	return (f.only == nil || f.only(l)) && (f.Kind == "" || f.Kind == l.Kind) && (f.Tenant == uuid.Nil || f.Tenant == l.TenantID) &&
		(f.IDs == nil || slices.ContainsFunc(f.IDs, func(id uuid.UUID) bool { return id == l.ID || id.String() == l.MessageID }))
}

// Bounds of a read: SQS hides what was read for this time, which is long enough to settle it.
const (
	maxLetters = 10_000
	hidden     = 15 * time.Minute
)

// box is the open dead-letter queue of a source, with the letters read from it.
type box struct {
	Source
	dead    *sqsjob.DeadLetters // nil: none
	letters []Letter
}

// open reads the dead letters of a source that the filter selects.
func (d *Desk) open(ctx context.Context, s Source, f Filter) (b *box, err error) {
	b = &box{Source: s}
	if s.Queue == nil {
		b.letters, err = d.failedRows(ctx, s.Function, f)
		return b, err
	}
	if b.dead, err = s.Queue.DeadLetters(ctx); err != nil || b.dead == nil {
		return b, err
	}
	messages, err := b.dead.Read(ctx, maxLetters, hidden)
	if err == nil {
		b.letters, err = d.joined(ctx, s.Function, messages)
	}
	if err != nil {
		_ = b.dead.Release(context.WithoutCancel(ctx), messages) // otherwise they are visible in 15 minutes
		return nil, err
	}
	selected := b.letters[:0:0]
	var others []Letter
	for _, l := range b.letters {
		if f.has(l) {
			selected = append(selected, l)
		} else {
			others = append(others, l)
		}
	}
	b.letters = selected
	return b, b.release(ctx, others)
}

// release makes messages visible again, even after an interrupt.
func (b *box) release(ctx context.Context, letters []Letter) error {
	if b.dead == nil {
		return nil
	}
	return b.dead.Release(context.WithoutCancel(ctx), messages(letters))
}

func messages(letters []Letter) (list []sqsjob.DeadLetter) {
	for _, l := range letters {
		list = append(list, l.message)
	}
	return list
}

// failedRows are the failed rows of a function without a queue.
func (d *Desk) failedRows(ctx context.Context, f manifest.Function, filter Filter) ([]Letter, error) {
	if f.Rowless {
		return nil, nil
	}
	failed, err := d.DB.JobsOf(postgres.Tables[f.Name]).Failed(ctx,
		postgres.FailedFilter{Kind: filter.Kind, Tenant: filter.Tenant, IDs: filter.IDs})
	if err != nil {
		return nil, err
	}
	list := make([]sqsjob.DeadLetter, min(len(failed.Rows), maxLetters))
	for i := range list {
		list[i].ID = failed.Rows[i].ID
	}
	return d.joined(ctx, f, list)
}

// joined reads the rows of messages.
func (d *Desk) joined(ctx context.Context, f manifest.Function, list []sqsjob.DeadLetter) ([]Letter, error) {
	letters := make([]Letter, len(list))
	var ids, documents []uuid.UUID
	for i, m := range list {
		letters[i] = Letter{Function: f.Name, MessageID: m.MessageID, ID: m.ID, message: m}
		if m.MessageID != "" {
			letters[i].SentAt, letters[i].ExpiresAt = &m.SentAt, &m.ExpiresAt
		}
		ids = append(ids, m.ID)
	}
	if f.Rowless || len(ids) == 0 {
		return eachIn(letters, NoRow, "it names no row"), nil
	}
	reports := report.From(d.DB)
	rows, err := reports.LetterRows(ctx, postgres.Tables[f.Name], ids)
	if err != nil {
		return nil, err
	}
	found := map[uuid.UUID]report.LetterRow{}
	for _, r := range rows {
		found[r.ID] = r
		documents = append(documents, r.Subject)
	}
	asked, err := reports.Asked(ctx, documents)
	if err != nil {
		return nil, err
	}
	paid := d.paid(asked)
	for i := range letters {
		l := &letters[i]
		row, ok := found[l.ID]
		l.State, l.Why = row.State(l.ID, l.message.PublishedAt, ok)
		l.erased = !ok && l.ID != uuid.Nil
		l.TenantID, l.Kind, l.Attempts = row.TenantID, row.Kind, row.Attempts
		l.Error, l.USD = term.Clean(row.Error, term.MaxText), paid[row.Subject]
	}
	slices.SortStableFunc(letters, func(a, b Letter) int {
		return cmp.Or(cmp.Compare(rank[a.State], rank[b.State]), cmp.Compare(a.Kind, b.Kind), a.message.SentAt.Compare(b.message.SentAt))
	})
	return letters, nil
}

var rank = map[string]int{Failed: 0, NoRow: 1, Waiting: 2, Done: 3}

func eachIn(letters []Letter, state, why string) []Letter {
	for i := range letters {
		letters[i].State, letters[i].Why = state, why
	}
	return letters
}

// paid sums up the known prices of calls by document.
func (d *Desk) paid(asked []report.Asked) map[uuid.UUID]*float64 {
	sums := map[uuid.UUID]*float64{}
	for _, a := range asked {
		usd, known := d.Prices.USD(a.Model, a.PromptTokens, a.CompletionTokens)
		if !known {
			continue
		}
		if sums[a.Document] == nil {
			sums[a.Document] = new(float64)
		}
		*sums[a.Document] += usd
	}
	return sums
}
