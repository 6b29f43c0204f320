package main

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"matchbook/lambda/manifest"
)

// furtherRow is a manifest with a second function, which asks no model.
func furtherRow(f *facts) {
	f.Functions = append(f.Functions, manifest.Function{Name: "ingest", Purpose: "Reads documents", Subject: "ingestion",
		Package: "example.com/ingest", Timeout: 5 * time.Minute, MemoryMB: 1024, BatchSize: 5, MaxConcurrency: 4,
		PoolSize: 3, Retries: []time.Duration{time.Minute}})
}

// further is the stack of it, beside the stack of today's manifest.
func further(t *testing.T) (today, tpl *template) {
	t.Helper()
	return synthesise(t, wishes{context: bare}), synthesise(t, wishes{context: bare, facts: furtherRow})
}

func TestEveryRowOfTheManifestIsDeployed(t *testing.T) {
	t.Parallel()
	tpl := synthesise(t, wishes{context: bare})
	for _, f := range manifest.Functions() {
		tpl.check(t, at(title(f.Name)+"Function", f.Purpose, "Description"),
			at(title(f.Name)+"Mapping", f.BatchSize, "BatchSize"))
	}
	for _, task := range manifest.Tasks() {
		tpl.check(t, at(title(task.Name)+"Function", task.Purpose, "Description"),
			at(title(task.Name)+"Function", task.MemoryMB, "MemorySize"))
	}
}

func TestFurtherRowIsAFurtherWorkload(t *testing.T) {
	t.Parallel()
	today, tpl := further(t)
	more := map[string]string{}
	for id, r := range tpl.Resources {
		if today.Resources[id].Type == "" && r.Type != "AWS::Lambda::Version" && r.Type != "AWS::SQS::QueuePolicy" {
			more[id] = r.Type
		}
	}
	want := map[string]string{
		"IngestQueue": "AWS::SQS::Queue", "IngestDeadLetterQueue": "AWS::SQS::Queue",
		"IngestFunction": "AWS::Lambda::Function", "IngestFunctionLogs": "AWS::Logs::LogGroup",
		"IngestFunctionRole": "AWS::IAM::Role",
		"IngestLive":         "AWS::Lambda::Alias", "IngestMapping": "AWS::Lambda::EventSourceMapping",
	}
	for _, alarm := range []string{"DeadLetterQueueNotEmpty", "DeadLetterQueueFilling", "QueueInFlight", "Failed",
		"FailedShare", "Malformed",
		"Errors", "Throttles", "Duration"} {
		want["Ingest"+alarm] = "AWS::CloudWatch::Alarm"
	}
	for id, kind := range want {
		if more[id] != kind {
			t.Errorf("%s is a %q, want %s", id, more[id], kind)
		}
		delete(more, id)
	}
	for id, kind := range more {
		if kind != "AWS::IAM::Policy" { // TestFurtherRowMayUseItsOwnQueueOnly
			t.Errorf("%s, a %s, is there as well", id, kind)
		}
	}
	tpl.check(t,
		at("IngestQueue", 6*300, "VisibilityTimeout"), at("IngestQueue", 2, "RedrivePolicy", "maxReceiveCount"),
		at("IngestMapping", 5, "BatchSize"), at("IngestMapping", 4, "ScalingConfig", "MaximumConcurrency"),
		at("IngestDuration", 240000, "Threshold"), at("OldestDueDocument", 3*6*300, "Threshold"))
	if got := plain(tpl.Outputs["IngestQueueUrl"].Value); got != "${IngestQueue}" {
		t.Errorf("the output is %s", got)
	}
}

func TestFurtherRowHasItsOwnEnvironment(t *testing.T) {
	t.Parallel()
	_, tpl := further(t)
	ingest, match, sweep := tpl.variables(t, "IngestFunction"), tpl.variables(t, "MatchFunction"),
		tpl.variables(t, "SweepFunction")
	if ingest["QUEUE_URL"] != "${IngestQueue}" || ingest["RETRY_SCHEDULE"] != "1m" {
		t.Errorf("ingest: got %v", ingest)
	}
	if _, ok := ingest["OPENAI_API_KEY_SECRET_ARN"]; ok {
		t.Error("a function that asks no model gets the model's key")
	}
	if match["QUEUE_URL"] != "${MatchQueue}" || match["RETRY_SCHEDULE"] != "5m,30m" {
		t.Errorf("match: got %v", match)
	}
	if sweep["MATCH_QUEUE_URL"] != "${MatchQueue}" || sweep["INGEST_QUEUE_URL"] != "${IngestQueue}" {
		t.Errorf("the sweep: got %v", sweep)
	}
}

