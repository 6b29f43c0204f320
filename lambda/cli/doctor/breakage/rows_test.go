package breakage

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"matchbook/lambda/cli/doctor"
	"matchbook/lambda/internal/must"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/cloudwatch"
	"github.com/aws/aws-sdk-go-v2/service/kms"
	"github.com/aws/aws-sdk-go-v2/service/lambda"
	"github.com/aws/aws-sdk-go-v2/service/lambda/types"
	"github.com/aws/aws-sdk-go-v2/service/scheduler"
	schedulertypes "github.com/aws/aws-sdk-go-v2/service/scheduler/types"
	"github.com/aws/aws-sdk-go-v2/service/sqs"
)

// row breaks one thing of the stack by its API. The finding was written down before the checks
// were run on it: the check, the severity, and words of problem and remedy.
type row struct {
	name     string
	touches  string // rows that touch different things share an examination
	harm     func(*stack)
	id       string
	severity doctor.Severity
	what, do string
	also     []string // checks that rightly find more
}

type (
	function = *lambda.UpdateFunctionConfigurationInput
	mapping  = *lambda.UpdateEventSourceMappingInput
)

const (
	bad   = doctor.Error
	doubt = doctor.Warning
)

func with(name string, change func(function)) func(*stack) {
	return func(s *stack) { s.version(name, change) }
}

func variable(function_, name, value string) func(*stack) {
	return with(function_, func(f function) { f.Environment.Variables[name] = value })
}

