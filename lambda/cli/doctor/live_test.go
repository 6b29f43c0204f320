package doctor

import (
	"context"
	"fmt"
	"io/fs"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"matchbook/lambda/internal/must"
	"matchbook/lambda/local"
	"matchbook/lambda/local/scripted"
	"matchbook/lambda/local/simclock"
	"matchbook/lambda/manifest"
	"matchbook/lambda/postgres/postgrestest"
	"matchbook/migrations"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/sqs"
	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
)

// Of what a row is: of the stack, of the environment, or of both.
const (
	ofStack = 1 << iota
	ofEnvironment
	ofBoth = ofStack | ofEnvironment
)

// liveRow breaks one thing of a healthy deployment.
type liveRow struct {
	name string
	of   int
	harm func(*rig)
	provoked
}

var liveRows = []liveRow{
	{"no mapping", ofStack, func(r *rig) { r.mappings = nil }, provoked{"mapping", Error, "missing event source mapping of match"}},
	{"mapping listed twice", ofStack, func(r *rig) { r.listsAll = true }, provoked{"mapping", OK, "feeds match"}},
	{"mapping disabled", ofStack, func(r *rig) { r.mappings[0]["State"] = "Disabled" }, provoked{"mapping", Error, "is disabled"}},
	{"mapping is changed", ofStack, func(r *rig) { r.mappings[0]["State"] = "Updating" }, provoked{"mapping", OK, "feeds match"}},
	{"mapping is deleted", ofStack, func(r *rig) { r.mappings[0]["State"] = "Deleting" }, provoked{"mapping", Error, "is disabled"}},
	{"no partial answer", ofStack, func(r *rig) { delete(r.mappings[0], "FunctionResponseTypes") }, provoked{"batch-failures", Error, "is not on"}},
	{"large batches", ofStack, func(r *rig) { r.mappings[0]["BatchSize"] = 101 }, provoked{"batch-size", Error, "up to 101"}},
	{"no limit", ofStack, func(r *rig) { delete(r.mappings[0], "ScalingConfig") }, provoked{"maximum-concurrency", Error, "is not set"}},
	{"reserved", ofStack, func(r *rig) { r.reserved["ReservedConcurrentExecutions"] = 2 }, provoked{"reserved-concurrency", Error, "2 instances are reserved, but the mapping starts up to 8"}},
	{"reserved may not be read", ofStack, func(r *rig) { r.refuse["GetFunctionConcurrency"] = "AccessDeniedException" }, provoked{"reserved-concurrency", Skipped, "AWS error (AccessDeniedException)"}},
	{"another queue's URL", ofStack, func(r *rig) { r.env["QUEUE_URL"] = r.urls.DLQ },
		provoked{"queue-url", Error, "QUEUE_URL is us-east-1:000000000000:match-dlq, but the event source mapping reads us-east-1:000000000000:match"}},
	{"another queue's URL, and still what feeds it", ofStack, func(r *rig) { r.env["QUEUE_URL"] = r.urls.DLQ }, provoked{"visibility", OK, "visibility timeout 18m"}},
	{"sweep publishes elsewhere", ofStack, func(r *rig) { r.sweepEnv["MATCH_QUEUE_URL"] = r.urls.DLQ }, provoked{"queue-url", Error, "sweep publishes to us-east-1:000000000000:match-dlq"}},
	{"queue gone", ofBoth, func(r *rig) { r.drop(r.urls.Queue) }, provoked{"queue", Error, "does not answer: AWS error (AWS.SimpleQueueService.NonExistentQueue)"}},
	{"queue may not be read", ofBoth, func(r *rig) { r.refuse["AmazonSQS.GetQueueAttributes"] = "AccessDenied" }, provoked{"queue", Error, "AWS error (AccessDenied)"}},
	{"visibility", ofBoth, func(r *rig) { r.set(r.urls.Queue, "VisibilityTimeout", "30") }, provoked{"visibility", Error, "it hides a message for 30s"}},
	{"visibility is short", ofBoth, func(r *rig) { r.set(r.urls.Queue, "VisibilityTimeout", "600") }, provoked{"visibility", Warning, "10m, less than 6 times the function's timeout of 3m"}},
	{"longer timeout", ofStack, func(r *rig) { r.config["Timeout"] = 600 }, provoked{"visibility", Warning, "18m, less than 6 times the function's timeout of 10m"}},
	{"fewer retries", ofBoth, func(r *rig) { r.env["RETRY_SCHEDULE"] = "5m" }, provoked{"schedule-entries", Error, "1 entry, but maxReceiveCount 3 allows 2"}},
	{"more receives", ofBoth, func(r *rig) { r.redrive(5) }, provoked{"schedule-entries", Error, "2 entries, but maxReceiveCount 5 allows 4"}},
	{"a receiver of events without a key", ofBoth, func(r *rig) { r.env["EVENTS_WEBHOOK_URL"] = "https://localhost/events" },
		provoked{"configuration", Error, "EVENTS_WEBHOOK_URL and EVENTS_WEBHOOK_SECRET must both be set"}},
	{"a receiver of events with another key", ofBoth, func(r *rig) {
		r.env["EVENTS_WEBHOOK_URL"], r.env["EVENTS_WEBHOOK_SECRET"] = "https://localhost/events", "hidden key of thirty-two bytes..."
	}, provoked{"configuration", Error, "EVENTS_WEBHOOK_URL: secret must be whsec_ and the base64 of 24 to 64 random bytes; create one"}},
	{"a receiver of events that all can read", ofBoth, func(r *rig) {
		r.env["EVENTS_WEBHOOK_URL"], r.env["EVENTS_WEBHOOK_SECRET"] = "http://events.example/hidden", unreadSecret
	}, provoked{"configuration", Error, "EVENTS_WEBHOOK_URL: webhook URL must be https"}},
	{"a retry before its failure", ofBoth, func(r *rig) { r.env["RETRY_SCHEDULE"] = "5m,-1m" }, provoked{"schedule-entries", Error, "invalid entry 2 of RETRY_SCHEDULE"}},
	{"long retries", ofBoth, func(r *rig) { r.env["RETRY_SCHEDULE"] = "5m,12h" }, provoked{"schedule-limit", Error, "a retry after 12h"}},
	{"queue forgets", ofBoth, func(r *rig) { r.set(r.urls.Queue, "MessageRetentionPeriod", "3600") }, provoked{"queue-retention", Error, "it keeps a message for 1h"}},
	{"no DLQ", ofBoth, func(r *rig) { r.set(r.urls.Queue, "RedrivePolicy", "") }, provoked{"dlq", Error, "missing dead-letter queue"}},
	{"no DLQ to be looked at", ofBoth, func(r *rig) { r.set(r.urls.Queue, "RedrivePolicy", "") }, provoked{"dlq-retention", Skipped, "see dlq"}},
	{"DLQ gone", ofBoth, func(r *rig) { r.drop(r.urls.DLQ) }, provoked{"dlq", Error, "the queue match-dlq does not answer"}},
	{"DLQ forgets", ofBoth, func(r *rig) { r.set(r.urls.DLQ, "MessageRetentionPeriod", "345600") }, provoked{"dlq-retention", Error, "4 days, not longer than match (4 days)"}},
	{"DLQ forgets soon", ofBoth, func(r *rig) { r.set(r.urls.DLQ, "MessageRetentionPeriod", "864000") }, provoked{"dlq-retention", Warning, "10 days, less than the maximum of 14 days"}},
	{"DLQ not empty", ofBoth, func(r *rig) { r.send(r.urls.DLQ) }, provoked{"dlq-empty", Warning, "1 message in the dead-letter queue"}},
	{"serve", ofEnvironment, func(r *rig) {
		for _, name := range []string{"QUEUE_URL", "DATABASE_URL_SECRET_ARN", "OPENAI_API_KEY_SECRET_ARN", "OPENAI_BASE_URL", "MATCH_MODE"} {
			delete(r.env, name)
		}
		r.env["DATABASE_URL"] = r.database
	}, provoked{"configuration", Skipped, "QUEUE_URL is not set, as for matchbook serve"}},
	{"no queue", ofEnvironment, func(r *rig) { delete(r.env, "QUEUE_URL") }, provoked{"configuration", Error, "QUEUE_URL is not set"}},
	{"no key", ofBoth, func(r *rig) { delete(r.env, "OPENAI_API_KEY_SECRET_ARN"); delete(r.env, "OPENAI_BASE_URL") }, provoked{"configuration", Error, "OPENAI_API_KEY is not set"}},

	{"secret gone", ofBoth, func(r *rig) { delete(r.secrets, r.dir+"openai-api-key") }, provoked{"secrets", Error, "does not exist, or has no value yet (ResourceNotFoundException)"}},
	{"secret may not be read", ofBoth, func(r *rig) { r.refuse["secretsmanager.GetSecretValue"] = "AccessDeniedException" }, provoked{"secrets", Error, "may not be read: allow secretsmanager:GetSecretValue on it"}},
	{"secret empty", ofBoth, func(r *rig) { r.secrets[r.dir+"openai-api-key"] = " \n" }, provoked{"secrets", Error, "value must not be empty"}},
	{"secret of another database", ofBoth, func(r *rig) { r.use(`{"engine":"mysql","host":"h","username":"u","password":"hidden-password"}`) }, provoked{"secrets", Error, "expected a PostgreSQL database"}},
	{"secret as RDS keeps it", ofStack, func(r *rig) {
		r.use(`{"engine":"postgres","host":"127.0.0.1","port":1,"username":"u","password":"hidden-password"}`)
	}, provoked{"database", Skipped, "cannot reach the database from this machine"}},

	{"database away", ofEnvironment, func(r *rig) { r.use("postgres://nobody@127.0.0.1:1/none") }, provoked{"database", Error, "does not answer: connection failed"}},
	{"database out of reach", ofStack, func(r *rig) { r.use("postgres://nobody@127.0.0.1:1/none") }, provoked{"database", Skipped, "cannot reach the database from this machine"}},
	{"database out of reach, connections", ofStack, func(r *rig) { r.use("postgres://nobody@127.0.0.1:1/none"); r.look.Connections = 44 },
		provoked{"connections", Error, "44 (--connections)"}},
	{"no such database", ofBoth, func(r *rig) { r.use(another(r.database, "gone_"+uuid.NewString())) }, provoked{"database", Error, "SQLSTATE 3D000"}},
	{"anybody is the database", ofBoth, func(r *rig) { r.use("postgres://nobody@localhost.:1/none?sslmode=require") },
		provoked{"database-identity", Warning, "anybody may answer as the server"}},
	{"too few connections", ofStack, func(r *rig) { r.mappings[0]["ScalingConfig"] = m{"MaximumConcurrency": 200} }, provoked{"connections", Error, "200 x 5 of match: 1005 in all, and the database has"}},
	{"few connections for the role", ofBoth, func(r *rig) { r.use(r.as("CONNECTION LIMIT 44")) }, provoked{"connections", Error, "44 for them: the CONNECTION LIMIT of the role 44, 0 reserved, 0 in use by others"}},
	{"just enough connections for the role", ofBoth, func(r *rig) { r.use(r.as("CONNECTION LIMIT 45")) }, provoked{"connections", OK, "the database has 45 for them"}},
	{"connections in use", ofBoth, func(r *rig) { r.use(r.busy(r.as("CONNECTION LIMIT 45"))) }, provoked{"connections", Error, "the CONNECTION LIMIT of the role 45, 0 reserved, 2 in use by others"}},
	{"few connections for the database", ofBoth, func(r *rig) {
		r.use(r.as(""))
		r.exec(`ALTER DATABASE "` + name(r.database) + `" CONNECTION LIMIT 20`)
	}, provoked{"connections", Error, "the CONNECTION LIMIT of the database 20"}},
	{"not migrated", ofBoth, func(r *rig) { r.down() }, provoked{"migrations", Error, "not applied: " + newest()}},
	{"never migrated", ofBoth, func(r *rig) { r.use(postgrestest.EmptyURL(r.t)) }, provoked{"migrations", Error, "00001_tenants_and_documents, 00002_"}},
	{"never migrated, rows", ofBoth, func(r *rig) { r.use(postgrestest.EmptyURL(r.t)) }, provoked{"overdue", Skipped, "the schema is not up to date"}},
	{"versions cannot be read", ofBoth, func(r *rig) { r.exec("ALTER TABLE goose_db_version DROP COLUMN is_applied") },
		provoked{"migrations", Skipped, "query failed: database error (SQLSTATE 42703)"}},
	{"of a later version", ofBoth, func(r *rig) { r.exec("INSERT INTO goose_db_version (version_id, is_applied) VALUES (99999, true)") }, provoked{"migrations", Warning, "version 99999"}},
	{"clock ahead", ofBoth, func(r *rig) { r.shift(10 * time.Second) }, provoked{"clock", Warning, "ahead of"}},
	{"clock behind", ofBoth, func(r *rig) { r.shift(-10 * time.Second) }, provoked{"clock", Warning, "behind"}},
	{"clock far ahead", ofBoth, func(r *rig) { r.shift(40 * time.Second) }, provoked{"clock", Error, "ahead of"}},
	{"clock far behind", ofBoth, func(r *rig) { r.shift(-time.Hour) }, provoked{"clock", Error, "behind"}},
	{"overdue", ofBoth, func(r *rig) {
		r.document("matching_status = 'pending', matching_due_at = now() - interval '19 minutes'")
	}, provoked{"overdue", Warning, "1 document is overdue"}},
	{"published again and not overdue", ofBoth, func(r *rig) {
		r.document("matching_status = 'pending', matching_due_at = now() - interval '19 minutes', matching_republished = 1")
	}, provoked{"overdue", OK, "no document is overdue"}},
	{"long backlog", ofBoth, func(r *rig) {
		r.document("matching_status = 'pending', matching_due_at = now() - interval '61 minutes'")
	}, provoked{"backlog", Warning, "was due 1h1m ago"}},
	{"lease ended", ofBoth, func(r *rig) {
		r.document("matching_status = 'in-progress', matching_lease_until = now() - interval '1 second'")
	}, provoked{"leases", Warning, "1 document is in progress beyond the lease"}},
	{"model away", ofBoth, func(r *rig) {
		r.exec(`INSERT INTO service_breaker (service, state, changed_at, outage_id, outage_since, error)
			VALUES ('gpt-test', 'open', now(), gen_random_uuid(), '2026-03-02T10:00:00Z', 'model provider failed (HTTP 503)')`)
		r.document("matching_status = 'pending', matching_parked_for = 'gpt-test', matching_due_at = now() + interval '6 hours'")
	}, provoked{"services", Warning, "gpt-test is away since 2026-03-02 10:00 UTC (model provider failed (HTTP 503)): 1 document waiting; " +
		"the sweep goes on with them by itself"}},
	{"no model away", ofBoth, func(*rig) {}, provoked{"services", OK, "no model or OCR is away"}},
	{"document failed", ofBoth, func(r *rig) { r.notification("1 minute"); r.exec(failSQL) }, provoked{"failed", Warning, "1 document failed"}},
	{"a part and a job failed", ofBoth, func(r *rig) { r.exec(failOthersSQL) }, provoked{"failed", Warning, "2 parts of reviews, 1 job of match offers failed"}},
	{"dead letters of another workload", ofEnvironment, func(r *rig) { r.send(r.other(manifest.Ingest).DLQ) },
		provoked{"dlq-empty", Warning, "1 message in the dead-letter queue"}},
	{"connections of another workload", ofEnvironment, func(r *rig) { r.other(manifest.Review) }, provoked{"connections", OK, "8 x 5 of match, 12 x 1 of review: 57 in all"}},
	{"notification not sent", ofBoth, func(r *rig) { r.notification("11 minutes") }, provoked{"untold", Warning, "1 notification is not sent for more than 10m"}},
	{"notification to be sent in a moment", ofBoth, func(r *rig) { r.notification("9 minutes") }, provoked{"untold", OK, "no unsent notifications"}},
	{"no channel to send by", ofBoth, func(r *rig) { r.notification("11 minutes"); delete(r.env, "SLACK_WEBHOOK_URL_SECRET_ARN") }, provoked{"untold", OK, "no unsent notifications"}},
	{"event not accepted", ofBoth, func(r *rig) { r.event("61 minutes", "NULL") }, provoked{"events", Warning, "1 event is not accepted, the oldest for 1h1m"}},
	{"event to be sent in a moment", ofBoth, func(r *rig) { r.event("59 minutes", "NULL") }, provoked{"events", OK, "no event has waited"}},
	{"event given up", ofBoth, func(r *rig) { r.event("4 days", "now()") }, provoked{"events-dead", Warning, "1 event is given up"}},
	{"event given up only", ofBoth, func(r *rig) { r.event("4 days", "now()") }, provoked{"events", OK, "no event has waited"}},

	{"model refuses", ofBoth, func(r *rig) {
		r.model.Order(scripted.Ordered(scripted.Order{Contains: "there", Faults: faults(scripted.Unauthorized)}))
	},
		provoked{"model", Error, "model provider denied access (HTTP 401"}},
	{"model unknown", ofBoth, func(r *rig) {
		r.model.Order(scripted.Ordered(scripted.Order{Contains: "there", Faults: faults(scripted.NotFound)}))
	},
		provoked{"model", Error, "(HTTP 404"}},
	{"model without schema", ofBoth, func(r *rig) {
		r.model.Order(scripted.Ordered(scripted.Order{Contains: "there", Faults: faults(scripted.AnswerBreaksSchema)}))
	},
		provoked{"model", Error, "the model ignores the schema"}},
	{"model that adds", ofBoth, func(r *rig) { r.answer = `{"there":true,"more":1}` }, provoked{"model", Error, "the model ignores the schema"}},
	{"model that leaves out", ofBoth, func(r *rig) { r.answer = `{}` }, provoked{"model", Error, "the model ignores the schema"}},
	{"model that chats", ofBoth, func(r *rig) {
		r.model.Order(scripted.Ordered(scripted.Order{Contains: "there", Faults: faults(scripted.AnswerNoJSON)}))
	},
		provoked{"model", Error, "the model ignores the schema"}},
	{"model away", ofBoth, func(r *rig) { r.env["OPENAI_BASE_URL"] = "http://127.0.0.1:1/v1" }, provoked{"model", Error, "failed"}},
	{"another key", ofBoth, func(r *rig) { r.secrets[r.dir+"openai-api-key"] = "other" }, provoked{"model", Error, "denied access (HTTP 401, invalid_api_key)"}},
	{"rules", ofBoth, func(r *rig) { r.env["MATCH_MODE"] = "rules" }, provoked{"model", Skipped, "MATCH_MODE is rules"}},
	{"embeddings refuse", ofBoth, func(r *rig) {
		r.model.Order(scripted.Ordered(scripted.Order{Contains: "invoice", Faults: faults(scripted.Forbidden)}))
	},
		provoked{"embedding-model", Error, "denied access (HTTP 403"}},
	{"no embeddings", ofBoth, func(r *rig) { delete(r.env, "OPENAI_EMBEDDING_MODEL") }, provoked{"embedding-model", Skipped, "is not set"}},
	{"webhook gone", ofBoth, func(r *rig) { r.slack = says(404, "no_service") }, provoked{"slack", Error, "(HTTP 404)"}},
	{"webhook forbidden", ofBoth, func(r *rig) { r.slack = says(403, "invalid_token") }, provoked{"slack", Error, "(HTTP 403)"}},
	{"another 400", ofBoth, func(r *rig) { r.slack = says(400, "no_team") }, provoked{"slack", Error, "(HTTP 400)"}},
	{"a failure with the word", ofBoth, func(r *rig) { r.slack = says(500, "no_text") }, provoked{"slack", Error, "(HTTP 500)"}},
	{"posted", ofBoth, func(r *rig) { r.slack = says(200, "ok") }, provoked{"slack", Error, "(HTTP 200)"}},
	{"moved", ofBoth, func(r *rig) {
		r.slack = func(w http.ResponseWriter, req *http.Request) {
			http.Redirect(w, req, "/elsewhere", http.StatusTemporaryRedirect)
		}
	}, provoked{"slack", Error, "(HTTP 307)"}},
	{"Slack away", ofBoth, func(r *rig) { r.secrets[r.dir+"slack-webhook-url"] = "http://127.0.0.1:1" + hookPath }, provoked{"slack", Error, "connection to Slack failed"}},
	{"no channel", ofStack, func(r *rig) { delete(r.env, "SLACK_WEBHOOK_URL_SECRET_ARN") }, provoked{"channels", Warning, "no notification channel"}},
	{"a channel", ofStack, func(*rig) {}, provoked{"channels", OK, "sent by slack"}},
	{"no Slack", ofBoth, func(r *rig) { delete(r.env, "SLACK_WEBHOOK_URL_SECRET_ARN") }, provoked{"slack", Skipped, "failures are not sent to Slack"}},
	{"not asked", ofBoth, func(r *rig) { r.look.Ask = false }, provoked{"model", Skipped, "--ask"}},
}

