package eval_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"matchbook/lambda/internal/must"
	"matchbook/lambda/job/sweep"
	"matchbook/lambda/manifest"
	"matchbook/lambda/manifest/metric"
	"matchbook/lambda/manifest/variable"
	"matchbook/lambda/offer"
	"matchbook/lambda/postgres"
	"matchbook/lambda/telemetry"
	"matchbook/lambda/telemetry/emf"
)

// stack is what a reviewed template has that is paid for without a document.
type stack struct {
	queues, alarms, alarmMetrics, dashboards, gateways, addresses, keys, secrets int
	calls                                                                        float64 // of schedules, a month
	logDays, leastACU                                                            float64
}

func readStack(t *testing.T, name string) (s stack) {
	t.Helper()
	raw := must.Get(os.ReadFile("../../infra/testdata/" + name + ".template.golden"))(t)
	var template struct {
		Resources map[string]struct {
			Type       string
			Properties struct {
				Metrics                          []struct{ MetricStat any }
				ScheduleExpression               string
				RetentionInDays                  float64
				ServerlessV2ScalingConfiguration struct{ MinCapacity float64 }
				Environment                      struct{ Variables map[string]any }
			}
		}
	}
	must.OK(t, json.Unmarshal(raw, &template))
	made, secrets := map[string]int{}, map[string]bool{}
	for _, r := range template.Resources {
		made[r.Type]++
		p := r.Properties
		for _, m := range p.Metrics {
			if m.MetricStat != nil {
				s.alarmMetrics++
			}
		}
		if r.Type == "AWS::CloudWatch::Alarm" && len(p.Metrics) == 0 {
			s.alarmMetrics++
		}
		if r.Type == "AWS::Scheduler::Schedule" {
			var minutes float64
			if _, err := fmt.Sscanf(p.ScheduleExpression, "rate(%f minute", &minutes); err != nil {
				t.Fatal(p.ScheduleExpression, err)
			}
			s.calls += 730 * 60 / minutes
		}
		for key, value := range p.Environment.Variables {
			if strings.HasSuffix(key, variable.SecretSuffix) && value != "" {
				secrets[key] = true
			}
		}
		s.logDays = max(s.logDays, p.RetentionInDays)
		s.leastACU = max(s.leastACU, p.ServerlessV2ScalingConfiguration.MinCapacity)
	}
	s.queues, s.alarms, s.dashboards = made["AWS::Lambda::EventSourceMapping"], made["AWS::CloudWatch::Alarm"], made["AWS::CloudWatch::Dashboard"]
	s.gateways, s.addresses, s.keys = made["AWS::EC2::NatGateway"], made["AWS::EC2::EIP"], made["AWS::KMS::Key"]
	s.secrets = len(secrets)
	return s
}

// grouped is a whole number with commas.
func grouped(n float64) string {
	s := fmt.Sprintf("%.0f", n)
	for i := len(s) - 3; i > 0; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return s
}

