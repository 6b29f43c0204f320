package drill

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"matchbook/lambda/job"
	"matchbook/lambda/local/pgserver"
	"matchbook/lambda/local/scripted"
	"matchbook/lambda/local/sqs"
	queuefault "matchbook/lambda/local/sqs/fault"
	"matchbook/lambda/manifest"
)

// A Fault is injected again and again in a drill.
type Fault struct {
	Name, What string
	// still keeps the clocks from jumping: time passes as it does.
	still bool
	// strike makes it happen once, to the documents that load publishes.
	strike func(s *strikes, ctx context.Context, load func() error) error
}

// Faults are all the faults of a drill.
var Faults = []Fault{
	{"kill", "a worker process gets SIGKILL", false, (*strikes).kill},
	{"freeze", "a worker process gets SIGSTOP, and SIGCONT when its lease is over and its messages were delivered again",
		false, (*strikes).freeze},
	{"restart", "the database server is down for up to a second, after a fast or an immediate shutdown", true,
		(*strikes).restart},
	{"cut", "connections to the database are terminated, or cut on the way", true, (*strikes).cut},
	{"blackhole", "nothing passes between functions and database for a second, then connections are cut", true,
		(*strikes).blackhole},
	{"read-only", "a fail-over: connections are terminated, and the database is read-only for a second", true,
		(*strikes).readOnly},
	{"sqs-refuse", "calls and entries of SQS are refused", false, (*strikes).refuseSQS},
	{"sqs-lose", "calls of SQS get lost, and answers", false, (*strikes).loseSQS},
	{"duplicate", "messages are delivered twice, late, or again during the work", false, (*strikes).duplicate},
	{"model", "429 with Retry-After, 5xx, hangs, garbage, refusals", false, (*strikes).breakModel},
	{"slack", "429, 500, closed connections, lost answers", false, (*strikes).breakSlack},
}

// goesWith reports whether one can happen in the middle of the other: a frozen
// worker needs a clock that jumps.
func (f Fault) goesWith(other Fault) bool {
	return f.Name != "freeze" && other.Name != "freeze" || !f.still && !other.still
}

// asks reports whether it needs documents that ask a model.
func (f Fault) asks() bool { return f.Name == "model" || f.Name == "slack" }

// choose returns the faults of these names, all for none.
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
		return nil, fmt.Errorf("%q: each fault is to be one of %s", names, strings.Join(known, ", "))
	}
	return chosen, nil
}

// strikes are the faults that happened, and their targets.
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

// between loads and waits for a moment in the middle of the work.
func (s *strikes) between(ctx context.Context, load func() error) error {
	if err := load(); err != nil {
		return err
	}
	return pause(ctx, time.Duration(10+s.random.IntN(200))*time.Millisecond)
}

func pause(ctx context.Context, d time.Duration) error {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-timer.C:
		return nil
	}
}

// until waits for a condition, at most so long.
func until(ctx context.Context, most time.Duration, ok func() bool) bool {
	for end := time.Now().Add(most); !ok(); {
		if time.Now().After(end) || pause(ctx, tick) != nil {
			return false
		}
	}
	return true
}

func (s *strikes) kill(ctx context.Context, load func() error) error {
	if err := s.between(ctx, load); err != nil {
		return err
	}
	if until(ctx, time.Second, func() bool { return s.line.Function.Kill(s.random.IntN) }) {
		s.count("worker killed")
	}
	return nil
}

// freeze keeps a worker frozen until other workers have processed its messages,
// or as long as possible: the locks that it holds may prevent that.
func (s *strikes) freeze(ctx context.Context, load func() error) error {
	if err := s.between(ctx, load); err != nil {
		return err
	}
	var thaw func() bool
	if !until(ctx, time.Second, func() bool { _, thaw = s.line.Function.Freeze(s.random.IntN); return thaw != nil }) {
		return nil
	}
	s.line.frozen.Add(1)
	over := s.line.Clock.Now().Add(manifest.Match.Visibility() + time.Second)
	if until(ctx, s.patience, func() bool { return s.line.Clock.Now().After(over) && s.line.quiet() }) {
		s.count("worker frozen beyond its lease")
	} else {
		s.count("worker frozen")
	}
	thaw()
	s.line.frozen.Add(-1)
	until(ctx, s.patience, s.line.quiet) // the zombie finds its lease gone
	return nil
}

