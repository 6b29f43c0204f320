package cost

import (
	"slices"
	"testing"

	"matchbook/lambda/internal/must"
)

func TestLongestPriceNameWins(t *testing.T) {
	t.Parallel()
	builtIn := must.Get(ReadModelPrices(""))(t)
	if builtIn.Date == "" || builtIn.Source == "" {
		t.Error("the prices that are built in do not say from when and where they are")
	}
	for _, p := range builtIn.prices {
		if (p.Date == "") != (p.Source == "") {
			t.Errorf("%s: a price has both a date and a source of its own, or neither", p.Model)
		}
	}
	for model, want := range map[string]string{
		"gpt-4.1":                                       "gpt-4.1",
		"gpt-4.1 temperature=0 seed=1":                  "gpt-4.1",
		"gpt-4.1-mini temperature=0 seed=1":             "gpt-4.1-mini",
		"gpt-4.1-mini-2025-04-14 temperature=0":         "gpt-4.1-mini",
		"gpt-4.1-mini@acme.openai.azure.com":            "gpt-4.1-mini",
		"gpt-4o-2024-08-06 seed=1":                      "gpt-4o",
		"gpt-4o-2024-05-13":                             "gpt-4o-2024-05-13",
		"gpt-4o-mini-2024-07-18":                        "gpt-4o-mini",
		"gpt-4o-audio-preview":                          "",
		"gpt-4.1-nano":                                  "",
		"gpt-4.10":                                      "",
		"gpt-4":                                         "",
		"o4-mini seed=1":                                "o4-mini",
		"o4-mini-deep-research":                         "",
		"gpt-5 seed=1 effort=low":                       "gpt-5",
		"gpt-5-mini-2025-08-07 seed=1":                  "gpt-5-mini",
		"gpt-5.4-nano seed=1":                           "gpt-5.4-nano",
		"gpt-5.9":                                       "",
		"deepseek-flash@api.deepseek.com temperature=0": "deepseek-flash",
		"openai/gpt-oss-120b@api.groq.com":              "openai/gpt-oss-120b",
		"ft:gpt-4o-mini:acme::1":                        "",
		"text-embedding-3-small dimensions=256":         "text-embedding-3-small",
		"text-embedding-3-large dimensions=256":         "text-embedding-3-large",
		"llama3.1:8b@ollama:11434 temperature=0":        "",
		"x gpt-4.1":                                     "",
		"":                                              "",
	} {
		for range 2 { // the order of the list makes no difference
			if got := builtIn.Of(model).Model; got != want {
				t.Errorf("%q is priced as %q, want %q", model, got, want)
			}
			slices.Reverse(builtIn.prices)
		}
	}
}
