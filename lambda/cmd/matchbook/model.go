package main

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"matchbook/lambda/corpus"
	"matchbook/lambda/local/scripted"
	"matchbook/lambda/manifest"
	"matchbook/lambda/postgres"
	"matchbook/lambda/setup"

	"github.com/google/uuid"
)

// Who decides what rules leave open.
const (
	modelNone     = "none"
	modelOpenAI   = "openai"
	modelScripted = "scripted"
	modelOracle   = "oracle"
	modelNoisy    = "noisy"
)

var modelModes = []string{modelNone, modelOpenAI, modelScripted, modelOracle, modelNoisy}

// faultShare is how many of the calls go wrong with --faults.
const faultShare = 0.1

// modelOptions are the flags that say who decides what rules leave open.
type modelOptions struct {
	mode   string
	noise  float64
	noisy  bool // --noise was given
	faults uint64
}

// check refuses what does not fit together.
func (o *modelOptions) check(env setup.Env) error {
	switch {
	case o.mode != "" && !slices.Contains(modelModes, o.mode):
		return fmt.Errorf("--model: %q is none of %s", o.mode, strings.Join(modelModes, ", "))
	case o.mode == modelOpenAI && !hasModel(env):
		return fmt.Errorf("--model openai: neither %s nor %s is set", manifest.EnvOpenAIKey, manifest.EnvOpenAIBaseURL)
	case o.faults != 0 && !o.scripted():
		return errors.New("--faults is for --model scripted, oracle or noisy: a real model's calls are not broken")
	case o.noisy && o.mode != modelNoisy:
		return errors.New("--noise is for --model noisy")
	case !(o.noise >= 0 && o.noise <= 1): // nor NaN
		return errors.New("--noise is not between 0 and 1")
	}
	return nil
}

// scripted reports whether a server of ours is asked.
func (o *modelOptions) scripted() bool {
	return slices.Contains([]string{modelScripted, modelOracle, modelNoisy}, o.mode)
}

// knowing reports whether it has to know the true links.
func (o *modelOptions) knowing() bool { return o.mode == modelOracle || o.mode == modelNoisy }

func hasModel(env setup.Env) bool {
	return env(manifest.EnvOpenAIKey) != "" || env(manifest.EnvOpenAIBaseURL) != ""
}

// choose takes openai where no mode was given and the environment has a
// model, and says what was taken and why.
func (o *modelOptions) choose(env setup.Env) string {
	switch {
	case o.mode == "" && hasModel(env):
		o.mode = modelOpenAI
		return "a model is asked, for there is one in the environment; --model none does without"
	case o.mode == "":
		o.mode = modelNone
		return "rules only: no " + manifest.EnvOpenAIKey + "; --model scripted shows the rest"
	case o.mode == modelNone:
		return "rules only: --model none"
	case o.mode == modelOpenAI:
		return "a model is asked: --model openai"
	}
	return "SCRIPTED: --model " + o.mode + " asks no real model"
}

// modelRun is who is asked in a run of the line. The zero modelRun is nobody.
type modelRun struct {
	options modelOptions
	env     setup.Env // where a real model is
	seed    uint64    // of the noise
	links   []corpus.Pair

	server *scripted.Server // nil: none, or a real one
	key    *answerKey
	before postgres.ModelUsage
}

// retryBase is how long the function waits before it asks a server of ours
// again that did not say how long.
const retryBase = 10 * time.Millisecond

// start returns the variables that tell the function whom to ask. clock is
// what it waits on.
func (m *modelRun) start(ctx context.Context, clock func() time.Time) (env []string, err error) {
	set := func(name, value string) {
		if value != "" {
			env = append(env, name+"="+value)
		}
	}
	switch {
	case m.options.mode == modelOpenAI:
		set(manifest.EnvMatchMode, "model")
		for _, name := range []string{manifest.EnvOpenAIKey, manifest.EnvOpenAIBaseURL, manifest.EnvOpenAIModel, manifest.EnvOpenAIEmbeddingModel,
			manifest.EnvOpenAIAzureVersion, manifest.EnvOpenAINoTemperature, manifest.EnvLLMRetryBase} {
			set(name, m.env(name))
		}
	case m.options.scripted():
		m.key = newAnswerKey(m.links)
		m.server, err = scripted.Start(ctx, scripted.Options{Mind: m.mind(), Schedule: m.schedule(), Key: "scripted", RetryAfter: time.Second, Now: clock})
		if err != nil {
			return nil, fmt.Errorf("start the scripted model server: %w", err)
		}
		set(manifest.EnvMatchMode, "model")
		set(manifest.EnvOpenAIBaseURL, m.server.URL())
		set(manifest.EnvOpenAIKey, "scripted")
		set(manifest.EnvOpenAIModel, m.name())
		set(manifest.EnvLLMRetryBase, retryBase.String())
	}
	return env, nil
}

func (m *modelRun) mind() scripted.Mind {
	if m.options.mode == modelScripted {
		return scripted.MindFunc(mostInCommon)
	}
	oracle := scripted.Oracle(m.key.pairs(), m.key.parse)
	if m.options.mode == modelNoisy {
		return scripted.Noisy(oracle, m.seed, m.options.noise, m.key.parse)
	}
	return oracle
}

// schedule leaves out what hangs: the function would wait for a minute, and
// nothing shortens that.
func (m *modelRun) schedule() scripted.Schedule {
	if m.options.faults == 0 {
		return nil
	}
	kinds := slices.DeleteFunc(scripted.Kinds(), func(f scripted.Fault) bool {
		return f == scripted.HangBeforeHeaders || f == scripted.HangInBody
	})
	return scripted.Random(m.options.faults, faultShare, kinds...)
}

func (m *modelRun) close() error {
	if m.server != nil {
		m.server.Close()
	}
	return nil
}

// learn is told of the documents before they are published.
func (m *modelRun) learn(ctx context.Context, db *postgres.DB, ids []uuid.UUID) (err error) {
	if m.before, err = db.ModelUsage(ctx, 0); err != nil {
		return fmt.Errorf("read what was asked before: %w", err)
	}
	if !m.options.knowing() {
		return nil
	}
	for some := range slices.Chunk(ids, chunk) { // a statement has its time limit
		raws, err := db.Raws(ctx, some)
		if err != nil {
			return fmt.Errorf("read the documents: %w", err)
		}
		m.key.learn(raws)
	}
	return nil
}