func TestFindsDeploymentFaults(t *testing.T) {
	t.Parallel()
	database := postgrestest.URL(t)
	for _, row := range liveRows {
		for of, name := range map[int]string{ofStack: "stack", ofEnvironment: "environment"} {
			if row.of&of == 0 {
				continue
			}
			t.Run(row.name+", "+name, func(t *testing.T) {
				t.Parallel()
				r := newRig(t, database)
				row.harm(r)
				report := r.examine(of == ofStack)
				row.check(t, report)
				keepsSecrets(t, report)
			})
		}
	}
}

func TestHealthyDeployment(t *testing.T) {
	t.Parallel()
	for name, skips := range map[string][]string{
		"stack": {"keys", "notification", "files", "ocr"},
		"environment": {"plain-secrets", "startable", "architecture", "runtime", "handler", "memory", "timeout", "alias", "permissions",
			"keys", "network", "mapping", "batch-failures", "batch-size", "batch-window", "filter", "mapping-target",
			"maximum-concurrency", "reserved-concurrency", "queue-url", "schedule", "notification", "alarms", "files", "ocr", "channels"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := newRig(t, postgrestest.URL(t))
			if name == "environment" {
				r.env["OPENAI_API_KEY"] = modelKey // a value counts, whatever the secret beside it
				delete(r.secrets, r.dir+"openai-api-key")
			}
			report := r.examine(name == "stack")
			declared(t, report)
			var skipped []string
			for _, f := range report.Findings {
				if f.Severity == Skipped {
					skipped = append(skipped, f.ID)
				}
			}
			if report.Errors+report.Warnings > 0 || !slices.Equal(skipped, skips) {
				t.Errorf("skipped %v, want %v, in\n%s", skipped, skips, show(report))
			}
			keepsSecrets(t, report)
		})
	}
}

