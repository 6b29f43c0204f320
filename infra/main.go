// Command infra is the CDK app: it builds the functions and describes the stack
// of one stage, which `npx aws-cdk synth` turns into a CloudFormation template,
// without an account. Facts that the functions rely on come from
// lambda/manifest, the user's wishes from the CDK context; infra/settings
// reads both.
package main

import (
	"context"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"

	"matchbook/infra/bootstrap"
	"matchbook/infra/settings"

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
	c, err := settings.Read(contextOf(app))
	if err != nil {
		return err
	}
	f := settings.ManifestFacts()
	if err := f.Validate(c); err != nil {
		return err
	}
	code, err := bootstrap.BuildAll(ctx, "bin", f.Packages(c))
	if err != nil {
		return err
	}
	if err := bootstrap.AddAuthorities(code, c.DatabaseCA); err != nil {
		return err
	}
	newStack(app, c, f, code)
	app.Synth(nil)
	return nil
}

// ofTheCDK are keys of the CDK's own that look like ones of ours.
var ofTheCDK = []string{"acknowledged-issue-numbers", "cdk-migrate", "cli-telemetry"}

// contextOf returns all of the context that is not CDK's own. Any other key
// with a hyphen is a mistyped setting, and settings.Read refuses it.
func contextOf(app awscdk.App) map[string]any {
	all, _ := app.Node().GetAllContext(nil).(map[string]any)
	own := maps.Clone(all)
	maps.DeleteFunc(own, func(key string, _ any) bool {
		return strings.ContainsAny(key, ":/@") || slices.Contains(ofTheCDK, key)
	})
	return own
}
