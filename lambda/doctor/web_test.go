package doctor

import (
	"testing"

	"matchbook/lambda/doctor/template"
	"matchbook/lambda/postgres/postgrestest"
)

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
