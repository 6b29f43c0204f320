// Package permission is the table of rights: what each function, or Lambda for it, calls. The
// infrastructure makes the roles from it, and doctor compares deployed roles with it, so the
// two can't differ.
package permission

import (
	"slices"

	"matchbook/lambda/manifest"
)

// Kind is a kind of resource.
type Kind int

// Kinds of resources.
const (
	Unnamed     Kind = iota // actions without a resource type: their resource is *
	Log                     // the function's log group
	Queue                   // the queue of the function Name
	DeadLetters             // the dead-letter queue of the function Name
	Bucket                  // of files
	Folder                  // the bucket's files below Name
	Secret                  // each secret that the function reads
	Key                     // the customer's key of such a secret, of a queue or of the bucket
	Sender                  // the identities of mail
	Function                // the alias that a schedule starts
	Versions                // all versions of the function Name
	Rollouts                // the deployment groups of CodeDeploy
)

// Resource is a resource by its place in the stack, because only the infrastructure and doctor
// know ARNs.
type Resource struct {
	Kind Kind
	Name string
}

// Right is a set of actions on a resource.
type Right struct {
	Actions []string
	On      Resource
	Purpose string // completes "needed to"
	Reason  string // why an Unnamed right names no resource
	// Blind rights carry what people see of the work. Without one, the work itself goes on.
	Blind bool
}

// Rights by their purposes. See OfFunction and OfTask for the ones on queues and files.
var (
	WriteLog = Right{Actions: []string{"logs:CreateLogStream", "logs:PutLogEvents"}, On: Resource{Kind: Log},
		Purpose: "write its log", Blind: true}
	SendTraces = Right{Actions: []string{"xray:PutTraceSegments", "xray:PutTelemetryRecords"},
		Purpose: "send traces", Reason: "X-Ray has no resource to name", Blind: true}
	JoinNetwork = Right{Actions: []string{"ec2:CreateNetworkInterface", "ec2:DeleteNetworkInterface",
		"ec2:DescribeNetworkInterfaces",
		"ec2:DescribeSubnets", "ec2:AssignPrivateIpAddresses", "ec2:UnassignPrivateIpAddresses"},
		Purpose: "join its network", Reason: "a network interface has no name before there is one"}
	ReadSecrets = Right{Actions: []string{"secretsmanager:GetSecretValue"}, On: Resource{Kind: Secret}, Purpose: "read its secrets"}
	Decrypt     = Right{Actions: []string{"kms:Decrypt"}, On: Resource{Kind: Key}, Purpose: "read what the key encrypts"}
	Encrypt     = Right{Actions: []string{"kms:GenerateDataKey"}, On: Resource{Kind: Key}, Purpose: "write what the key encrypts"}
	ReadPages   = Right{Actions: []string{"textract:DetectDocumentText"},
		Purpose: "read pages without text", Reason: "Textract has no resource to name"}
	SendMail = Right{Actions: []string{"ses:SendEmail"}, On: Resource{Kind: Sender}, Purpose: "notify people by mail"}
	Start    = Right{Actions: []string{"lambda:InvokeFunction"}, On: Resource{Kind: Function}, Purpose: "start the function"}
)

// OfRollout returns the rights to check new versions of functions, by their names, for CodeDeploy.
func OfRollout(functions []string) []Right {
	rights := []Right{
		{Actions: []string{"codedeploy:ListDeploymentTargets", "codedeploy:BatchGetDeploymentTargets"},
			Purpose: "see what a deployment deploys", Reason: "a deployment has no ARN"},
		{Actions: []string{"codedeploy:PutLifecycleEventHookExecutionStatus"}, On: Resource{Kind: Rollouts}, Purpose: "answer CodeDeploy"},
	}
	for _, name := range functions {
		rights = append(rights, Right{Actions: Start.Actions, On: Resource{Versions, name}, Purpose: "check new versions"})
	}
	return rights
}

