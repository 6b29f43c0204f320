package matchrun

import (
	"context"
	"errors"
	"io"

	"matchbook/lambda/cli/term"
	"matchbook/lambda/document/corpus"
	"matchbook/lambda/local"
	"matchbook/lambda/local/database"
	"matchbook/lambda/setup"
)

// Single is the invocation of the function with one event, with its options.
type Single struct {
	Event     string // the file; - is standard input
	Documents string // the folder of documents to import first; empty: none
	JSON      bool   // print the outcome as JSON
	Logs      string
	Database  database.Choice
}

// Run invokes the function and prints the outcome. It returns whether every
// message was acknowledged.
func (o Single) Run(ctx context.Context, env setup.Env, stdin io.Reader, out io.Writer, p *term.Meter) (
	acknowledged bool, err error,
) {
	event, err := readEvent(o.Event, stdin)
	if err != nil {
		return false, err
	}
	in := &corpus.Input{}
	if o.Documents != "" {
		if in, err = corpus.ReadFolder(o.Documents); err != nil {
			return false, err
		}
	}
	r := &Run{Session: local.Session{Progress: p, LogFile: o.Logs}, In: in, NoMapping: true,
		Options: Options{Concurrency: 1, Again: true}}
	defer func() { err = errors.Join(err, r.Close()) }()
	url, stop, err := o.Database.Fill(ctx, env, p)
	if err != nil {
		return false, err
	}
	r.OnClose(stop)
	if err := r.Start(ctx, url); err != nil {
		return false, err
	}
	if err := r.Store(ctx); err != nil {
		return false, err
	}
	for _, problem := range in.Problems {
		p.Say("not imported: %s: %s", problem.Where(), problem.What)
	}
	p.Say("%d documents imported, none of them published", len(r.IDs))
	outcome, err := r.Invoke(ctx, event)
	if err != nil {
		return false, err
	}
	return outcome.AllAcknowledged(), outcome.Write(out, o.JSON)
}
