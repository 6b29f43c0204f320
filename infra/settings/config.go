// Package settings reads the input of the stack: the user's settings from the CDK context
// (config.go), and the functions from lambda/manifest (facts.go). Use Read first, then
// Facts.Validate for contradictions between the two.
package settings

import (
	"errors"
	"fmt"
	"maps"
	"net/mail"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"matchbook/lambda/manifest"
)

// Config has the user's settings, from the CDK context: cdk deploy -c key=value.
type Config struct {
	Stage string
	// Architecture is the functions' processor, in AWS's form.
	Architecture string // arm64 or x86_64
	Rollout      string // of new versions: Canary or AllAtOnce
	// The database, and how to reach an existing one.
	Database            string
	DeletionProtection  bool // of a new database
	DatabaseSecret      string
	MigrateSecret       string // for migrations, if different
	DatabaseConnections int
	DatabaseHost        string // host[:port]/database, for a secret without them
	DatabaseCA          string // PEM file with the certificates that sign the database's
	SubnetIDs           []string
	SecurityGroupIDs    []string
	// Only with a new database: the NAT gateways of its network, without which VPC endpoints lead to
	// AWS, and nothing further; the reader instances; the minimum of ACUs, 0 to pause; and whether
	// its log goes to CloudWatch Logs.
	NATGateways, Readers int
	MinCapacity          float64
	LogExports           bool
	// The model.
	Mode            string
	OpenAISecret    string
	BaseURL         string
	Model           string
	EmbeddingModel  string
	AzureVersion    string
	NoTemperature   string
	Effort          string // of reasoning
	Thoughts        string // room for reasoning, in tokens
	Dimensions      string // of embeddings
	LLMTimeout      string
	RetryBase       string
	PromptPrice     float64 // USD per million tokens; 0: unknown
	CompletionPrice float64
	// Days after which files expire; 0: never.
	InboxDays, DocumentsDays int
	// The engine of the ingest function for pages without text.
	OCR                 string // none, textract or documentai
	DocumentAISecret    string // the JSON of a service account's key
	DocumentAIProcessor string
	// ReviewURL adds the function behind the URL of reviews, ReviewContracts a review of each
	// ingested contract.
	ReviewURL, ReviewContracts bool
	// The console and its login.
	Console       string // none, cognito or oidc
	ConsoleIssuer string // only with oidc; the console is its client
	ConsoleClient string
	ConsoleSecret string
	ConsoleGroups string // the claim with the groups
	ConsoleScopes string
	// The receiver of match offers.
	OffersURL    string
	OffersSecret string
	// The receiver of events.
	EventsURL    string
	EventsSecret string
	// Tracing: the collector's endpoint, the secret with its headers, the share of recorded traces,
	// and a layer with a collector.
	OTLPEndpoint, OTLPHeadersSecret, OTLPShare, OTLPLayer string
	// The recipients of failures and alarms.
	Slack       bool
	SlackSecret string
	EmailFrom   string
	EmailTo     string
	// SESConfigurationSet is the default configuration set of the sender's identity, if any.
	SESConfigurationSet string
	AdminURL            string
	AlarmEmail          string
	// SecretsKey encrypts the secrets; "" for AWS's key.
	SecretsKey string
	// Key encrypts queues, files, logs and alarms: an ARN, NewKey, or "" for the services' own keys.
	Key string
	// PermissionsBoundary is the managed policy that limits every role; "" for none.
	PermissionsBoundary string
	// A queue and its dead-letter queue to use for match, and a bucket for the files, instead of new
	// ones.
	MatchQueue, MatchDeadLetterQueue, Bucket string
}

type setting struct {
	key      string
	fallback string
	set      func(string) error // called with the user's value, otherwise with the fallback
}

