package setup_test

import (
	"encoding/json"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"matchbook/lambda/internal/must"
	"matchbook/lambda/manifest"
	"matchbook/lambda/manifest/variable"
	"matchbook/lambda/setup"
)

// loaders read the configuration of each function of a stack, by its resource.
func loaders() map[string]func(setup.Env) error {
	list := map[string]func(setup.Env) error{
		"Sweep":    func(env setup.Env) error { _, err := setup.LoadSweep(env, manifest.Functions()); return err },
		"Migrate":  func(env setup.Env) error { _, err := setup.LoadMigrate(env); return err },
		"Schedule": func(env setup.Env) error { _, err := setup.LoadSchedule(env); return err },
		"Web":      func(env setup.Env) error { _, err := setup.LoadWeb(env); return err },
		"Console":  func(env setup.Env) error { _, err := setup.LoadConsole(env); return err },
	}
	for _, f := range manifest.Functions() {
		list[resource(f.Name)] = func(env setup.Env) error { _, err := setup.LoadFunction(env, f); return err }
	}
	return list
}

func resource(name string) string { return strings.ToUpper(name[:1]) + name[1:] }

// deployed are values that only a deployment knows: references, and secrets.
var deployed = map[string]string{
	"DATABASE_URL": "postgres://user@localhost/database", "APP_DATABASE_URL": "postgres://app@localhost/database", "BLOB_URL": "s3://bucket", "ADMIN_BASE_URL": "https://localhost",
	"OIDC_ISSUER": "https://localhost", "OIDC_CLIENT_ID": "client",
}

// environment is that of a function of a template.
func environment(variables map[string]any) setup.Env {
	return func(name string) string {
		text, is := variables[name].(string)
		arn := variables[name+variable.SecretSuffix]
		reference := !is && variables[name] != nil
		secret := arn != nil && arn != "" && (slices.Contains(manifest.Secrets, name) || name == variable.AppDatabaseURL)
		switch {
		case text != "" || !reference && !secret:
			return text
		case strings.HasSuffix(name, variable.QueueURL):
			return "https://sqs.eu-central-1.amazonaws.com/000000000000/queue"
		case deployed[name] != "":
			return deployed[name]
		}
		return "known to a deployment only"
	}
}

// What the reviewed templates give to a function is all that it needs to start, and
// names the queues of those that it publishes to.
func TestTemplateEnvironments(t *testing.T) {
	t.Parallel()
	for file, without := range map[string][]string{"default": {"Web", "Console"}, "aurora": nil} {
		raw := must.Get(os.ReadFile("../../infra/testdata/" + file + ".template.golden"))(t)
		var template struct {
			Resources map[string]struct {
				Type       string
				Properties struct {
					Environment struct{ Variables map[string]any }
				}
			}
		}
		must.OK(t, json.Unmarshal(raw, &template))
		for name, load := range loaders() {
			function, ok := template.Resources[name+"Function"]
			if slices.Contains(without, name) == ok {
				t.Errorf("%s: a function %s is there: %v", file, name, ok)
			}
			if !ok {
				continue
			}
			variables := function.Properties.Environment.Variables
			if err := load(environment(variables)); err != nil {
				t.Errorf("%s, %s: %v", file, name, err)
			}
			for _, to := range manifest.Functions() {
				for _, key := range []string{to.QueueEnv(), variable.QueueURL} {
					queue, set := variables[key]
					want := fmt.Sprint(map[string]any{"Ref": resource(to.Name) + "Queue"})
					if set && fmt.Sprint(queue) != want && (key != variable.QueueURL || name == resource(to.Name)) {
						t.Errorf("%s, %s: %s is %v, want %s", file, name, key, queue, want)
					}
				}
			}
		}
	}
}
