package main

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"slices"

	"matchbook/lambda/corpus"
	"matchbook/lambda/document"
	"matchbook/lambda/postgres"
	"matchbook/lambda/term"

	"github.com/aws/aws-lambda-go/events"
	"github.com/google/uuid"
	"github.com/spf13/cobra"
)

const sampleDocuments = "testdata/documents"

// invokeOptions are the flags of the invoke command.
type invokeOptions struct {
	event     string
	documents string
	json      bool
	logs      string
	database  databaseOptions
}

func (w *world) invokeCommand() *cobra.Command {
	var o invokeOptions
	cmd := &cobra.Command{
		Use:   "invoke -e FILE",
		Short: "Invoke the function once with an SQS event, as sam local invoke does, without Docker",
		Long: `Invoke starts a private PostgreSQL (or, with --database, takes the one that
DATABASE_URL names), imports documents without publishing them, and sends one event to the real
Lambda bootstrap, over the URL of AWS's Runtime Interface Emulator. It prints the
response, and what became of the document of each record.

No queue feeds the function. The messages of the event exist nowhere else, so
a change of their visibility is refused, and logged. Events must name the queue
arn:aws:sqs:us-east-1:000000000000:match. A database of your own keeps what it
knows of a document: one that has succeeded is not matched again.

Exit status: 0 every record is acknowledged; 1 some came back as failed, or the
function ended in an error; 2 it could not run.`,
		Example: `  matchbook invoke -e testdata/events/one-document.json
  matchbook invoke -e testdata/events/batch-with-poison-body.json --logs -
  matchbook invoke -e event.json --documents invoices/ --json | jq .records
  jq '.Records[0].attributes.ApproximateReceiveCount = "2"' event.json | matchbook invoke -e -`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if !cmd.Flags().Changed("documents") && !exists(o.documents) {
				o.documents = ""
			}
			return w.invoke(cmd.Context(), cmd.InOrStdin(), o)
		},
	}
	flags := cmd.Flags()
	flags.StringVarP(&o.event, "event", "e", "", "file with the event; - is standard input")
	flags.StringVar(&o.documents, "documents", sampleDocuments, "folder of documents to import first; the default counts only if it exists")
	flags.BoolVar(&o.json, "json", false, "print the outcome as JSON")
	flags.StringVar(&o.logs, "logs", "", "append what the function logs to this file; - is standard error")
	o.database.flag(cmd)
	_ = cmd.MarkFlagRequired("event") // fails only for a flag that is not there
	return cmd
}

func exists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}

func (w *world) invoke(ctx context.Context, stdin io.Reader, o invokeOptions) (err error) {
	p := term.NewMeter(w.errOut)
	defer p.Close()
	event, err := readEvent(o.event, stdin)
	if err != nil {
		return err
	}
	in := &corpus.Input{}
	if o.documents != "" {
		if in, err = corpus.ReadFolder(o.documents); err != nil {
			return err
		}
	}
	url, stop, err := w.openDatabase(ctx, o.database, p)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, stop()) }()
	r := &matchRun{in: in, options: matchOptions{logs: o.logs, concurrency: 1}, progress: p, noMapping: true}
	if err := r.start(ctx, url); err != nil {
		return err
	}
	defer func() { err = errors.Join(err, r.close()) }()
	if err := r.store(ctx); err != nil {
		return err
	}
	for _, problem := range in.Problems {
		p.Say("not imported: %s: %s", problem.Where(), problem.What)
	}
	p.Say("%d documents imported, none of them published", len(r.ids))
	outcome, err := r.invoke(ctx, event)
	if err != nil {
		return err
	}
	if err := outcome.write(w.out, o.json); err != nil {
		return err
	}
	if !outcome.allAcknowledged() {
		return errFindings
	}
	return nil
}

// readEvent reads an event, from stdin if the name is -.
func readEvent(name string, stdin io.Reader) ([]byte, error) {
	read := func() ([]byte, error) { return os.ReadFile(name) }
	if name == "-" {
		name, read = "standard input", func() ([]byte, error) { return io.ReadAll(stdin) }
	}
	event, err := read()
	if err != nil {
		return nil, fmt.Errorf("read the event: %w", err)
	}
	if !json.Valid(event) {
		return nil, fmt.Errorf("the event in %s is not valid JSON", name)
	}
	return event, nil
}

