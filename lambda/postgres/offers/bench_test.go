package offers_test

import (
	"strconv"
	"strings"
	"testing"

	"matchbook/lambda/internal/must"
	"matchbook/lambda/offer"
	"matchbook/lambda/postgres/offers"
	"matchbook/lambda/postgres/postgrestest"

	"github.com/jackc/pgx/v5"
)

// A zone of 100,000 users is to be queued in 5 s, in steps of 10,000.
//
//	go test ./lambda/postgres/offers -run '^$' -bench Queue -benchtime 3x
func BenchmarkQueueAZoneOf100000(b *testing.B) {
	const users = 100_000
	url := postgrestest.URL(b)
	conn, store := postgrestest.Conn(b, url), offers.New(postgrestest.Open(b, url))
	fill(b, conn, users)
	must.Get(conn.Exec(b.Context(), "VACUUM ANALYZE offer_user"))(b)
	shard := offer.Shard{Group: offer.Group{Tenant: tenant, Zone: "Europe/Berlin"}, Date: today, Limit: 10_000, Digest: digest, Algorithm: 1}
	for b.Loop() {
		if n := queueAll(b, store, shard); n != users {
			b.Fatalf("%d of %d users are queued", n, users)
		}
		through := shard.Date
		shard.Through, shard.Date = &through, through+1
	}
}

// The duplicate check of a date with 10,000 sets, and of the six before it.
//
//	go test ./lambda/postgres/offers -run '^$' -bench Duplicate -benchtime 3x
func BenchmarkDuplicateOffers(b *testing.B) {
	const users, dates = 10_000, 7
	url := postgrestest.URL(b)
	conn, store := postgrestest.Conn(b, url), offers.New(postgrestest.Open(b, url))
	fill(b, conn, users)
	sets(b, conn, dates)
	for b.Loop() {
		if n, err := store.DuplicateOffers(b.Context(), today); n != 0 || err != nil {
			b.Fatalf("%d duplicates, %v", n, err)
		}
	}
}

// sets inserts a completed job of each user with 10 candidates for the dates up to today.
func sets(b *testing.B, conn *pgx.Conn, dates int) {
	b.Helper()
	for _, sql := range []string{
		"SET session_replication_role = replica", // without the checks of foreign keys
		`INSERT INTO matchmaking_job (id, tenant_id, date, timezone, user_id, offered_at, expires_at, input_digest, job_status, offers)
			SELECT gen_random_uuid(), tenant_id, date, timezone, id, date, date, '', 'succeeded', (
				SELECT jsonb_agg(jsonb_build_object('candidate_id', md5(id::text || date || rank)::uuid, 'rank', rank, 'score', 100 - rank,
					'terms', '[{"term": "language", "points": 50}, {"term": "interests", "points": 20}, {"term": "near", "points": 12}]'::jsonb))
				FROM generate_series(1, 10) AS rank)
			FROM offer_user, generate_series(0, $2 - 1) AS n, LATERAL (SELECT $1::date - n AS date) AS of`,
		`INSERT INTO offer SELECT gen_random_uuid(), tenant_id, date, user_id, c.*, offered_at, expires_at
			FROM matchmaking_job, jsonb_to_recordset(offers) AS c (candidate_id uuid, rank smallint, score integer)
			ORDER BY tenant_id, date, user_id`,
		"INSERT INTO offer_roster SELECT DISTINCT tenant_id, date, ''::bytea, 1, 0, ''::bytea FROM matchmaking_job",
		"VACUUM ANALYZE matchmaking_job, offer, offer_roster",
	} {
		var args []any
		if strings.Contains(sql, "$1") {
			args = []any{today.Time(), dates}
		}
		must.Get(conn.Exec(b.Context(), sql, args...))(b)
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
		must.Get(conn.Exec(b.Context(), sql))(b)
	}
}

func queueAll(b *testing.B, store *offers.Store, s offer.Shard) (total int) {
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
