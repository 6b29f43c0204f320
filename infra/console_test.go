package main

import (
	"maps"
	"slices"
	"strings"
	"testing"

	"matchbook/infra/settings"
	"matchbook/lambda/manifest"
)

func TestConsoleSetting(t *testing.T) {
	t.Parallel()
	without := synthesise(t, wishes{context: bare})
	for id := range without.Resources {
		if strings.HasPrefix(id, "Console") {
			t.Errorf("without the setting there is %s", id)
		}
	}
	tpl := synthesise(t, wishes{context: aurora})
	tpl.check(t,
		at("ConsoleApi", "HTTP", "ProtocolType"), at("ConsoleStage", "$default", "StageName"),
		at("ConsoleIntegration", "AWS_PROXY", "IntegrationType"), at("ConsoleIntegration", "2.0", "PayloadFormatVersion"),
		at("ConsoleIntegration", "${ConsoleLive}", "IntegrationUri"), at("ConsoleRoute", "$default", "RouteKey"),
		at("ConsoleFunction", manifest.Console.Instances, "ReservedConcurrentExecutions"),
		at("ConsoleFunction", 29, "Timeout"), at("ConsoleFunctionLogs", 30, "RetentionInDays"))
	if got := tpl.Resources["ConsoleLive"].DependsOn; !slices.Contains(got, "Schema") {
		t.Errorf("a new version takes requests before the migration: it waits for %v", got)
	}
	if got := plain(tpl.Outputs["ConsoleUrl"].Value); got != "${ConsoleApi.ApiEndpoint}" {
		t.Errorf("the output is %s", got)
	}
}

// An address of a login has a code; an access log that kept it would keep codes.
func TestAPILogIsAnonymous(t *testing.T) {
	t.Parallel()
	format := synthesise(t, wishes{context: aurora}).at(t, "ConsoleStage", "AccessLogSettings", "Format")
	for _, secret := range []string{"query", "sourceIp", "$context.identity", "requestOverride", "cookie"} {
		if strings.Contains(format, secret) {
			t.Errorf("the log has %s: %s", secret, format)
		}
	}
}

func TestConsoleInvokedByAPI(t *testing.T) {
	t.Parallel()
	tpl := synthesise(t, wishes{context: aurora})
	tpl.check(t, at("ConsolePermission", "apigateway.amazonaws.com", "Principal"),
		at("ConsolePermission", "${ConsoleLive}", "FunctionName"), at("ConsolePermission", "lambda:InvokeFunction", "Action"),
		at("ConsolePermission", "arn:${AWS::Partition}:execute-api:${AWS::Region}:${AWS::AccountId}:${ConsoleApi}/$default/$default",
			"SourceArn"))
}

// With the console, links in notifications lead to it, unless a setting names
// another address, which the login then returns to.
func TestLinksToConsole(t *testing.T) {
	t.Parallel()
	for want, context := range map[string]map[string]any{"": bare, "${ConsoleApi.ApiEndpoint}": aurora,
		"https://matchbook.example.com": everything} {
		tpl := synthesise(t, wishes{context: context})
		for _, function := range []string{"MatchFunction", "SweepFunction", "ConsoleFunction"} {
			if function == "ConsoleFunction" && want == "" {
				continue
			}
			if got := tpl.variables(t, function)["ADMIN_BASE_URL"]; got != want {
				t.Errorf("%s: got %q, want %q", function, got, want)
			}
		}
	}
}

