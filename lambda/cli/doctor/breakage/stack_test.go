package breakage

import (
	"context"
	"maps"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"

	"matchbook/lambda/internal/must"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/config"
	"github.com/aws/aws-sdk-go-v2/service/cloudwatch"
	"github.com/aws/aws-sdk-go-v2/service/iam"
	"github.com/aws/aws-sdk-go-v2/service/kms"
	"github.com/aws/aws-sdk-go-v2/service/lambda"
	"github.com/aws/aws-sdk-go-v2/service/lambda/types"
	"github.com/aws/aws-sdk-go-v2/service/s3"
	"github.com/aws/aws-sdk-go-v2/service/scheduler"
	"github.com/aws/aws-sdk-go-v2/service/sqs"
)

const prefix = "matchbook-dev-"

// stack is the deployed stack, and what puts it right again.
type stack struct {
	t          *testing.T
	ctx        context.Context
	lambda     *lambda.Client
	sqs        *sqs.Client
	iam        *iam.Client
	kms        *kms.Client
	s3         *s3.Client
	scheduler  *scheduler.Client
	cloudwatch *cloudwatch.Client
	undo       []func()
	now        string // the row
}

func open(t *testing.T) *stack {
	t.Helper()
	c := must.Get(config.LoadDefaultConfig(t.Context()))(t)
	s := &stack{t: t, ctx: context.WithoutCancel(t.Context()), lambda: lambda.NewFromConfig(c), sqs: sqs.NewFromConfig(c),
		iam: iam.NewFromConfig(c), kms: kms.NewFromConfig(c), scheduler: scheduler.NewFromConfig(c), cloudwatch: cloudwatch.NewFromConfig(c),
		s3: s3.NewFromConfig(c, func(o *s3.Options) { o.UsePathStyle = true })}
	t.Cleanup(func() {
		if t.Failed() {
			t.Log("at", s.now)
		}
	})
	return s
}

// restore undoes the breakages, the last one first.
func (s *stack) restore() {
	undo := s.undo
	s.undo = nil
	for _, one := range slices.Backward(undo) {
		one()
	}
}

// later undoes a breakage once: with restore, otherwise at the end of the test.
func (s *stack) later(undo func()) {
	once := sync.OnceFunc(undo)
	s.t.Cleanup(once)
	s.undo = append(s.undo, once)
}

// version changes a function as the console does: its configuration, then a version of it, and
// the alias.
func (s *stack) version(name string, change func(*lambda.UpdateFunctionConfigurationInput)) {
	name = prefix + name
	old := must.Get(s.lambda.GetFunctionConfiguration(s.ctx, &lambda.GetFunctionConfigurationInput{FunctionName: &name}))(s.t)
	back := &lambda.UpdateFunctionConfigurationInput{FunctionName: &name, Runtime: old.Runtime, Handler: old.Handler, MemorySize: old.MemorySize,
		Timeout: old.Timeout, Environment: &types.Environment{Variables: old.Environment.Variables}, VpcConfig: &types.VpcConfig{SubnetIds: []string{}, SecurityGroupIds: []string{}}}
	input := &lambda.UpdateFunctionConfigurationInput{FunctionName: &name, Environment: &types.Environment{Variables: maps.Clone(old.Environment.Variables)}}
	change(input)
	must.Get(s.lambda.UpdateFunctionConfiguration(s.ctx, input))(s.t)
	s.later(func() { must.Get(s.lambda.UpdateFunctionConfiguration(s.ctx, back))(s.t) })
	s.publish(name)
}

// publish makes a version, and points the alias to it.
func (s *stack) publish(name string) {
	made := must.Get(s.lambda.PublishVersion(s.ctx, &lambda.PublishVersionInput{FunctionName: &name}))(s.t)
	s.later(func() {
		must.Get(s.lambda.DeleteFunction(s.ctx, &lambda.DeleteFunctionInput{FunctionName: &name, Qualifier: made.Version}))(s.t)
	})
	s.alias(name, func(input *lambda.UpdateAliasInput) { input.FunctionVersion = made.Version })
}

