package main

import (
	"slices"
	"strconv"

	"matchbook/infra/settings"
	"matchbook/lambda/manifest"
	"matchbook/lambda/manifest/permission"
	"matchbook/lambda/manifest/variable"

	"github.com/aws/jsii-runtime-go"
)

// newWorkload makes all resources of a manifest row. It may publish to earlier rows only, so
// the manifest must list receivers first.
func newWorkload(s *site, f manifest.Function, earlier []queueFunction) queueFunction {
	variables := s.variables(f)
	target := slices.IndexFunc(earlier, func(w queueFunction) bool { return w.facts.Name == f.PublishesTo })
	if target >= 0 {
		variables.values[earlier[target].facts.QueueEnv()] = earlier[target].queue.QueueUrl()
	}
	q := s.newQueueFunction(f, variables)
	s.grant(q.function.Role(), append(slices.Clone(earlier), q), permission.OfFunction(f)...)
	if f.ReadsPages && s.config.OCR == settings.Textract {
		s.grant(q.function.Role(), nil, permission.ReadPages)
	}
	if !f.Rowless {
		s.allowMail(q.function.Role())
	}
	return q
}

func named(workloads []queueFunction, name string) queueFunction {
	return workloads[slices.IndexFunc(workloads, func(w queueFunction) bool { return w.facts.Name == name })]
}

// reviewContracts lets functions publish a review of each ingested contract, if set.
func (s *site) reviewContracts(workloads []queueFunction) {
	if !s.config.ReviewContracts {
		return
	}
	for _, from := range workloads {
		if from.facts.MayPublishTo == "" {
			continue
		}
		to := named(workloads, from.facts.MayPublishTo)
		from.function.AddEnvironment(jsii.String(to.facts.QueueEnv()), to.queue.QueueUrl(), nil)
		s.grant(from.function.Role(), workloads, permission.OfContracts(from.facts)...)
	}
}

// variables returns the variables of a row's function, except its queues.
func (s *site) variables(f manifest.Function) environment {
	e := s.notifications()
	if f.Rowless { // it never notifies people
		e = s.addTracing(environment{map[string]*string{}, e.secrets})
		delete(e.secrets, variable.SlackWebhookURL)
	}
	e.values[variable.RetrySchedule] = jsii.String(f.FormatBackoff())
	if f.AsksModel {
		s.addModel(e)
	}
	if len(f.Files) > 0 {
		e.values[variable.BlobURL] = s.files.S3UrlForObject(nil)
	}
	if f.Lease > 0 {
		e.values[variable.Lease] = jsii.String(f.Lease.String())
	}
	if f.CallsInFlight > 0 {
		e.values[variable.CallsInFlight] = jsii.String(strconv.Itoa(f.CallsInFlight))
	}
	if f.ReadsPages {
		s.addOCR(e)
		e.values[variable.PDFTime] = jsii.String("") // because sam local invoke sets only existing names
	}
	s.addReceiver(e, f.Delivers)
	return e
}

func (s *site) addOCR(e environment) {
	c := s.config
	e.values[variable.OCR] = jsii.String(c.OCR)
	e.values[variable.DocumentAIProcessor] = jsii.String(c.DocumentAIProcessor)
	for _, name := range []string{variable.DocumentAIKey, variable.OCRQuality} {
		e.values[name] = jsii.String("") // because sam local invoke sets only existing names
	}
	if c.OCR == settings.DocumentAI {
		e.secrets[variable.DocumentAIKey] = s.secretOf(c.DocumentAISecret, "documentai-key")
	}
}

func (s *site) addModel(e environment) {
	c := s.config
	for name, value := range map[string]string{
		variable.MatchMode:                         c.Mode,
		variable.OpenAIBaseURL:                     c.BaseURL,
		variable.OpenAIModel:                       c.Model,
		variable.OpenAIEmbeddingModel:              c.EmbeddingModel,
		variable.OpenAIAzureVersion:                c.AzureVersion,
		variable.OpenAINoTemperature:               c.NoTemperature,
		variable.OpenAIEffort:                      c.Effort,
		variable.OpenAIThoughts:                    c.Thoughts,
		variable.OpenAIDimensions:                  c.Dimensions,
		variable.LLMTimeout:                        c.LLMTimeout,
		variable.LLMRetryBase:                      c.RetryBase,
		variable.ModelPrice:                        c.Prices(),
		variable.OpenAIKey:                         "",
		variable.OpenAIKey + variable.SecretSuffix: "",
	} {
		e.values[name] = jsii.String(value)
	}
	if c.Mode == "model" && c.OpenAISecret != "none" {
		e.secrets[variable.OpenAIKey] = s.secretOf(c.OpenAISecret, "openai-api-key")
	}
}
