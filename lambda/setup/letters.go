package setup

import (
	"context"
	"errors"
	"time"

	"matchbook/lambda/job/sqsjob"
	"matchbook/lambda/postgres"
	reports "matchbook/lambda/postgres/report"

	"github.com/google/uuid"
)

const (
	// settleEvery is the pause between two looks, since each hides the letters for a moment, and
	// costs requests.
	settleEvery = 10 * time.Minute
	// settleMost bounds the letters of a look; SQS returns them in no order, so the next look has
	// others.
	settleMost = 500
	// settleHidden is longer than a look. After a crash, the letters are visible again by then.
	settleHidden = time.Minute
)

// letters implements sweep.Letters.
type letters struct {
	db       *postgres.DB
	workload Workload
	queue    *sqsjob.Queue
	looked   time.Time
}

// Settle implements sweep.Letters. Letters that wait for a person stay, visible.
func (l *letters) Settle(ctx context.Context) (n int, err error) {
	// The wall clock goes on while Lambda freezes the process, and the monotonic one may not.
	now := time.Now().Round(0)
	if now.Sub(l.looked) < settleEvery {
		return 0, nil
	}
	l.looked = now
	dead, err := l.queue.DeadLetters(ctx)
	if err != nil || dead == nil || dead.Waiting() == 0 {
		return 0, err
	}
	list, err := dead.Read(ctx, settleMost, settleHidden)
	if err != nil {
		return 0, errors.Join(err, dead.Release(context.WithoutCancel(ctx), list))
	}
	done, keep, action, err := l.split(ctx, list)
	if err == nil && len(done) > 0 {
		err = l.db.RecordDeadLetters(ctx, action)
	}
	if err != nil {
		return 0, errors.Join(err, dead.Release(context.WithoutCancel(ctx), list))
	}
	ctx = context.WithoutCancel(ctx) // a recorded letter is deleted
	if err = dead.Delete(ctx, done); err == nil {
		n = len(done)
	}
	return n, errors.Join(err, dead.Release(ctx, keep))
}

// split returns the letters with nothing left to do, with their record, and the others.
func (l *letters) split(ctx context.Context, list []sqsjob.DeadLetter) (
	done, keep []sqsjob.DeadLetter, a postgres.DeadLetterAction, err error) {
	ids := make([]uuid.UUID, len(list))
	for i := range list {
		ids[i] = list[i].ID
	}
	rows, err := reports.From(l.db).LetterRows(ctx, l.workload.Table, ids)
	if err != nil {
		return nil, nil, a, err
	}
	found := map[uuid.UUID]reports.LetterRow{}
	for _, r := range rows {
		found[r.ID] = r
	}
	a = postgres.DeadLetterAction{Function: l.workload.Name, Kind: "drop", By: "sweep", Reason: "nothing is left to do"}
	for _, letter := range list {
		row, ok := found[letter.ID]
		if state, _ := row.State(letter.ID, letter.PublishedAt, ok); state != reports.LetterDone {
			keep = append(keep, letter)
			continue
		}
		done = append(done, letter)
		if !ok { // the row may have been erased, so its id must not come back
			letter.ID = uuid.Nil
		}
		a.MessageIDs, a.RowIDs = append(a.MessageIDs, letter.MessageID), append(a.RowIDs, letter.ID)
		a.TenantIDs = append(a.TenantIDs, row.TenantID)
	}
	return done, keep, a, nil
}
