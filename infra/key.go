package main

import (
	"matchbook/infra/settings"

	"github.com/aws/aws-cdk-go/awscdk/v2"
	"github.com/aws/aws-cdk-go/awscdk/v2/awsiam"
	"github.com/aws/aws-cdk-go/awscdk/v2/awskms"
	"github.com/aws/aws-cdk-go/awscdk/v2/awslogs"
	"github.com/aws/aws-cdk-go/awscdk/v2/awssecretsmanager"
	"github.com/aws/constructs-go/constructs/v10"
	"github.com/aws/jsii-runtime-go"
)

// newKey returns the KMS key of queues, files, logs and alarms; nil for the services' own keys.
// The stack can't change the policy of the user's key: infra/README.md has the statements for it.
func (s *site) newKey() awskms.IKey {
	switch s.config.Key {
	case "":
		return nil
	case settings.NewKey:
	default:
		return awskms.Key_FromKeyArn(s.stack, jsii.String("GivenKey"), jsii.String(s.config.Key))
	}
	key := called(awskms.NewKey(s.stack, jsii.String("DataKey"), &awskms.KeyProps{
		Description:       jsii.String("Encrypts the queues, files, logs and alarms of Matchbook, stage " + s.config.Stage),
		EnableKeyRotation: jsii.Bool(true),
		RemovalPolicy:     awscdk.RemovalPolicy_RETAIN, // as the files, which nobody could read without it
	}), "DataKey")
	for _, statement := range s.keyStatements() {
		key.AddToResourcePolicy(statement, nil)
	}
	s.output("DataKeyArn", "Encrypts queues, files, logs and alarms", key.KeyArn())
	return key
}

// keyStatements let services use the key, only for this account and the stage's logs: S3 sends
// events to an encrypted queue, CloudWatch alarms to an encrypted topic, and writes encrypted logs.
func (s *site) keyStatements() []awsiam.PolicyStatement {
	statement := func(sid, service *string, condition map[string]any, actions ...string) awsiam.PolicyStatement {
		return awsiam.NewPolicyStatement(&awsiam.PolicyStatementProps{Sid: sid, Actions: jsii.Strings(actions...),
			Principals: &[]awsiam.IPrincipal{awsiam.NewServicePrincipal(service, nil)},
			Resources:  jsii.Strings("*"), Conditions: &condition})
	}
	account := map[string]any{"StringEquals": map[string]any{"aws:SourceAccount": s.stack.Account()}}
	groups := []*string{
		s.logGroups("/aws/lambda/" + *s.name("*")), s.logGroups("/aws/apigateway/" + *s.name("*")),
		s.logGroups("/matchbook/" + s.config.Stage + "/*"),
	}
	logs := awscdk.Fn_Join(jsii.String("."), &[]*string{jsii.String("logs"), s.stack.Region(), s.stack.UrlSuffix()})
	return []awsiam.PolicyStatement{
		statement(jsii.String("FilesEncrypt"), jsii.String("s3.amazonaws.com"), account, "kms:Decrypt", "kms:GenerateDataKey*"),
		statement(jsii.String("AlarmsEncrypt"), jsii.String("cloudwatch.amazonaws.com"), account, "kms:Decrypt", "kms:GenerateDataKey*"),
		statement(jsii.String("LogsEncrypt"), logs,
			map[string]any{"ArnLike": map[string]any{"kms:EncryptionContext:aws:logs:arn": groups}},
			"kms:Encrypt*", "kms:Decrypt*", "kms:ReEncrypt*", "kms:GenerateDataKey*", "kms:Describe*"),
	}
}

// logGroups returns the ARN of the log groups with a name.
func (s *site) logGroups(name string) *string {
	return s.stack.FormatArn(&awscdk.ArnComponents{Service: jsii.String("logs"), Resource: jsii.String("log-group"),
		ResourceName: jsii.String(name), ArnFormat: awscdk.ArnFormat_COLON_RESOURCE_NAME})
}

// secretsKey returns the ARN of the key of secrets; nil for AWS's.
func (s *site) secretsKey() *string {
	switch {
	case s.config.SecretsKey != "":
		return jsii.String(s.config.SecretsKey)
	case s.key != nil:
		return s.key.KeyArn()
	}
	return nil
}

// encrypt gives a secret that key.
func (s *site) encrypt(secret constructs.IConstruct) {
	if arn := s.secretsKey(); arn != nil {
		secret.Node().DefaultChild().(awssecretsmanager.CfnSecret).SetKmsKeyId(arn)
	}
}

// newLogs makes a log group.
func (s *site) newLogs(id, name string) awslogs.LogGroup {
	return called(awslogs.NewLogGroup(s.stack, jsii.String(id), &awslogs.LogGroupProps{
		LogGroupName:  jsii.String(name),
		Retention:     awslogs.RetentionDays_ONE_MONTH,
		RemovalPolicy: awscdk.RemovalPolicy_DESTROY,
		EncryptionKey: s.key,
	}), id)
}

// limitRoles gives the permissions boundary to all roles, also to ones that the CDK makes.
func (s *site) limitRoles() {
	if arn := s.config.PermissionsBoundary; arn != "" {
		awsiam.PermissionsBoundary_Of(s.stack).Apply(
			awsiam.ManagedPolicy_FromManagedPolicyArn(s.stack, jsii.String("PermissionsBoundary"), jsii.String(arn)))
	}
}
