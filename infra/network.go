package main

import (
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
// model, AWS and, during a deployment, CloudFormation. The database's subnets are isolated.
func (s *site) newVPC() (awsec2.Vpc, network) {
	subnet := func(name string, kind awsec2.SubnetType) *awsec2.SubnetConfiguration {
		return &awsec2.SubnetConfiguration{Name: jsii.String(name), SubnetType: kind, CidrMask: jsii.Number(24)}
	}
	vpc := called(awsec2.NewVpc(s.stack, jsii.String("Vpc"), &awsec2.VpcProps{
		VpcName:     s.name(),
		IpAddresses: awsec2.IpAddresses_Cidr(jsii.String("10.0.0.0/16")),
		MaxAzs:      jsii.Number(2),
		NatGateways: jsii.Number(1),
		SubnetConfiguration: &[]*awsec2.SubnetConfiguration{
			subnet("public", awsec2.SubnetType_PUBLIC),
			subnet("functions", awsec2.SubnetType_PRIVATE_WITH_EGRESS),
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
	for port, whose := range s.config.Ports() {
		functions.AddEgressRule(anywhere, awsec2.Port_Tcp(jsii.Number(port)), jsii.String(whose), nil)
	}
	net := network{groups: []string{*functions.SecurityGroupId()}, functions: functions}
	for _, subnet := range *vpc.PrivateSubnets() {
		net.subnets = append(net.subnets, *subnet.SubnetId())
		net.ready = append(net.ready, subnet.InternetConnectivityEstablished())
	}
	return vpc, net
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
