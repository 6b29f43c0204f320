package main

import (
	"fmt"
	"strings"
	"testing"
)

// All roles have the boundary, and none has one without the setting (see TestRolePermissions).
func TestPermissionsBoundary(t *testing.T) {
	t.Parallel()
	tpl := synthesise(t, wishes{context: sealed})
	roles := tpl.of("AWS::IAM::Role")
	for _, id := range roles {
		tpl.check(t, at(id, boundary, "PermissionsBoundary"))
	}
	if len(roles) < 12 {
		t.Errorf("only %v", roles)
	}
}

// One key encrypts all that the stack stores, a new one or the given one.
func TestKeyEncryptsAll(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		context map[string]any
		key     string
		keys    int
	}{{sealed, "${DataKey.Arn}", 1}, {ownModel, givenKey, 0}} {
		tpl := synthesise(t, wishes{context: tc.context})
		for kind, property := range map[string]string{"AWS::SQS::Queue": "KmsMasterKeyId", "AWS::Logs::LogGroup": "KmsKeyId",
			"AWS::SNS::Topic": "KmsMasterKeyId", "AWS::SecretsManager::Secret": "KmsKeyId"} {
			for _, id := range tpl.of(kind) {
				tpl.check(t, at(id, tc.key, property), at(id, "", "SqsManagedSseEnabled"))
			}
		}
		for _, id := range tpl.of("AWS::S3::Bucket") {
			rule := []any{"BucketEncryption", "ServerSideEncryptionConfiguration", 0}
			tpl.check(t, at(id, true, append(rule, "BucketKeyEnabled")...),
				at(id, "aws:kms", append(rule, "ServerSideEncryptionByDefault", "SSEAlgorithm")...),
				at(id, tc.key, append(rule, "ServerSideEncryptionByDefault", "KMSMasterKeyID")...))
		}
		if keys := tpl.of("AWS::KMS::Key"); len(keys) != tc.keys {
			t.Errorf("keys: %v", keys)
		}
	}
}

// The new key lets only this account's S3 and alarms, and the stage's logs, use it, and stays, as
// the files do.
func TestNewKeyPolicy(t *testing.T) {
	t.Parallel()
	tpl := synthesise(t, wishes{context: sealed})
	var got []string
	for _, s := range tpl.Resources["DataKey"].Properties["KeyPolicy"].(map[string]any)["Statement"].([]any) {
		s := s.(map[string]any)
		who := s["Principal"].(map[string]any)
		condition := fmt.Sprint(s["Condition"])
		for operator, keys := range asMap(s["Condition"]) {
			for key, value := range asMap(keys) {
				condition = operator + " " + key + " " + strings.Join(several(value), " ")
			}
		}
		got = append(got, plain(who["Service"])+plain(who["AWS"])+": "+strings.Join(several(s["Action"]), " ")+" if "+condition)
	}
	const groups = "arn:${AWS::Partition}:logs:${AWS::Region}:${AWS::AccountId}:log-group:"
	compare(t, got, []string{
		"arn:${AWS::Partition}:iam::${AWS::AccountId}:root: kms:* if <nil>",
		"s3.amazonaws.com: kms:Decrypt kms:GenerateDataKey* if StringEquals aws:SourceAccount ${AWS::AccountId}",
		"cloudwatch.amazonaws.com: kms:Decrypt kms:GenerateDataKey* if StringEquals aws:SourceAccount ${AWS::AccountId}",
		"logs.${AWS::Region}.${AWS::URLSuffix}: kms:Decrypt* kms:Describe* kms:Encrypt* kms:GenerateDataKey* kms:ReEncrypt* if " +
			"ArnLike kms:EncryptionContext:aws:logs:arn " + groups + "/aws/lambda/matchbook-dev-* " +
			groups + "/aws/apigateway/matchbook-dev-* " + groups + "/matchbook/dev/*",
	})
	tpl.check(t, at("DataKey", true, "EnableKeyRotation"))
	if got := tpl.Resources["DataKey"].DeletionPolicy; got != "Retain" {
		t.Errorf("deletion: %s", got)
	}
	for _, id := range tpl.of("AWS::Logs::LogGroup") {
		name := tpl.at(t, id, "LogGroupName")
		if !strings.HasPrefix(name, "/aws/lambda/matchbook-dev-") && !strings.HasPrefix(name, "/matchbook/dev/") {
			t.Errorf("the key's policy lacks the log group %s", name)
		}
	}
}

