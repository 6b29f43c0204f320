package revieweval

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"sync"
	"time"

	"matchbook/lambda/cli/term"
	"matchbook/lambda/local/scripted"
	"matchbook/lambda/review/analyst"
	"matchbook/lambda/review/chunk"
	"matchbook/lambda/setup"
)

// Options are the options of a measurement.
type Options struct {
	Model scripted.Flags // ModeNone reads by rules
	JSON  bool
}

// Run measures the contracts of a folder, prints the result, and reports whether all chunks
// were read.
func (o Options) Run(ctx context.Context, dir string, env setup.Env, out io.Writer, m *term.Meter) (bool, error) {
	o.Model.Mode = cmp.Or(o.Model.Mode, scripted.ModeNone)
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
	return result.Gaps == 0, term.Print(out, result, o.JSON)
}

// Measure reads contracts and compares the findings with their labels. Use Run to print the
// result.
func (o Options) Measure(ctx context.Context, contracts []Contract, env setup.Env, m *term.Meter) (*Result, error) {
	source := &scripted.Model{Flags: o.Model, Env: env, Mind: scripted.ReviewByRules()}
	if _, err := source.Start(ctx, time.Now); err != nil {
		return nil, err
	}
	defer source.Close()
	read, err := readerOf(source)
	if err != nil {
		return nil, err
	}
	result := newResult(o.Model.Mode)
	for i, c := range contracts {
		got, err := c.read(ctx, read, m, fmt.Sprintf("contract %d of %d", i+1, len(contracts)))
		if err != nil {
			return nil, fmt.Errorf("%s: %w", c.Name, err)
		}
		result.add(c, got)
	}
	result.close()
	return result, nil
}

// inFlight is the number of chunks read concurrently.
const inFlight = 8

// read reads the chunks of a contract, in order.
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
