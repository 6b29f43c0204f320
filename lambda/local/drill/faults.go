package drill

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"matchbook/lambda/internal/backoff"
	"matchbook/lambda/local/pgserver"
	"matchbook/lambda/local/scripted"
	"matchbook/lambda/local/sqs"
)

// Fault is a fault for a drill to inject repeatedly. Either strike happens once, in the middle
// of the work on the published documents, or spoil lasts while they are published and for a
// second of the work.
type Fault struct {
	Name, What string
	still      bool // keeps the clocks from jumping
	strike     func(*strikes, context.Context) error
	spoil      func(*strikes) (end func())
}

// Faults are all the faults of a drill.
var Faults = []Fault{
	{"kill", "kill a worker process", false, (*strikes).kill, nil},
	{"freeze", "stop a worker process until its lease has expired and its messages were redelivered",
		false, (*strikes).freeze, nil},
	{"restart", "take the database down for up to a second, by a fast or an immediate shutdown", true,
		(*strikes).restart, nil},
	{"cut", "terminate database connections, or cut them in transit", true, (*strikes).cut, nil},
	{"blackhole", "drop all database traffic for a second, then cut the connections", true,
		(*strikes).blackhole, nil},
	{"read-only", "fail over: terminate connections, and make the database read-only for a second", true,
		(*strikes).readOnly, nil},
	{"sqs-refuse", "refuse SQS calls and batch entries", false, nil,
		queue(sqs.Fault{Kind: sqs.CallRefused, Rate: 0.3}, sqs.Fault{Kind: sqs.EntryRefused, Rate: 0.1})},
	{"sqs-lose", "lose SQS calls and responses", false, nil,
		queue(sqs.Fault{Kind: sqs.CallLost, Rate: 0.15}, sqs.Fault{Kind: sqs.AnswerLost, Rate: 0.15},
			sqs.Fault{Kind: sqs.EntryUnconfirmed, Rate: 0.1})},
	{"duplicate", "deliver messages twice, late, or again during the work", false, nil,
		queue(sqs.Fault{Kind: sqs.DuplicateDelivery, Rate: 0.3}, sqs.Fault{Kind: sqs.LateDelivery, Rate: 0.2},
			sqs.Fault{Kind: sqs.EarlyExpiry, Rate: 0.2})},
	{"model", "make the model fail: 429 with Retry-After, 5xx, hangs, garbage, refusals", false, nil, model()},
	{"outage", "answer every call of the model with 503", false, nil, outage},
	{"slack", "make Slack fail: 429, 500, closed connections, lost responses", false, nil, (*strikes).slack},
}

// queue makes SQS fail.
func queue(faults ...sqs.Fault) func(*strikes) (end func()) {
	return func(s *strikes) func() {
		s.line.SQS.Order(s.random.Uint64(), faults...)
		return func() { s.line.SQS.Order(0) }
	}
}

// model makes model calls fail with the given faults, or with any. Answers cut off are left out: the halves
// of a file's question are answered as if each was the whole, so that the file has other documents than
// in the quiet run.
func model(kinds ...scripted.Fault) func(*strikes) (end func()) {
	if len(kinds) == 0 {
		kinds = slices.DeleteFunc(scripted.Kinds(), func(f scripted.Fault) bool { return f == scripted.FinishLength })
	}
	return func(s *strikes) func() {
		s.line.model.Order(scripted.Random(s.random.Uint64(), 0.6, kinds...))
		return func() { s.line.model.Order(nil) }
	}
}

// outage makes all model calls fail.
func outage(s *strikes) (end func()) {
	s.line.model.Order(scripted.Random(s.random.Uint64(), 1, scripted.Unavailable))
	return func() { s.line.model.Order(nil) }
}

// slack also makes the model refuse, since otherwise there would be nothing to send.
func (s *strikes) slack() (end func()) {
	s.line.slack.broken.Store(true)
	refuse := model(scripted.Refusal, scripted.BadRequest)(s)
	return func() {
		refuse()
		s.line.slack.broken.Store(false)
	}
}

// inject applies the fault to what load publishes.
func (f Fault) inject(ctx context.Context, s *strikes, load func() error) error {
	if f.strike != nil {
		if err := load(); err != nil {
			return err
		}
		if err := backoff.Sleep(ctx, time.Duration(10+s.random.IntN(200))*time.Millisecond); err != nil {
			return err
		}
		return f.strike(s, ctx)
	}
	defer f.spoil(s)()
	if err := load(); err != nil {
		return err
	}
	if f.Name == "outage" {
		until(ctx, s.patience, func() bool { return s.parked(ctx) })
		return nil
	}
	return backoff.Sleep(ctx, time.Second)
}

// parked reports whether rows of each workload that asks a model are parked.
func (d *drill) parked(ctx context.Context) bool {
	states, err := d.states(ctx)
	return err == nil && !slices.ContainsFunc(d.workloads, func(w *workload) bool {
		return w.AsksModel && states[w.Name]["parked"] == 0
	})
}