// settings lists all settings. Errors must not repeat values, since they may be secrets.
func settings(c *Config) []setting {
	return []setting{
		{"stage", "dev", pattern(&c.Stage, `[a-z][a-z0-9]{0,19}`,
			"1 to 20 lower-case letters and digits, such as dev")},
		{"database", "existing", oneOf(&c.Database, "existing", "aurora")},
		{"deletionProtection", "true", yesOrNo(&c.DeletionProtection)},
		{"databaseSecretArn", "", pattern(&c.DatabaseSecret, secretARN,
			"the ARN of a secret, with its six characters at the end")},
		{"migrateSecretArn", "", pattern(&c.MigrateSecret, secretARN,
			"the ARN of a secret, with its six characters at the end")},
		{"databaseHost", "", pattern(&c.DatabaseHost, `[A-Za-z0-9.-]+(:[0-9]{1,5})?/[A-Za-z0-9_-]+`,
			"an address such as cluster.example.com:5432/matchbook")},
		{"databaseConnections", "100", number(&c.DatabaseConnections)},
		{"databaseCaFile", "", certificates(&c.DatabaseCA)},
		{"subnetIds", "", list(&c.SubnetIDs, `subnet-[0-9a-f]{8}([0-9a-f]{9})?`,
			"a list such as subnet-0123456789abcdef0,subnet-0123456789abcdef1")},
		{"securityGroupIds", "", list(&c.SecurityGroupIDs, `sg-[0-9a-f]{8}([0-9a-f]{9})?`,
			"a list such as sg-0123456789abcdef0")},
		{"architecture", ARM64, oneOf(&c.Architecture, ARM64, X86)},
		{"rollout", Canary, oneOf(&c.Rollout, Canary, AllAtOnce)},
		{"mode", "model", oneOf(&c.Mode, "model", "rules")},
		{"openaiSecretArn", "", pattern(&c.OpenAISecret, secretARN+"|none",
			"the ARN of a secret, with its six characters at the end, or none")},
		{"openaiBaseUrl", "", address(&c.BaseURL)},
		{"model", manifest.DefaultModel, text(&c.Model)},
		{"embeddingModel", "", text(&c.EmbeddingModel)},
		{"openaiAzureApiVersion", "", pattern(&c.AzureVersion, `[0-9]{4}-[0-9]{2}-[0-9]{2}(-preview)?`,
			"a version such as 2024-10-21")},
		{"openaiNoTemperature", "", text(&c.NoTemperature)},
		{"openaiReasoningEffort", "", pattern(&c.Effort, `[a-z]{1,16}`, "a word such as low")},
		{"openaiReasoningTokens", "", pattern(&c.Thoughts, `[0-9]{1,6}`, "a whole number, 0 or more")},
		{"embeddingDimensions", "", pattern(&c.Dimensions, `[0-9]{1,5}`, "a whole number, 0 or more")},
		{"llmTimeout", "", duration(&c.LLMTimeout)},
		{"llmRetryBase", "", duration(&c.RetryBase)},
		{"inboxDays", "", days(&c.InboxDays)},
		{"documentsDays", "", days(&c.DocumentsDays)},
		{"ocr", "none", engine(&c.OCR)},
		{"documentaiSecretArn", "", pattern(&c.DocumentAISecret, secretARN,
			"the ARN of a secret, with its six characters at the end")},
		{"documentaiProcessor", "", pattern(&c.DocumentAIProcessor, processor,
			"a processor such as projects/mine/locations/eu/processors/0123456789abcdef")},
		{"promptPrice", "", price(&c.PromptPrice)},
		{"completionPrice", "", price(&c.CompletionPrice)},
		{"reviewUrl", "false", yesOrNo(&c.ReviewURL)},
		{"reviewContracts", "false", yesOrNo(&c.ReviewContracts)},
		{"console", "none", oneOf(&c.Console, "none", Cognito, OIDC)},
		{"consoleIssuer", "", pattern(&c.ConsoleIssuer, `https://[A-Za-z0-9.-]+(:[0-9]{1,5})?(/[^\s@?#]*)?`,
			"a URL such as https://login.example.com/realm")},
		{"consoleClientId", "", pattern(&c.ConsoleClient, `[!-~]{1,200}`, "the client id of the console at its issuer")},
		{"consoleClientSecretArn", "", pattern(&c.ConsoleSecret, secretARN,
			"the ARN of a secret, with its six characters at the end")},
		{"consoleGroupsClaim", "", pattern(&c.ConsoleGroups, `[!-~]{1,200}`, "the name of a claim, such as groups")},
		{"consoleScopes", "", pattern(&c.ConsoleScopes, `[A-Za-z0-9_.:/-]+( [A-Za-z0-9_.:/-]+)*`,
			"scopes with spaces between them, such as email groups")},
		{"offersWebhookUrl", "", pattern(&c.OffersURL, `https://[A-Za-z0-9.-]+(/[^\s@]*)?`,
			"a URL such as https://example.com/offers, at the usual port")},
		{"offersSecretArn", "", pattern(&c.OffersSecret, secretARN,
			"the ARN of a secret, with its six characters at the end")},
		{"eventsWebhookUrl", "", pattern(&c.EventsURL, `https://[A-Za-z0-9.-]+(/[^\s@]*)?`,
			"a URL such as https://example.com/events, at the usual port")},
		{"eventsSecretArn", "", pattern(&c.EventsSecret, secretARN,
			"the ARN of a secret, with its six characters at the end")},
		{"otlpEndpoint", "", address(&c.OTLPEndpoint)},
		{"otlpHeadersSecretArn", "", pattern(&c.OTLPHeadersSecret, secretARN,
			"the ARN of a secret, with its six characters at the end")},
		{"otlpShare", "", pattern(&c.OTLPShare, `0|1|0\.[0-9]{1,6}`, "a share such as 0.1")},
		{"otlpLayerArn", "", pattern(&c.OTLPLayer, `arn:aws[a-z-]*:lambda:[a-z0-9-]+:[0-9]{12}:layer:[A-Za-z0-9_-]+:[0-9]+`,
			"the ARN of a layer, with its version")},
		{"slack", "false", yesOrNo(&c.Slack)},
		{"slackSecretArn", "", pattern(&c.SlackSecret, secretARN,
			"the ARN of a secret, with its six characters at the end")},
		{"emailFrom", "", addresses(&c.EmailFrom)},
		{"emailTo", "", addresses(&c.EmailTo)},
		{"sesConfigurationSet", "", pattern(&c.SESConfigurationSet, `[A-Za-z0-9_-]{1,64}`,
			"the name of a configuration set")},
		{"adminBaseUrl", "", address(&c.AdminURL)},
		{"alarmEmail", "", addresses(&c.AlarmEmail)},
		{"secretsKeyArn", "", pattern(&c.SecretsKey, keyARN, "the ARN of a KMS key")},
		{"kmsKeyArn", "", pattern(&c.Key, keyARN+"|"+NewKey, "the ARN of a KMS key, or create")},
		{"permissionsBoundaryArn", "", pattern(&c.PermissionsBoundary,
			`arn:aws[a-z-]*:iam::([0-9]{12}|aws):policy/[!-~]{1,512}`, "the ARN of a managed policy")},
		{"matchQueueArn", "", pattern(&c.MatchQueue, queueARN, "the ARN of a standard queue")},
		{"matchDeadLetterQueueArn", "", pattern(&c.MatchDeadLetterQueue, queueARN, "the ARN of a standard queue")},
		{"bucketArn", "", pattern(&c.Bucket, `arn:aws[a-z-]*:s3:::[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]`, "the ARN of a bucket")},
		{"natGateways", "1", count(&c.NATGateways, 2)},
		{"databaseReaders", "0", count(&c.Readers, 1)},
		{"databaseMinCapacity", "0.5", capacity(&c.MinCapacity)},
		{"databaseLogExports", "false", yesOrNo(&c.LogExports)},
	}
}

