package postgres

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"time"

	"matchbook/lambda/internal/plural"
)

// Away is a service with an outage, and the rows parked for it.
type Away struct {
	Service                   string
	Since                     time.Time
	Back                      bool   // it answers again, but hasn't for long
	Error                     string // of its last failed call
	Documents, Files, Reviews int    // Reviews have parked parts
}

var awaySQL = sync.OnceValue(func() string {
	return `
SELECT service, outage_since, state = 'closed', coalesce(error, ''),` + documents.sql(`
	(SELECT count(*) FROM {table} WHERE `+parked+` AND {parked_for} = service),`) + ingestions.sql(`
	(SELECT count(*) FROM {table} WHERE `+parked+` AND {parked_for} = service),`) + chunks.sql(`
	(SELECT count(DISTINCT job_id) FROM {table} WHERE `+parked+` AND {parked_for} = service)`) + `
FROM service_breaker WHERE outage_id IS NOT NULL ORDER BY outage_since, service`
})

// ReadAway lists the services with an outage.
func ReadAway(ctx context.Context, from Querier) ([]Away, error) {
	return Rows[Away](ctx, from, awaySQL())
}

// String describes the outage in a sentence for people.
func (a Away) String() string {
	state := "is away since"
	if a.Back {
		state = "is back after an outage since"
	}
	var rows []string
	for _, r := range []struct {
		n    int
		noun string
	}{{a.Documents, "document"}, {a.Files, "file"}, {a.Reviews, "review"}} {
		if r.n > 0 {
			rows = append(rows, plural.Of(r.n, r.noun))
		}
	}
	waiting := "nothing waits for it"
	if len(rows) > 0 {
		waiting = strings.Join(rows, ", ") + " waiting; the sweep goes on with them by itself"
	}
	return fmt.Sprintf("%s %s %s (%s): %s", a.Service, state, a.Since.UTC().Format("2006-01-02 15:04 UTC"), a.Error, waiting)
}