// goesWith reports whether f can strike during other: a frozen worker needs a jumping clock.
func (f Fault) goesWith(other Fault) bool {
	return f.Name != "freeze" && other.Name != "freeze" || !f.still && !other.still
}

// asks reports whether the fault needs documents for a model.
func (f Fault) asks() bool { return f.Name == "model" || f.Name == "outage" || f.Name == "slack" }

// choose returns the faults with these names, or all.
func choose(names []string) (chosen []Fault, err error) {
	for _, f := range Faults {
		if len(names) == 0 || slices.Contains(names, f.Name) {
			chosen = append(chosen, f)
		}
	}
	if len(chosen) < len(names) {
		var known []string
		for _, f := range Faults {
			known = append(known, f.Name)
		}
		return nil, fmt.Errorf("unknown fault in %q: must be one of %s", names, strings.Join(known, ", "))
	}
	return chosen, nil
}

// strikes are the faults so far, and their targets.
type strikes struct {
	*drill
	counts map[string]int
	pieces []piece
}

func (s *strikes) count(what string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.counts[what]++
}

// until waits for a condition, up to most.
func until(ctx context.Context, most time.Duration, ok func() bool) bool {
	for end := time.Now().Add(most); !ok(); {
		if time.Now().After(end) || backoff.Sleep(ctx, tick) != nil {
			return false
		}
	}
	return true
}

// busy calls f for each workload, in random order.
func (s *strikes) busy(f func(*lane) bool) bool {
	for _, i := range s.random.Perm(len(s.line.lanes)) {
		if f(s.line.lanes[i]) {
			return true
		}
	}
	return false
}

func (s *strikes) kill(ctx context.Context) error {
	if until(ctx, time.Second, func() bool {
		return s.busy(func(w *lane) bool { return w.Consumer.Function.Kill(s.random.IntN) })
	}) {
		s.count("worker killed")
	}
	return nil
}

// freeze keeps a worker frozen until others have processed its messages, or as long as
// allowed, because its locks may prevent that.
func (s *strikes) freeze(ctx context.Context) error {
	var thaw func() bool
	var of *lane
	if !until(ctx, time.Second, func() bool {
		return s.busy(func(w *lane) bool {
			_, thaw = w.Consumer.Function.Freeze(s.random.IntN)
			of = w
			return thaw != nil
		})
	}) {
		return nil
	}
	of.frozen.Add(1)
	over := s.line.Clock.Now().Add(of.Visibility() + time.Second)
	if until(ctx, s.patience, func() bool { return s.line.Clock.Now().After(over) && s.line.quiet() }) {
		s.count("worker frozen beyond its lease")
	} else {
		s.count("worker frozen")
	}
	thaw()
	of.frozen.Add(-1)
	until(ctx, s.patience, s.line.quiet) // the zombie notices its lost lease
	return nil
}

func (s *strikes) restart(ctx context.Context) error {
	how, what := pgserver.Fast, "database restarted, fast shutdown"
	if s.random.IntN(2) == 0 {
		how, what = pgserver.Immediate, "database restarted, immediate shutdown"
	}
	s.count(what)
	err := s.server.Restart(ctx, how, time.Duration(s.random.IntN(1000))*time.Millisecond)
	s.line.db.Reset() // its connections are gone
	return err
}

const terminateSQL = `
SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity WHERE usename = 'app'`

func (s *strikes) cut(ctx context.Context) error {
	if s.random.IntN(2) == 0 {
		s.count("connections cut in transit")
		s.line.proxy.cut()
		return nil
	}
	s.count("connections terminated")
	_, err := s.line.db.Exec(ctx, terminateSQL)
	return err
}

func (s *strikes) blackhole(ctx context.Context) error {
	s.count("database traffic dropped")
	revive := s.line.proxy.dead()
	err := backoff.Sleep(ctx, time.Second)
	s.line.proxy.cut()
	revive()
	return err
}

func (s *strikes) readOnly(ctx context.Context) error {
	s.count("database read-only")
	var errs []error
	for _, sql := range []string{"ALTER ROLE app SET default_transaction_read_only = on", terminateSQL} {
		_, err := s.line.db.Exec(ctx, sql)
		errs = append(errs, err)
	}
	errs = append(errs, backoff.Sleep(ctx, time.Second))
	for _, sql := range []string{"ALTER ROLE app RESET default_transaction_read_only", terminateSQL} {
		_, err := s.line.db.Exec(ctx, sql)
		errs = append(errs, err)
	}
	return errors.Join(errs...)
}

// all returns the number of faults so far, by name.
func (s *strikes) all() map[string]int {
	s.mu.Lock()
	counts := maps.Clone(s.counts)
	s.mu.Unlock()
	for kind, n := range s.line.SQS.Faults() {
		counts["SQS: "+string(kind)] = n
	}
	for _, n := range s.line.model.Faults() {
		counts["model"] += n
	}
	counts["Slack"] = int(s.line.slack.faults.Load())
	maps.DeleteFunc(counts, func(_ string, n int) bool { return n == 0 })
	return counts
}
