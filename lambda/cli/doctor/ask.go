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
	notAsked     = "not asked; use --ask"
)

// ask queries paid and foreign services. It does so only with --ask, and asks each service
// once, not for each function.
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

// question costs about 60 tokens. Use a real question, not the list of models, because some
// servers lack one, and only an answer shows that the key may ask this model and that the
// model obeys a schema.
var question = llm.Question{
	Name:   "doctor",
	System: "Answer by the schema.",
	User:   "Are you there? Say true.",
	Schema: json.RawMessage(`{"type":"object","properties":{"there":{"type":"boolean"}},` +
		`"required":["there"],"additionalProperties":false}`),
	MaxTokens: 50,
}

// askModels asks the model one short question and embeds one word.
func (l *look) askModels(ctx context.Context, env variables) (model, embeddings fact[problem]) {
	unasked := func(why string) (fact[problem], fact[problem]) { return unknown[problem](why), unknown[problem](why) }
	if env[variable.MatchMode] == "rules" {
		return unasked("MATCH_MODE is rules, so no model is used")
	}
	for _, name := range []string{variable.OpenAIKey, variable.OpenAIBaseURL, variable.OpenAIModel} {
		if !env.has(name) && env.has(name+variable.SecretSuffix) {
			return unasked("unknown " + name + " on this machine")
		}
	}
	c, err := setup.LoadModel(env.lookup)
	if err != nil {
		return unasked("invalid configuration")
	}
	client, err := openai.New(c.OpenAI)
	if err != nil {
		return unasked("unusable configuration")
	}
	ctx, cancel := context.WithTimeout(ctx, askTimeout)
	defer cancel()
	l.Progress("asking the model")
	model = known(askModel(ctx, client.Model()))
	embedder := client.Embedder()
	if embedder == nil {
		return model, unknown[problem]("OPENAI_EMBEDDING_MODEL is not set, so no embeddings are used")
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
		return "the model ignores the schema: it must support response_format json_schema"
	}
	return ""
}

// askSlack sends an empty message, which Slack never posts. A live webhook answers that the
// text is missing, any other URL answers differently.
func (l *look) askSlack(ctx context.Context, env variables) fact[problem] {
	hook := env[variable.SlackWebhookURL]
	switch {
	case hook == "" && env.has(variable.SlackWebhookURL+variable.SecretSuffix):
		return unknown[problem]("unknown SLACK_WEBHOOK_URL on this machine")
	case hook == "":
		return unknown[problem]("SLACK_WEBHOOK_URL is not set, so failures are not sent to Slack")
	}
	if _, err := slack.New(slack.Config{WebhookURL: hook}); err != nil {
		return known(problem(err.Error())) // safe: it never contains the value
	}
	l.Progress("asking Slack")
	return known(knock(ctx, strings.TrimSpace(hook)))
}

// alive has a live webhook's answers to an empty message.
var alive = []string{"no_text", "invalid_payload", "missing_text_or_fallback_or_attachments"}

// knock sends an empty message. It neither follows redirects nor shows the answer.
func knock(ctx context.Context, url string) problem {
	client := &http.Client{Timeout: slackTimeout, Transport: &http.Transport{DisableKeepAlives: true},
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, url, bytes.NewReader([]byte("{}")))
	if err != nil {
		return "invalid webhook URL"
	}
	req.Header.Set("Content-Type", "application/json; charset=utf-8")
	resp, err := client.Do(req)
	if err != nil {
		return "connection to Slack failed" // without err, because it quotes the URL
	}
	defer resp.Body.Close()
	body, _ := io.ReadAll(io.LimitReader(resp.Body, 1<<10))
	text := strings.TrimSpace(string(body))
	if resp.StatusCode == http.StatusBadRequest && slices.Contains(alive, text) {
		return ""
	}
	const dead = "Slack does not know the webhook (HTTP %d)"
	return problem(fmt.Sprintf(dead, resp.StatusCode))
}
