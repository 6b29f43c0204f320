package telemetry

import (
	"context"
	"time"

	"matchbook/lambda/failure"
	"matchbook/lambda/job"
	"matchbook/lambda/job/sweep"
	"matchbook/lambda/llm"
	"matchbook/lambda/manifest/metric"
	"matchbook/lambda/notify"
	"matchbook/lambda/notify/outbox"
	"matchbook/lambda/offer"
	"matchbook/lambda/postgres"
	"matchbook/lambda/telemetry/emf"
	"matchbook/lambda/telemetry/trace"
)

// Ends lists the metrics of deliveries. Each delivery counts as one of them.
var Ends = []string{
	metric.Succeeded, metric.Retried, metric.DeadLettered,
	metric.Failed, metric.Skipped, metric.Malformed,
}

// acknowledged holds the metrics for acknowledged deliveries. Any other delivery counts by its
// action.
var acknowledged = map[job.Result]string{
	job.Succeeded: metric.Succeeded,
	job.Permanent: metric.Failed,
	job.Malformed: metric.Malformed,
	job.Parked:    metric.Retried,
	// any other: there was nothing to do
}

func endOf(o job.Observation) string {
	switch o.Action {
	case job.Ack:
		if name, ok := acknowledged[o.Result]; ok {
			return name
		}
		return metric.Skipped
	case job.DeadLetter:
		return metric.DeadLettered
	default:
		return metric.Retried
	}
}

// Observe returns a function for job.Runtime.Observe that counts the end of each delivery
// once.
func Observe(set *emf.Set) func(job.Observation) {
	return func(o job.Observation) {
		set.Count(endOf(o), 1)
		if o.Worked > 0 {
			set.Measure(metric.AttemptTime, float64(o.Worked)/float64(time.Millisecond))
		}
	}
}

// CountSweep counts a sweep's repairs and its gauges. If failed isn't nil, the sweep ended
// early with this error; if unread isn't nil, the gauges couldn't be read. It leaves out
// unknown figures.
func CountSweep(set *emf.Set, r sweep.Report, failed error, g postgres.Gauges, unread error) {
	set.Count(metric.Inserted, r.Inserted)
	set.Count(metric.Refused, 0)
	set.Count(metric.Republished, r.Republished)
	set.Count(metric.Recovered, r.Recovered)
	set.Count(metric.Lost, r.Lost)
	set.Count(metric.Crashed, r.Crashed)
	if r.Overdue > 0 && (r.Backlog > 0 || failed == nil) {
		set.Measure(metric.SweepBacklog, float64(r.Backlog))
	}
	if unread != nil {
		return
	}
	set.Measure(metric.OldestDue, g.OldestDue.Seconds())
	set.Measure(metric.Pending, float64(g.Pending))
	set.Measure(metric.InProgress, float64(g.InProgress))
	set.Measure(metric.Parked, float64(g.Parked))
	set.Measure(metric.Unsent, float64(g.Unsent))
	set.Measure(metric.UndeliveredSets, float64(g.Undelivered))
	set.Measure(metric.OldestUndelivered, g.OldestUndelivered.Seconds())
	set.Measure(metric.WaitingEvents, float64(g.Events.Waiting))
	set.Measure(metric.OldestEvent, g.Events.Oldest.Seconds())
	set.Measure(metric.DeadEvents, float64(g.Events.Dead))
}

// CountSchedule counts the queued and skipped jobs in a run of the schedule of match offers.
func CountSchedule(set *emf.Set, r offer.ScheduleReport) {
	set.Count(metric.Refused, 0)
	set.Count(metric.Queued, r.Queued)
	set.Count(metric.Late, r.Late)
	set.Count(metric.SkippedDates, r.TooLate+r.UnknownZone)
}

// countRefusal counts an error if the other side rejected our credentials.
func countRefusal(set *emf.Set, err error) {
	if err != nil && failure.Of(err).Refused {
		set.Count(metric.Refused, 1)
	}
}

// CountRenewal counts each login rejected by the database, unless there is a newer password.
func CountRenewal(renew postgres.Renew, set *emf.Set) postgres.Renew {
	return func(ctx context.Context, refused string) (string, bool) {
		if renew != nil {
			if url, changed := renew(ctx, refused); changed {
				return url, true
			}
		}
		set.Count(metric.Refused, 1)
		return "", false
	}
}

// CountSender returns a Sender that counts its refusals.
func CountSender(s notify.Sender, set *emf.Set) notify.Sender { return countedSender{s, set} }

