package setup

import (
	"log/slog"
	"strings"
	"testing"
	"time"

	"matchbook/lambda/internal/must"
	"matchbook/lambda/offer"
	"matchbook/lambda/postgres/offers"
	"matchbook/lambda/postgres/postgrestest"
	"matchbook/lambda/telemetry/emf"
)

// Each run counts what it queued and skipped, and measures duplicate offers. A run
// that fails measures none: an alarm goes off when they are missing.
func TestScheduleDuplicates(t *testing.T) {
	t.Parallel()
	_, url := postgrestest.WithClock(t, postgrestest.URL(t), time.Date(2026, 3, 2, 8, 0, 0, 0, time.UTC))
	conn := postgrestest.Conn(t, url)
	metrics := emf.New("test", "schedule")
	run := schedule(Config{Metrics: metrics, CatchUp: time.Hour}, offers.New(postgrestest.Open(t, url)), nil,
		slog.New(slog.DiscardHandler))
	exec := func(sql string) {
		t.Helper()
		must.Get(conn.Exec(t.Context(), sql))(t)
	}
	exec("INSERT INTO tenant VALUES ('00000000-0000-4000-8000-000000000001', 'T')")
	exec(`INSERT INTO offer_user (id, tenant_id, timezone, through)
		VALUES (gen_random_uuid(), '00000000-0000-4000-8000-000000000001', 'UTC', '2026-02-27')`)
	report, err := run(t.Context())
	if want := (offer.ScheduleReport{TooLate: 2}); report != want || err != nil {
		t.Errorf("%+v, %v; want two dates skipped, by the setting of an hour", report, err)
	}
	counted := flushed(t, metrics)
	for _, want := range []string{`"SkippedDates":2`, `"Queued":0`, `"Late":0`, `"DuplicateOffers":0`, `"Refused":0`} {
		if !strings.Contains(counted, want) {
			t.Errorf("%s is missing in %s", want, counted)
		}
	}
	exec("ALTER TABLE offer RENAME TO elsewhere")
	exec("INSERT INTO offer_roster VALUES ('00000000-0000-4000-8000-000000000001', '2026-03-01', '', 1, 0, '')")
	if _, err := run(t.Context()); err == nil || !strings.Contains(err.Error(), "count duplicate offers") {
		t.Errorf("without the table: %v", err)
	}
	if counted := flushed(t, metrics); strings.Contains(counted, "Duplicate") || !strings.Contains(counted, `"Queued":0`) {
		t.Errorf("without the table: %s", counted)
	}
}
