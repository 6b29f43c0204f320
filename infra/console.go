package main

import (
	"fmt"
	"strings"

	"matchbook/infra/watch"
	"matchbook/lambda/manifest/permission"
	"matchbook/lambda/manifest/variable"

	"github.com/aws/aws-cdk-go/awscdk/v2"
	"github.com/aws/aws-cdk-go/awscdk/v2/awsapigatewayv2"
	"github.com/aws/aws-cdk-go/awscdk/v2/awscloudwatch"
	"github.com/aws/aws-cdk-go/awscdk/v2/awslambda"
	"github.com/aws/jsii-runtime-go"
)

// newConsoleAPI makes the HTTP API of the console, or returns nil without the setting. It must
// precede all functions, because they put its address into notifications, and the console
// into the login.
func newConsoleAPI(s *site) awsapigatewayv2.CfnApi {
	if !s.config.HasConsole() {
		return nil
	}
	return awsapigatewayv2.NewCfnApi(s.stack, jsii.String("ConsoleApi"), &awsapigatewayv2.CfnApiProps{
		Name: s.name("console"), ProtocolType: jsii.String("HTTP"),
		Description: jsii.String("The console, stage " + s.config.Stage),
	})
}

// adminURL returns the base address of links to documents: adminBaseUrl, otherwise the
// console's. Use adminBaseUrl for a custom domain or another program.
func (s *site) adminURL() *string {
	if s.api == nil || s.config.AdminURL != "" {
		return jsii.String(strings.TrimSuffix(s.config.AdminURL, "/"))
	}
	return s.api.AttrApiEndpoint()
}

// newConsole makes the function behind the API and the login. It returns nil without an API.
func newConsole(s *site, workloads []queueFunction) awslambda.Function {
	if s.api == nil {
		return nil
	}
	to := named(workloads, s.facts.Console.PublishesTo)
	reads := named(workloads, s.facts.Console.AlsoPublishesTo)
	console := s.newFunction(s.facts.Console, s.consoleVariables(to, reads))
	s.grant(console.Role(), workloads, permission.OfTask(s.facts.Console, nil)...)
	live := s.live(console, s.facts.Console.Name)
	integration := awsapigatewayv2.NewCfnIntegration(s.stack, jsii.String("ConsoleIntegration"),
		&awsapigatewayv2.CfnIntegrationProps{ApiId: s.api.Ref(), IntegrationType: jsii.String("AWS_PROXY"),
			IntegrationUri: live.FunctionArn(), PayloadFormatVersion: jsii.String("2.0")})
	route := awsapigatewayv2.NewCfnRoute(s.stack, jsii.String("ConsoleRoute"), &awsapigatewayv2.CfnRouteProps{
		ApiId: s.api.Ref(), RouteKey: jsii.String("$default"),
		Target: awscdk.Fn_Join(jsii.String("/"), &[]*string{jsii.String("integrations"), integration.Ref()})})
	s.accept(route, "AwsSolutions-APIG4", "", "The function itself sends people without a session to the login")
	s.newConsoleStage()
	awslambda.NewCfnPermission(s.stack, jsii.String("ConsolePermission"), &awslambda.CfnPermissionProps{
		Action: jsii.String("lambda:InvokeFunction"), FunctionName: live.FunctionArn(),
		Principal: jsii.String("apigateway.amazonaws.com"), SourceArn: s.stack.FormatArn(&awscdk.ArnComponents{
			Service: jsii.String("execute-api"), Resource: s.api.Ref(), ResourceName: jsii.String("$default/$default")})})
	s.output("ConsoleUrl", "Shows documents and their matches to logged-in people", s.adminURL())
	s.alarms.onConsole(console)
	return console
}

// newConsoleStage makes the stage of the API. Its log must contain neither addresses of people
// nor query parameters, since logins carry codes there.
func (s *site) newConsoleStage() {
	logs := s.newLogs("ConsoleApiLogs", "/aws/apigateway/"+*s.name("console"))
	awsapigatewayv2.NewCfnStage(s.stack, jsii.String("ConsoleStage"), &awsapigatewayv2.CfnStageProps{
		ApiId: s.api.Ref(), StageName: jsii.String("$default"), AutoDeploy: jsii.Bool(true),
		AccessLogSettings: &awsapigatewayv2.CfnStage_AccessLogSettingsProperty{DestinationArn: logs.LogGroupArn(),
			Format: jsii.String(`{"request_id":"$context.requestId","method":"$context.httpMethod","path":"$context.path",` +
				`"status":"$context.status","ms":"$context.responseLatency","error":"$context.error.message"}`)},
		DefaultRouteSettings: &awsapigatewayv2.CfnStage_RouteSettingsProperty{
			ThrottlingBurstLimit: jsii.Number(50), ThrottlingRateLimit: jsii.Number(50)}, // requests per second
	})
}

func (s *site) consoleVariables(to, reads queueFunction) environment {
	issuer := s.consoleLogin()
	e := environment{map[string]*string{
		to.facts.QueueEnv():    to.queue.QueueUrl(),
		reads.facts.QueueEnv(): reads.queue.QueueUrl(), variable.BlobURL: s.files.S3UrlForObject(nil),
		variable.AdminBaseURL: s.adminURL(), variable.OIDCIssuer: issuer.url, variable.OIDCClientID: issuer.client,
		variable.OIDCClientSecret: jsii.String(""), variable.OIDCClientSecret + variable.SecretSuffix: jsii.String(""),
		variable.OIDCGroupsClaim: jsii.String(s.config.ConsoleGroups),
		variable.OIDCScopes:      jsii.String(s.config.ConsoleScopes),
	}, map[string]secret{variable.DatabaseURL: s.database.secret}}
	if issuer.secret.arn != nil {
		e.secrets[variable.OIDCClientSecret] = issuer.secret
	}
	return s.addTracing(e)
}

func (a *alarms) onConsole(console awslambda.Function) {
	f := a.site.facts.Console
	name := *a.site.name(f.Name)
	a.Add(
		watch.Alarm{ID: "ConsoleErrors", Metric: watch.Lambda(console, "Errors", "Sum"), At: 1,
			Text: name + " ended in an error: its configuration, a crash or a timeout. People saw an error and may try " +
				"again. See the log group /aws/lambda/" + name + " for the reason."},
		watch.Alarm{ID: "ConsoleThrottles", Metric: watch.Lambda(console, "Throttles", "Sum"), At: 1,
			Text: fmt.Sprintf("%s refused requests: %d were served at once, its reserved concurrency. Look for a program "+
				"reading pages, otherwise raise Instances in the manifest, and databaseConnections with it.", name, f.Instances)},
	)
}

func consoleWidgets(console awslambda.Function) []awscloudwatch.IWidget {
	return []awscloudwatch.IWidget{
		watch.Graph("console: Requests, errors, throttles", false, watch.Lambda(console, "Invocations", "Sum"),
			watch.Lambda(console, "Errors", "Sum"), watch.Lambda(console, "Throttles", "Sum")),
		watch.Graph("console: Time of a request (ms)", false, watch.Lambda(console, "Duration", "p50"),
			watch.Lambda(console, "Duration", "p95"), watch.Lambda(console, "Duration", "Maximum")),
	}
}
