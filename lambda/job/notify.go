package job

import (
	"context"
	"time"

	"matchbook/lambda/manifest"
)

const (
	// notifyFor bounds Runtime.Notify. The sweep sends the rest.
	notifyFor = 8 * time.Second
	// notifyReserve is kept free after Notify to record the sent notifications and to respond,
	// because without a response every message of the batch would come back.
	notifyReserve = manifest.NotifyReserve + 2*time.Second
)

func (b *batch) notify(ctx context.Context) {
	if b.Notify == nil || !b.failed {
		return
	}
	end := time.Now().Add(notifyFor)
	if deadline, ok := ctx.Deadline(); ok && deadline.Add(-notifyReserve).Before(end) {
		end = deadline.Add(-notifyReserve)
	}
	if !end.After(time.Now()) {
		return
	}
	ctx, cancel := context.WithDeadline(ctx, end)
	defer cancel()
	b.Notify(ctx)
}
