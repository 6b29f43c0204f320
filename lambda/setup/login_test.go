package setup

import (
	"bytes"
	"context"
	"strings"
	"testing"
	"time"

	"matchbook/lambda/internal/must"
	"matchbook/lambda/postgres"
	"matchbook/lambda/telemetry"
	"matchbook/lambda/telemetry/emf"
)

// flushed returns the collected metrics of a set.
func flushed(t *testing.T, set *emf.Set) string {
	t.Helper()
	var out bytes.Buffer
	must.OK(t, set.Flush(&out, time.Now()))
	return out.String()
}

func TestRefusedLoginCounted(t *testing.T) {
	t.Parallel()
	g, set := newGuarded(t), emf.New("test", "match")
	right := g.rotate("right")
	wrong := strings.Replace(right, "right", "wrong", 1)
	ping := func(renew postgres.Renew) error {
		db := must.Get(postgres.OpenRenewing(t.Context(), wrong, 1, telemetry.CountRenewal(renew, set)))(t)
		defer db.Close()
		return db.Ping(t.Context())
	}
	if err := ping(func(context.Context, string) (string, bool) { return right, true }); err != nil ||
		flushed(t, set) != "" {
		t.Errorf("with a newer one: %v, and it was counted", err)
	}
	for name, renew := range map[string]postgres.Renew{"without a secret": nil,
		"nothing newer": func(_ context.Context, url string) (string, bool) { return url, false }} {
		if err := ping(renew); err == nil {
			t.Errorf("%s: the login was taken", name)
		}
		if got := flushed(t, set); !strings.Contains(got, `"Refused":1`) {
			t.Errorf("%s: want one refusal, got %s", name, got)
		}
	}
}
