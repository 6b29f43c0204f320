package main

import (
	"maps"
	"slices"

	"matchbook/infra/settings"
	"matchbook/lambda/manifest/permission"
	"matchbook/lambda/manifest/variable"

	"github.com/aws/aws-cdk-go/awscdk/v2"
	"github.com/aws/aws-cdk-go/awscdk/v2/awscodedeploy"
	"github.com/aws/aws-cdk-go/awscdk/v2/awsiam"
	"github.com/aws/aws-cdk-go/awscdk/v2/awslambda"
	"github.com/aws/jsii-runtime-go"
)

// rollbackAlarms are the alarms, after a function's name, that a bad version raises within five
// minutes. The others follow the load, the model or the account, or come after the retries, and
// would take back good versions.
var rollbackAlarms = []string{"Errors", "Failed", "FailedShare", "Malformed"}

// rollOut lets CodeDeploy move the aliases: a tenth of the work for five minutes, then the rest.
// The migrate function checks the new version before and after. If it or an alarm finds a
// failure, the old version gets the work back, and the deployment fails. Call it last, because
// it needs the aliases and the alarms. The first deployment has nothing to shift.
func (s *site) rollOut() {
	if s.config.Rollout != settings.Canary {
		return
	}
	names, migrate := slices.Sorted(maps.Keys(s.lives)), s.schema.function
	application := awscodedeploy.NewCfnApplication(s.stack, jsii.String("Rollout"), &awscodedeploy.CfnApplicationProps{
		ApplicationName: s.name(), ComputePlatform: jsii.String("Lambda")})
	role := s.newRolloutRole(names)
	s.grant(migrate.Role(), nil, permission.OfRollout(names)...)
	migrate.AddEnvironment(jsii.String(variable.Rollout), s.name(), nil)
	for _, name := range names {
		group, alias := s.newRollout(application, role, name), s.lives[name]
		alias.Node().AddDependency(role)
		alias.Node().DefaultChild().(awslambda.CfnAlias).CfnOptions().SetUpdatePolicy(&awscdk.CfnUpdatePolicy{
			CodeDeployLambdaAliasUpdate: &awscdk.CfnCodeDeployLambdaAliasUpdate{
				ApplicationName: application.Ref(), DeploymentGroupName: group.Ref(),
				BeforeAllowTrafficHook: migrate.FunctionName(), AfterAllowTrafficHook: migrate.FunctionName(),
			}})
	}
}

func (s *site) newRolloutRole(names []string) awsiam.Role {
	role := called(awsiam.NewRole(s.stack, jsii.String("RolloutRole"), &awsiam.RoleProps{
		AssumedBy:   awsiam.NewServicePrincipal(jsii.String("codedeploy.amazonaws.com"), nil),
		Description: jsii.String("Lets CodeDeploy move the aliases of this stack"),
	}), "RolloutRole")
	allow(role, []*string{s.schema.function.FunctionArn()}, permission.Start.Actions...)
	s.grant(role, nil, permission.ReadAlarms)
	for _, name := range names {
		move := permission.MoveAlias
		move.On.Name = name
		s.grant(role, nil, move)
		allow(role, []*string{s.arn("lambda", "function:"+*s.name(name))}, move.Actions...)
	}
	return role
}

func (s *site) newRollout(application awscodedeploy.CfnApplication, role awsiam.Role, name string) awscodedeploy.CfnDeploymentGroup {
	var alarms []any
	for _, id := range rollbackAlarms {
		if alarm := s.alarms.Names[title(name)+id]; alarm != nil {
			alarms = append(alarms, &awscodedeploy.CfnDeploymentGroup_AlarmProperty{Name: alarm})
		}
	}
	return awscodedeploy.NewCfnDeploymentGroup(s.stack, jsii.String(title(name)+"Rollout"), &awscodedeploy.CfnDeploymentGroupProps{
		ApplicationName:      application.Ref(),
		DeploymentGroupName:  s.name(name),
		ServiceRoleArn:       role.RoleArn(),
		DeploymentConfigName: jsii.String("CodeDeployDefault.LambdaCanary10Percent5Minutes"),
		DeploymentStyle: &awscodedeploy.CfnDeploymentGroup_DeploymentStyleProperty{
			DeploymentType: jsii.String("BLUE_GREEN"), DeploymentOption: jsii.String("WITH_TRAFFIC_CONTROL")},
		AlarmConfiguration: &awscodedeploy.CfnDeploymentGroup_AlarmConfigurationProperty{Enabled: jsii.Bool(true), Alarms: alarms},
		AutoRollbackConfiguration: &awscodedeploy.CfnDeploymentGroup_AutoRollbackConfigurationProperty{Enabled: jsii.Bool(true),
			Events: jsii.Strings("DEPLOYMENT_FAILURE", "DEPLOYMENT_STOP_ON_ALARM", "DEPLOYMENT_STOP_ON_REQUEST")},
	})
}
