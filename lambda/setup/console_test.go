package setup_test

import (
	"fmt"
	"strings"
	"testing"

	"matchbook/lambda/setup"
)

func TestConsoleReadsItsEnvironment(t *testing.T) {
	t.Parallel()
	values := map[string]string{"DATABASE_URL": "postgres://x", "MATCH_QUEUE_URL": "https://q", "OIDC_ISSUER": "https://issuer.example/realm", "OIDC_CLIENT_ID": "c",
		"OIDC_CLIENT_SECRET": "s", "ADMIN_BASE_URL": "https://console.example/"}
	want := setup.LoginConfig{Issuer: "https://issuer.example/realm", Client: "c", Secret: "s", Claim: "cognito:groups",
		Base: "https://console.example", Scopes: []string{"email", "profile"}}
	c, err := setup.LoadConsole(env(values))
	if err != nil || c.DatabaseURL != "postgres://x" || c.QueueURL != "https://q" || fmt.Sprint(c.Login) != fmt.Sprint(want) {
		t.Errorf("got %+v, %v", c.Login, err)
	}
	if secret, err := setup.LoadClientSecret(env(values)); secret != "s" || err != nil {
		t.Errorf("got %q, %v", secret, err)
	}
	delete(values, "OIDC_CLIENT_SECRET") // of a public client
	values["OIDC_GROUPS_CLAIM"], values["OIDC_SCOPES"] = "groups", "groups email"
	c, err = setup.LoadConsole(env(values))
	if err != nil || c.Login.Secret != "" || c.Login.Claim != "groups" || fmt.Sprint(c.Login.Scopes) != "[groups email]" {
		t.Errorf("got %+v, %v", c.Login, err)
	}
}

func TestConsoleWantsAnIssuerAndItsOwnAddress(t *testing.T) {
	t.Parallel()
	_, err := setup.LoadConsole(env(nil))
	for _, want := range []string{"DATABASE_URL is not set", "MATCH_QUEUE_URL is not set", "OIDC_ISSUER is not set", "OIDC_CLIENT_ID is not set",
		"ADMIN_BASE_URL is not set"} {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("got %v, want %q", err, want)
		}
	}
	for _, tc := range []struct{ name, value string }{
		{"OIDC_ISSUER", "http://PLANTED"}, {"OIDC_ISSUER", "PLANTED"}, {"OIDC_ISSUER", "https://PLANTED@issuer.example"},
		{"ADMIN_BASE_URL", "http://PLANTED"}, {"ADMIN_BASE_URL", "https://PLANTED/console"},
	} {
		values := map[string]string{"DATABASE_URL": "postgres://x", "MATCH_QUEUE_URL": "https://q", "OIDC_ISSUER": "https://issuer.example", "OIDC_CLIENT_ID": "c",
			"ADMIN_BASE_URL": "https://console.example"}
		values[tc.name] = tc.value
		_, err := setup.LoadConsole(env(values))
		if err == nil || !strings.Contains(err.Error(), tc.name+": not an address such as https://host") ||
			strings.Contains(err.Error(), "PLANTED") {
			t.Errorf("%s=%s: got %v", tc.name, tc.value, err)
		}
	}
}
