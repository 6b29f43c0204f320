package main

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"
)

func TestAuroraProtected(t *testing.T) {
	t.Parallel()
	tpl := synthesise(t, wishes{context: aurora})
	tpl.check(t,
		at("Database", "aurora-postgresql", "Engine"), at("Database", "matchbook", "DatabaseName"),
		at("Database", true, "StorageEncrypted"),
		at("Database", true, "DeletionProtection"), at("DatabaseWriter7794273E", false, "AutoMinorVersionUpgrade"),
		at("Database", 14, "BackupRetentionPeriod"), at("Database", true, "EnableIAMDatabaseAuthentication"),
		at("Database", 0.5, "ServerlessV2ScalingConfiguration", "MinCapacity"),
		at("Database", 4, "ServerlessV2ScalingConfiguration", "MaxCapacity"))
	for _, id := range tpl.of("AWS::RDS::DBInstance") {
		tpl.check(t, at(id, "db.serverless", "DBInstanceClass"), at(id, false, "PubliclyAccessible"))
	}
	if !strings.Contains(tpl.text, `"DeletionPolicy": "Snapshot"`) {
		t.Error("the stack would take the data with it")
	}
	if strings.Contains(tpl.text, "MasterUserPassword") &&
		!strings.Contains(tpl.at(t, "Database", "MasterUserPassword"), "{{resolve:secretsmanager:") {
		t.Error("a password is in the template")
	}
}

// Rules of the security groups, as "group: direction protocol port peer".
func TestDatabaseIngress(t *testing.T) {
	t.Parallel()
	tpl := synthesise(t, wishes{context: aurora})
	var got []string
	rule := func(group, direction string, r map[string]any) {
		peer := plain(r["CidrIp"]) + plain(r["SourceSecurityGroupId"]) + plain(r["DestinationSecurityGroupId"])
		got = append(got, group+": "+direction+" "+plain(r["IpProtocol"])+" "+plain(r["FromPort"])+"-"+
			plain(r["ToPort"])+" "+peer)
	}
	for id, r := range tpl.Resources {
		switch r.Type {
		case "AWS::EC2::SecurityGroup":
			for _, direction := range []string{"Ingress", "Egress"} {
				rules, _ := r.Properties["SecurityGroup"+direction].([]any)
				for _, one := range rules {
					rule("${"+id+".GroupId}", direction, one.(map[string]any))
				}
			}
		case "AWS::EC2::SecurityGroupIngress", "AWS::EC2::SecurityGroupEgress":
			rule(plain(r.Properties["GroupId"]), strings.TrimPrefix(r.Type, "AWS::EC2::SecurityGroup"), r.Properties)
		}
	}
	functions, database := groupOf(t, tpl, "Functions"), groupOf(t, tpl, "Database")
	compare(t, got, []string{
		functions + ": Egress tcp 443-443 0.0.0.0/0",
		functions + ": Egress tcp 8000-8000 0.0.0.0/0", // the model's own port
		functions + ": Egress tcp 4318-4318 0.0.0.0/0", // the collector of traces
		functions + ": Egress tcp 5432-5432 " + database,
		database + ": Ingress tcp 5432-5432 " + functions,
		database + ": Egress icmp 252-86 255.255.255.255/32", // the CDK's form of none
	})
}

func groupOf(t *testing.T, tpl *template, prefix string) string {
	t.Helper()
	for _, id := range tpl.of("AWS::EC2::SecurityGroup") {
		if strings.HasPrefix(id, prefix) {
			return "${" + id + ".GroupId}"
		}
	}
	t.Fatalf("no security group of %s", prefix)
	return ""
}

