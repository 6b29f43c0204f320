package settings

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"matchbook/lambda/manifest"
)

func TestDefaults(t *testing.T) {
	t.Parallel()
	c, err := Read(nil)
	if err != nil {
		t.Fatal(err)
	}
	if c.Stage != "dev" || c.GoArch() != "arm64" || c.Database != "existing" || c.Mode != "model" || c.Model != manifest.DefaultModel ||
		c.DatabaseConnections != 100 || c.PromptPrice != 0.4 || c.CompletionPrice != 1.6 || c.Slack {
		t.Errorf("got %+v", c)
	}
}

func TestGoArch(t *testing.T) {
	t.Parallel()
	c, err := Read(map[string]any{"architecture": "x86_64"})
	if err != nil || c.GoArch() != "amd64" {
		t.Errorf("the functions are built for %s, %v", c.GoArch(), err)
	}
}

func TestReadReportsAllErrors(t *testing.T) {
	t.Parallel()
	wrong := map[string]any{}
	for _, s := range settings(&Config{}) {
		wrong[s.key] = "SECRET value @"
	}
	for _, free := range []string{"model", "embeddingModel", "openaiNoTemperature"} { // any text will do
		delete(wrong, free)
	}
	wrong["databse"] = "aurora"
	_, err := Read(wrong)
	if err == nil {
		t.Fatal("accepted")
	}
	for key := range wrong {
		if !strings.Contains(err.Error(), "\n"+key+": ") {
			t.Errorf("%s is not in\n%v", key, err)
		}
	}
	if strings.Contains(err.Error(), "SECRET") {
		t.Errorf("a value is in\n%v", err)
	}
	if got, want := strings.Count(err.Error(), "\n"), len(wrong); got != want {
		t.Errorf("%d lines, want %d:\n%v", got, want, err)
	}
}

// The table of settings has all of them.
func TestSettingsDocumented(t *testing.T) {
	t.Parallel()
	page, err := os.ReadFile("../README.md")
	if err != nil {
		t.Fatal(err)
	}
	_, table, _ := strings.Cut(string(page), "| setting |")
	table, _, _ = strings.Cut(table, "\n\n")
	for _, s := range settings(&Config{}) {
		if !strings.Contains(table, "`"+s.key+"`") && !strings.Contains(table, "`"+s.key+"=true`") {
			t.Errorf("%s is not in the table", s.key)
		}
	}
}

