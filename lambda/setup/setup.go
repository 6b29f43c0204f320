// Package setup builds a function from its environment. Every main except cmd/migrate calls
// Main, which reads the environment once into a Config, opens the adapters for it, and serves
// the function. Adapters used by several functions are opened here; functions that need files
// open those.
//
// All problems of the variables are reported together, before the function takes its first
// message; a problem found by an adapter, such as a webhook's invalid URL, is reported when it
// is opened. No error contains a value that may be a secret. The AWS SDK reads its variables
// itself; see aws.go.
package setup

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"strconv"
	"strings"
	"time"

	"matchbook/lambda/internal/lazy"
	"matchbook/lambda/job"
	"matchbook/lambda/job/breaker"
	"matchbook/lambda/job/sqsjob"
	"matchbook/lambda/llm"
	"matchbook/lambda/llm/openai"
	"matchbook/lambda/manifest"
	"matchbook/lambda/manifest/variable"
	"matchbook/lambda/postgres"
	"matchbook/lambda/setup/secret"
	"matchbook/lambda/telemetry"
	"matchbook/lambda/telemetry/emf"
	"matchbook/lambda/telemetry/trace"

	"github.com/aws/aws-sdk-go-v2/service/sqs"
)

// Env looks up a variable, like os.Getenv.
type Env func(name string) string

// Config is the configuration of a function or of the command. Use a Load function to make
// one.
type Config struct {
	DatabaseURL string
	// AppDatabaseURL has the user and the password of the programs; empty: their user isn't made.
	AppDatabaseURL string
	QueueURL       string            // to receive from; for a publisher, to publish to; for the sweep, the queue of manifest.First
	Queues         map[string]string // the queues to publish to, by function name
	Backoff        job.Backoff
	Model          *ModelConfig // nil: only rules
	Notify         NotifyConfig
	Blobs          string                          // of ingest: the URL of the blob store
	OCR            string                          // of ingest: an engine's name, or none
	OCRQuality     float64                         // of ingest: pages below it are repaired; 0: the default
	PDFTime        time.Duration                   // of ingest: limit of a PDF operation; 0: the default
	Lease          time.Duration                   // of a claim; must be extended by a heartbeat
	DocumentAI     struct{ Key, Processor string } // of ingest
	// CallsInFlight limits the concurrent model calls, if the function's row has a limit.
	CallsInFlight int
	TokenSecret   string         // of the pages of reviews: the key for their tokens
	Login         LoginConfig    // of the console
	Offers        ReceiverConfig // of offer and the sweep
	Events        ReceiverConfig // of match and the sweep
	CatchUp       time.Duration  // of schedule: dates due longer ago are skipped
	SweepRests    bool           // leave the database alone while nothing is open, so that it can pause
	SQS           *sqs.Client    // of the queues; nil opens one by the AWS variables
	Metrics       *emf.Set       // collects the counts; may be nil
	Trace         trace.Config

	secrets secret.Values
}

// ModelConfig configures the model for questions left open by the rules.
type ModelConfig struct {
	OpenAI    openai.Config
	RetryBase time.Duration // first wait within an attempt; 0 is 2 s
	Price     llm.Price     // zero if unknown
}

// LoadFunction reads the configuration of a function fed by a queue, including its secrets.
func LoadFunction(env Env, f manifest.Function) (Config, error) {
	return loadFunction(env, f, secretsManager())
}

func loadFunction(env Env, f manifest.Function, src secret.Source) (Config, error) {
	names := append([]string{variable.DatabaseURL}, manifest.ChannelSecrets()...)
	if f.AsksModel && env(variable.MatchMode) != "rules" {
		names = append(names, variable.OpenAIKey)
	}
	if f.Delivers.Secret != "" {
		names = append(names, f.Delivers.Secret)
	}
	c, env, errs := load(env, f, src, names...)
	c.QueueURL = required(env, variable.QueueURL, "the queue that feeds this function", &errs)
	if f.AsksModel && asksModel(env, &errs) {
		c.Model = loadModel(env, c.secrets, &errs)
	}
	c.Queues = map[string]string{}
	if to := (manifest.Function{Name: f.PublishesTo}); to.Name != "" {
		c.Queues[to.Name] = required(env, to.QueueEnv(), queueMeaning(to), &errs)
	}
	if to := (manifest.Function{Name: f.MayPublishTo}); to.Name != "" {
		c.Queues[to.Name] = env(to.QueueEnv())
	}
	if len(f.Files) > 0 {
		c.Blobs = required(env, variable.BlobURL, "the store of files, s3://bucket or file:///folder", &errs)
	}
	if f.Lease > 0 {
		c.Lease = lease(env, f, &errs)
	}
	if f.CallsInFlight > 0 {
		c.CallsInFlight = callsInFlight(env, f, &errs)
	}
	if f.ReadsPages {
		errs = append(errs, loadOCR(env, &c)...)
		c.PDFTime = duration(env, variable.PDFTime, "20s", &errs)
	}
	switch f.Delivers {
	case manifest.Sets:
		c.Offers = loadOffers(env, &errs)
	case manifest.Events:
		c.Events = loadEvents(env, &errs)
	}
	return c, report(errs)
}