func TestConsoleVariables(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct{ context, want any }{
		"own pool": {aurora, map[string]string{"STAGE": "dev", "DATABASE_URL": "", "MATCH_QUEUE_URL": "${MatchQueue}",
			"INGEST_QUEUE_URL": "${IngestQueue}", "BLOB_URL": "s3://${Files}",
			"DATABASE_URL_SECRET_ARN": functionsLogin, "PGSSLROOTCERT": "/var/task/database-ca.pem", "ADMIN_BASE_URL": "${ConsoleApi.ApiEndpoint}",
			"OIDC_ISSUER":    "https://cognito-idp.${AWS::Region}.${AWS::URLSuffix}/${ConsoleUsers}",
			"OIDC_CLIENT_ID": "${ConsoleClient}", "OIDC_CLIENT_SECRET": "",
			"OIDC_CLIENT_SECRET_SECRET_ARN": "${ConsoleClientSecret}", "OIDC_GROUPS_CLAIM": "", "OIDC_SCOPES": ""}},
		"another issuer": {everything, map[string]string{"STAGE": "prod", "DATABASE_URL": "", "MATCH_QUEUE_URL": "${MatchQueue}",
			"INGEST_QUEUE_URL": "${IngestQueue}", "BLOB_URL": "s3://${Files}",
			"DATABASE_URL_SECRET_ARN": "arn:aws:secretsmanager:eu-central-1:000000000000:secret:books-AbCdEf",
			"PGHOST":                  "books.example.com", "PGPORT": "6432", "PGDATABASE": "books",
			"ADMIN_BASE_URL": "https://matchbook.example.com",
			"OIDC_ISSUER":    "https://login.example.com/realm", "OIDC_CLIENT_ID": "matchbook", "OIDC_CLIENT_SECRET": "",
			"OIDC_CLIENT_SECRET_SECRET_ARN": "arn:aws:secretsmanager:eu-central-1:000000000000:secret:login-AbCdEf",
			"OIDC_GROUPS_CLAIM":             "groups", "OIDC_SCOPES": "email groups"}},
	} {
		got, want := synthesise(t, wishes{context: tc.context.(map[string]any)}).variables(t, "ConsoleFunction"),
			tc.want.(map[string]string)
		maps.Copy(want, map[string]map[string]string{"own pool": tracing("http://collector.internal:4318", "", ""),
			"another issuer": tracing("https://otlp.example.com", "0.1", "arn:aws:secretsmanager:eu-central-1:000000000000:secret:otlp-AbCdEf")}[name])
		for variable, v := range want {
			if got[variable] != v {
				t.Errorf("%s: %s: got %q, want %q", name, variable, got[variable], v)
			}
		}
		if len(got) != len(want) {
			t.Errorf("%s: got %v, want no more than %v", name, got, want)
		}
	}
}

func TestUserPoolMFA(t *testing.T) {
	t.Parallel()
	tpl := synthesise(t, wishes{context: aurora})
	tpl.check(t, at("ConsoleUsers", true, "AdminCreateUserConfig", "AllowAdminCreateUserOnly"),
		at("ConsoleUsers", "ON", "MfaConfiguration"), at("ConsoleUsers", "ACTIVE", "DeletionProtection"),
		at("ConsoleViewers", "matchbook-viewer", "GroupName"), at("ConsoleOperators", "matchbook-operator", "GroupName"),
		at("ConsoleClient", true, "GenerateSecret"))
	for property, want := range map[string]string{"CallbackURLs": `["ConsoleApi","ApiEndpoint"]},"/login/callback"]`,
		"LogoutURLs": `["ConsoleApi","ApiEndpoint"]},"/"]`, "AllowedOAuthFlows": "code"} {
		if got := tpl.at(t, "ConsoleClient", property); !strings.Contains(got, want) {
			t.Errorf("%s: got %s, want %s", property, got, want)
		}
	}
	if other := synthesise(t, wishes{context: everything}); other.Resources["ConsoleUsers"].Type != "" {
		t.Error("there is a user pool beside another issuer")
	}
}

func TestConsoleAlarms(t *testing.T) {
	t.Parallel()
	tpl := synthesise(t, wishes{context: aurora})
	for id, want := range map[string]string{
		"ConsoleErrors":    "AWS/Lambda Errors Sum FunctionName=${ConsoleFunction}",
		"ConsoleThrottles": "AWS/Lambda Throttles Sum FunctionName=${ConsoleFunction}",
	} {
		if got := watched(t, tpl, id); got != want || tpl.at(t, id, "Threshold") != "1" {
			t.Errorf("%s watches %s", id, got)
		}
	}
	if got := watched(t, tpl, "CredentialsRefused"); !strings.Contains(got, "FILL(console, 0)") ||
		!strings.Contains(got, "Function=console") {
		t.Errorf("credentials that the console was refused raise no alarm: %s", got)
	}
}

// The usual budget of connections is enough with the console, too.
func TestConsoleConnections(t *testing.T) {
	t.Parallel()
	c := settings.Config{DatabaseConnections: 97, Console: settings.Cognito} // PostgreSQL's 100, without those for superusers
	if err := settings.ManifestFacts().Validate(c); err != nil {
		t.Error(err)
	}
}
