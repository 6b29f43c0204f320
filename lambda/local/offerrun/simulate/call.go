package simulate

import (
	"context"
	"errors"
	"time"

	"matchbook/lambda/job"
	"matchbook/lambda/manifest"
	"matchbook/lambda/offer"
	"matchbook/lambda/offer/day"
	"matchbook/lambda/offer/roster"

	"github.com/google/uuid"
)

// letters are the messages of a process.
type letters struct{ *process }

// Settle implements job.Messages.
func (p letters) Settle(_ context.Context, settled []job.Settled) {
	for _, s := range settled {
		switch m := p.batch[s.Index]; {
		case p.isDead():
		case s.Action == job.Ack:
			p.queue.delete(m.message)
		case s.Visibility != job.KeepVisibility:
			p.queue.hide(m, s.Visibility)
		}
	}
}

// Extend implements job.Messages. It is not called: claims live until the end of the
// invocation.
func (p letters) Extend(context.Context, []int, time.Duration) {}

// lease is the length of a claim by the simulated clock.
const lease = manifest.SettleReserve + manifest.LeaseMargin

// Claim implements job.Store.
func (p *process) Claim(ctx context.Context, ds []job.Delivery, _ time.Duration, suspects bool) ([]job.Claim, error) {
	claims := make([]job.Claim, len(ds))
	for i := range claims {
		claims[i].Found = job.Missing // nothing is left to do for a dead process
	}
	if !p.isDead() {
		var err error
		if claims, err = p.store.Claim(ctx, ds, manifest.Offer.Timeout+lease, suspects); err != nil {
			return nil, err
		}
	}
	if suspects && ds[0].Last && claims[0].Found == job.Held {
		p.cancel() // it would wait for the other lease, by the real clock
	}
	n := p.line(claims)
	select {
	case p.taken <- n:
	default: // not the first claim
	}
	return claims, nil
}

// Release implements job.Store.
func (p *process) Release(ctx context.Context, f job.Attempt, r job.Release) (bool, error) {
	if p.isDead() {
		return false, nil
	}
	return p.store.Release(ctx, f, r)
}

// Extend implements job.Store.
func (p *process) Extend(ctx context.Context, fences []job.Attempt, d time.Duration) ([]job.Attempt, error) {
	return p.store.Extend(ctx, fences, d)
}

// Find implements job.Store.
func (p *process) Find(ctx context.Context, id uuid.UUID) (job.Row, error) {
	if p.isDead() {
		return job.Row{}, job.ErrNotFound
	}
	return p.store.Find(ctx, id)
}

// Job implements offer.Store.
func (p *process) Job(ctx context.Context, f job.Attempt) (offer.Job, error) {
	if p.isDead() {
		return offer.Job{}, job.ErrFenceLost
	}
	if err := p.fails("read", f, failedRead); err != nil {
		return offer.Job{}, err
	}
	j, err := p.store.Job(ctx, f)
	if errors.Is(err, job.ErrFenceLost) {
		p.Stale++
	}
	return j, err
}

// Roster implements offer.Store.
func (p *process) Roster(ctx context.Context, tenant uuid.UUID, date day.Date) (roster.Frozen, error) {
	return p.store.Roster(ctx, tenant, date)
}

// Complete implements offer.Store.
func (p *process) Complete(ctx context.Context, f job.Attempt, set offer.Set, deliver bool) error {
	p.pause(true)
	dies := p.chance("kill", f)
	switch {
	case p.isDead():
		return job.ErrFenceLost
	case dies < killedAt/2:
		p.Killed++
		p.kill()
		return job.ErrFenceLost
	}
	if err := p.fails("write", f, failedCall/2); err != nil {
		return err
	}
	err := p.store.Complete(ctx, f, p.ledger.note(set), deliver)
	switch {
	case errors.Is(err, job.ErrFenceLost):
		p.Stale++
		return err
	case err != nil:
		return err
	}
	p.ledger.completed(set)
	if dies < killedAt {
		p.Killed++
		p.kill()
		return nil
	}
	return p.fails("answer of the commit", f, failedCall/2)
}
