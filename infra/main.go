// Command infra is the CDK app: it builds the functions and describes the stack
// of one stage, which `npx aws-cdk synth` turns into a CloudFormation template,
// without an account. Facts that the functions rely on come from
// lambda/manifest, the user's wishes from the CDK context (config.go).
package main

import (
	"context"
	"fmt"
	"os"

	"github.com/aws/aws-cdk-go/awscdk/v2"
	"github.com/aws/jsii-runtime-go"
)

func main() {
	err := run(context.Background())
	if err != nil {
		fmt.Fprintln(os.Stderr, "infra:", err)
	}
	jsii.Close() // it may add a line of its own
	if err != nil {
		os.Exit(1)
	}
}

func run(ctx context.Context) error {
	app := awscdk.NewApp(nil)
	c, err := readConfig(contextOf(app))
	if err != nil {
		return err
	}
	f := manifestFacts()
	if err := f.validate(c); err != nil {
		return err
	}
	code, err := buildAll(ctx, "bin", f)
	if err != nil {
		return err
	}
	if err := addAuthorities(code, c.DatabaseCA); err != nil {
		return err
	}
	newStack(app, c, f, code)
	app.Synth(nil)
	return nil
}
