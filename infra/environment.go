package main

import (
	"maps"
	"slices"
	"strings"

	"matchbook/infra/bootstrap"
	"matchbook/infra/settings"
	"matchbook/lambda/manifest"
	"matchbook/lambda/manifest/variable"

	"github.com/aws/aws-cdk-go/awscdk/v2/awsiam"
	"github.com/aws/jsii-runtime-go"
)

// environment holds the variables of a function. Every variable that it may
// read is there, an empty one where nothing is set: `sam local invoke
// --env-vars` overrides only the variables of the template.
type environment struct {
	values  map[string]*string
	secrets map[string]secret // by the name of the variable that holds the value
}

// secret is a secret of Secrets Manager. Its value never is in the template.
type secret struct {
	arn      *string // for the function
	resource *string // for a policy
}

// rootCertificates is the variable from which PostgreSQL's clients take the
// file for sslmode=verify-full. So the database's URL, which people use as
// well, names no file of the function.
const rootCertificates = "PGSSLROOTCERT"

// anySuffix stands for the six characters that Secrets Manager adds to the
// name of a secret. Settings such as openaiSecretArn name one exactly.
const anySuffix = "-??????"

// secretOf returns the secret that the user names by its ARN, or else the one
// with the name that derives from the stage, matchbook/dev/database-url.
func (s *site) secretOf(arn, name string) secret {
	if arn != "" {
		return secret{arn: jsii.String(arn), resource: jsii.String(arn)}
	}
	named := s.arn("secretsmanager", "secret:matchbook/"+s.config.Stage+"/"+name)
	return secret{arn: named, resource: jsii.String(*named + anySuffix)}
}

func (s *site) allowRead(role awsiam.IRole, v secret) {
	allow(role, []*string{v.resource}, "secretsmanager:GetSecretValue")
	if key := s.config.SecretsKey; key != "" {
		allow(role, []*string{jsii.String(key)}, "kms:Decrypt")
	}
}

// of adds the variables of every function.
func (e environment) of(s *site) *map[string]*string {
	all := map[string]*string{variable.Stage: jsii.String(s.config.Stage)}
	maps.Copy(all, e.values)
	for name, secret := range e.secrets {
		// The value itself stays empty; if it is set, it wins.
		all[name], all[name+variable.SecretSuffix] = jsii.String(""), secret.arn
	}
	if s.config.DatabaseCA != "" {
		all[rootCertificates] = jsii.String("/var/task/" + bootstrap.Authorities)
	}
	return &all
}

// notifications are the variables of the functions that send failures to
// people.
func (s *site) notifications() environment {
	c := s.config
	e := environment{map[string]*string{
		variable.EmailFrom: jsii.String(c.EmailFrom), variable.EmailTo: jsii.String(c.EmailTo),
		variable.AdminBaseURL: s.adminURL(),
	}, map[string]secret{variable.DatabaseURL: s.database.secret}}
	for _, name := range manifest.ChannelSecrets() {
		e.values[name], e.values[name+variable.SecretSuffix] = jsii.String(""), jsii.String("")
	}
	if c.Slack || c.SlackSecret != "" {
		e.secrets[variable.SlackWebhookURL] = s.secretOf(c.SlackSecret, "slack-webhook-url")
	}
	return e
}

// allowMail lets a role send mail as the sender only. SES looks for the
// identity of the address or of a domain above it; in an account that is still
// in its sandbox also for those of the readers.
func (s *site) allowMail(role awsiam.IRole) {
	c := s.config
	sender := settings.AddressesOf(c.EmailFrom)
	if len(sender) == 0 {
		return
	}
	own := s.identities(sender)
	if c.SESConfigurationSet != "" {
		own = append(own, s.arn("ses", "configuration-set/"+c.SESConfigurationSet))
	}
	all := slices.Concat(own, s.identities(settings.AddressesOf(c.EmailTo)))
	role.AddToPrincipalPolicy(awsiam.NewPolicyStatement(&awsiam.PolicyStatementProps{
		Actions: jsii.Strings("ses:SendEmail"), Resources: &all,
		Conditions: &map[string]any{"StringEquals": map[string]any{"ses:FromAddress": sender[0]}},
	}))
}

// identities returns the possible identities of addresses in SES: the address,
// its domain, and the domains above that.
func (s *site) identities(addresses []string) (arns []*string) {
	var names []string
	for _, address := range addresses {
		names = append(names, address)
		_, domain, _ := strings.Cut(address, "@")
		for strings.Contains(domain, ".") {
			names = append(names, domain)
			_, domain, _ = strings.Cut(domain, ".")
		}
	}
	slices.Sort(names)
	for _, name := range slices.Compact(names) {
		arns = append(arns, s.arn("ses", "identity/"+name))
	}
	return arns
}
