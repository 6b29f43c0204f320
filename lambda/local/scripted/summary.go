package scripted

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"math"
	"slices"

	"matchbook/lambda/cli/term"
	"matchbook/lambda/manifest"
	"matchbook/lambda/manifest/variable"
	"matchbook/lambda/postgres"
	"matchbook/lambda/postgres/report"
)

// Summary counts the questions to a model, and their tokens.
type Summary struct {
	Mode string `json:"mode"`
	Name string `json:"name,omitempty"` // of the model
	Note string `json:"note,omitempty"` // that no real model was asked

	// As the database has it: answers that came, each in a call of its own.
	Documents        int     `json:"documents"`        // of the run
	Asking           int     `json:"documents_asking"` // that have an answer
	Questions        int     `json:"questions"`        // different ones
	Calls            int     `json:"calls"`
	CallsPerDocument float64 `json:"calls_per_document"`
	Unusable         int     `json:"unusable"` // answers that were refused
	Replays          int     `json:"replays"`  // how often an answer was used again
	PromptTokens     int     `json:"prompt_tokens"`
	CompletionTokens int     `json:"completion_tokens"`
	TokensPerDoc     float64 `json:"tokens_per_document"`

	Server *serverReport `json:"server,omitempty"` // of a scripted model
}

// serverReport has the counts of the scripted server, which include failed calls.
type serverReport struct {
	Calls            int            `json:"calls"`
	Billed           int            `json:"billed"` // that a provider would charge for
	PromptTokens     int            `json:"prompt_tokens"`
	CompletionTokens int            `json:"completion_tokens"`
	FaultSeed        uint64         `json:"fault_seed,omitempty"`
	Faults           map[string]int `json:"faults"` // by kind, 0 for those that did not happen
}

// name is the name of the model in the function's configuration.
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
		return "SCRIPTED: no real model was asked; the candidate with most values in common was chosen"
	case ModeYes, ModeNo:
		return "SCRIPTED: no real model was asked; every candidate was answered with " + m.Flags.Mode
	case ModeOracle:
		return "SCRIPTED: no real model was asked; the answers are those of links.csv"
	case ModeNoisy:
		return fmt.Sprintf("SCRIPTED: no real model was asked; the answers are those of links.csv, "+
			"%g %% of them wrong on purpose (seed %d)",
			100*m.Flags.Noise, m.Seed)
	}
	return ""
}

// Report counts the questions since Learn, for a run of so many documents.
func (m *Model) Report(ctx context.Context, db *postgres.DB, documents int) (r Summary, err error) {
	u, err := report.From(db).ModelUsage(ctx, m.before.Last)
	if err != nil {
		return r, fmt.Errorf("read what was asked: %w", err)
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
		line("none: what rules leave open is undecided")
		return lines
	}
	line("%s, as %s", r.Mode, term.Clean(r.Name, term.MaxValue))
	if r.Note != "" {
		line("%s", r.Note)
	}
	line("%d of %d documents asked %d questions in %d calls, %.2f a document",
		r.Asking, r.Documents, r.Questions, r.Calls, r.CallsPerDocument)
	line("%d answers were used again, %d were unusable", r.Replays, r.Unusable)
	line("%d prompt and %d completion tokens, %.2f a document", r.PromptTokens, r.CompletionTokens, r.TokensPerDoc)
	if s := r.Server; s != nil {
		line("the server counted %d calls, %d of them billed with %d and %d tokens",
			s.Calls, s.Billed, s.PromptTokens, s.CompletionTokens)
		r.faults(line)
	}
	return lines
}

// faults lists the calls that failed on purpose.
func (r Summary) faults(line func(format string, args ...any)) {
	if r.Server.FaultSeed == 0 {
		return
	}
	total := 0
	for _, n := range r.Server.Faults {
		total += n
	}
	line("of these %d failed on purpose (seed %d)", total, r.Server.FaultSeed)
	for _, kind := range slices.Sorted(maps.Keys(r.Server.Faults)) {
		if n := r.Server.Faults[kind]; n > 0 {
			line("%4d %s", n, kind)
		}
	}
}
