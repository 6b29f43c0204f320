package scripted

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"math"
	"slices"

	"matchbook/lambda/cli/term"
	"matchbook/lambda/internal/plural"
	"matchbook/lambda/manifest"
	"matchbook/lambda/manifest/variable"
	"matchbook/lambda/postgres"
	"matchbook/lambda/postgres/report"
)

// Summary counts the questions to a model, and their tokens.
type Summary struct {
	Mode string `json:"mode"`
	Name string `json:"name,omitempty"` // of the model
	Note string `json:"note,omitempty"` // states that no real model was used

	// From the database: received answers, each from a separate call.
	Documents        int     `json:"documents"`        // of the run
	Asking           int     `json:"documents_asking"` // with an answer
	Questions        int     `json:"questions"`        // distinct
	Calls            int     `json:"calls"`
	CallsPerDocument float64 `json:"calls_per_document"`
	Unusable         int     `json:"unusable"` // refused answers
	Replays          int     `json:"replays"`  // reused answers
	PromptTokens     int     `json:"prompt_tokens"`
	CompletionTokens int     `json:"completion_tokens"`
	TokensPerDoc     float64 `json:"tokens_per_document"`

	Server *serverReport `json:"server,omitempty"` // of a scripted model
}

// serverReport has the counts of the scripted server, including failed calls.
type serverReport struct {
	Calls            int            `json:"calls"`
	Billed           int            `json:"billed"` // a provider would charge for these
	PromptTokens     int            `json:"prompt_tokens"`
	CompletionTokens int            `json:"completion_tokens"`
	FaultSeed        uint64         `json:"fault_seed,omitempty"`
	Faults           map[string]int `json:"faults"` // by kind, including 0
}

// name returns the model's name in the function's configuration.
func (m *Model) name() string {
	switch {
	case m.Flags.Mode == ModeOpenAI:
		return cmp.Or(m.Env(variable.OpenAIModel), manifest.DefaultModel)
	case m.Flags.Mode == ModeScripted:
		return ModeScripted
	case m.Flags.Scripted():
		return "scripted-" + m.Flags.Mode
	}
	return ""
}

func (m *Model) note() string {
	switch m.Flags.Mode {
	case ModeScripted:
		return "SCRIPTED: no real model was used; a stub chose the candidate with the most values in common"
	case ModeYes, ModeNo:
		return "SCRIPTED: no real model was used; every candidate was answered with " + m.Flags.Mode
	case ModeOracle:
		return "SCRIPTED: no real model was used; the answers come from links.csv"
	case ModeNoisy:
		return fmt.Sprintf("SCRIPTED: no real model was used; the answers come from links.csv, "+
			"%g %% of them wrong on purpose (seed %d)",
			100*m.Flags.Noise, m.Seed)
	}
	return ""
}

// Report counts the questions since Learn, for a run of the given number of documents.
func (m *Model) Report(ctx context.Context, db *postgres.DB, documents int) (r Summary, err error) {
	u, err := report.From(db).ModelUsage(ctx, m.before.Last)
	if err != nil {
		return r, fmt.Errorf("read model usage: %w", err)
	}
	per := func(n int) float64 { return math.Round(float64(n)/float64(max(documents, 1))*100) / 100 }
	r = Summary{Mode: cmp.Or(m.Flags.Mode, ModeNone), Name: m.name(), Note: m.note(),
		Documents: documents, Asking: u.Documents, Questions: u.Questions,
		Calls: u.Answers, CallsPerDocument: per(u.Answers), Unusable: u.Unusable, Replays: u.Replays - m.before.Replays,
		PromptTokens: u.PromptTokens, CompletionTokens: u.CompletionTokens,
		TokensPerDoc: per(u.PromptTokens + u.CompletionTokens)}
	if m.server != nil {
		r.Server = m.counted()
	}
	return r, nil
}

func (m *Model) counted() *serverReport {
	usage := m.server.Usage()
	s := &serverReport{PromptTokens: usage.PromptTokens, CompletionTokens: usage.CompletionTokens,
		FaultSeed: m.Flags.Faults, Faults: make(map[string]int)}
	for kind, n := range m.server.Faults() {
		s.Faults[string(kind)] = n
	}
	for _, c := range m.server.Calls() {
		s.Calls++
		if c.Billed {
			s.Billed++
		}
	}
	return s
}

// Lines returns the summary for people.
func (r Summary) Lines() (lines []string) {
	line := func(format string, args ...any) { lines = append(lines, fmt.Sprintf(format, args...)) }
	if r.Mode == ModeNone {
		line("none: questions left open by the rules stay undecided")
		return lines
	}
	line("%s, as %s", r.Mode, term.Clean(r.Name, term.MaxValue))
	if r.Note != "" {
		line("%s", r.Note)
	}
	line("%d of %s asked %s in %s, %.2f per document", r.Asking, plural.Of(r.Documents, "document", "documents"),
		plural.Of(r.Questions, "question", "questions"), plural.Of(r.Calls, "call", "calls"), r.CallsPerDocument)
	line("%s reused, %d unusable", plural.Of(r.Replays, "answer", "answers"), r.Unusable)
	line("%d prompt and %d completion tokens, %.2f per document", r.PromptTokens, r.CompletionTokens, r.TokensPerDoc)
	if s := r.Server; s != nil {
		line("the server counted %s, %d of them billed with %d and %d tokens",
			plural.Of(s.Calls, "call", "calls"), s.Billed, s.PromptTokens, s.CompletionTokens)
		r.faults(line)
	}
	return lines
}

// faults lists the injected faults.
func (r Summary) faults(line func(format string, args ...any)) {
	if r.Server.FaultSeed == 0 {
		return
	}
	total := 0
	for _, n := range r.Server.Faults {
		total += n
	}
	line("%d of these were injected faults (seed %d)", total, r.Server.FaultSeed)
	for _, kind := range slices.Sorted(maps.Keys(r.Server.Faults)) {
		if n := r.Server.Faults[kind]; n > 0 {
			line("%4d %s", n, kind)
		}
	}
}
