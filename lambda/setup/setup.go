// Package setup turns the environment into a configuration and the
// configuration into opened adapters. It is the only place that reads the
// environment; every problem in it is reported at once, before the first
// message is taken. No error of it holds a value that may be a secret.
package setup

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"time"

	"matchbook/lambda/failure"
	"matchbook/lambda/job"
	"matchbook/lambda/job/sqsjob"
	"matchbook/lambda/llm"
	"matchbook/lambda/llm/openai"
	"matchbook/lambda/manifest"
	"matchbook/lambda/match"
	"matchbook/lambda/metric"
	"matchbook/lambda/postgres"
	"matchbook/lambda/secret"
	"matchbook/lambda/sweep"
	"matchbook/lambda/telemetry"

	"github.com/aws/aws-sdk-go-v2/service/sqs"
)

// Env looks a variable up; os.Getenv is one.
type Env func(name string) string

// Config is what the functions read from the environment.
type Config struct {
	DatabaseURL string
	QueueURL    string            // the queue that feeds the function; of a publisher and the sweep, that of match
	Queues      map[string]string // of the sweep: the functions' queues, by the function's name
	Schedule    job.Schedule
	Model       *ModelConfig // nil: rules only
	Notify      NotifyConfig
	Metrics     *metric.Set // collects what is counted; nil: nothing is

	secrets secret.Values
}

// ModelConfig is whom to ask what rules leave open.
type ModelConfig struct {
	OpenAI    openai.Config
	RetryBase time.Duration // of the waits within an attempt; 0 is 2 s
}

// LoadMatch reads the configuration of the match function, its secrets too.
func LoadMatch(env Env) (Config, error) { return LoadFunction(env, manifest.Match) }

// LoadFunction reads the configuration of a function that a queue feeds, its
// secrets too.
func LoadFunction(env Env, f manifest.Function) (Config, error) {
	return loadFunction(env, f, secretsManager())
}

func loadFunction(env Env, f manifest.Function, src secret.Source) (Config, error) {
	names := []string{manifest.EnvDatabaseURL, manifest.EnvSlackWebhookURL}
	if f.AsksModel && env(manifest.EnvMatchMode) != "rules" {
		names = append(names, manifest.EnvOpenAIKey)
	}
	c, env, errs := load(env, f, src, names...)
	c.QueueURL = required(env, manifest.EnvQueueURL, "the queue that feeds this function", &errs)
	if f.AsksModel {
		c.Model = loadMode(env, c.secrets, &errs)
	}
	return c, report(errs)
}

// loadMode reads the model's settings, unless the mode is rules.
func loadMode(env Env, known secret.Values, errs *[]error) *ModelConfig {
	switch env(manifest.EnvMatchMode) {
	case "rules":
	case "", "model":
		return loadModel(env, known, errs)
	default:
		*errs = append(*errs, fmt.Errorf("%s: not rules or model", manifest.EnvMatchMode))
	}
	return nil
}

func secretsManager() secret.Source { return secret.Manager(ownConfig, time.Now) }

// LoadModel reads whom to ask, for those who only ask.
func LoadModel(env Env) (*ModelConfig, error) {
	env, secrets, errs := secretsManager().Resolve(env, manifest.EnvOpenAIKey)
	m := loadModel(env, secrets, &errs)
	return m, report(errs)
}

// loadModel reads whom to ask. A missing key is an error, never a silent
// "rules".
func loadModel(env Env, known secret.Values, errs *[]error) *ModelConfig {
	m := &ModelConfig{OpenAI: openai.Config{
		APIKey: env(manifest.EnvOpenAIKey), Renew: known.Renewal(manifest.EnvOpenAIKey), BaseURL: env(manifest.EnvOpenAIBaseURL), AzureAPIVersion: env(manifest.EnvOpenAIAzureVersion),
		Model: cmp.Or(env(manifest.EnvOpenAIModel), manifest.DefaultModel), EmbeddingModel: env(manifest.EnvOpenAIEmbeddingModel),
		NoTemperature: env(manifest.EnvOpenAINoTemperature) != "",
	}}
	if m.OpenAI.APIKey == "" && m.OpenAI.BaseURL == "" {
		*errs = append(*errs, fmt.Errorf("%s is not set: the key of the model that decides what rules leave open; %s=rules does without a model",
			manifest.EnvOpenAIKey, manifest.EnvMatchMode))
	}
	if s := env(manifest.EnvLLMRetryBase); s != "" {
		base, err := time.ParseDuration(s)
		if err != nil || base <= 0 {
			*errs = append(*errs, fmt.Errorf("%s: not a duration such as 2s", manifest.EnvLLMRetryBase))
		}
		m.RetryBase = base
	}
	if s := env(manifest.EnvLLMTimeout); s != "" {
		timeout, err := time.ParseDuration(s)
		if err != nil || timeout <= 0 {
			*errs = append(*errs, fmt.Errorf("%s: not a duration such as 60s", manifest.EnvLLMTimeout))
		}
		m.OpenAI.Timeout = timeout
	}
	return m
}

