package doctor

import (
	"errors"
	"maps"
	"slices"
	"time"

	"matchbook/lambda/cli/doctor/template"
	"matchbook/lambda/manifest"
)

// templateReader reads facts from a template.
type templateReader struct {
	*template.Template
	rows rows // of the manifest
}

// facts reads the lines of a template: the functions that queues feed, or that
// would have to be fed.
func (t templateReader) facts() (f facts, vars map[string]variables, err error) {
	vars = map[string]variables{}
	feeds := map[string][]mapping{}
	for _, name := range t.Names(template.TypeMapping) {
		if m, target, ok := t.mapping(name); ok {
			feeds[target] = append(feeds[target], m)
		}
	}
	for _, name := range t.Names(template.TypeFunction) {
		env := t.variables(t.Resource(name))
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
	f.inbox = t.inbox(f.lines)
	if len(f.lines) == 0 {
		return f, nil, errors.New("the template has no function that an SQS queue feeds: is it a stack of Matchbook?")
	}
	return f, vars, nil
}

// foreign returns a function that is not in the template.
func (t templateReader) foreign(name string) function {
	const why = "the function is not in this template"
	return function{name: name, timeout: unknown[time.Duration](why), reserved: unknown[int](why),
		listens: unknown[string](why), retries: unknown[string](why), config: unknown[[]string](why),
		row: t.rows.of(name)}
}

// mapping reads an event source mapping, and the name of the function that it
// feeds; ok is false if its source is no SQS queue.
func (t templateReader) mapping(name string) (m mapping, target string, ok bool) {
	r := t.Resource(name)
	source := t.Resolve(r.Properties["EventSourceArn"])
	if source.Resource != "" && t.Resource(source.Resource).Type != template.TypeQueue ||
		source.Resource == "" && source.Missing == "" && !isQueueARN(source.Text) {
		return m, "", false
	}
	m = mapping{
		name:    name,
		enabled: observed(t.Truth(r, true, "Enabled")),
		queue:   queueNamed(source),
		batch:   observed(t.Number(r, 10, "BatchSize")),
		most:    observed(t.Number(r, 0, "ScalingConfig", "MaximumConcurrency")),
		reports: t.reports(r),
	}
	return m, t.FunctionOf(r.Properties["FunctionName"]), true
}

func (t templateReader) reports(r template.Resource) fact[bool] {
	const why = "FunctionResponseTypes is only known to a deployment"
	list, is := r.Properties["FunctionResponseTypes"].([]any)
	if !is && r.Properties["FunctionResponseTypes"] != nil {
		return unknown[bool](why)
	}
	for _, entry := range list {
		switch v := t.Resolve(entry); {
		case v.Text == "ReportBatchItemFailures":
			return known(true)
		case v.Missing != "":
			return unknown[bool](why)
		}
	}
	return known(false)
}

func (t templateReader) function(name string, env variables, fed bool) function {
	r := t.Resource(name)
	fn := function{name: name, timeout: t.seconds(r, 3, "Timeout"),
		reserved: observed(t.Number(r, -1, "ReservedConcurrentExecutions"))}
	fn.read(env, fed, t.rows)
	return fn
}

func (t templateReader) line(fn function, maps []mapping) line {
	const why = "a template does not answer: --stack asks the queue"
	l := line{function: fn, mapping: known(maps), answers: unknown[problem](why)}
	from := fn.listens
	if len(maps) > 0 {
		from = maps[0].queue
	}
	l.queue = t.queue(from)
	l.dlq, l.dlqAnswers = t.deadLetters(l.queue)
	return l
}

// queue reads the queue of an id.
func (t templateReader) queue(id fact[string]) fact[queue] {
	if why := id.why(); why != "" {
		return unknown[queue](why)
	}
	r := t.Resource(id.value)
	if r.Type != template.TypeQueue {
		return unknown[queue]("the queue is not in this template")
	}
	const why = "a template has no messages: --stack counts them"
	q := queue{id: id.value, name: id.value, visibility: t.seconds(r, 30, "VisibilityTimeout"),
		retention: t.seconds(r, 345600, "MessageRetentionPeriod"), waiting: unknown[int](why)}
	q.dlq, q.receives = t.redrive(r)
	return known(q)
}

func (t templateReader) redrive(r template.Resource) (dlq fact[string], receives fact[int]) {
	policy, is := r.Properties["RedrivePolicy"].(map[string]any)
	switch {
	case r.Properties["RedrivePolicy"] == nil:
		return known(""), unknown[int](noRedrive)
	case !is || policy["deadLetterTargetArn"] == nil:
		const why = "RedrivePolicy is no object with a deadLetterTargetArn"
		return unknown[string](why), unknown[int](why)
	}
	dlq = queueNamed(t.Resolve(policy["deadLetterTargetArn"]))
	return dlq, observed(t.Number(template.Resource{Properties: policy}, 0, "maxReceiveCount"))
}

const noRedrive = "the queue has no RedrivePolicy: see dlq"

func (t templateReader) deadLetters(q fact[queue]) (fact[queue], fact[problem]) {
	switch why := missing(q, q.value.dlq); {
	case why != "":
		return unknown[queue](why), unknown[problem](why)
	case q.value.dlq.value == "":
		return unknown[queue](noRedrive), unknown[problem](noRedrive)
	}
	found := t.queue(q.value.dlq)
	if t.Resource(q.value.dlq.value).Type != "" && !found.is {
		return found, known(problem(q.value.dlq.value + ", which its RedrivePolicy names, is no queue"))
	}
	if !found.is {
		return found, unknown[problem]("the dead-letter queue is not in this template")
	}
	return found, known(problem(""))
}

func (t templateReader) seconds(r template.Resource, usual int, path ...string) fact[time.Duration] {
	n := observed(t.Number(r, usual, path...))
	if why := n.why(); why != "" {
		return unknown[time.Duration](why)
	}
	return known(time.Duration(n.value) * time.Second)
}

// variables reads the environment of a function.
func (t templateReader) variables(r template.Resource) variables {
	env := variables{}
	if e, ok := r.Properties["Environment"].(map[string]any); ok {
		list, _ := e["Variables"].(map[string]any)
		for name, v := range list {
			env[name] = t.Resolve(v)
		}
	}
	return env
}
