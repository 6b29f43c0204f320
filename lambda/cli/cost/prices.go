package cost

import (
	"bytes"
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"regexp"
	"strings"

	"matchbook/lambda/postgres/report"
)

//go:embed models.json
var listPrices []byte

// ModelPrices are the prices of models.
type ModelPrices struct {
	Date   string `json:"date"`
	Source string `json:"source"`
	File   string `json:"file,omitempty"` // empty: built in
	prices []modelRate
}

// modelRate is the price of a model in USD per million tokens; nil for an unknown price.
type modelRate struct {
	Model      string   `json:"model"` // prefix of the name; see goesOn
	Prompt     *float64 `json:"prompt"`
	Completion *float64 `json:"completion"`
	Embedding  *float64 `json:"embedding"`
	// Date and Source override the list's.
	Date   string `json:"date"`
	Source string `json:"source"`
}

// ReadModelPrices reads a price list; use "" for the built-in one.
func ReadModelPrices(file string) (*ModelPrices, error) {
	raw := listPrices
	if file != "" {
		var err error
		if raw, err = os.ReadFile(file); err != nil {
			return nil, fmt.Errorf("--prices: %w", err)
		}
	}
	list, err := parsePrices(raw)
	if err != nil {
		return nil, fmt.Errorf("--prices: %s: %w", file, err)
	}
	list.File = file
	return list, nil
}

func parsePrices(raw []byte) (*ModelPrices, error) {
	var written struct {
		Date   string      `json:"date"`
		Source string      `json:"source"`
		Prices []modelRate `json:"usd_per_million_tokens"`
	}
	decoder := json.NewDecoder(bytes.NewReader(raw))
	decoder.DisallowUnknownFields()
	if !json.Valid(raw) {
		return nil, errors.New("invalid JSON")
	}
	if err := decoder.Decode(&written); err != nil {
		return nil, fmt.Errorf("invalid price list: %w; see matchbook cost --help", err)
	}
	if len(written.Prices) == 0 {
		return nil, errors.New("missing usd_per_million_tokens")
	}
	seen := make(map[string]bool)
	for i, p := range written.Prices {
		switch {
		case p.Model == "":
			return nil, fmt.Errorf("missing model of price %d", i+1)
		case strings.Contains(p.Model, " "):
			return nil, fmt.Errorf("invalid model %.50q: must not contain a space", p.Model)
		case seen[p.Model]:
			return nil, fmt.Errorf("duplicate price of %.50q", p.Model)
		case p.Prompt == nil && p.Completion == nil && p.Embedding == nil:
			return nil, fmt.Errorf("missing price of %.50q: set prompt, completion or embedding", p.Model)
		}
		for _, usd := range []*float64{p.Prompt, p.Completion, p.Embedding} {
			if usd != nil && *usd < 0 {
				return nil, fmt.Errorf("negative price of %.50q", p.Model)
			}
		}
		seen[p.Model] = true
	}
	return &ModelPrices{Date: written.Date, Source: written.Source, prices: written.Prices}, nil
}

// goesOn matches the rest of a model's name after the prefix: nothing, a version's date, a
// tag or a server. Other rests are other models: gpt-4.1-nano isn't gpt-4.1.
var goesOn = regexp.MustCompile(`^($|-\d{4}|[@:])`)

// Of returns the price of a model by its stored name; the zero value if unknown. The
// longest prefix wins.
func (l *ModelPrices) Of(model string) (best modelRate) {
	name, _, _ := strings.Cut(model, " ")
	for _, p := range l.prices {
		rest, ok := strings.CutPrefix(name, p.Model)
		if ok && goesOn.MatchString(rest) && len(p.Model) > len(best.Model) {
			best = p
		}
	}
	return best
}

// USD returns the price of calls of a model, or false if it is unknown.
func (l *ModelPrices) USD(model string, prompt, completion int) (usd float64, known bool) {
	p := l.Of(model)
	return p.usd(prompt, completion, 0), p.Prompt != nil && p.Completion != nil
}

func (l *ModelPrices) bill(s report.Spent) expense {
	p := l.Of(s.Model)
	b := expense{
		TenantID: &s.TenantID, Day: s.Day.Format("2006-01-02"), Model: s.Model, Calls: s.Calls, Unusable: s.Unusable,
		PromptTokens: s.PromptTokens, CompletionTokens: s.CompletionTokens,
		Embeddings: s.Embeddings, EmbeddingTokens: s.EmbeddingTokens,
		CallsSaved: s.Replays, EmbeddingsSaved: s.EmbeddingReplays,
	}
	if s.Calls > 0 && (p.Prompt == nil || p.Completion == nil) || s.Embeddings > 0 && p.Embedding == nil {
		b.Incomplete = true
		return b
	}
	usd := p.usd(s.PromptTokens, s.CompletionTokens, s.EmbeddingTokens)
	saved := p.usd(s.ReplayedPromptTokens, s.ReplayedCompletionTokens, s.ReplayedEmbeddingTokens)
	b.USD, b.USDSaved = &usd, &saved
	return b
}

func (p modelRate) usd(prompt, completion int, embedding float64) (usd float64) {
	for _, part := range []struct {
		tokens    float64
		modelRate *float64
	}{{float64(prompt), p.Prompt}, {float64(completion), p.Completion}, {embedding, p.Embedding}} {
		if part.modelRate != nil {
			usd += part.tokens * *part.modelRate / 1e6
		}
	}
	return usd
}
