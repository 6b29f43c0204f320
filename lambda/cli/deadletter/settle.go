package deadletter

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"matchbook/lambda/cli/term"
	"matchbook/lambda/internal/backoff"
	"matchbook/lambda/internal/plural"
	"matchbook/lambda/job"
	"matchbook/lambda/manifest"
	"matchbook/lambda/postgres"

	"github.com/google/uuid"
)

// List reads the dead letters of all sources, and leaves them where they are.
func (d *Desk) List(ctx context.Context, f Filter) (*List, error) {
	r := &List{Letters: []Letter{}}
	for _, s := range d.Sources {
		b, err := d.open(ctx, s, f)
		if err == nil {
			err = b.release(ctx, b.letters)
		}
		if err != nil {
			return nil, err
		}
		r.Letters = append(r.Letters, b.letters...)
	}
	return r, nil
}

// Drop deletes the dead letters that are done; with IDs in the filter all of these rows. It never
// changes a row.
func (d *Desk) Drop(ctx context.Context, f Filter, dryRun bool) (*Dropped, error) {
	r := &Dropped{DryRun: dryRun, By: map[string]int{}}
	for _, s := range d.Sources {
		if s.Queue == nil {
			continue // nothing to delete
		}
		b, err := d.open(ctx, s, f)
		if err != nil {
			return r, err
		}
		drop, keep := split(b.letters, func(l Letter) bool { return l.State == Done || f.IDs != nil || f.only != nil })
		r.Kept += len(keep)
		n := len(drop)
		if dryRun {
			drop, keep = nil, b.letters
		}
		if err = d.settle(ctx, b, "drop", drop); err == nil && n > 0 {
			r.Dropped += n
			r.By[s.Function.Name] += n
		}
		if err = errors.Join(err, b.release(ctx, keep)); err != nil {
			return r, err
		}
	}
	return r, nil
}

// DropErased deletes the dead letters of deleted rows and, unless tenant is zero, of the files in its
// inbox. It returns their number.
func (d *Desk) DropErased(ctx context.Context, tenant uuid.UUID) (int, error) {
	r, err := d.Drop(ctx, Filter{only: func(l Letter) bool {
		return l.erased || l.State == NoRow && tenant != uuid.Nil && l.message.Names(tenant)
	}}, false)
	return r.Dropped, err
}

func split(letters []Letter, is func(Letter) bool) (yes, no []Letter) {
	for _, l := range letters {
		if is(l) {
			yes = append(yes, l)
		} else {
			no = append(no, l)
		}
	}
	return yes, no
}

// settle records what is done to messages, and deletes them.
func (d *Desk) settle(ctx context.Context, b *box, kind string, letters []Letter) error {
	if len(letters) == 0 {
		return nil
	}
	ctx = context.WithoutCancel(ctx) // a recorded message is deleted
	a := postgres.DeadLetterAction{Function: b.Function.Name, Kind: kind, By: d.By, Reason: d.Reason}
	for _, l := range letters {
		if l.erased { // its id must not come back
			l.ID = uuid.Nil
		}
		a.MessageIDs, a.RowIDs, a.TenantIDs = append(a.MessageIDs, l.MessageID), append(a.RowIDs, l.ID), append(a.TenantIDs, l.TenantID)
	}
	if err := d.DB.RecordDeadLetters(ctx, a); err != nil || b.dead == nil {
		return err
	}
	return b.dead.Delete(ctx, messages(letters))
}

// maxFailedAgain stops a redrive: with so many rows failing again, the cause isn't fixed.
const maxFailedAgain = 3

// Pace sets the course of a redrive.
type Pace struct {
	DryRun    bool // only count
	PerSecond int  // 1 or more
}

// Redrive publishes the rows of failed dead letters and deletes the letters. It ends early when
// three redriven rows have failed again, when the queue refuses messages, or when ctx ends.
func (d *Desk) Redrive(ctx context.Context, f Filter, pace Pace, m *term.Meter) (*Redriven, error) {
	r := &Redriven{DryRun: pace.DryRun, Kinds: map[string]int{}}
	for _, s := range d.Sources {
		b, err := d.open(ctx, s, f)
		if err != nil {
			return r, err
		}
		redrive, others := split(b.letters, func(l Letter) bool { return l.State == Failed || l.State == NoRow && s.Function.Rowless })
		r.Selected, r.Others = r.Selected+len(redrive), r.Others+len(others)
		for _, l := range redrive {
			r.Kinds[cmp.Or(l.Kind, "unknown")]++
		}
		left := redrive
		if !pace.DryRun {
			left, err = d.redrive(ctx, b, redrive, pace.PerSecond, r, m)
		}
		r.Left += len(left)
		if err = errors.Join(err, b.release(ctx, append(others, left...))); err != nil || r.Stopped != "" {
			return r, err
		}
	}
	return r, nil
}