// LoadPublisher reads the configuration of a program that publishes documents
// for matching: the command.
func LoadPublisher(env Env) (Config, error) {
	return LoadSweep(env, []manifest.Function{manifest.Match})
}

// LoadSweep reads the configuration of a sweep over these functions, of which
// match is one. QueueURL is its queue, and Queues has all of them.
func LoadSweep(env Env, functions []manifest.Function) (Config, error) {
	c, env, errs := load(env, manifest.Match, secretsManager(), manifest.EnvDatabaseURL, manifest.EnvSlackWebhookURL)
	c.Queues = map[string]string{}
	for _, f := range functions {
		url := env(f.QueueEnv())
		if f.Name == manifest.Match.Name {
			url = cmp.Or(url, env(manifest.EnvQueueURL))
			c.QueueURL = url
		}
		if c.Queues[f.Name] = url; url == "" {
			errs = append(errs, fmt.Errorf("%s is not set: %s", f.QueueEnv(), queueMeaning(f)))
		}
	}
	return c, report(errs)
}

func queueMeaning(f manifest.Function) string {
	if f.Name == manifest.Match.Name {
		return "the queue to which documents are published for matching"
	}
	return "the queue that feeds the " + f.Name + " function"
}

// LoadMigrate reads where the database is.
func LoadMigrate(env Env) (Config, error) {
	c, _, errs := load(env, manifest.Match, secretsManager(), manifest.EnvDatabaseURL)
	return c, report(errs)
}

