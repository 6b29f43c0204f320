package main

import (
	"maps"
	"slices"
	"strings"
	"testing"

	"matchbook/lambda/manifest/contract"
)

// The contract has the settings of the stack's functions, queues, mappings and schedules.
func TestContractSettings(t *testing.T) {
	t.Parallel()
	tpl := synthesise(t, wishes{context: aurora})
	described := contract.Describe("1").Functions
	if got := len(tpl.of("AWS::Lambda::Function")); got != len(described) {
		t.Errorf("the stack has %d functions, the contract %d", got, len(described))
	}
	for _, f := range described {
		id := title(f.Name)
		reserved := any(f.Reserved)
		if f.Reserved < 0 {
			reserved = ""
		}
		tpl.check(t, at(id+"Function", f.Timeout, "Timeout"), at(id+"Function", f.Memory, "MemorySize"),
			at(id+"Function", f.Purpose, "Description"), at(id+"Function", reserved, "ReservedConcurrentExecutions"))
		if f.Schedule != "" {
			tpl.check(t, at(id+"Schedule", f.Schedule, "ScheduleExpression"))
		}
		if f.Streams != (f.Name == "web") {
			t.Errorf("%s streams: %t", f.Name, f.Streams)
		}
		if q := f.Queue; q != nil {
			window := any(q.BatchWindow)
			if q.BatchWindow == 0 {
				window = ""
			}
			tpl.check(t, at(id+"Queue", q.Visibility, "VisibilityTimeout"), at(id+"Queue", q.Retention, "MessageRetentionPeriod"),
				at(id+"DeadLetterQueue", q.DeadLetterRetention, "MessageRetentionPeriod"),
				at(id+"Queue", q.MaxReceiveCount, "RedrivePolicy", "maxReceiveCount"),
				at(id+"Mapping", q.BatchSize, "BatchSize"), at(id+"Mapping", window, "MaximumBatchingWindowInSeconds"),
				at(id+"Mapping", q.MaxConcurrency, "ScalingConfig", "MaximumConcurrency"),
				at(id+"Mapping", q.ResponseTypes[0], "FunctionResponseTypes", 0))
		}
	}
	if n := len(tpl.of("AWS::Lambda::EventSourceMapping")) + len(tpl.of("AWS::Scheduler::Schedule")); n != 7 {
		t.Errorf("%d mappings and schedules, want 5 and 2", n)
	}
}

// The contract names the variables of each function, all of them, with the queues and the
// bucket to set them to.
func TestContractVariables(t *testing.T) {
	t.Parallel()
	tpl, other, apart := synthesise(t, wishes{context: aurora}), synthesise(t, wishes{context: everything}), synthesise(t, wishes{context: ownModel})
	paused := synthesise(t, wishes{context: sealed})
	for _, f := range contract.Describe("1").Functions {
		var got, want []string
		has := tpl.variables(t, title(f.Name)+"Function")
		for name := range other.variables(t, title(f.Name)+"Function") {
			want = append(want, strings.TrimSuffix(name, "_SECRET_ARN"))
		}
		for name := range paused.variables(t, title(f.Name)+"Function") {
			want = append(want, strings.TrimSuffix(name, "_SECRET_ARN"))
		}
		if f.Name == "migrate" { // with another login than the functions'
			maps.Copy(has, apart.variables(t, "MigrateFunction"))
		}
		for name := range has {
			want = append(want, strings.TrimSuffix(name, "_SECRET_ARN"))
		}
		if f.Name == "console" { // which a closed network excludes
			want = append(want, "PGCONNECT_TIMEOUT")
		}
		if f.Name == "sweep" { // the old name of MATCH_QUEUE_URL
			want = slices.DeleteFunc(want, func(name string) bool { return name == "QUEUE_URL" })
		}
		for _, v := range f.Environment {
			got = append(got, v.Name)
			value, expected := has[v.Name], v.Default
			if queue, ok := strings.CutPrefix(v.Value, "queue:"); ok {
				expected = "${" + title(queue) + "Queue}"
			} else if v.Value == "stage" {
				expected = "dev"
			} else if v.Value == "files" {
				expected = "s3://${Files}"
			}
			if expected != "" && value != "" && value != expected {
				t.Errorf("%s: %s is %s in the stack, and %s in the contract", f.Name, v.Name, value, expected)
			}
		}
		slices.Sort(got)
		slices.Sort(want)
		if want = slices.Compact(want); !slices.Equal(got, want) {
			t.Errorf("%s: got %v, want %v", f.Name, got, want)
		}
	}
}

