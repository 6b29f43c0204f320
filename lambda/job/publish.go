package job

import (
	"context"
	"fmt"
	"strings"
	"time"

	"matchbook/lambda/failure"

	"github.com/google/uuid"
)

// Stamped is a published row and the stamp that its message carries.
type Stamped struct {
	ID          uuid.UUID
	PublishedAt time.Time // microseconds
	Tenant      uuid.UUID // of the row: the queue is fair to tenants
}

// PublishStore commits rows as pending.
type PublishStore interface {
	// Publish makes the rows pending, due now, with a new stamp, and
	// clears lease, error and failed_at, in one statement that locks rows in
	// id order. Ids without a row are left out of the result.
	Publish(ctx context.Context, ids []uuid.UUID) ([]Stamped, error)
}

// Sender sends messages. It returns the rows whose messages it could
// not send, and the cause.
type Sender interface {
	Send(ctx context.Context, messages []Stamped) (unsent []uuid.UUID, err error)
}

// Publisher publishes rows: it commits them, then sends their messages.
type Publisher struct {
	Store  PublishStore
	Sender Sender
}

// PublishError lists the rows that have no message now. Missing ones do not
// exist; Unsent ones are committed as pending, and the sweep sends them again.
type PublishError struct {
	Missing, Unsent []uuid.UUID
	Err             error // the cause of the unsent ones
}

// Error returns the numbers of missing and unsent rows, an id of each, and
// the cause.
func (e *PublishError) Error() string {
	var parts []string
	if n := len(e.Missing); n > 0 {
		parts = append(parts, fmt.Sprintf("%d rows do not exist (first %s)", n, e.Missing[0]))
	}
	if n := len(e.Unsent); n > 0 {
		parts = append(parts, fmt.Sprintf("%d rows are pending but their messages were not sent (first %s): "+
			"the sweep will publish them again", n, e.Unsent[0]))
	}
	if e.Err != nil {
		parts = append(parts, failure.Of(e.Err).Text)
	}
	return strings.Join(parts, "; ")
}

// Unwrap returns the cause.
func (e *PublishError) Unwrap() error { return e.Err }

// Publish publishes the rows, each once however often its id is given. When
// some cannot be published, the others are, and it returns a *PublishError.
func (p *Publisher) Publish(ctx context.Context, ids []uuid.UUID) error {
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

// Send sends the messages of rows that are committed as pending. Without a sender
// it does nothing: the sweep sends them, and the unsent ones of a *PublishError as well.
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