// asksModel reads the mode, model by default.
func asksModel(env Env, errs *[]error) bool {
	mode := cmp.Or(env(variable.MatchMode), "model")
	if mode != "model" && mode != "rules" {
		*errs = append(*errs, fmt.Errorf("%s: expected rules or model", variable.MatchMode))
	}
	return mode == "model"
}

func secretsManager() secret.Source { return secret.Manager(ownConfig, time.Now) }

// LoadModel reads only the configuration of the model.
func LoadModel(env Env) (*ModelConfig, error) {
	env, secrets, errs := secretsManager().Resolve(env, variable.OpenAIKey)
	m := loadModel(env, secrets, &errs)
	return m, report(errs)
}

// loadModel reads the model's settings. A missing key must be an error, never a silent
// "rules".
func loadModel(env Env, known secret.Values, errs *[]error) *ModelConfig {
	m := &ModelConfig{OpenAI: openai.Config{
		APIKey: env(variable.OpenAIKey), Renew: known.Renewal(variable.OpenAIKey),
		BaseURL: env(variable.OpenAIBaseURL), AzureAPIVersion: env(variable.OpenAIAzureVersion),
		Model:          cmp.Or(env(variable.OpenAIModel), manifest.DefaultModel),
		EmbeddingModel: env(variable.OpenAIEmbeddingModel),
		NoTemperature:  env(variable.OpenAINoTemperature) != "",

		ReasoningEffort: effort(env, errs),
		ReasoningTokens: number(env, variable.OpenAIThoughts, errs),
		Dimensions:      number(env, variable.OpenAIDimensions, errs),
	}}
	if m.OpenAI.APIKey == "" && m.OpenAI.BaseURL == "" {
		*errs = append(*errs, fmt.Errorf("%s is not set: the key of the model for questions left open by the rules; "+
			"use %s=rules to run without a model", variable.OpenAIKey, variable.MatchMode))
	}
	m.RetryBase = duration(env, variable.LLMRetryBase, "2s", errs)
	m.OpenAI.Timeout = duration(env, variable.LLMTimeout, "60s", errs)
	m.Price = price(env, errs)
	return m
}

func effort(env Env, errs *[]error) string {
	word := env(variable.OpenAIEffort)
	if !effortForm().MatchString(word) {
		*errs = append(*errs, fmt.Errorf("%s: expected a word like low", variable.OpenAIEffort))
	}
	return word
}

var effortForm = lazy.Regexp(`^[a-z]{0,16}$`)

// number reads a variable with a whole number, 0 or more; nil if it isn't set.
func number(env Env, name string, errs *[]error) (value *int) {
	optional(env, name, "a whole number, 0 or more", errs, func(text string) bool {
		n, err := strconv.Atoi(text)
		value = &n
		return err == nil && n >= 0
	})
	return value
}

// duration reads a variable with a positive duration; 0 if it isn't set.
func duration(env Env, name, example string, errs *[]error) (d time.Duration) {
	optional(env, name, "a duration like "+example, errs, func(text string) bool {
		var err error
		d, err = time.ParseDuration(text)
		return err == nil && d > 0
	})
	return d
}

// optional checks a variable if it is set. parse must report whether the text is valid, and
// form completes "expected ..." in its error.
func optional(env Env, name, form string, errs *[]error, parse func(text string) bool) {
	if text := env(name); text != "" && !parse(text) {
		*errs = append(*errs, fmt.Errorf("%s: expected %s", name, form))
	}
}