// OfKey returns the rights on the customer's key of queues and of the bucket that rights there need:
// receiving and reading need kms:Decrypt, and sending and writing both actions.
func OfKey(there ...Right) (rights []Right) {
	has := func(action string) bool {
		return slices.ContainsFunc(there, func(r Right) bool { return slices.Contains(r.Actions, action) })
	}
	writes := has("sqs:SendMessage") || has("s3:PutObject")
	if writes || has("sqs:ReceiveMessage") || has("s3:GetObject") {
		rights = append(rights, Decrypt)
	}
	if writes {
		rights = append(rights, Encrypt)
	}
	return rights
}

// The rights of CodeDeploy itself.
var (
	MoveAlias = Right{Actions: []string{"lambda:GetAlias", "lambda:UpdateAlias", "lambda:GetProvisionedConcurrencyConfig"},
		On: Resource{Kind: Versions}, Purpose: "move work to a new version"}
	ReadAlarms = Right{Actions: []string{"cloudwatch:DescribeAlarms"}, Purpose: "roll back on an alarm",
		Reason: "CloudWatch limits this action to no alarm"}
)

// OfFunction returns the rights of a function fed by a queue, on queues and files.
func OfFunction(f manifest.Function) []Right {
	own := Resource{Queue, f.Name}
	rights := []Right{{Actions: []string{"sqs:ReceiveMessage", "sqs:DeleteMessage", "sqs:GetQueueAttributes"}, On: own,
		Purpose: "take messages by the mapping"}}
	if !f.Rowless {
		rights = append(rights,
			Right{Actions: []string{"sqs:ChangeMessageVisibility"}, On: own, Purpose: "retry"},
			Right{Actions: []string{"sqs:SendMessage"}, On: own, Purpose: "publish affected rows"})
	}
	return slices.Concat(rights, publish(f.PublishesTo), files(f.Files))
}

// OfContracts returns the right of functions that publish to a further queue by a setting.
func OfContracts(f manifest.Function) []Right { return publish(f.MayPublishTo) }

// Publish returns the right to publish to a function's queue.
func Publish(to string) Right {
	return Right{Actions: []string{"sqs:SendMessage"}, On: Resource{Queue, to}, Purpose: "publish"}
}

// OfTask returns the rights of a function without a queue. rows must be the manifest's.
func OfTask(t manifest.Task, rows []manifest.Function) (rights []Right) {
	if t.Repairs {
		for _, f := range rows {
			if !f.Rowless {
				rights = append(rights, Right{Actions: []string{"sqs:SendMessage", "sqs:GetQueueAttributes"},
					On: Resource{Queue, f.Name}, Purpose: "publish lost work again"},
					Right{Actions: []string{"sqs:GetQueueUrl", "sqs:GetQueueAttributes", "sqs:ReceiveMessage", "sqs:DeleteMessage",
						"sqs:ChangeMessageVisibility"},
						On: Resource{DeadLetters, f.Name}, Purpose: "drop dead letters with nothing left to do"})
			}
		}
	}
	return slices.Concat(rights, publish(t.PublishesTo), publish(t.AlsoPublishesTo), files(t.Files))
}

func publish(to string) []Right {
	if to == "" {
		return nil
	}
	return []Right{Publish(to)}
}

func files(list []manifest.Access) (rights []Right) {
	if len(list) == 0 {
		return nil
	}
	rights = []Right{{Actions: []string{"s3:ListBucket"}, On: Resource{Kind: Bucket},
		Purpose: "tell a missing file from a forbidden one"}} // otherwise S3 answers "access denied" for both
	for _, access := range list {
		on := Resource{Folder, access.Folder}
		if access.Read {
			rights = append(rights, Right{Actions: []string{"s3:GetObject", "s3:GetObjectVersion"}, On: on, Purpose: "read files"})
		}
		if access.Write {
			rights = append(rights, Right{Actions: []string{"s3:PutObject"}, On: on, Purpose: "write files"})
		}
	}
	return rights
}
