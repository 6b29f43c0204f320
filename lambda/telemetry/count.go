package telemetry

import (
	"context"
	"time"

	"matchbook/lambda/failure"
	"matchbook/lambda/job"
	"matchbook/lambda/llm"
	"matchbook/lambda/manifest"
	"matchbook/lambda/metric"
	"matchbook/lambda/notify"
	"matchbook/lambda/postgres"
	"matchbook/lambda/sweep"
)

// Ends are the metrics that a delivery counts as one of.
var Ends = []string{
	manifest.MetricSucceeded, manifest.MetricRetried, manifest.MetricDeadLettered,
	manifest.MetricFailed, manifest.MetricSkipped, manifest.MetricMalformed,
}

// acknowledged says as what a delivery counts whose message is done with. Any
// other counts as what happens to its message.
var acknowledged = map[job.Result]string{
	job.Succeeded: manifest.MetricSucceeded,
	job.Permanent: manifest.MetricFailed,
	job.Malformed: manifest.MetricMalformed,
	// and the others: there was nothing to do
}

func endOf(o job.Observation) string {
	switch o.Action {
	case job.Ack:
		if name, ok := acknowledged[o.Result]; ok {
			return name
		}
		return manifest.MetricSkipped
	case job.DeadLetter:
		return manifest.MetricDeadLettered
	default:
		return manifest.MetricRetried
	}
}

// Observe counts every end once.
func Observe(set *metric.Set) func(job.Observation) {
	return func(o job.Observation) {
		set.Count(endOf(o), 1)
		if o.Worked > 0 {
			set.Measure(manifest.MetricAttemptTime, float64(o.Worked)/float64(time.Millisecond))
		}
	}
}

// CountSweep tells what a sweep found and did, as far as it is known: failed is
// why it did not get to its end, unread why there are no gauges.
func CountSweep(set *metric.Set, r sweep.Report, failed error, g postgres.Gauges, unread error) {
	set.Count(manifest.MetricInserted, r.Inserted)
	set.Count(manifest.MetricRefused, 0)
	set.Count(manifest.MetricRepublished, r.Republished)
	set.Count(manifest.MetricRecovered, r.Recovered)
	set.Count(manifest.MetricLost, r.Lost)
	set.Count(manifest.MetricCrashed, r.Crashed)
	if r.Overdue > 0 && (r.Backlog > 0 || failed == nil) {
		set.Measure(manifest.MetricSweepBacklog, float64(r.Backlog))
	}
	if unread != nil {
		return
	}
	set.Measure(manifest.MetricOldestDue, g.OldestDue.Seconds())
	set.Measure(manifest.MetricPending, float64(g.Pending))
	set.Measure(manifest.MetricInProgress, float64(g.InProgress))
	set.Measure(manifest.MetricUntold, float64(g.Untold))
}

// countRefusal counts an error that says that our credentials are not taken.
func countRefusal(set *metric.Set, err error) {
	if err != nil && failure.Of(err).Refused {
		set.Count(manifest.MetricRefused, 1)
	}
}

// CountRenewal counts each login that the database refused and that nothing
// newer could replace.
func CountRenewal(renew postgres.Renew, set *metric.Set) postgres.Renew {
	return func(ctx context.Context, refused string) (string, bool) {
		if renew != nil {
			if url, changed := renew(ctx, refused); changed {
				return url, true
			}
		}
		set.Count(manifest.MetricRefused, 1)
		return "", false
	}
}

// CountSender is a channel whose refusals are counted.
func CountSender(s notify.Sender, set *metric.Set) notify.Sender { return countedSender{s, set} }

type countedSender struct {
	notify.Sender
	set *metric.Set
}

func (s countedSender) Send(ctx context.Context, m notify.Message) error {
	err := s.Sender.Send(ctx, m)
	countRefusal(s.set, err)
	return err
}

// countUsage counts a call, and what was paid for it.
func countUsage(set *metric.Set, u llm.Usage) {
	set.Count(manifest.MetricModelCalls, 1)
	set.Count(manifest.MetricModelPromptTokens, max(u.PromptTokens, 0))
	set.Count(manifest.MetricModelCompletionTokens, max(u.CompletionTokens, 0))
}

// CountModel is a model whose calls are counted, those that fail too.
func CountModel(m llm.Model, set *metric.Set) llm.Model { return countedModel{m, set} }

type countedModel struct {
	llm.Model
	set *metric.Set
}

func (m countedModel) Answer(ctx context.Context, q llm.Question) (llm.Answer, error) {
	answer, err := m.Model.Answer(ctx, q)
	countUsage(m.set, answer.Usage)
	countRefusal(m.set, err)
	return answer, err
}

// CountEmbedder counts each call for embeddings as one of the model's.
func CountEmbedder(e llm.Embedder, set *metric.Set) llm.Embedder { return countedEmbedder{e, set} }

type countedEmbedder struct {
	llm.Embedder
	set *metric.Set
}

func (e countedEmbedder) Embed(ctx context.Context, texts []string) ([]llm.Vector, llm.Usage, error) {
	vectors, usage, err := e.Embedder.Embed(ctx, texts)
	countUsage(e.set, usage)
	countRefusal(e.set, err)
	return vectors, usage, err
}

// CountVault counts the questions that are answered without a call.
func CountVault(v llm.Vault, set *metric.Set) llm.Vault { return countedVault{v, set} }

type countedVault struct {
	llm.Vault
	set *metric.Set
}

func (v countedVault) FindAnswer(ctx context.Context, k llm.Key) (int64, string, bool, error) {
	id, text, found, err := v.Vault.FindAnswer(ctx, k)
	if found {
		v.set.Count(manifest.MetricModelReplays, 1)
	}
	return id, text, found, err
}
