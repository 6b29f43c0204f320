package main

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
)

// granted lists the permissions in the policies of a template, as "Role: action
// resource", and "if" where there is a condition.
func (tpl *template) granted() (list []string) {
	for id, r := range tpl.Resources {
		switch r.Type {
		case "AWS::IAM::Policy":
			for _, role := range r.Properties["Roles"].([]any) {
				list = append(list, statements(plain(role), r.Properties["PolicyDocument"])...)
			}
		case "AWS::IAM::Role":
			for _, key := range []string{"Policies", "ManagedPolicyArns", "PermissionsBoundary"} {
				if r.Properties[key] != nil {
					list = append(list, id+": has "+key)
				}
			}
		case "AWS::IAM::ManagedPolicy", "AWS::IAM::User", "AWS::Lambda::Permission", "AWS::Lambda::Url",
			"AWS::S3::BucketPolicy":
			list = append(list, id+": is a "+r.Type)
		}
	}
	slices.Sort(list)
	return list
}

func statements(who string, document any) (list []string) {
	for _, s := range document.(map[string]any)["Statement"].([]any) {
		s := s.(map[string]any)
		suffix := ""
		if condition, ok := s["Condition"]; ok {
			text, _ := json.Marshal(condition)
			suffix = " if " + string(text)
		}
		for _, action := range several(s["Action"]) {
			for _, on := range several(s["Resource"]) {
				list = append(list, who+": "+plain(s["Effect"])+" "+action+" "+on+suffix)
			}
		}
	}
	return list
}

func several(v any) (list []string) {
	if all, ok := v.([]any); ok {
		for _, one := range all {
			list = append(list, plain(one))
		}
		return list
	}
	return []string{plain(v)}
}

