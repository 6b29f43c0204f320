// Package prometheus shows the metrics of functions in one process as Prometheus text. A
// Collector reads the lines that package emf writes, so that a metric has the same name and
// meaning here and in CloudWatch:
//
//	matchbook_succeeded_total{function="match"} 3
package prometheus

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"net/http"
	"slices"
	"strings"
	"sync"
	"unicode"

	"matchbook/lambda/manifest/metric"
)

// gauges holds the metrics with a current value. Milliseconds become a sum and a count, and all
// others are counters.
var gauges = map[string]bool{
	metric.OldestDue: true, metric.Pending: true, metric.InProgress: true, metric.Parked: true, metric.Unsent: true,
	metric.SweepBacklog: true, metric.UndeliveredSets: true, metric.OldestUndelivered: true,
	metric.WaitingEvents: true, metric.OldestEvent: true, metric.DeadEvents: true, metric.DuplicateOffers: true,
}

// Collector adds up metrics. It is safe for concurrent use. The zero Collector is empty.
type Collector struct {
	mu     sync.Mutex
	values map[series]float64
}

type series struct{ name, kind, function string }

// line is a line in the Embedded Metric Format; see package emf.
type line struct {
	AWS struct {
		CloudWatchMetrics []struct {
			Metrics []struct{ Name, Unit string }
		}
	} `json:"_aws"`
	Function string
}

// Write adds the metrics of one line.
func (c *Collector) Write(p []byte) (int, error) {
	var l line
	var values map[string]json.RawMessage
	if err := json.Unmarshal(p, &l); err != nil {
		return 0, fmt.Errorf("metrics: %w", err)
	}
	if err := json.Unmarshal(p, &values); err != nil {
		return 0, fmt.Errorf("metrics: %w", err)
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, set := range l.AWS.CloudWatchMetrics {
		for _, m := range set.Metrics {
			if err := c.add(m.Name, m.Unit, l.Function, values[m.Name]); err != nil {
				return 0, err
			}
		}
	}
	return len(p), nil
}

func (c *Collector) add(name, unit, function string, raw json.RawMessage) error {
	var list []float64
	if json.Unmarshal(raw, &list) != nil {
		list = make([]float64, 1)
		if err := json.Unmarshal(raw, &list[0]); err != nil {
			return fmt.Errorf("metric %s: %w", name, err)
		}
	}
	if c.values == nil {
		c.values = map[series]float64{}
	}
	base := "matchbook_" + snake(name)
	for _, v := range list {
		switch {
		case unit == "Milliseconds":
			c.values[series{base + "_seconds_sum", "summary", function}] += v / 1000
			c.values[series{base + "_seconds_count", "summary", function}]++
		case gauges[name] && unit == "Seconds":
			c.values[series{base + "_seconds", "gauge", function}] = v
		case gauges[name]:
			c.values[series{base, "gauge", function}] = v
		default:
			c.values[series{base + "_total", "counter", function}] += v
		}
	}
	return nil
}

// snake returns a name such as OldestDue as oldest_due.
func snake(name string) string {
	var b strings.Builder
	for i, r := range name {
		if unicode.IsUpper(r) && i > 0 {
			b.WriteByte('_')
		}
		b.WriteRune(unicode.ToLower(r))
	}
	return b.String()
}

// ServeHTTP writes all metrics in the text format, version 0.0.4.
func (c *Collector) ServeHTTP(w http.ResponseWriter, _ *http.Request) {
	w.Header().Set("Content-Type", "text/plain; version=0.0.4; charset=utf-8")
	_ = c.write(w) // the client is gone
}

func (c *Collector) write(w io.Writer) error {
	c.mu.Lock()
	values := maps.Clone(c.values)
	c.mu.Unlock()
	sorted := slices.SortedFunc(maps.Keys(values), func(a, b series) int {
		return strings.Compare(a.name+"\x00"+a.function, b.name+"\x00"+b.function)
	})
	out := bufio.NewWriter(w)
	family := ""
	for _, s := range sorted {
		name := strings.TrimSuffix(strings.TrimSuffix(s.name, "_sum"), "_count")
		if s.kind != "summary" {
			name = s.name
		}
		if name != family {
			fmt.Fprintf(out, "# TYPE %s %s\n", name, s.kind)
			family = name
		}
		fmt.Fprintf(out, "%s{function=%q} %v\n", s.name, s.function, values[s])
	}
	return out.Flush()
}
