package revieweval

import (
	"context"
	"errors"
	"fmt"
	"io"
	"sync"

	"matchbook/lambda/cli/term"
	"matchbook/lambda/llm"
	"matchbook/lambda/local/scripted"
	"matchbook/lambda/review/analyst"
	"matchbook/lambda/review/chunk"
	"matchbook/lambda/review/playbook"
	"matchbook/lambda/setup"
)

// Options are the options of a measurement.
type Options struct {
	Model scripted.Flags // none reads by rules
	Seed  uint64         // of the noise
	JSON  bool
}

// Run measures the contracts of a folder and prints the result. It returns
// whether all chunks were read.
func (o Options) Run(ctx context.Context, dir string, env setup.Env, out io.Writer, m *term.Meter) (bool, error) {
	if o.Model.Mode == "" {
		o.Model.Mode = scripted.ModeNone
	}
	if err := errors.Join(o.Model.Check(env), o.Model.AboutMatches()); err != nil {
		return false, err
	}
	contracts, err := Read(dir)
	if err != nil {
		return false, err
	}
	result, err := o.Measure(ctx, contracts, env, m)
	if err != nil {
		return false, err
	}
	result.Dir = dir
	if o.JSON {
		err = term.JSON(out, result)
	} else {
		_, err = io.WriteString(out, result.Text())
	}
	return result.Gaps == 0, err
}

// Measure reads contracts and compares what it finds with their labels.
func (o Options) Measure(ctx context.Context, contracts []Contract, env setup.Env, m *term.Meter) (*Result, error) {
	result := newResult(o)
	for i, c := range contracts {
		read, stop, err := o.reader(ctx, contracts, i, env)
		if err != nil {
			return nil, err
		}
		got, err := c.read(ctx, read, m, fmt.Sprintf("contract %d of %d", i+1, len(contracts)))
		stop()
		if err != nil {
			return nil, fmt.Errorf("%s: %w", c.Name, err)
		}
		result.add(c, got)
	}
	result.close()
	return result, nil
}

// inFlight is how many chunks are read at the same time.
const inFlight = 8

// read reads the chunks of a contract, in their order.
func (c Contract) read(ctx context.Context, r reader, m *term.Meter, what string) ([]chunkRead, error) {
	parts := chunk.Split(c.Text)
	all := make([]chunkRead, len(parts))
	var done int
	var mu sync.Mutex
	m.Watch(func() string {
		mu.Lock()
		defer mu.Unlock()
		return fmt.Sprintf("%s: %d of %d chunks", what, done, len(parts))
	})
	defer m.Watch(nil)
	free := make(chan struct{}, inFlight)
	var working sync.WaitGroup
	for i, p := range parts {
		free <- struct{}{}
		working.Go(func() {
			defer func() { <-free }()
			passage := analyst.Passage{Text: c.Text[p.Start:p.End], Start: p.Start, Heading: p.Heading}
			all[i] = r.read(ctx, passage)
			mu.Lock()
			done++
			mu.Unlock()
		})
	}
	working.Wait()
	return all, ctx.Err()
}

// reader returns the way to read one of the contracts. stop ends what it needs.
func (o Options) reader(ctx context.Context, contracts []Contract, i int, env setup.Env) (
	r reader, stop func(), err error,
) {
	pb, err := playbook.Parse(playbook.Default())
	if err != nil {
		return nil, nil, err
	}
	if o.Model.Mode == scripted.ModeNone {
		return byRules{pb}, func() {}, nil
	}
	m, base, stop, err := o.model(ctx, contracts, i, env)
	if err != nil {
		return nil, nil, err
	}
	right := contracts[i].quotes(o.Model.Knowing())
	return asking{model: m, playbook: pb, right: right, retry: llm.Retry{Tries: tries, Base: base}}, stop, nil
}

// tries is how often a question is asked at most.
const tries = 4