// load reads what all have in common, and the secrets of these names. The
// environment that it returns has their values.
func load(env Env, f manifest.Function, src secret.Source, names ...string) (c Config, resolved Env, errs []error) {
	env, c.secrets, errs = src.Resolve(env, names...)
	c.DatabaseURL = required(env, manifest.EnvDatabaseURL, "the PostgreSQL database, postgres://user:password@host:5432/database", &errs)
	c.Notify = loadNotify(env, &errs)
	c.Schedule = f.Retries
	if s := env(manifest.EnvRetrySchedule); s != "" {
		schedule, err := f.ParseSchedule(s)
		if err != nil {
			errs = append(errs, fmt.Errorf("%s: %w", manifest.EnvRetrySchedule, err))
		}
		c.Schedule = schedule
	}
	if stage := env(manifest.EnvStage); stage != "" && !telemetry.IsStage(stage) {
		errs = append(errs, fmt.Errorf("%s: not a name such as prod: letters, digits and hyphens, at most 32", manifest.EnvStage))
	}
	return c, env, errs
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

// Match opens what the match function needs. close releases it.
func Match(ctx context.Context, c Config, log *slog.Logger) (h *sqsjob.Handler, close func(), err error) {
	db, queue, err := open(ctx, c, manifest.Match.PoolSize)
	if err != nil {
		return nil, nil, err
	}
	asker, embeddings, err1 := newAsker(c.Model, db, c.Metrics)
	relay, err2 := newRelay(ctx, c, db, log)
	if err := errors.Join(err1, err2); err != nil {
		db.Close()
		return nil, nil, err
	}
	var send func(context.Context)
	if relay != nil {
		send = relay.Run
	}
	var first sync.Once
	return &sqsjob.Handler{
		Queue:     queue,
		Log:       log,
		Malformed: func(n int) { c.Metrics.Count(manifest.MetricMalformed, n) },
		Runner: func(log *slog.Logger) sqsjob.Runner {
			first.Do(func() { go warnNewer(db, log) })
			matcher := &match.Matcher{Store: db, Log: log, Model: asker, Embeddings: embeddings, Sender: queue}
			for _, name := range telemetry.Ends {
				c.Metrics.Count(name, 0)
			}
			c.Metrics.Count(manifest.MetricRefused, 0)
			return &job.Runtime{Store: db, Work: matcher.Match, Schedule: c.Schedule, Log: log, Observe: telemetry.Observe(c.Metrics), Notify: send}
		},
	}, db.Close, nil
}

// newAsker makes what asks models; nil without one.
func newAsker(c *ModelConfig, db *postgres.DB, set *metric.Set) (*llm.Asker, *llm.Embeddings, error) {
	if c == nil {
		return nil, nil, nil
	}
	client, err := openai.New(c.OpenAI)
	if err != nil {
		return nil, nil, fmt.Errorf("configuration:\n%w", err)
	}
	var embeddings *llm.Embeddings
	if embedder := client.Embedder(); embedder != nil {
		embeddings = &llm.Embeddings{Embedder: telemetry.CountEmbedder(embedder, set), Vault: db}
	}
	return &llm.Asker{Model: telemetry.CountModel(client.Model(), set), Vault: telemetry.CountVault(db, set), Retry: llm.Retry{Base: c.RetryBase}}, embeddings, nil
}

// Sweep opens what the sweep needs.
func Sweep(ctx context.Context, c Config, log *slog.Logger) (s *sweep.Sweeper, close func(), err error) {
	db, queue, err := open(ctx, c, manifest.Sweep.PoolSize)
	if err != nil {
		return nil, nil, err
	}
	relay, err := newRelay(ctx, c, db, log)
	if err != nil {
		db.Close()
		return nil, nil, err
	}
	s = &sweep.Sweeper{Log: log, Workloads: []sweep.Workload{
		{Name: manifest.Match.Name, Store: db, Queue: queue, Visibility: manifest.Match.Visibility()}}}
	go warnNewer(db, log)
	var channels []string
	if relay != nil {
		s.Notify = relay.Run
		for _, sender := range relay.Senders {
			channels = append(channels, sender.Channel())
		}
	}
	if c.Metrics != nil {
		s.Measure = func(ctx context.Context, r sweep.Report, failed error) {
			gauges, err := readGauges(ctx, db, channels)
			telemetry.CountSweep(c.Metrics, r, failed, gauges, err)
			if err != nil {
				log.Error("cannot measure what waits", "reason", failure.Of(err).Text)
			}
		}
	}
	return s, db.Close, nil
}

// flushFor is kept free at the end of a sweep for writing what was measured.
const flushFor = 3 * time.Second

func readGauges(ctx context.Context, db *postgres.DB, channels []string) (postgres.Gauges, error) {
	if deadline, ok := ctx.Deadline(); ok {
		var cancel context.CancelFunc
		ctx, cancel = context.WithDeadline(ctx, deadline.Add(-min(flushFor, time.Until(deadline)/2)))
		defer cancel()
	}
	return db.Gauges(ctx, channels)
}

// Publisher opens what publishing needs.
func Publisher(ctx context.Context, c Config) (p *job.Publisher, close func(), err error) {
	db, queue, err := open(ctx, c, manifest.Match.PoolSize)
	if err != nil {
		return nil, nil, err
	}
	return &job.Publisher{Store: db, Sender: queue}, db.Close, nil
}

// Republisher opens what publishing failed documents again needs.
func Republisher(ctx context.Context, c Config) (db *postgres.DB, queue job.Sender, close func(), err error) {
	store, sender, err := open(ctx, c, manifest.Sweep.PoolSize)
	if err != nil {
		return nil, nil, nil, err
	}
	return store, sender, store.Close, nil
}

func open(ctx context.Context, c Config, conns int) (*postgres.DB, *sqsjob.Queue, error) {
	aws, err := loadAWS(ctx)
	if err != nil {
		return nil, nil, err
	}
	queue, err := sqsjob.NewQueue(sqs.NewFromConfig(aws), c.QueueURL)
	if err != nil {
		return nil, nil, fmt.Errorf("configuration:\n%s: %w", manifest.EnvQueueURL, err)
	}
	db, err := postgres.OpenRenewing(ctx, c.DatabaseURL, conns, telemetry.CountRenewal(c.secrets.Renewal(manifest.EnvDatabaseURL), c.Metrics))
	if err != nil {
		return nil, nil, fmt.Errorf("configuration:\n%s: %w", manifest.EnvDatabaseURL, err)
	}
	return db, queue, nil
}