const secretARN = `arn:aws[a-z-]*:secretsmanager:[a-z0-9-]+:[0-9]{12}:secret:[A-Za-z0-9/_+=.@!-]+-[A-Za-z0-9]{6}`

const keyARN = `arn:aws[a-z-]*:kms:[a-z0-9-]+:[0-9]{12}:key/(mrk-[0-9a-f]{32}|[0-9a-f-]{36})`

// queueARN matches no FIFO queue, because its name ends in .fifo.
const queueARN = `arn:aws[a-z-]*:sqs:[a-z0-9-]+:[0-9]{12}:[A-Za-z0-9_-]{1,80}`

// NewKey stands for a KMS key made by the stack.
const NewKey = "create"

// MaxCapacity of a new database, in ACUs of 2 GiB, allows far more connections than the functions
// open.
const MaxCapacity = 4

// processor matches the name of a Document AI processor or one of its versions.
const processor = `projects/[A-Za-z0-9_.:-]+/locations/[A-Za-z0-9_-]+/processors/[A-Za-z0-9_-]+` +
	`(/processorVersions/[A-Za-z0-9_.-]+)?`

// Read parses the context. The error lists every malformed, unknown or contradictory setting
// with the expected form.
func Read(given map[string]any) (c Config, err error) {
	var errs []error
	known := settings(&c)
	for _, s := range known {
		value := s.fallback
		if v, ok := given[s.key]; ok && v != nil {
			value = plainText(v)
		}
		if err := s.set(value); err != nil {
			errs = append(errs, fmt.Errorf("%s: %w", s.key, err))
		}
	}
	for _, key := range slices.Sorted(maps.Keys(given)) {
		if !slices.ContainsFunc(known, func(s setting) bool { return s.key == key }) {
			errs = append(errs, fmt.Errorf("%s: unknown setting; use one of %s", key, keys(known)))
		}
	}
	if errs = append(errs, c.check()...); len(errs) > 0 {
		return c, fmt.Errorf("settings (cdk.json, "+Stages+"/STAGE.json, or -c key=value):\n%w", errors.Join(errs...))
	}
	c.defaultPrices()
	return c, nil
}

