package main

import (
	"encoding/json"
	"encoding/pem"
	"fmt"
	"maps"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"testing"

	"matchbook/infra/settings"

	"github.com/aws/aws-cdk-go/awscdk/v2"
	"github.com/aws/jsii-runtime-go"
)

// The CDK is a Node program, one for all tests, which use it one at a time.
// Synthesised stacks are kept: each is made once.
var (
	scratch string // a folder for the stacks
	cdk     sync.Mutex
	writing sync.Mutex
	made    = map[string]*template{}
	stacks  int
)

func TestMain(m *testing.M) {
	dir, err := os.MkdirTemp("", "infra")
	if err != nil {
		panic(err)
	}
	scratch = dir
	ownModel["databaseCaFile"] = certificate(dir)
	lean()
	code := m.Run()
	jsii.Close() // of one that was never started, too
	_ = os.RemoveAll(dir)
	os.Exit(code)
}

// lean makes Node collect garbage and compile in its main thread: with threads beside
// it, the tests take a sixth more of the processors' time.
func lean() {
	const options = "NODE_OPTIONS"
	if err := os.Setenv(options, os.Getenv(options)+" --v8-pool-size=0 --max-semi-space-size=32"); err != nil {
		panic(err)
	}
}

// certificate writes the certificate of a server into a folder.
func certificate(dir string) (file string) {
	server := httptest.NewTLSServer(http.NotFoundHandler())
	defer server.Close()
	file = filepath.Join(dir, "ca.pem")
	block := &pem.Block{Type: "CERTIFICATE", Bytes: server.Certificate().Raw}
	if err := os.WriteFile(file, pem.EncodeToMemory(block), 0o600); err != nil {
		panic(err)
	}
	return file
}

// needsNode skips the test, with a reason, on a machine without the CDK.
func needsNode(t *testing.T) {
	t.Helper()
	if raceDetector {
		t.Skip("skipped with -race: the CDK's runtime races in its own Close")
	}
	if _, err := exec.LookPath("node"); err != nil {
		missing(t, "Node is not on the PATH: the CDK runs in it; install Node 20 or later")
	}
}

// missing skips a test that lacks a part of the machine. With CI in the environment
// it fails, as with lambda/internal/testenv, which is out of reach here.
func missing(t *testing.T, what string) {
	t.Helper()
	if os.Getenv("CI") != "" {
		t.Fatal("CI skips no test: " + what)
	}
	t.Skip("skipped: " + what)
}

// The stacks that most tests look at: with nothing set, with everything, and
// with a database of its own.
var (
	bare       map[string]any
	everything = map[string]any{
		"stage": "prod", "slack": "true", "emailFrom": "Matchbook <matchbook@mail.example.com>",
		"emailTo": "ops@example.com,books@example.com", "sesConfigurationSet": "tracked",
		"adminBaseUrl": "https://matchbook.example.com", "alarmEmail": "alarms@example.com",
		"databaseSecretArn": "arn:aws:secretsmanager:eu-central-1:000000000000:secret:books-AbCdEf",
		"databaseHost":      "books.example.com:6432/books",
		"secretsKeyArn":     "arn:aws:kms:eu-central-1:000000000000:key/00000000-0000-4000-8000-000000000000",
		"subnetIds":         "subnet-0123456789abcdef0,subnet-0123456789abcdef1",
		"securityGroupIds":  "sg-0123456789abcdef0",
		"openaiBaseUrl":     "https://models.example.com/v1", "model": "gpt-4.1", "promptPrice": "2",
		"completionPrice": "8", "embeddingModel": "text-embedding-3-small",
		"ocr": "documentai", "documentaiProcessor": "projects/books/locations/eu/processors/0123456789abcdef",
		"documentaiSecretArn": "arn:aws:secretsmanager:eu-central-1:000000000000:secret:google-AbCdEf",
		"reviewUrl":           "true", "reviewContracts": "true", "console": "oidc", "databaseConnections": "110",
		"consoleIssuer": "https://login.example.com/realm", "consoleClientId": "matchbook", "consoleGroupsClaim": "groups",
		"consoleClientSecretArn": "arn:aws:secretsmanager:eu-central-1:000000000000:secret:login-AbCdEf",
		"consoleScopes":          "email groups", "inboxDays": "30", "documentsDays": "3650",
		"offersWebhookUrl": "https://offers.example.com/sets",
		"offersSecretArn":  "arn:aws:secretsmanager:eu-central-1:000000000000:secret:offers-AbCdEf",
		"eventsWebhookUrl": "https://events.example.com/matches",
		"eventsSecretArn":  "arn:aws:secretsmanager:eu-central-1:000000000000:secret:events-AbCdEf",
		"otlpEndpoint":     "https://otlp.example.com", "otlpShare": "0.1",
		"otlpHeadersSecretArn": "arn:aws:secretsmanager:eu-central-1:000000000000:secret:otlp-AbCdEf",
	}
	rulesOnly = map[string]any{"mode": "rules", "ocr": "textract", "architecture": "x86_64", "rollout": "all-at-once"}
	// ownModel is a server without a key, migrations past a pooler, a certificate of the
	// database, and a queue, a bucket and a key that were there before.
	ownModel = map[string]any{"otlpEndpoint": "http://localhost:4318",
		"otlpLayerArn":    "arn:aws:lambda:eu-central-1:901920570463:layer:aws-otel-collector-arm64-ver-0-117-0:1",
		"openaiSecretArn": "none", "openaiBaseUrl": "http://ollama:11434/v1", "model": "qwen",
		"migrateSecretArn": "arn:aws:secretsmanager:eu-central-1:000000000000:secret:direct-AbCdEf",
		"matchQueueArn":    givenQueue, "matchDeadLetterQueueArn": givenQueue + "-dead", "bucketArn": "arn:aws:s3:::books-files", "kmsKeyArn": givenKey}
	aurora = map[string]any{"database": "aurora", "openaiBaseUrl": "https://models.example.com:8000/v1",
		"reviewUrl": "true", "reviewContracts": "true", "console": "cognito", "databaseConnections": "110",
		"otlpEndpoint": "http://collector.internal:4318"}
	// sealed is a network without a way out, a database that pauses, and all that security asks for.
	sealed = map[string]any{"database": "aurora", "natGateways": "0", "databaseReaders": "1", "databaseMinCapacity": "0",
		"databaseLogExports": "true", "kmsKeyArn": "create", "permissionsBoundaryArn": boundary, "reviewUrl": "true", "ocr": "textract",
		"openaiBaseUrl": "https://bedrock-runtime.eu-central-1.amazonaws.com/openai/v1", "model": "openai.gpt-oss-120b-1:0",
		"emailFrom": "matchbook@example.com", "emailTo": "ops@example.com"}
	// nagged are those that cdk-nag looks at, too.
	nagged = map[string]map[string]any{"existing database": everything, "aurora": aurora, "sealed": sealed}
)

