package main

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"matchbook/infra/bootstrap"
	"matchbook/infra/settings"
	"matchbook/lambda/manifest"
)

// value is the expected value at a path in a resource.
type value struct {
	id   string
	path []any
	want string
}

func at(id string, want any, path ...any) value { return value{id, path, fmt.Sprint(want)} }

func (tpl *template) check(t *testing.T, values ...value) {
	t.Helper()
	for _, v := range values {
		if got := tpl.at(t, v.id, v.path...); got != v.want {
			t.Errorf("%s %v: got %s, want %s", v.id, v.path, got, v.want)
		}
	}
}

func TestQueueRedrive(t *testing.T) {
	t.Parallel()
	tpl := synthesise(t, wishes{context: bare})
	tpl.check(t,
		at("MatchQueue", "matchbook-dev-match", "QueueName"),
		at("MatchQueue", 18*60, "VisibilityTimeout"),
		at("MatchQueue", 4*24*3600, "MessageRetentionPeriod"),
		at("MatchQueue", "${MatchDeadLetterQueue.Arn}", "RedrivePolicy", "deadLetterTargetArn"),
		at("MatchQueue", 3, "RedrivePolicy", "maxReceiveCount"),
		at("MatchQueue", true, "SqsManagedSseEnabled"),
		at("MatchDeadLetterQueue", 14*24*3600, "MessageRetentionPeriod"),
		at("MatchDeadLetterQueue", true, "SqsManagedSseEnabled"),
		at("MatchDeadLetterQueue", "byQueue", "RedriveAllowPolicy", "redrivePermission"),
		at("MatchDeadLetterQueue", "arn:${AWS::Partition}:sqs:${AWS::Region}:${AWS::AccountId}:matchbook-dev-match",
			"RedriveAllowPolicy", "sourceQueueArns", 0),
	)
	if manifest.DeadLetterRetention <= manifest.QueueRetention {
		t.Error("a message would be dropped in the dead-letter queue first")
	}
}

func TestQueuesRequireTLS(t *testing.T) {
	t.Parallel()
	tpl := synthesise(t, wishes{context: bare})
	var closed []string
	for _, id := range tpl.of("AWS::SQS::QueuePolicy") {
		if tpl.at(t, id, "PolicyDocument", "Statement", 0, "Effect") == "Deny" &&
			tpl.at(t, id, "PolicyDocument", "Statement", 0, "Condition", "Bool", "aws:SecureTransport") == "false" {
			closed = append(closed, tpl.at(t, id, "Queues", 0))
		}
	}
	slices.Sort(closed)
	if want := []string{"${InboxDeadLetterQueue}", "${InboxQueue}", "${IngestDeadLetterQueue}", "${IngestQueue}",
		"${MatchDeadLetterQueue}", "${MatchQueue}", "${OfferDeadLetterQueue}", "${OfferQueue}", "${ReviewDeadLetterQueue}", "${ReviewQueue}"}; !slices.Equal(closed, want) {
		t.Errorf("got %v, want %v", closed, want)
	}
}

func TestFunctionCode(t *testing.T) {
	t.Parallel()
	tpl := synthesise(t, wishes{context: bare})
	for _, f := range []struct {
		id, name        string
		seconds, memory int
	}{{"MatchFunction", "match", 180, 512}, {"IngestFunction", "ingest", 600, 2048},
		{"InboxFunction", "inbox", 120, 512}, {"ReviewFunction", "review", 300, 512}, {"SweepFunction", "sweep", 50, 256},
		{"MigrateFunction", "migrate", 600, 256}} {
		tpl.check(t,
			at(f.id, "matchbook-dev-"+f.name, "FunctionName"), at(f.id, "provided.al2023", "Runtime"),
			at(f.id, "bootstrap", "Handler"),
			at(f.id, f.seconds, "Timeout"), at(f.id, f.memory, "MemorySize"),
			at(f.id, "Active", "TracingConfig", "Mode"),
			at(f.id, "Terminate", "RecursiveLoop"),
			at(f.id, "${"+f.id+"Logs}", "LoggingConfig", "LogGroup"), at(f.id, "", "LoggingConfig", "LogFormat"),
			at(f.id, "", "ReservedConcurrentExecutions"), at(f.id, "", "VpcConfig"),
			at(f.id+"Logs", "/aws/lambda/matchbook-dev-"+f.name, "LogGroupName"),
			at(f.id+"Logs", 30, "RetentionInDays"))
		if tpl.Resources[f.id].Metadata["aws:asset:property"] != "Code" {
			t.Errorf("%s: no asset metadata: %v", f.id, tpl.Resources[f.id].Metadata)
		}
	}
}

