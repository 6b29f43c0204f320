package reviewrun

import (
	"context"
	"fmt"
	"time"

	"matchbook/lambda/llm"
	"matchbook/lambda/llm/openai"
	"matchbook/lambda/local/scripted"
	"matchbook/lambda/manifest"
	"matchbook/lambda/setup"
)

// source answers the questions of a review: nothing, a real model, or a scripted
// server.
type source struct {
	options scripted.Flags
	env     setup.Env // where a real model is
	price   func(model string) (llm.Price, bool)

	server *scripted.Server // nil: none, or a real one
	name   string           // of the model, as answers are stored; empty: none
	costs  llm.Price
}

// retryBase is the wait of the function before it asks a scripted server again.
const retryBase = 10 * time.Millisecond

// start starts the scripted server, if the mode needs one, and returns the
// variables of the function that name the model. The server waits on now.
func (s *source) start(ctx context.Context, now func() time.Time) (set []string, err error) {
	if s.options.Mode == scripted.ModeNone {
		return nil, nil
	}
	var config openai.Config
	if s.options.Mode == scripted.ModeOpenAI {
		from := scripted.Model{Flags: s.options, Env: s.env}
		if set, err = from.Start(ctx, now); err != nil {
			return nil, err
		}
		read, err := setup.LoadModel(s.env)
		if err != nil {
			return nil, err
		}
		config = read.OpenAI
	} else {
		s.server, err = scripted.Start(ctx, scripted.Options{Mind: scripted.ReviewByRules(), Key: "scripted", Now: now})
		if err != nil {
			return nil, fmt.Errorf("start the scripted model server: %w", err)
		}
		config = openai.Config{APIKey: "scripted", Model: "scripted", BaseURL: s.server.URL()}
		set = []string{manifest.EnvMatchMode + "=model", manifest.EnvOpenAIBaseURL + "=" + config.BaseURL,
			manifest.EnvOpenAIKey + "=" + config.APIKey, manifest.EnvOpenAIModel + "=" + config.Model,
			manifest.EnvLLMRetryBase + "=" + retryBase.String()}
	}
	return s.priced(set, config)
}

// priced adds the price of the model. Scripted answers cost as much as those of
// the default model would.
func (s *source) priced(set []string, config openai.Config) ([]string, error) {
	client, err := openai.New(config)
	if err != nil {
		return nil, err
	}
	s.name = client.Model().Name()
	from := s.name
	if s.server != nil {
		from = manifest.DefaultModel
	}
	if p, ok := s.price(from); ok {
		s.costs = p
		set = append(set, fmt.Sprintf("%s=%g,%g", manifest.EnvModelPrice, p.Prompt, p.Completion))
	}
	return set, nil
}

func (s *source) close() error {
	if s.server != nil {
		s.server.Close()
	}
	return nil
}
