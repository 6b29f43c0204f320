package rehearsal

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"matchbook/lambda/corpus"
	"matchbook/lambda/local/scripted"
	"matchbook/lambda/local/scripted/fault"
	"matchbook/lambda/manifest"
	"matchbook/lambda/postgres"
	"matchbook/lambda/setup"

	"github.com/google/uuid"
)

// Who decides what rules leave open.
const (
	NoModel       = "none"
	ModelOpenAI   = "openai"
	modelScripted = "scripted"
	ModelOracle   = "oracle"
	ModelNoisy    = "noisy"
)

// ModelModes are the values of --model.
var ModelModes = []string{NoModel, ModelOpenAI, modelScripted, ModelOracle, ModelNoisy}

// faultShare is how many of the calls go wrong with --faults.
const faultShare = 0.1

// ModelOptions are the flags that say who decides what rules leave open.
type ModelOptions struct {
	Mode   string
	Noise  float64
	Noisy  bool // --noise was given
	Faults uint64
}

// Check refuses what does not fit together.
func (o *ModelOptions) Check(env setup.Env) error {
	switch {
	case o.Mode != "" && !slices.Contains(ModelModes, o.Mode):
		return fmt.Errorf("--model: %q is none of %s", o.Mode, strings.Join(ModelModes, ", "))
	case o.Mode == ModelOpenAI && !hasModel(env):
		return fmt.Errorf("--model openai: neither %s nor %s is set", manifest.EnvOpenAIKey, manifest.EnvOpenAIBaseURL)
	case o.Faults != 0 && !o.scripted():
		return errors.New("--faults is for --model scripted, oracle or noisy: a real model's calls are not broken")
	case o.Noisy && o.Mode != ModelNoisy:
		return errors.New("--noise is for --model noisy")
	case !(o.Noise >= 0 && o.Noise <= 1): // nor NaN
		return errors.New("--noise is not between 0 and 1")
	}
	return nil
}

// scripted reports whether a server of ours is asked.
func (o *ModelOptions) scripted() bool {
	return slices.Contains([]string{modelScripted, ModelOracle, ModelNoisy}, o.Mode)
}

// Knowing reports whether it has to know the true links.
func (o *ModelOptions) Knowing() bool { return o.Mode == ModelOracle || o.Mode == ModelNoisy }

func hasModel(env setup.Env) bool {
	return env(manifest.EnvOpenAIKey) != "" || env(manifest.EnvOpenAIBaseURL) != ""
}

// Choose takes openai where no mode was given and the environment has a
// model, and says what was taken and why.
func (o *ModelOptions) Choose(env setup.Env) string {
	switch {
	case o.Mode == "" && hasModel(env):
		o.Mode = ModelOpenAI
		return "a model is asked, for there is one in the environment; --model none does without"
	case o.Mode == "":
		o.Mode = NoModel
		return "rules only: no " + manifest.EnvOpenAIKey + "; --model scripted shows the rest"
	case o.Mode == NoModel:
		return "rules only: --model none"
	case o.Mode == ModelOpenAI:
		return "a model is asked: --model openai"
	}
	return "SCRIPTED: --model " + o.Mode + " asks no real model"
}

// Model is who is asked in a run of the line. The zero modelRun is nobody.
type Model struct {
	Options ModelOptions
	Env     setup.Env // where a real model is
	Seed    uint64    // of the noise
	Links   []corpus.Pair

	server *scripted.Server // nil: none, or a real one
	key    *answerKey
	before postgres.ModelUsage
}

// retryBase is how long the function waits before it asks a server of ours
// again that did not say how long.
const retryBase = 10 * time.Millisecond

// Start returns the variables that tell the function whom to ask. clock is
// what it waits on.
func (m *Model) Start(ctx context.Context, clock func() time.Time) (env []string, err error) {
	set := func(name, value string) {
		if value != "" {
			env = append(env, name+"="+value)
		}
	}
	switch {
	case m.Options.Mode == ModelOpenAI:
		set(manifest.EnvMatchMode, "model")
		for _, name := range []string{manifest.EnvOpenAIKey, manifest.EnvOpenAIBaseURL, manifest.EnvOpenAIModel, manifest.EnvOpenAIEmbeddingModel,
			manifest.EnvOpenAIAzureVersion, manifest.EnvOpenAINoTemperature, manifest.EnvLLMRetryBase} {
			set(name, m.Env(name))
		}
	case m.Options.scripted():
		m.key = NewAnswerKey(m.Links)
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

func (m *Model) mind() scripted.Mind {
	if m.Options.Mode == modelScripted {
		return MostInCommon
	}
	oracle := scripted.Oracle(m.key.pairs(), m.key.Parse)
	if m.Options.Mode == ModelNoisy {
		return scripted.Noisy(oracle, m.Seed, m.Options.Noise, m.key.Parse)
	}
	return oracle
}

// schedule leaves out what hangs: the function would wait for a minute, and
// nothing shortens that.
func (m *Model) schedule() scripted.Schedule {
	if m.Options.Faults == 0 {
		return nil
	}
	kinds := slices.DeleteFunc(scripted.Kinds(), func(f fault.Kind) bool {
		return f == fault.HangBeforeHeaders || f == fault.HangInBody
	})
	return scripted.Random(m.Options.Faults, faultShare, kinds...)
}

// Close stops the scripted server, if there is one.
func (m *Model) Close() error {
	if m.server != nil {
		m.server.Close()
	}
	return nil
}

// Learn is told of the documents before they are published.
func (m *Model) Learn(ctx context.Context, db *postgres.DB, ids []uuid.UUID) (err error) {
	if m.before, err = db.ModelUsage(ctx, 0); err != nil {
		return fmt.Errorf("read what was asked before: %w", err)
	}
	if !m.Options.Knowing() {
		return nil
	}
	for some := range slices.Chunk(ids, Chunk) { // a statement has its time limit
		raws, err := db.Raws(ctx, some)
		if err != nil {
			return fmt.Errorf("read the documents: %w", err)
		}
		m.key.Learn(raws)
	}
	return nil
}
