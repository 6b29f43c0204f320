package main

import (
	"encoding/json"
	"flag"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"matchbook/lambda/manifest/variable"

	"github.com/aws/aws-lambda-go/events"
)

// samLine is the page's `sam local invoke`, taken apart.
type samLine struct{ function, template, event, variables string }

func readSAMLine(t *testing.T) (line samLine) {
	t.Helper()
	page, err := os.ReadFile("README.md")
	if err != nil {
		t.Fatal(err)
	}
	found := regexp.MustCompile(`(?m)^(?:\$ )?sam local invoke (\S+) (.+)$`).FindStringSubmatch(string(page))
	if found == nil {
		t.Fatal("infra/README.md has no line `sam local invoke ...`")
	}
	line.function = found[1]
	flags := flag.NewFlagSet("sam local invoke", flag.ContinueOnError)
	flags.StringVar(&line.template, "t", "", "")
	flags.StringVar(&line.event, "e", "", "")
	flags.StringVar(&line.variables, "env-vars", "", "")
	if err := flags.Parse(strings.Fields(found[2])); err != nil {
		t.Fatal(err)
	}
	return line
}

// sam itself needs Docker. The test makes the same look-ups: the function, its
// asset, its variables, the event.
func TestSAMCommand(t *testing.T) {
	t.Parallel()
	tpl := synthesise(t, wishes{context: bare})
	line := readSAMLine(t)
	if got, want := line.template, "cdk.out/"+filepath.Base(tpl.file); got != want {
		t.Errorf("the template is %s, want %s", got, want)
	}
	function, ok := tpl.Resources[line.function]
	if !ok || function.Type != "AWS::Lambda::Function" {
		t.Fatalf("%s is a %q in the template", line.function, function.Type)
	}
	if function.Metadata["aws:asset:property"] != "Code" {
		t.Errorf("metadata %v", function.Metadata)
	}
	asset, _ := function.Metadata["aws:asset:path"].(string)
	if _, err := os.Stat(filepath.Join(filepath.Dir(tpl.file), asset, "bootstrap")); err != nil {
		t.Errorf("the asset: %v", err)
	}
	checkSAMVariables(t, tpl, line)
}

// checkSAMVariables checks that sam gives the function the variables that it
// needs: it overrides only the ones of the template, and cannot resolve a
// reference to a resource that is not deployed.
func checkSAMVariables(t *testing.T, tpl *template, line samLine) {
	t.Helper()
	var given map[string]map[string]string
	decode(t, filepath.Join("..", line.variables), &given)
	overrides := given[line.function]
	has := tpl.variables(t, line.function)
	for name := range overrides {
		if _, ok := has[name]; !ok {
			t.Errorf("%s: sam does not pass on %s, which the template does not have", line.variables, name)
		}
	}
	for name, value := range has {
		if _, ok := overrides[name]; !ok && strings.Contains(value, "${") {
			t.Errorf("%s is %s: %s has to override it", name, value, line.variables)
		}
	}
	var event events.SQSEvent
	decode(t, filepath.Join("..", line.event), &event)
	queue := strings.TrimPrefix(overrides[variable.QueueURL], "https://sqs.us-east-1.amazonaws.com/")
	if len(event.Records) == 0 || event.Records[0].EventSourceARN != "arn:aws:sqs:us-east-1:"+
		strings.ReplaceAll(queue, "/", ":") {
		t.Errorf("the event is not of the queue %q", queue)
	}
}

// A file that is committed has no secret.
func TestSAMPlaceholders(t *testing.T) {
	t.Parallel()
	var given map[string]map[string]string
	decode(t, "../testdata/env.json", &given)
	text, _ := json.Marshal(given)
	if !strings.Contains(string(text), ":PASSWORD@") ||
		regexp.MustCompile(`sk-|AKIA|xox[bp]-|hooks\.slack`).Match(text) {
		t.Errorf("not placeholders: %s", text)
	}
}
