package breakage

import (
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"net/url"
	"os"
	"regexp"
	"strings"

	"matchbook/lambda/internal/must"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/cloudwatch"
	"github.com/aws/aws-sdk-go-v2/service/iam"
	"github.com/aws/aws-sdk-go-v2/service/kms"
	"github.com/aws/aws-sdk-go-v2/service/lambda"
	"github.com/aws/aws-sdk-go-v2/service/s3"
	s3types "github.com/aws/aws-sdk-go-v2/service/s3/types"
	"github.com/aws/aws-sdk-go-v2/service/scheduler"
	"github.com/aws/aws-sdk-go-v2/service/sqs"
	sqstypes "github.com/aws/aws-sdk-go-v2/service/sqs/types"
)

func (s *stack) url(queue string) *string {
	return must.Get(s.sqs.GetQueueUrl(s.ctx, &sqs.GetQueueUrlInput{QueueName: aws.String(prefix + queue)}))(s.t).QueueUrl
}

func arn(queue string) string { return "arn:aws:sqs:eu-central-1:000000000000:" + prefix + queue }

// attribute sets an attribute of a queue; "" takes a policy away.
func (s *stack) attribute(queue, name, value string) {
	url := s.url(queue)
	old := must.Get(s.sqs.GetQueueAttributes(s.ctx, &sqs.GetQueueAttributesInput{QueueUrl: url, AttributeNames: []sqstypes.QueueAttributeName{"All"}}))(s.t)
	set := func(value string) {
		must.Get(s.sqs.SetQueueAttributes(s.ctx, &sqs.SetQueueAttributesInput{QueueUrl: url, Attributes: map[string]string{name: value}}))(s.t)
	}
	set(value)
	s.later(func() { set(old.Attributes[name]) })
}

// create adds a queue beside the stack's.
func (s *stack) create(queue string, attributes map[string]string) {
	made := must.Get(s.sqs.CreateQueue(s.ctx, &sqs.CreateQueueInput{QueueName: aws.String(prefix + queue), Attributes: attributes}))(s.t)
	s.later(func() { _, _ = s.sqs.DeleteQueue(s.ctx, &sqs.DeleteQueueInput{QueueUrl: made.QueueUrl}) }) // unless it is gone
}

// roleOf returns the name of a function's role, or of its schedule's.
func (s *stack) roleOf(name string) *string {
	name = prefix + name
	var arn string
	if schedule, ok := strings.CutSuffix(name, "/schedule"); ok {
		arn = *must.Get(s.scheduler.GetSchedule(s.ctx, &scheduler.GetScheduleInput{Name: &schedule}))(s.t).Target.RoleArn
	} else {
		arn = *must.Get(s.lambda.GetFunctionConfiguration(s.ctx, &lambda.GetFunctionConfigurationInput{FunctionName: &name}))(s.t).Role
	}
	return aws.String(arn[strings.LastIndex(arn, "/")+1:])
}

// policy rewrites the policy of a role.
func (s *stack) policy(of string, change func(string) string) {
	role := s.roleOf(of)
	names := must.Get(s.iam.ListRolePolicies(s.ctx, &iam.ListRolePoliciesInput{RoleName: role}))(s.t).PolicyNames
	old := must.Get(s.iam.GetRolePolicy(s.ctx, &iam.GetRolePolicyInput{RoleName: role, PolicyName: &names[0]}))(s.t)
	var compact bytes.Buffer
	must.OK(s.t, json.Compact(&compact, []byte(must.Get(url.PathUnescape(*old.PolicyDocument))(s.t))))
	text := compact.String()
	changed := change(text)
	if changed == text {
		s.t.Errorf("the policy of %s is as before", of)
	}
	put := func(text string) {
		must.Get(s.iam.PutRolePolicy(s.ctx, &iam.PutRolePolicyInput{RoleName: role, PolicyName: &names[0], PolicyDocument: &text}))(s.t)
	}
	put(changed)
	s.later(func() { put(text) })
}

// forbid takes an action out of a role's policy.
func (s *stack) forbid(of, action string) {
	s.policy(of, func(text string) string {
		return regexp.MustCompile(`"`+action+`"`).ReplaceAllString(text, `"none:None"`)
	})
}

// bound gives a role a permissions boundary.
func (s *stack) bound(of, document string) {
	role := s.roleOf(of)
	made := must.Get(s.iam.CreatePolicy(s.ctx, &iam.CreatePolicyInput{PolicyName: aws.String(*role + "-boundary"), PolicyDocument: &document}))(s.t)
	must.Get(s.iam.PutRolePermissionsBoundary(s.ctx, &iam.PutRolePermissionsBoundaryInput{RoleName: role, PermissionsBoundary: made.Policy.Arn}))(s.t)
	s.later(func() {
		must.Get(s.iam.DeleteRolePermissionsBoundary(s.ctx, &iam.DeleteRolePermissionsBoundaryInput{RoleName: role}))(s.t)
		must.Get(s.iam.DeletePolicy(s.ctx, &iam.DeletePolicyInput{PolicyArn: made.Policy.Arn}))(s.t)
	})
}

// encrypt gives a queue a new key.
func (s *stack) encrypt(queue string) (key string) {
	made := must.Get(s.kms.CreateKey(s.ctx, &kms.CreateKeyInput{}))(s.t)
	s.attribute(queue, "KmsMasterKeyId", *made.KeyMetadata.Arn)
	return *made.KeyMetadata.KeyId
}

