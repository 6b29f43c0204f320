package archtest

import (
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// A package is named by its folder below lambda/, or below the root. In the
// tables x/... is x and all below it, and ... is every package. What test
// files import is their own business.
var tree = tables{
	// A package imports only from layers below its own line, never a sibling
	// on the same one.
	layers: [][]string{
		{"cmd/...", "cli/clitest", "lambda", "acceptance", "acceptance/example", "internal/archtest", "local/internal/testfunction"},
		{"console", "cli"},
		{"cli/doctor", "local/drill", "cli/cost", "local/ingestrun", "eval/matcheval", "local/reviewrun", "eval/revieweval", "local/offerrun"},
		{"llm/openai/recording", "job/republish"},
		{"local/matchrun"},
		{"local/database", "local/matchrun/model", "local/reviewrun/mind", "cli/importer", "cli/explain"},
		{"setup", "local", "postgres/checkup", "postgres/postgrestest", "setup/secret/secrettest", "job/jobtest"},
		{"postgres/schema", "postgres/report", "telemetry", "local/sqs", "local/lambdahost", "local/eventsource",
			"local/pgserver", "local/simclock",
			"local/scripted", "local/webhook", "local/internal/gatetest"},
		{"postgres", "setup/secret", "llm/openai", "notify/slack", "notify/email", "job/sqsjob", "ingest/inbox",
			"ingest/documentai", "ingest/textract", "review/web", "notify/webhook",
			"console/login/oidc"},
		{"match", "job/sweep", "ingest", "cli/errtext", "review", "review/reviewtest", "offer", "eval/train", "match/warning"},
		{"match/rules", "review/whole", "match/threeway"},
		{"match/score", "ingest/bymodel", "ingest/gate", "review/analyst", "review/report"},
		{"review/category", "review/playbook", "ingest/ingestion"},
		{"review/record"},
		{"offer/ranking"},
		{"console/login", "notify/outbox", "job", "llm", "telemetry/emf", "notify", "notify/notifytest", "failure/failuretest", "eval", "ingest/tesseract", "offer/roster"},
		{"ingest/ocr"},
		{"internal/webguard", "document/corpus", "blob", "blob/blobtest", "ingest/filetype", "ingest/pdf", "ingest/scan",
			"ingest/byrules", "internal/browser"},
		{"document/einvoice", "document/csvfile", "document/format", "ingest/extraction", "ingest/printed", "review/chunk", "review/quote"},
		{"document", "document/company", "document/reference", "failure", "manifest", "migrations", "cli/term", "console/httpapi", "infra", "infra/settings", "infra/watch",
			"infra/bootstrap",
			"local/clock",
			"local/scripted/fault", "local/sqs/fault", "internal/executable", "internal/pagetest", "internal/testenv",
			"ingest/transcript", "llm/schema", "offer/day"},
	},
	exceptions: []exception{
		{"infra", "manifest", "the facts that it shares with the runtime; it knows nothing else of ours"},
		{"infra", "infra/settings", "the input of the stack, apart from its resources"},
		{"infra", "infra/watch", "metrics, graphs and alarms, whatever is watched"},
		{"infra", "infra/bootstrap", "the programs that it deploys"},
		{"infra/watch", "manifest", "the names of metrics"},
		{"infra/settings", "manifest", "the functions that the stack has"},
		{"notify/notifytest", "notify", "it makes messages for the tests of channels"},
	},
	// The reasons are those of the README. Modules that only tests use are
	// not listed.
	modules: []module{
		{"github.com/aws/aws-lambda-go", "the Lambda runtime, what it tells of an invocation, and the shapes of events",
			[]string{"setup", "cmd/migrate", "cmd/web", "local/matchrun", "telemetry", "job/sqsjob", "console/httpapi", "local",
				"local/internal/testfunction"}},
		{"github.com/aws/aws-sdk-go-v2", "configuration, pointers and errors of the SDK",
			[]string{"setup", "blob", "setup/secret", "job/sqsjob", "local/...", "cli/doctor"}},
		{"github.com/aws/aws-sdk-go-v2/config", "the SDK's own variables are honoured", []string{"setup", "cli/doctor"}},
		{"github.com/aws/aws-sdk-go-v2/credentials", "the local queue wants none, the SDK does", []string{"local/sqs"}},
		{"github.com/aws/aws-sdk-go-v2/service/sqs", "visibility changes, publishing",
			[]string{"setup", "job/sqsjob", "local/...", "cli/doctor", "cli/clitest"}},
		{"github.com/aws/aws-sdk-go-v2/service/s3", "files in a bucket", []string{"blob"}},
		{"github.com/aws/aws-sdk-go-v2/service/secretsmanager",
			"secrets by their ARN, read again when they are refused", []string{"setup/secret"}},
		{"github.com/aws/aws-sdk-go-v2/service/sesv2", "mail", []string{"setup", "notify/email"}},
		{"github.com/aws/aws-sdk-go-v2/service/textract", "the text of scanned pages", []string{"cmd/ingest", "ingest/textract"}},
		{"github.com/aws/aws-sdk-go-v2/service/cloudformation", "the resources of a deployed stack",
			[]string{"cli/doctor"}},
		{"github.com/aws/aws-sdk-go-v2/service/lambda", "functions and event source mappings as they are deployed",
			[]string{"cli/doctor"}},
		{"github.com/aws/smithy-go", "codes, status and headers of what AWS refuses",
			[]string{"blob", "setup/secret", "notify/email", "cli/doctor", "ingest/textract"}},
		{"github.com/jackc/pgx/v5", "PostgreSQL: the store, and the servers and clocks that tests and trial runs bring along",
			[]string{"postgres", "postgres/schema", "postgres/checkup", "postgres/report", "acceptance/example",
				"postgres/postgrestest", "local/pgserver", "local/simclock", "local/drill"}},
		{"github.com/vgarvardt/pgx-google-uuid/v5", "ids as the 16 bytes that they are; pgx alone makes texts of them",
			[]string{"postgres"}},
		{"github.com/pressly/goose/v3", "migrations that several machines may run at once",
			[]string{"postgres/schema"}},
		{"github.com/google/uuid", "ids from text and from content", []string{"..."}},
		{"github.com/shopspring/decimal", "money and quantities without rounding", []string{"document"}},
		{"github.com/sashabaranov/go-openai", "any model behind the OpenAI API", []string{"llm/openai"}},
		{"github.com/aws/aws-cdk-go/awscdk/v2", "the CDK: what is deployed, as code",
			[]string{"infra", "infra/watch"}},
		{"github.com/aws/constructs-go/constructs/v10", "what the CDK's resources are made of",
			[]string{"infra", "infra/watch"}},
		{"github.com/aws/jsii-runtime-go", "calls the CDK, which is a Node program",
			[]string{"infra", "infra/watch"}},
		{"github.com/klippa-app/go-pdfium", "PDFs, read by PDFium in WebAssembly: no C is linked", []string{"ingest/pdf"}},
		{"github.com/tetratelabs/wazero", "limits of memory and time for PDFium", []string{"ingest/pdf"}},
		{"golang.org/x/image", "TIFF files, and turning and scaling scanned pages", []string{"ingest/scan"}},
		{"github.com/santhosh-tekuri/jsonschema/v6", "the form of documents, and every departure from it", []string{"document/format"}},
		{"github.com/coreos/go-oidc/v3", "discovery, keys and id tokens of an issuer", []string{"console/login/oidc"}},
		{"golang.org/x/oauth2", "the authorization code flow with PKCE, and tokens for a service account",
			[]string{"console/login/oidc", "ingest/documentai"}},
		{"github.com/chromedp/chromedp", "pages in a browser, for tests", []string{"internal/browser"}},
		{"github.com/chromedp/cdproto", "the browser's own words, for tests", []string{"internal/browser"}},
		{"github.com/spf13/cobra", "flags, help and examples of the commands", []string{"cli", "cmd/matchbook", "cmd/mbdev"}},
		{"golang.org/x/text", "accents and character forms of names, encodings of e-invoices and contracts",
			[]string{"match/score", "document/company", "document/reference", "document/einvoice", "document/csvfile", "review/chunk", "review/quote"}},
	},
	environment: []reader{
		{"infra/bootstrap", "go build needs the developer's"},
		{"cli", "Main hands it to setup, which says what each variable means"},
		{"cmd/migrate", "each invocation reads it, because CloudFormation has to learn of its errors"},
		{"setup", "Main hands it to the functions, and AWS's SDK has variables of Lambda's"},
		{"postgres/postgrestest", "where the tests' server is"},
		{"local/lambdahost", "go build needs the developer's, a bootstrap PATH, HOME and TMPDIR"},
		{"local/pgserver", "PATH, to find and to start the server"},
		{"internal/testenv", "CI, where no test is skipped for a missing program"},
		{"local/internal/testfunction", "a bootstrap is configured by nothing else"},
	},
}

func TestTreeKeepsTheRules(t *testing.T) {
	t.Parallel()
	for _, problem := range check(tree, read(t, filepath.Join("..", "..", ".."))) {
		t.Error(problem)
	}
}

// read parses the module's Go files, without those of modules below it.
func read(t *testing.T, root string) (sources []source) {
	t.Helper()
	err := filepath.WalkDir(root, func(file string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		name := entry.Name()
		if entry.IsDir() {
			hidden := strings.HasPrefix(name, ".") && file != root || strings.HasPrefix(name, "_")
			if hidden || name == "testdata" || name == "node_modules" || name == "cdk.out" {
				return fs.SkipDir
			}
			if _, err := os.Stat(filepath.Join(file, "go.mod")); err == nil && file != root {
				return fs.SkipDir
			}
			return nil
		}
		if !strings.HasSuffix(name, ".go") {
			return nil
		}
		text, err := os.ReadFile(file)
		if err != nil {
			return err
		}
		relative, err := filepath.Rel(root, file)
		if err != nil {
			return err
		}
		s, err := parse(filepath.ToSlash(relative), string(text))
		sources = append(sources, s)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return sources
}
