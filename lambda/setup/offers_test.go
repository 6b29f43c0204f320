package setup_test

import (
	"testing"
	"time"

	"matchbook/lambda/manifest"
	"matchbook/lambda/setup"
)

// The function stores sets for a receiver, and the sweep sends what is left.
func TestOffersReceiver(t *testing.T) {
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
		wantError(t, errorOf(load(env(values))), "OFFERS_WEBHOOK_URL and OFFERS_WEBHOOK_SECRET must both be set")
		values["OFFERS_WEBHOOK_SECRET"] = "s"
		want := setup.ReceiverConfig{URL: "https://example.com/PLANTED", Secret: "s"}
		if c, err := load(env(values)); err != nil || c.Offers != want {
			t.Errorf("%s: got %+v, %v", name, c.Offers, err)
		}
		for _, wrong := range []string{"PLANTED", "ftp://PLANTED", "https://PLANTED:PLANTED@example.com"} {
			values["OFFERS_WEBHOOK_URL"] = wrong
			wantError(t, errorOf(load(env(values))))
		}
	}
}

func TestLoadReceiverKey(t *testing.T) {
	t.Parallel()
	if got, err := setup.LoadKey(env(map[string]string{"OFFERS_WEBHOOK_SECRET": "s"}), "OFFERS_WEBHOOK_SECRET"); got != "s" || err != nil {
		t.Errorf("got %q, %v", got, err)
	}
	wantError(t, errorOf(setup.LoadKey(env(nil), "OFFERS_WEBHOOK_SECRET")))
}

func TestLoadSchedule(t *testing.T) {
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
	wantError(t, err, "DATABASE_URL is not set", "OFFER_QUEUE_URL is not set", "OFFERS_CATCH_UP: expected a duration")
}