func TestEgress(t *testing.T) {
	t.Parallel()
	tpl := synthesise(t, wishes{context: aurora})
	if n := len(tpl.of("AWS::EC2::NatGateway")); n != 1 {
		t.Errorf("%d NAT gateways", n)
	}
	routed := map[string]string{}
	for _, id := range tpl.of("AWS::EC2::Route") {
		routed[tpl.at(t, id, "RouteTableId")] = tpl.at(t, id, "NatGatewayId") + tpl.at(t, id, "GatewayId")
	}
	for id := range tpl.Resources {
		if tpl.Resources[id].Type != "AWS::EC2::RouteTable" {
			continue
		}
		out := routed["${"+id+"}"]
		if private := strings.Contains(id, "functions"); private && !strings.Contains(out, "NAT") {
			t.Errorf("%s leads to %q", id, out)
		}
		if strings.Contains(id, "database") && out != "" {
			t.Errorf("%s leads to %q", id, out)
		}
	}
	for _, id := range []string{"MatchFunction", "SweepFunction", "MigrateFunction"} {
		if got := tpl.at(t, id, "VpcConfig"); !strings.Contains(got, "VpcfunctionsSubnet1") ||
			!strings.Contains(got, "VpcfunctionsSubnet2") || !strings.Contains(got, "FunctionsSecurityGroup") {
			t.Errorf("%s is in %s", id, got)
		}
	}
	for _, rule := range []string{"DatabaseSecurityGroupfrom", "FunctionsSecurityGroupto"} {
		if got := tpl.Resources["Schema"].DependsOn; !slices.ContainsFunc(got,
			func(id string) bool { return strings.HasPrefix(id, rule) }) {
			t.Errorf("the migration does not wait for the rule %s...: %v", rule, got)
		}
	}
	if got := tpl.Resources["Schema"].DependsOn; !slices.Contains(got, "Database") {
		t.Errorf("the migration waits for %v, not for the database", got)
	}
	if got := tpl.Resources["MigrateFunction"].DependsOn; !slices.ContainsFunc(got,
		func(id string) bool { return strings.Contains(id, "functionsSubnet1DefaultRoute") }) {
		t.Errorf("the migration may run before there is a way out: it waits for %v", got)
	}
}

// Without a NAT gateway there is no way but to the services that the functions call.
func TestClosedNetwork(t *testing.T) {
	t.Parallel()
	tpl := synthesise(t, wishes{context: sealed})
	if ids := tpl.of("AWS::EC2::NatGateway"); len(ids) > 0 {
		t.Errorf("%v would be made", ids)
	}
	for _, id := range tpl.of("AWS::EC2::Route") {
		if !strings.Contains(tpl.at(t, id, "RouteTableId"), "public") {
			t.Errorf("the route %s leads out", id)
		}
	}
	var got []string
	for _, id := range tpl.of("AWS::EC2::VPCEndpoint") {
		got = append(got, tpl.at(t, id, "VpcEndpointType")+" "+tpl.at(t, id, "ServiceName"))
		if tpl.at(t, id, "VpcEndpointType") == "Interface" {
			tpl.check(t, at(id, true, "PrivateDnsEnabled"))
			if subnets := tpl.at(t, id, "SubnetIds"); !strings.Contains(subnets, "functionsSubnet1") || !strings.Contains(subnets, "functionsSubnet2") {
				t.Errorf("%s is in %s", id, subnets)
			}
			if !slices.ContainsFunc(tpl.Resources["MigrateFunction"].DependsOn, func(on string) bool { return on == id }) {
				t.Errorf("the migration may run before there is %s", id)
			}
		}
	}
	const service = "com.amazonaws.${AWS::Region}."
	compare(t, got, []string{"Gateway " + service + "s3", "Interface " + service + "sqs", "Interface " + service + "secretsmanager",
		"Interface " + service + "bedrock-runtime", "Interface " + service + "textract", "Interface " + service + "email",
		"Interface " + service + "codedeploy", "Interface " + service + "lambda"})
	if got := tpl.at(t, "MatchFunction", "VpcConfig"); !strings.Contains(got, "VpcfunctionsSubnet1") || !strings.Contains(got, "VpcfunctionsSubnet2") {
		t.Errorf("match is in %s", got)
	}
}

