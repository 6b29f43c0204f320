// Command infra is the CDK app: it builds the functions and describes the stack of one
// stage. Use `npx aws-cdk synth` to turn it into a CloudFormation template; you need no
// account. The stack's facts come from lambda/manifest, so that they equal the runtime's, and
// the user's settings from the CDK context; see infra/settings.
package main

import (
	"context"
	"errors"
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
	jsii.Close() // it may print a line
	if err != nil {
		os.Exit(1)
	}
}

func run(ctx context.Context) error {
	app := awscdk.NewApp(nil)
	given, err := settings.WithStage(os.DirFS("."), contextOf(app))
	c, wrong := settings.Read(given)
	f := settings.ManifestFacts()
	if err := errors.Join(err, wrong, f.Validate(c)); err != nil {
		return err
	}
	code, err := bootstrap.BuildAll(ctx, "bin", c.GoArch(), f.Packages(c), os.Stderr)
	if err != nil {
		return err
	}
	authorities, err := authoritiesOf(c)
	if err != nil {
		return err
	}
	if err := bootstrap.AddAuthorities(code, authorities); err != nil {
		return err
	}
	newStack(app, c, f, code)
	app.Synth(nil)
	return nil
}

// authoritiesOf returns the certificates to check the database against; nil for the system's.
func authoritiesOf(c settings.Config) ([]byte, error) {
	switch {
	case c.DatabaseCA != "":
		return os.ReadFile(c.DatabaseCA)
	case c.ChecksDatabase():
		return bootstrap.RDS, nil
	}
	return nil, nil
}

// ofTheCDK has the CDK keys that look like settings.
var ofTheCDK = []string{"acknowledged-issue-numbers", "cdk-migrate", "cli-telemetry"}

// contextOf returns the context without the CDK's keys. It keeps any other key with a hyphen,
// so that settings.Read refuses it as mistyped.
func contextOf(app awscdk.App) map[string]any {
	all, _ := app.Node().GetAllContext(nil).(map[string]any)
	own := maps.Clone(all)
	maps.DeleteFunc(own, func(key string, _ any) bool {
		return strings.ContainsAny(key, ":/@") || slices.Contains(ofTheCDK, key)
	})
	return own
}
