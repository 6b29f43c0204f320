package main

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
)

const byName = "arn:${AWS::Partition}:secretsmanager:${AWS::Region}:${AWS::AccountId}:secret:matchbook/dev/"

// The Terraform configuration makes the queues, functions, mappings and schedules of the stack
// without settings, with the same values.
func TestTerraformResources(t *testing.T) {
	t.Parallel()
	tpl, c := synthesise(t, wishes{context: bare}), terraform(t, nil)
	for _, tc := range []struct {
		kind, name, id string
		pairs          map[string][]any // Terraform's attribute: CloudFormation's path
	}{
		{"aws_sqs_queue", "queue", "Queue", map[string][]any{"name": {"QueueName"}, "visibility_timeout_seconds": {"VisibilityTimeout"},
			"message_retention_seconds": {"MessageRetentionPeriod"}, "sqs_managed_sse_enabled": {"SqsManagedSseEnabled"},
			"redrive_policy.deadLetterTargetArn": {"RedrivePolicy", "deadLetterTargetArn"},
			"redrive_policy.maxReceiveCount":     {"RedrivePolicy", "maxReceiveCount"}}},
		{"aws_sqs_queue", "dead_letter", "DeadLetterQueue", map[string][]any{"name": {"QueueName"},
			"message_retention_seconds": {"MessageRetentionPeriod"}, "sqs_managed_sse_enabled": {"SqsManagedSseEnabled"}}},
		{"aws_cloudwatch_log_group", "function", "FunctionLogs", map[string][]any{"name": {"LogGroupName"}, "retention_in_days": {"RetentionInDays"}}},
		{"aws_lambda_function", "function", "Function", map[string][]any{"function_name": {"FunctionName"}, "description": {"Description"},
			"runtime": {"Runtime"}, "handler": {"Handler"}, "architectures": {"Architectures"}, "timeout": {"Timeout"},
			"memory_size": {"MemorySize"}, "tracing_config.mode": {"TracingConfig", "Mode"}, "role": {"Role"}}},
		{"aws_lambda_alias", "live", "Live", map[string][]any{"name": {"Name"}, "function_name": {"FunctionName"}}},
		{"aws_lambda_event_source_mapping", "queue", "Mapping", map[string][]any{"event_source_arn": {"EventSourceArn"},
			"batch_size": {"BatchSize"}, "function_response_types": {"FunctionResponseTypes"},
			"scaling_config.maximum_concurrency": {"ScalingConfig", "MaximumConcurrency"}}},
		{"aws_scheduler_schedule", "schedule", "Schedule", map[string][]any{"name": {"Name"}, "schedule_expression": {"ScheduleExpression"},
			"flexible_time_window.mode": {"FlexibleTimeWindow", "Mode"}, "target.arn": {"Target", "Arn"}, "target.role_arn": {"Target", "RoleArn"},
			"target.retry_policy.maximum_retry_attempts": {"Target", "RetryPolicy", "MaximumRetryAttempts"}}},
	} {
		all := c.each(t, tc.kind, tc.name)
		if got, want := len(all), tpl.count(tc.id); got != want {
			t.Errorf("%s.%s: %d, want %d as %s", tc.kind, tc.name, got, want, tc.id)
		}
		for key, attributes := range all {
			id := title(key) + tc.id
			if tpl.Resources[id].Type == "" {
				continue // migrate has no alias there
			}
			for attribute, path := range tc.pairs {
				got, want := plain(attributes[attribute]), tpl.at(t, id, path...)
				if got != want {
					t.Errorf("%s.%s[%q].%s: got %s, want %s", tc.kind, tc.name, key, attribute, got, want)
				}
			}
		}
	}
}

// count returns the number of resources named by the words and this end; of aliases with migrate's.
func (tpl *template) count(end string) (n int) {
	for id := range tpl.Resources {
		word, ok := strings.CutSuffix(id, end)
		if ok && word != "" && strings.ToLower(word[1:]) == word[1:] {
			n++
		}
	}
	if end == "Live" {
		n++
	}
	return n
}

// The functions get what they need to start, in the variables of the stack.
func TestTerraformVariables(t *testing.T) {
	t.Parallel()
	tpl := synthesise(t, wishes{context: bare})
	for name, attributes := range terraform(t, nil).each(t, "aws_lambda_function", "function") {
		want := tpl.variables(t, title(name)+"Function")
		got, _ := attributes["environment.variables"].(map[string]any)
		for variable, value := range got {
			if want[variable] != value {
				t.Errorf("%s: %s is %v, want %s", name, variable, value, want[variable])
			}
		}
		for variable, value := range want {
			if strings.Contains(value, "${") && got[variable] == nil {
				t.Errorf("%s: missing %s", name, variable)
			}
		}
	}
}

// The roles have the permissions of the stack's roles, and mail is sent only as the sender.
func TestTerraformPermissions(t *testing.T) {
	t.Parallel()
	tpl := synthesise(t, wishes{context: bare})
	var got, want []string
	for name, attributes := range terraform(t, nil).each(t, "aws_iam_role_policy", "function") {
		for _, line := range policyOf(t, fmt.Sprintf("${%sFunctionRole}", title(name)), attributes["policy"]) {
			got = append(got, strings.Replace(line, "Logs.Arn}:*", "Logs.Arn}", 1))
		}
	}
	for _, line := range tpl.granted() {
		rollout := strings.Contains(line, "codedeploy:") || strings.HasPrefix(line, "${MigrateFunctionRole}: Allow lambda:")
		if strings.Contains(line, "FunctionRole}") && !rollout { // Terraform moves aliases itself
			want = append(want, strings.TrimSuffix(line, "-??????"))
		}
	}
	compare(t, got, want)

	settings := map[string]any{"settings": map[string]any{"EMAIL_FROM": "a@example.com", "OCR": "textract"}, "mail": []any{"arn:mail"},
		"network": map[string]any{"subnets": []any{"subnet-0"}, "security_groups": []any{"sg-0"}}}
	more := policyOf(t, "match", terraform(t, settings).each(t, "aws_iam_role_policy", "function")["match"]["policy"])
	for _, line := range []string{`match: Allow ses:SendEmail arn:mail if {"StringEquals":{"ses:FromAddress":"a@example.com"}}`,
		"match: Allow ec2:CreateNetworkInterface *"} {
		if !slices.Contains(more, line) {
			t.Errorf("missing: %s in %q", line, more)
		}
	}
}

func policyOf(t *testing.T, who string, policy any) []string {
	t.Helper()
	var document any
	if err := json.Unmarshal([]byte(policy.(string)), &document); err != nil {
		t.Fatal(err)
	}
	return statements(who, document)
}

func terraform(t *testing.T, more map[string]any) *configuration {
	t.Helper()
	variables := map[string]any{"release": released(t),
		"secrets": map[string]any{"DATABASE_URL": byName + "database-url", "OPENAI_API_KEY": byName + "openai-api-key"}}
	for name, value := range more {
		variables[name] = value
	}
	return evaluate(t, "terraform/main.tf", variables)
}