func TestRead(t *testing.T) {
	t.Parallel()
	const arn = "arn:aws:secretsmanager:eu-central-1:000000000000:secret:matchbook/dev/x-AbCdEf"
	for _, tc := range []struct {
		context map[string]any
		want    string // a part of the error; none: accepted
	}{
		{map[string]any{"stage": "prod2"}, ""},
		{map[string]any{"architecture": "x86_64"}, ""},
		{map[string]any{"architecture": "amd64"}, "architecture: expected arm64 or x86_64"},
		{map[string]any{"console": "cognito"}, ""},
		{map[string]any{"console": "oidc", "consoleIssuer": "https://login.example.com/realm", "consoleClientId": "c"}, ""},
		{map[string]any{"console": "oidc", "consoleIssuer": "https://login.example.com"}, "consoleIssuer, consoleClientId: missing for console=oidc"},
		{map[string]any{"console": "oidc", "consoleIssuer": "http://login.example.com", "consoleClientId": "c"}, "consoleIssuer: expected a URL such as"},
		{map[string]any{"console": "cognito", "consoleIssuer": "https://login.example.com"}, "must not be set without console=oidc"},
		{map[string]any{"consoleGroupsClaim": "groups"}, "must not be set without console=oidc"},
		{map[string]any{"console": "true"}, "console: expected none or cognito or oidc"},
		{map[string]any{"console": "cognito", "adminBaseUrl": "https://console.example.com/"}, ""},
		{map[string]any{"console": "cognito", "adminBaseUrl": "http://console.example.com"}, "because it is the address of the console"},
		{map[string]any{"console": "cognito", "adminBaseUrl": "https://example.com/console"}, "because it is the address of the console"},
		{map[string]any{"stage": "Prod"}, "stage: expected 1 to 20 lower-case letters"},
		{map[string]any{"secretsKeyArn": "arn:aws:kms:eu-central-1:000000000000:key/mrk-0123456789abcdef0123456789abcdef"}, ""}, // of several Regions
		{map[string]any{"secretsKeyArn": "arn:aws:kms:eu-central-1:000000000000:key/12345678-1234-1234-1234-123456789012"}, ""},
		{map[string]any{"secretsKeyArn": "arn:aws:kms:eu-central-1:000000000000:alias/mine"},
			"secretsKeyArn: expected the ARN of a KMS key"},
		{map[string]any{"databaseCaFile": "config.go"}, "databaseCaFile: expected a file of certificates"},
		{map[string]any{"stage": "a--b"}, "stage: expected 1 to 20"}, // RDS refuses it
		{map[string]any{"database": "mysql"}, "database: expected existing or aurora"},
		{map[string]any{"database": "aurora", "databaseSecretArn": arn}, "database=aurora makes its own secret"},
		{map[string]any{"database": "aurora", "subnetIds": "subnet-01234567", "securityGroupIds": "sg-01234567"},
			"database=aurora makes its own network"},
		{map[string]any{"databaseSecretArn": arn}, ""},
		{map[string]any{"databaseSecretArn": "arn:aws:secretsmanager:eu-central-1:123456789012:secret:rds!cluster-0a1b2c3d-0a1b-0a1b-0a1b-0a1b2c3d4e5f-AbCdEf",
			"databaseHost": "books.cluster-x.eu-central-1.rds.amazonaws.com/books"}, ""},
		{map[string]any{"databaseHost": "books.example.com"}, "databaseHost: expected an address"},
		{map[string]any{"database": "aurora", "databaseHost": "books.example.com/books"}, "database=aurora has its own address"},
		{map[string]any{"databaseSecretArn": strings.TrimSuffix(arn, "-AbCdEf")},
			"databaseSecretArn: expected the ARN of a secret"},
		{map[string]any{"databaseConnections": 200.0}, ""}, // a number in cdk.json
		{map[string]any{"databaseConnections": "0"}, "databaseConnections: expected a whole number above 0"},
		{map[string]any{"subnetIds": "subnet-01234567, subnet-0123456789abcdef0", "securityGroupIds": "sg-01234567"},
			""},
		{map[string]any{"subnetIds": []any{"subnet-01234567", "subnet-89abcdef"}, "securityGroupIds": []any{"sg-01234567"}}, ""}, // a list in cdk.json
		{map[string]any{"subnetIds": "subnet-01234567"}, "subnetIds, securityGroupIds: must be set together"},
		{map[string]any{"subnetIds": "vpc-1", "securityGroupIds": "sg-01234567"}, "subnetIds: expected a list"},
		{map[string]any{"mode": "rule"}, "mode: expected model or rules"},
		{map[string]any{"mode": "rules", "openaiSecretArn": arn}, "mode=rules asks no model"},
		{map[string]any{"openaiSecretArn": "none"}, "must not be none for OpenAI"},
		{map[string]any{"openaiSecretArn": "none", "openaiBaseUrl": "http://ollama:11434/v1"}, ""},
		{map[string]any{"openaiBaseUrl": "http://ollama:11434/v1"}, "openaiBaseUrl: must be https, because a key is sent to it"},
		{map[string]any{"openaiBaseUrl": "models.example.com"}, "openaiBaseUrl: expected a URL"},
		{map[string]any{"openaiBaseUrl": "https://user:password@models.example.com"}, "openaiBaseUrl: expected a URL"},
		{map[string]any{"llmTimeout": "60"}, "llmTimeout: expected a duration"},
		{map[string]any{"promptPrice": "1"}, "promptPrice, completionPrice: must be set together"},
		{map[string]any{"promptPrice": "NaN", "completionPrice": "1"}, "promptPrice: expected a price"},
		{map[string]any{"slack": true, "slackSecretArn": arn}, ""},
		{map[string]any{"offersWebhookUrl": "https://example.com/offers"}, ""}, // its secret by its name
		{map[string]any{"offersWebhookUrl": "https://example.com/offers", "offersSecretArn": arn}, ""},
		{map[string]any{"eventsWebhookUrl": "https://example.com/events", "eventsSecretArn": arn}, ""},
		{map[string]any{"eventsSecretArn": arn}, "eventsSecretArn: missing eventsWebhookUrl"},
		{map[string]any{"eventsWebhookUrl": "http://example.com/events"}, "eventsWebhookUrl: expected a URL"},
		{map[string]any{"offersSecretArn": arn}, "offersSecretArn: missing offersWebhookUrl"},
		{map[string]any{"offersWebhookUrl": "http://example.com/offers"}, "offersWebhookUrl: expected a URL"},
		{map[string]any{"offersWebhookUrl": "https://example.com:8443/"}, "offersWebhookUrl: expected a URL"},
		{map[string]any{"offersWebhookUrl": "https://user:password@example.com/"}, "offersWebhookUrl: expected a URL"},
		{map[string]any{"slack": "yes"}, "slack: expected true or false"},
		{map[string]any{"emailFrom": "a@example.com"}, "emailFrom, emailTo: must be set together"},
		{map[string]any{"emailFrom": "a@example.com,b@example.com", "emailTo": "c@example.com"},
			"emailFrom: expected one address"},
		{map[string]any{"alarmEmail": "ops"}, "alarmEmail: expected an address"},
		{map[string]any{"alarmEmail": "Ops <ops@example.com>"}, "alarmEmail: expected one address without a name"},
		{map[string]any{"otlpEndpoint": "http://localhost:4318", "otlpHeadersSecretArn": arn, "otlpShare": "0.05"}, ""},
		{map[string]any{"otlpEndpoint": "http://collector:4318", "otlpHeadersSecretArn": arn}, "otlpEndpoint: must be https"},
		{map[string]any{"otlpShare": "1.5"}, "otlpShare: expected a share such as 0.1"},
		{map[string]any{"otlpLayerArn": "aws-otel"}, "otlpLayerArn: expected the ARN of a layer"},
		{map[string]any{"otlpShare": "1"}, "missing otlpEndpoint"},
		{map[string]any{"inboxDays": 14, "documentsDays": "3650"}, ""},
		{map[string]any{"inboxDays": "13"}, "inboxDays: expected days, 14 or more"},
		{map[string]any{"documentsDays": "never"}, "documentsDays: expected days, 14 or more"},
		{map[string]any{"ocr": "textract"}, ""},
		{map[string]any{"ocr": "tesseract"}, "ocr: unsupported tesseract, since the function's zip lacks the program; use textract, documentai or none"},
		{map[string]any{"ocr": "abbyy"}, "ocr: expected none or textract or documentai"},
		{map[string]any{"ocr": "documentai", "documentaiProcessor": "projects/p/locations/eu/processors/1f"}, ""}, // its secret by its name
		{map[string]any{"ocr": "documentai", "documentaiProcessor": "projects/p/locations/eu/processors/1f", "documentaiSecretArn": arn}, ""},
		{map[string]any{"ocr": "documentai", "documentaiProcessor": "projects/p/locations/eu/processors/1f/processorVersions/pretrained-ocr-v2.0"}, ""},
		{map[string]any{"ocr": "documentai"}, "documentaiProcessor: missing for ocr=documentai; create a processor"},
		{map[string]any{"ocr": "documentai", "documentaiProcessor": "1f"}, "documentaiProcessor: expected a processor such as projects/mine/"},
		{map[string]any{"ocr": "textract", "documentaiSecretArn": arn}, "must not be set without ocr=documentai"},
		{map[string]any{"documentaiProcessor": "projects/p/locations/eu/processors/1f"}, "must not be set without ocr=documentai"},
		{map[string]any{"model": ""}, "model: must not be empty; leave it out for gpt-4.1-mini, or set mode=rules"},
		{map[string]any{"model": "", "mode": "rules"}, ""},
		{map[string]any{"kmsKeyArn": "create"}, ""},
		{map[string]any{"kmsKeyArn": "arn:aws:kms:eu-central-1:000000000000:key/12345678-1234-1234-1234-123456789012"}, ""},
		{map[string]any{"kmsKeyArn": "alias/mine"}, "kmsKeyArn: expected the ARN of a KMS key, or create"},
		{map[string]any{"permissionsBoundaryArn": "arn:aws:iam::000000000000:policy/team/boundary"}, ""},
		{map[string]any{"permissionsBoundaryArn": "boundary"}, "permissionsBoundaryArn: expected the ARN of a managed policy"},
		{map[string]any{"matchQueueArn": "arn:aws:sqs:eu-central-1:000000000000:documents",
			"matchDeadLetterQueueArn": "arn:aws:sqs:eu-central-1:000000000000:documents-dead"}, ""},
		{map[string]any{"matchQueueArn": "arn:aws:sqs:eu-central-1:000000000000:documents"}, "must be set together"},
		{map[string]any{"matchQueueArn": "arn:aws:sqs:eu-central-1:000000000000:documents.fifo"}, "matchQueueArn: expected the ARN of a standard queue"},
		{map[string]any{"matchQueueArn": "arn:aws:sqs:eu-central-1:000000000000:documents",
			"matchDeadLetterQueueArn": "arn:aws:sqs:eu-central-1:000000000000:documents"}, "must be another queue than matchQueueArn"},
		{map[string]any{"bucketArn": "arn:aws:s3:::documents.example.com"}, ""},
		{map[string]any{"bucketArn": "documents"}, "bucketArn: expected the ARN of a bucket"},
		{map[string]any{"bucketArn": "arn:aws:s3:::documents", "inboxDays": "30"}, "only the bucket's owner can set its lifecycle"},
		{map[string]any{"natGateways": "1"}, ""},
		{map[string]any{"natGateways": "3"}, "natGateways: expected a whole number from 0 to 2"},
		{map[string]any{"databaseReaders": "1"}, "must not be set without database=aurora"},
		{map[string]any{"databaseLogExports": true}, "must not be set without database=aurora"},
		{map[string]any{"database": "aurora", "databaseReaders": 1.0, "databaseMinCapacity": "0", "natGateways": 2.0, "databaseLogExports": true}, ""},
		{map[string]any{"database": "aurora", "databaseMinCapacity": "0.3"}, "databaseMinCapacity: expected ACUs from 0 to 4, in steps of 0.5"},
		{map[string]any{"database": "aurora", "databaseMinCapacity": "4.5"}, "databaseMinCapacity: expected ACUs from 0 to 4, in steps of 0.5"},
		{map[string]any{"Stage": "dev"}, "Stage: unknown setting; use one of stage, database"},
	} {
		_, err := Read(tc.context)
		if (err == nil) != (tc.want == "") || err != nil && !strings.Contains(err.Error(), tc.want) {
			t.Errorf("%v: got %v, want %q", tc.context, err, tc.want)
		}
	}
}

