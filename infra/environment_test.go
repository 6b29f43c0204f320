package main

import (
	"encoding/json"
	"go/ast"
	"go/parser"
	"go/token"
	"slices"
	"strconv"
	"strings"
	"testing"

	"matchbook/lambda/manifest"
	"matchbook/lambda/manifest/variable"
)

// constants returns the manifest's constants with a prefix, by name.
func constants(t *testing.T, file string) map[string]string {
	t.Helper()
	parsed, err := parser.ParseFile(token.NewFileSet(), "../lambda/manifest/"+file, nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	found := map[string]string{}
	ast.Inspect(parsed, func(n ast.Node) bool {
		spec, ok := n.(*ast.ValueSpec)
		if !ok || spec.Names[0].Name == "SecretSuffix" || len(spec.Values) != 1 {
			return true
		}
		if literal, ok := spec.Values[0].(*ast.BasicLit); ok {
			if s, err := strconv.Unquote(literal.Value); err == nil {
				found[spec.Names[0].Name] = s
			}
		}
		return true
	})
	if len(found) < 10 {
		t.Fatalf("only %v was found in %s", found, file)
	}
	return found
}

// variables returns those of a function in the template, as text.
func (tpl *template) variables(t *testing.T, id string) map[string]string {
	t.Helper()
	environment, _ := tpl.Resources[id].Properties["Environment"].(map[string]any)
	all, _ := environment["Variables"].(map[string]any)
	list := map[string]string{}
	for name, v := range all {
		list[name] = plain(v)
	}
	return list
}

// tracing are the variables of a collector.
func tracing(endpoint, share, headers string) map[string]string {
	return map[string]string{"OTEL_EXPORTER_OTLP_ENDPOINT": endpoint, "OTEL_TRACES_SAMPLER_ARG": share,
		"OTEL_EXPORTER_OTLP_HEADERS": "", "OTEL_EXPORTER_OTLP_HEADERS_SECRET_ARN": headers}
}

func TestVariableDefaults(t *testing.T) {
	t.Parallel()
	tpl := synthesise(t, wishes{context: bare})
	match, sweep, migrate := tpl.variables(t, "MatchFunction"), tpl.variables(t, "SweepFunction"),
		tpl.variables(t, "MigrateFunction")
	ingest := tpl.variables(t, "IngestFunction")
	review, offer, schedule := tpl.variables(t, "ReviewFunction"), tpl.variables(t, "OfferFunction"),
		tpl.variables(t, "ScheduleFunction")
	web := synthesise(t, wishes{context: aurora}).variables(t, "WebFunction")
	console := synthesise(t, wishes{context: aurora}).variables(t, "ConsoleFunction")
	located := synthesise(t, wishes{context: everything}).variables(t, "MatchFunction") // its secret has no host
	paused := synthesise(t, wishes{context: sealed}).variables(t, "SweepFunction")
	notDeployed := []string{variable.ServerForTests, variable.Postgres, variable.AppDatabaseURL, variable.FunctionsDatabaseURL, variable.Rollout} // the last three are for migrations
	for constant, name := range constants(t, "variable/variable.go") {
		_, inMatch := match[name]
		_, inSweep := sweep[name]
		_, inIngest := ingest[name]
		_, inReview := review[name]
		_, inWeb := web[name]
		_, inConsole := console[name]
		_, inOffer := offer[name]
		_, inSchedule := schedule[name]
		_, isLocated := located[name]
		_, isPaused := paused[name]
		deployed := isLocated || isPaused || inMatch || inSweep || inIngest || inReview || inWeb || inConsole || inOffer || inSchedule
		if want := !slices.Contains(notDeployed, name); deployed != want {
			t.Errorf("%s (%s) is in the template: %v, want %v", name, constant, !want, want)
		}
	}
	for _, name := range manifest.Secrets {
		function := match
		switch name {
		case variable.ReviewTokenSecret, variable.OTLPHeaders:
			function = web
		case variable.OIDCClientSecret:
			function = console
		case variable.OffersWebhookSecret:
			function = offer
		case variable.DocumentAIKey:
			function = synthesise(t, wishes{context: everything}).variables(t, "IngestFunction")
		}
		if got, ok := function[name]; !ok || got != "" {
			t.Errorf("%s: got %q: a secret's value is never in a template", name, got)
		}
		if _, ok := function[name+variable.SecretSuffix]; !ok {
			t.Errorf("%s%s is missing", name, variable.SecretSuffix)
		}
	}
	if len(migrate) != 5 { // the stage, the database and its secret, the model's, and the rollout
		t.Errorf("the migration gets %v", migrate)
	}
}

func TestSettingsReachFunctions(t *testing.T) {
	t.Parallel()
	byName := func(name string) string {
		return "arn:${AWS::Partition}:secretsmanager:${AWS::Region}:${AWS::AccountId}:secret:matchbook/" + name
	}
	for name, tc := range map[string]struct {
		context map[string]any
		want    map[string]string
	}{
		"nothing": {bare, map[string]string{
			"STAGE": "dev", "DATABASE_URL": "",
			"DATABASE_URL_SECRET_ARN": byName("dev/database-url"), "QUEUE_URL": "${MatchQueue}",
			"MATCH_MODE": "model", "OPENAI_MODEL": manifest.DefaultModel,
			"OPENAI_API_KEY_SECRET_ARN":    byName("dev/openai-api-key"),
			"SLACK_WEBHOOK_URL_SECRET_ARN": "", "EMAIL_FROM": "", "EMAIL_TO": "", "RETRY_SCHEDULE": "5m,30m",
			"LLM_TIMEOUT": "",
		}},
		"everything": {everything, map[string]string{
			"STAGE": "prod", "DATABASE_URL_SECRET_ARN": "arn:aws:secretsmanager:eu-central-1:000000000000:secret:books-AbCdEf",
			"OPENAI_BASE_URL": "https://models.example.com/v1", "OPENAI_MODEL": "gpt-4.1",
			"OPENAI_EMBEDDING_MODEL": "text-embedding-3-small",
			"SLACK_WEBHOOK_URL":      "", "SLACK_WEBHOOK_URL_SECRET_ARN": byName("prod/slack-webhook-url"),
			"EMAIL_FROM": "Matchbook <matchbook@mail.example.com>", "EMAIL_TO": "ops@example.com,books@example.com",
			"ADMIN_BASE_URL": "https://matchbook.example.com",
		}},
		"rules only": {rulesOnly, map[string]string{"MATCH_MODE": "rules", "OPENAI_API_KEY_SECRET_ARN": "",
			"OPENAI_API_KEY": ""}},
		"no key": {ownModel, map[string]string{
			"MATCH_MODE": "model", "OPENAI_BASE_URL": "http://ollama:11434/v1", "OPENAI_API_KEY_SECRET_ARN": "",
			"OPENAI_API_KEY": "",
		}},
		"aurora": {aurora, map[string]string{"DATABASE_URL_SECRET_ARN": functionsLogin}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got := synthesise(t, wishes{context: tc.context}).variables(t, "MatchFunction")
			for name, want := range tc.want {
				if v, ok := got[name]; !ok || v != want {
					t.Errorf("%s: got %q, want %q", name, v, want)
				}
			}
		})
	}
}

