package deadletter

import (
	"cmp"
	"context"
	"fmt"

	"matchbook/lambda/job/sqsjob"
	"matchbook/lambda/manifest"
	"matchbook/lambda/manifest/variable"
	"matchbook/lambda/setup"
)

// Open opens the queues of functions: of a deployed stack, or of the variables. unset names the
// functions without a queue there. If no variable is set, as with matchbook serve, which keeps its
// queues in memory, the sources have no queues.
func Open(ctx context.Context, env setup.Env, stack string) (sources []Source, unset []string, err error) {
	find := func(f manifest.Function) (*sqsjob.Queue, error) { return configured(ctx, env, f) }
	if stack != "" {
		if find, err = setup.StackQueues(ctx, stack); err != nil {
			return nil, nil, err
		}
	}
	for _, f := range manifest.Functions() {
		queue, err := find(f)
		if err != nil {
			return nil, nil, err
		}
		if queue == nil {
			unset = append(unset, f.Name)
			continue
		}
		sources = append(sources, Source{f, queue})
	}
	switch {
	case len(sources) > 0:
		return sources, unset, nil
	case stack != "":
		return nil, nil, fmt.Errorf("unknown stack %.80q: missing queue %s; check AWS_REGION",
			stack, setup.StackQueue(stack, manifest.Match))
	}
	for _, f := range manifest.Workloads() {
		sources = append(sources, Source{Function: f})
	}
	return sources, nil, nil
}

// configured opens the queue in a function's variable; nil if it isn't set.
func configured(ctx context.Context, env setup.Env, f manifest.Function) (*sqsjob.Queue, error) {
	url := env(f.QueueEnv())
	if f.First {
		url = cmp.Or(url, env(variable.QueueURL))
	}
	if url == "" {
		return nil, nil
	}
	return setup.Config{}.OpenQueue(ctx, f.QueueEnv(), url)
}