func asMap(v any) map[string]any {
	m, _ := v.(map[string]any)
	return m
}

// A given queue is used as it is, with its dead-letter queue, and none is made for match.
func TestGivenQueue(t *testing.T) {
	t.Parallel()
	tpl := synthesise(t, wishes{context: ownModel})
	for _, id := range []string{"MatchQueue", "MatchDeadLetterQueue"} {
		if _, made := tpl.Resources[id]; made {
			t.Errorf("%s would be made", id)
		}
	}
	const url = "https://sqs.eu-central-1.${AWS::URLSuffix}/000000000000/books"
	for function, name := range map[string]string{"MatchFunction": "QUEUE_URL", "IngestFunction": "MATCH_QUEUE_URL", "SweepFunction": "MATCH_QUEUE_URL"} {
		if got := tpl.variables(t, function)[name]; got != url {
			t.Errorf("%s of %s is %s", name, function, got)
		}
	}
	tpl.check(t, at("MatchMapping", givenQueue, "EventSourceArn"), at("MatchQueueInFlight", "books", "Dimensions", 0, "Value"),
		at("MatchDeadLetterQueueNotEmpty", "books-dead", "Dimensions", 0, "Value"))
	granted := strings.Join(tpl.granted(), "\n")
	for _, want := range []string{"${MatchFunctionRole}: Allow sqs:ReceiveMessage " + givenQueue,
		"${IngestFunctionRole}: Allow sqs:SendMessage " + givenQueue, "${SweepFunctionRole}: Allow sqs:ReceiveMessage " + givenQueue + "-dead"} {
		if !strings.Contains(granted+"\n", want+"\n") {
			t.Errorf("missing: %s", want)
		}
	}
	if got := plain(tpl.Outputs["MatchDeadLetterQueueUrl"].Value); got != url+"-dead" {
		t.Errorf("the output is %s", got)
	}
}

// A given bucket is used as it is, may send its events to the inbox, and nothing changes it.
func TestGivenBucket(t *testing.T) {
	t.Parallel()
	tpl := synthesise(t, wishes{context: ownModel})
	for _, kind := range []string{"AWS::S3::Bucket", "AWS::S3::BucketPolicy", "Custom::S3BucketNotifications"} {
		if ids := tpl.of(kind); len(ids) > 0 {
			t.Errorf("%v would be made", ids)
		}
	}
	if got := tpl.variables(t, "IngestFunction")["BLOB_URL"]; got != "s3://books-files" {
		t.Errorf("BLOB_URL is %s", got)
	}
	for _, id := range tpl.of("AWS::SQS::QueuePolicy") {
		if tpl.at(t, id, "Queues", 0) == "${InboxQueue}" {
			tpl.check(t, at(id, "arn:aws:s3:::books-files", "PolicyDocument", "Statement", 1, "Condition", "ArnLike", "aws:SourceArn"))
		}
	}
	granted := strings.Join(tpl.granted(), "\n")
	for _, want := range []string{"${IngestFunctionRole}: Allow s3:GetObject arn:aws:s3:::books-files/documents/*",
		"${InboxFunctionRole}: Allow s3:ListBucket arn:aws:s3:::books-files"} {
		if !strings.Contains(granted+"\n", want+"\n") {
			t.Errorf("missing: %s", want)
		}
	}
	if got := plain(tpl.Outputs["InboxQueueArn"].Value); got != "${InboxQueue.Arn}" {
		t.Errorf("the output is %s", got)
	}
}
