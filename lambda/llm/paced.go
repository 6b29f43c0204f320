package llm

import (
	"context"
	"math"
	"slices"
	"sync"

	"matchbook/lambda/failure"
)

// fewest is the lowest bound of concurrent calls: two, so that one call that hangs doesn't keep
// all others waiting.
const fewest = 2

// Paced returns m with a bound on its concurrent calls that follows what the provider accepts.
// The first calls go without a bound. A call that is refused because there were too many sets it
// to half of the calls under way, and as many successes as the bound raise it by one while callers
// need it. Callers wait in the order of their arrival. Only refusals count: a provider that fails or hangs
// is left to its breaker, and the time of an answer depends on its length.
func Paced(m Model) Model { return paced{m, &pace{bound: math.MaxInt32}} }

type paced struct {
	Model
	pace *pace
}

// Answer implements Model.
func (p paced) Answer(ctx context.Context, q Question) (answer Answer, err error) {
	bound, err := p.pace.enter(ctx)
	if err != nil {
		return Answer{}, err
	}
	defer func() { p.pace.leave(bound, err) }()
	return p.Model.Answer(ctx, q)
}

type pace struct {
	mu      sync.Mutex
	bound   float64
	halved  int // number of times
	running int
	waiting []chan struct{} // closed when it is the caller's turn
}

// enter waits for the caller's turn. It returns how often the bound had been halved then.
func (p *pace) enter(ctx context.Context) (halved int, err error) {
	turn := make(chan struct{})
	p.mu.Lock()
	p.waiting = append(p.waiting, turn)
	p.admit()
	p.mu.Unlock()
	select {
	case <-turn:
	case <-ctx.Done():
		err = ctx.Err()
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if err != nil {
		if i := slices.Index(p.waiting, turn); i >= 0 {
			p.waiting = slices.Delete(p.waiting, i, i+1)
		} else { // its turn came at the same time
			p.running--
			p.admit()
		}
	}
	return p.halved, err
}

// leave ends a call. A refusal of a call that began before the bound was halved doesn't count, so
// that a batch of refusals halves it once.
func (p *pace) leave(halved int, err error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	switch {
	case err == nil && p.running >= int(p.bound):
		p.bound += 1 / p.bound
	case err != nil && failure.Of(err).Busy && halved == p.halved:
		p.bound, p.halved = max(float64(p.running)/2, fewest), p.halved+1
	}
	p.running--
	p.admit()
}

// admit gives turns, as many as the bound allows. The caller must hold mu.
func (p *pace) admit() {
	for len(p.waiting) > 0 && p.running < int(p.bound) {
		close(p.waiting[0])
		p.waiting, p.running = p.waiting[1:], p.running+1
	}
}
