package web_test

import (
	"errors"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"matchbook/lambda/internal/must"
	"matchbook/lambda/offer/web"
	"matchbook/lambda/postgres/offers"
	"matchbook/lambda/postgres/postgrestest"

	"github.com/google/uuid"
)

const tenant, ada, bob = "70000000-0000-4000-8000-000000000001", "70000000-0000-4000-8000-00000000000a", "70000000-0000-4000-8000-00000000000b"

func TestFeedback(t *testing.T) {
	t.Parallel()
	url := postgrestest.URL(t)
	conn := postgrestest.Conn(t, url)
	postgrestest.Exec(t, conn, "INSERT INTO tenant VALUES ($1, 'one')", tenant)
	postgrestest.Exec(t, conn, "INSERT INTO offer_user (id, tenant_id, timezone) VALUES ($2, $1, 'UTC'), ($3, $1, 'UTC')", tenant, ada, bob)
	server := httptest.NewServer(web.New(web.Config{Store: offers.New(postgrestest.Open(t, url)), Log: slog.New(slog.DiscardHandler),
		Tenant: func(r *http.Request) (uuid.UUID, error) {
			if r.Header.Get("Authorization") != "Bearer secret" {
				return uuid.Nil, errors.New("unknown token")
			}
			return uuid.MustParse(tenant), nil
		}}))
	t.Cleanup(server.Close)
	const valid = `{"user_id":"` + ada + `","candidate_id":"` + bob + `","answer":"declined","at":"2026-03-29T07:00:00Z"}`
	for name, tc := range map[string]struct {
		token, body string
		status      int
		want        string // a part of the answer
	}{
		"one":          {"secret", `{"answers":[` + valid + `]}`, 200, `{"stored":1,"refused":[]}`},
		"no token":     {"", `{"answers":[` + valid + `]}`, 401, "missing or invalid tenant token"},
		"other token":  {"public", `{"answers":[` + valid + `]}`, 401, "missing or invalid tenant token"},
		"no answers":   {"secret", `{}`, 422, "expected 1 to 1000"},
		"too many":     {"secret", `{"answers":[{}` + strings.Repeat(",{}", 1000) + `]}`, 422, "expected 1 to 1000"},
		"too large":    {"secret", `{"answers":[` + strings.Repeat(" ", 1<<20) + `]}`, 413, "at most 1 MB"},
		"misspelt key": {"secret", `{"answers":[{"user":"` + ada + `"}]}`, 400, "invalid JSON body"},
		"two values":   {"secret", `{"answers":[` + valid + `]} {}`, 400, "invalid JSON body"},
		"some refused": {"secret", `{"answers":[{"user_id":"x"},{"user_id":"` + ada + `","candidate_id":"` + tenant + `","answer":"met"},` + valid +
			`,{"user_id":"` + bob + `","candidate_id":"` + ada + `","answer":"liked"}]}`, 200, `{"stored":1,"refused":[` +
			`{"index":0,"reason":"user_id: expected a UUID"},{"index":1,"reason":"unknown user or candidate"},` +
			`{"index":3,"reason":"answer: expected accepted, declined, met, blocked or reported"}]}`},
	} {
		r := must.Get(http.NewRequestWithContext(t.Context(), http.MethodPost, server.URL+"/offers/feedback", strings.NewReader(tc.body)))(t)
		r.Header.Set("Content-Type", "application/json")
		r.Header.Set("Authorization", "Bearer "+tc.token)
		status, body := answered(t, r)
		if status != tc.status || !strings.Contains(body, tc.want) {
			t.Errorf("%s: %d %s, want %d %s", name, status, body, tc.status, tc.want)
		}
	}
	var n int
	must.OK(t, conn.QueryRow(t.Context(), "SELECT count(*) FROM offer_feedback WHERE user_id = $1 AND at = '2026-03-29 07:00Z'", ada).Scan(&n))
	if n != 1 {
		t.Errorf("%d answers are stored", n)
	}
}

func answered(t *testing.T, r *http.Request) (status int, body string) {
	t.Helper()
	response, err := http.DefaultClient.Do(r)
	must.OK(t, err)
	defer response.Body.Close()
	return response.StatusCode, string(must.Get(io.ReadAll(response.Body))(t))
}
