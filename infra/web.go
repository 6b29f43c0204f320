package main

import (
	"fmt"

	"matchbook/infra/watch"
	"matchbook/lambda/manifest"
	"matchbook/lambda/manifest/variable"

	"github.com/aws/aws-cdk-go/awscdk/v2/awscloudwatch"
	"github.com/aws/aws-cdk-go/awscdk/v2/awslambda"
	"github.com/aws/aws-cdk-go/awscdk/v2/awssecretsmanager"
	"github.com/aws/jsii-runtime-go"
)

// newWeb makes the function behind the URL of reviews where the setting reviewUrl
// asks for it, else none. It is no part of every stack: its secret and its alarms
// have a monthly price, an account with few instances in all refuses its reserved
// concurrency, and a URL that is open to the internet is a person's decision.
func newWeb(s *site, workloads []queueFunction) awslambda.Function {
	if !s.config.ReviewURL {
		return nil
	}
	to := named(workloads, s.facts.Web.PublishesTo)
	variables := s.webVariables(to)
	web := s.newFunction(s.facts.Web, variables)
	allow(web.Role(), []*string{to.queue.QueueArn()}, "sqs:SendMessage")
	s.useFiles(web.Role(), []manifest.Access{{Folder: manifest.FolderIngestions, Read: true}}) // texts of documents
	url := called(s.live(web, s.facts.Web.Name).AddFunctionUrl(&awslambda.FunctionUrlOptions{
		// Requests carry tokens, which the function checks: browsers sign nothing for IAM.
		AuthType:   awslambda.FunctionUrlAuthType_NONE,
		InvokeMode: awslambda.InvokeMode_RESPONSE_STREAM,
	}), "WebUrl")
	s.output("ReviewUrl", "Starts and shows reviews, for requests with a token", url.Url())
	s.output("ReviewTokenSecretArn", "The key that signs the tokens of reviews",
		variables.secrets[variable.ReviewTokenSecret].arn)
	s.alarms.onWeb(web)
	return web
}

// webVariables returns the variables of the function that starts reviews: it
// asks no model, and estimates costs by the model's name and price.
func (s *site) webVariables(to queueFunction) environment {
	c := s.config
	return environment{map[string]*string{
		to.facts.QueueEnv():    to.queue.QueueUrl(),
		variable.RetrySchedule: jsii.String(to.facts.FormatBackoff()), // read and checked as in the review function
		variable.MatchMode:     jsii.String(c.Mode),
		variable.OpenAIModel:   jsii.String(c.Model),
		variable.ModelPrice:    jsii.String(c.Prices()),
		variable.BlobURL:       s.files.S3UrlForObject(nil),
	}, map[string]secret{variable.DatabaseURL: s.database.secret, variable.ReviewTokenSecret: s.newTokenSecret()}}
}

// newTokenSecret makes the key of the tokens: letters and digits, since a comma
// separates two keys. It has no name of ours: a deleted secret keeps its name for
// weeks, and the setting could not be switched on again.
func (s *site) newTokenSecret() secret {
	key := called(awssecretsmanager.NewSecret(s.stack, jsii.String("ReviewTokenSecret"), &awssecretsmanager.SecretProps{
		Description: jsii.String("Signs the tokens of reviews, stage " + s.config.Stage),
		GenerateSecretString: &awssecretsmanager.SecretStringGenerator{
			PasswordLength: jsii.Number(64), ExcludePunctuation: jsii.Bool(true)},
	}), "ReviewTokenSecret")
	if arn := s.config.SecretsKey; arn != "" {
		key.Node().DefaultChild().(awssecretsmanager.CfnSecret).SetKmsKeyId(jsii.String(arn))
	}
	s.accept(key, "AwsSolutions-SMG4", "",
		"A new key is put in by hand, beside the old one: all tokens end with a key that is replaced")
	return secret{arn: key.SecretArn(), resource: key.SecretArn()}
}

// onWeb adds the alarms of the function behind the URL. It has none on the
// duration: a stream lasts as long as the function may.
func (a *alarms) onWeb(web awslambda.Function) {
	f := a.site.facts.Web
	name := *a.site.name(f.Name)
	a.Add(
		watch.Alarm{ID: "WebErrors", Metric: watch.Lambda(web, "Errors", "Sum"), At: 1,
			Text: name + " ended in an error: its configuration, a crash or a timeout. Browsers connect again by " +
				"themselves; the log group /aws/lambda/" + name + " has the reason."},
		watch.Alarm{ID: "WebThrottles", Metric: watch.Lambda(web, "Throttles", "Sum"), At: 1,
			Text: fmt.Sprintf("%s refused requests: %d requests and open streams were served at once, its reserved "+
				"concurrency. Look for a client that opens many streams; else raise Instances in the manifest, and "+
				"databaseConnections with it.", name, f.Instances)},
	)
}

// webWidgets show the function behind the URL.
func webWidgets(web awslambda.Function) []awscloudwatch.IWidget {
	return []awscloudwatch.IWidget{
		watch.Graph("web: Requests, errors, throttles", false, watch.Lambda(web, "Invocations", "Sum"),
			watch.Lambda(web, "Errors", "Sum"), watch.Lambda(web, "Throttles", "Sum")),
		watch.Graph("web: Requests and open streams at once", false,
			watch.Lambda(web, "ConcurrentExecutions", "Maximum")),
	}
}
