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
