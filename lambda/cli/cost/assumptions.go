package cost

import (
	"errors"
	"fmt"
	"os"
	"strings"
	"time"

	"matchbook/lambda/manifest"
)

// Assumptions are the assumptions of both plans. Their errors name the flags of
// the command.
type Assumptions struct {
	Questions float64 // to the model, per document
	Latency   string  // of the model: 2s, or a range such as 1s-4s
	Tenants   int     // that share the documents evenly
	MemoryMB  int     // of an instance
	Batch     int     // documents in an invocation
	Measured  string  // a file in the form of measured.json; empty: built in
}

// usual are the assumptions without flags.
func usual(batch int) Assumptions {
	return Assumptions{Questions: 0.14, Latency: "1s-4s", Tenants: 4, MemoryMB: manifest.Match.MemoryMB, Batch: batch}
}

// work checks the assumptions, all of them before it returns.
func (a Assumptions) work() (w Work, err error) {
	w = Work{Questions: a.Questions, Tenants: a.Tenants, MemoryMB: a.MemoryMB, Pool: manifest.Match.PoolSize}
	var latency error
	w.Latency, latency = parseLatency(a.Latency)
	err = errors.Join(
		unless(a.Questions >= 0 && a.Questions <= 10, "--questions %g is not between 0 and 10", a.Questions),
		unless(a.Tenants >= 1, "--tenants %d is less than 1", a.Tenants),
		unless(a.MemoryMB >= 128 && a.MemoryMB <= 10240, "--memory %d is not between 128 and 10240", a.MemoryMB),
		unless(a.Batch >= 1 && a.Batch <= manifest.MaxBatchSize, "--batch %d is not between 1 and %d", a.Batch, manifest.MaxBatchSize),
		latency,
	)
	if err != nil {
		return w, err
	}
	raw, err := readIf(a.Measured)
	if err != nil {
		return w, fmt.Errorf("--measured: %w", err)
	}
	if w.Measured, err = ReadMeasured(raw); err != nil {
		return w, fmt.Errorf("--measured %s: %w", a.Measured, err)
	}
	return w, nil
}

func parseLatency(s string) (l Latency, err error) {
	from, to, isRange := strings.Cut(s, "-")
	if !isRange {
		to = from
	}
	var errs [2]error
	l.Min, errs[0] = time.ParseDuration(from)
	l.Max, errs[1] = time.ParseDuration(to)
	if errs[0] != nil || errs[1] != nil || l.Min < 0 || l.Max < l.Min {
		return l, fmt.Errorf("--latency %.30q is neither a time such as 2s nor a range such as 1s-4s", s)
	}
	return l, nil
}

// readIf reads a file; nil where none is named.
func readIf(file string) ([]byte, error) {
	if file == "" {
		return nil, nil
	}
	return os.ReadFile(file)
}

func unless(right bool, format string, args ...any) error { return when(!right, format, args...) }