// The permissions of each role, all of them.
func TestRolePermissions(t *testing.T) {
	t.Parallel()
	byName := func(name string) string {
		return "secretsmanager:GetSecretValue arn:${AWS::Partition}:secretsmanager:${AWS::Region}:${AWS::AccountId}:secret:matchbook/" + name + "-??????"
	}
	const identity = "ses:SendEmail arn:${AWS::Partition}:ses:${AWS::Region}:${AWS::AccountId}:identity/"
	ofAll := func(role string, more ...string) []string {
		return append(more, "logs:CreateLogStream ${"+strings.TrimSuffix(role, "Role")+"Logs.Arn}",
			"logs:PutLogEvents ${"+strings.TrimSuffix(role, "Role")+"Logs.Arn}",
			"xray:PutTraceSegments *", "xray:PutTelemetryRecords *") // X-Ray knows no resources
	}
	inVPC := []string{ // nor does EC2 for these
		"ec2:CreateNetworkInterface *", "ec2:DeleteNetworkInterface *", "ec2:DescribeNetworkInterfaces *",
		"ec2:DescribeSubnets *",
		"ec2:AssignPrivateIpAddresses *", "ec2:UnassignPrivateIpAddresses *",
	}
	onQueue := []string{
		"sqs:ReceiveMessage ${MatchQueue.Arn}", "sqs:DeleteMessage ${MatchQueue.Arn}",
		"sqs:GetQueueAttributes ${MatchQueue.Arn}",
		"sqs:ChangeMessageVisibility ${MatchQueue.Arn}", "sqs:SendMessage ${MatchQueue.Arn}",
	}
	var onChunks, onOffers []string
	for _, line := range onQueue {
		onChunks = append(onChunks, strings.Replace(line, "Match", "Review", 1))
		onOffers = append(onOffers, strings.Replace(line, "Match", "Offer", 1))
	}
	const toOffers = "sqs:SendMessage ${OfferQueue.Arn}"
	bySweep := []string{"sqs:SendMessage ${MatchQueue.Arn}", "sqs:GetQueueAttributes ${MatchQueue.Arn}",
		"sqs:SendMessage ${IngestQueue.Arn}", "sqs:GetQueueAttributes ${IngestQueue.Arn}",
		"sqs:SendMessage ${ReviewQueue.Arn}", "sqs:GetQueueAttributes ${ReviewQueue.Arn}",
		toOffers, "sqs:GetQueueAttributes ${OfferQueue.Arn}"}
	for _, name := range []string{"Match", "Ingest", "Review", "Offer"} {
		for _, action := range []string{"GetQueueUrl", "GetQueueAttributes", "ReceiveMessage", "DeleteMessage", "ChangeMessageVisibility"} {
			bySweep = append(bySweep, "sqs:"+action+" ${"+name+"DeadLetterQueue.Arn}")
		}
	}
	onFiles := []string{
		"sqs:ReceiveMessage ${IngestQueue.Arn}", "sqs:DeleteMessage ${IngestQueue.Arn}",
		"sqs:GetQueueAttributes ${IngestQueue.Arn}",
		"sqs:ChangeMessageVisibility ${IngestQueue.Arn}", "sqs:SendMessage ${IngestQueue.Arn}",
		"sqs:SendMessage ${MatchQueue.Arn}", "s3:ListBucket ${Files.Arn}",
		"s3:GetObject ${Files.Arn}/inbox/*", "s3:GetObjectVersion ${Files.Arn}/inbox/*",
		"s3:GetObject ${Files.Arn}/documents/*", "s3:GetObjectVersion ${Files.Arn}/documents/*",
		"s3:PutObject ${Files.Arn}/documents/*",
		"s3:GetObject ${Files.Arn}/ingestions/*", "s3:GetObjectVersion ${Files.Arn}/ingestions/*",
		"s3:PutObject ${Files.Arn}/ingestions/*",
	}
	byInbox := []string{
		"sqs:ReceiveMessage ${InboxQueue.Arn}", "sqs:DeleteMessage ${InboxQueue.Arn}",
		"sqs:GetQueueAttributes ${InboxQueue.Arn}", "sqs:SendMessage ${IngestQueue.Arn}",
		"s3:ListBucket ${Files.Arn}",
		"s3:GetObject ${Files.Arn}/inbox/*", "s3:GetObjectVersion ${Files.Arn}/inbox/*",
		"s3:PutObject ${Files.Arn}/documents/*",
	}
	const toReviews = "sqs:SendMessage ${ReviewQueue.Arn}"
	byWeb := []string{toReviews, "secretsmanager:GetSecretValue ${ReviewTokenSecret}", "s3:ListBucket ${Files.Arn}",
		"s3:GetObject ${Files.Arn}/ingestions/*", "s3:GetObjectVersion ${Files.Arn}/ingestions/*"}
	onDesk := []string{"sqs:SendMessage ${MatchQueue.Arn}", "sqs:SendMessage ${IngestQueue.Arn}", "s3:ListBucket ${Files.Arn}",
		"s3:PutObject ${Files.Arn}/documents/*", "s3:GetObject ${Files.Arn}/ingestions/*", "s3:GetObjectVersion ${Files.Arn}/ingestions/*"}
	byClient := append([]string{"secretsmanager:GetSecretValue arn:aws:secretsmanager:eu-central-1:000000000000:secret:login-AbCdEf"}, onDesk...)
	const fromUs = ` if {"StringEquals":{"ses:FromAddress":"matchbook@mail.example.com"}}`
	mail := []string{
		identity + "matchbook@mail.example.com" + fromUs, identity + "mail.example.com" + fromUs,
		"ses:SendEmail arn:${AWS::Partition}:ses:${AWS::Region}:${AWS::AccountId}:configuration-set/tracked" + fromUs,
		identity + "ops@example.com" + fromUs, identity + "books@example.com" + fromUs, identity + "example.com" +
			fromUs,
	}
	exact := []string{"secretsmanager:GetSecretValue arn:aws:secretsmanager:eu-central-1:000000000000:secret:books-AbCdEf",
		"kms:Decrypt arn:aws:kms:eu-central-1:000000000000:key/00000000-0000-4000-8000-000000000000"}
	receiver := []string{"secretsmanager:GetSecretValue arn:aws:secretsmanager:eu-central-1:000000000000:secret:offers-AbCdEf"}
	events := []string{"secretsmanager:GetSecretValue arn:aws:secretsmanager:eu-central-1:000000000000:secret:events-AbCdEf"}
	exact = append(exact, "secretsmanager:GetSecretValue arn:aws:secretsmanager:eu-central-1:000000000000:secret:otlp-AbCdEf")
	const owned, attached = "secretsmanager:GetSecretValue ${DatabaseSecretAttachmentE5D1B020}", "secretsmanager:GetSecretValue " + functionsLogin
	for name, tc := range map[string]struct {
		context map[string]any
		want    map[string][]string
	}{
		"nothing set": {bare, map[string][]string{
			"MatchFunctionRole": ofAll("MatchFunctionRole",
				slices.Concat(onQueue, []string{byName("dev/database-url"), byName("dev/openai-api-key")})...),
			"ReviewFunctionRole": ofAll("ReviewFunctionRole",
				slices.Concat(onChunks, []string{byName("dev/database-url"), byName("dev/openai-api-key")})...),
			"SweepFunctionRole": ofAll("SweepFunctionRole",
				slices.Concat(bySweep, []string{byName("dev/database-url")})...),
			"InboxFunctionRole": ofAll("InboxFunctionRole",
				slices.Concat(byInbox, []string{byName("dev/database-url")})...),
			"IngestFunctionRole": ofAll("IngestFunctionRole",
				slices.Concat(onFiles, []string{byName("dev/database-url"), byName("dev/openai-api-key")})...),
			"MigrateFunctionRole": ofAll("MigrateFunctionRole", byName("dev/database-url"), byName("dev/openai-api-key")),
			"OfferFunctionRole": ofAll("OfferFunctionRole",
				slices.Concat(onOffers, []string{byName("dev/database-url")})...),
			"ScheduleFunctionRole": ofAll("ScheduleFunctionRole", toOffers, byName("dev/database-url")),
		}},
		"rules only": {rulesOnly, map[string][]string{
			"MatchFunctionRole": ofAll("MatchFunctionRole",
				slices.Concat(onQueue, []string{byName("dev/database-url")})...),
			"ReviewFunctionRole": ofAll("ReviewFunctionRole",
				slices.Concat(onChunks, []string{byName("dev/database-url")})...),
			"SweepFunctionRole": ofAll("SweepFunctionRole",
				slices.Concat(bySweep, []string{byName("dev/database-url")})...),
			"InboxFunctionRole": ofAll("InboxFunctionRole",
				slices.Concat(byInbox, []string{byName("dev/database-url")})...),
			"IngestFunctionRole": ofAll("IngestFunctionRole",
				slices.Concat(onFiles, []string{byName("dev/database-url"), "textract:DetectDocumentText *"})...), // nor does Textract
			"MigrateFunctionRole": ofAll("MigrateFunctionRole", byName("dev/database-url")),
			"OfferFunctionRole": ofAll("OfferFunctionRole",
				slices.Concat(onOffers, []string{byName("dev/database-url")})...),
			"ScheduleFunctionRole": ofAll("ScheduleFunctionRole", toOffers, byName("dev/database-url")),
		}},
		"everything": {everything, map[string][]string{
			"MatchFunctionRole": ofAll("MatchFunctionRole", slices.Concat(onQueue, exact, inVPC, mail, events,
				[]string{byName("prod/openai-api-key"), byName("prod/slack-webhook-url")})...),
			"ReviewFunctionRole": ofAll("ReviewFunctionRole", slices.Concat(onChunks, exact, inVPC, mail,
				[]string{byName("prod/openai-api-key"), byName("prod/slack-webhook-url")})...),
			"IngestFunctionRole": ofAll("IngestFunctionRole", slices.Concat(onFiles, exact, inVPC, mail, []string{
				toReviews, byName("prod/openai-api-key"), byName("prod/slack-webhook-url"),
				"secretsmanager:GetSecretValue arn:aws:secretsmanager:eu-central-1:000000000000:secret:google-AbCdEf"})...),
			"InboxFunctionRole": ofAll("InboxFunctionRole", slices.Concat(byInbox, exact, inVPC)...),
			"SweepFunctionRole": ofAll("SweepFunctionRole",
				slices.Concat(bySweep, exact, inVPC, mail, receiver, events, []string{byName("prod/slack-webhook-url")})...),
			"OfferFunctionRole": ofAll("OfferFunctionRole",
				slices.Concat(onOffers, exact, inVPC, mail, receiver, []string{byName("prod/slack-webhook-url")})...),
			"ScheduleFunctionRole": ofAll("ScheduleFunctionRole", slices.Concat(exact, inVPC, []string{toOffers})...),
			"MigrateFunctionRole": ofAll("MigrateFunctionRole", slices.Concat(exact, inVPC, receiver, events, byClient[:1], []string{
				byName("prod/openai-api-key"), byName("prod/slack-webhook-url"), "secretsmanager:GetSecretValue ${ReviewTokenSecret}",
				"secretsmanager:GetSecretValue arn:aws:secretsmanager:eu-central-1:000000000000:secret:google-AbCdEf"})...),
			"WebFunctionRole":     ofAll("WebFunctionRole", slices.Concat(byWeb, exact, inVPC)...),
			"ConsoleFunctionRole": ofAll("ConsoleFunctionRole", slices.Concat(byClient, exact, inVPC)...),
		}},
		"aurora": {aurora, map[string][]string{
			"MatchFunctionRole": ofAll("MatchFunctionRole",
				slices.Concat(onQueue, inVPC, []string{attached, byName("dev/openai-api-key")})...),
			"ReviewFunctionRole": ofAll("ReviewFunctionRole",
				slices.Concat(onChunks, inVPC, []string{attached, byName("dev/openai-api-key")})...),
			"IngestFunctionRole": ofAll("IngestFunctionRole",
				slices.Concat(onFiles, inVPC, []string{attached, toReviews, byName("dev/openai-api-key")})...),
			"InboxFunctionRole":    ofAll("InboxFunctionRole", slices.Concat(byInbox, inVPC, []string{attached})...),
			"SweepFunctionRole":    ofAll("SweepFunctionRole", slices.Concat(bySweep, inVPC, []string{attached})...),
			"OfferFunctionRole":    ofAll("OfferFunctionRole", slices.Concat(onOffers, inVPC, []string{attached})...),
			"ScheduleFunctionRole": ofAll("ScheduleFunctionRole", slices.Concat(inVPC, []string{attached, toOffers})...),
			"MigrateFunctionRole": ofAll("MigrateFunctionRole", slices.Concat(inVPC, []string{owned, attached, byName("dev/openai-api-key"),
				"secretsmanager:GetSecretValue ${ReviewTokenSecret}", "secretsmanager:GetSecretValue ${ConsoleClientSecret}"})...),
			"WebFunctionRole": ofAll("WebFunctionRole", slices.Concat(byWeb, inVPC, []string{attached})...),
			"ConsoleFunctionRole": ofAll("ConsoleFunctionRole",
				slices.Concat(onDesk, inVPC, []string{attached, "secretsmanager:GetSecretValue ${ConsoleClientSecret}"})...),
			"VpcRejectedIAMRole136DD74E": {
				"logs:CreateLogStream ${RejectedTrafficLogs.Arn}", "logs:DescribeLogStreams ${RejectedTrafficLogs.Arn}",
				"logs:PutLogEvents ${RejectedTrafficLogs.Arn}",
			},
		}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			tc.want["SweepScheduleRole"] = []string{"lambda:InvokeFunction ${SweepLive}"}
			tc.want["ScheduleScheduleRole"] = []string{"lambda:InvokeFunction ${ScheduleLive}"}
			for role, actions := range ofRollout(tc.want, tc.context) {
				tc.want[role] = append(tc.want[role], actions...)
			}
			var want []string
			for role, actions := range tc.want {
				for _, action := range actions {
					want = append(want, "${"+role+"}: Allow "+action)
				}
			}
			want = append(want, "FilesPolicyCFAB4773: is a AWS::S3::BucketPolicy") // TestBucketPrivateAndKept
			if tc.context["reviewUrl"] == "true" {                                 // TestWebInvokedByURL
				want = append(want, "WebUrl: is a AWS::Lambda::Url",
					"WebLiveinvokefunctionDF216B14: is a AWS::Lambda::Permission",
					"WebLiveinvokefunctionurlA89D1B28: is a AWS::Lambda::Permission")
			}
			if tc.context["console"] != nil { // TestConsoleInvokedByAPI
				want = append(want, "ConsolePermission: is a AWS::Lambda::Permission")
			}
			slices.Sort(want)
			compare(t, synthesise(t, wishes{context: tc.context}).granted(), want)
		})
	}
}

