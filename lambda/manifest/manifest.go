// Package manifest holds the facts that the infrastructure and the runtime
// must agree on: names, timeouts, batch sizes, the retry schedule and the
// names of the environment variables. A new function is one new row here.
package manifest

import (
	"fmt"
	"strings"
	"time"
)

// Function is what is known of a function that a queue feeds.
type Function struct {
	Name           string
	Package        string          // its main package
	Timeout        time.Duration   // of one invocation
	MemoryMB       int             // of one instance; its share of a processor grows with it
	BatchSize      int             // messages in one invocation, all worked on at once
	MaxConcurrency int             // of the event source mapping
	PoolSize       int             // database connections of one instance
	Retries        []time.Duration // visibility after the first, second ... transient failure
}

// Match is the function that matches documents.
var Match = Function{
	Name:           "match",
	Package:        "matchbook/lambda/cmd/match",
	Timeout:        3 * time.Minute,
	MemoryMB:       512,
	BatchSize:      10,
	MaxConcurrency: 8,
	PoolSize:       5,
	Retries:        []time.Duration{5 * time.Minute, 30 * time.Minute},
}

// Task is what is known of a function that no queue feeds.
type Task struct {
	Name     string
	Package  string        // its main package
	Timeout  time.Duration // of one invocation
	MemoryMB int           // of one instance
	PoolSize int           // database connections
}

// Sweep is the function that repairs what crashed or got lost.
var Sweep = Task{Name: "sweep", Package: "matchbook/lambda/cmd/sweep", Timeout: 50 * time.Second, MemoryMB: 256, PoolSize: 2}

// Migrate is the function that brings the schema up to date while a new
// version is deployed, before it takes traffic.
var Migrate = Task{Name: "migrate", Package: "matchbook/lambda/cmd/migrate", Timeout: 10 * time.Minute, MemoryMB: 256, PoolSize: 2}

// MaxReceiveCount is how often SQS delivers a message before it goes to the
// dead-letter queue: once, and once per retry.
func (f Function) MaxReceiveCount() int { return len(f.Retries) + 1 }

// Visibility is the queue's visibility timeout, six times the function's, as
// AWS recommends. What a dead function held comes back after it.
func (f Function) Visibility() time.Duration { return 6 * f.Timeout }

const (
	// SweepEvery is how often the sweep runs.
	SweepEvery = time.Minute
	// LeaseMargin is how much longer than its invocation a claim is
	// exclusive, for the clock of the machine and the last write.
	LeaseMargin = time.Minute
	// SettleReserve is kept free at the end of an invocation for settling.
	SettleReserve = 15 * time.Second
	// RespondReserve is what is left of it when settling has to end, for the
	// calls to the queue and the response.
	RespondReserve = 6 * time.Second
	// MaxVisibility is SQS's limit from the receive of a message.
	MaxVisibility = 12 * time.Hour
	// MaxTimeout is Lambda's limit for an invocation.
	MaxTimeout = 15 * time.Minute
	// QueueRetention is how long a queue keeps a message that is not done, from
	// when it was sent.
	QueueRetention = 4 * 24 * time.Hour
	// DeadLetterRetention is how long the dead-letter queue does. It counts from
	// when the message was first sent, too, so it must be the longer one.
	DeadLetterRetention = 14 * 24 * time.Hour
	// PublishedAt is the message attribute that carries the publish stamp.
	PublishedAt = "published-at"
)

// DefaultModel is asked where OPENAI_MODEL names none.
const DefaultModel = "gpt-4.1-mini"

// SecretSuffix makes of a variable's name that of the ARN of a secret which
// holds its value, in Secrets Manager.
const SecretSuffix = "_SECRET_ARN"

// Secrets are the variables that may be given as the ARN of a secret.
var Secrets = []string{EnvDatabaseURL, EnvOpenAIKey, EnvSlackWebhookURL}

// Names of the environment variables.
const (
	EnvStage         = "STAGE" // the name of the deployment, in metrics and logs
	EnvDatabaseURL   = "DATABASE_URL"
	EnvQueueURL      = "QUEUE_URL"
	EnvMatchQueueURL = "MATCH_QUEUE_URL"
	EnvMatchMode     = "MATCH_MODE"
	EnvRetrySchedule = "RETRY_SCHEDULE"
	// The model, any that speaks the OpenAI API.
	EnvOpenAIKey            = "OPENAI_API_KEY"
	EnvOpenAIBaseURL        = "OPENAI_BASE_URL"
	EnvOpenAIModel          = "OPENAI_MODEL"
	EnvOpenAIEmbeddingModel = "OPENAI_EMBEDDING_MODEL"
	EnvOpenAIAzureVersion   = "OPENAI_AZURE_API_VERSION"
	EnvOpenAINoTemperature  = "OPENAI_NO_TEMPERATURE"
	EnvLLMRetryBase         = "LLM_RETRY_BASE"
	EnvLLMTimeout           = "LLM_TIMEOUT"
	// Who is told of failures; a channel is on when it is configured.
	EnvSlackWebhookURL = "SLACK_WEBHOOK_URL"
	EnvEmailFrom       = "EMAIL_FROM"
	EnvEmailTo         = "EMAIL_TO"
	EnvAdminBaseURL    = "ADMIN_BASE_URL"
	// EnvTestDatabaseURL names a server for tests, never a production one.
	EnvTestDatabaseURL = "MATCHBOOK_TEST_DATABASE_URL"
	// EnvPostgres forces which server runs and tests on a developer's machine
	// use: url, system or npm.
	EnvPostgres = "MATCHBOOK_POSTGRES"
)

// RetrySchedule is the retries as ParseSchedule reads them.
func (f Function) RetrySchedule() string {
	parts := make([]string, len(f.Retries))
	for i, r := range f.Retries {
		parts[i] = r.String()
		for _, zero := range []string{"m0s", "h0m"} { // 5m0s, 1h0m0s
			if strings.HasSuffix(parts[i], zero) {
				parts[i] = parts[i][:len(parts[i])-2]
			}
		}
	}
	return strings.Join(parts, ",")
}

// ParseSchedule reads a retry schedule such as "5m,30m". It must have
// exactly MaxReceiveCount - 1 entries, because SQS moves the message away at
// the receive after that, whatever we wish.
func (f Function) ParseSchedule(s string) ([]time.Duration, error) {
	parts := strings.Split(s, ",")
	if want := f.MaxReceiveCount() - 1; len(parts) != want {
		return nil, fmt.Errorf("%d entries, want %d (maxReceiveCount %d - 1)", len(parts), want, f.MaxReceiveCount())
	}
	schedule := make([]time.Duration, len(parts))
	for i, part := range parts {
		d, err := time.ParseDuration(strings.TrimSpace(part))
		switch {
		case err != nil:
			return nil, fmt.Errorf("entry %d is no duration such as 5m", i+1)
		case d < 0 || d > MaxVisibility:
			return nil, fmt.Errorf("entry %d is not between 0 and %s, the limit of SQS", i+1, MaxVisibility)
		}
		schedule[i] = d
	}
	return schedule, nil
}
