package matchrun

import (
	"context"
	"errors"
	"io"
	"math/rand/v2"
	"time"

	"matchbook/lambda/cli/term"
	"matchbook/lambda/document/corpus"
	"matchbook/lambda/document/csvfile"
	"matchbook/lambda/internal/plural"
	"matchbook/lambda/local"
	"matchbook/lambda/local/database"
	"matchbook/lambda/local/scripted"
	"matchbook/lambda/manifest"
	"matchbook/lambda/setup"
)

// Folder is a run of a folder of documents.
type Folder struct {
	Options
	Dir      string
	Sheet    *csvfile.Sheet // describes CSV files; nil skips them
	JSON     bool           // print the report as JSON
	Verbose  bool           // print the evidence too
	Logs     string         // file for the function's logs; "-" is the meter, empty discards them
	SlackLog string         // log file of a local Slack receiver; empty starts none
	Database database.Choice
	Model    scripted.Flags
}

// Run runs the documents, prints the report, and reports whether all succeeded.
func (f Folder) Run(ctx context.Context, env setup.Env, out io.Writer, p *term.Meter) (succeeded bool, err error) {
	r, err := f.prepare(env, p)
	if err != nil {
		return false, err
	}
	defer func() { err = errors.Join(err, r.Close()) }()
	if r.Channels, err = OpenChannels(env, f.SlackLog); err != nil {
		return false, err
	}
	r.OnClose(r.Channels.Close)
	if r.Model.Flags.Knowing() {
		if r.Model.Links, err = r.In.Links(f.Dir); err != nil {
			return false, err
		}
	}
	if err := r.Open(ctx, f.Database, env, r.configure, manifest.Match); err != nil {
		return false, err
	}
	report, err := r.rehearse(ctx)
	if err != nil {
		return false, err
	}
	if f.JSON {
		err = term.JSON(out, report)
	} else {
		_, err = io.WriteString(out, report.Text(f.Verbose))
	}
	return report.Accounting.AllSucceeded(), err
}

// prepare checks the options and reads the documents.
func (f Folder) prepare(env setup.Env, p *term.Meter) (*Run, error) {
	if err := f.Model.Check(env); err != nil {
		return nil, err
	}
	in, err := (&corpus.Reader{Tenant: corpus.DefaultTenant, Sheet: f.Sheet}).Read(f.Dir)
	if err != nil {
		return nil, err
	}
	p.Say("%s read from %s, %d malformed", plural.Of(len(in.Documents), "document", "documents"), f.Dir, len(in.Problems))
	if len(in.Skipped) > 0 {
		p.Say("skipped files: %s", in.Skipped)
	}
	for _, remark := range in.Remarks {
		p.Say("check %s: %s", remark.Where(), remark.What)
	}
	p.Say("%s", f.Model.Choose(env))
	for f.Seed == 0 && (f.KillEvery > 0 || f.Model.Mode == scripted.ModeNoisy) {
		f.Seed = rand.Uint64() >> 32
	}
	return &Run{Session: local.Session{Progress: p, LogFile: f.Logs}, In: in, Options: f.Options,
		Model: scripted.Model{Flags: f.Model, Env: env, Seed: f.Seed}}, nil
}

// rehearse runs the documents, sends the pending notifications, and returns the report.
func (r *Run) rehearse(ctx context.Context) (report *Report, err error) {
	switch err := r.Do(ctx); {
	case errors.Is(err, context.Canceled) && ctx.Err() != nil:
		return r.soFar(ctx)
	case err != nil:
		return nil, err
	}
	notified, err := r.Notify(ctx)
	if err != nil {
		return nil, err
	}
	if report, err = r.Report(ctx); err != nil {
		return nil, err
	}
	report.Notified = notified
	return report, nil
}

// soFar returns the report of an interrupted run.
func (r *Run) soFar(ctx context.Context) (*Report, error) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), soFarWithin)
	defer cancel()
	report, err := r.Report(ctx)
	if err == nil {
		report.Accounting.Interrupted = true
	}
	return report, err
}

// soFarWithin bounds the time for the report of an interrupted run.
const soFarWithin = 30 * time.Second
