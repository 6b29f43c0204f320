package offer_test

import (
	"cmp"
	"context"
	"encoding/binary"
	"errors"
	"hash/fnv"
	"slices"
	"time"

	"matchbook/lambda/failure"
	"matchbook/lambda/job"
	"matchbook/lambda/manifest"
	"matchbook/lambda/offer"

	"github.com/google/uuid"
)

// Shares of batches and of writes that meet a fault.
const (
	slowBatch  = 0.03  // stands still for seconds to minutes, while others work
	killed     = 0.3   // of the slow ones: the process dies before its first write
	stalled    = 0.3   // of the slow ones: goes on long after its leases have ended
	killedAt   = 0.004 // of writes: the process dies before or after it
	failedCall = 0.004 // of writes: the database refuses it, or its answer is lost
	failedRead = 0.002 // of reads
)

// simProcess is an invocation of the function: the real runtime and the real work on one
// batch. When it is dead nothing that it still does reaches the store or the queue.
type simProcess struct {
	*simulation
	simStore
	batch  []simReceipt
	places map[uuid.UUID]int // in the batch
	cut    int               // the place of the job at whose write it dies
	late   bool              // after the write, not before it
	dead   bool              // it does not go on
	cancel context.CancelFunc
	// What a slow process did before it stood still.
	claims []job.Claim
	read   map[uuid.UUID]offer.Job
}

// invoke starts a process, which makes room for the next one when it ends. A slow one
// claims and may read, and goes on when others have worked.
func (s *simulation) invoke(batch []simReceipt) {
	p := &simProcess{simulation: s, simStore: s.store, batch: batch, places: map[uuid.UUID]int{}, cut: len(batch),
		late: s.rand.IntN(2) == 0}
	for i, m := range batch {
		p.places[m.ID] = i
		if s.rand.Float64() < killedAt {
			p.cut = min(p.cut, i)
		}
	}
	free := func() {
		s.idle++
		s.dispatch()
	}
	s.idle--
	if s.rand.Float64() >= slowBatch {
		p.work()
		s.after(s.queue.draw(400*time.Millisecond), free)
		return
	}
	p.begin(s.rand.IntN(2) == 0)
	s.running = append(s.running, p)
	s.after(p.lasts(), func() {
		s.running = slices.DeleteFunc(s.running, func(r *simProcess) bool { return r == p })
		if p.dead {
			s.count("killed workers", 1)
		} else {
			p.work()
		}
		free()
	})
}

// lease is the length of a claim by the simulated clock, after the end of the invocation.
const lease = manifest.SettleReserve + manifest.LeaseMargin

// begin claims the jobs, and reads them as well if it will stand still at their writes.
func (p *simProcess) begin(reads bool) {
	var err error
	if p.claims, err = p.Claim(context.Background(), p.deliveries(), 0, false); err != nil {
		p.broken("claim: %v", err)
	}
	p.read = map[uuid.UUID]offer.Job{}
	for _, c := range p.claims {
		if c.Found != job.Claimed || c.Suspect || !reads {
			continue
		}
		if p.read[c.Attempt.ID], err = p.store.Job(context.Background(), c.Attempt); err != nil {
			p.broken("read a job: %v", err)
		}
	}
}

// lasts draws how long a slow process stands still, and whether it dies then.
func (p *simProcess) lasts() time.Duration {
	switch {
	case p.rand.Float64() < killed:
		p.dead = true
	case p.rand.Float64() < stalled:
		return manifest.Offer.Timeout + p.queue.draw(40*time.Minute)
	}
	return p.queue.draw(manifest.Offer.Timeout)
}

func (p *simProcess) deliveries() []job.Delivery {
	list := make([]job.Delivery, len(p.batch))
	for i, m := range p.batch {
		list[i] = job.Delivery{ID: m.ID, Count: m.count, SentAt: m.sent, PublishedAt: m.PublishedAt,
			Last: m.count > len(manifest.Offer.Retries)}
	}
	return list
}

