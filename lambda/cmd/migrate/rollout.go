package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"time"

	"matchbook/lambda/failure"
	"matchbook/lambda/manifest"
	"matchbook/lambda/setup"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/codedeploy"
	"github.com/aws/aws-sdk-go-v2/service/codedeploy/types"
	"github.com/aws/aws-sdk-go-v2/service/lambda"
	"github.com/aws/smithy-go"
)

const (
	// probeFor is the timeout of a probe, a cold start included.
	probeFor = time.Minute
	// reachFor is the timeout of the question whether CodeDeploy can be reached.
	reachFor = 20 * time.Second
	// awsTries is the number of tries of a call to AWS: a throttled one mustn't fail a good version.
	awsTries = 5
	// badAttempts fail a version, if it has no good one.
	badAttempts = 3
	// afterTraffic is CodeDeploy's lifecycle event after all of the work goes to the new version.
	afterTraffic = "AfterAllowTraffic"
)

// rollout checks new versions for CodeDeploy, before and after they take traffic. CodeDeploy waits
// an hour for an answer, so there must be one whatever happens.
type rollout struct {
	log *slog.Logger
	env setup.Env
}

// target is the new version of a function.
type target struct {
	function, version string
	after             bool // it takes all of the work already
}

// handle answers CodeDeploy. It returns only an error of the answer, because Lambda retries the
// invocation then.
func (r *rollout) handle(ctx context.Context, e event) error {
	t, err := inTime(ctx, func(ctx context.Context) (target, error) { return r.check(ctx, e.DeploymentID) })
	status := types.LifecycleEventStatusSucceeded
	if err != nil {
		status = types.LifecycleEventStatusFailed
		r.log.Error("rollout", "of", t.function, "version", t.version, "after", t.after, "reason", cut(err.Error()))
	} else {
		r.log.Info("rollout", "of", t.function, "version", t.version, "after", t.after)
	}
	deploy, _, err := clients(ctx)
	if err == nil {
		_, err = deploy.PutLifecycleEventHookExecutionStatus(ctx, &codedeploy.PutLifecycleEventHookExecutionStatusInput{
			DeploymentId: &e.DeploymentID, LifecycleEventHookExecutionId: &e.ExecutionID, Status: status})
	}
	var done *types.LifecycleEventAlreadyCompletedException
	if err != nil && !errors.As(err, &done) {
		return fmt.Errorf("answer CodeDeploy, which waits: %s; check that this function can reach CodeDeploy", failure.Of(err).Text)
	}
	return nil
}

func clients(ctx context.Context) (*codedeploy.Client, *lambda.Client, error) {
	c, err := setup.LoadAWS(ctx)
	c.RetryMaxAttempts = awsTries
	return codedeploy.NewFromConfig(c), lambda.NewFromConfig(c), err
}

// check asks the new version whether it can work and, after traffic, looks at its attempts.
func (r *rollout) check(ctx context.Context, deployment string) (t target, err error) {
	deploy, functions, err := clients(ctx)
	if err == nil {
		t, err = targetOf(ctx, deploy, deployment)
	}
	if err == nil {
		err = probe(ctx, functions, t)
	}
	if err == nil && t.after {
		err = r.attempts(ctx, t)
	}
	return t, err
}

// targetOf finds out what is deployed, because the event has only ids.
func targetOf(ctx context.Context, deploy *codedeploy.Client, deployment string) (t target, err error) {
	list, err := deploy.ListDeploymentTargets(ctx, &codedeploy.ListDeploymentTargetsInput{DeploymentId: &deployment})
	if err != nil {
		return t, refusal("read the deployment", err)
	}
	found, err := deploy.BatchGetDeploymentTargets(ctx, &codedeploy.BatchGetDeploymentTargetsInput{
		DeploymentId: &deployment, TargetIds: list.TargetIds})
	if err != nil {
		return t, refusal("read the deployment", err)
	}
	for _, one := range found.DeploymentTargets {
		if one.LambdaTarget == nil || one.LambdaTarget.LambdaFunctionInfo == nil {
			continue
		}
		info := one.LambdaTarget.LambdaFunctionInfo
		t = target{function: aws.ToString(info.FunctionName), version: aws.ToString(info.TargetVersion)}
		for _, e := range one.LambdaTarget.LifecycleEvents {
			t.after = t.after || aws.ToString(e.LifecycleEventName) == afterTraffic && e.Status == types.LifecycleEventStatusInProgress
		}
		return t, nil
	}
	return t, errors.New("missing Lambda function in the deployment")
}

// probe invokes the new version itself, so that its role, its network and its processor are tried,
// too. The reason of a failure is in the version's own log.
func probe(ctx context.Context, functions *lambda.Client, t target) error {
	ctx, cancel := context.WithTimeout(ctx, probeFor)
	defer cancel()
	out, err := functions.Invoke(ctx, &lambda.InvokeInput{FunctionName: &t.function, Qualifier: &t.version, Payload: []byte(setup.Probe)})
	if err != nil {
		return refusal("invoke the new version", err)
	}
	var ready setup.Readiness
	switch {
	case out.FunctionError != nil:
		return fmt.Errorf("new version can't work; its log group /aws/lambda/%s has the reason", t.function)
	case json.Unmarshal(out.Payload, &ready) != nil || ready.Needs == 0:
		return errors.New("invalid answer to the probe")
	}
	return nil
}

// attempts fails a version that nothing succeeded in.
func (r *rollout) attempts(ctx context.Context, t target) error {
	for _, f := range manifest.Workloads() {
		if !strings.HasSuffix(t.function, "-"+f.Name) {
			continue
		}
		config, err := setup.LoadMigrate(r.env)
		if err != nil {
			return err
		}
		n, err := setup.VersionAttempts(ctx, config, f, t.version)
		switch {
		case err != nil:
			return errors.New("read its attempts: " + failure.Of(err).Text)
		case n.Settled == 0 && n.Bad() >= badAttempts:
			return fmt.Errorf("missing success of the new version: %d attempts failed, %d are retried, %d crashed",
				n.Failed, n.Retried, n.Stalled)
		}
	}
	return nil
}

// reachable returns an error if answers to CodeDeploy would get lost. CodeDeploy must refuse an
// unknown deployment.
func reachable(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, reachFor)
	defer cancel()
	deploy, _, err := clients(ctx)
	if err != nil {
		return err
	}
	unknown := "d-MATCHBOOK"
	_, err = deploy.ListDeploymentTargets(ctx, &codedeploy.ListDeploymentTargetsInput{DeploymentId: &unknown})
	var refused smithy.APIError
	if err == nil || errors.As(err, &refused) && !strings.HasPrefix(refused.ErrorCode(), "AccessDenied") {
		return nil
	}
	return fmt.Errorf("%w; a rollout would wait an hour for this function's answers: give it a route to CodeDeploy, "+
		"or deploy with rollout=all-at-once", refusal("ask CodeDeploy", err))
}

// refusal describes an error of AWS by its code, because its text may quote anything.
func refusal(what string, err error) error {
	var refused smithy.APIError
	if errors.As(err, &refused) {
		return fmt.Errorf("%s: AWS error (%s)", what, refused.ErrorCode())
	}
	return fmt.Errorf("%s: %s", what, failure.Of(err).Text)
}
