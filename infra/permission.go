package main

import (
	"github.com/aws/aws-cdk-go/awscdk/v2"
	"github.com/aws/aws-cdk-go/awscdk/v2/awsiam"
	"github.com/aws/constructs-go/constructs/v10"
	"github.com/aws/jsii-runtime-go"
)

// allow adds exactly these actions on these resources to a role.
func allow(role awsiam.IRole, resources []*string, actions ...string) {
	role.AddToPrincipalPolicy(awsiam.NewPolicyStatement(&awsiam.PolicyStatementProps{Actions: jsii.Strings(actions...),
		Resources: &resources}))
}

// allowUnnamed adds actions without a resource type. Use allow wherever there is one.
func (s *site) allowUnnamed(role awsiam.IRole, reason string, actions ...string) {
	allow(role, []*string{jsii.String("*")}, actions...)
	s.accept(role, "AwsSolutions-IAM5", "Resource::*", reason)
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
