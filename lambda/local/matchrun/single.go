package matchrun

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"

	"matchbook/lambda/cli/term"
	"matchbook/lambda/document/corpus"
	"matchbook/lambda/internal/plural"
	"matchbook/lambda/local"
	"matchbook/lambda/local/database"
	"matchbook/lambda/manifest"
	"matchbook/lambda/setup"
)

// Single invokes the function with one event.
type Single struct {
	Event     string // file name; "-" is standard input
	Documents string // folder of documents to import first; empty imports none
	JSON      bool   // print the outcome as JSON
	Logs      string
	Database  database.Choice
}

// Run invokes the function, prints the outcome, and reports whether every message was
// acknowledged.
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
	if err := r.Open(ctx, o.Database, env, r.configure, manifest.Match); err != nil {
		return false, err
	}
	if err := r.Store(ctx); err != nil {
		return false, err
	}
	for _, problem := range in.Problems {
		p.Say("not imported: %s: %s", problem.Where(), problem.What)
	}
	p.Say("%s imported, not published", plural.Of(len(r.IDs), "document", "documents"))
	outcome, err := r.Invoke(ctx, event)
	if err != nil {
		return false, err
	}
	return outcome.AllAcknowledged(), term.Print(out, outcome, o.JSON)
}

// readEvent reads an event from a file, or from stdin if the name is "-".
func readEvent(name string, stdin io.Reader) ([]byte, error) {
	read := func() ([]byte, error) { return os.ReadFile(name) }
	if name == "-" {
		name, read = "standard input", func() ([]byte, error) { return io.ReadAll(stdin) }
	}
	event, err := read()
	if err != nil {
		return nil, fmt.Errorf("read event: %w", err)
	}
	if !json.Valid(event) {
		return nil, fmt.Errorf("invalid JSON in event %s", name)
	}
	return event, nil
}
