package main

import (
	"errors"
	"fmt"
	"strings"

	"matchbook/lambda/blob"
	"matchbook/lambda/cli"
	"matchbook/lambda/cli/erase"
	"matchbook/lambda/cli/explain"
	"matchbook/lambda/job"
	"matchbook/lambda/manifest/variable"
	"matchbook/lambda/postgres"
	"matchbook/lambda/setup"

	"github.com/google/uuid"
	"github.com/spf13/cobra"
)

type deleteOptions struct {
	sessionOptions
	tenant, document, confirm string
	dryRun                    bool
}

func (w *invocation) deleteCommand() *cobra.Command {
	var o deleteOptions
	cmd := o.add(&cobra.Command{
		Use:   "delete --tenant ID | --document DOC",
		Short: "Delete a tenant or a document for good",
		Args:  cli.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			tenant, err := tenantFlag(o.tenant)
			if err != nil {
				return err
			}
			if (o.tenant == "") == (o.document == "") {
				return errors.New("expected either --tenant or --document")
			}
			return w.inTenant(cmd.Context(), o.sessionOptions, tenant, func(s *session) error { return s.erase(o, tenant) })
		},
	})
	flags := cmd.Flags()
	flags.StringVar(&o.tenant, "tenant", "", "delete everything of the tenant with this `ID`")
	flags.StringVar(&o.document, "document", "", "delete this `DOC`, by ID or number, and its file with all documents in it")
	flags.BoolVar(&o.dryRun, "dry-run", false, "count what would be deleted, and change nothing")
	flags.StringVar(&o.confirm, "confirm", "", "repeat the `ID` of the tenant or document, otherwise nothing is deleted")
	return cmd
}

func (s *session) erase(o deleteOptions, tenant uuid.UUID) error {
	e, id := postgres.Erasure{Tenant: tenant}, tenant
	if o.document != "" {
		ids, err := explain.NewReader(s.ctx, s.db).Find([]string{o.document})
		if err != nil {
			return err
		}
		id = ids[0]
		if e, err = s.db.ErasureOf(s.ctx, id); errors.Is(err, job.ErrNotFound) {
			return explain.Errorf("document not found: %s", id)
		} else if err != nil {
			return err
		}
	}
	if o.confirm != "" && o.confirm != id.String() {
		return explain.Errorf("invalid --confirm %.50q: expected %s", o.confirm, id)
	}
	x, err := s.eraser()
	if err != nil {
		return err
	}
	do, confirmed := x.Plan, o.dryRun
	if o.confirm != "" && !o.dryRun {
		do, confirmed = x.Run, true
	}
	r, err := do(s.ctx, e)
	if err == nil && !r.DryRun {
		r.DeadLetters, err = s.dropErased(e)
	}
	if err != nil {
		return err
	}
	if err := s.Print(r, s.json); err != nil {
		return err
	}
	if !confirmed {
		fmt.Fprintf(s.ErrOut, "nothing deleted: repeat the command with --confirm %s\n", id)
	}
	return cli.Findings(confirmed && r.Unsent == 0, nil)
}

// dropErased deletes the dead letters of the deleted rows and files.
func (s *session) dropErased(e postgres.Erasure) (int, error) {
	desk, unset, err := s.desk(dlqFlags{reason: "deleted"})
	if err != nil {
		return 0, err
	}
	if len(unset) > 0 {
		fmt.Fprintf(s.ErrOut, "unknown queues of %s: their dead letters keep IDs until matchbook dlq drop\n", strings.Join(unset, ", "))
	}
	of := e.Tenant
	if e.Documents != nil { // the tenant stays
		of = uuid.Nil
	}
	return desk.DropErased(s.ctx, of)
}

// eraser opens the files and the queue, if they are configured.
func (s *session) eraser() (*erase.Eraser, error) {
	x := &erase.Eraser{Store: s.db, Say: func(format string, args ...any) { fmt.Fprintf(s.ErrOut, format+"\n", args...) }}
	if url := s.Env(variable.BlobURL); url != "" && s.keep == "" {
		files, err := blob.Open(s.ctx, url, setup.LoadSignedIn)
		if err != nil {
			return nil, explain.Errorf("%s: %w", variable.BlobURL, err)
		}
		x.Files = files
	}
	var err error
	x.Queue, err = s.matchQueue()
	return x, err
}
