package doctor

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"matchbook/lambda/manifest/variable"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/cloudformation"
	cftypes "github.com/aws/aws-sdk-go-v2/service/cloudformation/types"
	"github.com/aws/aws-sdk-go-v2/service/lambda"
	lambdatypes "github.com/aws/aws-sdk-go-v2/service/lambda/types"
	"github.com/aws/smithy-go"
)

// stack examines a deployment. CloudFormation lists the resources; each is then queried
// itself, because someone may have changed it by hand.
func (l *look) stack(ctx context.Context) (f facts, err error) {
	c, err := l.aws(ctx)
	if err != nil {
		return f, err
	}
	l.Progress("reading the stack")
	functions, err := c.functions(ctx, l.Stack)
	if err != nil {
		return f, err
	}
	f.target = "the stack " + l.Stack
	for _, name := range functions {
		l.Progress("asking the function " + name)
		if err := l.deployed(ctx, &f, name); err != nil {
			return f, err
		}
	}
	if len(f.lines) == 0 {
		return f, fmt.Errorf("unsupported stack %.100s: expected functions of Matchbook with SQS queues",
			l.Stack)
	}
	return f, nil
}

const typeFunction = "AWS::Lambda::Function"

func (a *cloud) functions(ctx context.Context, stack string) (names []string, err error) {
	ctx, cancel := context.WithTimeout(ctx, callTimeout)
	defer cancel()
	client := cloudformation.NewFromConfig(a.config)
	// Not DescribeStackResources, because it returns only the first 100.
	input := &cloudformation.ListStackResourcesInput{StackName: &stack}
	pages := cloudformation.NewListStackResourcesPaginator(client, input)
	for pages.HasMorePages() {
		page, err := pages.NextPage(ctx)
		if err != nil {
			return nil, noStack(stack, a.config.Region, err)
		}
		for _, r := range page.StackResourceSummaries {
			deleted := r.ResourceStatus == cftypes.ResourceStatusDeleteComplete
			there := aws.ToString(r.PhysicalResourceId) != "" && !deleted
			if there && aws.ToString(r.ResourceType) == typeFunction {
				names = append(names, *r.PhysicalResourceId)
			}
		}
	}
	slices.Sort(names)
	return names, nil
}

func noStack(stack, region string, err error) error {
	var api smithy.APIError
	if errors.As(err, &api) && api.ErrorCode() == "ValidationError" {
		return fmt.Errorf("stack not found: %.100s in %s; check its name, AWS_REGION and the account", stack, region)
	}
	return fmt.Errorf("read stack %.100s: %s", stack, sentence(err))
}

// deployed examines a function. It skips functions of other applications.
func (l *look) deployed(ctx context.Context, f *facts, name string) error {
	maps, err := l.cloud.mappings(ctx, name)
	if err != nil {
		return err
	}
	running := name
	if len(maps) > 0 {
		running = maps[0].target // the version taking messages
	}
	fn, env, err := l.cloud.function(ctx, name, running)
	if err != nil {
		return err
	}
	if !env.ours() && len(maps) == 0 {
		return nil
	}
	resolved := l.secrets(ctx, f, env)
	fed := len(maps) > 0 || env.has(variable.QueueURL)
	fn.read(resolved, fed, l.rows)
	fn.within(l.cloud.config.Region, env)
	if !fed {
		f.functions = append(f.functions, fn)
		return nil
	}
	ln := line{function: fn, mapping: known(plain(maps))}
	if len(maps) == 0 {
		l.askQueueOf(ctx, &ln, env)
	} else { // the mapping's queue, whatever QUEUE_URL is
		l.Progress("asking the queue")
		ln.queue, ln.answers = l.cloud.queueOf(ctx, maps[0].queue.value)
		l.cloud.askDLQ(ctx, &ln)
	}
	if len(f.lines) == 0 {
		l.askOutside(ctx, f, resolved, fn.row, true)
	} else {
		l.ask(ctx, f, resolved, fn.row)
	}
	f.lines = append(f.lines, ln)
	l.askFiles(ctx, f, fn.name, resolved)
	if fn.row.ReadsPages {
		f.ocr = l.engineAway(ctx, resolved)
	}
	return nil
}