var functionRows = []row{
	{"another architecture", "offer", func(s *stack) { s.build("offer", types.ArchitectureArm64) }, "architecture", bad, "runs on arm64, all others on x86_64", "--architectures x86_64", nil},
	{"Python", "match", with("match", func(f function) { f.Runtime = types.RuntimePython313 }), "runtime", bad, "its runtime is python3.13", "Set Runtime of matchbook-dev-match to provided.al2023", nil},
	{"an old runtime", "review", with("review", func(f function) { f.Runtime = types.RuntimeProvidedal2 }), "runtime", bad, "provided.al2", "provided.al2023", nil},
	{"half the memory", "ingest", with("ingest", func(f function) { f.MemorySize = aws.Int32(1024) }), "memory", doubt, "1024 MB of memory, less than its 2048", "Set MemorySize of matchbook-dev-ingest to 2048", nil},
	{"a quarter of the memory", "ingest", with("ingest", func(f function) { f.MemorySize = aws.Int32(512) }), "memory", bad, "less than half of its 2048", "to 2048", nil},
	{"the default memory", "console", with("console", func(f function) { f.MemorySize = aws.Int32(128) }), "memory", bad, "128 MB of memory, less than half of its 512", "matchbook-dev-console to 512", nil},
	{"the default timeout", "match", with("match", func(f function) { f.Timeout = aws.Int32(3) }), "timeout", bad, "its timeout is 3s", "Set Timeout of matchbook-dev-match to 180 seconds", nil},
	{"a minute", "offer", with("offer", func(f function) { f.Timeout = aws.Int32(60) }), "timeout", doubt, "its timeout is 1m, less than its 6m", "to 360 seconds", nil},
	{"a sweep of 3 s", "sweep", with("sweep", func(f function) { f.Timeout = aws.Int32(3) }), "timeout", bad, "its timeout is 3s", "matchbook-dev-sweep to 50 seconds", nil},
	{"a timeout beyond the visibility", "inbox", with("inbox", func(f function) { f.Timeout = aws.Int32(900) }), "visibility", bad, "less than the function's timeout of 15m", "Set the visibility timeout of matchbook-dev-inbox to 1h30m", []string{"schedule-limit"}},
	{"another handler", "inbox", with("inbox", func(f function) { f.Handler = aws.String("main.handler") }), "handler", doubt, "its handler is main.handler", "Set Handler of matchbook-dev-inbox to bootstrap", nil},
	{"a database's password in a variable", "match", variable("match", "DATABASE_URL", "postgres://u:hidden@127.0.0.1:1/d"), "plain-secrets", doubt, "DATABASE_URL", "Secrets Manager", nil},
	{"a model's key in a variable", "review", variable("review", "OPENAI_API_KEY", "hidden"), "plain-secrets", doubt, "OPENAI_API_KEY", "unset the variable itself in matchbook-dev-review", nil},
	{"Slack's address in a variable", "sweep", variable("sweep", "SLACK_WEBHOOK_URL", "https://hooks.slack.com/services/hidden"), "plain-secrets", doubt, "SLACK_WEBHOOK_URL", "replace the secret", nil},
	{"one retry", "review", variable("review", "RETRY_SCHEDULE", "5m"), "schedule-entries", bad, "1 entry, but maxReceiveCount 3 allows 2", "Set maxReceiveCount of matchbook-dev-review to 2, or give RETRY_SCHEDULE 2 entries", []string{"configuration"}},
	{"long retries", "match", variable("match", "RETRY_SCHEDULE", "5m,12h"), "schedule-limit", bad, "exceed the 12h of SQS", "Keep every entry", nil},
	{"another queue's URL", "ingest", variable("ingest", "QUEUE_URL", "http://localhost/000000000000/matchbook-dev-match"), "queue-url", bad, "but the event source mapping reads", "Set QUEUE_URL of matchbook-dev-ingest", nil},
	{"a sweep without the queue of matches", "sweep", variable("sweep", "MATCH_QUEUE_URL", ""), "queue-url", bad, "MATCH_QUEUE_URL is not set", "Set MATCH_QUEUE_URL of matchbook-dev-sweep", []string{"configuration"}},
	{"offers published to matches", "schedule", variable("schedule", "OFFER_QUEUE_URL", "http://localhost/000000000000/matchbook-dev-offer-dead-letter"), "queue-url", bad, "no event source mapping here reads it", "OFFER_QUEUE_URL", []string{"permissions"}},
	{"an unknown mode", "ingest", variable("ingest", "MATCH_MODE", "guess"), "configuration", bad, "MATCH_MODE: expected rules or model", "Set or correct the variable", nil},
	{"a secret's name with a slip", "schedule", variable("schedule", "DATABASE_URL_SECRET_ARN", "arn:aws:secretsmanager:eu-central-1:000000000000:secret:matchbook/dev/databse-url"), "secrets", bad, "does not exist", "Check that the secret exists", []string{"permissions"}},
	{"no reserved instance", "match", func(s *stack) { s.reserve("match", 0) }, "reserved-concurrency", bad, "0 instances are reserved", "Remove the reserved concurrency", nil},
	{"no instance for the sweep", "sweep", func(s *stack) { s.reserve("sweep", 0) }, "startable", bad, "its reserved concurrency is 0", "Delete the reserved concurrency of matchbook-dev-sweep", nil},
	{"web without limit", "web", func(s *stack) { s.reserve("web", -1) }, "connections", bad, "unlimited instances", "Reserve a concurrency of 12", nil},
	{"an older version", "match", func(s *stack) {
		name := aws.String(prefix + "match")
		old := s.live("match")
		s.version("match", func(f function) { f.Description = aws.String("newer") })
		s.alias(*name, func(a *lambda.UpdateAliasInput) { a.FunctionVersion = old })
	}, "alias", doubt, "behind version", "Point the alias live of matchbook-dev-match to version", nil},
	{"an alias of $LATEST", "sweep", func(s *stack) {
		s.alias(prefix+"sweep", func(a *lambda.UpdateAliasInput) { a.FunctionVersion = aws.String("$LATEST") })
	}, "alias", bad, "its alias live is $LATEST", "Point the alias live of matchbook-dev-sweep to version", nil},
	{"work split between versions", "console", func(s *stack) {
		old := s.live("console")
		s.version("console", func(f function) { f.Description = aws.String("newer") })
		s.alias(prefix+"console", func(a *lambda.UpdateAliasInput) {
			a.RoutingConfig = &types.AliasRoutingConfiguration{AdditionalVersionWeights: map[string]float64{*old: 0.5}}
		})
	}, "alias", doubt, "splits work between two versions", "Let the deployment end", nil},
	{"a subnet without a way out", "schedule", func(s *stack) { s.isolate("schedule", false, true) }, "network", bad, "has no way out: it can't reach", "NAT gateway", []string{"permissions"}},
	{"a public subnet", "migrate", func(s *stack) { s.isolate("migrate", true, true) }, "network", bad, "no public address", "NAT gateway", []string{"permissions"}},
	{"a closed security group", "web", func(s *stack) { s.isolate("web", false, false) }, "network", bad, "lets nothing out to port 443", "egress rule", []string{"permissions"}},
}

