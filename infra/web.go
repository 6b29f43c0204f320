package main

import (
	"fmt"

	"matchbook/infra/watch"
	"matchbook/lambda/manifest/permission"
	"matchbook/lambda/manifest/variable"

	"github.com/aws/aws-cdk-go/awscdk/v2/awscloudwatch"
	"github.com/aws/aws-cdk-go/awscdk/v2/awslambda"
	"github.com/aws/aws-cdk-go/awscdk/v2/awssecretsmanager"
	"github.com/aws/jsii-runtime-go"
)

// newWeb makes the function behind the URL of reviews, or returns nil without reviewUrl. It's
// optional, because its secret and alarms cost money every month, small accounts refuse its
// reserved concurrency, and you should decide to open a URL to the internet.
func newWeb(s *site, workloads []queueFunction) awslambda.Function {
	if !s.config.ReviewURL {
		return nil
	}
	to := named(workloads, s.facts.Web.PublishesTo)
	variables := s.webVariables(to)
	web := s.newFunction(s.facts.Web, variables)
	s.grant(web.Role(), workloads, permission.OfTask(s.facts.Web, nil)...)
	url := called(s.live(web, s.facts.Web.Name).AddFunctionUrl(&awslambda.FunctionUrlOptions{
		// The function checks tokens, because browsers can't sign requests for IAM.
		AuthType:   awslambda.FunctionUrlAuthType_NONE,
		InvokeMode: awslambda.InvokeMode_RESPONSE_STREAM,
	}), "WebUrl")
	s.output("ReviewUrl", "Starts and shows reviews for requests with a token", url.Url())
	s.output("ReviewTokenSecretArn", "The signing key of review tokens",
		variables.secrets[variable.ReviewTokenSecret].arn)
	s.alarms.onWeb(web)
	return web
}

// webVariables returns the variables of the web function. It gets the model's name and price
// for estimates, but no key, since it never asks the model.
func (s *site) webVariables(to queueFunction) environment {
	c := s.config
	return s.addTracing(environment{map[string]*string{
		to.facts.QueueEnv():    to.queue.QueueUrl(),
		variable.RetrySchedule: jsii.String(to.facts.FormatBackoff()), // checked as in the review function
		variable.MatchMode:     jsii.String(c.Mode),
		variable.OpenAIModel:   jsii.String(c.Model),
		variable.ModelPrice:    jsii.String(c.Prices()),
		variable.BlobURL:       s.files.S3UrlForObject(nil),
	}, map[string]secret{variable.DatabaseURL: s.database.secret, variable.ReviewTokenSecret: s.newTokenSecret()}})
}

// newTokenSecret makes the signing key of tokens from letters and digits, since a comma
// separates two keys. CloudFormation names it, because a deleted secret keeps its name for
// weeks and the setting couldn't be switched on again.
func (s *site) newTokenSecret() secret {
	key := called(awssecretsmanager.NewSecret(s.stack, jsii.String("ReviewTokenSecret"), &awssecretsmanager.SecretProps{
		Description: jsii.String("Signs the tokens of reviews, stage " + s.config.Stage),
		GenerateSecretString: &awssecretsmanager.SecretStringGenerator{
			PasswordLength: jsii.Number(64), ExcludePunctuation: jsii.Bool(true)},
	}), "ReviewTokenSecret")
	s.encrypt(key)
	s.accept(key, "AwsSolutions-SMG4", "",
		"People rotate the key by hand, next to the old one, because replacing it ends all tokens")
	return secret{arn: key.SecretArn(), resource: key.SecretArn()}
}

// onWeb adds the alarms of the web function, except on its duration, because a stream lasts up
// to the timeout.
func (a *alarms) onWeb(web awslambda.Function) {
	f := a.site.facts.Web
	name := *a.site.name(f.Name)
	a.Add(
		watch.Alarm{ID: "WebErrors", Metric: watch.Lambda(web, "Errors", "Sum"), At: 1,
			Text: name + " ended in an error: its configuration, a crash or a timeout. Browsers connect again by " +
				"themselves. See the log group /aws/lambda/" + name + " for the reason."},
		watch.Alarm{ID: "WebThrottles", Metric: watch.Lambda(web, "Throttles", "Sum"), At: 1,
			Text: fmt.Sprintf("%s refused requests: %d requests and open streams were served at once, its reserved "+
				"concurrency. Look for a client with many streams, otherwise raise Instances in the manifest, and "+
				"databaseConnections with it.", name, f.Instances)},
	)
}

func webWidgets(web awslambda.Function) []awscloudwatch.IWidget {
	return []awscloudwatch.IWidget{
		watch.Graph("web: Requests, errors, throttles", false, watch.Lambda(web, "Invocations", "Sum"),
			watch.Lambda(web, "Errors", "Sum"), watch.Lambda(web, "Throttles", "Sum")),
		watch.Graph("web: Requests and open streams at once", false,
			watch.Lambda(web, "ConcurrentExecutions", "Maximum")),
	}
}
