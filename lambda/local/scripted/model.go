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
	"matchbook/lambda/postgres/report"
	"matchbook/lambda/setup"

	"github.com/google/uuid"
)

// The modes: what answers the questions that rules leave open.
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

// chunk is the number of documents that one statement reads.
const chunk = 250

// faultShare is the share of the calls that fail with --faults.
const faultShare = 0.1

// Flags are the flags of the model.
type Flags struct {
	Mode   string
	Noise  float64
	Noisy  bool // --noise was given
	Faults uint64
}

// Check refuses flags that contradict each other.
func (o *Flags) Check(env setup.Env) error {
	switch {
	case o.Mode != "" && !slices.Contains(Modes, o.Mode):
		return fmt.Errorf("--model: %q is none of %s", o.Mode, strings.Join(Modes, ", "))
	case o.Mode == ModeOpenAI && !hasModel(env):
		return fmt.Errorf("--model openai: neither %s nor %s is set", variable.OpenAIKey, variable.OpenAIBaseURL)
	case o.Faults != 0 && !o.Scripted():
		return errors.New("--faults is for --model scripted, oracle, noisy, yes or no: a real model's calls are not broken")
	case o.Noisy && o.Mode != ModeNoisy:
		return errors.New("--noise is for --model noisy")
	case !(o.Noise >= 0 && o.Noise <= 1): // nor NaN
		return errors.New("--noise is not between 0 and 1")
	}
	return nil
}

// Scripted reports whether a scripted server answers.
func (o *Flags) Scripted() bool {
	return slices.Contains([]string{ModeScripted, ModeOracle, ModeNoisy, ModeYes, ModeNo}, o.Mode)
}

// Knowing reports whether the answers come from the true links.
func (o *Flags) Knowing() bool { return o.Mode == ModeOracle || o.Mode == ModeNoisy }

// AboutMatches refuses a model that can answer questions about matches only, for
// callers that ask others.
func (o *Flags) AboutMatches() error {
	if slices.Contains([]string{ModeOracle, ModeNoisy, ModeYes, ModeNo}, o.Mode) {
		return fmt.Errorf("--model %s answers questions about matches only", o.Mode)
	}
	return nil
}

func hasModel(env setup.Env) bool {
	return env(variable.OpenAIKey) != "" || env(variable.OpenAIBaseURL) != ""
}

// Choose takes openai where no mode was given and the environment has a
// model, and returns a sentence with the choice and its reason.
func (o *Flags) Choose(env setup.Env) string {
	switch {
	case o.Mode == "" && hasModel(env):
		o.Mode = ModeOpenAI
		return "a model is asked: the environment has one; --model none asks none"
	case o.Mode == "":
		o.Mode = ModeNone
		return "rules only: no " + variable.OpenAIKey + "; --model scripted shows the rest"
	case o.Mode == ModeNone:
		return "rules only: --model none"
	case o.Mode == ModeOpenAI:
		return "a model is asked: --model openai"
	}
	return "SCRIPTED: --model " + o.Mode + " asks no real model"
}

// Model answers the questions of a local run: nothing, a real model, or a server of
// this package in its place. It counts what was asked and what that cost. The zero
// Model has no model.
type Model struct {
	Flags Flags
	Env   setup.Env // where a real model is
	Seed  uint64    // of the noise
	Mind  Mind      // of a scripted model; nil answers about matches, by the mode
	Links []corpus.Pair

	server *Server // nil: none, or a real one
	key    *answerKey
	before report.ModelUsage
}

// retryBase is the wait of the function before it asks a scripted server again,
// where the server names none.
const retryBase = 10 * time.Millisecond

// Start starts the scripted server, if the mode needs one, and returns the
// variables of the function that name the model. The function waits on clock.
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
			return nil, fmt.Errorf("start the scripted model server: %w", err)
		}
		set(variable.MatchMode, "model")
		set(variable.OpenAIBaseURL, m.server.URL())
		set(variable.OpenAIKey, "scripted")
		set(variable.OpenAIModel, m.name())
		set(variable.LLMRetryBase, retryBase.String())
	}
	return env, nil
}

// Config returns the settings by which this program asks the model itself, after
// Start.
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

// faults leaves out the faults that hang: the function would wait for a
// minute, and nothing shortens that.
func (m *Model) faults() *Faults {
	if m.Flags.Faults == 0 {
		return nil
	}
	kinds := slices.DeleteFunc(Kinds(), func(f Fault) bool {
		return f == HangBeforeHeaders || f == HangInBody
	})
	return Random(m.Flags.Faults, faultShare, kinds...)
}

// Close stops the scripted server, if there is one.
func (m *Model) Close() error {
	if m.server != nil {
		m.server.Close()
	}
	return nil
}

// Learn reads the documents before they are published: an answer key needs them.
func (m *Model) Learn(ctx context.Context, db *postgres.DB, ids []uuid.UUID) (err error) {
	if m.before, err = report.From(db).ModelUsage(ctx, 0); err != nil {
		return fmt.Errorf("read what was asked before: %w", err)
	}
	if !m.Flags.Knowing() {
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
