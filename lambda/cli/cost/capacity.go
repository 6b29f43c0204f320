package cost

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"time"
)

// System processes a backlog of documents: batches are full, and every
// invocation that may run does.
type System struct {
	Work
	Concurrency      int           // MaximumConcurrency of the event source mapping
	BatchSize        int           // messages in one invocation
	Timeout          time.Duration // of an invocation
	Reserve          time.Duration // the part of Timeout that is kept for settling
	CallTimeout      time.Duration // of one call of the model
	Connections      int           // that the database allows
	OtherConnections int           // the part of Connections that the other functions use
	Cores            float64       // of the database
	RequestsAMinute  float64       // that the provider allows; 0: any number
	TokensAMinute    float64       // the same
}

// The names of the limits.
const (
	limitConcurrency = "concurrency"
	limitConnections = "connections"
	limitRequests    = "requests a minute"
	limitTokens      = "tokens a minute"
	limitTenants     = "turns of a tenant"
	limitDatabase    = "database cores"
)

// limit is the number of documents an hour that one part of a system allows.
type limit struct {
	Name      string  `json:"name"`
	Documents float64 `json:"documents_per_hour"`
	Why       string  `json:"why"`
	Change    string  `json:"change"` // how to raise it
}

// Capacity is the throughput of a system, and its limits.
type Capacity struct {
	Documents   float64       `json:"documents_per_hour"`
	Binding     string        `json:"binding"`
	Limits      []limit       `json:"limits"` // the lowest first; without those that do not apply
	Batch       time.Duration `json:"-"`
	Seconds     float64       `json:"batch_seconds"`
	Concurrency int           `json:"concurrency_that_is_enough"` // with more, invocations wait for something else
	Problems    []string      `json:"problems"`                   // reasons why it cannot work at all
}

const hour = 3600.0

// Capacity calculates how many documents an hour go through, and the limit that
// determines it.
func (s System) Capacity() Capacity {
	batch := s.Batch(s.BatchSize)
	limits := []limit{s.concurrency(batch), s.connections(batch), s.tenants(), s.database()}
	if s.Questions > 0 && s.RequestsAMinute > 0 {
		limits = append(limits, s.requests())
	}
	if s.Questions > 0 && s.TokensAMinute > 0 {
		limits = append(limits, s.tokens())
	}
	slices.SortStableFunc(limits, func(a, b limit) int { return cmp.Compare(a.Documents, b.Documents) })
	c := Capacity{Documents: limits[0].Documents, Binding: limits[0].Name, Limits: limits,
		Batch: batch, Seconds: batch.Seconds(), Problems: s.problems(batch)}
	c.Concurrency = s.enough(c.Documents, batch)
	return c
}

// rate is the documents an hour of so many invocations at a time.
func (s System) rate(instances int, batch time.Duration) float64 {
	return float64(instances*s.BatchSize) / batch.Seconds() / s.Deliveries() * hour
}

// enough is the smallest number of invocations for so many documents an hour.
func (s System) enough(documents float64, batch time.Duration) int {
	const noise = 1e-9
	return max(int(math.Ceil(documents/s.rate(1, batch)-noise)), 1)
}

func (s System) concurrency(batch time.Duration) limit {
	return limit{limitConcurrency, s.rate(s.Concurrency, batch),
		fmt.Sprintf("%d invocations at a time, each %d documents in %s", s.Concurrency, s.BatchSize, round(batch)),
		"raise MaxConcurrency in lambda/manifest, and look at the next limit first"}
}

func (s System) connections(batch time.Duration) limit {
	instances := max((s.Connections-s.OtherConnections)/s.Pool, 0)
	return limit{limitConnections, s.rate(instances, batch),
		fmt.Sprintf("%d connections, %d for other functions, %d for an instance: %d instances",
			s.Connections, s.OtherConnections, s.Pool, instances),
		"raise max_connections (Aurora: the capacity), put RDS Proxy in between, or lower PoolSize in lambda/manifest"}
}

func (s System) requests() limit {
	return limit{limitRequests, s.RequestsAMinute * 60 / s.Questions,
		fmt.Sprintf("the provider allows %.0f, and a document needs %g", s.RequestsAMinute, s.Questions),
		"ask the provider to raise it; until then keep MaxConcurrency so low that it does not refuse calls"}
}

func (s System) tokens() limit {
	each := s.Measured.PromptTokens.Value + s.Measured.AnswerTokens.Value
	return limit{limitTokens, s.TokensAMinute * 60 / (s.Questions * each),
		fmt.Sprintf("the provider allows %.0f, and a question with its answer takes %.0f", s.TokensAMinute, each),
		"ask the provider to raise it; until then keep MaxConcurrency so low that it does not refuse calls"}
}

func (s System) tenants() limit {
	tenants, whose := max(s.Tenants, 1), "all documents are of one tenant"
	if tenants > 1 {
		whose = fmt.Sprintf("%d tenants have as many documents each", tenants)
	}
	return limit{limitTenants, float64(tenants) * hour / s.turn() / s.Deliveries(),
		fmt.Sprintf("documents of a tenant share turns, %s of them each; %s",
			round(toDuration(s.turn())), whose),
		"put the functions nearer to the database, in its availability zone; nothing else makes one tenant faster"}
}

func (s System) database() limit {
	busy, ms := s.Measured.Busy.Value, s.Measured.ExecutionMS.Value
	return limit{limitDatabase, s.Cores * busy * hour / (ms / 1000) / s.Deliveries(),
		fmt.Sprintf("%g cores, at most %.0f %% busy, %g ms a delivery", s.Cores, 100*busy, ms),
		"give the database more cores (Aurora: a higher maximum capacity)"}
}

// problems returns the reasons why the system cannot work, at any number of
// documents an hour.
func (s System) problems(batch time.Duration) (list []string) {
	asks := s.Questions > 0
	if asks && s.Latency.Max > s.CallTimeout {
		list = append(list, fmt.Sprintf("an answer may take %s, and calls end after %s: "+
			"raise LLM_TIMEOUT or take a faster model", s.Latency.Max, s.CallTimeout))
	}
	if left := s.Timeout - s.Reserve; batch > left {
		list = append(list, fmt.Sprintf("a batch takes %s and has %s: its documents would fail and be delivered again; "+
			"raise Timeout or lower BatchSize in lambda/manifest", round(batch), left))
	}
	return list
}

// round leaves the digits that people read.
func round(d time.Duration) time.Duration {
	switch {
	case d > 10*time.Second:
		return d.Round(100 * time.Millisecond)
	case d > time.Second:
		return d.Round(10 * time.Millisecond)
	}
	return d.Round(100 * time.Microsecond)
}
