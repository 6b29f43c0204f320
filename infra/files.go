package main

import (
	"matchbook/lambda/manifest"

	"github.com/aws/aws-cdk-go/awscdk/v2"
	"github.com/aws/aws-cdk-go/awscdk/v2/awsiam"
	"github.com/aws/aws-cdk-go/awscdk/v2/awss3"
	"github.com/aws/jsii-runtime-go"
)

// Periods of the bucket, in days. Old versions must outlive messages in the inbox's queue and
// dead-letter queue, because these refer to them.
const (
	keepVersions    = 30
	keepCheckpoints = 90
	abortUploads    = 7
)

// newBucket makes the bucket of all files, which stays when the stack is deleted.
// CloudFormation names it, otherwise the name would be taken for a new stack.
func (s *site) newBucket() awss3.IBucket {
	if arn := s.config.Bucket; arn != "" {
		given := awss3.Bucket_FromBucketArn(s.stack, jsii.String("Files"), jsii.String(arn))
		s.output("FilesBucketName", "Ingests every file put below inbox/{tenant id}/", given.BucketName())
		return given
	}
	rule := func(id, prefix string, days float64) *awss3.LifecycleRule {
		return &awss3.LifecycleRule{Id: jsii.String(id), Prefix: jsii.String(prefix),
			Expiration: awscdk.Duration_Days(jsii.Number(days))}
	}
	rules := []*awss3.LifecycleRule{
		rule("checkpoints", manifest.FolderIngestions, keepCheckpoints),
		{Id: jsii.String("old-versions"), NoncurrentVersionExpiration: awscdk.Duration_Days(jsii.Number(keepVersions)),
			ExpiredObjectDeleteMarker:           jsii.Bool(true),
			AbortIncompleteMultipartUploadAfter: awscdk.Duration_Days(jsii.Number(abortUploads))},
	}
	for _, wanted := range []struct {
		id, folder string
		days       int
	}{{"inbox", manifest.FolderInbox, s.config.InboxDays}, {"documents", manifest.FolderDocuments, s.config.DocumentsDays}} {
		if wanted.days > 0 {
			rules = append(rules, rule(wanted.id, wanted.folder, float64(wanted.days)))
		}
	}
	encryption, bucketKey := awss3.BucketEncryption_S3_MANAGED, (*bool)(nil)
	if s.key != nil {
		encryption, bucketKey = awss3.BucketEncryption_KMS, jsii.Bool(true) // which makes fewer calls of KMS
	}
	bucket := called(awss3.NewBucket(s.stack, jsii.String("Files"), &awss3.BucketProps{
		Encryption: encryption, EncryptionKey: s.key, BucketKeyEnabled: bucketKey,
		BlockPublicAccess: awss3.BlockPublicAccess_BLOCK_ALL(),
		ObjectOwnership:   awss3.ObjectOwnership_BUCKET_OWNER_ENFORCED,
		Versioned:         jsii.Bool(true),
		EnforceSSL:        jsii.Bool(true),
		RemovalPolicy:     awscdk.RemovalPolicy_RETAIN,
		LifecycleRules:    &rules,
	}), "Files")
	s.accept(bucket, "AwsSolutions-S1", "", "who read a file is in CloudTrail, where its data events are on; "+
		"access logs would be a second bucket of names of files")
	s.output("FilesBucketName", "Ingests every file put below inbox/{tenant id}/", bucket.BucketName())
	return bucket
}

// watchInbox lets S3 send an event per inbox file to the inbox function's queue, and makes it do so
// by the bucket's properties, because the CDK would deploy a function for that. Such a function would
// also set the notifications of a given bucket, but then it may change the ones of other
// programs: its owner adds ours, and doctor --stack checks it.
func (s *site) watchInbox(workloads []queueFunction) {
	for _, w := range workloads {
		if w.facts.Watches == "" {
			continue
		}
		// The bucket depends on this permission, so use its name's prefix, the stack's name.
		w.queue.AddToResourcePolicy(awsiam.NewPolicyStatement(&awsiam.PolicyStatementProps{
			Sid: jsii.String("FilesSend"), Actions: jsii.Strings("sqs:SendMessage"),
			Principals: &[]awsiam.IPrincipal{awsiam.NewServicePrincipal(jsii.String("s3.amazonaws.com"), nil)},
			Resources:  &[]*string{w.queue.QueueArn()},
			Conditions: &map[string]any{
				"StringEquals": map[string]any{"aws:SourceAccount": s.stack.Account()},
				"ArnLike":      map[string]any{"aws:SourceArn": s.bucketsOfStack()},
			},
		}))
		if s.config.Bucket != "" {
			s.output("InboxQueueArn", "The queue to send the bucket's events to", w.queue.QueueArn())
			continue
		}
		cfn := s.files.Node().DefaultChild().(awss3.CfnBucket)
		cfn.SetNotificationConfiguration(&awss3.CfnBucket_NotificationConfigurationProperty{
			QueueConfigurations: &[]any{awss3.CfnBucket_QueueConfigurationProperty{
				Event: jsii.String("s3:ObjectCreated:*"), Queue: w.queue.QueueArn(),
				Filter: &awss3.CfnBucket_NotificationFilterProperty{S3Key: &awss3.CfnBucket_S3KeyFilterProperty{
					Rules: &[]any{awss3.CfnBucket_FilterRuleProperty{
						Name: jsii.String("prefix"), Value: jsii.String(w.facts.Watches)}},
				}},
			}},
		})
		s.files.Node().AddDependency(w.queue.Node().FindChild(jsii.String("Policy")))
	}
}

// bucketsOfStack matches the given bucket, or the names CloudFormation gives to this stack's
// buckets.
func (s *site) bucketsOfStack() *string {
	if arn := s.config.Bucket; arn != "" {
		return jsii.String(arn)
	}
	return s.stack.FormatArn(&awscdk.ArnComponents{Service: jsii.String("s3"), Region: jsii.String(""),
		Account: jsii.String(""), Resource: jsii.String(*s.name() + "-*"), ArnFormat: awscdk.ArnFormat_NO_RESOURCE_NAME})
}
