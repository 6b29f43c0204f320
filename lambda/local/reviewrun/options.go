package reviewrun

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"time"

	"matchbook/lambda/cli/term"
	"matchbook/lambda/document/corpus"
	"matchbook/lambda/document/docx"
	"matchbook/lambda/llm"
	"matchbook/lambda/local"
	"matchbook/lambda/local/database"
	"matchbook/lambda/local/scripted"
	"matchbook/lambda/manifest"
	"matchbook/lambda/postgres/reviews"
	"matchbook/lambda/review/playbook"
	"matchbook/lambda/review/record"
	"matchbook/lambda/review/report"
	"matchbook/lambda/setup"
)

// Options are the options of a review.
type Options struct {
	JSON           bool    // print the result as JSON
	HTML, Markdown string  // files for the report; empty writes none
	Word           string  // file for the Word document with comments; empty writes none
	Playbook       string  // file; empty uses the default
	Budget         float64 // USD; 0 for none
	Serve          bool    // serve the review's page until interrupted
	Person         string  // at this machine, suggested by the page
	Logs           string  // file for the function's logs; "-" is the meter, empty discards them
	Database       database.Choice
	Model          scripted.Flags
	// Wait replaces the wait for a delivery after a failure of a real model, in tests.
	Wait func(ctx context.Context, d time.Duration, advance func(context.Context, time.Duration) error) error
	// Price returns the price of a model by name, or false if unknown.
	Price func(model string) (llm.Price, bool)
}

// Review reviews the contracts in files and folders, prints the result, or a table of several,
// and reports whether every part was read.
func (o Options) Review(ctx context.Context, paths []string, env setup.Env, out io.Writer, m *term.Meter) (
	complete bool, err error,
) {
	r, err := o.prepare(ctx, paths, env, m)
	if err != nil {
		return false, err
	}
	if err := r.keep(&o, env); err != nil {
		return false, err
	}
	defer func() { err = errors.Join(err, r.end(complete && err == nil)) }()
	if err := r.Open(ctx, o.Database, env, r.configure, manifest.Review); err != nil {
		return false, err
	}
	if err := r.do(ctx); err != nil {
		return false, err
	}
	if r.several() {
		return o.showAll(ctx, r, out)
	}
	result, err := report.Read(ctx, reviews.New(r.Stack.DB), r.id)
	if err != nil {
		return false, err
	}
	if err := o.show(result, r.word, out); err != nil {
		return false, err
	}
	if o.Serve {
		m.Say("serving the page until you press Ctrl-C")
		<-ctx.Done()
	}
	return result.Job.Status == record.Completed, nil
}

// prepare checks the options, and reads the playbook and the contract if there's only one.
func (o Options) prepare(ctx context.Context, paths []string, env setup.Env, m *term.Meter) (*run, error) {
	if err := o.Model.Check(env); err != nil {
		return nil, err
	}
	if err := o.Model.AboutMatches(); err != nil {
		return nil, err
	}
	if !(o.Budget >= 0 && o.Budget <= 1e6) { // refuses NaN too
		return nil, errors.New("--budget must be an amount of US dollars from 0 to 1000000")
	}
	r := &run{Session: local.Session{Progress: m, LogFile: o.Logs}, fast: o.Wait, tenant: corpus.DefaultTenant,
		budget: record.USD(math.Round(o.Budget * 1e6)), serve: o.Serve, person: o.Person,
		source: &source{Model: scripted.Model{Flags: o.Model, Env: env}, price: o.Price}}
	var err error
	if r.contracts, err = contractsIn(paths); err != nil {
		return nil, err
	}
	if o.Serve && r.several() {
		return nil, errors.New("--serve must be used with one contract")
	}
	if o.Playbook != "" {
		if r.playbook, err = os.ReadFile(o.Playbook); err != nil {
			return nil, fmt.Errorf("--playbook: %w", err)
		}
		if _, err := playbook.Parse(r.playbook); err != nil {
			return nil, fmt.Errorf("--playbook: %s: %w", o.Playbook, err)
		}
	}
	if !r.several() {
		if r.contract, err = r.read(ctx, r.files[0]); err == nil {
			err = o.checkWord(r.files[0], r.word)
		}
		if err != nil {
			return nil, errors.Join(err, r.pages.close())
		}
	}
	m.Say("%s", r.source.Flags.Choose(env))
	if o.Budget > 0 && r.source.Flags.Mode == scripted.ModeNone {
		return nil, errors.New("--budget must be used with a model: rules cost nothing")
	}
	return r, nil
}

// show prints the result and writes the reports.
func (o Options) show(r report.Review, word *docx.Document, out io.Writer) error {
	if err := o.write(r, word); err != nil {
		return err
	}
	result := ResultOf(r)
	result.addWord(word)
	return term.Print(out, result, o.JSON)
}

// write writes the reports.
func (o Options) write(r report.Review, word *docx.Document) error {
	if o.HTML != "" {
		page, err := report.HTML(r)
		if err == nil {
			err = os.WriteFile(o.HTML, page, 0o600)
		}
		if err != nil {
			return fmt.Errorf("--html: %w", err)
		}
	}
	if o.Markdown != "" {
		if err := os.WriteFile(o.Markdown, []byte(report.Markdown(r)), 0o600); err != nil {
			return fmt.Errorf("--markdown: %w", err)
		}
	}
	return o.writeWord(word, r)
}