// The settings of OCR reach the ingest function, and no other.
func TestIngestOCREngine(t *testing.T) {
	t.Parallel()
	const key = "arn:aws:secretsmanager:eu-central-1:000000000000:secret:google-AbCdEf"
	for name, tc := range map[string]struct {
		context                        map[string]any
		engine, key, secret, processor string
	}{
		"nothing":    {bare, "none", "", "", ""},
		"textract":   {rulesOnly, "textract", "", "", ""},
		"documentai": {everything, "documentai", "", key, "projects/books/locations/eu/processors/0123456789abcdef"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			tpl := synthesise(t, wishes{context: tc.context})
			got := tpl.variables(t, "IngestFunction")
			for variable, want := range map[string]string{"OCR": tc.engine, "DOCUMENTAI_KEY": tc.key,
				"DOCUMENTAI_KEY_SECRET_ARN": tc.secret, "DOCUMENTAI_PROCESSOR": tc.processor} {
				if got[variable] != want {
					t.Errorf("%s: got %q, want %q", variable, got[variable], want)
				}
			}
			for _, other := range []string{"MatchFunction", "InboxFunction", "SweepFunction", "MigrateFunction"} {
				for variable := range tpl.variables(t, other) {
					if variable == "OCR" || strings.HasPrefix(variable, "DOCUMENTAI") &&
						(other != "MigrateFunction" || variable != "DOCUMENTAI_KEY_SECRET_ARN") {
						t.Errorf("%s has %s", other, variable)
					}
				}
			}
		})
	}
}

