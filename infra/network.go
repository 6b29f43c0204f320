package main

import (
	"maps"
	"slices"

	"matchbook/infra/settings"

	"github.com/aws/aws-cdk-go/awscdk/v2/awsec2"
	"github.com/aws/aws-cdk-go/awscdk/v2/awslambda"
	"github.com/aws/constructs-go/constructs/v10"
	"github.com/aws/jsii-runtime-go"
)

// network is the functions' network. Without subnets they run outside a VPC.
type network struct {
	subnets   []string
	groups    []string
	functions awsec2.SecurityGroup     // set for a new VPC
	ready     []constructs.IDependable // the route out
}

// newVPC makes two private subnets for the functions with a route out, because they need the
// model, AWS and, during a deployment, CloudFormation; in a closed network with endpoints instead.
// The database's subnets are isolated.
func (s *site) newVPC() (awsec2.Vpc, network) {
	private := awsec2.SubnetType_PRIVATE_WITH_EGRESS
	if s.config.Closed() {
		private = awsec2.SubnetType_PRIVATE_ISOLATED
	}
	subnet := func(name string, kind awsec2.SubnetType) *awsec2.SubnetConfiguration {
		return &awsec2.SubnetConfiguration{Name: jsii.String(name), SubnetType: kind, CidrMask: jsii.Number(24)}
	}
	vpc := called(awsec2.NewVpc(s.stack, jsii.String("Vpc"), &awsec2.VpcProps{
		VpcName:     s.name(),
		IpAddresses: awsec2.IpAddresses_Cidr(jsii.String("10.0.0.0/16")),
		MaxAzs:      jsii.Number(2),
		NatGateways: jsii.Number(s.config.NATGateways),
		SubnetConfiguration: &[]*awsec2.SubnetConfiguration{
			subnet("public", awsec2.SubnetType_PUBLIC), // without a NAT it is empty, and keeps the other ranges
			subnet("functions", private),
			subnet("database", awsec2.SubnetType_PRIVATE_ISOLATED),
		},
	}), "Vpc")
	s.logRejected(vpc)
	vpc.AddGatewayEndpoint(jsii.String("FilesEndpoint"), // so that files don't pay for the NAT
		&awsec2.GatewayVpcEndpointOptions{Service: awsec2.GatewayVpcEndpointAwsService_S3()})
	functions := awsec2.NewSecurityGroup(s.stack, jsii.String("FunctionsSecurityGroup"), &awsec2.SecurityGroupProps{
		Vpc: vpc, AllowAllOutbound: jsii.Bool(false), Description: jsii.String("The functions: nobody reaches them"),
	})
	anywhere := awsec2.Peer_AnyIpv4()
	functions.AddEgressRule(anywhere, awsec2.Port_Tcp(jsii.Number(443)), jsii.String("AWS and the model"), nil)
	ports := s.config.Ports()
	for _, port := range slices.Sorted(maps.Keys(ports)) {
		functions.AddEgressRule(anywhere, awsec2.Port_Tcp(jsii.Number(port)), jsii.String(ports[port]), nil)
	}
	net := network{groups: []string{*functions.SecurityGroupId()}, functions: functions}
	selected := vpc.SelectSubnets(&awsec2.SubnetSelection{SubnetGroupName: jsii.String("functions")})
	for _, id := range *selected.SubnetIds {
		net.subnets = append(net.subnets, *id)
	}
	net.ready = []constructs.IDependable{selected.InternetConnectivityEstablished}
	if s.config.Closed() {
		net.ready = s.newEndpoints(vpc, functions)
	}
	return vpc, net
}

// newEndpoints makes the ways to AWS of a network without a NAT. Logs and traces need none, because
// Lambda itself sends them.
func (s *site) newEndpoints(vpc awsec2.Vpc, functions awsec2.SecurityGroup) (ready []constructs.IDependable) {
	group := awsec2.NewSecurityGroup(s.stack, jsii.String("EndpointsSecurityGroup"), &awsec2.SecurityGroupProps{
		Vpc: vpc, AllowAllOutbound: jsii.Bool(false), Description: jsii.String("The endpoints: the functions reach them, nobody else does"),
	})
	group.AddIngressRule(functions, awsec2.Port_Tcp(jsii.Number(443)), jsii.String("The functions"), nil)
	for _, endpoint := range []struct {
		id      string
		used    bool
		service awsec2.InterfaceVpcEndpointAwsService
	}{
		{"QueuesEndpoint", true, awsec2.InterfaceVpcEndpointAwsService_SQS()},
		{"SecretsEndpoint", true, awsec2.InterfaceVpcEndpointAwsService_SECRETS_MANAGER()},
		{"ModelEndpoint", s.config.AsksBedrock(), awsec2.InterfaceVpcEndpointAwsService_BEDROCK_RUNTIME()},
		{"PagesEndpoint", s.config.OCR == settings.Textract, awsec2.InterfaceVpcEndpointAwsService_TEXTRACT()},
		{"MailEndpoint", s.config.EmailFrom != "", awsec2.InterfaceVpcEndpointAwsService_EMAIL()},
		{"DeploymentsEndpoint", s.config.Rollout == settings.Canary, awsec2.InterfaceVpcEndpointAwsService_CODEDEPLOY()},
		{"VersionsEndpoint", s.config.Rollout == settings.Canary, awsec2.InterfaceVpcEndpointAwsService_LAMBDA()},
	} {
		if endpoint.used {
			ready = append(ready, vpc.AddInterfaceEndpoint(jsii.String(endpoint.id), &awsec2.InterfaceVpcEndpointOptions{
				Service: endpoint.service, Open: jsii.Bool(false), SecurityGroups: &[]awsec2.ISecurityGroup{group},
				Subnets: &awsec2.SubnetSelection{SubnetGroupName: jsii.String("functions")},
			}))
		}
	}
	return ready
}

// logRejected logs refused packets. Use the log to find out why a server doesn't answer.
func (s *site) logRejected(vpc awsec2.Vpc) {
	logs := s.newLogs("RejectedTrafficLogs", "/matchbook/"+s.config.Stage+"/rejected-traffic")
	vpc.AddFlowLog(jsii.String("Rejected"), &awsec2.FlowLogOptions{
		TrafficType: awsec2.FlowLogTrafficType_REJECT,
		Destination: awsec2.FlowLogDestination_ToCloudWatchLogs(logs, nil),
	})
}

func (n network) private() bool { return len(n.subnets) > 0 }

func (n network) attach(function awslambda.Function) {
	if !n.private() {
		return
	}
	function.Node().DefaultChild().(awslambda.CfnFunction).SetVpcConfig(&awslambda.CfnFunction_VpcConfigProperty{
		SubnetIds: jsii.Strings(n.subnets...), SecurityGroupIds: jsii.Strings(n.groups...),
	})
	function.Node().AddDependency(n.ready...)
}
