package main

import (
	"fmt"

	"matchbook/lambda/manifest/permission"

	"github.com/aws/aws-cdk-go/awscdk/v2"
	"github.com/aws/aws-cdk-go/awscdk/v2/awsiam"
	"github.com/aws/constructs-go/constructs/v10"
	"github.com/aws/jsii-runtime-go"
)

// allow adds exactly these actions on these resources to a role. Use grant where the resource
// follows from the table.
func allow(role awsiam.IRole, resources []*string, actions ...string) {
	role.AddToPrincipalPolicy(awsiam.NewPolicyStatement(&awsiam.PolicyStatementProps{Actions: jsii.Strings(actions...),
		Resources: &resources}))
}

// grant adds rights of the table to a role. The queues must be in workloads.
func (s *site) grant(role awsiam.IRole, workloads []queueFunction, rights ...permission.Right) {
	for i, r := range rights {
		var on *string
		switch r.On.Kind {
		case permission.Queue:
			on = named(workloads, r.On.Name).queue.QueueArn()
		case permission.DeadLetters:
			on = named(workloads, r.On.Name).deadLetter.QueueArn()
		case permission.Bucket:
			on = s.files.BucketArn()
		case permission.Folder:
			on = s.files.ArnForObjects(jsii.String(r.On.Name + "*"))
			if rights[i-1].On != r.On { // the bucket's comes first
				s.accept(role, "AwsSolutions-IAM5", "Resource::<Files.Arn>/"+r.On.Name+"*",
					"the files of a folder, whose names are not known before")
			}
		case permission.Versions:
			name := "function:" + *s.name(r.On.Name) + ":*"
			on = s.arn("lambda", name)
			s.accept(role, "AwsSolutions-IAM5", "Resource::arn:<AWS::Partition>:lambda:<AWS::Region>:<AWS::AccountId>:"+name,
				"versions, whose numbers are not known before")
		case permission.Rollouts:
			name := "deploymentgroup:" + *s.name() + "/*"
			on = s.arn("codedeploy", name)
			s.accept(role, "AwsSolutions-IAM5", "Resource::arn:<AWS::Partition>:codedeploy:<AWS::Region>:<AWS::AccountId>:"+name,
				"the deployment group of each function of the stack")
		case permission.Unnamed:
			on = jsii.String("*")
			s.accept(role, "AwsSolutions-IAM5", "Resource::*", r.Reason)
		default:
			panic(fmt.Sprintf("unknown resource of %v: allow it by its ARN", r.Actions))
		}
		allow(role, []*string{on}, r.Actions...)
		if s.key != nil {
			for _, k := range permission.OfKey(r) {
				allow(role, []*string{s.key.KeyArn()}, k.Actions...)
			}
		}
	}
}

// accepted is an accepted finding of cdk-nag with its reason.
type accepted struct {
	at                    constructs.IConstruct
	rule, finding, reason string
}

// accept accepts a finding. If a rule has several, use cdk-nag's name for it. Accepting one of
// a role accepts it for the role's policy.
func (s *site) accept(at constructs.IConstruct, rule, finding, reason string) {
	if policy := at.Node().TryFindChild(jsii.String("DefaultPolicy")); policy != nil {
		at = policy
	}
	s.accepted = append(s.accepted, accepted{at, rule, finding, reason})
}

// writeAccepted writes the accepted findings into the template, for cdk-nag and reviewers.
func (s *site) writeAccepted() {
	lists := map[string][]any{}
	resources := map[string]awscdk.CfnResource{}
	for _, a := range s.accepted {
		entry := map[string]any{"id": a.rule, "reason": a.reason}
		if a.finding != "" {
			entry["applies_to"] = []any{a.finding}
		}
		path := *a.at.Node().Path()
		lists[path] = append(lists[path], entry)
		resource, plain := a.at.(awscdk.CfnResource)
		if !plain {
			resource = a.at.Node().DefaultChild().(awscdk.CfnResource)
		}
		resources[path] = resource
	}
	for path, list := range lists {
		resources[path].AddMetadata(jsii.String("cdk_nag"), map[string]any{"rules_to_suppress": list})
	}
}
