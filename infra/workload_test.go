package main

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"matchbook/infra/settings"
	"matchbook/lambda/manifest"
)

// furtherRow is a manifest with a further function, which asks no model.
func furtherRow(f *settings.Facts) {
	f.Functions = append(f.Functions, manifest.Function{Name: "lamp", Purpose: "Lights lamps", Subject: "lamp",
		Package: "example.com/lamp", Timeout: 5 * time.Minute, MemoryMB: 1024, BatchSize: 5, MaxConcurrency: 4,
		PoolSize: 3, Retries: []time.Duration{time.Minute}})
}

// further is the stack of it, beside the stack of today's manifest.
func further(t *testing.T) (today, tpl *template) {
	t.Helper()
	return synthesise(t, wishes{context: bare}), synthesise(t, wishes{context: bare, facts: furtherRow})
}

func TestManifestDeployed(t *testing.T) {
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

func TestNewRowIsWorkload(t *testing.T) {
	t.Parallel()
	today, tpl := further(t)
	more := map[string]string{}
	for id, r := range tpl.Resources {
		if today.Resources[id].Type == "" && r.Type != "AWS::Lambda::Version" && r.Type != "AWS::SQS::QueuePolicy" {
			more[id] = r.Type
		}
	}
	want := map[string]string{
		"LampQueue": "AWS::SQS::Queue", "LampDeadLetterQueue": "AWS::SQS::Queue",
		"LampFunction": "AWS::Lambda::Function", "LampFunctionLogs": "AWS::Logs::LogGroup",
		"LampFunctionRole": "AWS::IAM::Role",
		"LampLive":         "AWS::Lambda::Alias", "LampMapping": "AWS::Lambda::EventSourceMapping",
		"LampRollout": "AWS::CodeDeploy::DeploymentGroup",
	}
	for _, alarm := range []string{"DeadLetterQueueNotEmpty", "DeadLetterQueueFilling", "QueueInFlight", "Failed",
		"FailedShare", "Malformed", "LoopStopped",
		"Errors", "Throttles", "Duration"} {
		want["Lamp"+alarm] = "AWS::CloudWatch::Alarm"
	}
	for id, kind := range want {
		if more[id] != kind {
			t.Errorf("%s is a %q, want %s", id, more[id], kind)
		}
		delete(more, id)
	}
	for id, kind := range more {
		if kind != "AWS::IAM::Policy" { // TestNewRowOwnQueueOnly
			t.Errorf("%s, a %s, is there as well", id, kind)
		}
	}
	tpl.check(t,
		at("LampQueue", 6*300, "VisibilityTimeout"), at("LampQueue", 2, "RedrivePolicy", "maxReceiveCount"),
		at("LampMapping", 5, "BatchSize"), at("LampMapping", 4, "ScalingConfig", "MaximumConcurrency"),
		at("LampDuration", 240000, "Threshold"), at("OldestDueDocument", 3*6*600, "Threshold"))
	if got := plain(tpl.Outputs["LampQueueUrl"].Value); got != "${LampQueue}" {
		t.Errorf("the output is %s", got)
	}
}

func TestNewRowEnvironment(t *testing.T) {
	t.Parallel()
	_, tpl := further(t)
	lamp, match, sweep := tpl.variables(t, "LampFunction"), tpl.variables(t, "MatchFunction"),
		tpl.variables(t, "SweepFunction")
	if lamp["QUEUE_URL"] != "${LampQueue}" || lamp["RETRY_SCHEDULE"] != "1m" {
		t.Errorf("lamp: got %v", lamp)
	}
	if _, ok := lamp["OPENAI_API_KEY_SECRET_ARN"]; ok {
		t.Error("a function that asks no model gets the model's key")
	}
	if match["QUEUE_URL"] != "${MatchQueue}" || match["RETRY_SCHEDULE"] != "5m,30m" {
		t.Errorf("match: got %v", match)
	}
	if sweep["MATCH_QUEUE_URL"] != "${MatchQueue}" || sweep["LAMP_QUEUE_URL"] != "${LampQueue}" {
		t.Errorf("the sweep: got %v", sweep)
	}
}

// A function has rights on its own queue, and the sweep on all of them.
func TestNewRowOwnQueueOnly(t *testing.T) {
	t.Parallel()
	today, tpl := further(t)
	var more []string
	before := today.granted()
	for _, line := range tpl.granted() {
		if !slices.Contains(before, line) {
			more = append(more, line)
		}
	}
	lamp := func(actions ...string) (list []string) {
		for _, action := range actions {
			list = append(list, "${LampFunctionRole}: Allow "+action)
		}
		return list
	}
	var sweep []string
	for _, action := range []string{"GetQueueUrl", "GetQueueAttributes", "ReceiveMessage", "DeleteMessage", "ChangeMessageVisibility"} {
		sweep = append(sweep, "${SweepFunctionRole}: Allow sqs:"+action+" ${LampDeadLetterQueue.Arn}")
	}
	var rollout []string
	for role, list := range ofRollout(map[string][]string{"LampFunctionRole": nil}, nil) {
		for _, action := range list {
			if strings.Contains(action, "-lamp") {
				rollout = append(rollout, "${"+role+"}: Allow "+action)
			}
		}
	}
	compare(t, more, append(slices.Concat(sweep, rollout, lamp(
		"logs:CreateLogStream ${LampFunctionLogs.Arn}", "logs:PutLogEvents ${LampFunctionLogs.Arn}",
		"xray:PutTelemetryRecords *", "xray:PutTraceSegments *",
		"sqs:ReceiveMessage ${LampQueue.Arn}", "sqs:DeleteMessage ${LampQueue.Arn}",
		"sqs:GetQueueAttributes ${LampQueue.Arn}",
		"sqs:ChangeMessageVisibility ${LampQueue.Arn}", "sqs:SendMessage ${LampQueue.Arn}",
		"secretsmanager:GetSecretValue arn:${AWS::Partition}:secretsmanager:${AWS::Region}:${AWS::AccountId}:secret:matchbook/dev/database-url-??????")),
		"${SweepFunctionRole}: Allow sqs:SendMessage ${LampQueue.Arn}",
		"${SweepFunctionRole}: Allow sqs:GetQueueAttributes ${LampQueue.Arn}"))
}

func TestNewRowAlarms(t *testing.T) {
	t.Parallel()
	_, tpl := further(t)
	if got, want := watched(t, tpl, "CredentialsRefused"), "FILL(work, 0) + FILL(work2, 0) + FILL(work3, 0) + FILL(work4, 0) + FILL(work5, 0) + FILL(work6, 0) + FILL(schedule, 0) + FILL(sweep, 0) of "; !strings.HasPrefix(got, want) || !strings.Contains(got, "Function=lamp") {
		t.Errorf("refused credentials: got %s", got)
	}
	shown := map[string]string{}
	for _, w := range tpl.widgets(t) {
		shown[w.Properties.Title] = fmt.Sprint(w.Properties.Metrics)
	}
	for title, want := range map[string]string{
		"match: Deliveries by result":                            "Function match",
		"lamp: Deliveries by result":                             "Function lamp",
		"lamp: Time per lamp (ms)":                               "AttemptTime",
		"lamp: Invocations, errors, throttles":                   "${LampFunction}",
		"lamp: Invocation duration (ms)":                         "${LampFunction}",
		"lamp: Concurrent invocations":                           "${LampFunction}",
		"match: Model: tokens":                                   "Function match",
		"Queues":                                                 "${LampDeadLetterQueue.QueueName}",
		"Repairs, unsent notifications, and refused credentials": "Function lamp",
	} {
		if !strings.Contains(shown[title], want) {
			t.Errorf("%s: got %q, want %s in it", title, shown[title], want)
		}
	}
	for id, want := range map[string]string{
		"LampDeadLetterQueueNotEmpty": "Read the errors of their lamps, fix the cause",
		"LampFailedShare":             "Of the lamps that ended",
		"MatchFailedShare":            "Of the documents that ended",
		"OldestDueDocument":           "The oldest row has been due",
	} {
		if got := plain(tpl.at(t, id, "AlarmDescription")); !strings.Contains(got, want) {
			t.Errorf("%s: got %q, want %q in it", id, got, want)
		}
	}
	if shown["lamp: Model: tokens"] != "" {

		t.Error("the model's graphs are there for a function that asks none")
	}
}
