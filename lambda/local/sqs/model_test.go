package sqs

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"matchbook/lambda/local/clock"

	"github.com/aws/aws-sdk-go-v2/service/sqs"
	"github.com/aws/aws-sdk-go-v2/service/sqs/types"
	"pgregory.net/rapid"
)

// table is all that a consumer can know about a queue: a table of messages.
type table struct {
	clock *clock.Clock
	rows  []*tableRow
	dead  int
	given int64
}

type tableRow struct {
	id        string
	sent      time.Time
	received  time.Time
	visibleAt time.Time
	receives  int
	handle    *string
}

const (
	tableReceives  = 3
	tableRetention = time.Hour
)

func (m *table) visible(row *tableRow) bool { return !row.visibleAt.After(m.clock.Now()) }

func (m *table) expire() {
	m.rows = slices.DeleteFunc(m.rows, func(r *tableRow) bool { return !m.clock.Now().Before(r.sent.Add(tableRetention)) })
}

// receive returns the result of a receive of 10 messages, with at most 10 in the queue.
func (m *table) receive(visibility time.Duration) map[string]int {
	want := map[string]int{}
	m.rows = slices.DeleteFunc(m.rows, func(r *tableRow) bool {
		if !m.visible(r) {
			return false
		}
		if r.receives == tableReceives {
			m.dead++
			return true
		}
		r.receives++
		r.received, r.visibleAt = m.clock.Now(), m.clock.Now().Add(visibility)
		want[r.id] = r.receives
		return false
	})
	m.given += int64(len(want))
	return want
}

func (m *table) stats() Stats {
	stats := Stats{HandedOut: m.given}
	for _, r := range m.rows {
		switch {
		case m.visible(r):
			stats.Visible++
			continue
		case r.receives == 0:
			stats.Delayed++
		default:
			stats.InFlight++
		}
		if stats.NextVisible.IsZero() || r.visibleAt.Before(stats.NextVisible) {
			stats.NextVisible = r.visibleAt
		}
	}
	return stats
}

func TestBehavesLikeModel(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	round := 0
	rapid.Check(t, func(rt *rapid.T) {
		round++
		name := fmt.Sprint("work-", round)
		r.queue(name+"-dead", nil)
		q := r.queue(name, map[string]string{"VisibilityTimeout": "60", "MessageRetentionPeriod": "3600",
			"RedrivePolicy": fmt.Sprintf(`{"deadLetterTargetArn":"%s%s-dead","maxReceiveCount":%d}`,
				arnPrefix, name, tableReceives)})
		model := &table{clock: r.clock}
		pick := func(rt *rapid.T) *tableRow {
			var received []*tableRow
			for _, row := range model.rows {
				if row.handle != nil {
					received = append(received, row)
				}
			}
			if len(received) == 0 {
				rt.Skip("no message was received yet: the step needs a receipt handle")
			}
			return rapid.SampledFrom(received).Draw(rt, "row")
		}
		rt.Repeat(map[string]func(*rapid.T){
			"send": func(rt *rapid.T) {
				if len(model.rows) == 10 {
					rt.Skip("the queue holds ten messages, the most of this test")
				}
				delay := rapid.SampledFrom([]int32{0, 0, 45}).Draw(rt, "delay")
				out, err := r.client.SendMessage(t.Context(),
					&sqs.SendMessageInput{QueueUrl: q, MessageBody: &name, DelaySeconds: delay})
				r.must(err)
				now := r.clock.Now()
				model.rows = append(model.rows, &tableRow{id: *out.MessageId, sent: now,
					visibleAt: now.Add(time.Duration(delay) * time.Second)})
			},
			"receive": func(rt *rapid.T) {
				in := receiveInput(q)
				in.VisibilityTimeout = rapid.SampledFrom([]int32{0, 5}).Draw(rt, "visibility")
				visibility := time.Minute // the SDK leaves out a 0
				if in.VisibilityTimeout > 0 {
					visibility = time.Duration(in.VisibilityTimeout) * time.Second
				}
				out, err := r.client.ReceiveMessage(t.Context(), in)
				r.must(err)
				want := model.receive(visibility)
				if len(out.Messages) != len(want) {
					rt.Fatalf("received %d messages, want %d", len(out.Messages), len(want))
				}
				for _, got := range out.Messages {
					if fmt.Sprint(want[*got.MessageId]) != got.Attributes["ApproximateReceiveCount"] {
						rt.Fatalf("received %s for the %s. time, want %v",
							*got.MessageId, got.Attributes["ApproximateReceiveCount"], want)
					}
					i := slices.IndexFunc(model.rows, func(row *tableRow) bool { return row.id == *got.MessageId })
					model.rows[i].handle = got.ReceiptHandle
				}
			},
			"delete": func(rt *rapid.T) {
				row := pick(rt)
				r.must(r.delete(q, types.Message{ReceiptHandle: row.handle}))
				model.rows = slices.DeleteFunc(model.rows, func(other *tableRow) bool { return other == row })
			},
			"change": func(rt *rapid.T) {
				row := pick(rt)
				seconds := rapid.SampledFrom([]int32{0, 1, 600, 43200}).Draw(rt, "seconds")
				until := r.clock.Now().Add(time.Duration(seconds) * time.Second)
				want := ""
				switch {
				case model.visible(row):
					want = "AWS.SimpleQueueService.MessageNotInflight"
				case until.After(row.received.Add(12 * time.Hour)):
					want = "InvalidParameterValue"
				default:
					row.visibleAt = until
				}
				if got := codeOf(r.change(q, types.Message{ReceiptHandle: row.handle}, seconds)); got != want {
					rt.Fatalf("change: %q, want %q", got, want)
				}
			},
			"advance": func(rt *rapid.T) {
				r.clock.Advance(rapid.SampledFrom([]time.Duration{time.Second, time.Minute, 20 * time.Minute}).Draw(rt,
					"by"))
				model.expire()
			},
			"": func(rt *rapid.T) {
				if got, want := r.stats(name), model.stats(); got != want {
					rt.Fatalf("stats %+v, want %+v", got, want)
				}
				if got := r.stats(name + "-dead").Visible; got != model.dead {
					rt.Fatalf("%d in the dead-letter queue, want %d", got, model.dead)
				}
			},
		})
	})
}