// keepsSecrets fails when a secret is in the report.
func keepsSecrets(t *testing.T, r Report) {
	t.Helper()
	said := fmt.Sprintf("%+v", r)
	for _, secret := range []string{modelKey, "hidden-webhook", "T0HIDDEN", "hidden-message", "hidden-password", "postgres://"} {
		if strings.Contains(said, secret) {
			t.Errorf("%q is in a finding: %s", secret, said)
		}
	}
}

func faults(list ...scripted.Fault) []scripted.Fault { return list }

func says(status int, body string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) { http.Error(w, body, status) }
}

func (r *rig) drop(url string) {
	r.t.Helper()
	must.Get(r.sqs.DeleteQueue(r.t.Context(), &sqs.DeleteQueueInput{QueueUrl: &url}))(r.t)
}

func (r *rig) send(url string) {
	r.t.Helper()
	must.Get(r.sqs.SendMessage(r.t.Context(), &sqs.SendMessageInput{QueueUrl: &url, MessageBody: aws.String(uuid.NewString())}))(r.t)
}

func (r *rig) redrive(receives int) {
	r.t.Helper()
	r.set(r.urls.Queue, "RedrivePolicy", fmt.Sprintf(`{"deadLetterTargetArn":"arn:aws:sqs:us-east-1:000000000000:match-dlq","maxReceiveCount":%d}`, receives))
}

