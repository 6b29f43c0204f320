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
	deadline, _ := ctx.Deadline()
	left := time.Until(deadline) - notifyReserve
	if left <= 0 {
		return
	}
	ctx, cancel := context.WithTimeout(ctx, min(left, notifyFor))
	defer cancel()
	b.Notify(ctx)
}