// The contract's permissions are those of the stack's roles, whatever is set.
func TestContractPermissions(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		context map[string]any
		when    []string
	}{
		"nothing set": {bare, []string{"ROLLOUT"}},
		"rules only":  {rulesOnly, []string{"OCR=textract"}},
		"everything":  {everything, []string{"ROLLOUT", "key", "network", "EMAIL_FROM", "REVIEW_QUEUE_URL"}},
		"aurora":      {aurora, []string{"ROLLOUT", "network", "REVIEW_QUEUE_URL"}},
		"sealed":      {sealed, []string{"ROLLOUT", "key", "data-key", "network", "EMAIL_FROM", "OCR=textract"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			tpl := synthesise(t, wishes{context: tc.context})
			var got []string
			for _, f := range contract.Describe("1").Functions {
				if _, deployed := tpl.Resources[title(f.Name)+"Function"]; deployed {
					got = append(got, ofContract(tpl.variables(t, title(f.Name)+"Function"), f, tc.when)...)
				}
			}
			got = slices.DeleteFunc(got, func(line string) bool { // a version of a function that isn't deployed
				_, function, ok := strings.Cut(line, " versions:")
				return ok && tpl.Resources[title(function)+"Function"].Type == ""
			})
			compare(t, got, ofRoles(tpl))
		})
	}
}

// ofContract lists the permissions of a function as "match: action resource".
func ofContract(variables map[string]string, f contract.Function, when []string) (list []string) {
	given := append([]string{""}, when...)
	for name := range maps.Keys(variables) {
		if strings.HasSuffix(name, "_SECRET_ARN") && variables[name] != "" {
			given = append(given, name)
		}
	}
	for _, p := range f.Permissions {
		if !slices.Contains(given, p.When) {
			continue
		}
		for _, action := range p.Actions {
			list = append(list, f.Name+": "+action+" "+p.Resource)
		}
	}
	return list
}

// ofRoles lists the permissions of the functions' roles likewise. A secret, an identity of SES
// and a key are only told apart by their actions.
func ofRoles(tpl *template) (list []string) {
	for _, line := range tpl.granted() {
		role, rest, ok := strings.Cut(line, "FunctionRole}: Allow ")
		if !ok {
			continue
		}
		name := strings.ToLower(strings.TrimPrefix(role, "${"))
		action, resource, _ := strings.Cut(rest, " ")
		for _, of := range resourceOf(tpl, title(name), action, resource) {
			list = append(list, name+": "+action+" "+of)
		}
	}
	slices.Sort(list)
	return slices.Compact(list)
}

// resourceOf returns the contract's word for a resource of the template; for a secret one for
// each variable that has it.
func resourceOf(tpl *template, function, action, resource string) (names []string) {
	switch {
	case resource == "${"+function+"FunctionLogs.Arn}":
		return []string{"logs"}
	case strings.HasPrefix(action, "kms:"):
		return []string{"key"}
	case action == "ses:SendEmail":
		return []string{"mail"}
	case resource == "${Files.Arn}":
		return []string{"files"}
	case strings.HasPrefix(resource, "${Files.Arn}/"):
		return []string{"files:" + strings.TrimPrefix(resource, "${Files.Arn}/")}
	case strings.HasSuffix(resource, "DeadLetterQueue.Arn}"):
		return []string{"dead-letters:" + strings.ToLower(strings.TrimSuffix(strings.TrimPrefix(resource, "${"), "DeadLetterQueue.Arn}"))}
	case strings.HasSuffix(resource, "Queue.Arn}"):
		return []string{"queue:" + strings.ToLower(strings.TrimSuffix(strings.TrimPrefix(resource, "${"), "Queue.Arn}"))}
	case action == "lambda:InvokeFunction":
		return []string{"versions:" + strings.TrimSuffix(resource[strings.LastIndex(resource, "-")+1:], ":*")}
	case action == "codedeploy:PutLifecycleEventHookExecutionStatus":
		return []string{"rollouts"}
	case action == "secretsmanager:GetSecretValue":
		variables := tpl.Resources[function+"Function"].Properties["Environment"].(map[string]any)["Variables"].(map[string]any)
		for name, value := range variables {
			if base, ok := strings.CutSuffix(name, "_SECRET_ARN"); ok && plain(value) == strings.TrimSuffix(resource, "-??????") {
				names = append(names, "secret:"+base)
			}
		}
		return names
	}
	return []string{resource}
}