// shift moves the clock that the function's connections see.
func (r *rig) shift(d time.Duration) {
	r.t.Helper()
	r.own()
	clock := must.Get(simclock.Install(r.t.Context(), r.database, time.Time{}))(r.t)
	r.t.Cleanup(clock.Close)
	must.OK(r.t, clock.Advance(r.t.Context(), d))
	url := must.Get(clock.URL())(r.t)
	r.use(url)
}

const tenant = "10000000-0000-4000-8000-000000000001"

// document stores one and sets some of its columns.
func (r *rig) document(columns string) string {
	r.t.Helper()
	id := uuid.NewString()
	r.exec("INSERT INTO tenant (id, name) VALUES ($1, 'one')", tenant)
	r.exec("INSERT INTO document (id, tenant_id, type, structured_data) VALUES ($1, $2, 'invoice', '{}')", id, tenant)
	r.exec("UPDATE document SET " + columns)
	return id
}

// failSQL makes every document failed.
const failSQL = `UPDATE document SET matching_status = 'failed', matching_failed_at = now(), matching_attempts = 1`

// failOthersSQL has two failed parts of a review and a failed job, of a tenant.
const failOthersSQL = `WITH t AS (INSERT INTO tenant (id, name) VALUES ('10000000-0000-4000-8000-000000000951', 'others') RETURNING id),
	d AS (INSERT INTO document (id, tenant_id, matching_due_at) SELECT id, id, NULL FROM t),
	j AS (INSERT INTO review_job (id, tenant_id, document_id, status, chunks, chunks_open, gaps, ended_at) SELECT id, id, id, 'failed', 2, 0, 2, now() FROM t),
	c AS (INSERT INTO review_chunk (id, tenant_id, job_id, position, start_offset, end_offset, status, failed_at, error)
		SELECT gen_random_uuid(), id, id, n, 0, 1, 'failed', now(), 'the model is away' FROM t, generate_series(0, 1) AS n),
	u AS (INSERT INTO offer_user (id, tenant_id, timezone) SELECT id, id, 'Europe/Berlin' FROM t)
	INSERT INTO matchmaking_job (id, tenant_id, date, timezone, user_id, offered_at, expires_at, job_status, failed_at, error)
		SELECT id, id, '2026-03-02', 'Europe/Berlin', id, now(), now(), 'failed', now(), 'no profile' FROM t`

