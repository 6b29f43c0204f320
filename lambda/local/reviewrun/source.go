package reviewrun

import (
	"context"
	"fmt"
	"time"

	"matchbook/lambda/llm"
	"matchbook/lambda/llm/openai"
	"matchbook/lambda/local/scripted"
	"matchbook/lambda/manifest"
	"matchbook/lambda/manifest/variable"
)

// source is the model of a review, with its price.
type source struct {
	scripted.Model
	price func(model string) (llm.Price, bool)

	name  string // of the model, as answers are stored; empty: none
	costs llm.Price
}

// start starts the model, and returns the function's variables for it, with the
// price. Scripted answers cost as much as the ones of the default model would.
func (s *source) start(ctx context.Context, now func() time.Time) (set []string, err error) {
	if s.Flags.Mode == scripted.ModeNone {
		return nil, nil
	}
	s.Mind = scripted.ReviewByRules()
	s.Flags.Faults = 0
	if set, err = s.Start(ctx, now); err != nil {
		return nil, err
	}
	config, err := s.Config()
	if err != nil {
		return nil, err
	}
	client, err := openai.New(config.OpenAI)
	if err != nil {
		return nil, err
	}
	s.name = client.Model().Name()
	from := s.name
	if s.Flags.Scripted() {
		from = manifest.DefaultModel
	}
	if p, ok := s.price(from); ok {
		s.costs = p
		set = append(set, fmt.Sprintf("%s=%g,%g", variable.ModelPrice, p.Prompt, p.Completion))
	}
	return set, nil
}
