package cost

import (
	"errors"
	"time"

	"matchbook/lambda/manifest"
)

// callTimeout is LLM_TIMEOUT, if not set.
const callTimeout = time.Minute

// Backlog are the assumptions about a system with a backlog, which has a
// capacity.
type Backlog struct {
	Assumptions
	Others
	Concurrency int     // MaximumConcurrency of the event source mapping
	Connections int     // that the database allows
	Cores       float64 // of the database
	Requests    float64 // a minute, that the model's provider allows; 0: any number
	Tokens      float64 // the same
}

// NewBacklog has the assumptions without flags: PostgreSQL's 100 connections
// without those for superusers, and one core, the share of Aurora at 4 ACU.
func NewBacklog() Backlog {
	return Backlog{Assumptions: usual(manifest.Match.BatchSize), Others: usualOthers, Concurrency: manifest.Match.MaxConcurrency,
		Connections: 97, Cores: 1, Requests: 500, Tokens: 200_000}
}

// Throughput calculates the capacity.
func (b Backlog) Throughput() (*Throughput, error) {
	s, err := b.system(manifest.Functions())
	if err != nil {
		return nil, err
	}
	n, err := readNeeds()
	if err != nil {
		return nil, err
	}
	r := s.Throughput()
	for _, p := range b.pieces(n, s.Latency) {
		r.Others = append(r.Others, p.rate(s))
	}
	return r, nil
}

// system is the system that the assumptions describe. The connections of other
// functions come from all rows but match's.
func (b Backlog) system(functions []manifest.Function) (System, error) {
	others := manifest.Connections(functions, manifest.Tasks()) - manifest.Match.Connections()
	work, err := b.work()
	s := System{Work: work, Concurrency: b.Concurrency, BatchSize: b.Batch,
		Timeout: manifest.Match.Timeout, Reserve: manifest.SettleReserve, CallTimeout: callTimeout,
		Connections: b.Connections, OtherConnections: others,
		Cores: b.Cores, RequestsAMinute: b.Requests, TokensAMinute: b.Tokens}
	return s, errors.Join(err, b.Others.check(),
		unless(b.Concurrency >= 2 && b.Concurrency <= 1000,
			"--concurrency %d: MaximumConcurrency is between 2 and 1000", b.Concurrency),
		unless(b.Connections >= 1, "--connections %d is less than 1", b.Connections),
		unless(b.Cores > 0, "--cores %g is not more than 0", b.Cores),
		unless(b.Requests >= 0, "--requests %g is less than 0", b.Requests),
		unless(b.Tokens >= 0, "--tokens %g is less than 0", b.Tokens),
	)
}
