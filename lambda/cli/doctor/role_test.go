package doctor

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"matchbook/lambda/cli/doctor/policy"
	"matchbook/lambda/internal/must"
	"matchbook/lambda/manifest"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/secretsmanager"
)

const secretOfTest = "arn:aws:secretsmanager:us-east-1:000000000000:secret:url"

// needsOf are a function's, with every option on.
func needsOf(t *testing.T, fn function) []need {
	t.Helper()
	env := variables{"BLOB_URL": "s3://files", "OCR": "textract", "EMAIL_FROM": "Ops <ops@mail.example.com>", "DATABASE_URL_SECRET_ARN": secretOfTest, "ROLLOUT": "matchbook-dev"}
	for _, row := range manifest.Functions() {
		env[row.QueueEnv()] = "https://sqs.us-east-1.amazonaws.com/000000000000/" + row.Name
	}
	l := &look{rows: manifest.Functions(), cloud: &cloud{aws.Config{Region: region}},
		described: map[string]secretsmanager.DescribeSecretOutput{secretOfTest: {}}}
	fn.runs = known(version{arn: functionOf + "f:1", logs: "f", traced: true, subnets: []string{"subnet-1"}})
	return l.needs(t.Context(), &facts{}, fn, env, "us-east-1:000000000000:"+fn.row.Name)
}

func TestNeedsOfIngest(t *testing.T) {
	t.Parallel()
	var got []string
	for _, n := range needsOf(t, function{row: manifest.Ingest}) {
		got = append(got, strings.Join(n.Actions, " ")+" on "+strings.Join(n.on, " or "))
	}
	const sqs, ses, files = "arn:aws:sqs:us-east-1:000000000000:", "arn:aws:ses:us-east-1:000000000000:identity/", "arn:aws:s3:::files"
	want := []string{
		"logs:CreateLogStream logs:PutLogEvents on arn:aws:logs:us-east-1:000000000000:log-group:f:log-stream:any",
		"xray:PutTraceSegments xray:PutTelemetryRecords on *",
		"ec2:CreateNetworkInterface ec2:DeleteNetworkInterface ec2:DescribeNetworkInterfaces ec2:DescribeSubnets " +
			"ec2:AssignPrivateIpAddresses ec2:UnassignPrivateIpAddresses on *",
		"sqs:ReceiveMessage sqs:DeleteMessage sqs:GetQueueAttributes on " + sqs + "ingest",
		"sqs:ChangeMessageVisibility on " + sqs + "ingest", "sqs:SendMessage on " + sqs + "ingest",
		"sqs:SendMessage on " + sqs + "match",
		"s3:ListBucket on " + files,
		"s3:GetObject s3:GetObjectVersion on " + files + "/documents/any", "s3:PutObject on " + files + "/documents/any",
		"s3:GetObject s3:GetObjectVersion on " + files + "/inbox/any",
		"s3:GetObject s3:GetObjectVersion on " + files + "/ingestions/any", "s3:PutObject on " + files + "/ingestions/any",
		"sqs:SendMessage on " + sqs + "review",
		"textract:DetectDocumentText on *",
		"ses:SendEmail on " + ses + "ops@mail.example.com or " + ses + "mail.example.com or " + ses + "example.com",
		"secretsmanager:GetSecretValue on " + secretOfTest + "-000000",
	}
	if !slices.Equal(got, want) {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

// Checks of new versions need rights on the versions, and on CodeDeploy.
func TestNeedsOfRollout(t *testing.T) {
	t.Parallel()
	var got []string
	for _, n := range needsOf(t, function{name: "matchbook-dev-migrate", task: manifest.Migrate}) {
		got = append(got, strings.Join(n.Actions, " ")+" on "+strings.Join(n.on, " or "))
	}
	const of = ":us-east-1:000000000000:"
	for _, want := range []string{"codedeploy:ListDeploymentTargets codedeploy:BatchGetDeploymentTargets on *",
		"codedeploy:PutLifecycleEventHookExecutionStatus on arn:aws:codedeploy" + of + "deploymentgroup:matchbook-dev/any",
		"lambda:InvokeFunction on arn:aws:lambda" + of + "function:matchbook-dev-match:any",
		"lambda:InvokeFunction on arn:aws:lambda" + of + "function:matchbook-dev-sweep:any"} {
		if !slices.Contains(got, want) {
			t.Errorf("missing %s in\n%s", want, strings.Join(got, "\n"))
		}
	}
}

// Each action that any function needs is missed.
func TestEachActionMissed(t *testing.T) {
	t.Parallel()
	var all []function
	for _, row := range manifest.Functions() {
		all = append(all, function{row: row})
	}
	for _, task := range append(manifest.Tasks(), manifest.OptionalTasks()...) {
		all = append(all, function{task: task})
	}
	for _, fn := range all {
		fn.name = fn.row.Name + fn.task.Name
		needs := needsOf(t, fn)
		if table := len(fn.rights(manifest.Functions())); len(needs) < table {
			t.Errorf("%s: %d needs for %d rights", fn.name, len(needs), table)
		}
		for _, n := range needs {
			for _, action := range n.Actions {
				but := must.Get(policy.Parse(fmt.Sprintf(`{"Statement":{"Effect":"Allow","NotAction":%q,"Resource":"*"}}`, action)))(t)
				r := role{name: "works", policies: []policy.Document{but}}
				if found := r.lacks(fn.name, n); len(found) != 1 || !strings.Contains(found[0].what, " may not "+action+" on ") {
					t.Errorf("%s without %s: %+v", fn.name, action, found)
				}
			}
		}
	}
}
