package contract

import (
	"slices"

	"matchbook/lambda/manifest"
	"matchbook/lambda/manifest/variable"
)

// variables lists the variables, except for the ones of other functions' queues, with the
// functions that read them.
var variables = []struct {
	of func(needs) bool
	Variable
}{
	{every, Variable{Name: variable.Stage, Value: "stage", Meaning: "the name of the deployment, in metrics and logs"}},
	{every, Variable{Name: variable.DatabaseURL, Required: true, Meaning: "PostgreSQL"}},
	{every, Variable{Name: variable.DatabaseHost, Meaning: "the database's host, for a secret managed by RDS (rds!cluster-...)"}},
	{every, Variable{Name: variable.DatabasePort, Default: "5432", Meaning: "its port, likewise"}},
	{every, Variable{Name: variable.DatabaseName, Default: "postgres", Meaning: "its database, likewise"}},
	{every, Variable{Name: variable.RootCertificates, Meaning: "a file of CA certificates for the database, such as one in a layer"}},
	{every, Variable{Name: variable.ConnectTimeout, Default: "5", Meaning: "the time limit of connecting to it, in seconds"}},
	{repairs, Variable{Name: variable.SweepRests, Meaning: "any value, for a database that pauses without connections"}},
	{migrates, Variable{Name: variable.AppDatabaseURL, Meaning: "the database as the programs' user, which migrations then make"}},
	{migrates, Variable{Name: variable.FunctionsDatabaseURL, Meaning: "DATABASE_URL of the others, if it differs, to check its secret"}},
	{migrates, Variable{Name: variable.Rollout, Meaning: "the CodeDeploy application, to check its new versions; unset: none"}},
	{hasQueue, Variable{Name: variable.QueueURL, Required: true, Meaning: "the queue that feeds the function"}},
	{hasRetries, Variable{Name: variable.RetrySchedule, Meaning: "the backoff before each retry"}},
	{hasLease, Variable{Name: variable.Lease, Meaning: "the time until a dead worker is replaced"}},
	{hasCalls, Variable{Name: variable.CallsInFlight, Meaning: "concurrent model calls of an instance"}},
	{namesModel, Variable{Name: variable.MatchMode, Default: "model", Meaning: "model, or rules to ask no model"}},
	{namesModel, Variable{Name: variable.OpenAIModel, Default: manifest.DefaultModel, Meaning: "the model's name, or Azure's deployment"}},
	{namesModel, Variable{Name: variable.ModelPrice, Meaning: "the model's price, prompt,completion in USD per million tokens"}},
	{asksModel, Variable{Name: variable.OpenAIKey, Required: true, Meaning: "its key, unless OPENAI_BASE_URL or MATCH_MODE=rules is set"}},
	{asksModel, Variable{Name: variable.OpenAIBaseURL, Meaning: "a server with OpenAI's API"}},
	{asksModel, Variable{Name: variable.OpenAIAzureVersion, Meaning: "Azure's API version; it selects Azure's form of requests"}},
	{asksModel, Variable{Name: variable.OpenAIEmbeddingModel, Meaning: "the model of embeddings"}},
	{asksModel, Variable{Name: variable.OpenAIDimensions, Meaning: "dimensions of embeddings"}},
	{asksModel, Variable{Name: variable.OpenAINoTemperature, Meaning: "any value, for a model that refuses a temperature"}},
	{asksModel, Variable{Name: variable.OpenAIEffort, Meaning: "effort of reasoning, such as low"}},
	{asksModel, Variable{Name: variable.OpenAIThoughts, Meaning: "room for reasoning, in tokens"}},
	{asksModel, Variable{Name: variable.LLMTimeout, Default: "60s", Meaning: "the time limit of a model call"}},
	{asksModel, Variable{Name: variable.LLMRetryBase, Default: "2s", Meaning: "the first wait before a model call is repeated"}},
	{hasFiles, Variable{Name: variable.BlobURL, Value: "files", Meaning: "the store of files"}},
	{readsPages, Variable{Name: variable.OCR, Default: "none", Meaning: "the engine for pages without text: textract, documentai or none"}},
	{readsPages, Variable{Name: variable.OCRQuality, Default: "0.7", Meaning: "pages read with a lower quality are repaired"}},
	{readsPages, Variable{Name: variable.PDFTime, Default: "20s", Meaning: "the time limit of an operation on a PDF"}},
	{readsPages, Variable{Name: variable.DocumentAIKey, Meaning: "the JSON of a service account's key, with OCR=documentai"}},
	{readsPages, Variable{Name: variable.DocumentAIProcessor, Meaning: "the processor, with OCR=documentai"}},
	{delivers(manifest.Sets), Variable{Name: variable.OffersWebhookURL, Meaning: "the receiver of match offers"}},
	{delivers(manifest.Sets), Variable{Name: variable.OffersWebhookSecret, Meaning: "the key that signs requests to it"}},
	{delivers(manifest.Events), Variable{Name: variable.EventsWebhookURL, Meaning: "the receiver of events"}},
	{delivers(manifest.Events), Variable{Name: variable.EventsWebhookSecret, Meaning: "the key that signs requests to it"}},
	{notifies, Variable{Name: variable.SlackWebhookURL, Meaning: "the channel for failures"}},
	{notifies, Variable{Name: variable.EmailFrom, Meaning: "the sender of mails about failures"}},
	{notifies, Variable{Name: variable.EmailTo, Meaning: "the recipients of mails about failures"}},
	{linksConsole, Variable{Name: variable.AdminBaseURL, Meaning: "the console's address, for links and logins"}},
	{traces, Variable{Name: variable.OTLPEndpoint, Meaning: "the collector of OpenTelemetry (OTLP over HTTP); unset: no tracing"}},
	{traces, Variable{Name: variable.OTLPHeaders, Meaning: "headers for it, key=value,other=value"}},
	{traces, Variable{Name: variable.OTLPShare, Default: "1", Meaning: "the share of traces to record"}},
	{queuesOffers, Variable{Name: variable.OffersCatchUp, Default: "36h", Meaning: "dates due longer ago are skipped"}},
	{signsTokens, Variable{Name: variable.ReviewTokenSecret, Required: true, Meaning: "the key for tokens of reviews, 32 bytes or more"}},
	{logsIn, Variable{Name: variable.OIDCIssuer, Required: true, Meaning: "the OpenID Connect issuer for logins"}},
	{logsIn, Variable{Name: variable.OIDCClientID, Required: true, Meaning: "the console's client id at its issuer"}},
	{logsIn, Variable{Name: variable.OIDCClientSecret, Meaning: "the console's secret at its issuer; a public client has none"}},
	{logsIn, Variable{Name: variable.OIDCGroupsClaim, Default: "cognito:groups", Meaning: "the claim with the groups"}},
	{logsIn, Variable{Name: variable.OIDCScopes, Default: "email profile", Meaning: "scopes in addition to openid"}},
}

