package scripted

import (
	"strings"
	"testing"

	"matchbook/lambda/manifest/variable"
)

func TestChooseModel(t *testing.T) {
	t.Parallel()
	const key = "sk-never-to-be-seen"
	for _, tc := range []struct{ given, variable, want, shown string }{
		{"", "", ModeNone, "rules only: no OPENAI_API_KEY; --model scripted shows the rest"},
		{"", variable.OpenAIKey, ModeOpenAI, "using the model in the environment"},
		{"", variable.OpenAIBaseURL, ModeOpenAI, "using the model in the environment"},
		{ModeNone, variable.OpenAIKey, ModeNone, "rules only: --model none"},
		{ModeOpenAI, variable.OpenAIKey, ModeOpenAI, "using a model: --model openai"},
		{ModeOracle, variable.OpenAIKey, ModeOracle, "SCRIPTED: --model oracle uses no real model"},
		{ModeYes, variable.OpenAIKey, ModeYes, "SCRIPTED: --model yes uses no real model"},
	} {
		env := func(name string) string { return map[string]string{tc.variable: key}[name] }
		o := Flags{Mode: tc.given}
		shown := o.Choose(env)
		if o.Mode != tc.want || !strings.HasPrefix(shown, tc.shown) || strings.Contains(shown, key) {
			t.Errorf("%+v: got %s, %q", tc, o.Mode, shown)
		}
	}
}
