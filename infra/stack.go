package main

import (
	"strings"
	"time"

	"matchbook/infra/settings"

	"github.com/aws/aws-cdk-go/awscdk/v2"
	"github.com/aws/aws-cdk-go/awscdk/v2/awsapigatewayv2"
	"github.com/aws/aws-cdk-go/awscdk/v2/awskms"
	"github.com/aws/aws-cdk-go/awscdk/v2/awslambda"
	"github.com/aws/aws-cdk-go/awscdk/v2/awss3"
	"github.com/aws/constructs-go/constructs/v10"
	"github.com/aws/jsii-runtime-go"
)

// site is the common state of one stage.
type site struct {
	stack    awscdk.Stack
	config   settings.Config
	facts    settings.Facts
	code     map[string]string // folder of each function's bootstrap
	database database
	network  network
	files    awss3.IBucket
	key      awskms.IKey // of queues, files, logs and alarms; nil: the services' own
	alarms   *alarms
	schema   migration                  // new versions must wait for it
	secrets  map[string]secret          // of all functions but the migrations, by their variables
	lives    map[string]awslambda.Alias // by the functions' names
	api      awsapigatewayv2.CfnApi     // of the console, or nil
	accepted []accepted
}

// newStack describes all resources of one stage. To add a workload, add a row to the
// manifest.
func newStack(app awscdk.App, c settings.Config, f settings.Facts, code map[string]string) {
	if c.Pauses() { // it wakes the database together with the sweep, once an hour
		f.Schedule.Every = time.Hour
	}
	s := newSite(app, c, f, code)
	var workloads []queueFunction
	for _, function := range f.Functions {
		workloads = append(workloads, newWorkload(s, function, workloads))
	}
	s.watchInbox(workloads)
	s.reviewContracts(workloads)
	sweep, schedule, web := newSweep(s, workloads), newOfferSchedule(s, workloads), newWeb(s, workloads)
	newDashboard(s, workloads, sweep, schedule, web, newConsole(s, workloads))
	s.checkSecrets()
	s.rollOut()
	s.writeAccepted()
}

// newSite makes the base of all workloads: database, schema, files and the alarms' topic.
func newSite(app awscdk.App, c settings.Config, f settings.Facts, code map[string]string) *site {
	name := "matchbook-" + c.Stage
	stack := awscdk.NewStack(app, jsii.String(name), &awscdk.StackProps{
		StackName:   jsii.String(name),
		Description: jsii.String("Matchbook, stage " + c.Stage + ": matches business documents behind an SQS queue"),
	})
	awscdk.Tags_Of(stack).Add(jsii.String("application"), jsii.String("matchbook"), nil)
	awscdk.Tags_Of(stack).Add(jsii.String("stage"), jsii.String(c.Stage), nil)
	s := &site{stack: stack, config: c, facts: f, code: code, secrets: map[string]secret{}, lives: map[string]awslambda.Alias{}}
	s.warnOfSilence()
	s.limitRoles()
	s.key = s.newKey()
	s.alarms = newAlarms(s)
	s.database, s.network = newDatabase(s)
	s.files = s.newBucket()
	s.schema = newMigration(s)
	s.api = newConsoleAPI(s)
	return s
}

// warnOfSilence warns at synth if failures would go unnoticed.
func (s *site) warnOfSilence() {
	if s.config.ReachesPeople() {
		return
	}
	awscdk.Annotations_Of(s.stack).AddWarningV2(jsii.String("matchbook:silence"),
		jsii.String("Failures and alarms would go unnoticed: "+
			"set slack=true, emailFrom and emailTo, or at least alarmEmail "+
			"(in the context of cdk.json, or -c key=value)"))
}

// name returns the name of a resource, derived from the stage.
func (s *site) name(parts ...string) *string {
	return jsii.String(strings.Join(append([]string{"matchbook", s.config.Stage}, parts...), "-"))
}

// arn returns the ARN of a resource. Use it for a known name before the resource exists.
func (s *site) arn(service, resource string) *string {
	return s.stack.FormatArn(&awscdk.ArnComponents{
		Service: jsii.String(service), Resource: jsii.String(resource), ArnFormat: awscdk.ArnFormat_NO_RESOURCE_NAME,
	})
}

// output exports the name of a resource to the user and other programs.
func (s *site) output(id, description string, value *string) {
	awscdk.NewCfnOutput(s.stack, jsii.String(id),
		&awscdk.CfnOutputProps{Description: jsii.String(description), Value: value})
}

// called sets a readable logical id. It must never change, because another id is another
// resource.
func called[T constructs.Construct](resource T, id string) T {
	resource.Node().DefaultChild().(awscdk.CfnElement).OverrideLogicalId(jsii.String(id))
	return resource
}

func title(name string) string { return strings.ToUpper(name[:1]) + name[1:] }
