// Package variable holds the names of environment variables, which infrastructure
// and runtime share. What each means, and its default, is in lambda/setup.
package variable

// SecretSuffix is appended to a variable's name to get the variable with the
// ARN of the secret, in Secrets Manager, that holds the value.
const SecretSuffix = "_SECRET_ARN"

// Names of the environment variables.
const (
	Stage         = "STAGE" // the name of the deployment, in metrics and logs
	DatabaseURL   = "DATABASE_URL"
	QueueURL      = "QUEUE_URL"
	MatchQueueURL = "MATCH_QUEUE_URL"
	MatchMode     = "MATCH_MODE"
	RetrySchedule = "RETRY_SCHEDULE"
	// The model: any with the OpenAI API.
	OpenAIKey            = "OPENAI_API_KEY"
	OpenAIBaseURL        = "OPENAI_BASE_URL"
	OpenAIModel          = "OPENAI_MODEL"
	OpenAIEmbeddingModel = "OPENAI_EMBEDDING_MODEL"
	OpenAIAzureVersion   = "OPENAI_AZURE_API_VERSION"
	OpenAINoTemperature  = "OPENAI_NO_TEMPERATURE"
	OpenAIEffort         = "OPENAI_REASONING_EFFORT"
	OpenAIThoughts       = "OPENAI_REASONING_TOKENS"
	OpenAIDimensions     = "OPENAI_EMBEDDING_DIMENSIONS"
	LLMRetryBase         = "LLM_RETRY_BASE"
	LLMTimeout           = "LLM_TIMEOUT"
	// ModelPrice is the price of the model, "prompt,completion" in USD per million
	// tokens. Without it there is no budget and no cost.
	ModelPrice = "MODEL_PRICE"
	// CallsInFlight replaces the one of the function's row in manifest.
	CallsInFlight = "CALLS_IN_FLIGHT"
	// ReviewTokenSecret is the key that signs the tokens of reviews.
	ReviewTokenSecret = "REVIEW_TOKEN_SECRET"
	// The receiver of match offers: its URL, and the key that signs requests to it.
	OffersWebhookURL    = "OFFERS_WEBHOOK_URL"
	OffersWebhookSecret = "OFFERS_WEBHOOK_SECRET"
	// The receiver of events, likewise.
	EventsWebhookURL    = "EVENTS_WEBHOOK_URL"
	EventsWebhookSecret = "EVENTS_WEBHOOK_SECRET"
	// OffersCatchUp is the age above which a date without offers is skipped.
	OffersCatchUp = "OFFERS_CATCH_UP"
	// Files: the store, s3://bucket or file:///folder, and the OCR for pages
	// without text.
	BlobURL = "BLOB_URL"
	OCR     = "OCR"
	// OCRQuality is the quality below which a page is repaired and read again.
	OCRQuality = "OCR_QUALITY"
	// PDFTime is the time of an operation on a PDF or on one of its pages.
	PDFTime = "PDF_TIME"
	// Lease replaces the one of the function's row.
	Lease = "LEASE"
	// Google Document AI, where OCR names it.
	DocumentAIKey       = "DOCUMENTAI_KEY"
	DocumentAIProcessor = "DOCUMENTAI_PROCESSOR"
	// Notifications of failures: the channels, and the links in their messages.
	SlackWebhookURL = "SLACK_WEBHOOK_URL"
	EmailFrom       = "EMAIL_FROM"
	EmailTo         = "EMAIL_TO"
	AdminBaseURL    = "ADMIN_BASE_URL"
	// The login of the console: the issuer, the console as its client, the claim with
	// the groups, and the scopes that are asked for.
	OIDCIssuer       = "OIDC_ISSUER"
	OIDCClientID     = "OIDC_CLIENT_ID"
	OIDCClientSecret = "OIDC_CLIENT_SECRET"
	OIDCGroupsClaim  = "OIDC_GROUPS_CLAIM"
	OIDCScopes       = "OIDC_SCOPES"
	// ServerForTests names a server for tests, never a production one.
	ServerForTests = "MATCHBOOK_TEST_DATABASE_URL"
	// Postgres selects the server of runs and tests on a developer's
	// machine: url, system or npm.
	Postgres = "MATCHBOOK_POSTGRES"
)