func (s *stack) alias(name string, change func(*lambda.UpdateAliasInput)) {
	live := aws.String("live")
	old := must.Get(s.lambda.GetAlias(s.ctx, &lambda.GetAliasInput{FunctionName: &name, Name: live}))(s.t)
	input := &lambda.UpdateAliasInput{FunctionName: &name, Name: live, FunctionVersion: old.FunctionVersion}
	change(input)
	must.Get(s.lambda.UpdateAlias(s.ctx, input))(s.t)
	s.later(func() {
		must.Get(s.lambda.UpdateAlias(s.ctx, &lambda.UpdateAliasInput{FunctionName: &name, Name: live, FunctionVersion: old.FunctionVersion,
			RoutingConfig: &types.AliasRoutingConfiguration{AdditionalVersionWeights: map[string]float64{}}}))(s.t)
	})
}

// live returns the version of a function's alias.
func (s *stack) live(name string) *string {
	return must.Get(s.lambda.GetAlias(s.ctx, &lambda.GetAliasInput{FunctionName: aws.String(prefix + name), Name: aws.String("live")}))(s.t).FunctionVersion
}

// reserve sets the reserved concurrency of a function; -1 removes it.
func (s *stack) reserve(name string, instances int32) {
	name = prefix + name
	set := func(instances *int32) {
		if instances == nil || *instances < 0 {
			must.Get(s.lambda.DeleteFunctionConcurrency(s.ctx, &lambda.DeleteFunctionConcurrencyInput{FunctionName: &name}))(s.t)
			return
		}
		must.Get(s.lambda.PutFunctionConcurrency(s.ctx, &lambda.PutFunctionConcurrencyInput{FunctionName: &name, ReservedConcurrentExecutions: instances}))(s.t)
	}
	old := must.Get(s.lambda.GetFunctionConcurrency(s.ctx, &lambda.GetFunctionConcurrencyInput{FunctionName: &name}))(s.t)
	set(&instances)
	s.later(func() { set(old.ReservedConcurrentExecutions) })
}

// isolate moves a function into a new VPC, with or without a route to the internet, and with
// an open or a closed security group. The VPC stays, since the emulator ends soon.
func (s *stack) isolate(name string, internet, open bool) {
	vpc := s.ec2("CreateVpc", "CidrBlock", "10.1.0.0/16")
	subnet := s.ec2("CreateSubnet", "VpcId", vpc, "CidrBlock", "10.1.1.0/24")
	group := s.ec2("CreateSecurityGroup", "VpcId", vpc, "GroupName", name, "GroupDescription", name)
	if internet {
		gateway, table := s.ec2("CreateInternetGateway"), s.ec2("CreateRouteTable", "VpcId", vpc)
		s.ec2("AttachInternetGateway", "InternetGatewayId", gateway, "VpcId", vpc)
		s.ec2("CreateRoute", "RouteTableId", table, "DestinationCidrBlock", "0.0.0.0/0", "GatewayId", gateway)
		s.ec2("AssociateRouteTable", "RouteTableId", table, "SubnetId", subnet)
	}
	if !open {
		s.ec2("RevokeSecurityGroupEgress", "GroupId", group, "IpPermissions.1.IpProtocol", "-1", "IpPermissions.1.IpRanges.1.CidrIp", "0.0.0.0/0")
	}
	change := func(f *lambda.UpdateFunctionConfigurationInput) {
		f.VpcConfig = &types.VpcConfig{SubnetIds: []string{subnet}, SecurityGroupIds: []string{group}}
	}
	if name != "migrate" {
		s.version(name, change)
		return
	}
	input := &lambda.UpdateFunctionConfigurationInput{FunctionName: aws.String(prefix + name)} // it has no alias
	change(input)
	must.Get(s.lambda.UpdateFunctionConfiguration(s.ctx, input))(s.t)
	s.later(func() {
		input.VpcConfig = &types.VpcConfig{SubnetIds: []string{}, SecurityGroupIds: []string{}}
		must.Get(s.lambda.UpdateFunctionConfiguration(s.ctx, input))(s.t)
	})
}

