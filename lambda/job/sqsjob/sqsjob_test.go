package sqsjob_test

import (
	"context"
	"encoding/json"
	"log/slog"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"matchbook/lambda/internal/must"
	"matchbook/lambda/job"
	"matchbook/lambda/job/sqsjob"

	"github.com/aws/aws-lambda-go/events"
	"github.com/aws/aws-lambda-go/lambdacontext"
	"github.com/google/uuid"
)

// never is a runner that must not be called.
func never(t testing.TB) runner {
	return func(context.Context, []job.Delivery, job.Messages) []job.Settlement {
		t.Error("it ran")
		return nil
	}
}

// says is a runner that only returns settlements.
func says(ends ...job.Settlement) runner {
	return func(context.Context, []job.Delivery, job.Messages) []job.Settlement { return ends }
}

// SQS may repeat a message in an event. That is no reason to refuse the others,
// and the message is done when every record of it is.
func TestRepeatedMessage(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		name string
		ends []job.Settlement // of a, b and a
		want []string
	}{
		{"both", []job.Settlement{ack, ack, ack}, []string{}},
		{"the first", []job.Settlement{ack, ack, retry(time.Minute)}, []string{"a"}},
		{"the second", []job.Settlement{retry(time.Minute), ack, ack}, []string{"a"}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			r := newRig(t)
			event := events.SQSEvent{Records: []events.SQSMessage{record("a", id(1).String()),
				record("b", id(2).String()), record("a", id(1).String())}}
			out, err := r.handler(says(tc.ends...)).Handle(t.Context(), event)
			if got := unfinished(out); err != nil || !slices.Equal(got, tc.want) {
				t.Errorf("unfinished %q, error %v, want %q", got, err, tc.want)
			}
		})
	}
}

// A claim may say where its log is.
func TestRunnerKnowsWorker(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	ctx := lambdacontext.NewContext(t.Context(), &lambdacontext.LambdaContext{AwsRequestID: "r-1"})
	var got job.Worker
	run := func(ctx context.Context, _ []job.Delivery, _ job.Messages) []job.Settlement {
		got = job.WorkerOf(ctx)
		return []job.Settlement{ack}
	}
	must.Get(r.handler(run).Handle(ctx, events.SQSEvent{Records: []events.SQSMessage{record("a", id(1).String())}}))(t)
	if host := must.Get(os.Hostname())(t); got != (job.Worker{Name: host, Request: "r-1", Hops: 1}) {
		t.Errorf("got %+v, want host %s and request r-1", got, host)
	}
}

func TestResponse(t *testing.T) {
	t.Parallel()
	again := retry(time.Minute)
	for _, tc := range []struct {
		name string
		ends []job.Settlement // of a, c and d
		want []string
	}{
		{"all finished", []job.Settlement{ack, ack, ack}, []string{}},
		{"none finished", []job.Settlement{again, deadLetter, retry(job.KeepVisibility)}, []string{"a", "c", "d"}},
		{"some finished", []job.Settlement{deadLetter, ack, again}, []string{"a", "d"}},
		{"no end at all", []job.Settlement{ack, {}, ack}, []string{"c"}},
		{"an end too few", []job.Settlement{ack, ack}, []string{"d"}},
		{"nothing came back", nil, []string{"a", "c", "d"}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			r := newRig(t)
			event := events.SQSEvent{Records: []events.SQSMessage{record("a", id(1).String()), record("b", "no id"),
				record("c", id(2).String()), record("d", id(1).String())}}
			out, err := r.handler(says(tc.ends...)).Handle(t.Context(), event)
			if err != nil || out.BatchItemFailures == nil {
				t.Fatalf("got %+v, %v; a list that is null says that everything succeeded", out, err)
			}
			if got := unfinished(out); !slices.Equal(got, tc.want) {
				t.Errorf("unfinished %q, want %q", got, tc.want)
			}
		})
	}
}

func TestEmptyBatch(t *testing.T) {
	t.Parallel()
	out := must.Get(newRig(t).handler(says()).Handle(t.Context(), events.SQSEvent{Records: []events.SQSMessage{}}))(t)
	got, err := json.Marshal(out)
	if want := `{"batchItemFailures":[]}`; err != nil || string(got) != want {
		t.Errorf("got %s, %v, want %s", got, err, want)
	}
}

