package review_test

import (
	"context"
	"errors"
	"log/slog"
	"time"

	"matchbook/lambda/job"
	"matchbook/lambda/llm"
	"matchbook/lambda/review"
	"matchbook/lambda/review/record"

	"github.com/google/uuid"
)

// process is a worker's process. When ctx has ended, it was killed: nothing that
// it still does reaches the store, the queue or the model.
type process struct {
	ctx   context.Context
	store *memory
	queue *simQueue
	model *simModel
	batch []*simMessage
}

var errKilled = errors.New("the process was killed")

// alive makes a call of a living process.
func alive[T any](p *process, call func() (T, error)) (T, error) {
	if p.ctx.Err() != nil {
		var none T
		return none, errKilled
	}
	return call()
}

// run works on one batch, as the function does in one invocation, and deletes the
// messages that its response does not name.
func (p *process) run(s simulation, batch []*simMessage) {
	p.batch = batch
	deliveries := make([]job.Delivery, len(batch))
	for i, m := range batch {
		deliveries[i] = job.Delivery{ID: m.ID, Count: m.count, SentAt: m.sent, PublishedAt: m.PublishedAt}
	}
	reviewer := &review.Reviewer{Store: p, Model: &llm.Asker{Model: p.model, Vault: vault{p}}, Sender: p,
		Slots: make(chan struct{}, s.callsInFlight), Log: slog.New(slog.DiscardHandler)}
	runtime := &job.Runtime{Store: p, Work: job.Each(reviewer.Review), Backoff: s.retries, Lease: s.lease, Log: reviewer.Log}
	ctx, cancel := context.WithTimeout(p.ctx, s.timeout)
	defer cancel()
	for i, end := range runtime.Run(ctx, deliveries, messages{p}) {
		if end.Action == job.Ack && p.ctx.Err() == nil {
			p.queue.delete(batch[i])
		}
	}
}

// messages are the batch of a process.
type messages struct{ *process }

func (p messages) Settle(_ context.Context, settled []job.Settled) {
	for _, s := range settled {
		switch m := p.batch[s.Index]; {
		case p.ctx.Err() != nil:
		case s.Action == job.Ack:
			p.queue.delete(m)
		case s.Visibility != job.KeepVisibility:
			p.queue.hide(m, s.Visibility)
		}
	}
}

func (p messages) Extend(_ context.Context, indexes []int, d time.Duration) {
	for _, i := range indexes {
		if p.ctx.Err() == nil {
			p.queue.hide(p.batch[i], d)
		}
	}
}

func (p *process) Send(ctx context.Context, stamped []job.Stamped) ([]uuid.UUID, error) {
	return alive(p, func() ([]uuid.UUID, error) { return p.queue.Send(ctx, stamped) })
}

// The store of package job.

func (p *process) Claim(ctx context.Context, ds []job.Delivery, lease time.Duration, suspects bool) ([]job.Claim, error) {
	return alive(p, func() ([]job.Claim, error) { return p.store.Claim(ctx, ds, lease, suspects) })
}

func (p *process) Release(ctx context.Context, f job.Attempt, r job.Release) (bool, error) {
	return alive(p, func() (bool, error) { return p.store.Release(ctx, f, r) })
}

func (p *process) Extend(ctx context.Context, fences []job.Attempt, lease time.Duration) ([]job.Attempt, error) {
	return alive(p, func() ([]job.Attempt, error) { return p.store.Extend(ctx, fences, lease) })
}

func (p *process) Find(ctx context.Context, id uuid.UUID) (job.Row, error) {
	return alive(p, func() (job.Row, error) { return p.store.Find(ctx, id) })
}

// The store of package review.

func (p *process) Task(ctx context.Context, f job.Attempt) (record.Task, error) {
	return alive(p, func() (record.Task, error) { return p.store.Task(ctx, f) })
}

func (p *process) Begin(ctx context.Context, f job.Attempt, model string, calls []record.Call) (record.Standing, error) {
	return alive(p, func() (record.Standing, error) { return p.store.Begin(ctx, f, model, calls) })
}

func (p *process) Record(ctx context.Context, f job.Attempt, results []record.Result) (record.Standing, error) {
	return alive(p, func() (record.Standing, error) { return p.store.Record(ctx, f, results) })
}

func (p *process) Open(ctx context.Context, f job.Attempt) ([]job.Stamped, error) {
	return alive(p, func() ([]job.Stamped, error) { return p.store.Open(ctx, f) })
}

func (p *process) End(ctx context.Context, f job.Attempt, s job.Status, stage, reason string) ([]job.Stamped, error) {
	return alive(p, func() ([]job.Stamped, error) { return p.store.End(ctx, f, s, stage, reason) })
}

func (p *process) Standing(ctx context.Context, id uuid.UUID, model string) (record.Standing, error) {
	return alive(p, func() (record.Standing, error) { return p.store.Standing(ctx, id, model) })
}

func (p *process) Pause(ctx context.Context, model string, d time.Duration) error {
	_, err := alive(p, func() (int, error) { return 0, p.store.Pause(ctx, model, d) })
	return err
}

// vault notes the answers that are in storage.
type vault struct{ *process }

func (p vault) FindAnswer(ctx context.Context, k llm.Key) (id int64, text string, found bool, err error) {
	_, err = alive(p.process, func() (int, error) {
		id, text, found, err = p.store.FindAnswer(ctx, k)
		return 0, err
	})
	return id, text, found, err
}

func (p vault) KeepAnswer(ctx context.Context, k llm.Key, d uuid.UUID, a llm.Answer, unusable string) (int64, error) {
	return alive(p.process, func() (int64, error) { return p.store.KeepAnswer(ctx, k, d, a, unusable) })
}

func (p vault) DiscardAnswer(ctx context.Context, id int64, why string) error {
	_, err := alive(p.process, func() (int, error) { return 0, p.store.DiscardAnswer(ctx, id, why) })
	return err
}
