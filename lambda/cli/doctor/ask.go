package doctor

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"time"

	"matchbook/lambda/llm"
	"matchbook/lambda/llm/openai"
	"matchbook/lambda/manifest"
	"matchbook/lambda/manifest/variable"
	"matchbook/lambda/notify/slack"
	"matchbook/lambda/setup"
)

const (
	askTimeout   = 30 * time.Second
	slackTimeout = 10 * time.Second
	notAsked     = "it was not asked: --ask does"
)

// ask queries the services that cost money or belong to others, with --ask only.
// A service that has answered for one function is not asked for another.
func (l *look) ask(ctx context.Context, f *facts, env variables, row manifest.Function) {
	if !l.Ask {
		unasked := unknown[problem](notAsked)
		f.model, f.embeddings, f.slack = unasked, unasked, unasked
		return
	}
	if !f.slack.is {
		f.slack = l.askSlack(ctx, env)
	}
	if row.AsksModel && !f.model.is {
		f.model, f.embeddings = l.askModels(ctx, env)
	}
}

// question costs about 60 tokens. It is a real question and not a list of
// models: not all servers have such a list, and it does not show that the key
// may ask this model, nor that the model keeps to a schema.
var question = llm.Question{
	Name:   "doctor",
	System: "Answer by the schema.",
	User:   "Are you there? Say true.",
	Schema: json.RawMessage(`{"type":"object","properties":{"there":{"type":"boolean"}},` +
		`"required":["there"],"additionalProperties":false}`),
	MaxTokens: 50,
}

// askModels asks the model one short question, and has one word embedded.
func (l *look) askModels(ctx context.Context, env variables) (model, embeddings fact[problem]) {
	unasked := func(why string) (fact[problem], fact[problem]) { return unknown[problem](why), unknown[problem](why) }
	if env[variable.MatchMode] == "rules" {
		return unasked("MATCH_MODE is rules: no model is used")
	}
	for _, name := range []string{variable.OpenAIKey, variable.OpenAIBaseURL, variable.OpenAIModel} {
		if !env.has(name) && env.has(name+variable.SecretSuffix) {
			return unasked(name + " is not known here")
		}
	}
	c, err := setup.LoadModel(env.lookup)
	if err != nil {
		return unasked("its configuration cannot be read")
	}
	client, err := openai.New(c.OpenAI)
	if err != nil {
		return unasked("its configuration cannot be used")
	}
	ctx, cancel := context.WithTimeout(ctx, askTimeout)
	defer cancel()
	l.Progress("asking the model")
	model = known(askModel(ctx, client.Model()))
	embedder := client.Embedder()
	if embedder == nil {
		return model, unknown[problem]("OPENAI_EMBEDDING_MODEL is not set: no embeddings are used")
	}
	l.Progress("asking the embedding model")
	if _, _, err := embedder.Embed(ctx, []string{"invoice"}); err != nil {
		return model, known(problem(sentence(err)))
	}
	return model, known(problem(""))
}

func askModel(ctx context.Context, m llm.Model) problem {
	answer, err := m.Answer(ctx, question)
	if err != nil {
		return problem(sentence(err))
	}
	var reply struct{ There *bool }
	decoder := json.NewDecoder(strings.NewReader(answer.Text))
	decoder.DisallowUnknownFields()
	if decoder.Decode(&reply) != nil || reply.There == nil {
		return "the model answers, but not by the schema: response_format json_schema is not obeyed"
	}
	return ""
}

// askSlack sends an empty message, which Slack refuses to post: a live webhook
// answers that the text is missing, any other with a different error.
func (l *look) askSlack(ctx context.Context, env variables) fact[problem] {
	hook := env[variable.SlackWebhookURL]
	switch {
	case hook == "" && env.has(variable.SlackWebhookURL+variable.SecretSuffix):
		return unknown[problem]("SLACK_WEBHOOK_URL is not known here")
	case hook == "":
		return unknown[problem]("SLACK_WEBHOOK_URL is not set: failures are not sent to Slack")
	}
	if _, err := slack.New(slack.Config{WebhookURL: hook}); err != nil {
		return known(problem(err.Error())) // which holds no value
	}
	l.Progress("asking Slack")
	return known(knock(ctx, strings.TrimSpace(hook)))
}

// alive lists the answers of a live webhook to an empty message.
var alive = []string{"no_text", "invalid_payload", "missing_text_or_fallback_or_attachments"}

// knock sends an empty message, follows no redirect and shows no answer.
func knock(ctx context.Context, url string) problem {
	client := &http.Client{Timeout: slackTimeout, Transport: &http.Transport{DisableKeepAlives: true},
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, url, bytes.NewReader([]byte("{}")))
	if err != nil {
		return "the webhook is no URL"
	}
	req.Header.Set("Content-Type", "application/json; charset=utf-8")
	resp, err := client.Do(req)
	if err != nil {
		return "connection to Slack failed" // without err, which quotes the URL
	}
	defer resp.Body.Close()
	body, _ := io.ReadAll(io.LimitReader(resp.Body, 1<<10))
	text := strings.TrimSpace(string(body))
	if resp.StatusCode == http.StatusBadRequest && slices.Contains(alive, text) {
		return ""
	}
	const dead = "Slack does not answer an empty message as a webhook that lives does (HTTP %d)"
	return problem(fmt.Sprintf(dead, resp.StatusCode))
}