// within adds the stack's region to queue URLs without one.
func (f *function) within(region string, env variables) {
	if url := env[variable.QueueURL]; url != "" {
		f.listens = known(queueID(url, region))
	}
	for i, to := range f.sends {
		if url := env[to.row.QueueEnv()]; url != "" {
			f.sends[i].queue = known(queueID(url, region))
		}
	}
}

// feeding is a mapping with its target, a function or an alias.
type feeding struct {
	mapping
	target string
}

func (f feeding) is(other feeding) bool { return f.name == other.name }

func plain(list []feeding) (maps []mapping) {
	for _, m := range list {
		maps = append(maps, m.mapping)
	}
	return maps
}

// mappings lists the mappings from SQS queues to the function or one of its aliases.
func (a *cloud) mappings(ctx context.Context, function string) (list []feeding, err error) {
	ctx, cancel := context.WithTimeout(ctx, callTimeout)
	defer cancel()
	client := lambda.NewFromConfig(a.config)
	targets, err := targets(ctx, client, function)
	if err != nil {
		return nil, fmt.Errorf("list the aliases of %s: %s", function, sentence(err))
	}
	for _, target := range targets {
		input := &lambda.ListEventSourceMappingsInput{FunctionName: &target}
		pages := lambda.NewListEventSourceMappingsPaginator(client, input)
		for pages.HasMorePages() {
			page, err := pages.NextPage(ctx)
			if err != nil {
				return nil, fmt.Errorf("list the event source mappings of %s: %s", function, sentence(err))
			}
			for _, m := range page.EventSourceMappings {
				found := readMapping(m)
				if isQueueARN(aws.ToString(m.EventSourceArn)) && !slices.ContainsFunc(list, found.is) {
					list = append(list, found)
				}
			}
		}
	}
	return list, nil
}

// targets lists the function and its aliases, because Lambda lists mappings by exact target.
func targets(ctx context.Context, client *lambda.Client, function string) (list []string, err error) {
	list = []string{function}
	pages := lambda.NewListAliasesPaginator(client, &lambda.ListAliasesInput{FunctionName: &function})
	for pages.HasMorePages() {
		page, err := pages.NextPage(ctx)
		if err != nil {
			return nil, err
		}
		for _, alias := range page.Aliases {
			list = append(list, function+":"+aws.ToString(alias.Name))
		}
	}
	return list, nil
}

func readMapping(m lambdatypes.EventSourceMappingConfiguration) feeding {
	off := []string{"Disabling", "Disabled", "Deleting"}
	const reports = lambdatypes.FunctionResponseTypeReportBatchItemFailures
	f := feeding{target: aws.ToString(m.FunctionArn), mapping: mapping{
		name:    aws.ToString(m.UUID),
		enabled: known(!slices.Contains(off, aws.ToString(m.State))),
		queue:   known(queueID(aws.ToString(m.EventSourceArn), "")),
		batch:   known(int(aws.ToInt32(m.BatchSize))),
		most:    known(0),
		reports: known(slices.Contains(m.FunctionResponseTypes, reports)),
	}}
	if m.ScalingConfig != nil {
		f.most = known(int(aws.ToInt32(m.ScalingConfig.MaximumConcurrency)))
	}
	return f
}

// function reads the configuration of the running version, and the reserved concurrency of
// the function as a whole.
func (a *cloud) function(ctx context.Context, name, running string) (fn function, env variables, err error) {
	ctx, cancel := context.WithTimeout(ctx, callTimeout)
	defer cancel()
	client := lambda.NewFromConfig(a.config)
	c, err := client.GetFunctionConfiguration(ctx, &lambda.GetFunctionConfigurationInput{FunctionName: &running})
	if err != nil {
		return fn, nil, fmt.Errorf("read function %s: %s", name, sentence(err))
	}
	env = variables{}
	if c.Environment != nil {
		for variable, text := range c.Environment.Variables {
			if text != "" {
				env[variable] = text
			}
		}
	}
	fn = function{name: name, timeout: known(time.Duration(aws.ToInt32(c.Timeout)) * time.Second), reserved: known(-1)}
	reserved, err := client.GetFunctionConcurrency(ctx, &lambda.GetFunctionConcurrencyInput{FunctionName: &name})
	switch {
	case err != nil:
		fn.reserved = unknown[int]("lambda:GetFunctionConcurrency: " + sentence(err))
	case reserved.ReservedConcurrentExecutions != nil:
		fn.reserved = known(int(*reserved.ReservedConcurrentExecutions))
	}
	return fn, env, nil
}