const (
	givenQueue = "arn:aws:sqs:eu-central-1:000000000000:books"
	givenKey   = "arn:aws:kms:eu-central-1:000000000000:key/00000000-0000-4000-8000-000000000000"
	boundary   = "arn:aws:iam::000000000000:policy/team/boundary"
)

// functionsLogin is the secret of Aurora's user that can't change the schema.
const functionsLogin = "${FunctionsLoginAttachment049B4392}"

// wishes are the context of a stack, and the manifest where it is another one.
type wishes struct {
	context map[string]any
	facts   func(*settings.Facts)
}

// synthesise makes the stack as the CDK's command does. It is kept by its context
// and by the function that changes its facts, which is to capture nothing.
func synthesise(t *testing.T, w wishes) *template {
	t.Helper()
	needsNode(t)
	cdk.Lock()
	defer cdk.Unlock()
	key := fmt.Sprintf("%v %p", w.context, w.facts)
	if kept := made[key]; kept != nil {
		return kept
	}
	stacks++
	out := filepath.Join(scratch, fmt.Sprint("out", stacks)) // it outlives the test
	app := newApp(t, out, w.context)
	makeStack(t, app, w)
	for _, context := range nagged {
		if w.facts == nil && fmt.Sprint(context) == fmt.Sprint(w.context) {
			nag(app)
		}
	}
	app.Synth(nil)
	tpl := readTemplate(t, templateIn(t, out))
	made[key] = tpl
	return tpl
}

// templateIn finds the template of the only stack.
func templateIn(t *testing.T, out string) string {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(out, "matchbook-*.template.json"))
	if err != nil || len(files) != 1 {
		t.Fatalf("templates: %v, %v", files, err)
	}
	return files[0]
}

// newApp has the context of cdk.json and the additions of the CDK's command.
func newApp(t *testing.T, out string, own map[string]any) awscdk.App {
	t.Helper()
	var project struct{ Context map[string]any }
	decode(t, filepath.Join("..", "cdk.json"), &project)
	all := map[string]any{"aws:cdk:enable-asset-metadata": true, "aws:cdk:enable-path-metadata": true}
	maps.Copy(all, project.Context)
	maps.Copy(all, own)
	return awscdk.NewApp(&awscdk.AppProps{Outdir: jsii.String(out), Context: &all,
		AnalyticsReporting: jsii.Bool(false)})
}

func makeStack(t *testing.T, app awscdk.App, w wishes) {
	t.Helper()
	c, err := settings.Read(contextOf(app))
	if err != nil {
		t.Fatal(err)
	}
	f := settings.ManifestFacts()
	if w.facts != nil {
		w.facts(&f)
	}
	newStack(app, c, f, emptyFunctions(t, f))
}

// emptyFunctions stand in for the real ones, which take a while to build. Each is
// written once: the tests that run at the same time read it.
func emptyFunctions(t *testing.T, f settings.Facts) map[string]string {
	t.Helper()
	writing.Lock()
	defer writing.Unlock()
	folders := map[string]string{}
	for name := range f.Packages(settings.Config{ReviewURL: true, Console: settings.OIDC}) {
		folders[name] = filepath.Join(scratch, "code", name)
		if _, err := os.Stat(filepath.Join(folders[name], "bootstrap")); err == nil {
			continue
		}
		if err := os.MkdirAll(folders[name], 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(folders[name], "bootstrap"), []byte(name), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	return folders
}

func decode(t *testing.T, file string, into any) {
	t.Helper()
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(data, into); err != nil {
		t.Fatalf("%s: %v", file, err)
	}
}