// ofRollout lists the permissions to check and move the versions of the functions with these roles.
func ofRollout(roles map[string][]string, context map[string]any) map[string][]string {
	if context["rollout"] == "all-at-once" {
		return nil
	}
	stage, _ := context["stage"].(string)
	prefix := "matchbook-" + cmp.Or(stage, "dev")
	const of = "${AWS::Partition}:%s:${AWS::Region}:${AWS::AccountId}:"
	lambda, deploy := "arn:"+fmt.Sprintf(of, "lambda")+"function:"+prefix+"-", "arn:"+fmt.Sprintf(of, "codedeploy")+"deploymentgroup:"+prefix
	checks := []string{"codedeploy:ListDeploymentTargets *", "codedeploy:BatchGetDeploymentTargets *",
		"codedeploy:PutLifecycleEventHookExecutionStatus " + deploy + "/*"}
	moves := []string{"cloudwatch:DescribeAlarms *", "lambda:InvokeFunction ${MigrateFunction.Arn}"}
	for role := range roles {
		name, ok := strings.CutSuffix(role, "FunctionRole")
		if !ok || name == "Migrate" {
			continue
		}
		function := lambda + strings.ToLower(name)
		checks = append(checks, "lambda:InvokeFunction "+function+":*")
		for _, action := range []string{"GetAlias ", "UpdateAlias ", "GetProvisionedConcurrencyConfig "} {
			moves = append(moves, "lambda:"+action+function, "lambda:"+action+function+":*")
		}
	}
	return map[string][]string{"MigrateFunctionRole": checks, "RolloutRole": moves}
}

