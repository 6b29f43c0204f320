package job

import (
	"context"
	"time"

	"matchbook/lambda/failure"
	"matchbook/lambda/telemetry/trace"
)

// open starts a span for each delivery, below its publisher's. Without a tracer it does nothing.
func (b *batch) open(ctx context.Context) {
	for i, d := range b.deliveries {
		_, s := trace.Continue(ctx, d.Trace, "process")
		s.Set("messaging.system", "aws_sqs")
		s.SetInt("matchbook.delivery", d.Count)
		b.spans[i] = s
	}
}

// noteClaim adds the claim of a delivery, which it shares with others.
func (b *batch) noteClaim(i int, begin time.Time, err error) {
	b.spans[i].Add("claim", begin, failure.Of(err).Text)
}

// close ends the span of a settled delivery.
func (b *batch) close(i int, f Attempt, o Outcome, s Settlement, why failure.Failure) {
	span := b.spans[i]
	if span == nil {
		return
	}
	id, tenant := b.names(i, o)
	span.Set("matchbook.row.id", id)
	span.Set("matchbook.tenant.id", tenant)
	span.SetInt("matchbook.attempt", f.Number)
	span.Set("matchbook.result", o.Result.String())
	span.Set("matchbook.action", s.Action.String())
	if s.Write == StatusFailed || s.Action != Ack {
		span.Fail(why.Text)
	}
	span.End()
}
