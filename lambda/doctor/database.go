package doctor

import (
	"context"
	"errors"
	"time"

	"matchbook/lambda/manifest"
	"matchbook/lambda/postgres"
)

// tellWithin is how long a notification may take. The relay tries again within
// minutes.
const tellWithin = 10 * time.Minute

// askDatabase looks at the server, the schema and the rows, in transactions
// that only read. away is whether it may be out of reach from this machine:
// then that is no finding.
func (l *look) askDatabase(ctx context.Context, f *facts, url string, channels []string, away bool) {
	l.Progress("asking the database")
	ctx, cancel := context.WithTimeout(ctx, 30*time.Second)
	defer cancel()
	db, err := postgres.OpenCheckup(ctx, url)
	if err != nil {
		f.database = known(problem("the database does not answer: " + sentence(err)))
		var refused interface{ SQLState() string } // it does answer, and says no
		if away && !errors.As(err, &refused) {
			f.database = unknown[problem]("the database cannot be reached from this machine (" + sentence(err) + "): run doctor where it can")
		}
		f.blind("the database does not answer", l.Connections)
		return
	}
	defer db.Close(ctx)
	f.database = known(problem(""))
	f.skew = told(db.Skew(ctx))
	limits, err := db.Limits(ctx)
	f.server = told(tightest(limits), err)
	f.schema = told(db.Schema(ctx))
	f.backlog = unknown[postgres.Backlog]("the schema is not up to date")
	if f.schema.is && len(f.schema.value.Lacking) == 0 {
		f.backlog = told(db.Backlog(ctx, manifest.Match.Visibility(), channels, tellWithin))
	}
}

// blind is what is known of a database that was not looked at: what a person
// says of its connections.
func (f *facts) blind(why string, connections int) {
	f.skew, f.schema, f.backlog = unknown[postgres.Skew](why), unknown[postgres.Schema](why), unknown[postgres.Backlog](why)
	f.server = unknown[server](why + ": --connections N says how many it has")
	if connections > 0 {
		f.server = known(server{most: connections, stated: true})
	}
}

// told is what the database answered.
func told[T any](value T, err error) fact[T] {
	if err != nil {
		return unknown[T]("the database was asked, and failed: " + sentence(err))
	}
	return known(value)
}

// tightest is the limit that leaves least.
func tightest(limits []postgres.Limit) (least server) {
	for i, l := range limits {
		s := server{limit: l.Name, most: l.Most, reserved: l.Reserved, others: l.Others}
		if i == 0 || s.free() < least.free() {
			least = s
		}
	}
	return least
}