func compare(t *testing.T, got, want []string) {
	t.Helper()
	for _, line := range got {
		if !slices.Contains(want, line) {
			t.Errorf("more than expected: %s", line)
		}
	}
	for _, line := range want {
		if !slices.Contains(got, line) {
			t.Errorf("missing: %s", line)
		}
	}
}

// Each role can be taken by one service only.
func TestRoleTrust(t *testing.T) {
	t.Parallel()
	tpl := synthesise(t, wishes{context: bare})
	got := map[string]string{}
	for _, id := range tpl.of("AWS::IAM::Role") {
		s := tpl.Resources[id].Properties["AssumeRolePolicyDocument"].(map[string]any)["Statement"].([]any)
		if len(s) != 1 {
			t.Errorf("%s: %v", id, s)
		}
		principal, _ := json.Marshal(s[0].(map[string]any)["Principal"])
		got[id] = string(principal)
	}
	const lambda = `{"Service":"lambda.amazonaws.com"}`
	want := map[string]string{"MatchFunctionRole": lambda, "IngestFunctionRole": lambda, "InboxFunctionRole": lambda,
		"ReviewFunctionRole": lambda, "OfferFunctionRole": lambda, "ScheduleFunctionRole": lambda,
		"SweepFunctionRole": lambda, "MigrateFunctionRole": lambda,
		"SweepScheduleRole":    `{"Service":"scheduler.amazonaws.com"}`,
		"ScheduleScheduleRole": `{"Service":"scheduler.amazonaws.com"}`,
		"RolloutRole":          `{"Service":"codedeploy.amazonaws.com"}`}
	for id, principal := range got {
		if want[id] != principal {
			t.Errorf("%s: got %s, want %s", id, principal, want[id])
		}
	}
	if len(got) != len(want) {
		t.Errorf("roles: %v", got)
	}
	if tpl.at(t, "SweepScheduleRole", "AssumeRolePolicyDocument", "Statement", 0, "Condition", "StringEquals",
		"aws:SourceAccount") != "${AWS::AccountId}" {
		t.Error("another account's schedule may take the role")
	}
}