// plainText returns a value as given by -c, since cdk.json may have numbers and lists.
func plainText(v any) string {
	if items, ok := v.([]any); ok {
		parts := make([]string, len(items))
		for i, item := range items {
			parts[i] = plainText(item)
		}
		return strings.Join(parts, ",")
	}
	return strings.TrimSpace(fmt.Sprint(v))
}

func keys(known []setting) string {
	names := make([]string, len(known))
	for i, s := range known {
		names[i] = s.key
	}
	return strings.Join(names, ", ")
}

func (c Config) check() (errs []error) {
	for _, rule := range []struct {
		broken bool
		what   string
	}{
		{c.Database == "aurora" && c.DatabaseSecret != "",
			"databaseSecretArn: database=aurora makes its own secret; use one of the two"},
		{c.Database == "aurora" && c.DatabaseHost != "", "databaseHost: database=aurora has its own address; use one of the two"},
		{c.Database == "aurora" && len(c.SubnetIDs)+len(c.SecurityGroupIDs) > 0,
			"subnetIds, securityGroupIds: database=aurora makes its own network; use one of the two"},
		{(len(c.SubnetIDs) == 0) != (len(c.SecurityGroupIDs) == 0),
			"subnetIds, securityGroupIds: must be set together"},
		{(c.EmailFrom == "") != (c.EmailTo == ""), "emailFrom, emailTo: must be set together"},
		{strings.Contains(c.EmailFrom, ","), "emailFrom: expected one address"},
		{strings.ContainsAny(c.AlarmEmail, ",<"), "alarmEmail: expected one address without a name"},
		{(c.PromptPrice == 0) != (c.CompletionPrice == 0),
			"promptPrice, completionPrice: must be set together"},
		{c.OpenAISecret == "none" && c.BaseURL == "",
			"openaiSecretArn: must not be none for OpenAI; set openaiBaseUrl to use a server without a key"},
		{c.OpenAISecret != "none" && c.Mode == "model" && strings.HasPrefix(c.BaseURL, "http:"),
			"openaiBaseUrl: must be https, because a key is sent to it; set openaiSecretArn=none to send none"},
		{c.Mode == "rules" && c.OpenAISecret != "",
			"openaiSecretArn: mode=rules asks no model; use one of the two"},
		{c.OCR == DocumentAI && c.DocumentAIProcessor == "",
			"documentaiProcessor: missing for ocr=documentai; create a processor of the type Document OCR and set its name"},
		{(c.OCR == "none" || c.OCR == Textract) && c.DocumentAISecret+c.DocumentAIProcessor != "",
			"documentaiSecretArn, documentaiProcessor: must not be set without ocr=documentai"},
		{c.Console == OIDC && (c.ConsoleIssuer == "" || c.ConsoleClient == ""),
			"consoleIssuer, consoleClientId: missing for console=oidc"},
		{(c.Console == "none" || c.Console == Cognito) &&
			c.ConsoleIssuer+c.ConsoleClient+c.ConsoleSecret+c.ConsoleGroups+c.ConsoleScopes != "",
			"consoleIssuer, consoleClientId, consoleClientSecretArn, consoleGroupsClaim, consoleScopes: must not be set " +
				"without console=oidc"},
		{c.HasConsole() && c.AdminURL != "" && !atRoot.MatchString(c.AdminURL),
			"adminBaseUrl: must be https without a path, because it is the address of the console"},
		{c.OffersURL == "" && c.OffersSecret != "",
			"offersSecretArn: missing offersWebhookUrl, the receiver of the signed requests"},
		{c.EventsURL == "" && c.EventsSecret != "",
			"eventsSecretArn: missing eventsWebhookUrl, the receiver of the signed requests"},
		{c.OTLPEndpoint == "" && c.OTLPHeadersSecret+c.OTLPShare+c.OTLPLayer != "",
			"otlpHeadersSecretArn, otlpShare, otlpLayerArn: missing otlpEndpoint, the collector"},
		{c.OTLPHeadersSecret != "" && strings.HasPrefix(c.OTLPEndpoint, "http://") && !isLocal(c.OTLPEndpoint),
			"otlpEndpoint: must be https, because a key may be sent to it"},
		{c.Mode == "model" && c.Model == "",
			"model: must not be empty; leave it out for " + manifest.DefaultModel + ", or set mode=rules to ask no model"},
		{c.Database == "existing" && (c.NATGateways != 1 || c.Readers != 0 || c.MinCapacity != 0.5 || c.LogExports),
			"natGateways, databaseReaders, databaseMinCapacity, databaseLogExports: must not be set without database=aurora"},
		{(c.MatchQueue == "") != (c.MatchDeadLetterQueue == ""), "matchQueueArn, matchDeadLetterQueueArn: must be set together"},
		{strings.HasPrefix(c.MatchQueue, "arn:") && c.MatchQueue == c.MatchDeadLetterQueue,
			"matchDeadLetterQueueArn: must be another queue than matchQueueArn"},
		{c.Bucket != "" && c.InboxDays+c.DocumentsDays > 0,
			"inboxDays, documentsDays: must not be set with bucketArn, because only the bucket's owner can set its lifecycle"},
	} {
		if rule.broken {
			errs = append(errs, errors.New(rule.what))
		}
	}
	return append(errs, c.unreachable()...)
}

