package main

import (
	"maps"
	"slices"
	"time"

	"matchbook/lambda/manifest"
	"matchbook/lambda/manifest/permission"

	"github.com/aws/aws-cdk-go/awscdk/v2"
	"github.com/aws/aws-cdk-go/awscdk/v2/awsiam"
	"github.com/aws/aws-cdk-go/awscdk/v2/awslambda"
	"github.com/aws/aws-cdk-go/awscdk/v2/awslogs"
	"github.com/aws/jsii-runtime-go"
)

// newFunction makes a function from its bootstrap, with its role and log group.
func (s *site) newFunction(task manifest.Task, variables environment) awslambda.Function {
	id := title(task.Name) + "Function"
	logs := s.newLogs(id+"Logs", "/aws/lambda/"+*s.name(task.Name))
	function := called(awslambda.NewFunction(s.stack, jsii.String(id), &awslambda.FunctionProps{
		FunctionName: s.name(task.Name),
		Description:  jsii.String(task.Purpose),
		Runtime:      awslambda.Runtime_PROVIDED_AL2023(),
		Architecture: awslambda.Architecture_Custom(jsii.String(s.config.Architecture), nil),
		Handler:      jsii.String("bootstrap"),
		Code:         awslambda.Code_FromAsset(jsii.String(s.code[task.Name]), nil),
		Timeout:      seconds(task.Timeout),
		MemorySize:   jsii.Number(task.MemoryMB),
		Environment:  variables.of(s),
		Role:         s.newRole(id, logs, variables),
		// Keep old versions, because a rollback needs them.
		CurrentVersionOptions: &awslambda.VersionOptions{RemovalPolicy: awscdk.RemovalPolicy_RETAIN},
		// Keep the text format, because the functions write JSON lines themselves.
		LogGroup: logs,
	}), id)
	cfn := function.Node().DefaultChild().(awslambda.CfnFunction)
	if task.Instances > 0 {
		cfn.SetReservedConcurrentExecutions(jsii.Number(task.Instances))
	}
	// Stop loops of our making, on purpose rather than by default: what Lambda drops is published
	// again by the sweep, and an alarm goes off.
	cfn.SetRecursiveLoop(jsii.String("Terminate"))
	cfn.SetTracingConfig(&awslambda.CfnFunction_TracingConfigProperty{Mode: jsii.String("Active")})
	if arn := s.config.OTLPLayer; arn != "" {
		cfn.SetLayers(&[]*string{jsii.String(arn)})
	}
	s.network.attach(function)
	if !task.Deploys {
		maps.Copy(s.secrets, variables.secrets)
	}
	s.output(id+"Name", task.Purpose, function.FunctionName())
	return function
}

// newRole may write to the function's log group, send traces, read the function's secrets and
// join the network. The caller must add the permissions of the work.
func (s *site) newRole(id string, logs awslogs.LogGroup, variables environment) awsiam.Role {
	role := called(awsiam.NewRole(s.stack, jsii.String(id+"Role"), &awsiam.RoleProps{
		AssumedBy: awsiam.NewServicePrincipal(jsii.String("lambda.amazonaws.com"), nil),
	}), id+"Role")
	allow(role, []*string{logs.LogGroupArn()}, permission.WriteLog.Actions...)
	s.grant(role, nil, permission.SendTraces)
	for _, name := range slices.Sorted(maps.Keys(variables.secrets)) {
		s.allowRead(role, variables.secrets[name])
	}
	if s.network.private() {
		s.grant(role, nil, permission.JoinNetwork)
	}
	return role
}

// live is the alias of the working version. It moves only after the migrations, so that a
// version never meets an older schema.
func (s *site) live(function awslambda.Function, name string) awslambda.Alias {
	alias := called(awslambda.NewAlias(s.stack, jsii.String(title(name)+"Live"), &awslambda.AliasProps{
		AliasName: jsii.String("live"),
		Version:   function.CurrentVersion(),
	}), title(name)+"Live")
	alias.Node().AddDependency(s.schema.resource)
	s.lives[name] = alias
	return alias
}

func seconds(d time.Duration) awscdk.Duration {
	return awscdk.Duration_Seconds(jsii.Number(d.Seconds()))
}
