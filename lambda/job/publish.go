package job

import (
	"context"
	"fmt"
	"strings"
	"time"

	"matchbook/lambda/failure"
	"matchbook/lambda/internal/plural"
	"matchbook/lambda/telemetry/trace"

	"github.com/google/uuid"
)

// Stamped is a published row and the publish stamp for its message.
type Stamped struct {
	ID          uuid.UUID
	PublishedAt time.Time // microseconds
	Tenant      uuid.UUID // the message group: the queue is fair to tenants
}

// PublishStore commits rows as pending.
type PublishStore interface {
	// Publish makes the rows pending and due now with a new stamp, and clears lease, error and
	// failed_at. It must use one statement and lock rows in id order. It leaves unknown ids
	// out of its result.
	Publish(ctx context.Context, ids []uuid.UUID) ([]Stamped, error)
}

// Sender sends messages. It returns the ids of unsent rows, and the cause.
type Sender interface {
	Send(ctx context.Context, messages []Stamped) (unsent []uuid.UUID, err error)
}

// Publisher publishes rows: it commits them as pending, then sends their messages.
type Publisher struct {
	Store  PublishStore
	Sender Sender
}

// PublishError lists the rows left without a message. Missing rows don't exist. Unsent rows
// are committed as pending, so the sweep sends their messages.
type PublishError struct {
	Missing, Unsent []uuid.UUID
	Err             error // the cause of Unsent
}

// Error returns the numbers of missing and unsent rows, an example of each, and the cause.
func (e *PublishError) Error() string {
	var parts []string
	if n := len(e.Missing); n > 0 {
		parts = append(parts, fmt.Sprintf("%s not found (first %s)", plural.Of(n, "row"), e.Missing[0]))
	}
	if n := len(e.Unsent); n > 0 {
		parts = append(parts, fmt.Sprintf("messages of %s not sent (first %s); "+
			"the sweep will publish them again", plural.Of(n, "row"), e.Unsent[0]))
	}
	if e.Err != nil {
		parts = append(parts, failure.Of(e.Err).Text)
	}
	return strings.Join(parts, "; ")
}

// Unwrap returns the cause.
func (e *PublishError) Unwrap() error { return e.Err }

// Publish publishes the rows, each once even if its id is repeated. If some can't be
// published, it still publishes the others and returns a *PublishError.
func (p *Publisher) Publish(ctx context.Context, ids []uuid.UUID) error {
	ctx, span := trace.Start(ctx, "publish", trace.Producer)
	defer span.End()
	stamped, err := p.Store.Publish(ctx, ids)
	if err != nil {
		return failure.At("publish", err)
	}
	unsent, err := p.Sender.Send(ctx, stamped)
	missing := missingFrom(ids, stamped)
	if len(missing) == 0 && len(unsent) == 0 && err == nil {
		return nil
	}
	return &PublishError{Missing: missing, Unsent: unsent, Err: err}
}

// Send sends the messages of rows committed as pending. With a nil sender it does nothing,
// because the sweep sends them; so it does for the Unsent rows of a *PublishError.
func Send(ctx context.Context, sender Sender, stamped []Stamped) error {
	if sender == nil || len(stamped) == 0 {
		return nil
	}
	unsent, err := sender.Send(ctx, stamped)
	if len(unsent) == 0 && err == nil {
		return nil
	}
	return &PublishError{Unsent: unsent, Err: err}
}

func missingFrom(ids []uuid.UUID, stamped []Stamped) (missing []uuid.UUID) {
	found := make(map[uuid.UUID]bool, len(stamped))
	for _, s := range stamped {
		found[s.ID] = true
	}
	for _, id := range ids {
		if !found[id] {
			found[id] = true
			missing = append(missing, id)
		}
	}
	return missing
}
