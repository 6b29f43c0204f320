package review

import (
	"context"
	"log/slog"

	"matchbook/lambda/failure"
	"matchbook/lambda/job"
	"matchbook/lambda/llm"
	"matchbook/lambda/review/analyst"
	"matchbook/lambda/review/card"
	"matchbook/lambda/review/category"
	"matchbook/lambda/review/chunk"
	"matchbook/lambda/review/playbook"
	"matchbook/lambda/review/record"
	"matchbook/lambda/review/whole"

	"github.com/google/uuid"
)

// Creator stores new reviews.
type Creator interface {
	// Create stores a review and its pending chunks in one transaction, and returns their
	// messages, which the caller must send. For an existing id it does nothing.
	Create(ctx context.Context, n record.New) ([]job.Stamped, error)
	// Playbook returns a tenant's playbook, or nil if none is stored.
	Playbook(ctx context.Context, tenantID uuid.UUID) ([]byte, error)
}

// Starter starts reviews.
type Starter struct {
	Store  Creator
	Sender job.Sender // to the review function's queue
	Model  string     // name of the function's model; empty: rules
	Price  llm.Price
	Log    *slog.Logger
}

// Request describes the review to start.
type Request struct {
	ID         uuid.UUID // of the review; uuid.Nil: generated; an existing one starts nothing
	TenantID   uuid.UUID
	DocumentID uuid.UUID // uuid.Nil: derived from the text
	Name       string    // of the contract, for people
	Text       string    // must come from chunk.Clean
	Budget     record.USD
	Playbook   []byte // JSON; empty: the tenant's, else the default
}

const maxName = 200

// Start divides the contract into chunks, publishes them, and returns the review's id. A
// permanent failure describes the mistake in the request. If sending fails, Start succeeds,
// because the sweep retries.
func (s *Starter) Start(ctx context.Context, q Request) (uuid.UUID, error) {
	n, err := s.prepare(ctx, q)
	if err != nil {
		return uuid.Nil, err
	}
	stamped, err := s.Store.Create(ctx, n)
	if err != nil {
		return uuid.Nil, failure.At("store the review", err)
	}
	if unsent, err := s.Sender.Send(ctx, stamped); err != nil {
		s.Log.Warn("enqueue chunks failed; sweep will retry",
			"review", n.ID, "chunks", len(unsent), "reason", failure.Of(err).Text)
	}
	return n.ID, nil
}

func (s *Starter) prepare(ctx context.Context, q Request) (record.New, error) {
	if len(q.Playbook) == 0 {
		own, err := s.Store.Playbook(ctx, q.TenantID)
		if err != nil {
			return record.New{}, failure.At("read the playbook of the tenant", err)
		}
		q.Playbook = own
	}
	if len(q.Playbook) == 0 {
		q.Playbook = playbook.Default()
	}
	rules, err := playbook.Parse(q.Playbook)
	if err != nil {
		return record.New{}, failure.Permanently("playbook: %s", err)
	}
	if s.Price == (llm.Price{}) && q.Budget > 0 && s.Model != "" {
		return record.New{}, failure.Permanently("unknown price of the model: configure it, or leave out the budget")
	}
	n := record.New{ID: q.ID, TenantID: q.TenantID, DocumentID: q.DocumentID, Name: shortened(q.Name), Text: q.Text,
		Budget: q.Budget, Model: s.Model, Playbook: q.Playbook, PlaybookVersion: rules.Version()}
	if n.ID == uuid.Nil {
		n.ID = uuid.New()
	}
	if n.DocumentID == uuid.Nil {
		n.DocumentID = uuid.NewSHA1(n.TenantID, []byte(q.Text))
	}
	for i, p := range chunk.Split(q.Text) {
		n.Chunks = append(n.Chunks, record.Chunk{JobID: n.ID, Position: i, Kind: record.Text,
			Start: p.Start, End: p.End, Heading: p.Heading})
	}
	if s.Model != "" {
		n.CardFirst = true
		n.Estimate = s.estimate(q.Text, n.Chunks, rules)
	}
	return n, nil
}

// likelyWhole is the number of tasks with answers as long as the one about the whole contract.
const likelyWhole = 5

// estimate returns the likely cost of all calls, assuming the rules' marks call the same
// analysts as the model's.
func (s *Starter) estimate(text string, chunks []record.Chunk, rules playbook.Playbook) (sum record.USD) {
	facts := whole.Facts(text, func(name string) bool { return rules.SideOf(name) > 0 })
	sum = likely(s.Price, card.Question(text, facts, rules.Side()), 1)
	last := record.Task{Text: text, Card: &facts}
	for _, c := range chunks {
		p := analyst.Passage{Text: text[c.Start:c.End], Start: c.Start, Heading: c.Heading}
		p.Known = card.Brief(facts, rules.Side(), p.Text, c.Start, c.End)
		marks := category.ByRules(p.Text, p.Start, p.Heading)
		tasks := analyst.Route(marks, p)
		sum += likely(s.Price, analyst.Question(tasks, p, rules), len(tasks))
		last.Marks = append(last.Marks, marks...)
	}
	return sum + likely(s.Price, whole.Question(last, rules), likelyWhole)
}

func shortened(name string) string {
	if runes := []rune(name); len(runes) > maxName {
		return string(runes[:maxName])
	}
	return name
}
