package doctor

import (
	"maps"
	"testing"

	"matchbook/lambda/manifest"
	"matchbook/lambda/postgres/postgrestest"
)

// whole has the variables of functions that no queue feeds.
var whole = map[string]variables{
	"web": {"DATABASE_URL": "postgres://u@localhost/d", "REVIEW_QUEUE_URL": queueURLs + "review",
		"REVIEW_TOKEN_SECRET_SECRET_ARN": "arn:aws:secretsmanager:eu-central-1:000000000000:secret:tokens"},
	"console": {"DATABASE_URL": "postgres://u@localhost/d", "MATCH_QUEUE_URL": queueURLs + "match", "OIDC_ISSUER": "https://localhost",
		"OIDC_CLIENT_ID": "client", "OIDC_CLIENT_SECRET_SECRET_ARN": "arn:aws:secretsmanager:eu-central-1:000000000000:secret:client",
		"ADMIN_BASE_URL": "https://localhost"},
	"schedule": {"DATABASE_URL": "postgres://u@localhost/d", "OFFER_QUEUE_URL": queueURLs + "offer"},
}

// Each harm to a function that no queue feeds is found, and to the offer function.
func TestFindsFunctionFaults(t *testing.T) {
	t.Parallel()
	reserves := func(name string, n int) func(*deployment) {
		return func(d *deployment) { d.functions[name].reserved = known(n) }
	}
	nothing := func(*deployment) {}
	for _, h := range []harm{
		{"web", nothing, provoked{"connections", OK, "2 of migrate, 1 of schedule, 8 of console, 12 of web, "}},
		{"web", nothing, provoked{"configuration", OK, "its variables can be read"}},
		{"web without a limit", reserves("web", -1), provoked{"connections", Error, "unlimited instances"}},
		{"web, 40 instances", reserves("web", 40), provoked{"connections", Error, "40 of web, "}},
		{"no key of tokens", setting("web", "REVIEW_TOKEN_SECRET_SECRET_ARN", ""), provoked{"configuration", Error, "REVIEW_TOKEN_SECRET is not set"}},
		{"no queue of reviews", setting("web", "REVIEW_QUEUE_URL", ""), provoked{"configuration", Error, "REVIEW_QUEUE_URL is not set"}},
		{"web publishes elsewhere", setting("web", "REVIEW_QUEUE_URL", queueURLs+"match"), provoked{"queue-url", Error, "web publishes to " + account + "match"}},
		{"no price", setting("web", "MODEL_PRICE", "free"), provoked{"configuration", Error, "MODEL_PRICE"}},

		{"console without a limit", reserves("console", -1), provoked{"connections", Error, "unlimited instances"}},
		{"no issuer", setting("console", "OIDC_ISSUER", ""), provoked{"configuration", Error, "OIDC_ISSUER is not set"}},
		{"no address", setting("console", "OIDC_ISSUER", "http://x"), provoked{"configuration", Error, "OIDC_ISSUER: expected an address"}},
		{"console publishes elsewhere", setting("console", "MATCH_QUEUE_URL", queueURLs+"offer"), provoked{"queue-url", Error, "console publishes to " + account + "offer"}},
		{"no address of the console", setting("console", "ADMIN_BASE_URL", ""), provoked{"configuration", Error, "ADMIN_BASE_URL is not set"}},

		{"no queue of offers", setting("schedule", "OFFER_QUEUE_URL", ""), provoked{"configuration", Error, "OFFER_QUEUE_URL is not set"}},
		{"schedule publishes elsewhere", setting("schedule", "OFFER_QUEUE_URL", queueURLs+"match"), provoked{"queue-url", Error, "schedule publishes to " + account + "match"}},
		{"no age", setting("schedule", "OFFERS_CATCH_UP", "often"), provoked{"configuration", Error, "OFFERS_CATCH_UP"}},
		{"half a receiver", setting("offer", "OFFERS_WEBHOOK_URL", "https://example.com/"),
			provoked{"configuration", Error, "OFFERS_WEBHOOK_URL and OFFERS_WEBHOOK_SECRET must both be set"}},
		{"3 receives", func(d *deployment) { d.queues["offer"].receives = known(3) }, provoked{"schedule-entries", Error, "3 entries"}},
	} {
		t.Run(h.name, func(t *testing.T) {
			t.Parallel()
			d := deploy(manifest.Match, manifest.Review, manifest.Offer).with("web", manifest.Web.Instances, maps.Clone(whole["web"])).
				with("console", manifest.Console.Instances, maps.Clone(whole["console"])).with("schedule", -1, maps.Clone(whole["schedule"]))
			d.connections = 90
			h.do(d)
			h.check(t, d.report())
		})
	}
}

// In a deployed stack the function's configuration is read, and the key of the tokens
// as the function reads it.
func TestWebFunctionExamined(t *testing.T) {
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
		{"no limit", func(r *rig) { r.webReserved = m{} }, provoked{"connections", Error, "unlimited instances"}},
	} {
		t.Run(row.name, func(t *testing.T) {
			t.Parallel()
			r := newRig(t, database)
			r.resources = append(r.resources, m{"id": "matchbook-dev-web", "type": typeFunction})
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