// A function has rights on its own queue, and the sweep on all of them.
func TestFurtherRowMayUseItsOwnQueueOnly(t *testing.T) {
	t.Parallel()
	today, tpl := further(t)
	var more []string
	before := today.granted()
	for _, line := range tpl.granted() {
		if !slices.Contains(before, line) {
			more = append(more, line)
		}
	}
	ingest := func(actions ...string) (list []string) {
		for _, action := range actions {
			list = append(list, "${IngestFunctionRole}: Allow "+action)
		}
		return list
	}
	compare(t, more, append(ingest(
		"logs:CreateLogStream ${IngestFunctionLogs.Arn}", "logs:PutLogEvents ${IngestFunctionLogs.Arn}",
		"xray:PutTelemetryRecords *", "xray:PutTraceSegments *",
		"sqs:ReceiveMessage ${IngestQueue.Arn}", "sqs:DeleteMessage ${IngestQueue.Arn}",
		"sqs:GetQueueAttributes ${IngestQueue.Arn}",
		"sqs:ChangeMessageVisibility ${IngestQueue.Arn}", "sqs:SendMessage ${IngestQueue.Arn}",
		"secretsmanager:GetSecretValue arn:${AWS::Partition}:secretsmanager:${AWS::Region}:${AWS::AccountId}:secret:matchbook/dev/database-url-??????"),
		"${SweepFunctionRole}: Allow sqs:SendMessage ${IngestQueue.Arn}",
		"${SweepFunctionRole}: Allow sqs:GetQueueAttributes ${IngestQueue.Arn}"))
}

func TestFurtherRowIsWatched(t *testing.T) {
	t.Parallel()
	_, tpl := further(t)
	if got, want := watched(t, tpl, "CredentialsRefused"), "FILL(work, 0) + FILL(work2, 0) + FILL(sweep, 0) of "; !strings.HasPrefix(got, want) || !strings.Contains(got, "Function=ingest") {
		t.Errorf("refused credentials: got %s", got)
	}
	shown := map[string]string{}
	for _, w := range tpl.widgets(t) {
		shown[w.Properties.Title] = fmt.Sprint(w.Properties.Metrics)
	}
	for title, want := range map[string]string{
		"match: Deliveries by their end":                         "Function match",
		"ingest: Deliveries by their end":                        "Function ingest",
		"ingest: Time of the work per ingestion (ms)":            "AttemptTime",
		"ingest: Invocations, errors, throttles":                 "${IngestFunction}",
		"ingest: Duration of an invocation (ms)":                 "${IngestFunction}",
		"ingest: Invocations at once":                            "${IngestFunction}",
		"match: Model: tokens":                                   "Function match",
		"Queues":                                                 "${IngestDeadLetterQueue.QueueName}",
		"Repairs, unsent notifications, and refused credentials": "Function ingest",
	} {
		if !strings.Contains(shown[title], want) {
			t.Errorf("%s: got %q, want %s in it", title, shown[title], want)
		}
	}
	for id, want := range map[string]string{
		"IngestDeadLetterQueueNotEmpty": "Read the errors of the ingestions that they name, fix the cause",
		"IngestFailedShare":             "Of the ingestions that ended",
		"MatchFailedShare":              "Of the documents that ended",
		"OldestDueDocument":             "The oldest row has been due",
	} {
		if got := plain(tpl.at(t, id, "AlarmDescription")); !strings.Contains(got, want) {
			t.Errorf("%s: got %q, want %q in it", id, got, want)
		}
	}
	if shown["ingest: Model: tokens"] != "" {

		t.Error("the model's graphs are there for a function that asks none")
	}
}