// redrive redrives letters of one queue, and returns the ones not reached.
func (d *Desk) redrive(ctx context.Context, b *box, letters []Letter, perSecond int, r *Redriven, m *term.Meter) ([]Letter, error) {
	var rows []uuid.UUID
	for done := 0; done < len(letters); {
		if done > 0 {
			if err := d.wait(ctx); err != nil {
				return letters[done:], err
			}
		}
		batch := letters[done:min(done+perSecond, len(letters))]
		published, err := d.publish(ctx, b, batch, r)
		if err != nil {
			return letters[done:], err
		}
		done += len(batch)
		rows = append(rows, published...)
		m.Watch(func() string { return fmt.Sprintf("%d of %d redriven", r.Redriven, r.Selected) })
		if err := d.check(ctx, b.Function, rows, r); err != nil || r.Stopped != "" {
			return letters[done:], err
		}
	}
	return nil, nil
}

// check stops the redrive if too many of these rows have failed again.
func (d *Desk) check(ctx context.Context, f manifest.Function, rows []uuid.UUID, r *Redriven) error {
	if len(rows) == 0 || r.Stopped != "" {
		return nil
	}
	failed, err := d.DB.JobsOf(postgres.Tables[f.Name]).FailedAgain(ctx, rows)
	r.FailedAgain = failed
	if err == nil && (failed >= maxFailedAgain || failed == len(rows)) {
		r.Stopped = fmt.Sprintf("%d of %s failed again; see matchbook dlq list, or matchbook explain ID",
			failed, plural.Of(len(rows), "redriven "+f.Subject))
	}
	return err
}

func (d *Desk) wait(ctx context.Context) error {
	if d.Wait != nil {
		return d.Wait(ctx, time.Second)
	}
	return backoff.Sleep(ctx, time.Second)
}

const batchFor = 30 * time.Second

// publish publishes the rows of a batch that are still failed, or returns the messages without rows.
// It finishes the batch even if ctx ends.
func (d *Desk) publish(ctx context.Context, b *box, batch []Letter, r *Redriven) (rows []uuid.UUID, err error) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), batchFor)
	defer cancel()
	if b.Function.Rowless {
		if err := b.dead.Return(ctx, messages(batch)); err != nil {
			return nil, err
		}
		r.Redriven += len(batch)
		return nil, d.settle(ctx, b, "redrive", batch)
	}
	var ids []uuid.UUID
	for _, l := range batch {
		ids = append(ids, l.ID)
	}
	failed, err := d.DB.JobsOf(postgres.Tables[b.Function.Name]).Failed(ctx, postgres.FailedFilter{IDs: ids})
	if err != nil {
		return nil, err
	}
	var sender job.Sender = swept{}
	if b.Queue != nil {
		sender = b.Queue
	}
	publisher := job.Publisher{Store: failed, Sender: sender}
	var partly *job.PublishError
	if err := publisher.Publish(ctx, ids); err != nil && !errors.As(err, &partly) {
		return nil, err
	}
	if partly != nil {
		if partly.Err != nil {
			r.Stopped = partly.Error() // the sweep sends the messages of published rows
		}
		ids = slices.DeleteFunc(ids, func(id uuid.UUID) bool { return slices.Contains(partly.Missing, id) })
	}
	redriven, changed := split(batch, func(l Letter) bool { return slices.Contains(ids, l.ID) })
	r.Redriven, r.Others = r.Redriven+len(redriven), r.Others+len(changed)
	if err := b.release(ctx, changed); err != nil {
		return ids, err
	}
	return ids, d.settle(ctx, b, "redrive", redriven)
}

// swept leaves messages to the sweep.
type swept struct{}

// Send implements job.Sender.
func (swept) Send(context.Context, []job.Stamped) ([]uuid.UUID, error) { return nil, nil }
