package doctor

import (
	"context"
	"errors"
	"maps"
	"net/url"
	"slices"
	"strings"

	"matchbook/lambda/blob"
	"matchbook/lambda/failure"
	"matchbook/lambda/ingest/documentai"
	"matchbook/lambda/job/sqsjob"
	"matchbook/lambda/llm/openai"
	"matchbook/lambda/manifest"
	"matchbook/lambda/manifest/variable"
	"matchbook/lambda/notify/slack"
	"matchbook/lambda/notify/webhook"
	"matchbook/lambda/postgres"
	"matchbook/lambda/setup"

	"github.com/aws/aws-sdk-go-v2/service/sqs"
)

type variables map[string]string

func (v variables) has(name string) bool { return v[name] != "" }

// ours reports whether the function belongs to Matchbook, since all of these need the
// database.
func (v variables) ours() bool {
	return v.has(variable.DatabaseURL) || v.has(variable.DatabaseURL+variable.SecretSuffix)
}

// read sets the facts found in the variables. fed must report whether a queue feeds the
// function.
func (f *function) read(env variables, fed bool, all rows) {
	f.listens, f.retries = known(queueID(env[variable.QueueURL], "")), known(env[variable.RetrySchedule])
	for _, row := range all.publishedBy(env) {
		f.sends = append(f.sends, destination{row, known(queueID(env[row.QueueEnv()], ""))})
	}
	f.row = all.of(f.name)
	is := func(task manifest.Task) bool { return !fed && strings.HasSuffix(nameOf(f.name), task.Name) }
	if i := slices.IndexFunc(manifest.OptionalTasks(), is); i >= 0 {
		f.optional = manifest.OptionalTasks()[i]
	}
	tasks := append(manifest.Tasks(), manifest.OptionalTasks()...)
	if i := slices.IndexFunc(tasks, is); i >= 0 {
		f.task = tasks[i]
	}
	for _, of := range taskProblems {
		if is(of.task) {
			f.config = known(of.problems(env))
			return
		}
	}
	if f.served { // serve sets the variable
		env = maps.Clone(env)
		env[variable.QueueURL] = standIns[variable.QueueURL]
	}
	f.config = known(problems(env, fed, f.row, all))
}

// taskProblems has the tasks with a configuration unlike the sweep's.
var taskProblems = []struct {
	task     manifest.Task
	problems func(variables) []string
}{{manifest.Web, webProblems}, {manifest.Console, consoleProblems}, {manifest.Schedule, scheduleProblems}}

// unreadSecret has the form of a receiver's secret.
const unreadSecret = webhook.SecretPrefix + "c2VjcmV0IG9mIHRoZSB3ZWJob29rLi4u"

// standIns replace secrets while the rest of a configuration is checked.
var standIns = map[string]string{
	variable.DatabaseURL:         "postgres://user@localhost/database",
	variable.QueueURL:            "https://sqs.eu-central-1.amazonaws.com/000000000000/queue",
	variable.OpenAIKey:           "key",
	variable.DocumentAIKey:       unreadKey,
	variable.SlackWebhookURL:     "https://localhost/hook",
	variable.ReviewTokenSecret:   "token secret",
	variable.OffersWebhookSecret: unreadSecret,
	variable.OIDCClientSecret:    "client secret",
	variable.EventsWebhookSecret: unreadSecret,
	variable.OTLPHeaders:         "key=value",
}

func standIn(name string) string {
	if strings.HasSuffix(name, "_"+variable.QueueURL) {
		name = variable.QueueURL
	}
	return standIns[name]
}

// lookup is the function's environment, with stand-ins for unread secrets.
func (v variables) lookup(name string) string {
	if !v.has(name) && v.has(name+variable.SecretSuffix) && slices.Contains(manifest.Secrets, name) {
		return standIn(name)
	}
	return v[name]
}

// problems reads a configuration as the function would: its row's if a queue feeds it,
// otherwise the sweep's if it publishes. Any other function only migrates.
func problems(env variables, fed bool, row manifest.Function, all rows) []string {
	var c setup.Config
	var err error
	switch {
	case fed:
		c, err = setup.LoadFunction(env.lookup, row)
	case len(all.publishedBy(env)) > 0:
		c, err = setup.LoadSweep(env.lookup, all)
	default:
		return nil
	}
	if err != nil {
		return sentences(err)
	}
	return sentences(opens(c))
}