// build gives a function's code another architecture.
func (s *stack) build(name string, to types.Architecture) {
	name = prefix + name
	old := must.Get(s.lambda.GetFunction(s.ctx, &lambda.GetFunctionInput{FunctionName: &name}))(s.t)
	code, _ := s.ask(must.Get(http.NewRequestWithContext(s.ctx, http.MethodGet, *old.Code.Location, nil))(s.t))
	upload := func(a types.Architecture) {
		must.Get(s.lambda.UpdateFunctionCode(s.ctx, &lambda.UpdateFunctionCodeInput{FunctionName: &name, ZipFile: code, Architectures: []types.Architecture{a}}))(s.t)
	}
	upload(to)
	s.later(func() { upload(old.Configuration.Architectures[0]) })
	s.publish(name)
}

func (s *stack) mapping(name string) types.EventSourceMappingConfiguration {
	target := prefix + name + ":live"
	list := must.Get(s.lambda.ListEventSourceMappings(s.ctx, &lambda.ListEventSourceMappingsInput{FunctionName: &target}))(s.t)
	return list.EventSourceMappings[0]
}

// remap changes a function's event source mapping.
func (s *stack) remap(name string, change func(*lambda.UpdateEventSourceMappingInput)) {
	old := s.mapping(name)
	input := &lambda.UpdateEventSourceMappingInput{UUID: old.UUID}
	change(input)
	must.Get(s.lambda.UpdateEventSourceMapping(s.ctx, input))(s.t)
	s.later(func() {
		must.Get(s.lambda.UpdateEventSourceMapping(s.ctx, &lambda.UpdateEventSourceMappingInput{UUID: old.UUID, BatchSize: old.BatchSize, Enabled: aws.Bool(true),
			FunctionName: old.FunctionArn, FunctionResponseTypes: old.FunctionResponseTypes, ScalingConfig: old.ScalingConfig,
			MaximumBatchingWindowInSeconds: old.MaximumBatchingWindowInSeconds, FilterCriteria: &types.FilterCriteria{Filters: []types.Filter{}}}))(s.t)
	})
}

// feed adds a mapping like another, from another queue.
func (s *stack) feed(old types.EventSourceMappingConfiguration, queue string) {
	source := (*old.EventSourceArn)[:strings.LastIndex(*old.EventSourceArn, ":")+1] + queue
	made := must.Get(s.lambda.CreateEventSourceMapping(s.ctx, &lambda.CreateEventSourceMappingInput{FunctionName: old.FunctionArn, EventSourceArn: &source,
		BatchSize: old.BatchSize, FunctionResponseTypes: old.FunctionResponseTypes, ScalingConfig: old.ScalingConfig, Enabled: aws.Bool(true)}))(s.t)
	s.later(func() { s.unmap(made.UUID) })
}

func (s *stack) unmap(id *string) {
	must.Get(s.lambda.DeleteEventSourceMapping(s.ctx, &lambda.DeleteEventSourceMappingInput{UUID: id}))(s.t)
}

// starve deletes a function's mapping.
func (s *stack) starve(name string) types.EventSourceMappingConfiguration {
	old := s.mapping(name)
	s.unmap(old.UUID)
	s.later(func() {
		must.Get(s.lambda.CreateEventSourceMapping(s.ctx, &lambda.CreateEventSourceMappingInput{FunctionName: old.FunctionArn, EventSourceArn: old.EventSourceArn,
			BatchSize: old.BatchSize, FunctionResponseTypes: old.FunctionResponseTypes, ScalingConfig: old.ScalingConfig,
			MaximumBatchingWindowInSeconds: old.MaximumBatchingWindowInSeconds, Enabled: aws.Bool(true)}))(s.t)
	})
	return old
}
