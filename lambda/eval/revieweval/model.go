package revieweval

import (
	"context"
	"time"

	"matchbook/lambda/llm"
	"matchbook/lambda/llm/openai"
	"matchbook/lambda/local/scripted"
	"matchbook/lambda/setup"
)

// model returns the model that is asked about one of the contracts, and the first
// wait before it is asked again.
func (o Options) model(ctx context.Context, contracts []Contract, i int, env setup.Env) (
	m llm.Model, base time.Duration, stop func(), err error,
) {
	source := &scripted.Model{Flags: o.Model, Env: env, Mind: o.mind(contracts, i)}
	if _, err := source.Start(ctx, time.Now); err != nil {
		return nil, 0, nil, err
	}
	stop = func() { _ = source.Close() } // it never fails
	config, err := source.Config()
	if err != nil {
		stop()
		return nil, 0, nil, err
	}
	client, err := openai.New(config.OpenAI)
	if err != nil {
		stop()
		return nil, 0, nil, err
	}
	return client.Model(), config.RetryBase, stop, nil
}

func (o Options) mind(contracts []Contract, i int) scripted.Mind {
	if !o.Model.Knowing() {
		return scripted.ReviewByRules()
	}
	oracle := scripted.ReviewByLabels(contracts[i].Text, contracts[i].labels())
	if o.Model.Mode == scripted.ModeOracle {
		return oracle
	}
	other := contracts[(i+1)%len(contracts)].Text
	return scripted.NoisyReview(oracle, o.Seed, o.Model.Noise, other)
}

// labels returns the labels with their places.
func (c Contract) labels() (all []scripted.Label) {
	for _, s := range c.Spans {
		all = append(all, scripted.Label{Category: s.Category, Text: s.Text, Start: s.Start})
	}
	return all
}

// quotes returns the passages of the labels, without white space; nil if the
// model does not know them.
func (c Contract) quotes(known bool) map[string]bool {
	if !known {
		return nil
	}
	all := make(map[string]bool, len(c.Spans))
	for _, s := range c.Spans {
		all[dense(s.Text)] = true
	}
	return all
}