// outcome is what one invocation did; its JSON is for machines.
type outcome struct {
	Response json.RawMessage `json:"response,omitempty"`
	Error    json.RawMessage `json:"function_error,omitempty"` // instead of a response
	Records  []recordOutcome `json:"records"`
}

type recordOutcome struct {
	Message  string `json:"message_id"`
	Document string `json:"document,omitempty"` // its id
	Status   string `json:"status"`             // matching_status, or malformed, missing, not queued
	Error    string `json:"error,omitempty"`
	Attempts int    `json:"attempts"`
}

// invoke sends the event over the emulator's URL, and reads what became of
// the documents that it names.
func (r *matchRun) invoke(ctx context.Context, event []byte) (o *outcome, err error) {
	url, stop, err := serve("127.0.0.1:0", r.stack.Function)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, stop()) }()
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, url+"/2015-03-31/functions/function/invocations", bytes.NewReader(event))
	if err != nil {
		return nil, err
	}
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		return nil, fmt.Errorf("invoke: %w", errors.Join(ctx.Err(), err))
	}
	defer response.Body.Close()
	body, err := io.ReadAll(response.Body)
	if err != nil {
		return nil, fmt.Errorf("read the response: %w", err)
	}
	o = &outcome{Response: body}
	switch {
	case response.StatusCode != http.StatusOK:
		return nil, fmt.Errorf("the event was refused: %s: %s", response.Header.Get("X-Amzn-Errortype"), bytes.TrimSpace(body))
	case response.Header.Get("X-Amz-Function-Error") != "":
		o = &outcome{Error: body}
	}
	o.Records, err = r.records(ctx, event)
	return o, err
}

// records looks up the document of each record. An event of another kind has none.
func (r *matchRun) records(ctx context.Context, event []byte) ([]recordOutcome, error) {
	var batch events.SQSEvent
	if json.Unmarshal(event, &batch) != nil {
		return []recordOutcome{}, nil //nolint:nilerr // an event of another kind
	}
	var ids []uuid.UUID
	for _, record := range batch.Records {
		if id, err := document.ParseID(record.Body); err == nil {
			ids = append(ids, id)
		}
	}
	documents, err := r.stack.DB.Summaries(ctx, ids)
	if err != nil {
		return nil, fmt.Errorf("read the outcome: %w", err)
	}
	list := make([]recordOutcome, len(batch.Records))
	for i, record := range batch.Records {
		list[i] = recordOutcome{Message: record.MessageId, Status: "malformed"}
		id, err := document.ParseID(record.Body)
		if err != nil {
			list[i].Error = "the body is " + err.Error()
			continue
		}
		list[i].Document, list[i].Status = id.String(), "missing"
		if at := slices.IndexFunc(documents, func(d postgres.Summary) bool { return d.ID == id }); at >= 0 {
			d := documents[at]
			list[i].Status, list[i].Error, list[i].Attempts = cmp.Or(d.Status, "not queued"), d.Error, d.Attempts
		}
	}
	return list, nil
}

// allAcknowledged says whether Lambda would delete every message. A list that
// is null would delete them too, but only by accident.
func (o *outcome) allAcknowledged() bool {
	var response events.SQSEventResponse
	return json.Unmarshal(o.Response, &response) == nil && response.BatchItemFailures != nil && len(response.BatchItemFailures) == 0
}

func (o *outcome) write(out io.Writer, asJSON bool) error {
	if asJSON {
		return term.JSON(out, o)
	}
	var text bytes.Buffer
	if o.Error != nil {
		fmt.Fprintf(&text, "FUNCTION ERROR %s\n", o.Error)
	} else {
		fmt.Fprintf(&text, "%s\n", o.Response)
	}
	for _, r := range o.Records {
		fmt.Fprintf(&text, "%s  %s", cmp.Or(r.Document, "message "+r.Message), r.Status)
		if r.Attempts > 0 {
			fmt.Fprintf(&text, ", attempts: %d", r.Attempts)
		}
		if r.Error != "" {
			fmt.Fprintf(&text, ": %s", r.Error)
		}
		fmt.Fprintln(&text)
	}
	_, err := text.WriteTo(out)
	return err
}
