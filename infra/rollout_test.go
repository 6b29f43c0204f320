package main

import (
	"slices"
	"strings"
	"testing"
)

// A new version gets a tenth of the work for five minutes, is checked before and after, and is
// taken back on each alarm of its function that a bad version raises in this time.
func TestCanaryRollout(t *testing.T) {
	t.Parallel()
	for name, context := range map[string]map[string]any{"nothing set": bare, "everything": everything} {
		tpl := synthesise(t, wishes{context: context})
		tpl.check(t, at("Rollout", "Lambda", "ComputePlatform"), at("MigrateFunction", tpl.at(t, "Rollout", "ApplicationName"),
			"Environment", "Variables", "ROLLOUT"))
		for _, id := range tpl.of("AWS::Lambda::Alias") {
			function := strings.TrimSuffix(id, "Live")
			group := function + "Rollout"
			tpl.check(t,
				at(group, "CodeDeployDefault.LambdaCanary10Percent5Minutes", "DeploymentConfigName"),
				at(group, "${Rollout}", "ApplicationName"), at(group, "${RolloutRole.Arn}", "ServiceRoleArn"),
				at(group, "BLUE_GREEN", "DeploymentStyle", "DeploymentType"),
				at(group, "WITH_TRAFFIC_CONTROL", "DeploymentStyle", "DeploymentOption"),
				at(group, true, "AutoRollbackConfiguration", "Enabled"), at(group, true, "AlarmConfiguration", "Enabled"),
				at(group, `["DEPLOYMENT_FAILURE","DEPLOYMENT_STOP_ON_ALARM","DEPLOYMENT_STOP_ON_REQUEST"]`, "AutoRollbackConfiguration", "Events"))
			var alarms []string
			list, _ := tpl.Resources[group].Properties["AlarmConfiguration"].(map[string]any)["Alarms"].([]any)
			for _, alarm := range list {
				alarms = append(alarms, plain(alarm.(map[string]any)["Name"]))
			}
			want := []string{"${" + function + "Errors}"}
			for _, more := range []string{"Failed", "FailedShare", "Malformed"} {
				if tpl.Resources[function+more].Type != "" {
					want = append(want, "${"+function+more+"}")
				}
			}
			if !slices.Equal(alarms, want) {
				t.Errorf("%s, %s: got the alarms %v, want %v", name, group, alarms, want)
			}
			update, _ := tpl.Resources[id].UpdatePolicy["CodeDeployLambdaAliasUpdate"].(map[string]any)
			for key, want := range map[string]string{"ApplicationName": "${Rollout}", "DeploymentGroupName": "${" + group + "}",
				"BeforeAllowTrafficHook": "${MigrateFunction}", "AfterAllowTrafficHook": "${MigrateFunction}"} {
				if got := plain(update[key]); got != want {
					t.Errorf("%s, %s: %s is %q, want %q", name, id, key, got, want)
				}
			}
			// CodeDeploy must be allowed to move the alias by then.
			if !slices.ContainsFunc(tpl.Resources[id].DependsOn, func(on string) bool { return strings.HasPrefix(on, "RolloutRoleDefaultPolicy") }) {
				t.Errorf("%s, %s depends on %v", name, id, tpl.Resources[id].DependsOn)
			}
		}
	}
}

func TestRolloutAllAtOnce(t *testing.T) {
	t.Parallel()
	tpl := synthesise(t, wishes{context: rulesOnly})
	if strings.Contains(tpl.text, "CodeDeploy") || strings.Contains(tpl.text, "codedeploy") {
		t.Error("CodeDeploy is in the template")
	}
}

// A rollback needs the version before.
func TestVersionsRetained(t *testing.T) {
	t.Parallel()
	for _, context := range []map[string]any{bare, rulesOnly} {
		tpl := synthesise(t, wishes{context: context})
		versions := tpl.of("AWS::Lambda::Version")
		if len(versions) != len(tpl.of("AWS::Lambda::Alias")) {
			t.Errorf("versions: %v", versions)
		}
		for _, id := range versions {
			if v := tpl.Resources[id]; v.DeletionPolicy != "Retain" || v.UpdateReplacePolicy != "Retain" {
				t.Errorf("%s: %s, %s", id, v.DeletionPolicy, v.UpdateReplacePolicy)
			}
		}
	}
}