func TestPageCountsTheStack(t *testing.T) {
	t.Parallel()
	page := must.Get(os.ReadFile("README.md"))(t)
	text := strings.Join(strings.Fields(string(page)), " ")
	without, with := readStack(t, "default"), readStack(t, "aurora")
	sweeps, runs, working := written(t)
	polls := float64(without.queues) * 5 * 2_628_000 / 20
	fixed := polls*0.40/1e6 + float64(sweeps+runs)*0.30 + float64(without.alarmMetrics)*0.10 + float64(without.dashboards)*3 +
		without.calls*1.00/1e6 + without.calls*0.20/1e6 + 694*0.0000133334 + without.calls*1200/1e9*0.53 +
		float64(without.secrets)*0.40 + float64(without.keys)
	aurora := with.leastACU*730*0.12 + float64(with.gateways)*730*0.045 + float64(with.addresses)*730*0.005
	others := slices.DeleteFunc(manifest.Functions(), func(f manifest.Function) bool { return f.Name == manifest.Match.Name })
	for _, want := range []string{
		fmt.Sprintf("| SQS | %d queues, each asked by 5 long polls of 20 s at a time: %[1]d x 5 x 2,628,000 / 20 = %s requests, 0.40 a million | %.2f |",
			without.queues, grouped(polls), polls*0.40/1e6),
		fmt.Sprintf("| metrics | %d of the sweep and %d of the schedule of offers, in every hour: %d x 0.30 | %.2f |", sweeps, runs, sweeps+runs, float64(sweeps+runs)*0.30),
		fmt.Sprintf("%d metrics, %.2f where all work all the time", working+5*without.queues, float64(working+5*without.queues)*0.30),
		fmt.Sprintf("%d alarms of %d metrics (an alarm that computes is paid for each metric): %[2]d x 0.10 | %.2f |",
			without.alarms, without.alarmMetrics, float64(without.alarmMetrics)*0.10),
		fmt.Sprintf("| dashboard | %d x 3.00", without.dashboards),
		fmt.Sprintf("%s calls, 1.00 a million", grouped(without.calls)),
		fmt.Sprintf("%d secrets, of the database and of the model, x 0.40; %d key x 1.00", without.secrets, without.keys),
		fmt.Sprintf("**%.2f**", fixed), fmt.Sprintf("**%.2f**", fixed+aurora),
		fmt.Sprintf("| Aurora | %g ACU x 730 x 0.12 | %.2f |", with.leastACU, with.leastACU*730*0.12),
		fmt.Sprintf("%d gateway and %d address", with.gateways, with.addresses),
		fmt.Sprintf("add %d alarms of %d metrics and %d secrets", with.alarms-without.alarms, with.alarmMetrics-without.alarmMetrics, with.secrets-without.secrets),
		fmt.Sprintf("(97 - %d of other functions) / %d", manifest.Connections(others, manifest.Tasks()), manifest.Match.PoolSize),
		fmt.Sprintf("invocations x %d / batch", manifest.Match.BatchSize),
		fmt.Sprintf("%d batches at a time", manifest.Match.MaxConcurrency),
		fmt.Sprintf("%d MB have", manifest.Match.MemoryMB),
		fmt.Sprintf("the function's %d minutes less %.0f s", int(manifest.Match.Timeout.Minutes()), manifest.SettleReserve.Seconds()),
	} {
		if !strings.Contains(text, want) {
			t.Errorf("the page has no %q", want)
		}
	}
	if without.logDays != 30 || with.logDays != 30 {
		t.Errorf("logs are kept for %g days, and the page counts one month", with.logDays)
	}
}

// written counts the metrics that a sweep and a run of the schedule write always, and
// those of functions that work. Each metric of the manifest is one of these, or is
// written only where something is overdue or refused.
func written(t *testing.T) (sweeps, runs, working int) {
	t.Helper()
	source := must.Get(os.ReadFile("../manifest/metric/metric.go"))(t)
	model := 0
	left := map[string]bool{}
	for _, found := range regexp.MustCompile(`(?m)^\t(\w+) += "(\w+)"`).FindAllStringSubmatch(string(source), -1) {
		switch {
		case strings.HasPrefix(found[1], "Model"):
			model++
		default:
			left[found[2]] = true
		}
	}
	swept, queued := emf.New("prod", manifest.Sweep.Name), emf.New("prod", manifest.Schedule.Name)
	telemetry.CountSweep(swept, sweep.Report{}, nil, postgres.Gauges{}, nil)
	telemetry.CountSchedule(queued, offer.ScheduleReport{})
	queued.Measure(metric.DuplicateOffers, 0)
	sweeps, runs = count(t, swept, left), count(t, queued, left)
	of := len(telemetry.Ends) + 2
	for _, name := range append(slices.Clone(telemetry.Ends), metric.Refused, metric.AttemptTime) {
		delete(left, name)
	}
	for _, f := range manifest.Functions() {
		switch {
		case f.Rowless:
			working += 5 // nothing fails for good
		case f.AsksModel:
			working += of + model
		default:
			working += of
		}
	}
	rare := []string{metric.SweepBacklog, metric.RefusedEvents, metric.RefusedSets}
	if got := slices.Sorted(maps.Keys(left)); !slices.Equal(got, rare) {
		t.Errorf("the page does not count the metrics %v, want %v only", got, rare)
	}
	return sweeps, runs, working
}

// count counts what a set writes, and takes it out of left.
func count(t *testing.T, set *emf.Set, left map[string]bool) int {
	t.Helper()
	var line bytes.Buffer
	must.OK(t, set.Flush(&line, time.Now()))
	var written map[string]any
	must.OK(t, json.Unmarshal(line.Bytes(), &written))
	delete(written, "_aws")
	delete(written, metric.DimensionStage)
	delete(written, metric.DimensionFunction)
	for name := range written {
		delete(left, name)
	}
	return len(written)
}