// other adds the queue of another function to the environment.
func (r *rig) other(f manifest.Function) local.QueueURLs {
	r.t.Helper()
	urls := must.Get(local.CreateQueueWith(r.t.Context(), r.sqs, f.Name, f))(r.t)
	r.env[f.QueueEnv()] = urls.Queue
	return urls
}

// notification stores one that was written so long ago.
func (r *rig) notification(ago string) {
	r.t.Helper()
	id := r.document("matching_status = 'failed', matching_failed_at = now()")
	r.exec("INSERT INTO notification (tenant_id, document_id, kind, attempt, payload, created_at) VALUES ($1, $2, 'failed', 1, '{}', now() - $3::text::interval)", tenant, id, ago)
}

// event is one that is so old, given up or not.
func (r *rig) event(ago, dead string) {
	r.t.Helper()
	r.exec(`INSERT INTO event (tenant_id, kind, document_a_id, data, created_at, dead_at)
		VALUES ($1, 'match.created', gen_random_uuid(), '{}', now() - $2::text::interval, `+dead+`)`, tenant, ago)
}

// as is the URL of the database for a role that is no superuser.
func (r *rig) as(options string) string {
	r.t.Helper()
	role := "doctor_" + strings.ReplaceAll(uuid.NewString(), "-", "")
	r.exec("CREATE ROLE " + role + " LOGIN " + options)
	r.exec("GRANT SELECT ON ALL TABLES IN SCHEMA public TO " + role)
	r.t.Cleanup(func() { r.exec("DROP OWNED BY " + role); r.exec("DROP ROLE " + role) })
	u := must.Get(url.Parse(r.database))(r.t)
	u.User = url.User(role)
	if q := u.Query(); q.Get("user") != "" {
		q.Set("user", role)
		u.RawQuery = q.Encode()
	}
	return u.String()
}

// busy has two others use the database, and a function of ours, which is no
// other.
func (r *rig) busy(url string) string {
	r.t.Helper()
	for _, who := range []string{"psql", "psql", "matchbook"} {
		config := must.Get(pgx.ParseConfig(url))(r.t)
		config.RuntimeParams["application_name"] = who
		conn := must.Get(pgx.ConnectConfig(r.t.Context(), config))(r.t)
		r.t.Cleanup(func() { _ = conn.Close(context.Background()) })
	}
	return url
}

// newest is the name of the newest migration.
func newest() string {
	names, err := fs.Glob(migrations.FS, "*.sql")
	if err != nil {
		panic(err)
	}
	return strings.TrimSuffix(names[len(names)-1], ".sql")
}

// another is the URL of another database on the same server, and name that of
// a database.
func another(database, name string) string {
	u, _ := url.Parse(database)
	u.Path = "/" + name
	return u.String()
}

func name(database string) string {
	u, _ := url.Parse(database)
	return strings.TrimPrefix(u.Path, "/")
}
