package doctor

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"matchbook/lambda/manifest"
)

// Types of resources that matter here.
const (
	typeFunction = "AWS::Lambda::Function"
	typeAlias    = "AWS::Lambda::Alias"
	typeVersion  = "AWS::Lambda::Version"
	typeMapping  = "AWS::Lambda::EventSourceMapping"
	typeQueue    = "AWS::SQS::Queue"
)

// template is a CloudFormation template.
type template struct {
	resources  map[string]resource
	parameters map[string]any // their defaults; nil is none
	rows       rows           // of the manifest
}

type resource struct {
	Type       string
	Properties map[string]any
}

// parseTemplate reads Resources and Parameters of a template. It accepts the same
// values as CloudFormation: a number may be a text.
func parseTemplate(raw []byte, all rows) (*template, error) {
	if !json.Valid(raw) {
		return nil, errors.New("the template is no JSON: cdk synth writes one into cdk.out/STACK.template.json")
	}
	var written struct {
		Resources  map[string]json.RawMessage
		Parameters map[string]json.RawMessage
	}
	if err := json.Unmarshal(raw, &written); err != nil {
		return nil, errors.New("the template is no object with Resources and Parameters, each of them an object")
	}
	if len(written.Resources) == 0 {
		return nil, errors.New("the template has no Resources: is it CloudFormation's?")
	}
	t := &template{resources: map[string]resource{}, parameters: map[string]any{}, rows: all}
	for name, raw := range written.Resources {
		var r resource
		if err := decode(raw, &r); err != nil || r.Type == "" {
			return nil, fmt.Errorf("resource %.100q of the template is no object with a Type and Properties", name)
		}
		t.resources[name] = r
	}
	for name, raw := range written.Parameters {
		var p struct {
			Type    string
			Default any
		}
		if err := decode(raw, &p); err != nil {
			return nil, fmt.Errorf("parameter %.100q of the template is no object", name)
		}
		if t.parameters[name] = p.Default; strings.HasPrefix(p.Type, "AWS::SSM::") {
			t.parameters[name] = nil // the default names the parameter that holds the value
		}
	}
	return t, nil
}

func decode(raw []byte, v any) error {
	decoder := json.NewDecoder(bytes.NewReader(raw))
	decoder.UseNumber()
	return decoder.Decode(v)
}

