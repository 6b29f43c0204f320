package main

import (
	"slices"
	"strings"
	"testing"

	"matchbook/infra/settings"
)

func TestBucketPrivateAndKept(t *testing.T) {
	t.Parallel()
	tpl := synthesise(t, wishes{context: bare})
	tpl.check(t,
		at("Files", "AES256", "BucketEncryption", "ServerSideEncryptionConfiguration", 0, "ServerSideEncryptionByDefault", "SSEAlgorithm"),
		at("Files", "Enabled", "VersioningConfiguration", "Status"),
		at("Files", "BucketOwnerEnforced", "OwnershipControls", "Rules", 0, "ObjectOwnership"),
		at("Files", "", "BucketName"))
	for _, closed := range []string{"BlockPublicAcls", "BlockPublicPolicy", "IgnorePublicAcls", "RestrictPublicBuckets"} {
		tpl.check(t, at("Files", true, "PublicAccessBlockConfiguration", closed))
	}
	if r := tpl.Resources["Files"]; r.DeletionPolicy != "Retain" || r.UpdateReplacePolicy != "Retain" {
		t.Errorf("deletion %q, replacement %q: the files would be lost", r.DeletionPolicy, r.UpdateReplacePolicy)
	}
	policy := tpl.of("AWS::S3::BucketPolicy")
	if len(policy) != 1 {
		t.Fatalf("policies: %v", policy)
	}
	tpl.check(t, at(policy[0], "${Files}", "Bucket"),
		at(policy[0], "Deny", "PolicyDocument", "Statement", 0, "Effect"),
		at(policy[0], "s3:*", "PolicyDocument", "Statement", 0, "Action"),
		at(policy[0], "", "PolicyDocument", "Statement", 1),
		at(policy[0], false, "PolicyDocument", "Statement", 0, "Condition", "Bool", "aws:SecureTransport"))
}

// Checkpoints can be made again; documents and the inbox never expire, unless a setting says so.
func TestBucketExpiry(t *testing.T) {
	t.Parallel()
	tpl := synthesise(t, wishes{context: bare})
	rules := tpl.Resources["Files"].Properties["LifecycleConfiguration"].(map[string]any)["Rules"].([]any)
	if len(rules) != 2 {
		t.Fatalf("rules: %v", rules)
	}
	tpl.check(t,
		at("Files", "ingestions/", "LifecycleConfiguration", "Rules", 0, "Prefix"),
		at("Files", 90, "LifecycleConfiguration", "Rules", 0, "ExpirationInDays"),
		at("Files", "", "LifecycleConfiguration", "Rules", 1, "ExpirationInDays"),
		at("Files", 30, "LifecycleConfiguration", "Rules", 1, "NoncurrentVersionExpiration", "NoncurrentDays"))
}

func TestFilesExpirySettings(t *testing.T) {
	t.Parallel()
	tpl := synthesise(t, wishes{context: everything})
	tpl.check(t,
		at("Files", "inbox/", "LifecycleConfiguration", "Rules", 2, "Prefix"),
		at("Files", 30, "LifecycleConfiguration", "Rules", 2, "ExpirationInDays"),
		at("Files", "documents/", "LifecycleConfiguration", "Rules", 3, "Prefix"),
		at("Files", 3650, "LifecycleConfiguration", "Rules", 3, "ExpirationInDays"))
}

// A file in the inbox is an event in the queue of the inbox function, and its
// bucket waits for the right to send it.
func TestInboxAlarms(t *testing.T) {
	t.Parallel()
	tpl := synthesise(t, wishes{context: everything}) // stage prod
	queue := []any{"NotificationConfiguration", "QueueConfigurations", 0}
	tpl.check(t,
		at("Files", "${InboxQueue.Arn}", append(queue, "Queue")...),
		at("Files", "s3:ObjectCreated:*", append(queue, "Event")...),
		at("Files", "prefix", append(queue, "Filter", "S3Key", "Rules", 0, "Name")...),
		at("Files", "inbox/", append(queue, "Filter", "S3Key", "Rules", 0, "Value")...))
	i := slices.IndexFunc(tpl.Resources["Files"].DependsOn, func(id string) bool { return strings.HasPrefix(id, "InboxQueuePolicy") })
	if i < 0 {
		t.Fatalf("the bucket waits for %v", tpl.Resources["Files"].DependsOn)
	}
	policy := tpl.Resources["Files"].DependsOn[i]
	statement := []any{"PolicyDocument", "Statement", 1}
	tpl.check(t,
		at(policy, "Allow", append(statement, "Effect")...), at(policy, "sqs:SendMessage", append(statement, "Action")...),
		at(policy, "${InboxQueue.Arn}", append(statement, "Resource")...),
		at(policy, "s3.amazonaws.com", append(statement, "Principal", "Service")...),
		at(policy, "${AWS::AccountId}", append(statement, "Condition", "StringEquals", "aws:SourceAccount")...),
		at(policy, "arn:${AWS::Partition}:s3:::matchbook-prod-*", append(statement, "Condition", "ArnLike", "aws:SourceArn")...))
	if dead := settings.ManifestFacts(); keepVersions*24 <= (14+4)*24 || len(dead.Functions) < 3 {
		t.Error("a version may be gone before its event is taken")
	}
}

func TestBlobURLs(t *testing.T) {
	t.Parallel()
	tpl := synthesise(t, wishes{context: bare})
	ingest, inbox := tpl.variables(t, "IngestFunction"), tpl.variables(t, "InboxFunction")
	for name, want := range map[string]string{"BLOB_URL": "s3://${Files}", "MATCH_QUEUE_URL": "${MatchQueue}", "OCR": "none",
		"QUEUE_URL": "${IngestQueue}", "MATCH_MODE": "model"} {
		if ingest[name] != want {
			t.Errorf("ingest: %s is %q, want %q", name, ingest[name], want)
		}
	}
	for name, want := range map[string]string{"BLOB_URL": "s3://${Files}", "INGEST_QUEUE_URL": "${IngestQueue}", "QUEUE_URL": "${InboxQueue}"} {
		if inbox[name] != want {
			t.Errorf("inbox: %s is %q, want %q", name, inbox[name], want)
		}
	}
	for _, name := range []string{"OPENAI_API_KEY_SECRET_ARN", "SLACK_WEBHOOK_URL_SECRET_ARN"} {
		if _, ok := inbox[name]; ok {
			t.Errorf("the inbox gets %s", name)
		}
	}
	if _, ok := tpl.variables(t, "MatchFunction")["BLOB_URL"]; ok {
		t.Error("match gets the store of files")
	}
}
