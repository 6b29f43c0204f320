package main

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	"matchbook/lambda/cli"
	"matchbook/lambda/cli/clitest"
	"matchbook/lambda/manifest/variable"
	"matchbook/lambda/notify/webhook"
	"matchbook/lambda/postgres/postgrestest"
)

// Two users of a tenant that delivers at five in the afternoon: two sets, due at 15:00 UTC.
func TestOffersRunDelivers(t *testing.T) {
	t.Parallel()
	key := []byte("a key of thirty-two characters..")
	secret := webhook.SecretPrefix + base64.StdEncoding.EncodeToString(key)
	var mu sync.Mutex
	tries, bodies := map[string]int{}, map[string]string{}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		mu.Lock()
		defer mu.Unlock()
		body, _ := io.ReadAll(r.Body)
		id := r.Header.Get(webhook.IDHeader)
		h := hmac.New(sha256.New, key)
		fmt.Fprintf(h, "%s.%s.%s", id, r.Header.Get("webhook-timestamp"), body)
		if got, want := r.Header.Get("webhook-signature"), "v1,"+base64.StdEncoding.EncodeToString(h.Sum(nil)); got != want {
			t.Errorf("%s: signature %s, want %s", id, got, want)
		}
		tries[id]++
		bodies[id] = string(body)
	}))
	defer server.Close()
	url := postgrestest.URL(t)
	postgrestest.Exec(t, postgrestest.Conn(t, url), `WITH t AS (INSERT INTO tenant (id, name) VALUES ($1, 'one') ON CONFLICT DO NOTHING)
		INSERT INTO offer_setting (tenant_id, delivery_hour) VALUES ($1, 17)`, oneTenant)
	user := func(n, kind, other string) string {
		return `{"id": "10000000-0000-4000-8000-0000000000a` + n + `", "tenant_id": "` + oneTenant + `", "timezone": "Europe/Berlin", ` +
			`"profile": {"kind": "` + kind + `"}, "preferences": {"kinds": ["` + other + `"]}}` + "\n"
	}
	folder := clitest.Folder(t, map[string]string{"users.jsonl": user("1", "mentor", "mentee") + user("2", "mentee", "mentor")})
	run := func(args ...string) (int, string, string) {
		return clitest.RunIn(t.Context(), run, map[string]string{variable.DatabaseURL: url,
			variable.OffersWebhookURL: server.URL, variable.OffersWebhookSecret: secret},
			append([]string{"offers", "run", folder, "--date", sampleDate, "--database"}, args...)...)
	}
	code, out, errOut := run("--deliver")
	if code != cli.ExitOK || !strings.Contains(out, "DELIVERED 2 sets, 0 waiting\n") || !strings.Contains(out, "(03-29 15:00Z)") {
		t.Errorf("exit status %d\n%s%s", code, out, errOut)
	}
	for key, body := range bodies {
		if tries[key] != 1 || !strings.Contains(body, `"rank":1`) || !strings.Contains(body, `"offered_at":"2026-03-29T15:00:00Z"`) {
			t.Errorf("%s: %d tries of %s", key, tries[key], body)
		}
	}
	if len(bodies) != 2 {
		t.Errorf("%d sets have arrived", len(bodies))
	}
	if _, out, errOut := run(); !strings.Contains(errOut, "is ignored: pass --deliver") || strings.Contains(out, "DELIVERED") {
		t.Errorf("without --deliver\n%s%s", out, errOut)
	}
	wantRefused(t, url, "offers run", clitest.Refusals{{[]string{folder, "--deliver"}, "--deliver: missing " + variable.OffersWebhookURL}})
}