// Functions may go through a pooler, migrations never do.
func TestMigrateSecret(t *testing.T) {
	t.Parallel()
	direct := ownModel["migrateSecretArn"]
	template := synthesise(t, wishes{context: ownModel})
	if got := template.variables(t, "MigrateFunction")["DATABASE_URL_SECRET_ARN"]; got != direct {
		t.Errorf("migrations: got %s, want %v", got, direct)
	}
	if got := template.variables(t, "MatchFunction")["DATABASE_URL_SECRET_ARN"]; !strings.Contains(got,
		"dev/database-url") {
		t.Errorf("the function: got %s", got)
	}
}

// Only the migrations are the owner of the tables; they make the user of all others.
func TestOwnerMigratesOnly(t *testing.T) {
	t.Parallel()
	tpl := synthesise(t, wishes{context: aurora})
	got := tpl.variables(t, "MigrateFunction")
	if got["DATABASE_URL_SECRET_ARN"] != "${DatabaseSecretAttachmentE5D1B020}" || got["APP_DATABASE_URL_SECRET_ARN"] != functionsLogin {
		t.Errorf("migrations: got %v", got)
	}
	tpl.check(t, at("Schema", functionsLogin, "Functions"))
	for _, function := range tpl.of("AWS::Lambda::Function") {
		if secret := tpl.variables(t, function)["DATABASE_URL_SECRET_ARN"]; secret != functionsLogin && function != "MigrateFunction" {
			t.Errorf("%s uses %q", function, secret)
		}
		tpl.check(t, at(function, "/var/task/database-ca.pem", "Environment", "Variables", "PGSSLROOTCERT"))
	}
}

// The migrations read every secret of every function, and run again when one has another ARN.
func TestMigrationChecksSecrets(t *testing.T) {
	t.Parallel()
	for name, context := range map[string]map[string]any{"nothing": bare, "everything": everything, "own model": ownModel, "aurora": aurora} {
		tpl := synthesise(t, wishes{context: context})
		var read []string
		for variable, arn := range tpl.variables(t, "MigrateFunction") {
			if strings.HasSuffix(variable, "_SECRET_ARN") {
				read = append(read, arn)
			}
		}
		properties, _ := json.Marshal(tpl.Resources["Schema"].Properties)
		for _, function := range tpl.of("AWS::Lambda::Function") {
			for variable, arn := range tpl.variables(t, function) {
				if !strings.HasSuffix(variable, "_SECRET_ARN") || arn == "" {
					continue
				}
				if !slices.Contains(read, arn) {
					t.Errorf("%s: %s of %s is not read: %s", name, variable, function, arn)
				}
				value := tpl.Resources[function].Properties["Environment"].(map[string]any)["Variables"].(map[string]any)[variable]
				if text, _ := json.Marshal(value); !strings.Contains(string(properties), string(text)) {
					t.Errorf("%s: the migrations don't run again with another %s: %s", name, variable, properties)
				}
			}
		}
	}
}

func TestSweepQueue(t *testing.T) {
	t.Parallel()
	got := synthesise(t, wishes{context: bare}).variables(t, "SweepFunction")
	if got["MATCH_QUEUE_URL"] != "${MatchQueue}" || got["QUEUE_URL"] != "" || got["RETRY_SCHEDULE"] != "5m,30m" {
		t.Errorf("got %v", got)
	}
}

// The variable names the file of certificates that lies beside each bootstrap.
func TestCAFileDeployed(t *testing.T) {
	t.Parallel()
	tpl := synthesise(t, wishes{context: ownModel})
	for _, function := range []string{"MatchFunction", "SweepFunction", "MigrateFunction"} {
		if got := tpl.at(t, function, "Environment", "Variables", "PGSSLROOTCERT"); got != "/var/task/database-ca.pem" {
			t.Errorf("%s: PGSSLROOTCERT is %v", function, got)
		}
	}
}