func TestPorts(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		c    Config
		want string
	}{
		{Config{}, "map[]"}, {Config{BaseURL: "https://models.example.com/v1"}, "map[]"},
		{Config{BaseURL: "http://models.example.com/v1"}, "map[80:The model]"},
		{Config{BaseURL: "http://10.0.0.1:8000/v1", OTLPEndpoint: "http://localhost:4318"}, "map[8000:The model]"},
		{Config{BaseURL: "https://m.example.com:8443", OTLPEndpoint: "http://collector:4318"},
			"map[4318:The collector of traces 8443:The model]"},
	} {
		if got := fmt.Sprint(tc.c.Ports()); got != tc.want {
			t.Errorf("%+v: got %s, want %s", tc.c, got, tc.want)
		}
	}
}

func TestAddressesOf(t *testing.T) {
	t.Parallel()
	for list, want := range map[string][]string{"": nil, "a@example.com": {"a@example.com"},
		"Matchbook <a@mail.example.com>, b@example.com": {"a@mail.example.com", "b@example.com"}} {
		if got := AddressesOf(list); !slices.Equal(got, want) {
			t.Errorf("%q: got %v, want %v", list, got, want)
		}
	}
}

func TestReachesPeople(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		context map[string]any
		want    bool
	}{
		"nothing set":   {nil, false},
		"a link only":   {map[string]any{"adminBaseUrl": "https://matchbook.example.com"}, false},
		"Slack":         {map[string]any{"slack": "true"}, true},
		"mail":          {map[string]any{"emailFrom": "a@example.com", "emailTo": "b@example.com"}, true},
		"alarm address": {map[string]any{"alarmEmail": "alarms@example.com"}, true},
	} {
		c, err := Read(tc.context)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if got := c.ReachesPeople(); got != tc.want {
			t.Errorf("%s: got %t", name, got)
		}
	}
}
