package main

import (
	"maps"
	"slices"
	"strconv"
	"strings"

	"matchbook/infra/bootstrap"
	"matchbook/infra/settings"
	"matchbook/lambda/manifest"
	"matchbook/lambda/manifest/permission"
	"matchbook/lambda/manifest/variable"

	"github.com/aws/aws-cdk-go/awscdk/v2/awsiam"
	"github.com/aws/jsii-runtime-go"
)

// environment has the variables of a function. It must contain every variable the function
// may read, empty if unset, because `sam local invoke --env-vars` overrides only existing ones.
type environment struct {
	values  map[string]*string
	secrets map[string]secret // by the variable of the value
}

// secret is a secret of Secrets Manager. Its value must never be in the template.
type secret struct {
	arn      *string // for the function
	resource *string // for a policy
}

// anySuffix matches the six characters Secrets Manager appends to a secret's name. Settings
// such as openaiSecretArn give the exact ARN.
const anySuffix = "-??????"

// secretOf returns the secret with the user's ARN, otherwise the one named after the stage,
// such as matchbook/dev/database-url.
func (s *site) secretOf(arn, name string) secret {
	if arn != "" {
		return secret{arn: jsii.String(arn), resource: jsii.String(arn)}
	}
	named := s.arn("secretsmanager", "secret:matchbook/"+s.config.Stage+"/"+name)
	return secret{arn: named, resource: jsii.String(*named + anySuffix)}
}

func (s *site) allowRead(role awsiam.IRole, v secret) {
	allow(role, []*string{v.resource}, permission.ReadSecrets.Actions...)
	if key := s.secretsKey(); key != nil {
		allow(role, []*string{key}, permission.Decrypt.Actions...)
	}
}

func (e environment) of(s *site) *map[string]*string {
	all := map[string]*string{variable.Stage: jsii.String(s.config.Stage)}
	maps.Copy(all, e.values)
	for name, secret := range e.secrets {
		// Leave the value empty, because a set value wins.
		all[name], all[name+variable.SecretSuffix] = jsii.String(""), secret.arn
	}
	if address := s.config.DatabaseHost; address != "" {
		server, name, _ := strings.Cut(address, "/")
		host, port, _ := strings.Cut(server, ":")
		all[variable.DatabaseHost], all[variable.DatabasePort] = jsii.String(host), jsii.String(port)
		all[variable.DatabaseName] = jsii.String(name)
	}
	if s.config.Pauses() {
		all[variable.ConnectTimeout] = jsii.String(strconv.Itoa(int(connectTimeout.Seconds())))
	}
	if s.config.ChecksDatabase() { // not by the URL's parameter, because people use the same URL elsewhere
		all[variable.RootCertificates] = jsii.String("/var/task/" + bootstrap.Authorities)
	}
	return &all
}

// addTracing adds the collector, if there is one.
func (s *site) addTracing(e environment) environment {
	c := s.config
	if c.OTLPEndpoint == "" {
		return e
	}
	e.values[variable.OTLPEndpoint], e.values[variable.OTLPShare] = jsii.String(c.OTLPEndpoint), jsii.String(c.OTLPShare)
	e.values[variable.OTLPHeaders], e.values[variable.OTLPHeaders+variable.SecretSuffix] = jsii.String(""), jsii.String("")
	if c.OTLPHeadersSecret != "" {
		e.secrets[variable.OTLPHeaders] = s.secretOf(c.OTLPHeadersSecret, "")
	}
	return e
}

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
	return s.addTracing(e)
}

// allowMail lets a role send mail only as the sender. SES checks the identity of the address
// or a parent domain, and in a sandbox account the recipients' identities as well.
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
		Actions: jsii.Strings(permission.SendMail.Actions...), Resources: &all,
		Conditions: &map[string]any{"StringEquals": map[string]any{"ses:FromAddress": sender[0]}},
	}))
}

// identities returns the possible SES identities of addresses: address, domain and parent
// domains.
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