// reschedule changes a schedule.
func (s *stack) reschedule(name string, change func(*scheduler.UpdateScheduleInput)) {
	name = prefix + name
	old := must.Get(s.scheduler.GetSchedule(s.ctx, &scheduler.GetScheduleInput{Name: &name}))(s.t)
	same := scheduler.UpdateScheduleInput{Name: &name, FlexibleTimeWindow: old.FlexibleTimeWindow, ScheduleExpression: old.ScheduleExpression,
		Target: old.Target, State: old.State, Description: old.Description}
	changed, target := same, *old.Target
	changed.Target = &target
	change(&changed)
	must.Get(s.scheduler.UpdateSchedule(s.ctx, &changed))(s.t)
	s.later(func() { must.Get(s.scheduler.UpdateSchedule(s.ctx, &same))(s.t) })
}

func (s *stack) unschedule(name string) {
	name = prefix + name
	old := must.Get(s.scheduler.GetSchedule(s.ctx, &scheduler.GetScheduleInput{Name: &name}))(s.t)
	must.Get(s.scheduler.DeleteSchedule(s.ctx, &scheduler.DeleteScheduleInput{Name: &name}))(s.t)
	s.later(func() {
		must.Get(s.scheduler.CreateSchedule(s.ctx, &scheduler.CreateScheduleInput{Name: &name, FlexibleTimeWindow: old.FlexibleTimeWindow,
			ScheduleExpression: old.ScheduleExpression, Target: old.Target, State: old.State, Description: old.Description}))(s.t)
	})
}

// bucket returns the bucket's name, and its events for the inbox.
func (s *stack) bucket() *string {
	for _, b := range must.Get(s.s3.ListBuckets(s.ctx, &s3.ListBucketsInput{}))(s.t).Buckets {
		if strings.HasPrefix(*b.Name, prefix+"files") {
			return b.Name
		}
	}
	s.t.Fatal("missing bucket")
	return nil
}

// notify changes the bucket's events.
func (s *stack) notify(change func(string) string) {
	bucket := s.bucket()
	old := must.Get(s.s3.GetBucketNotificationConfiguration(s.ctx, &s3.GetBucketNotificationConfigurationInput{Bucket: bucket}))(s.t)
	text := string(must.Get(json.Marshal(s3types.NotificationConfiguration{QueueConfigurations: old.QueueConfigurations}))(s.t))
	put := func(text string) {
		var all s3types.NotificationConfiguration
		must.OK(s.t, json.Unmarshal([]byte(text), &all))
		must.Get(s.s3.PutBucketNotificationConfiguration(s.ctx, &s3.PutBucketNotificationConfigurationInput{Bucket: bucket, NotificationConfiguration: &all}))(s.t)
	}
	put(change(text))
	s.later(func() { put(text) })
}

// realarm replaces an alarm.
func (s *stack) realarm(name string, change func(*cloudwatch.PutMetricAlarmInput)) {
	name = prefix + name
	old := must.Get(s.cloudwatch.DescribeAlarms(s.ctx, &cloudwatch.DescribeAlarmsInput{AlarmNames: []string{name}}))(s.t).MetricAlarms[0]
	same := cloudwatch.PutMetricAlarmInput{AlarmName: &name, AlarmActions: old.AlarmActions, OKActions: old.OKActions, MetricName: old.MetricName,
		Namespace: old.Namespace, Dimensions: old.Dimensions, Statistic: old.Statistic, ExtendedStatistic: old.ExtendedStatistic, Period: old.Period,
		EvaluationPeriods: old.EvaluationPeriods, Threshold: old.Threshold, ComparisonOperator: old.ComparisonOperator, TreatMissingData: old.TreatMissingData,
		AlarmDescription: old.AlarmDescription, ActionsEnabled: aws.Bool(true)}
	changed := same
	change(&changed)
	s.later(func() { must.Get(s.cloudwatch.PutMetricAlarm(s.ctx, &same))(s.t) })
	if changed.AlarmName == nil {
		must.Get(s.cloudwatch.DeleteAlarms(s.ctx, &cloudwatch.DeleteAlarmsInput{AlarmNames: []string{name}}))(s.t)
		return
	}
	must.Get(s.cloudwatch.PutMetricAlarm(s.ctx, &changed))(s.t)
}

var idOf = regexp.MustCompile(`<(vpcId|subnetId|groupId|internetGatewayId|routeTableId)>([^<]+)<`)

func (s *stack) ask(request *http.Request) (body []byte, status int) {
	answer, err := http.DefaultClient.Do(request)
	must.OK(s.t, err)
	defer answer.Body.Close()
	return must.Get(io.ReadAll(answer.Body))(s.t), answer.StatusCode
}

// ec2 calls EC2, which doctor does without its SDK as well, and returns the first id.
func (s *stack) ec2(action string, pairs ...string) string {
	form := url.Values{"Action": {action}, "Version": {"2016-11-15"}}
	for i := 0; i < len(pairs); i += 2 {
		form.Set(pairs[i], pairs[i+1])
	}
	request := must.Get(http.NewRequestWithContext(s.ctx, http.MethodPost, os.Getenv("AWS_ENDPOINT_URL"), strings.NewReader(form.Encode())))(s.t)
	request.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	request.Header.Set("Authorization", "AWS4-HMAC-SHA256 Credential=test/20260101/eu-central-1/ec2/aws4_request, SignedHeaders=host, Signature=x")
	answer, status := s.ask(request)
	text := string(answer)
	if status != http.StatusOK {
		s.t.Fatalf("%s: %s", action, text)
	}
	kind := map[string]string{"CreateVpc": "vpcId", "CreateSubnet": "subnetId", "CreateSecurityGroup": "groupId", "CreateInternetGateway": "internetGatewayId", "CreateRouteTable": "routeTableId"}[action]
	for _, found := range idOf.FindAllStringSubmatch(text, -1) {
		if found[1] == kind {
			return found[2]
		}
	}
	return ""
}
