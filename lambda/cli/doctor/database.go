package doctor

import (
	"context"
	"errors"
	"time"

	"matchbook/lambda/manifest"
	"matchbook/lambda/postgres/checkup"
	"matchbook/lambda/postgres/schema"
)

// sendWithin is the longest healthy age of a notification, since the relay retries within
// minutes.
const sendWithin = 10 * time.Minute

// askDatabase reads server, schema and rows, in read-only transactions. If away is set, an
// unreachable database is skipped instead of an error.
func (l *look) askDatabase(ctx context.Context, f *facts, url string, channels []string, away bool) {
	l.Progress("asking the database")
	ctx, cancel := context.WithTimeout(ctx, 30*time.Second)
	defer cancel()
	db, err := checkup.Open(ctx, url)
	if err != nil {
		f.database = known(problem("the database does not answer: " + sentence(err)))
		var refused interface{ SQLState() string } // the server answered
		if away && !errors.As(err, &refused) {
			f.database = unknown[problem]("cannot reach the database from this machine (" + sentence(err) +
				"); run doctor where it can be reached")
		}
		f.withoutDatabase("the database does not answer", l.Connections)
		return
	}
	defer db.Close(ctx)
	f.database = known(problem(""))
	f.skew = answered(db.Skew(ctx))
	limits, err := db.Limits(ctx)
	f.server = answered(tightest(limits), err)
	f.schema = answered(db.Schema(ctx))
	f.backlog = unknown[checkup.Backlog]("the schema is not up to date")
	if f.schema.is && len(f.schema.value.Lacking) == 0 {
		f.backlog = answered(db.Backlog(ctx, manifest.Match.Visibility(), channels, sendWithin))
	}
}

// withoutDatabase sets the facts of an unqueried database. Only the connections may be known,
// from the user.
func (f *facts) withoutDatabase(why string, connections int) {
	f.skew, f.schema, f.backlog = unknown[checkup.Skew](why), unknown[schema.State](why), unknown[checkup.Backlog](why)
	f.server = unknown[server](why + "; use --connections N to state the number")
	if connections > 0 {
		f.server = known(server{most: connections, stated: true})
	}
}

func answered[T any](value T, err error) fact[T] {
	if err != nil {
		return unknown[T]("query failed: " + sentence(err))
	}
	return known(value)
}

// tightest returns the limit with the fewest free connections.
func tightest(limits []checkup.Limit) (least server) {
	for i, l := range limits {
		s := server{limit: l.Name, most: l.Most, reserved: l.Reserved, others: l.Others}
		if i == 0 || s.free() < least.free() {
			least = s
		}
	}
	return least
}
