package acceptance_test

import (
	"strings"
	"testing"
	"time"

	"matchbook/lambda/internal/must"
	"matchbook/lambda/local"
	"matchbook/lambda/local/lambdahost"
	"matchbook/lambda/manifest"

	"github.com/google/uuid"
)

// newSchedule returns a line whose queue is that of the offer function, which the
// test reads itself, and the schedule function.
func newSchedule(t *testing.T, start time.Time, env ...string) (*line, *lambdahost.Function) {
	t.Helper()
	l := newLineAt(t, start, 1, func(c *local.FunctionConfig) { c.Row, c.NoMapping = manifest.Offer, true })
	l.exec("INSERT INTO tenant (id, name) VALUES ($1, 'T') ON CONFLICT DO NOTHING", testTenant)
	return l, l.function(manifest.Schedule, env...)
}

// addUsers adds users who had their offers of the day before.
func (l *line) addUsers(zone, through string, n int) {
	l.t.Helper()
	for range n {
		l.exec("INSERT INTO offer_user (id, tenant_id, timezone, through) VALUES ($1, $2, $3, $4)",
			uuid.New(), testTenant, zone, through)
	}
}

// offers returns the jobs by zone, date and status, and the messages in the queue.
func (l *line) offers() string {
	l.t.Helper()
	jobs := query[string](l, `SELECT coalesce(string_agg(line, ', ' ORDER BY line), 'no jobs') FROM (
		SELECT timezone || ' ' || date || ' ' || status || ' ' || count(*) AS line FROM matchmaking_job
		GROUP BY timezone, date, status) AS lines`)
	queue, _ := l.Stats()
	return jobs + "; " + strings.Repeat("m", queue.Visible)
}

// The schedule function through its bootstrap, PostgreSQL and SQS.
func TestScheduleAtNine(t *testing.T) {
	t.Parallel()
	l, schedule := newSchedule(t, time.Date(2026, 3, 29, 3, 14, 0, 0, time.UTC))
	l.addUsers("Asia/Kathmandu", "2026-03-28", 3)
	l.addUsers("Asia/Kolkata", "2026-03-28", 2) // a quarter of an hour later
	l.addUsers("Europe/Berlin", "2026-03-28", 2)
	l.addUsers("Pacific/Kiritimati", "2026-03-29", 1)
	const none = `{"rosters":0,"queued":0,"late":0,"too_late":0,"unknown_zone":0,"unsent":0,"unfinished":false}`
	for _, step := range []struct {
		after  time.Duration
		report string
		offers string
	}{
		{0, none, "no jobs; "}, // 8:59 in Kathmandu
		{time.Minute, strings.NewReplacer(`"rosters":0`, `"rosters":1`, `"queued":0`, `"queued":3`).Replace(none),
			"Asia/Kathmandu 2026-03-29 pending 3; mmm"},
		{0, none, "Asia/Kathmandu 2026-03-29 pending 3; mmm"},
		{15 * time.Minute, strings.Replace(none, `"queued":0`, `"queued":2`, 1),
			"Asia/Kathmandu 2026-03-29 pending 3, Asia/Kolkata 2026-03-29 pending 2; mmmmm"},
	} {
		must.OK(t, l.Advance(t.Context(), step.after))
		report := must.Get(schedule.Invoke(t.Context(), []byte(`{}`)))(t)
		check(t, "report", string(report), step.report)
		check(t, "offers", l.offers(), step.offers)
	}
	check(t, "rosters", query[string](l, "SELECT string_agg(date || ': ' || users, ', ') FROM offer_roster"),
		"2026-03-29: 8")
	check(t, "messages", query[string](l, `SELECT count(*) || ' ' || count(published_at) || ' ' || max(attempts)
		FROM matchmaking_job WHERE id = ANY ($1)`, l.sentIDs()), "5 5 0")
}

// sentIDs are the ids in the bodies of the messages.
func (l *line) sentIDs() (ids []string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, e := range l.log {
		ids = append(ids, e.Body)
	}
	return ids
}
