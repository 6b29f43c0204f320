// Package manifest holds the facts that the infrastructure and the runtime
// must agree on: names, timeouts, batch sizes, retry schedules and the names
// of the environment variables. Package metric, below it, holds the names of metrics.
//
// Functions and Tasks, in function.go, are the lists of all that every stack has,
// OptionalTasks has what settings ask for. A further row in Functions is a further
// queue with its dead-letter queue, function, mapping, alarms, graphs and rights:
// the infrastructure, setup, doctor and the local stack compare no row's name. What
// sets a row apart is a field of the row.
package manifest

import "time"

const (
	// LeaseMargin is added to the end of an invocation to get the end of its
	// claims, for the clock of the machine and the last write.
	LeaseMargin = time.Minute
	// SettleReserve is kept free at the end of an invocation for settling.
	SettleReserve = 15 * time.Second
	// RespondReserve is the last part of SettleReserve, when settling has
	// ended: for the calls to the queue and the response.
	RespondReserve = 6 * time.Second
	// StreamReserve is kept free at the end of an invocation that streams, so that
	// the stream ends as planned.
	StreamReserve = 15 * time.Second
	// NotifyReserve bounds the time that sending notifications takes beyond the
	// end of its context, to record which of them were sent.
	NotifyReserve = 5 * time.Second
	// MaxVisibility is SQS's limit from the receive of a message.
	MaxVisibility = 12 * time.Hour
	// MaxTimeout is Lambda's limit for an invocation.
	MaxTimeout = 15 * time.Minute
	// MaxBatchSize is the most messages of an invocation. Lambda takes thousands;
	// a settlement of all of them, ten a call, must fit into RespondReserve.
	MaxBatchSize = 100
	// MessagesPerCall is SQS's limit for a call that sends, receives or deletes.
	MessagesPerCall = 10
	// QueueRetention is the time from sending after which a queue drops a
	// message that is not done.
	QueueRetention = 4 * 24 * time.Hour
	// DeadLetterRetention is the same of a dead-letter queue. It counts from the
	// first sending as well, so it must be the longer one.
	DeadLetterRetention = 14 * 24 * time.Hour
	// PublishedAt is the message attribute that carries the publish stamp.
	PublishedAt = "published-at"
)

// Folders of the store of files.
const (
	FolderInbox      = "inbox/"      // inbox/{tenant}/{name}: a file laid here is ingested
	FolderDocuments  = "documents/"  // documents/{document}.{extension}
	FolderIngestions = "ingestions/" // ingestions/{ingestion}/: checkpoints, which can be made again
)

// DefaultModel is the model where OPENAI_MODEL names none.
const DefaultModel = "gpt-4.1-mini"

// SecretSuffix is appended to a variable's name to get the variable with the
// ARN of the secret, in Secrets Manager, that holds the value.
const SecretSuffix = "_SECRET_ARN"

// Names of the environment variables.
const (
	EnvStage         = "STAGE" // the name of the deployment, in metrics and logs
	EnvDatabaseURL   = "DATABASE_URL"
	EnvQueueURL      = "QUEUE_URL"
	EnvMatchQueueURL = "MATCH_QUEUE_URL"
	EnvMatchMode     = "MATCH_MODE"
	EnvRetrySchedule = "RETRY_SCHEDULE"
	// The model: any with the OpenAI API.
	EnvOpenAIKey            = "OPENAI_API_KEY"
	EnvOpenAIBaseURL        = "OPENAI_BASE_URL"
	EnvOpenAIModel          = "OPENAI_MODEL"
	EnvOpenAIEmbeddingModel = "OPENAI_EMBEDDING_MODEL"
	EnvOpenAIAzureVersion   = "OPENAI_AZURE_API_VERSION"
	EnvOpenAINoTemperature  = "OPENAI_NO_TEMPERATURE"
	EnvOpenAIEffort         = "OPENAI_REASONING_EFFORT"
	EnvOpenAIThoughts       = "OPENAI_REASONING_TOKENS"
	EnvOpenAIDimensions     = "OPENAI_EMBEDDING_DIMENSIONS"
	EnvLLMRetryBase         = "LLM_RETRY_BASE"
	EnvLLMTimeout           = "LLM_TIMEOUT"
	// EnvModelPrice is the price of the model, "prompt,completion" in USD per million
	// tokens. Without it there is no budget and no cost.
	EnvModelPrice = "MODEL_PRICE"
	// EnvCallsInFlight replaces Function.CallsInFlight.
	EnvCallsInFlight = "CALLS_IN_FLIGHT"
	// EnvReviewTokenSecret is the key that signs the tokens of reviews.
	EnvReviewTokenSecret = "REVIEW_TOKEN_SECRET"
	// The receiver of match offers: its URL, and the key that signs requests to it.
	EnvOffersWebhookURL    = "OFFERS_WEBHOOK_URL"
	EnvOffersWebhookSecret = "OFFERS_WEBHOOK_SECRET"
	// The receiver of events, likewise.
	EnvEventsWebhookURL    = "EVENTS_WEBHOOK_URL"
	EnvEventsWebhookSecret = "EVENTS_WEBHOOK_SECRET"
	// EnvOffersCatchUp is the age above which a date without offers is skipped.
	EnvOffersCatchUp = "OFFERS_CATCH_UP"
	// Files: the store, s3://bucket or file:///folder, and the OCR for pages
	// without text.
	EnvBlobURL = "BLOB_URL"
	EnvOCR     = "OCR"
	// EnvOCRQuality is the quality below which a page is repaired and read again.
	EnvOCRQuality = "OCR_QUALITY"
	// EnvPDFTime is the time of an operation on a PDF or on one of its pages.
	EnvPDFTime = "PDF_TIME"
	// EnvLease replaces Function.Lease.
	EnvLease = "LEASE"
	// Google Document AI, where OCR names it.
	EnvDocumentAIKey       = "DOCUMENTAI_KEY"
	EnvDocumentAIProcessor = "DOCUMENTAI_PROCESSOR"
	// Notifications of failures: the channels, and the links in their messages.
	EnvSlackWebhookURL = "SLACK_WEBHOOK_URL"
	EnvEmailFrom       = "EMAIL_FROM"
	EnvEmailTo         = "EMAIL_TO"
	EnvAdminBaseURL    = "ADMIN_BASE_URL"
	// The login of the console: the issuer, the console as its client, the claim with
	// the groups, and the scopes that are asked for.
	EnvOIDCIssuer       = "OIDC_ISSUER"
	EnvOIDCClientID     = "OIDC_CLIENT_ID"
	EnvOIDCClientSecret = "OIDC_CLIENT_SECRET"
	EnvOIDCGroupsClaim  = "OIDC_GROUPS_CLAIM"
	EnvOIDCScopes       = "OIDC_SCOPES"
	// EnvTestDatabaseURL names a server for tests, never a production one.
	EnvTestDatabaseURL = "MATCHBOOK_TEST_DATABASE_URL"
	// EnvPostgres selects the server of runs and tests on a developer's
	// machine: url, system or npm.
	EnvPostgres = "MATCHBOOK_POSTGRES"
)
