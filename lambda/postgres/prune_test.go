package postgres_test

import (
	"testing"
	"time"

	"matchbook/lambda/internal/must"
	"matchbook/lambda/postgres"
	"matchbook/lambda/postgres/postgrestest"
)

// Of two tenants one is old; prune takes its rows and leaves the other's.
func TestPrune(t *testing.T) {
	t.Parallel()
	db, conn := twoTenants(t)
	if _, err := conn.PgConn().Exec(t.Context(), `
		UPDATE model_answer SET asked_at = now() - interval '31 days' WHERE tenant_id::text LIKE 'a%';
		UPDATE model_embedding SET created_at = now() - interval '31 days' WHERE tenant_id::text LIKE 'a%';
		UPDATE notification SET created_at = now() - interval '31 days' WHERE tenant_id::text LIKE 'a%';
		UPDATE event SET delivered_at = now() - interval '31 days' WHERE tenant_id::text LIKE 'a%';
		UPDATE review_job SET status = 'completed', ended_at = now() - interval '31 days' WHERE tenant_id::text LIKE 'a%'`).ReadAll(); err != nil {
		t.Fatal(err)
	}
	want := map[string]int64{"answers": 4, "embeddings": 1, "notifications": 7, "events": 6, "rosters": 2, "reviews": 1}
	for _, k := range postgres.PrunedKinds {
		var counted, pruned, again int64
		must.OK(t, db.Prune(t.Context(), k, 30*24*time.Hour, true, func(n int64) { counted += n }))
		must.OK(t, db.Prune(t.Context(), k, 30*24*time.Hour, false, func(n int64) { pruned += n }))
		must.OK(t, db.Prune(t.Context(), k, 30*24*time.Hour, false, func(n int64) { again += n }))
		if counted != want[k.Kind] || pruned != want[k.Kind] || again != 0 {
			t.Errorf("%s: counted %d, pruned %d, then %d; want %d", k.Kind, counted, pruned, again, want[k.Kind])
		}
	}
	left := rowsWith(t, conn, "bbbbbbbb-")
	if left["model_answer"] != 4 || left["notification"] != 7 || left["notification_delivery"] == 0 || left["event"] != 6 {
		t.Errorf("of the other tenant are left %v", left)
	}
	if n := postgrestest.Value[int](t, conn, "SELECT count(*) FROM review_text WHERE text = ''"); n != 1 {
		t.Errorf("%d texts pruned", n)
	}
}
