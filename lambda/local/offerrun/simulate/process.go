package simulate

import (
	"context"
	"encoding/binary"
	"hash/fnv"
	"slices"
	"sync"
	"time"

	"matchbook/lambda/failure"
	"matchbook/lambda/job"
	"matchbook/lambda/manifest"
	"matchbook/lambda/offer"

	"github.com/google/uuid"
)

// Shares of batches and of writes that meet a fault.
const (
	slowBatch  = 0.03  // lasts for seconds to minutes, while others work
	killed     = 0.3   // of the slow ones: the process dies before its first write
	stalled    = 0.3   // of the slow ones: goes on long after its leases have ended
	killedAt   = 0.004 // of writes: the process dies before or after it
	failedCall = 0.004 // of writes: the database refuses it, or its answer is lost
	failedRead = 0.002 // of reads
)

// process is an invocation of the function: the real runtime and the real work on
// one batch. Its jobs run one after the other, so that a run can be repeated. When
// it is dead nothing that it still does reaches the store or the queue.
type process struct {
	*simulation
	batch  []receipt
	cancel context.CancelFunc
	resume chan struct{} // closed when a slow batch goes on; nil: it is not slow
	writes bool          // a slow batch stands still at its first write, not before its jobs

	mu     sync.Mutex
	dead   bool
	turns  map[uuid.UUID]chan struct{} // closed when a job may begin
	order  []uuid.UUID                 // of the jobs that have not ended
	taken  chan int                    // the number of claims of the batch
	begun  chan struct{}               // a job of a slow batch waits
	result chan []job.Settlement
}

// invoke starts a batch and calls free when the process has ended.
func (s *simulation) invoke(batch []receipt, free func()) {
	p := &process{simulation: s, batch: batch, turns: map[uuid.UUID]chan struct{}{},
		taken: make(chan int, 1), begun: make(chan struct{}, len(batch)), result: make(chan []job.Settlement, 1)}
	if s.rand.Float64() >= slowBatch {
		p.work()
		p.end(<-p.result)
		s.after(s.queue.draw(400*time.Millisecond), free)
		return
	}
	p.resume, p.writes = make(chan struct{}), s.rand.IntN(2) == 0
	go p.work()
	p.paused()
	s.running = append(s.running, p)
	s.after(p.lasts(), func() {
		s.running = slices.DeleteFunc(s.running, func(r *process) bool { return r == p })
		close(p.resume)
		p.end(<-p.result)
		free()
	})
}

// paused waits until a slow batch stands still: all of its jobs at their beginning,
// or the first one at its write. A batch without such a job has its result.
func (p *process) paused() {
	n := max(<-p.taken, 1) // without claims, the first of those that are claimed alone
	if p.writes {
		n = 1
	}
	for range n {
		select {
		case <-p.begun:
		case r := <-p.result:
			p.result <- r
			return
		}
	}
}

// pause stops a job of a slow batch until the batch goes on.
func (p *process) pause(atWrite bool) {
	if p.resume != nil && p.writes == atWrite {
		p.begun <- struct{}{}
		<-p.resume
	}
}

// lasts draws how long a slow batch lasts, and whether its process dies then.
func (p *process) lasts() time.Duration {
	switch {
	case p.rand.Float64() < killed:
		p.kill()
		p.Killed++
	case p.rand.Float64() < stalled:
		return manifest.Offer.Timeout + p.queue.draw(40*time.Minute)
	}
	return p.queue.draw(manifest.Offer.Timeout)
}

// kill ends a slow process before its time.
func (p *process) kill() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.dead = true
}

// work runs the batch.
func (p *process) work() {
	ctx, cancel := context.WithTimeout(context.Background(), forever)
	defer cancel()
	p.cancel = cancel
	deliveries := make([]job.Delivery, len(p.batch))
	for i, m := range p.batch {
		deliveries[i] = job.Delivery{ID: m.ID, Count: m.count, SentAt: m.sent, PublishedAt: m.PublishedAt}
	}
	offerer := offer.Offerer{Store: p, Rankings: p.rankings, Deliver: true}
	runtime := &job.Runtime{Store: p, Backoff: manifest.Offer.Retries, Log: quiet, Observe: p.observe,
		Work: func(ctx context.Context, f job.Attempt) error {
			p.begin(f.ID)
			return offerer.Offer(ctx, f)
		}}
	p.result <- runtime.Run(ctx, deliveries, letters{p})
}

// forever is the time that a process has by the real clock.
const forever = 1000 * time.Hour

// end deletes the messages that the response does not name.
func (p *process) end(ends []job.Settlement) {
	for i, end := range ends {
		if end.Action == job.Ack && !p.isDead() {
			p.queue.delete(p.batch[i].message)
		}
	}
}

// begin waits for the turn of a job.
func (p *process) begin(id uuid.UUID) {
	p.pause(false)
	p.mu.Lock()
	turn := p.turns[id]
	p.mu.Unlock()
	<-turn
}

// observe gives the turn to the next job.
func (p *process) observe(o job.Observation) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if o.Worked == 0 {
		return
	}
	if p.order = p.order[1:]; len(p.order) > 0 {
		close(p.turns[p.order[0]])
	}
}

// line puts the claimed jobs in line.
func (p *process) line(claims []job.Claim) (n int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, c := range claims {
		if c.Found == job.Claimed && !c.Suspect {
			p.turns[c.Attempt.ID] = make(chan struct{})
			if p.order = append(p.order, c.Attempt.ID); len(p.order) == 1 {
				close(p.turns[c.Attempt.ID])
			}
			n++
		}
	}
	return n
}

func (p *process) isDead() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.dead
}

// chance draws for an act of an attempt, the same one in any order of the acts.
func (p *process) chance(act string, f job.Attempt) float64 {
	h := fnv.New64a()
	h.Write(f.ID[:])
	h.Write(binary.LittleEndian.AppendUint64([]byte(act), p.Seed+uint64(f.Number)<<32))
	return float64(mix(h.Sum64())>>11) / (1 << 53)
}

// mix spreads the bits of a hash (the finalizer of MurmurHash3).
func mix(x uint64) uint64 {
	x = (x ^ x>>33) * 0xff51afd7ed558ccd
	x = (x ^ x>>33) * 0xc4ceb9fe1a85ec53
	return x ^ x>>33
}

// fails returns the errors of a database that is away for a moment.
func (p *process) fails(act string, f job.Attempt, share float64) error {
	if p.chance(act, f) < share {
		p.Faults++
		return &failure.Error{Sentence: "the database does not answer"}
	}
	return nil
}