// work runs the batch. The simulated clock stands still, so the real one leaves it time.
func (p *simProcess) work() {
	ctx, cancel := context.WithTimeout(context.Background(), 1000*time.Hour)
	defer cancel()
	p.cancel = cancel
	work := offer.Offerer{Store: p, Rankings: p.rankings, Deliver: true}.Offer
	ends := (&job.Runtime{Store: p, Backoff: manifest.Offer.Retries, Log: quiet, Work: work}).Run(ctx, p.deliveries(), simLetters{p})
	if p.dies() {
		p.count("killed workers", 1)
		return
	}
	for i, end := range ends { // the response names no message that is to be deleted
		if end.Action == job.Ack {
			p.queue.delete(p.batch[i])
		}
	}
}

// dies reports whether the process dies at a write, and so before it settles.
func (p *simProcess) dies() bool { return p.cut < len(p.batch) }

// simLetters are the messages of a process.
type simLetters struct{ *simProcess }

// Settle goes by the places of the messages: the jobs of a batch end in any order.
func (p simLetters) Settle(_ context.Context, settled []job.Settled) {
	settled = slices.Clone(settled)
	slices.SortFunc(settled, func(a, b job.Settled) int { return cmp.Compare(a.Index, b.Index) })
	for _, s := range settled {
		switch m := p.batch[s.Index]; {
		case p.dies():
		case s.Action == job.Ack:
			p.queue.delete(m)
		case s.Visibility != job.KeepVisibility:
			p.queue.hide(m, s.Visibility)
		}
	}
}

// Extend is not called: claims live until the end of the invocation.
func (p simLetters) Extend(context.Context, []int, time.Duration) {}

func (p *simProcess) Claim(ctx context.Context, ds []job.Delivery, _ time.Duration, suspects bool) ([]job.Claim, error) {
	if claims := p.claims; claims != nil { // it claimed when it began
		p.claims = nil
		return claims, nil
	}
	if suspects && p.dies() {
		return []job.Claim{{Found: job.Missing}}, nil // the others killed it
	}
	claims, err := p.store.Claim(ctx, ds, manifest.Offer.Timeout+lease, suspects)
	if err == nil && suspects && ds[0].Last && claims[0].Found == job.Held {
		p.cancel() // it would wait for the other lease, by the real clock
	}
	return claims, err
}

func (p *simProcess) Release(ctx context.Context, f job.Attempt, r job.Release) (bool, error) {
	if p.places[f.ID] > p.cut {
		return false, nil
	}
	return p.store.Release(ctx, f, r)
}

func (p *simProcess) Job(ctx context.Context, f job.Attempt) (offer.Job, error) {
	if j, ok := p.read[f.ID]; ok {
		return j, nil
	}
	if err := p.fails("read", f, failedRead); err != nil {
		return offer.Job{}, err
	}
	j, err := p.store.Job(ctx, f)
	return j, p.fence(err)
}

// Complete commits one set after the other: the ledger is shared.
func (p *simProcess) Complete(ctx context.Context, f job.Attempt, set offer.Set, deliver bool) error {
	p.writes.Lock()
	defer p.writes.Unlock()
	place := p.places[f.ID]
	if place > p.cut || place == p.cut && !p.late {
		return job.ErrFenceLost
	}
	if err := p.fails("write", f, failedCall/2); err != nil {
		return err
	}
	if err := p.store.Complete(ctx, f, lean(set), deliver); err != nil {
		return p.fence(err)
	}
	p.completed(set)
	return p.fails("answer of the commit", f, failedCall/2)
}

// fence counts fences that do not hold.
func (p *simProcess) fence(err error) error {
	if errors.Is(err, job.ErrFenceLost) {
		p.count("fences lost", 1)
	}
	return err
}

// fails returns the errors of a database that is away for a moment: the same ones in
// whatever order jobs run.
func (p *simProcess) fails(act string, f job.Attempt, share float64) error {
	h := fnv.New64a()
	h.Write(f.ID[:])
	h.Write(binary.LittleEndian.AppendUint64([]byte(act), p.Seed+uint64(f.Number)<<32))
	x := h.Sum64()
	x = (x ^ x>>33) * 0xff51afd7ed558ccd // the finalizer of MurmurHash3
	x = (x ^ x>>33) * 0xc4ceb9fe1a85ec53
	if float64((x^x>>33)>>11)/(1<<53) >= share {
		return nil
	}
	p.count("faults", 1)
	return &failure.Error{Sentence: "the database does not answer"}
}
