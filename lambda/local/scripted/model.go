package scripted

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"matchbook/lambda/document/corpus"
	"matchbook/lambda/llm/openai"
	"matchbook/lambda/manifest/variable"
	"matchbook/lambda/postgres"
	"matchbook/lambda/postgres/matches"
	"matchbook/lambda/postgres/report"
	"matchbook/lambda/setup"

	"github.com/google/uuid"
)

// The modes, for questions left open by the rules.
const (
	ModeNone     = "none"
	ModeOpenAI   = "openai"
	ModeScripted = "scripted"
	ModeOracle   = "oracle"
	ModeNoisy    = "noisy"
	ModeYes      = "yes"
	ModeNo       = "no"
)

// Modes are the values of --model.
var Modes = []string{ModeNone, ModeOpenAI, ModeScripted, ModeOracle, ModeNoisy, ModeYes, ModeNo}

// chunk is the number of documents read per statement.
const chunk = 250

// faultShare is the share of failing calls with --faults.
const faultShare = 0.1

// Flags are the model flags.
type Flags struct {
	Mode   string
	Noise  float64
	Noisy  bool // --noise was given
	Faults uint64
}

// Check returns an error for contradictory flags.
func (o *Flags) Check(env setup.Env) error {
	switch {
	case o.Mode != "" && !slices.Contains(Modes, o.Mode):
		return fmt.Errorf("--model: invalid value %q: must be one of %s", o.Mode, strings.Join(Modes, ", "))
	case o.Mode == ModeOpenAI && !hasModel(env):
		return fmt.Errorf("--model openai: missing %s or %s", variable.OpenAIKey, variable.OpenAIBaseURL)
	case o.Faults != 0 && !o.Scripted():
		return errors.New("--faults must be used with --model scripted, oracle, noisy, yes or no")
	case o.Noisy && o.Mode != ModeNoisy:
		return errors.New("--noise must be used with --model noisy")
	case !(o.Noise >= 0 && o.Noise <= 1): // refuses NaN too
		return errors.New("--noise must be between 0 and 1")
	}
	return nil
}

// Scripted reports whether the mode uses a scripted server.
func (o *Flags) Scripted() bool {
	return slices.Contains([]string{ModeScripted, ModeOracle, ModeNoisy, ModeYes, ModeNo}, o.Mode)
}

// Knowing reports whether the answers come from the true links.
func (o *Flags) Knowing() bool { return o.Mode == ModeOracle || o.Mode == ModeNoisy }

// AboutMatches refuses a mode limited to match questions. Call it if you ask other questions.
func (o *Flags) AboutMatches() error {
	if slices.Contains([]string{ModeOracle, ModeNoisy, ModeYes, ModeNo}, o.Mode) {
		return fmt.Errorf("unsupported --model %s: it answers match questions only", o.Mode)
	}
	return nil
}

func hasModel(env setup.Env) bool {
	return env(variable.OpenAIKey) != "" || env(variable.OpenAIBaseURL) != ""
}

// Choose uses openai if no mode was given and the environment has a model. It returns the
// choice with its reason, for people.
func (o *Flags) Choose(env setup.Env) string {
	switch {
	case o.Mode == "" && hasModel(env):
		o.Mode = ModeOpenAI
		return "using the model in the environment; --model none uses rules only"
	case o.Mode == "":
		o.Mode = ModeNone
		return "rules only: no " + variable.OpenAIKey + "; --model scripted shows the rest"
	case o.Mode == ModeNone:
		return "rules only: --model none"
	case o.Mode == ModeOpenAI:
		return "using a model: --model openai"
	}
	return "SCRIPTED: --model " + o.Mode + " uses no real model"
}

// Model answers the questions of a local run with nothing, a real model, or a server of this
// package. It counts questions and their cost. The zero Model uses nothing.
type Model struct {
	Flags Flags
	Env   setup.Env // settings of a real model
	Seed  uint64    // of the noise
	Mind  Mind      // for a scripted server; nil answers match questions by mode
	Links []corpus.Pair

	server *Server // nil without a scripted server
	key    *answerKey
	before report.ModelUsage
}

