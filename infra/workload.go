package main

import (
	"matchbook/lambda/manifest"

	"github.com/aws/jsii-runtime-go"
)

// newWorkload makes all resources of a row of the manifest.
func newWorkload(s *site, f manifest.Function) queueFunction {
	variables := s.notifications()
	variables.values[manifest.EnvRetrySchedule] = jsii.String(f.RetrySchedule())
	if f.AsksModel {
		s.addModel(variables)
	}
	q := s.newQueueFunction(f, variables)
	s.allowMail(q.function.Role())
	return q
}

// addModel adds the model for the pairs that rules leave open.
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