// minLease gives a slow database time for a beat, a fifth of it.
const minLease = 30 * time.Second

// lease reads the time that a claim outlives its last heartbeat.
func lease(env Env, f manifest.Function, errs *[]error) time.Duration {
	d := cmp.Or(duration(env, variable.Lease, "5m", errs), f.Lease)
	if d < minLease || d > f.Timeout {
		*errs = append(*errs, fmt.Errorf("%s: must be between %s and the function's timeout, %s",
			variable.Lease, minLease, f.Timeout))
	}
	return d
}

// LoadPublisher reads the configuration of a program that publishes rows of this function,
// such as the command. QueueURL is the function's queue.
func LoadPublisher(env Env, f manifest.Function) (Config, error) {
	c, err := LoadSweep(env, []manifest.Function{f})
	c.QueueURL = c.Queues[f.Name]
	return c, err
}

// LoadSweep reads the configuration of a sweep over these functions. Queues has the queues of
// the functions with rows; QueueURL is the first function's. A function without its variable
// isn't swept, because a deployment may run a part of the workloads; it needs one of them.
func LoadSweep(env Env, functions []manifest.Function) (Config, error) {
	c, env, errs := load(env, manifest.Match, secretsManager(),
		append([]string{variable.DatabaseURL, variable.OffersWebhookSecret, variable.EventsWebhookSecret},
			manifest.ChannelSecrets()...)...)
	c.Offers, c.Events = loadOffers(env, &errs), loadEvents(env, &errs)
	c.SweepRests = env(variable.SweepRests) != ""
	c.Queues = map[string]string{}
	for _, f := range functions {
		if f.Rowless {
			continue
		}
		url := env(f.QueueEnv())
		if f.First {
			url = cmp.Or(url, env(variable.QueueURL))
			c.QueueURL = url
		}
		if url != "" {
			c.Queues[f.Name] = url
		}
	}
	if len(c.Queues) == 0 {
		required(env, functions[0].QueueEnv(), queueMeaning(functions[0]), &errs)
	}
	return c, report(errs)
}

func queueMeaning(f manifest.Function) string {
	return "the queue that feeds the " + f.Name + " function"
}

// LoadMigrate reads the database's address. It reads all functions' secrets too, although
// migrations don't use them, so that a wrong ARN fails the deployment instead of the functions.
func LoadMigrate(env Env) (Config, error) {
	src := secretsManager()
	c, own, errs := load(env, manifest.Match, src, variable.DatabaseURL, variable.AppDatabaseURL)
	c.AppDatabaseURL = own(variable.AppDatabaseURL)
	others := slices.DeleteFunc(append(slices.Clone(manifest.Secrets), variable.FunctionsDatabaseURL), func(name string) bool {
		return name == variable.DatabaseURL || name == variable.OTLPHeaders // read by load
	})
	_, _, unread := src.Resolve(env, others...)
	return c, report(append(errs, unread...))
}

// load reads the settings common to all functions, and the named secrets. Use the returned
// environment afterwards, because it has the secrets' values.
func load(env Env, f manifest.Function, src secret.Source, names ...string) (c Config, resolved Env, errs []error) {
	env, c.secrets, errs = src.Resolve(env, append(names, variable.OTLPHeaders)...)
	var err error
	if c.Trace, err = trace.Load(env); err != nil {
		errs = append(errs, err)
	}
	c.DatabaseURL = required(env, variable.DatabaseURL,
		"the PostgreSQL database, postgres://user:password@host:5432/database", &errs)
	c.Notify = loadNotify(env, &errs)
	c.Backoff = f.Retries
	if s := env(variable.RetrySchedule); s != "" {
		backoff, err := f.ParseBackoff(s)
		if err != nil {
			errs = append(errs, fmt.Errorf("%s: %w", variable.RetrySchedule, err))
		}
		c.Backoff = backoff
	}
	if stage := env(variable.Stage); stage != "" && !telemetry.IsStage(stage) {
		errs = append(errs, fmt.Errorf("%s: expected a name like prod: letters, digits and hyphens, at most 32",
			variable.Stage))
	}
	return c, env, errs
}