type countedSender struct {
	notify.Sender
	set *emf.Set
}

// Send counts an error if it rejects our credentials.
func (s countedSender) Send(ctx context.Context, m notify.Message) error {
	err := s.Sender.Send(ctx, m)
	countRefusal(s.set, err)
	return err
}

// CountReceiver returns a Receiver that counts its refusals as the metric refused.
func CountReceiver(r outbox.Receiver, set *emf.Set, refused string) outbox.Receiver {
	return countedReceiver{r, set, refused}
}

type countedReceiver struct {
	outbox.Receiver
	set     *emf.Set
	refused string
}

// Send counts an error if it refuses the parcel or our signature.
func (r countedReceiver) Send(ctx context.Context, p outbox.Parcel) error {
	err := r.Receiver.Send(ctx, p)
	countRefusal(r.set, err)
	if err != nil && failure.Of(err).Kind == failure.Permanent {
		r.set.Count(r.refused, 1)
	}
	return err
}

func countUsage(set *emf.Set, u llm.Usage) {
	set.Count(metric.ModelCalls, 1)
	set.Count(metric.ModelPromptTokens, max(u.PromptTokens, 0))
	set.Count(metric.ModelCompletionTokens, max(u.CompletionTokens, 0))
}

// noteCall adds the facts of a model call, with OpenTelemetry's names. Nothing of the question or
// the answer is among them.
func noteCall(span *trace.Span, model string, u llm.Usage, err error) {
	if span == nil {
		return
	}
	span.Set("gen_ai.request.model", model)
	span.SetInt("gen_ai.usage.input_tokens", u.PromptTokens)
	span.SetInt("gen_ai.usage.output_tokens", u.CompletionTokens)
	span.Fail(failure.Of(err).Text)
}

// CountModel returns a Model that counts its calls, even failed ones.
func CountModel(m llm.Model, set *emf.Set) llm.Model { return countedModel{m, set} }

type countedModel struct {
	llm.Model
	set *emf.Set
}

// Answer counts the call, its tokens, and an error if it rejects our credentials.
func (m countedModel) Answer(ctx context.Context, q llm.Question) (llm.Answer, error) {
	ctx, span := trace.Start(ctx, "chat", trace.Client)
	defer span.End()
	answer, err := m.Model.Answer(ctx, q)
	noteCall(span, m.Name(), answer.Usage, err)
	countUsage(m.set, answer.Usage)
	countRefusal(m.set, err)
	return answer, err
}

// CountRepeats returns a function for llm.Retry.Repeats. It counts repeated calls, and
// measures the waits requested by the provider.
func CountRepeats(set *emf.Set) func(wait, retryAfter time.Duration) {
	paused := CountPause(set)
	return func(wait, retryAfter time.Duration) {
		set.Count(metric.ModelRetries, 1)
		if retryAfter > 0 {
			paused(wait)
		}
	}
}

// CountPause returns a function that measures a wait for a provider's rate limit.
func CountPause(set *emf.Set) func(time.Duration) {
	return func(wait time.Duration) {
		set.Measure(metric.ModelPaused, float64(wait)/float64(time.Millisecond))
	}
}

// CountEmbedder returns an Embedder that counts its calls with the model's.
func CountEmbedder(e llm.Embedder, set *emf.Set) llm.Embedder { return countedEmbedder{e, set} }

type countedEmbedder struct {
	llm.Embedder
	set *emf.Set
}

// Embed counts like Answer. It counts once, even if the texts need several requests.
func (e countedEmbedder) Embed(ctx context.Context, texts []string) ([]llm.Vector, llm.Usage, error) {
	ctx, span := trace.Start(ctx, "embeddings", trace.Client)
	defer span.End()
	vectors, usage, err := e.Embedder.Embed(ctx, texts)
	noteCall(span, e.Name(), usage, err)
	countUsage(e.set, usage)
	countRefusal(e.set, err)
	return vectors, usage, err
}

// CountVault returns a Vault that counts the questions answered without a call.
func CountVault(v llm.Vault, set *emf.Set) llm.Vault { return countedVault{v, set} }

type countedVault struct {
	llm.Vault
	set *emf.Set
}

// FindAnswer counts an answer found in the vault.
func (v countedVault) FindAnswer(ctx context.Context, k llm.Key) (int64, string, bool, error) {
	id, text, found, err := v.Vault.FindAnswer(ctx, k)
	if found {
		v.set.Count(metric.ModelReplays, 1)
	}
	return id, text, found, err
}
