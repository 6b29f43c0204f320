// Package contract describes the release's functions to programs that deploy them without
// the CDK, such as Terraform: settings, queues, environment variables and permissions, as JSON.
// See infra/TERRAFORM.md for its use. Tests compare it with the stack.
package contract

import (
	"strings"
	"time"

	"matchbook/lambda/manifest"
)

// Contract is the description of a release.
type Contract struct {
	Release      string     `json:"release"`
	Runtime      string     `json:"runtime"`
	Handler      string     `json:"handler"`
	Architecture string     `json:"architecture"` // of the release's zips
	Functions    []Function `json:"functions"`
}

// Function describes a function. Seconds and MB are Lambda's units.
type Function struct {
	Name        string       `json:"name"`
	Purpose     string       `json:"purpose"`
	Zip         string       `json:"zip"`
	Optional    bool         `json:"optional"` // the release works without it
	Timeout     int          `json:"timeout"`
	Memory      int          `json:"memory"`
	Reserved    int          `json:"reserved_concurrency"` // -1: none
	Schedule    string       `json:"schedule"`             // for EventBridge Scheduler, without retries; empty: none
	Streams     bool         `json:"response_streaming"`   // behind a function URL
	Queue       *Queue       `json:"queue"`                // it feeds the function; null: none
	Environment []Variable   `json:"environment"`
	Permissions []Permission `json:"permissions"`
}

// Queue describes a queue with its dead-letter queue and event source mapping. Times are in
// seconds.
type Queue struct {
	Visibility          int      `json:"visibility_timeout"`
	Retention           int      `json:"retention"`
	DeadLetterRetention int      `json:"dead_letter_retention"`
	MaxReceiveCount     int      `json:"max_receive_count"`
	BatchSize           int      `json:"batch_size"`
	BatchWindow         int      `json:"batch_window"`
	MaxConcurrency      int      `json:"maximum_concurrency"`
	ResponseTypes       []string `json:"function_response_types"`
	Watches             string   `json:"watches"` // S3 sends an event for each new object below this folder; empty: none
}

// Variable describes an environment variable.
type Variable struct {
	Name     string `json:"name"`
	Meaning  string `json:"meaning"`
	Required bool   `json:"required"` // the function doesn't start without it
	Secret   bool   `json:"secret"`   // you may set NAME_SECRET_ARN instead, to the ARN of a secret
	Default  string `json:"default"`
	// Value names the resource to set the variable to: "queue:NAME" is the URL of a function's
	// queue, "files" the bucket as s3://NAME, and "stage" the name of the deployment.
	Value string `json:"value"`
}

// Permission is a statement of the function's role.
type Permission struct {
	Actions []string `json:"actions"`
	// Resource is "*", or names what the actions are for: "logs" (the function's log group),
	// "queue:NAME", "dead-letters:NAME" (its dead-letter queue), "files" (the bucket),
	// "files:FOLDER/*" (its objects), "secret:VARIABLE", "key" (the KMS key of the secrets, or of queues and files),
	// "versions:NAME" (all of a function), "rollouts" (CodeDeploy's deployment groups) or "mail"
	// (the SES identities of sender and recipients, with the condition that ses:FromAddress is the
	// sender).
	Resource string `json:"resource"`
	// When is the condition under which the function needs it: a variable that is set, such as
	// EMAIL_FROM, a value, such as OCR=textract, "key" (the secrets have a KMS key), "data-key" (queues
	// and files have one) or "network" (the function is in a VPC). Empty: always.
	When string `json:"when"`
}

// Describe returns the contract of this version, called release.
func Describe(release string) Contract {
	c := Contract{Release: release, Runtime: "provided.al2023", Handler: "bootstrap", Architecture: "arm64"}
	for _, n := range all() {
		c.Functions = append(c.Functions, Function{
			Name: n.name, Purpose: n.purpose, Optional: n.optional,
			Zip:     strings.Join([]string{"matchbook", release, "lambda", c.Architecture, n.name + ".zip"}, "_"),
			Timeout: seconds(n.timeout), Memory: n.memory, Reserved: n.reserved, Schedule: schedule(n.every), Streams: n.streams,
			Queue: n.queueSettings(), Environment: n.environment(), Permissions: n.permissions(),
		})
	}
	return c
}

func (n needs) queueSettings() *Queue {
	f := n.queue
	if f == nil {
		return nil
	}
	return &Queue{
		Visibility: seconds(f.Visibility()), Retention: seconds(manifest.QueueRetention),
		DeadLetterRetention: seconds(manifest.DeadLetterRetention), MaxReceiveCount: f.MaxReceiveCount(),
		BatchSize: f.BatchSize, BatchWindow: seconds(f.BatchWindow()), MaxConcurrency: f.MaxConcurrency,
		ResponseTypes: []string{"ReportBatchItemFailures"}, Watches: f.Watches,
	}
}

func seconds(d time.Duration) int { return int(d.Seconds()) }

// schedule returns EventBridge's expression for a period.
func schedule(every time.Duration) string {
	switch every {
	case 0:
		return ""
	case time.Minute:
		return "rate(1 minute)"
	}
	return "rate(" + strings.TrimSuffix(every.String(), "m0s") + " minutes)"
}
