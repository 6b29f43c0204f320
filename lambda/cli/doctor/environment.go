package doctor

import (
	"context"
	"maps"
	"slices"

	"matchbook/lambda/manifest"
	"matchbook/lambda/manifest/variable"
	"matchbook/lambda/postgres/checkup"
	"matchbook/lambda/setup"
)

// environment examines this process's configuration as a match function's. Everything else
// about the function comes from the manifest.
func (l *look) environment(ctx context.Context) (facts, error) {
	f := facts{target: "this environment"}
	const why = "not in the environment; use --stack"
	ln := line{function: function{name: manifest.Match.Name, timeout: known(manifest.Match.Timeout),
		reserved: unknown[int](why), most: manifest.Match.MaxConcurrency, deployed: notDeployed(why)}, mapping: unknown[[]mapping](why)}
	f.alarms = unknown[[]alarm](why)
	env := l.secrets(ctx, &f, l.variables())
	if ln.served = l.served(env); ln.served {
		env = asServed(env)
	}
	ln.read(env, true, l.rows)
	l.askQueueOf(ctx, &ln, env)
	l.askOutside(ctx, &f, env, ln.row, false)
	f.lines = append([]line{ln}, l.otherLines(ctx, why)...)
	f.ocr = l.engineHere(ctx, env)
	l.askFiles(ctx, &f, manifest.Ingest.Name, env)
	if env.has(variable.BlobURL) { // this machine ingests as well
		f.functions = append(f.functions, function{name: manifest.Ingest.Name,
			config: known(problems(env, true, manifest.Ingest, l.rows))})
	}
	return f, nil
}

const noQueueHere = "QUEUE_URL is not set, as for matchbook serve, which keeps its queues in memory"

// served reports whether this may be the environment of matchbook serve: it has a database and
// no queue.
func (l *look) served(env variables) bool {
	return l.Env(variable.DatabaseURL) != "" && !env.has(variable.QueueURL) &&
		!slices.ContainsFunc(manifest.Functions(), func(f manifest.Function) bool { return l.Env(f.QueueEnv()) != "" })
}

// asServed returns the variables as serve passes them on: without a model, rules decide.
func asServed(env variables) variables {
	env = maps.Clone(env)
	if !env.has(variable.OpenAIKey) && !env.has(variable.OpenAIKey+variable.SecretSuffix) && !env.has(variable.OpenAIBaseURL) {
		env[variable.MatchMode] = "rules"
	}
	return env
}

// otherLines are the other functions with a queue in the environment. Only the queues, and the
// connections of the functions, are known.
func (l *look) otherLines(ctx context.Context, why string) (lines []line) {
	for _, row := range manifest.Functions() {
		url := l.Env(row.QueueEnv())
		if row.First || url == "" {
			continue
		}
		ln := line{function: function{name: row.Name, row: row, timeout: known(row.Timeout), most: row.MaxConcurrency,
			reserved: unknown[int](why), listens: unknown[string](why), retries: unknown[string](why), config: unknown[[]string](why),
			deployed: notDeployed(why)},
			mapping: unknown[[]mapping](why)}
		if cloud, err := l.aws(ctx); err != nil {
			ln.noQueue(known(problem(err.Error())), err.Error())
		} else {
			ln.queue, ln.answers = cloud.queue(ctx, url)
			cloud.askDLQ(ctx, &ln)
		}
		lines = append(lines, ln)
	}
	return lines
}

// variables returns this process's variables of a match function.
func (l *look) variables() variables {
	env := variables{}
	for _, name := range names {
		if text := l.Env(name); text != "" {
			env[name] = text
		}
	}
	if !env.has(variable.QueueURL) && env.has(manifest.Match.QueueEnv()) { // as publishers name it
		env[variable.QueueURL] = env[manifest.Match.QueueEnv()]
	}
	return env
}

var names = append(ofChannels(),
	variable.DatabaseURL, variable.DatabaseURL+variable.SecretSuffix, variable.RootCertificates,
	variable.DatabaseHost, variable.DatabasePort, variable.DatabaseName,
	variable.QueueURL, manifest.Match.QueueEnv(),
	variable.MatchMode, variable.RetrySchedule, variable.LLMRetryBase, variable.LLMTimeout,
	variable.OpenAIKey, variable.OpenAIKey+variable.SecretSuffix,
	variable.OpenAIBaseURL, variable.OpenAIModel,
	variable.OpenAIEmbeddingModel, variable.OpenAIAzureVersion, variable.OpenAINoTemperature,
	variable.OpenAIEffort, variable.OpenAIThoughts, variable.OpenAIDimensions,
	variable.BlobURL, variable.OCR, variable.DocumentAIProcessor,
	variable.DocumentAIKey, variable.DocumentAIKey+variable.SecretSuffix,
	variable.OCRQuality, variable.PDFTime, variable.Lease,
	variable.AdminBaseURL, variable.Stage, variable.ModelPrice,
	variable.EventsWebhookURL, variable.EventsWebhookSecret, variable.EventsWebhookSecret+variable.SecretSuffix,
	variable.OTLPEndpoint, variable.OTLPHeaders, variable.OTLPHeaders+variable.SecretSuffix, variable.OTLPShare,
)

func ofChannels() (names []string) {
	for _, c := range manifest.Channels() {
		names = append(names, c.Variables...)
	}
	for _, name := range manifest.ChannelSecrets() {
		names = append(names, name+variable.SecretSuffix)
	}
	return names
}

func (l *look) askQueueOf(ctx context.Context, ln *line, env variables) {
	url := env[variable.QueueURL]
	if url == "" {
		why := "QUEUE_URL is not set"
		if ln.served {
			why = noQueueHere
		}
		ln.noQueue(unknown[problem](why), why)
		return
	}
	cloud, err := l.aws(ctx)
	if err != nil {
		ln.noQueue(known(problem(err.Error())), err.Error())
		return
	}
	l.Progress("asking the queue")
	ln.queue, ln.answers = cloud.queue(ctx, url)
	cloud.askDLQ(ctx, ln)
}

func (l *line) noQueue(answers fact[problem], why string) {
	l.queue, l.answers, l.dlq, l.dlqAnswers = unknown[queue](why), answers, unknown[queue](why), unknown[problem](why)
}

// askOutside queries the database and, with --ask, the model and Slack.
func (l *look) askOutside(ctx context.Context, f *facts, env variables, row manifest.Function, away bool) {
	c, _ := setup.LoadFunction(env.lookup, row) // its problems are reported by the line's config
	f.channels = unknown[[]string]("not needed outside a stack")
	if away {
		f.channels = known(channels(c))
	}
	if url := env[variable.DatabaseURL]; url == "" {
		const why = "unknown DATABASE_URL"
		f.database = unknown[problem](why)
		f.withoutDatabase(why, l.Connections)
		f.identity = unknown[problem](why)
	} else {
		doubt, err := checkup.Doubt(url)
		f.identity = answered(problem(doubt), err)
		l.askDatabase(ctx, f, url, channels(c), away)
	}
	l.ask(ctx, f, env, row)
}

func channels(c setup.Config) (list []string) {
	for _, ch := range c.Notify.Channels() {
		list = append(list, ch.Name)
	}
	return list
}