// keys describes the secrets for LoadKey.
var keys = map[string]string{
	variable.ReviewTokenSecret:   "the key that signs the tokens of reviews, 32 random bytes or more",
	variable.OIDCClientSecret:    "the secret of the console at its issuer",
	variable.OffersWebhookSecret: "the key that signs requests to the receiver of offers",
	variable.EventsWebhookSecret: "the key that signs requests to the receiver of events",
	variable.DocumentAIKey:       "the JSON of a service account's key",
	variable.OTLPHeaders:         "headers for the collector of traces, key=value",
}

// LoadKey reads a single secret: the key of reviews, of the console, of a receiver, of
// Document AI or of a collector.
func LoadKey(env Env, name string) (string, error) {
	secret, errs := key(env, name)
	return secret, report(errs)
}

func key(env Env, name string) (secret string, errs []error) {
	env, _, errs = secretsManager().Resolve(env, name)
	secret = required(env, name, keys[name], &errs)
	return secret, errs
}

func required(env Env, name, meaning string, errs *[]error) string {
	value := env(name)
	if value == "" {
		*errs = append(*errs, fmt.Errorf("%s is not set: %s", name, meaning))
	}
	return value
}

func report(errs []error) error {
	if len(errs) == 0 {
		return nil
	}
	return fmt.Errorf("configuration:\n%w", errors.Join(errs...))
}

// newAsker returns the model's asker and its embeddings; nil without a model.
func newAsker(c *ModelConfig, db *postgres.DB, set *emf.Set, log *slog.Logger) (*llm.Asker, *llm.Embeddings, error) {
	if c == nil {
		return nil, nil, nil
	}
	client, err := openai.New(c.OpenAI)
	if err != nil {
		return nil, nil, fmt.Errorf("configuration:\n%w", err)
	}
	var embeddings *llm.Embeddings
	if embedder := client.Embedder(); embedder != nil {
		embedder = breaker.Embedder(telemetry.CountEmbedder(embedder, set), newBreaker(embedder.Name(), db, log))
		embeddings = &llm.Embeddings{Embedder: embedder, Vault: db}
	}
	model := llm.Paced(breaker.Model(telemetry.CountModel(client.Model(), set), newBreaker(client.Model().Name(), db, log)))
	asker := &llm.Asker{Model: model, Vault: telemetry.CountVault(db, set),
		Retry: llm.Retry{Base: c.RetryBase, Repeats: telemetry.CountRepeats(set)}}
	return asker, embeddings, nil
}

// newBreaker returns the breaker of a service, shared with all processes by its name: a model's,
// without the parameters in it, or an OCR's.
func newBreaker(name string, db *postgres.DB, log *slog.Logger) *breaker.Breaker {
	service, _, _ := strings.Cut(name, " ")
	return &breaker.Breaker{Service: service, Store: db.Breakers(), Log: log}
}

// Publisher opens the database and the queue for publishing rows. You must call close.
func Publisher(ctx context.Context, c Config) (db *postgres.DB, queue job.Sender, close func(), err error) {
	store, sender, err := Open(ctx, c, manifest.Sweep.PoolSize)
	if err != nil {
		return nil, nil, nil, err
	}
	return store, sender, store.Close, nil
}

// Open opens the database and the function's queue. You must close the database.
func Open(ctx context.Context, c Config, conns int) (*postgres.DB, *sqsjob.Queue, error) {
	queue, err := c.OpenQueue(ctx, variable.QueueURL, c.QueueURL)
	if err != nil {
		return nil, nil, err
	}
	db, err := openDatabase(ctx, c, conns)
	return db, queue, err
}

// OpenQueue opens the queue with this URL. variable is the URL's variable, for errors.
func (c Config) OpenQueue(ctx context.Context, variable, url string) (*sqsjob.Queue, error) {
	client := c.SQS
	if client == nil {
		aws, err := LoadAWS(ctx)
		if err != nil {
			return nil, err
		}
		client = sqs.NewFromConfig(aws)
	}
	queue, err := sqsjob.NewQueue(client, url)
	if err != nil {
		return nil, fmt.Errorf("configuration:\n%s: %w", variable, err)
	}
	return queue, nil
}

func openDatabase(ctx context.Context, c Config, conns int) (*postgres.DB, error) {
	renewal := telemetry.CountRenewal(c.secrets.Renewal(variable.DatabaseURL), c.Metrics)
	db, err := postgres.OpenRenewing(ctx, c.DatabaseURL, conns, renewal)
	if err != nil {
		return nil, fmt.Errorf("configuration:\n%s: %w", variable.DatabaseURL, err)
	}
	return db, nil
}