func every(needs) bool          { return true }
func hasQueue(n needs) bool     { return n.queue != nil }
func hasRetries(n needs) bool   { return n.retries != "" }
func hasLease(n needs) bool     { return hasQueue(n) && n.queue.Lease > 0 }
func hasCalls(n needs) bool     { return hasQueue(n) && n.queue.CallsInFlight > 0 }
func hasFiles(n needs) bool     { return len(n.files) > 0 }
func namesModel(n needs) bool   { return n.asks || n.namesModel }
func asksModel(n needs) bool    { return n.asks }
func readsPages(n needs) bool   { return hasQueue(n) && n.queue.ReadsPages }
func notifies(n needs) bool     { return n.people }
func linksConsole(n needs) bool { return n.people || n.login }
func logsIn(n needs) bool       { return n.login }
func signsTokens(n needs) bool  { return n.tokens }
func queuesOffers(n needs) bool { return n.schedule }
func traces(n needs) bool       { return !n.migrates }
func repairs(n needs) bool      { return n.repairs }
func migrates(n needs) bool     { return n.migrates }

func delivers(r manifest.Receiver) func(needs) bool {
	return func(n needs) bool { return slices.Contains(n.delivers, r) }
}

func isSecret(name string) bool {
	return slices.Contains(manifest.Secrets, name) || name == variable.AppDatabaseURL || name == variable.FunctionsDatabaseURL
}

func (n needs) environment() (list []Variable) {
	for _, row := range variables {
		if !row.of(n) {
			if n.migrates && isSecret(row.Name) {
				list = append(list, Variable{Name: row.Name, Secret: true, Meaning: "only its secret is checked: " + row.Meaning})
			}
			continue
		}
		v := row.Variable
		v.Secret = isSecret(v.Name)
		list = append(list, n.fill(v))
	}
	for _, t := range n.publishes {
		v := Variable{Name: t.QueueEnv(), Value: "queue:" + t.Name, Required: t.required, Meaning: "the queue that feeds " + t.Name}
		if t.chosen {
			v.Value, v.Meaning = "", "set it to the URL of the queue of "+t.Name+" to publish there, too"
		}
		list = append(list, v)
	}
	return list
}

// fill adds what depends on the function.
func (n needs) fill(v Variable) Variable {
	switch v.Name {
	case variable.QueueURL:
		v.Value = "queue:" + n.name
	case variable.RetrySchedule:
		v.Default = n.retries
	case variable.Lease:
		v.Default = n.queue.Lease.String()
	case variable.BlobURL:
		v.Required = !n.filesOptional
	case variable.AdminBaseURL:
		v.Required = n.login
	}
	return v
}
