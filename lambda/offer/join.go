package offer

import (
	"context"
	"slices"

	"matchbook/lambda/failure"
	"matchbook/lambda/offer/roster"
)

// join queues the jobs of users who came after the roster was frozen, though before the date
// began in their zone. Otherwise a user in Los Angeles, who comes while it is nine on Kiritimati,
// would have a whole date without a set. Their roster is the date's with them added: others keep
// their sets, and meet the newcomers from the next date on.
func (r *run) join(ctx context.Context, o owed) error {
	rows, err := r.Store.Newcomers(ctx, r.frozen.Key, o.group.Zone, o.begins, r.settings.of(o.group.Tenant))
	if err != nil {
		return failure.At("read the newcomers", err)
	}
	rows = slices.DeleteFunc(rows, func(row roster.Row) bool { return r.member(row.ID) })
	if len(rows) == 0 {
		return nil
	}
	with, err := r.frozen.With(rows)
	if err != nil {
		return failure.At("add the newcomers", err)
	}
	change, err := r.Store.Change(ctx, roster.Change{Key: r.frozen.Key, Zone: o.group.Zone, Digest: with.Digest, Rows: rows})
	if err != nil {
		return failure.At("store the newcomers", err)
	}
	shard := r.shard(o)
	shard.Digest, shard.Member = change.Digest, nil
	for _, row := range change.Rows {
		shard.Users = append(shard.Users, row.ID)
	}
	return r.queue(ctx, shard)
}
