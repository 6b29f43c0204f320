// Package reviewrun runs a contract through the local stack of the review function. It starts
// the review, shows progress and findings during the run, serves its page, and prints the
// result.
package reviewrun

import (
	"context"
	"crypto/rand"
	"fmt"
	"log/slog"
	"path/filepath"
	"sync"
	"time"

	"matchbook/lambda/cli/term"
	"matchbook/lambda/internal/plural"
	"matchbook/lambda/llm"
	"matchbook/lambda/llm/openai"
	"matchbook/lambda/local"
	"matchbook/lambda/local/scripted"
	"matchbook/lambda/manifest"
	"matchbook/lambda/manifest/variable"
	"matchbook/lambda/postgres/reviews"
	"matchbook/lambda/review"
	"matchbook/lambda/review/record"
	"matchbook/lambda/review/web"

	"github.com/google/uuid"
)

// run is one run of reviews in a stack.
type run struct {
	local.Session
	contract // the only one; several are read one by one
	contracts
	pages    pageReader
	playbook []byte
	tenant   uuid.UUID
	budget   record.USD
	serve    bool
	person   string // at this machine
	source   *source
	fast     func(ctx context.Context, d time.Duration, advance func(context.Context, time.Duration) error) error
	kept     string // folder of a private database to continue with; empty without one

	id      uuid.UUID // of the only one
	reviews []*reviewed
}

func (r *run) configure(ctx context.Context) (c local.StackConfig, err error) {
	set, err := r.source.start(ctx, r.Now)
	if err != nil {
		return c, err
	}
	r.OnClose(r.source.Close)
	row := manifest.Review
	row.BatchSize = row.CallsInFlight // a larger batch leaves the last chunks to a few workers
	return local.StackConfig{Functions: []local.FunctionConfig{{Row: row, Env: set}}}, nil
}

func (r *run) starter() *review.Starter {
	return &review.Starter{Store: reviews.New(r.Stack.DB), Sender: r.Stack.Queue, Model: r.source.name,
		Price: r.source.costs, Log: slog.New(slog.NewTextHandler(r.Logs, nil))}
}

// do starts the reviews and waits until they have ended.
func (r *run) do(ctx context.Context) (err error) {
	if r.source.Flags.Mode == scripted.ModeOpenAI {
		r.Stack.Wait = r.wait
	}
	if r.fast != nil {
		r.Stack.Wait = func(ctx context.Context, d time.Duration) error { return r.fast(ctx, d, r.Stack.Advance) }
	}
	if err := r.repair(ctx); err != nil {
		return err
	}
	if r.several() {
		return r.doAll(ctx)
	}
	path := r.files[0]
	if r.id, err = r.begin(ctx, filepath.Base(path), r.text); err != nil {
		return err
	}
	r.reviews = []*reviewed{{path: path, id: r.id}}
	if err := r.announce(ctx); err != nil {
		return err
	}
	if r.serve {
		if err := r.listen(); err != nil {
			return err
		}
	}
	defer r.showFindings(ctx)()
	return r.Drain(ctx, r.standing)
}

func (r *run) announce(ctx context.Context) error {
	j, err := reviews.New(r.Stack.DB).Job(ctx, r.id)
	if err != nil {
		return err
	}
	r.Progress.Say("review %s of %s: %s", r.id, term.Clean(j.Name, mostName), plural.Of(j.Chunks, "part", "parts"))
	if j.Model != "" {
		r.Progress.Say("estimated cost: USD %.4f", j.Estimate.Dollars())
		if r.source.costs.Prompt == 0 {
			r.Progress.Say("unknown price of the model %s, see \"matchbook cost\": counting its costs as 0", j.Model)
		}
	}
	return nil
}

func (r *run) standing(ctx context.Context) (unfinished int, line string, err error) {
	j, err := reviews.New(r.Stack.DB).Job(ctx, r.id)
	if !j.Status.Over() {
		unfinished = j.ChunksOpen + 1
	}
	return unfinished, fmt.Sprintf("%d of %d parts done, %d findings, %d calls, USD %.4f",
		j.Chunks-j.ChunksOpen, j.Chunks, j.Findings, j.Calls, j.Cost.Dollars()), err
}

// showFindings prints findings as they arrive, until stop is called.
func (r *run) showFindings(ctx context.Context) (stop func()) {
	watched, cancel := context.WithCancel(ctx)
	var watching sync.WaitGroup
	shown := 0
	watching.Go(func() {
		ticker := time.NewTicker(look)
		defer ticker.Stop()
		for {
			select {
			case <-watched.Done():
				return
			case <-ticker.C:
				shown = r.showAfter(watched, shown)
			}
		}
	})
	return func() {
		cancel()
		watching.Wait()
		last, cancel := context.WithTimeout(context.WithoutCancel(ctx), time.Second)
		defer cancel()
		r.showAfter(last, shown)
	}
}

// look is the polling interval for findings.
const look = 250 * time.Millisecond

// showAfter prints the findings after the last one shown.
func (r *run) showAfter(ctx context.Context, after int) int {
	found, err := reviews.New(r.Stack.DB).Findings(ctx, r.id, after, 200)
	if err != nil {
		return after
	}
	for _, f := range found {
		r.Progress.Say("%4d  %-8s  %s", f.Seq, f.Severity, term.Clean(f.Title, mostName))
		after = f.Seq
	}
	return after
}

const mostName = 100

// source is the model of a review, with its price.
type source struct {
	scripted.Model
	price func(model string) (llm.Price, bool)

	name  string // the model's name in stored answers; empty without a model
	costs llm.Price
}

// start starts the model, and returns the function's variables for it, including the price.
// Scripted answers use the default model's price.
func (s *source) start(ctx context.Context, now func() time.Time) (set []string, err error) {
	if s.Flags.Mode == scripted.ModeNone {
		return nil, nil
	}
	s.Mind = scripted.ReviewByRules()
	s.Flags.Faults = 0
	if set, err = s.Start(ctx, now); err != nil {
		return nil, err
	}
	config, err := s.Config()
	if err != nil {
		return nil, err
	}
	client, err := openai.New(config.OpenAI)
	if err != nil {
		return nil, err
	}
	s.name = client.Model().Name()
	from := s.name
	if s.Flags.Scripted() {
		from = manifest.DefaultModel
	}
	if p, ok := s.price(from); ok {
		s.costs = p
		set = append(set, fmt.Sprintf("%s=%g,%g", variable.ModelPrice, p.Prompt, p.Completion))
	}
	return set, nil
}

// listen serves the review's page on this machine, and prints its address with a token valid
// for this run only.
func (r *run) listen() error {
	tokens, err := web.NewTokens(rand.Text() + rand.Text())
	if err != nil {
		return err
	}
	reviews := reviews.New(r.Stack.DB)
	url, stop, err := local.Serve("127.0.0.1:0", web.New(web.Config{Reviews: reviews, Control: reviews,
		Sender: r.Stack.Queue, Tokens: tokens, Person: r.person, Log: slog.New(slog.NewTextHandler(r.Logs, nil))}))
	if err != nil {
		return err
	}
	r.OnClose(stop)
	r.Progress.Say("watch it at %s/reviews/%s/page?token=%s", url, r.id, tokens.ForJob(r.tenant, r.id))
	return nil
}