// webProblems reads the configuration of the function behind the URL of reviews. It doesn't
// open the model, because that function reads only its name and price.
func webProblems(env variables) []string {
	c, err := setup.LoadWeb(env.lookup)
	if err != nil {
		return sentences(err)
	}
	c.Model = nil
	return sentences(opens(c))
}

// consoleProblems reads the configuration of the console. It doesn't query the issuer, since
// only a login does.
func consoleProblems(env variables) []string {
	c, err := setup.LoadConsole(env.lookup)
	if err != nil {
		return sentences(err)
	}
	return sentences(opens(c))
}

func scheduleProblems(env variables) []string {
	c, err := setup.LoadSchedule(env.lookup)
	if err != nil {
		return sentences(err)
	}
	return sentences(opens(c))
}

// sentences returns the problems listed in an error, one per line.
func sentences(err error) (list []string) {
	if err == nil {
		return nil
	}
	for line := range strings.Lines(err.Error()) {
		if line = strings.TrimSpace(line); line != "" && line != "configuration:" {
			list = append(list, line)
		}
	}
	return list
}

// opens lets each adapter check its part of the configuration, without connecting.
func opens(c setup.Config) error {
	var errs []error
	note := func(name string, err error) {
		for _, s := range sentences(err) {
			errs = append(errs, errors.New(name+": "+s))
		}
	}
	_, err := sqsjob.NewQueue(sqs.New(sqs.Options{}), c.QueueURL)
	note(variable.QueueURL, err)
	if c.Blobs != "" {
		note(variable.BlobURL, blob.Check(c.Blobs))
	}
	db, err := postgres.Open(context.Background(), c.DatabaseURL, 1)
	note(variable.DatabaseURL, err)
	if err == nil {
		db.Close()
	}
	if c.Model != nil {
		_, err = openai.New(c.Model.OpenAI)
		note("the model", err)
	}
	if c.OCR == documentAI && c.DocumentAI.Key != unreadKey {
		_, err = documentai.New(documentai.Config{Key: c.DocumentAI.Key, Processor: c.DocumentAI.Processor})
		note(variable.OCR, err)
	}
	if hook := c.Notify.Values[variable.SlackWebhookURL]; hook != "" {
		_, err = slack.New(slack.Config{WebhookURL: hook})
		note(variable.SlackWebhookURL, err)
	}
	for _, r := range []struct {
		name string
		to   setup.ReceiverConfig
	}{{variable.OffersWebhookURL, c.Offers}, {variable.EventsWebhookURL, c.Events}} {
		if r.to.URL != "" {
			_, err = webhook.New(webhook.Config{URL: r.to.URL, Secret: r.to.Secret})
			note(r.name, err)
		}
	}
	return errors.Join(errs...)
}

// sentence returns the printable part of an error.
func sentence(err error) string { return failure.Of(err).Text }

// queueID returns region:account:name for the ARN or the URL of a queue. The region is the
// host's, otherwise the given one.
func queueID(text, region string) string {
	if arn := strings.SplitN(text, ":", 6); len(arn) == 6 && arn[0] == "arn" && arn[2] == "sqs" {
		return strings.Join(arn[3:], ":")
	}
	u, err := url.Parse(text)
	parts := strings.Split(strings.Trim(pathOf(u), "/"), "/")
	if err != nil || len(parts) != 2 {
		return text
	}
	if host := strings.Split(u.Hostname(), "."); len(host) > 3 && host[0] == "sqs" {
		region = host[1]
	}
	return region + ":" + parts[0] + ":" + parts[1]
}

func pathOf(u *url.URL) string {
	if u == nil {
		return ""
	}
	return u.Path
}

func isQueueARN(text string) bool {
	arn := strings.SplitN(text, ":", 6)
	return len(arn) == 6 && arn[0] == "arn" && arn[2] == "sqs"
}
