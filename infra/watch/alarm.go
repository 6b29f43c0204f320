package watch

import (
	"cmp"

	"github.com/aws/aws-cdk-go/awscdk/v2"
	"github.com/aws/aws-cdk-go/awscdk/v2/awscloudwatch"
	"github.com/aws/aws-cdk-go/awscdk/v2/awscloudwatchactions"
	"github.com/aws/aws-cdk-go/awscdk/v2/awsiam"
	"github.com/aws/aws-cdk-go/awscdk/v2/awskms"
	"github.com/aws/aws-cdk-go/awscdk/v2/awssns"
	"github.com/aws/aws-cdk-go/awscdk/v2/awssnssubscriptions"
	"github.com/aws/aws-cdk-go/awscdk/v2/interfaces/interfacesawscloudwatch"
	"github.com/aws/constructs-go/constructs/v10"
	"github.com/aws/jsii-runtime-go"
)

// Alarms is a set of alarms with one topic.
type Alarms struct {
	Topic awssns.Topic
	All   []interfacesawscloudwatch.IAlarmRef // so far
	Names map[string]*string                  // of All, by their ids

	stack awscdk.Stack
	name  func(parts ...string) *string
}

// Alarm describes an alarm. Write Text for someone just woken up: what happened, and what to
// do.
type Alarm struct {
	ID     string
	Text   string
	Metric awscloudwatch.IMetric // must have a period of five minutes
	At     float64               // threshold; goes off at this value or above
	Below  bool                  // goes off at this value or below
	Over   bool                  // goes off only above this value
	Times  int                   // number of consecutive periods; 0 means 1
	// Silence is the meaning of missing data; by default all is well.
	Silence awscloudwatch.TreatMissingData
}

// NewAlarms makes the topic and subscribes the address, unless it's empty. name must return
// unique resource names. CloudWatch must be allowed to use key; without one, the topic gets its own,
// because CloudWatch can't use AWS's default key for encrypted topics.
func NewAlarms(stack awscdk.Stack, stage, email string, key awskms.IKey, name func(parts ...string) *string) *Alarms {
	service := awsiam.NewServicePrincipal(jsii.String("cloudwatch.amazonaws.com"), nil)
	if key == nil {
		key = newAlarmKey(stack, stage, service)
	}
	topic := called(awssns.NewTopic(stack, jsii.String("AlarmTopic"), &awssns.TopicProps{
		TopicName: name("alarms"), DisplayName: jsii.String("Matchbook " + stage), MasterKey: key,
		EnforceSSL: jsii.Bool(true),
	}), "AlarmTopic")
	topic.AddToResourcePolicy(awsiam.NewPolicyStatement(&awsiam.PolicyStatementProps{
		Sid: jsii.String("AlarmsPublish"), Principals: &[]awsiam.IPrincipal{service},
		Actions: jsii.Strings("sns:Publish"), Resources: &[]*string{topic.TopicArn()},
		Conditions: &map[string]any{"ArnLike": map[string]any{
			"aws:SourceArn": stack.FormatArn(&awscdk.ArnComponents{Service: jsii.String("cloudwatch"),
				Resource: jsii.String("alarm:" + *name("*")), ArnFormat: awscdk.ArnFormat_NO_RESOURCE_NAME})}},
	}))
	if email != "" {
		topic.AddSubscription(awssnssubscriptions.NewEmailSubscription(jsii.String(email), nil))
	}
	return &Alarms{Topic: topic, Names: map[string]*string{}, stack: stack, name: name}
}

func newAlarmKey(stack awscdk.Stack, stage string, service awsiam.IPrincipal) awskms.IKey {
	key := called(awskms.NewKey(stack, jsii.String("AlarmKey"), &awskms.KeyProps{
		Description:       jsii.String("Encrypts the alarms of Matchbook, stage " + stage),
		EnableKeyRotation: jsii.Bool(true),
		RemovalPolicy:     awscdk.RemovalPolicy_DESTROY, PendingWindow: awscdk.Duration_Days(jsii.Number(7)),
	}), "AlarmKey")
	key.AddToResourcePolicy(awsiam.NewPolicyStatement(&awsiam.PolicyStatementProps{
		Sid: jsii.String("AlarmsEncrypt"), Principals: &[]awsiam.IPrincipal{service},
		Actions: jsii.Strings("kms:Decrypt", "kms:GenerateDataKey*"), Resources: jsii.Strings("*"),
	}), nil)
	return key
}

// Add adds alarms to the stack.
func (a *Alarms) Add(list ...Alarm) {
	action := awscloudwatchactions.NewSnsAction(a.Topic)
	for _, d := range list {
		operator := awscloudwatch.ComparisonOperator_GREATER_THAN_OR_EQUAL_TO_THRESHOLD
		switch {
		case d.Below:
			operator = awscloudwatch.ComparisonOperator_LESS_THAN_OR_EQUAL_TO_THRESHOLD
		case d.Over:
			operator = awscloudwatch.ComparisonOperator_GREATER_THAN_THRESHOLD
		}
		made := called(awscloudwatch.NewAlarm(a.stack, jsii.String(d.ID), &awscloudwatch.AlarmProps{
			AlarmName: a.name(kebab(d.ID)), AlarmDescription: jsii.String(d.Text), Metric: d.Metric,
			Threshold:         jsii.Number(d.At),
			EvaluationPeriods: jsii.Number(max(d.Times, 1)), ComparisonOperator: operator,
			TreatMissingData: cmp.Or(d.Silence, awscloudwatch.TreatMissingData_NOT_BREACHING),
		}), d.ID)
		made.AddAlarmAction(action)
		made.AddOkAction(action)
		a.All, a.Names[d.ID] = append(a.All, made), made.AlarmName()
	}
}

func called[T constructs.Construct](resource T, id string) T {
	resource.Node().DefaultChild().(awscdk.CfnElement).OverrideLogicalId(jsii.String(id))
	return resource
}
