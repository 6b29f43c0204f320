package drill

import (
	"context"
	"time"

	"matchbook/lambda/document/corpus"

	"github.com/google/uuid"
)

// conclude reads the results, publishes failed documents again, and checks everything.
func (d *drill) conclude(ctx context.Context, s *strikes, want map[corpus.Pair]string) (*Report, error) {
	states, err := d.states(ctx)
	if err != nil {
		return nil, err
	}
	first, err := readAudit(ctx, d.line.db)
	if err != nil {
		return nil, err
	}
	r := &Report{Seed: d.o.Seed, Documents: len(d.line.papers.all), Faults: s.all(), States: states}
	var again []uuid.UUID
	for _, doc := range first.documents {
		if doc.Status == "failed" {
			again = append(again, doc.ID)
		}
	}
	if err := d.publish(ctx, again); err != nil {
		return nil, err
	}
	if _, err := d.line.drain(ctx, stuckAfter); err != nil {
		return nil, err
	}
	e, err := d.evidence(ctx, s, want)
	if err != nil {
		return nil, err
	}
	r.Failed = map[string]int{}
	for _, f := range e.failures {
		r.Failed[f.kind]++
	}
	r.Repaired, r.Matches = e.repaired(), len(e.matches)
	r.Seconds, r.Sweeps = time.Since(d.started).Seconds(), d.line.sweeps.Load()
	r.SweepsFailed = d.line.failed.Load()
	r.Simulated = d.line.Clock.Now().Sub(d.started).Hours()
	r.Checks = e.verdict()
	return r, nil
}

// evidence collects the records of all servers.
func (d *drill) evidence(ctx context.Context, s *strikes, want map[corpus.Pair]string) (e *evidence, err error) {
	l := d.line
	queue, _ := l.Stats()
	e = &evidence{messages: l.journal.byDocument(), left: queue.Visible + queue.InFlight, invalid: l.journal.broken,
		asked: l.journal.asked,
		early: l.model.Violations(), busiest: l.model.Busiest(), pieces: s.pieces, numbers: l.papers.numbers,
		want:    want,
		true:    l.papers.true,
		started: d.started}
	if !d.done.IsZero() {
		e.took = d.done.Sub(d.ended)
	}
	e.taken, e.texts = l.slack.received()
	if e.audit, err = readAudit(ctx, l.db); err != nil {
		return nil, err
	}
	e.index()
	return e, nil
}