// named lists the resources of a type, in the order of their names.
func (t *template) named(kind string) (names []string) {
	for name, r := range t.resources {
		if r.Type == kind {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return names
}

// facts reads the lines of a template: the functions that queues feed, or that
// would have to be fed.
func (t *template) facts() (f facts, vars map[string]variables, err error) {
	vars = map[string]variables{}
	feeds := map[string][]mapping{}
	for _, name := range t.named(typeMapping) {
		if m, target, ok := t.mapping(name); ok {
			feeds[target] = append(feeds[target], m)
		}
	}
	for _, name := range t.named(typeFunction) {
		env := t.variables(t.resources[name])
		vars[name] = env
		maps, fed := feeds[name]
		fed = fed || env.has(manifest.EnvQueueURL)
		fn := t.function(name, env, fed)
		switch {
		case fed:
			f.lines = append(f.lines, t.line(fn, maps))
		case env.ours():
			f.functions = append(f.functions, fn)
		}
		delete(feeds, name)
	}
	for _, target := range slices.Sorted(maps.Keys(feeds)) { // their functions are not in the template
		f.lines = append(f.lines, t.line(t.foreign(target), feeds[target]))
	}
	if len(f.lines) == 0 {
		return f, nil, errors.New("the template has no function that an SQS queue feeds: is it a stack of Matchbook?")
	}
	return f, vars, nil
}

// foreign returns a function that is not in the template.
func (t *template) foreign(name string) function {
	const why = "the function is not in this template"
	return function{name: name, timeout: unknown[time.Duration](why), reserved: unknown[int](why), listens: unknown[string](why),
		retries: unknown[string](why), config: unknown[[]string](why), row: t.rows.of(name)}
}

// mapping reads an event source mapping, and the name of the function that it
// feeds; ok is false if its source is no SQS queue.
func (t *template) mapping(name string) (m mapping, target string, ok bool) {
	r := t.resources[name]
	source := t.resolve(r.Properties["EventSourceArn"])
	if source.resource != "" && t.resources[source.resource].Type != typeQueue ||
		source.resource == "" && source.missing == "" && !isQueueARN(source.text) {
		return m, "", false
	}
	m = mapping{name: name, enabled: t.truth(r, true, "Enabled"), queue: source.id(), batch: t.number(r, 10, "BatchSize"),
		most: t.number(r, 0, "ScalingConfig", "MaximumConcurrency"), reports: t.reports(r)}
	return m, t.functionOf(r.Properties["FunctionName"]), true
}

func (t *template) reports(r resource) fact[bool] {
	const why = "FunctionResponseTypes is only known to a deployment"
	list, is := r.Properties["FunctionResponseTypes"].([]any)
	if !is && r.Properties["FunctionResponseTypes"] != nil {
		return unknown[bool](why)
	}
	for _, entry := range list {
		switch v := t.resolve(entry); {
		case v.text == "ReportBatchItemFailures":
			return known(true)
		case v.missing != "":
			return unknown[bool](why)
		}
	}
	return known(false)
}

// functionOf follows versions and aliases to the function, by its name in the
// template.
func (t *template) functionOf(v any) string {
	for range 5 { // an alias of a version of a function; a circle ends
		target := t.lambdaIn(v, maxDepth)
		if target == "" {
			break
		}
		if t.resources[target].Type == typeFunction {
			return target
		}
		v = t.resources[target].Properties["FunctionName"]
	}
	return t.calledBy(t.resolve(v).text)
}

// calledBy finds a function by its own name or its ARN.
func (t *template) calledBy(text string) string {
	if text == "" {
		return "a function that is not named"
	}
	for _, name := range t.named(typeFunction) {
		own := t.resolve(t.resources[name].Properties["FunctionName"]).text
		if own != "" && strings.Contains(":"+text+":", ":"+own+":") {
			return name
		}
	}
	return text
}

// lambdaIn finds the function, alias or version that a value is made of: cdk
// takes the ARN of an alias apart to put its function's name and its own
// together.
func (t *template) lambdaIn(v any, depth int) string {
	if r := t.resolve(v).resource; r != "" {
		if slices.Contains([]string{typeFunction, typeAlias, typeVersion}, t.resources[r].Type) {
			return r
		}
		return ""
	}
	var parts []any
	switch v := v.(type) {
	case []any:
		parts = v
	case map[string]any:
		for _, name := range slices.Sorted(maps.Keys(v)) {
			parts = append(parts, v[name])
		}
	}
	for _, part := range parts {
		if depth == 0 {
			break
		}
		if found := t.lambdaIn(part, depth-1); found != "" {
			return found
		}
	}
	return ""
}

func (t *template) function(name string, env variables, fed bool) function {
	r := t.resources[name]
	fn := function{name: name, timeout: t.seconds(r, 3, "Timeout"), reserved: t.number(r, -1, "ReservedConcurrentExecutions")}
	fn.read(env, fed, t.rows)
	return fn
}

func (t *template) line(fn function, maps []mapping) line {
	l := line{function: fn, mapping: known(maps), answers: unknown[problem]("a template does not answer: --stack asks the queue")}
	from := fn.listens
	if len(maps) > 0 {
		from = maps[0].queue
	}
	l.queue = t.queue(from)
	l.dlq, l.dlqAnswers = t.deadLetters(l.queue)
	return l
}

// queue reads the queue of an id.
func (t *template) queue(id fact[string]) fact[queue] {
	if why := id.why(); why != "" {
		return unknown[queue](why)
	}
	r, ok := t.resources[id.value]
	if !ok || r.Type != typeQueue {
		return unknown[queue]("the queue is not in this template")
	}
	const why = "a template has no messages: --stack counts them"
	q := queue{id: id.value, name: id.value, visibility: t.seconds(r, 30, "VisibilityTimeout"),
		retention: t.seconds(r, 345600, "MessageRetentionPeriod"), waiting: unknown[int](why)}
	q.dlq, q.receives = t.redrive(r)
	return known(q)
}

func (t *template) redrive(r resource) (dlq fact[string], receives fact[int]) {
	policy, is := r.Properties["RedrivePolicy"].(map[string]any)
	switch {
	case r.Properties["RedrivePolicy"] == nil:
		return known(""), unknown[int](noRedrive)
	case !is || policy["deadLetterTargetArn"] == nil:
		const why = "RedrivePolicy is no object with a deadLetterTargetArn"
		return unknown[string](why), unknown[int](why)
	}
	return t.resolve(policy["deadLetterTargetArn"]).id(), t.number(resource{Properties: policy}, 0, "maxReceiveCount")
}

const noRedrive = "the queue has no RedrivePolicy: see dlq"

func (t *template) deadLetters(q fact[queue]) (fact[queue], fact[problem]) {
	switch why := missing(q, q.value.dlq); {
	case why != "":
		return unknown[queue](why), unknown[problem](why)
	case q.value.dlq.value == "":
		return unknown[queue](noRedrive), unknown[problem](noRedrive)
	}
	found := t.queue(q.value.dlq)
	if _, here := t.resources[q.value.dlq.value]; here && !found.is {
		return found, known(problem(q.value.dlq.value + ", which its RedrivePolicy names, is no queue"))
	}
	if !found.is {
		return found, unknown[problem]("the dead-letter queue is not in this template")
	}
	return found, known(problem(""))
}
