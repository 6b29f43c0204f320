package drill

import (
	"context"
	"time"

	"github.com/google/uuid"
)

// conclude reads the results, publishes failed rows again, and checks everything.
func (d *drill) conclude(ctx context.Context, s *strikes, want map[result]string) (*Report, error) {
	states, err := d.states(ctx)
	if err != nil {
		return nil, err
	}
	first, err := d.line.readAudit(ctx)
	if err != nil {
		return nil, err
	}
	for _, w := range d.line.lanes {
		var again []uuid.UUID
		for _, r := range first.rows {
			if r.Function == w.workload.Name && r.Status == "failed" {
				again = append(again, r.ID)
			}
		}
		if err := d.publish(ctx, func() error { return w.Publish().Publish(ctx, again) }); err != nil {
			return nil, err
		}
	}
	if _, err := d.line.drain(ctx, stuckAfter); err != nil {
		return nil, err
	}
	e, err := d.evidence(ctx, s, want)
	if err != nil {
		return nil, err
	}
	sweep := d.line.tasks[0]
	r := &Report{Seed: d.Seed, Faults: s.all(), Seconds: time.Since(d.started).Seconds(), Sweeps: sweep.runs.Load(),
		SweepsFailed: sweep.failed.Load(), Simulated: d.line.Clock.Now().Sub(d.started).Hours()}
	for _, w := range d.workloads {
		r.Workloads = append(r.Workloads, e.standing(w, states[w.Name]))
	}
	r.Checks = e.verdict()
	return r, nil
}

// evidence collects the records of all servers.
func (d *drill) evidence(ctx context.Context, s *strikes, want map[result]string) (e *evidence, err error) {
	l := d.line
	visible, hidden, _ := l.queued()
	e = &evidence{workloads: d.workloads, papers: l.papers, messages: l.journal.byRow(), left: visible + hidden,
		invalid: l.journal.broken, asked: l.journal.asked, early: l.model.Violations(), busiest: l.model.Busiest(),
		pieces: s.pieces, want: want, started: d.started, took: d.done.Sub(d.ended)}
	e.taken, e.texts = l.slack.received()
	if e.store, err = l.readStore(); err != nil {
		return nil, err
	}
	if e.pages, err = l.readPages(); err != nil {
		return nil, err
	}
	if e.sets, err = l.readSets(ctx); err != nil {
		return nil, err
	}
	if e.audit, err = l.readAudit(ctx); err != nil {
		return nil, err
	}
	e.index()
	return e, nil
}
