package model

import (
	"strings"
	"testing"

	"matchbook/lambda/manifest"
)

func TestModelIsChosenByTheEnvironmentAndShown(t *testing.T) {
	t.Parallel()
	const key = "sk-never-to-be-seen"
	for _, tc := range []struct{ given, variable, want, shown string }{
		{"", "", None, "rules only: no OPENAI_API_KEY; --model scripted shows the rest"},
		{"", manifest.EnvOpenAIKey, OpenAI, "a model is asked: the environment has one"},
		{"", manifest.EnvOpenAIBaseURL, OpenAI, "a model is asked: the environment has one"},
		{None, manifest.EnvOpenAIKey, None, "rules only: --model none"},
		{OpenAI, manifest.EnvOpenAIKey, OpenAI, "a model is asked: --model openai"},
		{Oracle, manifest.EnvOpenAIKey, Oracle, "SCRIPTED: --model oracle asks no real model"},
		{Yes, manifest.EnvOpenAIKey, Yes, "SCRIPTED: --model yes asks no real model"},
	} {
		env := func(name string) string { return map[string]string{tc.variable: key}[name] }
		o := Options{Mode: tc.given}
		shown := o.Choose(env)
		if o.Mode != tc.want || !strings.HasPrefix(shown, tc.shown) || strings.Contains(shown, key) {
			t.Errorf("%+v: got %s, %q", tc, o.Mode, shown)
		}
	}
}