func TestArchitecture(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		context map[string]any
		want    string
	}{{bare, "arm64"}, {rulesOnly, "x86_64"}} {
		tpl := synthesise(t, wishes{context: tc.context})
		for _, id := range tpl.of("AWS::Lambda::Function") {
			tpl.check(t, at(id, tc.want, "Architectures", 0))
		}
	}
}

func TestMappingSettings(t *testing.T) {
	t.Parallel()
	synthesise(t, wishes{context: bare}).check(t,
		at("MatchMapping", "${MatchQueue.Arn}", "EventSourceArn"),
		at("MatchMapping", `["ReportBatchItemFailures"]`, "FunctionResponseTypes"),
		at("MatchMapping", 10, "BatchSize"),
		at("MatchMapping", 8, "ScalingConfig", "MaximumConcurrency"),
		at("MatchMapping", `["EventCount"]`, "MetricsConfig", "Metrics"))
}

func TestMigrationBeforeTraffic(t *testing.T) {
	t.Parallel()
	tpl := synthesise(t, wishes{context: bare})
	for _, name := range []string{"Match", "Ingest", "Inbox", "Review", "Sweep"} {
		if got := tpl.Resources[name+"Live"].DependsOn; !slices.Contains(got, "Schema") {
			t.Errorf("%sLive depends on %v, want Schema", name, got)
		}
		if version := tpl.at(t, name+"Live",
			"FunctionVersion"); !strings.HasPrefix(version, "${"+name+"FunctionCurrentVersion") {
			t.Errorf("%sLive is %s", name, version)
		}
	}
	tpl.check(t,
		at("Schema", "${MigrateFunction.Arn}", "ServiceToken"),
		at("Schema", 660, "ServiceTimeout"),
		at("SweepSchedule", "${SweepLive}", "Target", "Arn"))
	// The mapping feeds the alias, in any form of the expression.
	if got := tpl.at(t, "MatchMapping", "FunctionName"); !strings.Contains(got, "MatchLive") ||
		!strings.HasSuffix(got, ":live") {
		t.Errorf("the mapping feeds %s", got)
	}
}

// A schema that did not change is left alone, another one is migrated to, and
// so is another database.
func TestMigrationTriggers(t *testing.T) {
	t.Parallel()
	a, b := synthesise(t, wishes{context: bare}), synthesise(t, wishes{context: everything})
	if got, want := a.at(t, "Schema", "Migrations"),
		bootstrap.Fingerprint(emptyFunctions(t, settings.ManifestFacts())["migrate"]); got != want {
		t.Errorf("the custom resource knows its code as %q, want %q", got, want)
	}
	if a.at(t, "Schema", "Database") == b.at(t, "Schema", "Database") {
		t.Error("the custom resource does not know its database")
	}
}

func TestSweepSchedule(t *testing.T) {
	t.Parallel()
	tpl := synthesise(t, wishes{context: bare})
	tpl.check(t,
		at("SweepSchedule", "rate(1 minute)", "ScheduleExpression"),
		at("SweepSchedule", "OFF", "FlexibleTimeWindow", "Mode"),
		at("SweepSchedule", 0, "Target", "RetryPolicy", "MaximumRetryAttempts"),
		at("SweepSchedule", "${SweepScheduleRole.Arn}", "Target", "RoleArn"))
	onceEach(t, tpl)
}

func TestScheduleRate(t *testing.T) {
	t.Parallel()
	tpl := synthesise(t, wishes{context: bare})
	tpl.check(t,
		at("ScheduleSchedule", "rate(15 minutes)", "ScheduleExpression"),
		at("ScheduleSchedule", "matchbook-dev-schedule", "Name"),
		at("ScheduleSchedule", "${ScheduleScheduleRole.Arn}", "Target", "RoleArn"),
		at("ScheduleSchedule", "${ScheduleLive}", "Target", "Arn"),
		at("OfferQueue", 4, "RedrivePolicy", "maxReceiveCount"),
		at("OfferFunction", "30s,2m,5m", "Environment", "Variables", "RETRY_SCHEDULE"))
	onceEach(t, tpl)
}

// onceEach checks that Lambda does not repeat the runs of schedules that fail.
func onceEach(t *testing.T, tpl *template) {
	t.Helper()
	var of []string
	for _, id := range tpl.of("AWS::Lambda::EventInvokeConfig") {
		tpl.check(t, at(id, 0, "MaximumRetryAttempts"))
		of = append(of, tpl.at(t, id, "FunctionName"))
	}
	compare(t, of, []string{"${SweepFunction}", "${ScheduleFunction}"})
}

