package postgres

import (
	"context"
	"sync"
	"time"

	"github.com/google/uuid"
)

// progress holds the attempts of the last claim by how far they are. They do the same at
// almost the same moment: one that comes to a statement waits a little for those that
// will come to it, and has it together with them. One that is alone waits for none. The
// zero value holds none.
type progress struct {
	mu       sync.Mutex
	attempts map[uuid.UUID]claimed // by row; without those that have ended
	changed  chan struct{}         // closed when one comes further; nil without a waiter
}

type claimed struct {
	tenant uuid.UUID
	at     stage
}

// stage is a statement that attempts share, in their order.
type stage int

const (
	loading   stage = iota + 1
	searching       // candidates
	writing         // for the first time
	ending
)

// begin replaces all attempts by these.
func (p *progress) begin(attempts map[uuid.UUID]claimed) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.attempts = attempts
	p.change()
}

// reach records that the attempt at a row has come to a stage.
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

// wait returns when all attempts have come to a stage, of a tenant or of all (uuid.Nil),
// or after the limit.
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

// behind returns a channel that is closed when an attempt comes further; nil if none is
// before the stage.
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