func with2(name string, change func(mapping)) func(*stack) {
	return func(s *stack) { s.remap(name, change) }
}

var mappingRows = []row{
	{"a disabled mapping", "match", with2("match", func(m mapping) { m.Enabled = aws.Bool(false) }), "mapping", bad, "matchbook-dev-match is disabled", "Enable the event source mapping", nil},
	{"no mapping", "review", func(s *stack) { s.starve("review") }, "mapping", bad, "missing event source mapping of matchbook-dev-review", "Add one event source mapping", []string{"queue-url"}},
	{"two mappings", "offer", func(s *stack) {
		s.create("second", nil)
		s.feed(s.mapping("offer"), prefix+"second")
	}, "mapping", bad, "2 event source mappings feed matchbook-dev-offer", "Keep one event source mapping", []string{"queue-url", "permissions", "dlq", "redrive-allowed", "visibility", "connections"}},
	{"no failures of a batch", "ingest", with2("ingest", func(m mapping) { m.FunctionResponseTypes = []types.FunctionResponseType{} }), "batch-failures", bad, "ReportBatchItemFailures is not on", "Set FunctionResponseTypes", nil},
	{"thousands at once", "inbox", with2("inbox", func(m mapping) { m.BatchSize, m.MaximumBatchingWindowInSeconds = aws.Int32(1000), aws.Int32(1) }), "batch-size", bad, "batches have up to 1000 messages", "Set BatchSize to 100 or less", []string{"batch-window"}},
	{"a window of five minutes", "match", with2("match", func(m mapping) { m.MaximumBatchingWindowInSeconds = aws.Int32(300) }), "batch-window", doubt, "for up to 5m", "Set MaximumBatchingWindowInSeconds of the event source mapping to 0", nil},
	{"a filter", "review", with2("review", func(m mapping) {
		m.FilterCriteria = &types.FilterCriteria{Filters: []types.Filter{{Pattern: aws.String(`{"body":{"kind":["x"]}}`)}}}
	}), "filter", bad, "1 filter", "Remove FilterCriteria", nil},
	{"no limit of instances", "offer", with2("offer", func(m mapping) { m.ScalingConfig = &types.ScalingConfig{} }), "maximum-concurrency", bad, "MaximumConcurrency is not set", "to 4 for matchbook-dev-offer", nil},
	{"many instances", "ingest", with2("ingest", func(m mapping) { m.ScalingConfig = &types.ScalingConfig{MaximumConcurrency: aws.Int32(500)} }), "connections", bad, "500 x 2 of matchbook-dev-ingest", "lower MaximumConcurrency", nil},
	{"a mapping of $LATEST", "match", with2("match", func(m mapping) { m.FunctionName = aws.String(prefix + "match") }), "mapping-target", bad, "it feeds $LATEST of matchbook-dev-match", "to the alias matchbook-dev-match:live", nil},
	{"a mapping of a version", "inbox", with2("inbox", func(m mapping) { m.FunctionName = aws.String(prefix + "inbox:1") }), "mapping-target", bad, "it feeds version 1 of matchbook-dev-inbox", "to the alias matchbook-dev-inbox:live", nil},
	{"a FIFO queue", "review", func(s *stack) {
		s.create("review.fifo", map[string]string{"FifoQueue": "true"})
		s.feed(s.starve("review"), prefix+"review.fifo")
	}, "fifo", bad, "it is a FIFO queue", "Create a standard queue for matchbook-dev-review", []string{"queue-url", "permissions", "dlq", "visibility"}},
}

