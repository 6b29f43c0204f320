package doctor

import (
	"context"
	"fmt"
	"net/url"
	"strconv"
	"strings"
	"time"

	"matchbook/lambda/manifest"
	"matchbook/lambda/manifest/variable"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/lambda"
	"github.com/aws/aws-sdk-go-v2/service/lambda/types"
)

// version is the deployed form of a function.
type version struct {
	arn                            string // of the version
	architecture, runtime, handler string
	memoryMB                       int
	failed                         string // why Lambda can't start it; "" if it can
	role                           string // ARN
	logs                           string // name of the log group
	traced                         bool
	vpc                            string
	subnets, groups                []string
}

// alias is the name by which work reaches a version. A function without one has the zero alias.
type alias struct {
	name, version string
	newest        string // version
	split         bool   // between two versions
}

// liveAlias is the alias of the stack's functions.
const liveAlias = "live"

func readVersion(c *lambda.GetFunctionConfigurationOutput) version {
	found := version{arn: aws.ToString(c.FunctionArn), runtime: string(c.Runtime), handler: aws.ToString(c.Handler),
		memoryMB: int(aws.ToInt32(c.MemorySize)), role: aws.ToString(c.Role),
		logs: "/aws/lambda/" + aws.ToString(c.FunctionName)}
	if len(c.Architectures) > 0 {
		found.architecture = string(c.Architectures[0])
	}
	if c.State == types.StateFailed || c.LastUpdateStatus == types.LastUpdateStatusFailed {
		found.failed = strings.Trim(string(c.StateReasonCode)+" "+string(c.LastUpdateStatusReasonCode), " ")
		if found.failed == "" {
			found.failed = "no reason given"
		}
	}
	if c.LoggingConfig != nil && aws.ToString(c.LoggingConfig.LogGroup) != "" {
		found.logs = *c.LoggingConfig.LogGroup
	}
	found.traced = c.TracingConfig != nil && c.TracingConfig.Mode == types.TracingModeActive
	if c.VpcConfig != nil {
		found.vpc, found.subnets, found.groups = aws.ToString(c.VpcConfig.VpcId), c.VpcConfig.SubnetIds, c.VpcConfig.SecurityGroupIds
	}
	return found
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
	fn = function{name: name, timeout: known(time.Duration(aws.ToInt32(c.Timeout)) * time.Second), reserved: known(-1),
		deployed: deployed{runs: known(readVersion(c)), plain: known(env.plain())}}
	reserved, err := client.GetFunctionConcurrency(ctx, &lambda.GetFunctionConcurrencyInput{FunctionName: &name})
	switch {
	case err != nil:
		fn.reserved = unknown[int]("lambda:GetFunctionConcurrency: " + sentence(err))
	case reserved.ReservedConcurrentExecutions != nil:
		fn.reserved = known(int(*reserved.ReservedConcurrentExecutions))
	}
	return fn, env, nil
}

// aliases lists the aliases of a function.
func (a *cloud) aliases(ctx context.Context, function string) (list []alias, err error) {
	ctx, cancel := context.WithTimeout(ctx, callTimeout)
	defer cancel()
	client := lambda.NewFromConfig(a.config)
	pages := lambda.NewListAliasesPaginator(client, &lambda.ListAliasesInput{FunctionName: &function})
	for pages.HasMorePages() {
		page, err := pages.NextPage(ctx)
		if err != nil {
			return nil, fmt.Errorf("list the aliases of %s: %s", function, sentence(err))
		}
		for _, one := range page.Aliases {
			found := alias{name: aws.ToString(one.Name), version: aws.ToString(one.FunctionVersion)}
			found.split = one.RoutingConfig != nil && len(one.RoutingConfig.AdditionalVersionWeights) > 0
			if found.name == liveAlias {
				list = append([]alias{found}, list...)
				continue
			}
			list = append(list, found)
		}
	}
	return list, nil
}

// alias adds the newest version to the first alias of a function.
func (a *cloud) alias(ctx context.Context, function string, aliases []alias) fact[alias] {
	if len(aliases) == 0 {
		return known(alias{})
	}
	ctx, cancel := context.WithTimeout(ctx, callTimeout)
	defer cancel()
	first, newest := aliases[0], 0
	pages := lambda.NewListVersionsByFunctionPaginator(lambda.NewFromConfig(a.config),
		&lambda.ListVersionsByFunctionInput{FunctionName: &function})
	for pages.HasMorePages() {
		page, err := pages.NextPage(ctx)
		if err != nil {
			return unknown[alias]("lambda:ListVersionsByFunction: " + sentence(err))
		}
		for _, v := range page.Versions {
			if n, err := strconv.Atoi(aws.ToString(v.Version)); err == nil && n > newest { // not $LATEST
				newest, first.newest = n, *v.Version
			}
		}
	}
	return known(first)
}

const latest = "$LATEST"

// qualifier returns the alias or version of a function's ARN, $LATEST without one.
func qualifier(arn string) string {
	if parts := strings.Split(arn, ":"); len(parts) == 8 {
		return parts[7]
	}
	return latest
}

// unqualified returns a function's ARN without alias or version.
func unqualified(arn string) string {
	if parts := strings.Split(arn, ":"); len(parts) > 7 {
		return strings.Join(parts[:7], ":")
	}
	return arn
}

// plain returns the variables with a secret as their value.
func (v variables) plain() (names []string) {
	for _, name := range manifest.Secrets {
		if v.has(name) && (name != variable.DatabaseURL || hasPassword(v[name])) {
			names = append(names, name)
		}
	}
	return names
}

func hasPassword(database string) bool {
	u, err := url.Parse(database)
	if err != nil {
		return true // it may be there
	}
	_, inURL := u.User.Password()
	return inURL || u.Query().Has("password") || u.Scheme == "" && strings.Contains(database, "password")
}
