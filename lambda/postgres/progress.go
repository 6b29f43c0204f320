package postgres

import (
	"context"
	"sync"
	"time"

	"github.com/google/uuid"
)

// progress tracks how far the attempts of the last claim have come. They do the same things at
// almost the same moment, so the first at a statement waits a little for the others and shares
// it with them. A lone attempt doesn't wait. The zero value is empty.
type progress struct {
	mu       sync.Mutex
	attempts map[uuid.UUID]claimed // by row, without ended ones
	changed  chan struct{}         // closed when an attempt moves on; nil without a waiter
}

type claimed struct {
	tenant uuid.UUID
	at     stage
}

// stage is a statement shared by attempts; stages are numbered in their order.
type stage int

const (
	loading   stage = iota + 1
	searching       // candidates
	writing         // for the first time
	ending
)

// begin replaces all attempts.
func (p *progress) begin(attempts map[uuid.UUID]claimed) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.attempts = attempts
	p.change()
}

// reach records the arrival of an attempt at a stage.
func (p *progress) reach(id uuid.UUID, at stage) {
	p.mu.Lock()
	defer p.mu.Unlock()
	c, known := p.attempts[id]
	if !known || c.at >= at {
		return
	}
	if c.at = at; at == ending {
		delete(p.attempts, id)
	} else {
		p.attempts[id] = c
	}
	p.change()
}

func (p *progress) change() {
	if p.changed != nil {
		close(p.changed)
		p.changed = nil
	}
}

// wait returns once all attempts of the tenant (uuid.Nil: of any) have come to a stage, or
// after the limit.
func (p *progress) wait(ctx context.Context, at stage, tenant uuid.UUID, limit time.Duration) {
	late := time.NewTimer(limit)
	defer late.Stop()
	for {
		changed := p.behind(at, tenant)
		if changed == nil {
			return
		}
		select {
		case <-changed:
		case <-late.C:
			return
		case <-ctx.Done():
			return
		}
	}
}

// behind returns a channel closed when an attempt moves on, or nil if all have come to the
// stage.
func (p *progress) behind(at stage, tenant uuid.UUID) <-chan struct{} {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, c := range p.attempts {
		if c.at < at && (tenant == uuid.Nil || c.tenant == tenant) {
			if p.changed == nil {
				p.changed = make(chan struct{})
			}
			return p.changed
		}
	}
	return nil
}
