package doctor

import (
	"testing"

	"matchbook/lambda/cli/doctor/template"
	"matchbook/lambda/postgres/postgrestest"
)

// The template with the URL of reviews is whole; each harm to its function is found.
func TestEachHarmToTheWebFunctionIsFound(t *testing.T) {
	t.Parallel()
	raw := readFile(t, auroraTemplate)
	for _, row := range []templateRow{
		{"", nil, provoked{"connections", OK, "2 of migrate, 1 of schedule, 8 of console, 12 of web, "}},
		{"", nil, provoked{"configuration", OK, "its variables can be read"}},
		{"WebFunction.ReservedConcurrentExecutions", nil, provoked{"connections", Error, "its instances have no limit"}},
		{"WebFunction.ReservedConcurrentExecutions", 40, provoked{"connections", Error, "40 of web, "}},
		{"WebFunction" + env + "REVIEW_TOKEN_SECRET_SECRET_ARN", nil,
			provoked{"configuration", Error, "REVIEW_TOKEN_SECRET is not set"}},
		{"WebFunction" + env + "REVIEW_QUEUE_URL", nil, provoked{"configuration", Error, "REVIEW_QUEUE_URL is not set"}},
		{"WebFunction" + env + "REVIEW_QUEUE_URL", m{"Ref": "MatchQueue"},
			provoked{"queue-url", Error, "WebFunction publishes to MatchQueue"}},
		{"WebFunction" + env + "MODEL_PRICE", "free", provoked{"configuration", Error, "MODEL_PRICE"}},
	} {
		r, err := treat(t, raw, row.path, row.to, Options{Connections: 110, Env: func(string) string { return "" }})
		if err != nil {
			t.Fatal(err)
		}
		row.check(t, r)
	}
}

// The same for the console.
func TestEachHarmToTheConsoleIsFound(t *testing.T) {
	t.Parallel()
	raw := readFile(t, auroraTemplate)
	for _, row := range []templateRow{
		{"", nil, provoked{"connections", OK, "8 of console, "}},
		{"ConsoleFunction.ReservedConcurrentExecutions", nil, provoked{"connections", Error, "its instances have no limit"}},
		{"ConsoleFunction" + env + "OIDC_ISSUER", nil, provoked{"configuration", Error, "OIDC_ISSUER is not set"}},
		{"ConsoleFunction" + env + "OIDC_ISSUER", "http://x", provoked{"configuration", Error, "OIDC_ISSUER: not an address"}},
		{"ConsoleFunction" + env + "MATCH_QUEUE_URL", m{"Ref": "OfferQueue"},
			provoked{"queue-url", Error, "ConsoleFunction publishes to OfferQueue"}},
		{"ConsoleFunction" + env + "ADMIN_BASE_URL", nil, provoked{"configuration", Error, "ADMIN_BASE_URL is not set"}},
	} {
		r, err := treat(t, raw, row.path, row.to, Options{Connections: 110, Env: func(string) string { return "" }})
		if err != nil {
			t.Fatal(err)
		}
		row.check(t, r)
	}
}

// In a deployed stack the function's configuration is read, and the key of the tokens
// as the function reads it.
func TestWebFunctionOfAStackIsExamined(t *testing.T) {
	t.Parallel()
	database := postgrestest.URL(t)
	for _, row := range []struct {
		name string
		harm func(*rig)
		provoked
	}{
		{"whole", func(*rig) {}, provoked{"connections", OK, "12 of web"}},
		{"the key is read", func(*rig) {}, provoked{"secrets", OK, "the secret can be read"}},
		{"its configuration is read", func(r *rig) { delete(r.webEnv, "REVIEW_QUEUE_URL") },
			provoked{"configuration", Error, "REVIEW_QUEUE_URL is not set"}},
		{"no key", func(r *rig) { delete(r.secrets, r.dir+"tokens") }, provoked{"secrets", Error, "ResourceNotFoundException"}},
		{"no limit", func(r *rig) { r.webReserved = m{} }, provoked{"connections", Error, "its instances have no limit"}},
	} {
		t.Run(row.name, func(t *testing.T) {
			t.Parallel()
			r := newRig(t, database)
			r.resources = append(r.resources, m{"id": "matchbook-dev-web", "type": template.TypeFunction})
			r.secrets[r.dir+"tokens"] = "hidden-token-secret-of-32-bytes-and-more"
			r.webEnv = map[string]string{"DATABASE_URL_SECRET_ARN": r.dir + "database-url", "REVIEW_QUEUE_URL": r.urls.Queue,
				"REVIEW_TOKEN_SECRET_SECRET_ARN": r.dir + "tokens"}
			row.harm(r)
			report := r.examine(true)
			row.check(t, report)
			keepsSecrets(t, report)
		})
	}
}

// The template's function that queues match offers is whole; each harm to it is found.
func TestEachHarmToTheScheduleIsFound(t *testing.T) {
	t.Parallel()
	raw := readFile(t, auroraTemplate)
	for _, row := range []templateRow{
		{"", nil, provoked{"configuration", OK, "its variables can be read"}},
		{"ScheduleFunction" + env + "OFFER_QUEUE_URL", nil, provoked{"configuration", Error, "OFFER_QUEUE_URL is not set"}},
		{"ScheduleFunction" + env + "OFFER_QUEUE_URL", m{"Ref": "MatchQueue"},
			provoked{"queue-url", Error, "ScheduleFunction publishes to MatchQueue"}},
		{"ScheduleFunction" + env + "OFFERS_CATCH_UP", "often", provoked{"configuration", Error, "OFFERS_CATCH_UP"}},
		{"OfferFunction" + env + "OFFERS_WEBHOOK_URL", "https://example.com/",
			provoked{"configuration", Error, "OFFERS_WEBHOOK_URL and OFFERS_WEBHOOK_SECRET: one is set"}},
		{"OfferQueue.RedrivePolicy.maxReceiveCount", 3.0, provoked{"schedule-entries", Error, "3 entries"}},
	} {
		r, err := treat(t, raw, row.path, row.to, Options{Connections: 97, Env: func(string) string { return "" }})
		if err != nil {
			t.Fatal(err)
		}
		row.check(t, r)
	}
}