// The manifest is the only place for these facts: change one there, and the
// template and the runtime's value change together.
func TestManifestInTemplate(t *testing.T) {
	t.Parallel()
	tpl := synthesise(t, wishes{context: bare, facts: func(f *settings.Facts) {
		for i := range f.Functions { // a shorter visibility than that of match
			f.Functions[i].Timeout = time.Minute
		}
		match := &f.Functions[0]
		match.Timeout, match.MemoryMB, match.BatchSize, match.MaxConcurrency = 2*time.Minute, 1024, 7, 11
		match.Retries = []time.Duration{90 * time.Second, time.Hour, 2 * time.Hour}
		f.Sweep.Timeout, f.Sweep.Every = 40*time.Second, 3*time.Minute
		f.Migrate.Timeout = 5 * time.Minute
	}})
	tpl.check(t,
		at("MatchFunction", 120, "Timeout"), at("MatchFunction", 1024, "MemorySize"),
		at("MatchFunction", "1m30s,1h,2h", "Environment", "Variables", "RETRY_SCHEDULE"),
		at("MatchQueue", 720, "VisibilityTimeout"), at("MatchQueue", 4, "RedrivePolicy", "maxReceiveCount"),
		at("MatchMapping", 7, "BatchSize"), at("MatchMapping", 11, "ScalingConfig", "MaximumConcurrency"),
		at("MatchDuration", 96000, "Threshold"), at("OldestDueDocument", 3*720, "Threshold"),
		at("SweepFunction", 40, "Timeout"), at("SweepSchedule", "rate(3 minutes)", "ScheduleExpression"),
		at("SweepFunction", "1m30s,1h,2h", "Environment", "Variables", "RETRY_SCHEDULE"),
		at("MigrateFunction", 300, "Timeout"), at("Schema", 360, "ServiceTimeout"))
}

func TestNamesAndTags(t *testing.T) {
	t.Parallel()
	tpl := synthesise(t, wishes{context: everything}) // stage prod
	tagged := 0
	for id, r := range tpl.Resources {
		for _, name := range []string{"QueueName", "FunctionName", "LogGroupName", "AlarmName", "TopicName",
			"DashboardName", "Name"} {
			// A function's name in another resource is a reference.
			if got, ok := r.Properties[name].(string); ok && got != "live" && !strings.Contains(got, "matchbook-prod") {
				t.Errorf("%s: %s is %s", id, name, got)
			}
		}
		if tags, ok := r.Properties["Tags"].([]any); ok {
			tagged++
			text, _ := json.Marshal(tags)
			if !strings.Contains(string(text), `{"Key":"stage","Value":"prod"}`) ||
				!strings.Contains(string(text), `{"Key":"application","Value":"matchbook"}`) {
				t.Errorf("%s: tags %s", id, text)
			}
		}
	}
	if tagged < 15 {
		t.Errorf("only %d resources have tags", tagged)
	}
	if strings.Contains(tpl.text, "matchbook-dev") || strings.Contains(tpl.text, "matchbook/dev") {
		t.Error("the default stage is in the template of another one")
	}
}

func TestOutputs(t *testing.T) {
	t.Parallel()
	tpl := synthesise(t, wishes{context: bare})
	for name, want := range map[string]string{
		"MatchQueueUrl": "${MatchQueue}", "MatchDeadLetterQueueUrl": "${MatchDeadLetterQueue}",
		"MatchFunctionName": "${MatchFunction}", "IngestQueueUrl": "${IngestQueue}", "FilesBucketName": "${Files}",
		"SweepFunctionName": "${SweepFunction}", "MigrateFunctionName": "${MigrateFunction}",
		"AlarmTopicArn": "${AlarmTopic}",
		"DashboardUrl":  "https://${AWS::Region}.${ConsoleDomains ${AWS::Partition} domain}/cloudwatch/home?region=${AWS::Region}#dashboards/dashboard/matchbook-dev",
	} {
		if got := plain(tpl.Outputs[name].Value); got != want {
			t.Errorf("%s: got %s, want %s", name, got, want)
		}
	}
	if got, want := fmt.Sprint(tpl.Mappings["ConsoleDomains"]), "map[aws:map[domain:console.aws.amazon.com] "+
		"aws-cn:map[domain:console.amazonaws.cn] aws-us-gov:map[domain:console.amazonaws-us-gov.com]]"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

// Without an account there is nothing to look up, and nothing of one is in the
// template.
func TestTemplateNeedsNoAccount(t *testing.T) {
	t.Parallel()
	for _, context := range []map[string]any{bare, aurora} {
		tpl := synthesise(t, wishes{context: context})
		if strings.Contains(tpl.text, "000000000000") || strings.Contains(tpl.text, "eu-central-1") ||
			strings.Contains(tpl.text, "dummy") {
			t.Error("an account, a region or a dummy value is in the template")
		}
	}
}