func TestRefusedEvent(t *testing.T) {
	t.Parallel()
	change := func(f func(*events.SQSMessage)) []events.SQSMessage {
		records := []events.SQSMessage{record("a", id(1).String()), record("b", id(2).String())}
		f(&records[1])
		return records
	}
	for name, records := range map[string][]events.SQSMessage{
		"no Records":        nil,
		"another source":    change(func(r *events.SQSMessage) { r.EventSource = "aws:sns" }),
		"no source":         change(func(r *events.SQSMessage) { r.EventSource = "" }),
		"no messageId":      change(func(r *events.SQSMessage) { r.MessageId = "" }),
		"another queue":     change(func(r *events.SQSMessage) { r.EventSourceARN += "-2" }),
		"another account":   change(func(r *events.SQSMessage) { r.EventSourceARN = "arn:aws:sqs:us-east-1:000000000001:match" }),
		"another region":    change(func(r *events.SQSMessage) { r.EventSourceARN = "arn:aws:sqs:us-east-2:000000000000:match" }),
		"another service":   change(func(r *events.SQSMessage) { r.EventSourceARN = "arn:aws:sns:us-east-1:000000000000:match" }),
		"no ARN":            change(func(r *events.SQSMessage) { r.EventSourceARN = "" }),
		"a name for an ARN": change(func(r *events.SQSMessage) { r.EventSourceARN = "match" }),
		"a long ARN":        change(func(r *events.SQSMessage) { r.EventSourceARN = strings.Repeat("x", 1<<20) }),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := newRig(t)
			if out, err := r.handler(never(t)).Handle(t.Context(), events.SQSEvent{Records: records}); err == nil {
				t.Errorf("got %+v, want an error of the whole invocation", out)
			} else if len(err.Error()) > 500 {
				t.Errorf("an error of %d bytes", len(err.Error()))
			}
			if got := r.log.lines(t); len(got) != 1 || got[0].Level != "ERROR" {
				t.Errorf("logged %+v, want one error", got)
			}
			r.wantCalls()
		})
	}
}

func TestAllPartitions(t *testing.T) {
	t.Parallel()
	for _, partition := range []string{"aws", "aws-cn", "aws-us-gov"} {
		r := newRig(t)
		a := record("a", id(1).String())
		a.EventSourceARN = strings.Replace(queueARN, "aws", partition, 1)
		if got := r.handle(events.SQSEvent{Records: []events.SQSMessage{a}}, says(ack)); len(got) != 0 {
			t.Errorf("%s: unfinished %q, want none", partition, got)
		}
	}
}

func TestMalformedBodyIsAcked(t *testing.T) {
	t.Parallel()
	const secret = "Muster GmbH"
	bare := strings.ReplaceAll(id(1).String(), "-", "")
	for name, body := range map[string]string{
		"empty":         "",
		"text":          secret,
		"10 MB":         strings.Repeat(secret, 10<<20/len(secret)),
		"36 characters": strings.Repeat("x", 36),
		"braces":        "{" + id(1).String() + "}",
		"URN":           "urn:uuid:" + id(1).String(),
		"no hyphens":    bare,
		"quotes":        `"` + id(1).String() + `"`,
		"line end":      id(1).String() + "\n",
		"JSON":          `{"id":"` + id(1).String() + `"}`,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := newRig(t)
			var ran []job.Delivery
			out := r.handle(events.SQSEvent{Records: []events.SQSMessage{record("bad", body),
				record("good", id(2).String())}},
				func(_ context.Context, deliveries []job.Delivery, _ job.Messages) []job.Settlement {
					ran = deliveries
					return []job.Settlement{retry(0)}
				})
			if want := []string{"good"}; !slices.Equal(out, want) {
				t.Errorf("unfinished %q, want %q", out, want)
			}
			if len(ran) != 1 || ran[0].ID != id(2) {
				t.Errorf("ran %+v, want the good one", ran)
			}
			got := r.log.lines(t)
			if len(got) != 1 || got[0].Level != "ERROR" || got[0].Message != "bad" || got[0].Result != "malformed" ||
				got[0].Action != "ack" {
				t.Errorf("logged %+v, want one error that names the message", got)
			}
			if text := r.log.String(); strings.Contains(text, secret) || len(text) > 500 {
				t.Errorf("the body is in the log, %d bytes", len(text))
			}
		})
	}
}