// A database that pauses ends the sessions of sleeping functions, which wait for its resume; the
// sweep rests, and offers are queued hourly.
func TestPausingDatabase(t *testing.T) {
	t.Parallel()
	tpl := synthesise(t, wishes{context: sealed})
	groups := tpl.of("AWS::RDS::DBClusterParameterGroup")
	if len(groups) != 1 {
		t.Fatalf("parameter groups: %v", groups)
	}
	tpl.check(t, at("Database", 0, "ServerlessV2ScalingConfiguration", "MinCapacity"),
		at("Database", 300, "ServerlessV2ScalingConfiguration", "SecondsUntilAutoPause"),
		at("Database", "${"+groups[0]+"}", "DBClusterParameterGroupName"),
		at(groups[0], `{"idle_session_timeout":"60000"}`, "Parameters"),
		at("SweepFunction", "true", "Environment", "Variables", "SWEEP_RESTS"),
		at("SweepSchedule", "rate(1 minute)", "ScheduleExpression"),
		at("ScheduleSchedule", "cron(0 * * * ? *)", "ScheduleExpression"),
		at("ScheduleSilent", 24, "EvaluationPeriods"))
	if text := tpl.at(t, "ScheduleSilent", "AlarmDescription"); !strings.Contains(text, "for two hours, two runs") {
		t.Errorf("the alarm says %s", text)
	}
	for _, id := range tpl.of("AWS::Lambda::Function") {
		tpl.check(t, at(id, "40", "Environment", "Variables", "PGCONNECT_TIMEOUT"))
	}
}

func TestDatabaseReader(t *testing.T) {
	t.Parallel()
	tpl := synthesise(t, wishes{context: sealed})
	instances := tpl.of("AWS::RDS::DBInstance")
	if len(instances) != 2 {
		t.Fatalf("instances: %v", instances)
	}
	for _, id := range instances {
		tier := "0"
		if strings.Contains(id, "Reader") {
			tier = "1" // so that it scales with the writer, and takes over
		}
		tpl.check(t, at(id, tier, "PromotionTier"), at(id, "db.serverless", "DBInstanceClass"), at(id, false, "AutoMinorVersionUpgrade"))
	}
	tpl.check(t, at("Database", `["postgresql"]`, "EnableCloudwatchLogsExports"))
}

func TestExistingDatabaseVPC(t *testing.T) {
	t.Parallel()
	tpl := synthesise(t, wishes{context: everything})
	for _, id := range []string{"MatchFunction", "SweepFunction", "MigrateFunction"} {
		tpl.check(t, at(id, `["subnet-0123456789abcdef0","subnet-0123456789abcdef1"]`, "VpcConfig", "SubnetIds"),
			at(id, `["sg-0123456789abcdef0"]`, "VpcConfig", "SecurityGroupIds"))
	}
	for _, kind := range []string{"AWS::EC2::VPC", "AWS::RDS::DBCluster", "AWS::SecretsManager::SecretTargetAttachment"} {
		if ids := tpl.of(kind); len(ids) > 0 {
			t.Errorf("%v would be made", ids)
		}
	}
}

// Secrets are references: nothing that looks like one is in any template.
func TestTemplateHasNoSecrets(t *testing.T) {
	t.Parallel()
	for _, context := range []map[string]any{bare, everything, aurora} {
		tpl := synthesise(t, wishes{context: context})
		for _, id := range []string{"MatchFunction", "SweepFunction", "MigrateFunction"} {
			for _, name := range []string{"DATABASE_URL", "OPENAI_API_KEY", "SLACK_WEBHOOK_URL"} {
				if got := tpl.variables(t, id)[name]; got != "" {
					t.Errorf("%s: %s is set", id, name)
				}
			}
		}
		var outputs []byte
		outputs, _ = json.Marshal(tpl.Outputs)
		if strings.Contains(string(outputs), "resolve:") {
			t.Error("an output resolves a secret")
		}
	}
}