func (s *strikes) restart(ctx context.Context, load func() error) error {
	if err := s.between(ctx, load); err != nil {
		return err
	}
	how, what := pgserver.Fast, "database restarted fast"
	if s.random.IntN(2) == 0 {
		how, what = pgserver.Immediate, "database restarted like after a crash"
	}
	s.count(what)
	err := s.server.Restart(ctx, how, time.Duration(s.random.IntN(1000))*time.Millisecond)
	s.line.db.Reset() // its connections are gone
	return err
}

const terminateSQL = `
SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity WHERE usename = 'app'`

func (s *strikes) cut(ctx context.Context, load func() error) error {
	if err := s.between(ctx, load); err != nil {
		return err
	}
	if s.random.IntN(2) == 0 {
		s.count("connections cut on the way")
		s.line.proxy.cut()
		return nil
	}
	s.count("connections terminated")
	_, err := s.line.db.Exec(ctx, terminateSQL)
	return err
}

func (s *strikes) blackhole(ctx context.Context, load func() error) error {
	if err := s.between(ctx, load); err != nil {
		return err
	}
	s.count("way to the database dead")
	revive := s.line.proxy.dead()
	err := pause(ctx, time.Second)
	s.line.proxy.cut()
	revive()
	return err
}

func (s *strikes) readOnly(ctx context.Context, load func() error) error {
	if err := s.between(ctx, load); err != nil {
		return err
	}
	s.count("database read-only")
	var errs []error
	for _, sql := range []string{"ALTER ROLE app SET default_transaction_read_only = on", terminateSQL} {
		_, err := s.line.db.Exec(ctx, sql)
		errs = append(errs, err)
	}
	errs = append(errs, pause(ctx, time.Second))
	for _, sql := range []string{"ALTER ROLE app RESET default_transaction_read_only", terminateSQL} {
		_, err := s.line.db.Exec(ctx, sql)
		errs = append(errs, err)
	}
	return errors.Join(errs...)
}

// breakQueue makes SQS fail for the loaded documents, while time goes on.
func (s *strikes) breakQueue(ctx context.Context, load func() error, faults ...sqs.Fault) error {
	s.line.SQS.Order(s.random.Uint64(), faults...)
	defer s.line.SQS.Order(0)
	var unsent *job.PublishError // the sweep sends it
	if err := load(); err != nil && !errors.As(err, &unsent) {
		return err
	}
	return pause(ctx, time.Second)
}

func (s *strikes) refuseSQS(ctx context.Context, load func() error) error {
	return s.breakQueue(ctx, load, sqs.Fault{Kind: queuefault.CallRefused, Rate: 0.3},
		sqs.Fault{Kind: queuefault.EntryRefused, Rate: 0.1})
}

func (s *strikes) loseSQS(ctx context.Context, load func() error) error {
	return s.breakQueue(ctx, load, sqs.Fault{Kind: queuefault.CallLost, Rate: 0.15},
		sqs.Fault{Kind: queuefault.AnswerLost, Rate: 0.15},
		sqs.Fault{Kind: queuefault.EntryUnconfirmed, Rate: 0.1})
}

func (s *strikes) duplicate(ctx context.Context, load func() error) error {
	return s.breakQueue(ctx, load, sqs.Fault{Kind: queuefault.DuplicateDelivery, Rate: 0.3},
		sqs.Fault{Kind: queuefault.LateDelivery, Rate: 0.2},
		sqs.Fault{Kind: queuefault.EarlyExpiry, Rate: 0.2})
}

func (s *strikes) breakModel(ctx context.Context, load func() error) error {
	return s.answer(ctx, load, scripted.Random(s.random.Uint64(), 0.6))
}

// answer makes a model fail.
func (s *strikes) answer(ctx context.Context, load func() error, faults *scripted.Faults) error {
	s.line.model.Order(faults)
	defer s.line.model.Order(nil)
	if err := load(); err != nil {
		return err
	}
	return pause(ctx, time.Second)
}

// breakSlack also makes the model refuse, or there would be nothing to send.
func (s *strikes) breakSlack(ctx context.Context, load func() error) error {
	s.line.slack.broken.Store(true)
	defer s.line.slack.broken.Store(false)
	return s.answer(ctx, load, scripted.Random(s.random.Uint64(), 0.6, scripted.Refusal, scripted.BadRequest,
		scripted.FinishLength))
}

// all counts the faults so far, by name.
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