func TestDecodeRecord(t *testing.T) {
	t.Parallel()
	stamped := func(s string) map[string]events.SQSMessageAttribute {
		return map[string]events.SQSMessageAttribute{"published-at": {StringValue: &s, DataType: "String"}}
	}
	noWarning, warning := 0, 1
	for _, tc := range []struct {
		name       string
		attributes map[string]string
		own        map[string]events.SQSMessageAttribute
		want       job.Delivery // without the ID
		warnings   int
	}{
		{"all there is", map[string]string{"ApproximateReceiveCount": "3", "SentTimestamp": "1772452800123"},
			stamped("2026-03-02T12:00:00.000001Z"),
			job.Delivery{Count: 3, SentAt: noon.Add(123 * time.Millisecond), PublishedAt: noon.Add(time.Microsecond)},
			noWarning},
		{"nothing", nil, nil, job.Delivery{Count: 1}, warning},
		{"count of 0", map[string]string{"ApproximateReceiveCount": "0"}, nil, job.Delivery{Count: 1}, warning},
		{"count of -2", map[string]string{"ApproximateReceiveCount": "-2"}, nil, job.Delivery{Count: 1}, warning},
		{"count that is no number", map[string]string{"ApproximateReceiveCount": "many"}, nil, job.Delivery{Count: 1},
			warning},
		{"time that is no number", map[string]string{"ApproximateReceiveCount": "1", "SentTimestamp": "today"}, nil,
			job.Delivery{Count: 1}, noWarning},
		{"stamp in another zone", map[string]string{"ApproximateReceiveCount": "1"},
			stamped("2026-03-02T13:00:00+01:00"), job.Delivery{Count: 1, PublishedAt: noon}, noWarning},
		{"stamp without a zone", map[string]string{"ApproximateReceiveCount": "1"}, stamped("2026-03-02T12:00:00"),
			job.Delivery{Count: 1}, noWarning},
		{"broken stamp", map[string]string{"ApproximateReceiveCount": "1"}, stamped("soon"), job.Delivery{Count: 1},
			noWarning},
		{"binary stamp", map[string]string{"ApproximateReceiveCount": "1"},
			map[string]events.SQSMessageAttribute{"published-at": {BinaryValue: []byte("2026-03-02T12:00:00Z"),
				DataType: "Binary"}}, job.Delivery{Count: 1}, noWarning},
		{"stamp of another name", map[string]string{"ApproximateReceiveCount": "1"},
			map[string]events.SQSMessageAttribute{"PublishedAt": stamped("2026-03-02T12:00:00Z")["published-at"]},
			job.Delivery{Count: 1}, noWarning},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			r := newRig(t)
			a := record("a", id(1).String())
			a.Attributes, a.MessageAttributes = tc.attributes, tc.own
			var got job.Delivery
			r.handle(events.SQSEvent{Records: []events.SQSMessage{a}},
				func(_ context.Context, ds []job.Delivery, _ job.Messages) []job.Settlement {
					got = ds[0]
					return []job.Settlement{ack}
				})
			if got.ID != id(1) || got.Count != tc.want.Count || !got.SentAt.Equal(tc.want.SentAt) ||
				!got.PublishedAt.Equal(tc.want.PublishedAt) {
				t.Errorf("got %+v, want %+v", got, tc.want)
			}
			if logged := r.log.lines(t); len(logged) != tc.warnings {
				t.Errorf("logged %+v, want %d warnings", logged, tc.warnings)
			}
		})
	}
}

func TestMalformedCount(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	h := r.handler(says(ack))
	var counted []int
	h.Malformed = func(n int) { counted = append(counted, n) }
	for _, records := range [][]events.SQSMessage{
		{record("a", "no id"), record("b", id(1).String()), record("c", "")},
		{record("a", id(1).String())},
	} {
		must.Get(h.Handle(t.Context(), events.SQSEvent{Records: records}))(t)
	}
	if !slices.Equal(counted, []int{2}) {
		t.Errorf("counted %v, want 2 once", counted)
	}
}

// Whatever Lambda might send: no panic, and a message leaves the response only
// if the runner acknowledged it or if its body is no id.
func FuzzHandle(f *testing.F) {
	for _, records := range [][]events.SQSMessage{
		{record("a", id(1).String()), record("b", id(2).String()), record("c", "no id")},
		{record("a", id(1).String()), record("a", id(1).String())},
		{},
	} {
		event := must.Get(json.Marshal(events.SQSEvent{Records: records}))(f)
		f.Add(event)
	}
	f.Add([]byte(`{"Records":[{"messageId":"a","eventSource":"aws:sqs","eventSourceARN":"` + queueARN + `","body":"` +
		id(3).String() + `",
		"attributes":{"SentTimestamp":"-1"},"messageAttributes":{"published-at":{"stringValue":"0000-00-00T00:00:00Z"}}}]}`))
	f.Add([]byte(`{"Records":null}`))

	acknowledges := func(id uuid.UUID) bool { return id[15]%2 == 0 }
	queue, err := sqsjob.NewQueue(newClient(nil, offline{}), "https://sqs.us-east-1.amazonaws.com/000000000000/match")
	if err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		var event events.SQSEvent
		if json.Unmarshal(data, &event) != nil {
			return
		}
		ran := false
		h := &sqsjob.Handler{Queue: queue, Log: slog.New(slog.DiscardHandler),
			Runner: func(*slog.Logger) sqsjob.Runner {
				return runner(func(ctx context.Context, deliveries []job.Delivery, m job.Messages) []job.Settlement {
					ran = true
					all := make([]job.Settlement, len(deliveries))
					for i, d := range deliveries {
						all[i] = retry(time.Duration(d.Count) * time.Minute)
						if acknowledges(d.ID) {
							all[i] = ack
						}
					}
					return ends(all...)(ctx, deliveries, m)
				})
			}}
		out, err := h.Handle(t.Context(), event)
		if err != nil {
			if ran {
				t.Errorf("it ran, but the invocation failed: %v", err)
			}
			return
		}
		want := []string{}
		for _, r := range event.Records {
			if id, err := uuid.Parse(r.Body); err == nil && len(r.Body) == 36 && !acknowledges(id) &&
				!slices.Contains(want, r.MessageId) {
				want = append(want, r.MessageId)
			}
		}
		if got := unfinished(out); out.BatchItemFailures == nil || !slices.Equal(got, want) {
			t.Errorf("unfinished %q, want %q", got, want)
		}
	})
}
