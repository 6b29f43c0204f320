package main

import (
	"maps"
	"slices"
	"strings"
	"testing"

	"matchbook/infra/settings"
	"matchbook/lambda/manifest"
)

// The function, its secret and its alarms are only there where a setting asks for
// them: they have a price, and the URL is open to the internet.
func TestReviewURLSetting(t *testing.T) {
	t.Parallel()
	without := synthesise(t, wishes{context: bare})
	for id := range without.Resources {
		if strings.HasPrefix(id, "Web") || id == "ReviewTokenSecret" {
			t.Errorf("without the setting there is %s", id)
		}
	}
	tpl := synthesise(t, wishes{context: aurora})
	tpl.check(t,
		at("WebUrl", "RESPONSE_STREAM", "InvokeMode"), at("WebUrl", "NONE", "AuthType"),
		at("WebUrl", "${WebFunction.Arn}", "TargetFunctionArn"), at("WebUrl", "live", "Qualifier"),
		at("WebUrl", "", "Cors"),
		at("WebFunction", manifest.Web.Instances, "ReservedConcurrentExecutions"),
		at("WebFunction", "matchbook-dev-web", "FunctionName"), at("WebFunction", 300, "Timeout"),
		at("WebFunctionLogs", 30, "RetentionInDays"))
	for name, want := range map[string]string{"ReviewUrl": "${WebUrl.FunctionUrl}",
		"ReviewTokenSecretArn": "${ReviewTokenSecret}"} {
		if got := plain(tpl.Outputs[name].Value); got != want {
			t.Errorf("%s: got %s, want %s", name, got, want)
		}
	}
	if got := tpl.Resources["WebLive"].DependsOn; !slices.Contains(got, "Schema") {
		t.Errorf("a new version takes requests before the migration: it waits for %v", got)
	}
}

// With the setting the ingest function knows the queue of reviews, and may send to
// it; without, it does neither.
func TestReviewContractsSetting(t *testing.T) {
	t.Parallel()
	for context, want := range map[string]map[string]any{"": bare, "${ReviewQueue}": aurora} {
		tpl := synthesise(t, wishes{context: want})
		tpl.check(t, at("IngestFunction", context, "Environment", "Variables", "REVIEW_QUEUE_URL"))
	}
}

// Requests come in by the URL and by no other way. Since October 2025 a URL needs
// both permissions.
func TestWebInvokedByURL(t *testing.T) {
	t.Parallel()
	tpl := synthesise(t, wishes{context: aurora})
	var got []string
	for _, id := range tpl.of("AWS::Lambda::Permission") {
		if id == "ConsolePermission" { // TestConsoleInvokedByAPI
			continue
		}
		got = append(got, tpl.at(t, id, "Principal")+" "+tpl.at(t, id, "Action")+" "+tpl.at(t, id, "FunctionName")+" "+
			tpl.at(t, id, "FunctionUrlAuthType")+tpl.at(t, id, "InvokedViaFunctionUrl"))
	}
	compare(t, got, []string{"* lambda:InvokeFunctionUrl ${WebLive} NONE", "* lambda:InvokeFunction ${WebLive} true"})
}

// The stack makes the key of the tokens: more than the 32 bytes that the function
// wants, and no comma, which would make two keys of it.
func TestTokenKeyGenerated(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		context map[string]any
		key     string
	}{"aurora": {aurora, ""}, "everything": {everything,
		"arn:aws:kms:eu-central-1:000000000000:key/00000000-0000-4000-8000-000000000000"}} {
		tpl := synthesise(t, wishes{context: tc.context})
		tpl.check(t, at("ReviewTokenSecret", 64, "GenerateSecretString", "PasswordLength"),
			at("ReviewTokenSecret", true, "GenerateSecretString", "ExcludePunctuation"),
			at("ReviewTokenSecret", tc.key, "KmsKeyId"), at("ReviewTokenSecret", "", "Name"))
		if t.Failed() {
			t.Log(name)
		}
	}
}

func TestWebVariables(t *testing.T) {
	t.Parallel()
	got := synthesise(t, wishes{context: aurora}).variables(t, "WebFunction")
	want := map[string]string{"STAGE": "dev", "DATABASE_URL": "",
		"DATABASE_URL_SECRET_ARN": functionsLogin, "PGSSLROOTCERT": "/var/task/database-ca.pem", "REVIEW_TOKEN_SECRET": "",
		"REVIEW_TOKEN_SECRET_SECRET_ARN": "${ReviewTokenSecret}", "REVIEW_QUEUE_URL": "${ReviewQueue}",
		"RETRY_SCHEDULE": "5m,5m", "MATCH_MODE": "model", "OPENAI_MODEL": manifest.DefaultModel,
		"MODEL_PRICE": "0.4,1.6", "BLOB_URL": "s3://${Files}"}
	maps.Copy(want, tracing("http://collector.internal:4318", "", ""))
	for name, v := range want {
		if got[name] != v {
			t.Errorf("%s: got %q, want %q", name, got[name], v)
		}
	}
	if len(got) != len(want) {
		t.Errorf("got %v, want no more than %v", got, want)
	}
}

// An alarm on the duration would go off with every stream.
func TestWebAlarms(t *testing.T) {
	t.Parallel()
	tpl := synthesise(t, wishes{context: aurora})
	for id, want := range map[string]string{
		"WebErrors":    "AWS/Lambda Errors Sum FunctionName=${WebFunction}",
		"WebThrottles": "AWS/Lambda Throttles Sum FunctionName=${WebFunction}",
	} {
		if got := watched(t, tpl, id); got != want || tpl.at(t, id, "Threshold") != "1" {
			t.Errorf("%s watches %s", id, got)
		}
		text := tpl.at(t, id, "AlarmDescription")
		if sentences := strings.Count(text+" ", ". "); sentences < 2 {
			t.Errorf("%s: %d sentences: %s", id, sentences, text)
		}
	}
	if _, ok := tpl.Resources["WebDuration"]; ok {
		t.Error("there is an alarm on the duration")
	}
	if got := watched(t, tpl, "CredentialsRefused"); !strings.Contains(got, "FILL(web, 0)") ||
		!strings.Contains(got, "Function=web") {
		t.Errorf("credentials that web was refused raise no alarm: %s", got)
	}
	shown := map[string]bool{}
	for _, w := range tpl.widgets(t) {
		shown[w.Properties.Title] = true
	}
	for _, title := range []string{"web: Requests, errors, throttles", "web: Requests and open streams at once"} {
		if !shown[title] {
			t.Errorf("the dashboard has no %q", title)
		}
	}
}

// The usual budget of connections is enough with the function, too.
func TestURLConnections(t *testing.T) {
	t.Parallel()
	c := settings.Config{DatabaseConnections: 97, ReviewURL: true} // PostgreSQL's 100, without those for superusers
	if err := settings.ManifestFacts().Validate(c); err != nil {
		t.Error(err)
	}
}
