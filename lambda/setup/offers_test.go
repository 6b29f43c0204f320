package setup_test

import (
	"strings"
	"testing"
	"time"

	"matchbook/lambda/manifest"
	"matchbook/lambda/setup"
)

// The function stores sets for a receiver, and the sweep sends what is left.
func TestReceiverOfOffersHasAURLAndASecret(t *testing.T) {
	t.Parallel()
	for name, load := range map[string]func(setup.Env) (setup.Config, error){
		"offer": func(e setup.Env) (setup.Config, error) { return setup.LoadFunction(e, manifest.Offer) },
		"sweep": func(e setup.Env) (setup.Config, error) {
			return setup.LoadSweep(e, []manifest.Function{manifest.Offer})
		},
	} {
		values := map[string]string{"DATABASE_URL": "db", "QUEUE_URL": "q", "OFFER_QUEUE_URL": "q"}
		if c, err := load(env(values)); err != nil || c.Offers != (setup.ReceiverConfig{}) {
			t.Errorf("%s without a receiver: got %+v, %v", name, c.Offers, err)
		}
		values["OFFERS_WEBHOOK_URL"] = "https://example.com/PLANTED"
		if _, err := load(env(values)); err == nil || strings.Contains(err.Error(), "PLANTED") ||
			!strings.Contains(err.Error(), "OFFERS_WEBHOOK_URL and OFFERS_WEBHOOK_SECRET: one is set") {
			t.Errorf("%s without a secret: got %v", name, err)
		}
		values["OFFERS_WEBHOOK_SECRET"] = "s"
		want := setup.ReceiverConfig{URL: "https://example.com/PLANTED", Secret: "s"}
		if c, err := load(env(values)); err != nil || c.Offers != want {
			t.Errorf("%s: got %+v, %v", name, c.Offers, err)
		}
		for _, wrong := range []string{"PLANTED", "ftp://PLANTED", "https://PLANTED:PLANTED@example.com"} {
			values["OFFERS_WEBHOOK_URL"] = wrong
			if _, err := load(env(values)); err == nil || strings.Contains(err.Error(), "PLANTED") {
				t.Errorf("%s: %s: got %v", name, wrong, err)
			}
		}
	}
}

func TestSecretOfTheReceiverIsReadAlone(t *testing.T) {
	t.Parallel()
	if got, err := setup.LoadOffersSecret(env(map[string]string{"OFFERS_WEBHOOK_SECRET": "s"})); got != "s" || err != nil {
		t.Errorf("got %q, %v", got, err)
	}
	if _, err := setup.LoadOffersSecret(env(nil)); err == nil {
		t.Error("no secret is no error")
	}
}

func TestScheduleReadsItsEnvironment(t *testing.T) {
	t.Parallel()
	values := map[string]string{"DATABASE_URL": "db", "OFFER_QUEUE_URL": "q"}
	c, err := setup.LoadSchedule(env(values))
	if err != nil || c.DatabaseURL != "db" || c.QueueURL != "q" || c.CatchUp != 36*time.Hour {
		t.Errorf("got %+v, %v", c, err)
	}
	values["OFFERS_CATCH_UP"] = "8h"
	if c, err = setup.LoadSchedule(env(values)); err != nil || c.CatchUp != 8*time.Hour {
		t.Errorf("got %s, %v", c.CatchUp, err)
	}
	_, err = setup.LoadSchedule(env(map[string]string{"OFFERS_CATCH_UP": "PLANTED"}))
	for _, want := range []string{"DATABASE_URL is not set", "OFFER_QUEUE_URL is not set", "OFFERS_CATCH_UP: not a duration"} {
		if err == nil || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "PLANTED") {
			t.Errorf("got %v, want %q", err, want)
		}
	}
}
