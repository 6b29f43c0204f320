package postgres_test

import (
	"strconv"
	"testing"

	"matchbook/lambda/offer"
	"matchbook/lambda/postgres"
	"matchbook/lambda/postgres/postgrestest"

	"github.com/jackc/pgx/v5"
)

// A zone of 100,000 users is to be queued in 5 s, in steps of 5,000.
//
//	go test ./lambda/postgres -run '^$' -bench Queue -benchtime 3x
func BenchmarkQueueAZoneOf100000(b *testing.B) {
	const users = 100_000
	url := postgrestest.URL(b)
	conn, store := postgrestest.Conn(b, url), postgrestest.Open(b, url).Offers()
	fill(b, conn, users)
	if _, err := conn.Exec(b.Context(), "VACUUM ANALYZE offer_user"); err != nil {
		b.Fatal(err)
	}
	shard := offer.Shard{Group: offer.Group{Tenant: tenant, Zone: "Europe/Berlin"}, Date: today, Limit: 5_000, Digest: digest, Algorithm: 1}
	for b.Loop() {
		if n := queueAll(b, store, shard); n != users {
			b.Fatalf("%d of %d users are queued", n, users)
		}
		through := shard.Date
		shard.Through, shard.Date = &through, through+1
	}
}

func fill(b *testing.B, conn *pgx.Conn, users int) {
	b.Helper()
	for _, sql := range []string{
		"INSERT INTO tenant VALUES ('" + tenant.String() + "', 'Testers')",
		`INSERT INTO offer_user (id, tenant_id, timezone, profile)
			SELECT gen_random_uuid(), '` + tenant.String() + `', 'Europe/Berlin', '{"languages": ["de", "en"], "interests": ["chess", "go"]}'
			FROM generate_series(1, ` + strconv.Itoa(users) + `)`,
	} {
		if _, err := conn.Exec(b.Context(), sql); err != nil {
			b.Fatal(err)
		}
	}
}

func queueAll(b *testing.B, store *postgres.Offers, s offer.Shard) (total int) {
	b.Helper()
	s.OfferedAt, s.ExpiresAt = s.Date.Time(), (s.Date + 1).Time()
	for {
		stamped, n, err := store.Queue(b.Context(), s)
		if err != nil || len(stamped) != n {
			b.Fatalf("%d stamps of %d users, %v", len(stamped), n, err)
		}
		if n == 0 {
			return total
		}
		total += n
	}
}
