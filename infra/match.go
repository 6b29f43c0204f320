package main

import (
	"matchbook/lambda/manifest"

	"github.com/aws/jsii-runtime-go"
)

// newMatch is the workload that matches documents. A further one is a file
// such as this one.
func newMatch(s *site) queueFunction {
	variables := s.notifications()
	s.addModel(variables)
	match := s.newQueueFunction(s.facts.Match, "Matches the documents that its queue names", variables)
	s.allowMail(match.function.Role())
	return match
}

// addModel adds whom to ask what rules leave open.
func (s *site) addModel(e environment) {
	c := s.config
	for name, value := range map[string]string{
		manifest.EnvMatchMode:                         c.Mode,
		manifest.EnvOpenAIBaseURL:                     c.BaseURL,
		manifest.EnvOpenAIModel:                       c.Model,
		manifest.EnvOpenAIEmbeddingModel:              c.EmbeddingModel,
		manifest.EnvOpenAIAzureVersion:                c.AzureVersion,
		manifest.EnvOpenAINoTemperature:               c.NoTemperature,
		manifest.EnvLLMTimeout:                        c.LLMTimeout,
		manifest.EnvLLMRetryBase:                      c.RetryBase,
		manifest.EnvOpenAIKey:                         "",
		manifest.EnvOpenAIKey + manifest.SecretSuffix: "",
	} {
		e.values[name] = jsii.String(value)
	}
	if c.Mode == "model" && c.OpenAISecret != "none" {
		e.secrets[manifest.EnvOpenAIKey] = s.secretOf(c.OpenAISecret, "openai-api-key")
	}
}
