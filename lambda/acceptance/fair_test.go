package acceptance_test

import (
	"context"
	"encoding/json"
	"strings"
	"testing"

	"matchbook/lambda/document"
	"matchbook/lambda/local"
	"matchbook/lambda/local/eventsource"
	"matchbook/lambda/manifest"
	"matchbook/lambda/postgres"
	"matchbook/lambda/postgres/report"

	"github.com/google/uuid"
)

// While every worker is busy with a tenant's import, another tenant publishes:
// the next batch is its own, and not the last one.
func TestSmallTenantIsServed(t *testing.T) {
	t.Parallel()
	const workers = 8
	l := newLine(t, workers, func(c *local.FunctionConfig) { c.NoMapping = true })
	imported := l.store(160)
	small := make([]postgres.Imported, 10)
	for i := range small {
		small[i] = postgres.Imported{ID: uuid.New(), TenantID: uuid.MustParse("00000000-0000-4000-8000-000000000002"),
			Type: document.Invoice, Data: json.RawMessage("{}")}
	}
	l.stored(small)
	l.publish(imported...)

	arrived, release := make(chan string, 100), make(chan struct{})
	mapping := eventsource.New(eventsource.Config{QueueURL: l.Queue.URL, QueueARN: l.Queue.ARN,
		BatchSize:      manifest.Match.BatchSize,
		MaxConcurrency: workers, Client: l.Queue.Client, Now: l.Clock.Now,
		Invoke: func(ctx context.Context, payload []byte) ([]byte, error) {
			arrived <- string(payload)
			<-release
			return l.Function.Invoke(ctx, payload)
		}})
	ctx, stop := context.WithCancel(t.Context())
	done := make(chan error, 1)
	go func() { done <- mapping.Run(ctx) }()
	for range workers {
		<-arrived // and is held: 80 messages of the import are in flight
	}
	ids := make([]uuid.UUID, len(small))
	for i, d := range small {
		ids[i] = d.ID
	}
	l.publish(ids...)
	batches, met := 0, 0
	for met < len(ids) {
		release <- struct{}{}
		batch := <-arrived
		batches++
		for _, id := range ids {
			met += strings.Count(batch, `"body":"`+id.String()+`"`)
		}
	}
	check(t, "batches until the small tenant's documents were at work", batches, 1)

	close(release)
	waitFor(t, "the small tenant's documents are done", func() bool {
		p, err := report.From(l.DB).Progress(t.Context(), ids)
		return err == nil && p["succeeded"] == len(ids)
	})
	stop()
	if err := <-done; err != nil {
		t.Error(err)
	}
}
