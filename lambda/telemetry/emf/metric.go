// Package emf writes metrics to a log for CloudWatch: a line of JSON in the Embedded Metric
// Format, on stdout, without a call and without an agent.
//
// Use one Set per function, and flush it at the end of every batch or sweep. Names must come
// from manifest/metric, which the alarms and the dashboard use too; others are not written.
// The only dimensions are the stage and the function, because you pay for every value of a
// dimension.
//
// A killed process loses its collected values. Its unfinished work is counted by whichever
// process, or sweep, finishes it.
package emf

import (
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"

	"matchbook/lambda/manifest/metric"
)

// The names by unit.
var (
	inMilliseconds = []string{
		metric.AttemptTime, metric.ModelPaused,
	}
	inSeconds = []string{
		metric.OldestDue, metric.OldestUndelivered, metric.OldestEvent,
	}
	inCounts = []string{
		metric.Succeeded, metric.Retried, metric.DeadLettered, metric.Failed,
		metric.Skipped, metric.Malformed, metric.Refused, metric.ModelCalls,
		metric.ModelPromptTokens, metric.ModelCompletionTokens, metric.ModelReplays,
		metric.ModelRetries, metric.Pending, metric.InProgress, metric.Parked, metric.Unsent,
		metric.Inserted, metric.Republished, metric.Recovered, metric.Lost,
		metric.Crashed, metric.SweepBacklog, metric.Queued, metric.Late,
		metric.SkippedDates, metric.DuplicateOffers, metric.UndeliveredSets,
		metric.RefusedSets, metric.RefusedEvents, metric.WaitingEvents,
		metric.DeadEvents,
	}
)

// unitOf returns the unit of a name, in CloudWatch's words; empty for an unknown name.
func unitOf(name string) string {
	switch {
	case slices.Contains(inCounts, name):
		return "Count"
	case slices.Contains(inSeconds, name):
		return "Seconds"
	case slices.Contains(inMilliseconds, name):
		return "Milliseconds"
	}
	return ""
}

// maxValues is the number of values of a metric that CloudWatch reads in one line. See
// https://docs.aws.amazon.com/AmazonCloudWatch/latest/monitoring/CloudWatch_Embedded_Metric_Format_Specification.html
const maxValues = 100

// Set collects the metrics of a function. It is safe for concurrent use. A nil Set discards
// everything.
type Set struct {
	stage, function string

	mu     sync.Mutex
	counts map[string]int
	values map[string][]float64
}

// New returns an empty set for a function of a stage.
func New(stage, function string) *Set {
	return &Set{stage: stage, function: function, counts: map[string]int{}, values: map[string][]float64{}}
}

// Count adds n. A count of 0 is written too, because 0 differs from no data.
func (s *Set) Count(name string, n int) {
	if s == nil {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.counts[name] += n
}

// Measure adds one value to a statistic.
func (s *Set) Measure(name string, value float64) {
	if s == nil {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.values[name] = append(s.values[name], value)
}

// Flush writes the metrics collected since the last Flush as one line, in one Write; it needs
// further lines only for more than a hundred values of a metric. Without metrics it writes
// nothing. It leaves out unknown names and returns an error with them.
func (s *Set) Flush(w io.Writer, now time.Time) error {
	counts, values := s.take()
	for name, n := range counts {
		values[name] = append(values[name], float64(n))
	}
	unknown := maps.Clone(values)
	maps.DeleteFunc(unknown, func(name string, _ []float64) bool { return unitOf(name) != "" })
	maps.DeleteFunc(values, func(name string, _ []float64) bool { return unitOf(name) == "" })
	for len(values) > 0 {
		if err := s.line(w, now, values); err != nil {
			return err
		}
	}
	if len(unknown) > 0 {
		return fmt.Errorf("unknown metrics, missing in manifest/metric: %s",
			strings.Join(slices.Sorted(maps.Keys(unknown)), ", "))
	}
	return nil
}

func (s *Set) take() (map[string]int, map[string][]float64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	counts, values := s.counts, s.values
	s.counts, s.values = map[string]int{}, map[string][]float64{}
	return counts, values
}

type definition struct {
	Name string
	Unit string
}

// line writes a line and removes its contents from values.
func (s *Set) line(w io.Writer, now time.Time, values map[string][]float64) error {
	line := map[string]any{metric.DimensionStage: s.stage, metric.DimensionFunction: s.function}
	var definitions []definition
	for _, name := range slices.Sorted(maps.Keys(values)) {
		n := min(maxValues, len(values[name]))
		definitions = append(definitions, definition{name, unitOf(name)})
		line[name] = encoded(values[name][:n])
		if values[name] = values[name][n:]; len(values[name]) == 0 {
			delete(values, name)
		}
	}
	line["_aws"] = map[string]any{
		"Timestamp": now.UnixMilli(),
		"CloudWatchMetrics": []any{map[string]any{
			"Namespace":  metric.Namespace,
			"Dimensions": [][]string{{metric.DimensionStage, metric.DimensionFunction}},
			"Metrics":    definitions,
		}},
	}
	text, err := json.Marshal(line)
	if err != nil {
		return fmt.Errorf("metrics: %w", err)
	}
	if _, err = w.Write(append(text, '\n')); err != nil {
		return fmt.Errorf("write metrics: %w", err)
	}
	return nil
}

func encoded(values []float64) any {
	if len(values) == 1 {
		return values[0]
	}
	return values
}
