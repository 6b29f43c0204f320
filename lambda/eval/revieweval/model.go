package revieweval

import (
	"context"
	"fmt"
	"time"

	"matchbook/lambda/llm"
	"matchbook/lambda/llm/openai"
	"matchbook/lambda/local/scripted"
	"matchbook/lambda/setup"
)

// model returns the model that is asked about one of the contracts: a real one,
// or a scripted server's; and the first wait before it is asked again.
func (o Options) model(ctx context.Context, contracts []Contract, i int, env setup.Env) (
	m llm.Model, base time.Duration, stop func(), err error,
) {
	config := openai.Config{APIKey: "scripted", Model: "scripted-" + o.Model.Mode}
	base, stop = time.Millisecond, func() {}
	if o.Model.Mode == scripted.ModeOpenAI {
		c, err := setup.LoadModel(env)
		if err != nil {
			return nil, 0, nil, err
		}
		config, base = c.OpenAI, c.RetryBase
	} else {
		server, err := scripted.Start(ctx, scripted.Options{Mind: o.mind(contracts, i), Key: config.APIKey})
		if err != nil {
			return nil, 0, nil, fmt.Errorf("start the scripted model server: %w", err)
		}
		stop, config.BaseURL = server.Close, server.URL()
	}
	client, err := openai.New(config)
	if err != nil {
		stop()
		return nil, 0, nil, err
	}
	return client.Model(), base, stop, nil
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
