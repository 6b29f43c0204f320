package main

import (
	"strings"
	"testing"

	"matchbook/infra/settings"
)

// The CDK's own keys in the context are not taken for settings.
func TestCDKContextIgnored(t *testing.T) {
	t.Parallel()
	needsNode(t)
	cdk.Lock()
	defer cdk.Unlock()
	got := contextOf(newApp(t, t.TempDir(), map[string]any{"stage": "prod",
		"cli-telemetry": false, "acknowledged-issue-numbers": []any{1}, "availability-zones:account=1": []any{"a"}}))
	if len(got) != 1 || got["stage"] != "prod" {
		t.Errorf("got %v", got)
	}
}

func TestHyphenSettingRefused(t *testing.T) {
	t.Parallel()
	needsNode(t)
	cdk.Lock()
	defer cdk.Unlock()
	_, err := settings.Read(contextOf(newApp(t, t.TempDir(), map[string]any{"database-secret-arn": "SECRET"})))
	if err == nil || !strings.Contains(err.Error(), "\ndatabase-secret-arn: unknown setting; use one of stage, ") ||
		strings.Contains(err.Error(), "SECRET") {
		t.Errorf("got %v", err)
	}
}