// redrive is a RedrivePolicy.
func redrive(to string, receives int) string {
	return fmt.Sprintf(`{"deadLetterTargetArn":%q,"maxReceiveCount":%d}`, arn(to), receives)
}

func set(queue, name, value string) func(*stack) {
	return func(s *stack) { s.attribute(queue, name, value) }
}

// queueRows lack a FIFO dead-letter queue, which SQS refuses for a standard queue: see the row of
// aroundRows in doctor.
var queueRows = []row{
	{"the default visibility", "match", set("match", "VisibilityTimeout", "30"), "visibility", bad, "it hides a message for 30s", "Set the visibility timeout of matchbook-dev-match to 18m", nil},
	{"a shorter visibility", "ingest", set("ingest", "VisibilityTimeout", "1200"), "visibility", doubt, "20m, less than 6 times", "matchbook-dev-ingest to 1h", nil},
	{"an hour's retention", "review", set("review", "MessageRetentionPeriod", "3600"), "queue-retention", bad, "it keeps a message for 1h", "Set MessageRetentionPeriod of matchbook-dev-review to 345600 seconds", nil},
	{"no dead-letter queue", "offer", set("offer", "RedrivePolicy", ""), "dlq", bad, "missing dead-letter queue", "Add a RedrivePolicy", nil},
	{"ten receives", "inbox", set("inbox", "RedrivePolicy", redrive("inbox-dead-letter", 10)), "schedule-entries", bad, "maxReceiveCount 10 allows 9", "Set maxReceiveCount of matchbook-dev-inbox to 12", nil},
	{"a shared dead-letter queue", "match", set("match", "RedrivePolicy", redrive("ingest-dead-letter", 3)), "dlq-own", bad, "share the dead-letter queue", "Give matchbook-dev-match a RedrivePolicy", []string{"redrive-allowed"}},
	{"a queue as dead-letter queue", "review", set("review", "RedrivePolicy", redrive("offer", 3)), "dlq-own", bad, "is the queue of matchbook-dev-offer", "Give matchbook-dev-review a RedrivePolicy", []string{"dlq-retention", "permissions"}},
	{"a dead-letter queue that is gone", "inbox", func(s *stack) {
		s.create("gone", map[string]string{"MessageRetentionPeriod": "1209600"})
		s.attribute("inbox", "RedrivePolicy", redrive("gone", 12))
		must.Get(s.sqs.DeleteQueue(s.ctx, &sqs.DeleteQueueInput{QueueUrl: s.url("gone")}))(s.t)
	}, "dlq", bad, "the queue matchbook-dev-gone does not answer", "Add a RedrivePolicy", nil},
	{"short dead letters", "match", set("match-dead-letter", "MessageRetentionPeriod", "345600"), "dlq-retention", bad, "not longer than matchbook-dev-match (4 days)", "Set MessageRetentionPeriod of matchbook-dev-match-dead-letter to 1209600 seconds", nil},
	{"ten days of dead letters", "ingest", set("ingest-dead-letter", "MessageRetentionPeriod", "864000"), "dlq-retention", doubt, "10 days, less than the maximum", "to 1209600 seconds", nil},
	{"redrive denied", "review", set("review-dead-letter", "RedriveAllowPolicy", `{"redrivePermission":"denyAll"}`), "redrive-allowed", bad, "denies all queues", "Set RedriveAllowPolicy of matchbook-dev-review-dead-letter to byQueue", nil},
	{"redrive for another", "offer", set("offer-dead-letter", "RedriveAllowPolicy", `{"redrivePermission":"byQueue","sourceQueueArns":["`+arn("match")+`"]}`), "redrive-allowed", bad, "doesn't list matchbook-dev-offer", "with the ARN of matchbook-dev-offer", nil},
	{"a dead letter", "ingest", func(s *stack) {
		url := s.url("ingest-dead-letter")
		must.Get(s.sqs.SendMessage(s.ctx, &sqs.SendMessageInput{QueueUrl: url, MessageBody: aws.String("10000000-0000-4000-8000-000000000001")}))(s.t)
		s.later(func() { must.Get(s.sqs.PurgeQueue(s.ctx, &sqs.PurgeQueueInput{QueueUrl: url}))(s.t) })
	}, "dlq-empty", doubt, "1 message", "matchbook dlq list", nil},
	{"a key without right", "match", func(s *stack) { s.encrypt("match") }, "permissions", bad, "may not kms:Decrypt on arn:aws:kms:", "in the policy of the role matchbook-dev-MatchFunctionRole", nil},
	{"a key without right to publish", "offer", func(s *stack) { s.encrypt("offer") }, "permissions", bad, "ScheduleFunctionRole", "Allow kms:GenerateDataKey", nil},
	{"a key that is deleted", "review", func(s *stack) {
		id := s.encrypt("review")
		must.Get(s.kms.ScheduleKeyDeletion(s.ctx, &kms.ScheduleKeyDeletionInput{KeyId: &id}))(s.t)
	}, "keys", bad, "is PendingDeletion", "Cancel the deletion of the key", []string{"permissions"}},
	{"a key that is off", "ingest", func(s *stack) {
		id := s.encrypt("ingest")
		must.Get(s.kms.DisableKey(s.ctx, &kms.DisableKeyInput{KeyId: &id}))(s.t)
	}, "keys", bad, "is Disabled", "Enable the key", []string{"permissions"}},
}

