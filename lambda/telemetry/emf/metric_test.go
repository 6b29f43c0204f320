package emf_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"flag"
	"go/ast"
	"go/parser"
	"go/token"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"matchbook/lambda/internal/must"
	"matchbook/lambda/manifest/metric"
	"matchbook/lambda/telemetry/emf"
)

var update = flag.Bool("update", false, "write the golden file anew")

var noon = time.Date(2026, 3, 2, 12, 0, 0, 0, time.UTC)

func flush(t *testing.T, s *emf.Set) string {
	t.Helper()
	var b bytes.Buffer
	must.OK(t, s.Flush(&b, noon))
	return b.String()
}

func TestFormat(t *testing.T) {
	t.Parallel()
	s := emf.New("prod", "match")
	s.Count(metric.Succeeded, 2)
	s.Count(metric.Succeeded, 1)
	s.Count(metric.Failed, 0)
	s.Measure(metric.AttemptTime, 120.5)
	s.Measure(metric.AttemptTime, 80)
	got := flush(t, s)
	golden := filepath.Join("testdata", "line.json")
	if *update {
		must.OK(t, os.WriteFile(golden, []byte(got), 0o644))
	}
	want := must.Get(os.ReadFile(golden))(t)
	if got != string(want) {
		t.Errorf("got  %swant %s", got, want)
	}
	if again := flush(t, s); again != "" {
		t.Errorf("written again: %s", again)
	}
}

// names reads the list of package metric.
func names(t *testing.T) (list []string) {
	t.Helper()
	file := must.Get(parser.ParseFile(token.NewFileSet(), filepath.Join("..", "..", "manifest", "metric", "metric.go"), nil, 0))(t)
	ast.Inspect(file, func(n ast.Node) bool {
		spec, ok := n.(*ast.ValueSpec)
		if !ok {
			return true
		}
		name := must.Get(strconv.Unquote(spec.Values[0].(*ast.BasicLit).Value))(t)
		list = append(list, name)
		return true
	})
	return list
}

// Every name of manifest has a unit and gets out, with the two dimensions and
// nothing beside them.
func TestAllNamesWritten(t *testing.T) {
	t.Parallel()
	s := emf.New("prod", "sweep")
	list := names(t)
	for _, name := range list {
		s.Count(name, 1)
	}
	var line map[string]any
	must.OK(t, json.Unmarshal([]byte(flush(t, s)), &line))
	for _, name := range append(list, "_aws", metric.DimensionStage, metric.DimensionFunction) {
		if _, ok := line[name]; !ok {
			t.Errorf("%s is missing", name)
		}
		delete(line, name)
	}
	if len(line) > 0 {
		t.Errorf("there is more than was named: %v", line)
	}
	if len(list) < 19 || len(list) > 100 {
		t.Errorf("%d names: fewer than there were, or more than a line may hold", len(list))
	}
}

func TestUnknownName(t *testing.T) {
	t.Parallel()
	s := emf.New("prod", "match")
	s.Count("tenant-0815", 1)
	s.Measure("AttemptTime-0815", 1)
	s.Count(metric.Retried, 1)
	var b bytes.Buffer
	if err := s.Flush(&b, noon); err == nil || !strings.Contains(err.Error(), "tenant-0815") {
		t.Errorf("got %v, want an error that names it", err)
	}
	if strings.Contains(b.String(), "0815") || !strings.Contains(b.String(), `"Retried":1`) {
		t.Errorf("got %s", b.String())
	}
}

func TestManyValues(t *testing.T) {
	t.Parallel()
	s := emf.New("prod", "match")
	s.Count(metric.Succeeded, 250)
	for i := range 250 {
		s.Measure(metric.AttemptTime, float64(i))
	}
	lines := strings.Split(strings.TrimSpace(flush(t, s)), "\n")
	var sizes []int
	for _, text := range lines {
		var line struct{ AttemptTime []float64 }
		must.OK(t, json.Unmarshal([]byte(text), &line))
		sizes = append(sizes, len(line.AttemptTime))
	}
	if !slices.Equal(sizes, []int{100, 100, 50}) || strings.Contains(lines[1], metric.Succeeded) {
		t.Errorf("got %v values; %s", sizes, lines[1])
	}
}

// Batches that overlap lose nothing and count nothing twice.
func TestConcurrentCounts(t *testing.T) {
	t.Parallel()
	s := emf.New("prod", "match")
	var out safeBuffer
	var all sync.WaitGroup
	for range 8 {
		all.Go(func() {
			for range 50 {
				s.Count(metric.Succeeded, 1)
				if err := s.Flush(&out, noon); err != nil {
					t.Error(err)
				}
			}
		})
	}
	all.Wait()
	total := 0
	for text := range strings.Lines(out.String()) {
		var line struct{ Succeeded int }
		must.OK(t, json.Unmarshal([]byte(text), &line))
		total += line.Succeeded
	}
	if total != 400 {
		t.Errorf("counted %d, want 400", total)
	}
}

type safeBuffer struct {
	sync.Mutex
	bytes.Buffer
}

func (b *safeBuffer) Write(p []byte) (int, error) {
	b.Lock()
	defer b.Unlock()
	return b.Buffer.Write(p)
}

type broken struct{}

func (broken) Write([]byte) (int, error) { return 0, errors.New("broken") }

func TestFailedWrite(t *testing.T) {
	t.Parallel()
	s := emf.New("prod", "match")
	s.Count(metric.Succeeded, 1)
	if s.Flush(broken{}, noon) == nil {
		t.Error("no error")
	}
	s.Measure(metric.AttemptTime, math.NaN())
	if s.Flush(&bytes.Buffer{}, noon) == nil {
		t.Error("no error for what is no number")
	}
}