// Pauses reports whether the database pauses while nobody is connected to it.
func (c Config) Pauses() bool { return c.Database == "aurora" && c.MinCapacity == 0 }

// ChecksDatabase reports whether the functions check the database's certificate, with DatabaseCA or,
// for the stack's own database, with the certificates of RDS.
func (c Config) ChecksDatabase() bool { return c.DatabaseCA != "" || c.Database == "aurora" }

// Rollouts of new versions: by CodeDeploy, first a tenth of the work, or at once.
const (
	Canary    = "canary"
	AllAtOnce = "all-at-once"
)

// Processors of the functions, as AWS names them.
const (
	ARM64 = "arm64"
	X86   = "x86_64"
)

// GoArch returns the functions' processor as Go names it.
func (c Config) GoArch() string {
	if c.Architecture == X86 {
		return "amd64"
	}
	return "arm64"
}

// Logins of the console: the stack's user pool, or another issuer.
const (
	Cognito = "cognito"
	OIDC    = "oidc"
)

// HasConsole reports whether the stack has a console.
func (c Config) HasConsole() bool { return c.Console == Cognito || c.Console == OIDC }

var atRoot = regexp.MustCompile(`^https://[^/?#]+/?$`)

// SendsFailures reports whether people are notified of each failure, by Slack or e-mail.
func (c Config) SendsFailures() bool { return c.Slack || c.SlackSecret != "" || c.EmailTo != "" }

// ReachesPeople reports whether failures, or at least alarms, reach a person.
func (c Config) ReachesPeople() bool { return c.SendsFailures() || c.AlarmEmail != "" }

// defaultPrices sets the prices of the default model, and must not guess the ones of others.
// They are list prices as others quoted them early in 2026.
func (c *Config) defaultPrices() {
	if c.Model == manifest.DefaultModel && c.PromptPrice == 0 {
		c.PromptPrice, c.CompletionPrice = 0.40, 1.60
	}
}

// Prices returns the model's prices in the functions' format; "" if unknown.
func (c Config) Prices() string {
	if c.PromptPrice == 0 {
		return ""
	}
	return fmt.Sprintf("%g,%g", c.PromptPrice, c.CompletionPrice)
}

func isLocal(address string) bool {
	u, err := url.Parse(address)
	return err == nil && (u.Hostname() == "localhost" || u.Hostname() == "127.0.0.1")
}

// Ports returns the ports other than 443 that functions connect to, for the firewall.
func (c Config) Ports() map[int]string {
	ports := map[int]string{portOf(c.BaseURL): "The model"}
	if c.OTLPEndpoint != "" && !isLocal(c.OTLPEndpoint) {
		ports[portOf(c.OTLPEndpoint)] = "The collector of traces"
	}
	delete(ports, 443)
	return ports
}

// portOf returns the port of an address; 443 without one.
func portOf(address string) int {
	u, err := url.Parse(address)
	if err != nil || u.Scheme != "http" && u.Port() == "" {
		return 443
	}
	if port, err := strconv.Atoi(u.Port()); err == nil {
		return port
	}
	return 80
}

// AddressesOf returns the addresses of a list without the names.
func AddressesOf(list string) (addresses []string) {
	parsed, err := mail.ParseAddressList(list)
	if err != nil {
		return nil
	}
	for _, p := range parsed {
		addresses = append(addresses, p.Address)
	}
	return addresses
}