// forbidden takes one action out of a role.
func forbidden(of, action, on string) row {
	return row{of + " without " + action, "role of " + of, func(s *stack) { s.forbid(of, action) }, "permissions", bad, "may not " + action + " on " + on, "Allow " + action + " on " + on, nil}
}

const (
	secrets = "arn:aws:secretsmanager:eu-central-1:000000000000:secret:matchbook"
	files   = "arn:aws:s3:::matchbook-dev-files"
)

var roleRows = []row{
	forbidden("match", "sqs:ReceiveMessage", arn("match")),
	forbidden("match", "sqs:DeleteMessage", arn("match")),
	forbidden("match", "sqs:ChangeMessageVisibility", arn("match")),
	forbidden("match", "ses:SendEmail", "arn:aws:ses:eu-central-1:000000000000:identity/ci@example.com"),
	forbidden("ingest", "sqs:SendMessage", arn("match")),
	forbidden("ingest", "s3:GetObject", files),
	forbidden("ingest", "s3:GetObjectVersion", files),
	forbidden("ingest", "textract:DetectDocumentText", "*"),
	forbidden("inbox", "s3:PutObject", files),
	forbidden("inbox", "s3:ListBucket", files),
	forbidden("inbox", "sqs:GetQueueAttributes", arn("inbox")),
	forbidden("review", "secretsmanager:GetSecretValue", secrets),
	forbidden("offer", "sqs:SendMessage", arn("offer")),
	forbidden("offer", "secretsmanager:GetSecretValue", secrets),
	forbidden("sweep", "sqs:SendMessage", arn("match")),
	forbidden("sweep", "ses:SendEmail", "arn:aws:ses:"),
	forbidden("schedule", "sqs:SendMessage", arn("offer")),
	forbidden("web", "secretsmanager:GetSecretValue", secrets),
	forbidden("web", "sqs:SendMessage", arn("review")),
	forbidden("console", "s3:PutObject", files),
	forbidden("console", "sqs:SendMessage", arn("match")),
	forbidden("migrate", "secretsmanager:GetSecretValue", secrets),
	forbidden("sweep/schedule", "lambda:InvokeFunction", "arn:aws:lambda:eu-central-1:000000000000:function:matchbook-dev-sweep:live"),
	{"review without its log", "review", func(s *stack) { s.forbid("review", "logs:PutLogEvents") }, "permissions", doubt, "may not logs:PutLogEvents", "Allow logs:PutLogEvents", nil},
	{"schedule without traces", "schedule", func(s *stack) { s.forbid("schedule", "xray:PutTraceSegments") }, "permissions", doubt, "may not xray:PutTraceSegments on *", "Allow xray:PutTraceSegments", nil},
	{"another stage's secrets", "console", func(s *stack) {
		s.policy("console", func(text string) string {
			return strings.ReplaceAll(text, "secret:matchbook/dev/", "secret:matchbook/prod/")
		})
	}, "permissions", bad, "may not secretsmanager:GetSecretValue on " + secrets + "/dev/database-url", "Allow secretsmanager:GetSecretValue", nil},
	{"another sender", "review", func(s *stack) {
		s.policy("review", func(text string) string {
			return strings.ReplaceAll(text, `"ses:FromAddress":"ci@example.com"`, `"ses:FromAddress":"cd@example.com"`)
		})
	}, "permissions", bad, "may not ses:SendEmail", "Allow ses:SendEmail", nil},
	{"a denied action", "ingest", func(s *stack) {
		s.policy("ingest", func(text string) string {
			return strings.ReplaceAll(text, `"Statement":[`, `"Statement":[{"Effect":"Deny","Action":"s3:Put*","Resource":"*"},`)
		})
	}, "permissions", bad, "is denied s3:PutObject", "out of the Deny statements of the role matchbook-dev-IngestFunctionRole", nil},
	{"a boundary", "inbox", func(s *stack) {
		s.bound("inbox", `{"Version":"2012-10-17","Statement":[{"Effect":"Allow","NotAction":"sqs:*","Resource":"*"}]}`)
	}, "permissions", bad, "may not sqs:SendMessage on " + arn("ingest"), "in the permissions boundary of the role", nil},
	{"no policy", "offer", func(s *stack) {
		s.policy("offer", func(string) string {
			return `{"Version":"2012-10-17","Statement":[{"Effect":"Allow","Action":"none:None","Resource":"*"}]}`
		})
	}, "permissions", bad, "may not sqs:ReceiveMessage, sqs:DeleteMessage, sqs:GetQueueAttributes on " + arn("offer"), "Allow sqs:ReceiveMessage, sqs:DeleteMessage", nil},
}