// The receiver of match offers is known to the function that stores them and to the
// sweep, which sends what is left, and to no other.
func TestOffersSetting(t *testing.T) {
	t.Parallel()
	testReceiver(t, "OFFERS_WEBHOOK", "OfferFunction", "https://offers.example.com/sets",
		"arn:aws:secretsmanager:eu-central-1:000000000000:secret:offers-AbCdEf")
}

func TestEventsSetting(t *testing.T) {
	t.Parallel()
	testReceiver(t, "EVENTS_WEBHOOK", "MatchFunction", "https://events.example.com/matches",
		"arn:aws:secretsmanager:eu-central-1:000000000000:secret:events-AbCdEf")
}

// testReceiver tests that a function and the sweep, and no other function, get the
// settings of a receiver.
func testReceiver(t *testing.T, variable, function, url, secret string) {
	t.Helper()
	for name, tc := range map[string]struct {
		context     map[string]any
		url, secret string
	}{
		"nothing":    {bare, "", ""},
		"a receiver": {everything, url, secret},
	} {
		tpl := synthesise(t, wishes{context: tc.context})
		for _, f := range tpl.of("AWS::Lambda::Function") {
			got := tpl.variables(t, f)
			_, has := got[variable+"_URL"]
			if want := f == function || f == "SweepFunction"; has != want {
				t.Errorf("%s: %s has the variable: %t, want %t", name, f, has, want)
			} else if want && (got[variable+"_URL"] != tc.url || got[variable+"_SECRET"] != "" ||
				got[variable+"_SECRET_SECRET_ARN"] != tc.secret) {
				t.Errorf("%s: %s gets %v", name, f, got)
			}
		}
	}
}

func TestScheduleVariables(t *testing.T) {
	t.Parallel()
	got := synthesise(t, wishes{context: bare}).variables(t, "ScheduleFunction")
	if len(got) != 5 || got["OFFER_QUEUE_URL"] != "${OfferQueue}" || got["STAGE"] != "dev" || got["OFFERS_CATCH_UP"] != "" {
		t.Errorf("got %v", got)
	}
}

// All functions except the migrations know the collector, if there is one, and carry its layer.
func TestTracingSetting(t *testing.T) {
	t.Parallel()
	const layer = "arn:aws:lambda:eu-central-1:901920570463:layer:aws-otel-collector-arm64-ver-0-117-0:1"
	for name, tc := range map[string]struct {
		context                         map[string]any
		endpoint, share, headers, layer string
	}{
		"nothing":  {bare, "", "", "", ""},
		"a layer":  {ownModel, "http://localhost:4318", "", "", layer},
		"a server": {everything, "https://otlp.example.com", "0.1", "arn:aws:secretsmanager:eu-central-1:000000000000:secret:otlp-AbCdEf", ""},
	} {
		tpl := synthesise(t, wishes{context: tc.context})
		for _, f := range tpl.of("AWS::Lambda::Function") {
			got := tpl.variables(t, f)
			if want := tc.layer; tpl.at(t, f, "Layers", 0) != want {
				t.Errorf("%s: %s has the layer %s", name, f, tpl.at(t, f, "Layers", 0))
			}
			if f != "MigrateFunction" && (got["OTEL_EXPORTER_OTLP_ENDPOINT"] != tc.endpoint || got["OTEL_TRACES_SAMPLER_ARG"] != tc.share ||
				got["OTEL_EXPORTER_OTLP_HEADERS_SECRET_ARN"] != tc.headers) {
				t.Errorf("%s: %s gets %v", name, f, got)
			}
			if _, has := got["OTEL_EXPORTER_OTLP_ENDPOINT"]; has != (tc.endpoint != "" && f != "MigrateFunction") {
				t.Errorf("%s: %s has the endpoint: %t", name, f, has)
			}
		}
	}
}

// A database with a secret that RDS manages has its address in variables.
func TestDatabaseHost(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		context map[string]any
		want    string
	}{"nothing": {bare, "||"}, "a host": {everything, "books.example.com|6432|books"}} {
		tpl := synthesise(t, wishes{context: tc.context})
		for _, f := range tpl.of("AWS::Lambda::Function") {
			got := tpl.variables(t, f)
			if text := got["PGHOST"] + "|" + got["PGPORT"] + "|" + got["PGDATABASE"]; text != tc.want {
				t.Errorf("%s: %s gets %s, want %s", name, f, text, tc.want)
			}
		}
	}
}
