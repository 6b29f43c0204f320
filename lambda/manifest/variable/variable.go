// Package variable holds the names of environment variables, shared by infrastructure and
// runtime. See the page of lambda/setup for their meanings and defaults.
package variable

// SecretSuffix is appended to a variable's name if its value is the ARN of a secret in Secrets
// Manager.
const SecretSuffix = "_SECRET_ARN"

// Names of the environment variables.
const (
	Stage         = "STAGE" // the deployment's name, in metrics and logs
	DatabaseURL   = "DATABASE_URL"
	QueueURL      = "QUEUE_URL"
	MatchQueueURL = "MATCH_QUEUE_URL"
	// AppDatabaseURL is the database as the programs' user; used by the migrations, to make it.
	AppDatabaseURL = "APP_DATABASE_URL"
	// FunctionsDatabaseURL is DATABASE_URL of the functions, if it differs from the migrations';
	// they only read its secret.
	FunctionsDatabaseURL = "FUNCTIONS_DATABASE_URL"
	// Rollout is the CodeDeploy application. The migrate function checks its deployments.
	Rollout = "ROLLOUT"
	// The database's address for a secret without it, as for every PostgreSQL client.
	DatabaseHost = "PGHOST"
	DatabasePort = "PGPORT"
	DatabaseName = "PGDATABASE"
	// RootCertificates names a file of CA certificates, as for every PostgreSQL client.
	RootCertificates = "PGSSLROOTCERT"
	// ConnectTimeout limits connecting, in seconds, as for every PostgreSQL client.
	ConnectTimeout = "PGCONNECT_TIMEOUT"
	// SweepRests, if not empty, makes the sweep leave the database alone while nothing is open.
	SweepRests    = "SWEEP_RESTS"
	MatchMode     = "MATCH_MODE"
	RetrySchedule = "RETRY_SCHEDULE"
	// The model: use any with the OpenAI API.
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
	// ModelPrice is the model's price, "prompt,completion" in USD per million tokens. It must
	// be set for a budget and for costs.
	ModelPrice = "MODEL_PRICE"
	// CallsInFlight overrides the function's row in manifest.
	CallsInFlight = "CALLS_IN_FLIGHT"
	// ReviewTokenSecret is the key that signs the tokens of reviews.
	ReviewTokenSecret = "REVIEW_TOKEN_SECRET"
	// The receiver of match offers: its URL, and the key to sign requests with.
	OffersWebhookURL    = "OFFERS_WEBHOOK_URL"
	OffersWebhookSecret = "OFFERS_WEBHOOK_SECRET"
	// The receiver of events, likewise.
	EventsWebhookURL    = "EVENTS_WEBHOOK_URL"
	EventsWebhookSecret = "EVENTS_WEBHOOK_SECRET"
	// OffersCatchUp is the age above which a date without offers is skipped.
	OffersCatchUp = "OFFERS_CATCH_UP"
	// Files: the store, s3://bucket or file:///folder, and the OCR to use for pages without
	// text.
	BlobURL = "BLOB_URL"
	OCR     = "OCR"
	// OCRQuality is the quality below which a page is repaired and read again.
	OCRQuality = "OCR_QUALITY"
	// PDFTime limits an operation on a PDF or on one of its pages.
	PDFTime = "PDF_TIME"
	// Lease overrides the function's row in manifest.
	Lease = "LEASE"
	// Google Document AI; used if OCR names it.
	DocumentAIKey       = "DOCUMENTAI_KEY"
	DocumentAIProcessor = "DOCUMENTAI_PROCESSOR"
	// Notifications of failures: the channels, and the links in their messages.
	SlackWebhookURL = "SLACK_WEBHOOK_URL"
	EmailFrom       = "EMAIL_FROM"
	EmailTo         = "EMAIL_TO"
	AdminBaseURL    = "ADMIN_BASE_URL"
	// The console's login: the issuer, the console as its client, the claim with the groups,
	// and the scopes to request.
	OIDCIssuer       = "OIDC_ISSUER"
	OIDCClientID     = "OIDC_CLIENT_ID"
	OIDCClientSecret = "OIDC_CLIENT_SECRET"
	OIDCGroupsClaim  = "OIDC_GROUPS_CLAIM"
	OIDCScopes       = "OIDC_SCOPES"
	// Tracing: the collector's endpoint, headers of its requests, and the share of traces to
	// record. The names are OpenTelemetry's.
	OTLPEndpoint = "OTEL_EXPORTER_OTLP_ENDPOINT"
	OTLPHeaders  = "OTEL_EXPORTER_OTLP_HEADERS"
	OTLPShare    = "OTEL_TRACES_SAMPLER_ARG"
	// ServerForTests names a server for tests. It must never be a production server.
	ServerForTests = "MATCHBOOK_TEST_DATABASE_URL"
	// Postgres selects the server to use for runs and tests on a developer's machine: url,
	// system or npm.
	Postgres = "MATCHBOOK_POSTGRES"
)