func rescheduled(name string, change func(*scheduler.UpdateScheduleInput)) func(*stack) {
	return func(s *stack) { s.reschedule(name, change) }
}

func realarmed(name string, change func(*cloudwatch.PutMetricAlarmInput)) func(*stack) {
	return func(s *stack) { s.realarm(name, change) }
}

func notified(old, with string) func(*stack) {
	return func(s *stack) { s.notify(func(text string) string { return strings.ReplaceAll(text, old, with) }) }
}

var aroundRows = []row{
	{"a disabled schedule", "schedule of sweep", rescheduled("sweep", func(u *scheduler.UpdateScheduleInput) { u.State = schedulertypes.ScheduleStateDisabled }), "schedule", bad, "the schedule of matchbook-dev-sweep is disabled", "Enable the schedule", nil},
	{"no schedule", "schedule of schedule", func(s *stack) { s.unschedule("schedule") }, "schedule", bad, "no schedule starts it: the schedule matchbook-dev-schedule was deleted", "Create a schedule with rate(15 minutes)", nil},
	{"no sweep's schedule", "schedule of sweep", func(s *stack) { s.unschedule("sweep") }, "schedule", bad, "the schedule matchbook-dev-sweep was deleted", "Create a schedule with rate(1 minute)", nil},
	{"an hourly sweep", "schedule of sweep", rescheduled("sweep", func(u *scheduler.UpdateScheduleInput) { u.ScheduleExpression = aws.String("rate(1 hour)") }), "schedule", doubt, "rate(1 hour), instead of rate(1 minute)", "Set ScheduleExpression of the schedule to rate(1 minute)", nil},
	{"a schedule that ended", "schedule of schedule", rescheduled("schedule", func(u *scheduler.UpdateScheduleInput) { u.EndDate = aws.Time(time.Now().Add(-time.Hour)) }), "schedule", bad, "has ended", "Remove EndDate", nil},
	{"a schedule of another function", "schedule of schedule", rescheduled("schedule", func(u *scheduler.UpdateScheduleInput) {
		u.Target.Arn = aws.String(strings.ReplaceAll(*u.Target.Arn, "dev-schedule", "dev-migrate"))
	}), "schedule", bad, "the schedule matchbook-dev-schedule starts", "Create a schedule", []string{"permissions"}},
	{"a schedule of $LATEST", "schedule of sweep", rescheduled("sweep", func(u *scheduler.UpdateScheduleInput) {
		u.Target.Arn = aws.String(strings.ReplaceAll(*u.Target.Arn, ":live", ""))
	}), "schedule", bad, "starts $LATEST of matchbook-dev-sweep", "Set the target of the schedule to the alias live", []string{"permissions"}},
	{"no events of files", "bucket", notified("QueueConfigurations", "None"), "notification", bad, "it reports new files to no queue", "Let the bucket send s3:ObjectCreated:*", nil},
	{"events of files elsewhere", "bucket", notified(prefix+"inbox", prefix+"match"), "notification", bad, "not to eu-central-1:000000000000:matchbook-dev-inbox", "to the queue matchbook-dev-inbox", nil},
	{"events of another folder", "bucket", notified(`"inbox/"`, `"in/"`), "notification", bad, "only files below in/", "of inbox/ to the queue", nil},
	{"events of small files", "bucket", notified("ObjectCreated:*", "ObjectCreated:Put"), "notification", bad, "only s3:ObjectCreated:Put", "s3:ObjectCreated:*", nil},
	{"a queue closed to S3", "inbox queue", func(s *stack) { s.attribute("inbox", "Policy", "") }, "notification", bad, "S3 may not send to it", "Allow s3.amazonaws.com to call sqs:SendMessage on matchbook-dev-inbox", nil},
	{"a silent alarm", "alarms", realarmed("match-errors", func(a *cloudwatch.PutMetricAlarmInput) { a.AlarmActions = nil }), "alarms", doubt, "the alarm has no action", "Add the topic", nil},
	{"an alarm that is off", "alarms 2", realarmed("sweep-errors", func(a *cloudwatch.PutMetricAlarmInput) { a.ActionsEnabled = aws.Bool(false) }), "alarms", doubt, "actions are disabled", "enable-alarm-actions --alarm-names matchbook-dev-sweep-errors", nil},
	{"a deleted alarm", "alarms 3", realarmed("offer-errors", func(a *cloudwatch.PutMetricAlarmInput) { a.AlarmName = nil }), "alarms", doubt, "the alarm was deleted", "Create the alarm", nil},
	{"a condition that nobody knows", "web", func(s *stack) {
		s.policy("web", func(text string) string {
			return strings.ReplaceAll(text, `"Statement":[`, `"Statement":[{"Effect":"Deny","Action":"*","Resource":"*","Condition":{"IpAddress":{"aws:SourceIp":"192.0.2.0/24"}}},`)
		})
	}, "permissions", doctor.Skipped, "an unknown condition decides whether the role", "", nil},
}

func rows() []row { return slices.Concat(functionRows, mappingRows, queueRows, roleRows, aroundRows) }