// retryBase is the function's backoff for a scripted server that sends no Retry-After.
const retryBase = 10 * time.Millisecond

// Start starts the scripted server if the mode needs one, and returns the function's variables
// for the model. clock must be the clock the function waits on.
func (m *Model) Start(ctx context.Context, clock func() time.Time) (env []string, err error) {
	set := func(name, value string) {
		if value != "" {
			env = append(env, name+"="+value)
		}
	}
	switch {
	case m.Flags.Mode == ModeOpenAI:
		set(variable.MatchMode, "model")
		for _, name := range []string{variable.OpenAIKey, variable.OpenAIBaseURL, variable.OpenAIModel,
			variable.OpenAIEmbeddingModel, variable.OpenAIAzureVersion, variable.OpenAINoTemperature,
			variable.OpenAIEffort, variable.OpenAIThoughts, variable.OpenAIDimensions, variable.LLMTimeout,
			variable.LLMRetryBase} {
			set(name, m.Env(name))
		}
	case m.Flags.Scripted():
		m.key = newAnswerKey(m.Links)
		m.server, err = Start(ctx, Options{Mind: m.mind(), Faults: m.faults(), Key: "scripted",
			RetryAfter: time.Second, Now: clock})
		if err != nil {
			return nil, fmt.Errorf("start scripted model server: %w", err)
		}
		set(variable.MatchMode, "model")
		set(variable.OpenAIBaseURL, m.server.URL())
		set(variable.OpenAIKey, "scripted")
		set(variable.OpenAIModel, m.name())
		set(variable.LLMRetryBase, retryBase.String())
	}
	return env, nil
}

// Config returns the settings for this program to use the model itself. Call it after Start.
func (m *Model) Config() (*setup.ModelConfig, error) {
	if m.server == nil {
		return setup.LoadModel(m.Env)
	}
	return &setup.ModelConfig{RetryBase: retryBase,
		OpenAI: openai.Config{APIKey: "scripted", Model: m.name(), BaseURL: m.server.URL()}}, nil
}

func (m *Model) mind() Mind {
	switch {
	case m.Mind != nil:
		return m.Mind
	case m.Flags.Mode == ModeScripted:
		return mostInCommon
	case m.Flags.Mode == ModeYes, m.Flags.Mode == ModeNo:
		return always(m.Flags.Mode == ModeYes)
	}
	right := oracle(m.key.belong)
	if m.Flags.Mode == ModeNoisy {
		return noisy(right, m.Seed, m.Flags.Noise)
	}
	return right
}

// faults leaves out the hanging faults, because the function would wait for a minute and
// nothing can shorten that.
func (m *Model) faults() *Faults {
	if m.Flags.Faults == 0 {
		return nil
	}
	kinds := slices.DeleteFunc(Kinds(), func(f Fault) bool {
		return f == HangBeforeHeaders || f == HangInBody
	})
	return Random(m.Flags.Faults, faultShare, kinds...)
}

// Close stops the scripted server, if any.
func (m *Model) Close() error {
	if m.server != nil {
		m.server.Close()
	}
	return nil
}

// Learn reads the documents for the answer key. Call it before they are published.
func (m *Model) Learn(ctx context.Context, db *postgres.DB, ids []uuid.UUID) (err error) {
	if m.before, err = report.From(db).ModelUsage(ctx, 0); err != nil {
		return fmt.Errorf("read earlier model usage: %w", err)
	}
	if !m.Flags.Knowing() {
		return nil
	}
	for some := range slices.Chunk(ids, chunk) { // keeps within the statement timeout
		raws, err := matches.New(db).Raws(ctx, some)
		if err != nil {
			return fmt.Errorf("read documents: %w", err)
		}
		m.key.learn(raws)
	}
	return nil
}
