package main

import (
	"fmt"

	"matchbook/infra/settings"

	"github.com/aws/aws-cdk-go/awscdk/v2"
	"github.com/aws/aws-cdk-go/awscdk/v2/awscognito"
	"github.com/aws/aws-cdk-go/awscdk/v2/awssecretsmanager"
	"github.com/aws/jsii-runtime-go"
)

type issuer struct {
	url, client *string
	secret      secret // a zero arn means a public client
}

// consoleLogin returns the issuer in the settings, otherwise the stack's user pool.
func (s *site) consoleLogin() issuer {
	c := s.config
	if c.Console == settings.Cognito {
		return s.newUserPool()
	}
	i := issuer{url: jsii.String(c.ConsoleIssuer), client: jsii.String(c.ConsoleClient)}
	if c.ConsoleSecret != "" {
		i.secret = secret{arn: jsii.String(c.ConsoleSecret), resource: jsii.String(c.ConsoleSecret)}
	}
	return i
}

// newUserPool makes a user pool. Administrators invite people; they log in with their e-mail
// address, a password and a one-time code. It stays when the stack is deleted, because people
// exist only there.
func (s *site) newUserPool() issuer {
	pool := awscognito.NewCfnUserPool(s.stack, jsii.String("ConsoleUsers"), &awscognito.CfnUserPoolProps{
		UserPoolName:           s.name(),
		DeletionProtection:     jsii.String("ACTIVE"),
		UsernameAttributes:     jsii.PtrSlice("email"),
		AutoVerifiedAttributes: jsii.PtrSlice("email"),
		MfaConfiguration:       jsii.String("ON"),
		EnabledMfas:            jsii.PtrSlice("SOFTWARE_TOKEN_MFA"),
		AdminCreateUserConfig: &awscognito.CfnUserPool_AdminCreateUserConfigProperty{
			AllowAdminCreateUserOnly: jsii.Bool(true)},
		Policies: &awscognito.CfnUserPool_PoliciesProperty{PasswordPolicy: &awscognito.CfnUserPool_PasswordPolicyProperty{
			MinimumLength: jsii.Number(12), RequireLowercase: jsii.Bool(true), RequireUppercase: jsii.Bool(true),
			RequireNumbers: jsii.Bool(true), RequireSymbols: jsii.Bool(true), TemporaryPasswordValidityDays: jsii.Number(7)}},
	})
	pool.ApplyRemovalPolicy(awscdk.RemovalPolicy_RETAIN, nil)
	s.accept(pool, "AwsSolutions-COG3", "", "Threat protection is billed per person, and the second factor is required")
	for _, role := range []string{"viewer", "operator"} {
		awscognito.NewCfnUserPoolGroup(s.stack, jsii.String("Console"+title(role)+"s"), &awscognito.CfnUserPoolGroupProps{
			UserPoolId: pool.Ref(), GroupName: jsii.String("matchbook-" + role),
			Description: jsii.String("The role " + role + " for all tenants")})
	}
	awscognito.NewCfnUserPoolDomain(s.stack, jsii.String("ConsoleLogin"), &awscognito.CfnUserPoolDomainProps{
		UserPoolId: pool.Ref(), Domain: jsii.String(fmt.Sprintf("%s-%s", *s.name(), *s.stack.Account()))})
	s.output("ConsoleUsersId", "The user pool of the console", pool.Ref())
	client := s.newUserPoolClient(pool)
	return issuer{client: client.Ref(), secret: s.newClientSecret(client),
		url: awscdk.Fn_Join(jsii.String(""), &[]*string{jsii.String("https://cognito-idp."), s.stack.Region(), jsii.String("."),
			s.stack.UrlSuffix(), jsii.String("/"), pool.Ref()})}
}

// newUserPoolClient makes the console a client of the pool, with the code flow.
func (s *site) newUserPoolClient(pool awscognito.CfnUserPool) awscognito.CfnUserPoolClient {
	at := func(path string) *[]*string {
		return &[]*string{awscdk.Fn_Join(jsii.String(""), &[]*string{s.adminURL(), jsii.String(path)})}
	}
	return awscognito.NewCfnUserPoolClient(s.stack, jsii.String("ConsoleClient"), &awscognito.CfnUserPoolClientProps{
		UserPoolId: pool.Ref(), ClientName: s.name("console"), GenerateSecret: jsii.Bool(true),
		AllowedOAuthFlowsUserPoolClient: jsii.Bool(true),
		AllowedOAuthFlows:               jsii.PtrSlice("code"),
		AllowedOAuthScopes:              jsii.PtrSlice("openid", "email", "profile"),
		SupportedIdentityProviders:      jsii.PtrSlice("COGNITO"),
		PreventUserExistenceErrors:      jsii.String("ENABLED"),
		CallbackUrLs:                    at("/login/callback"),
		LogoutUrLs:                      at("/"),
	})
}

// newClientSecret stores the client's secret in Secrets Manager, so that it's neither in the
// template nor in variables.
func (s *site) newClientSecret(client awscognito.CfnUserPoolClient) secret {
	kept := awssecretsmanager.NewCfnSecret(s.stack, jsii.String("ConsoleClientSecret"), &awssecretsmanager.CfnSecretProps{
		SecretString: client.AttrClientSecret(), KmsKeyId: s.secretsKey(),
		Description: jsii.String("The console at its user pool, stage " + s.config.Stage)})
	s.accept(kept, "AwsSolutions-SMG4", "", "A user pool issues a new secret only for a new client")
	return secret{arn: kept.Ref(), resource: kept.Ref()}
}
