package main

import (
	"cmp"
	"context"
	"io"
	"strings"
	"time"

	"matchbook/lambda/cli/term"
	"matchbook/lambda/postgres/report"

	"github.com/google/uuid"
	"github.com/spf13/cobra"
)

// The shell waits for a completion, so it reads the latest documents of some tenants only, whatever
// the size of the database.
const (
	completesIn      = 2 * time.Second
	completedTenants = 20
	completedEach    = 200
)

// complete lets the shell complete numbers and ids of the latest documents where a command takes
// them, and tenants for --tenant, if a database is at hand.
func (w *invocation) complete(cmd *cobra.Command) {
	for _, below := range cmd.Commands() {
		w.complete(below)
	}
	if cmd.Flags().Lookup("tenant") != nil {
		_ = cmd.RegisterFlagCompletionFunc("tenant", w.completion((*session).tenants)) // fails only for an unknown flag
	}
	if use := cmd.Use; strings.Contains(use, "DOC") {
		documents := w.completion((*session).latest)
		cmd.ValidArgsFunction = func(cmd *cobra.Command, args []string, typed string) ([]string, cobra.ShellCompDirective) {
			if !takesDocument(use, len(args)) {
				return nil, cobra.ShellCompDirectiveNoFileComp
			}
			return documents(cmd, args, typed)
		}
	}
}

// takesDocument reports whether the nth argument of a command is a document: "correct DOC [FIELD=VALUE]..." takes one.
func takesDocument(use string, n int) bool {
	words := strings.Fields(use)[1:]
	for i, word := range words {
		if i == n || strings.HasSuffix(word, "...") {
			return strings.Contains(word, "DOC")
		}
	}
	return false
}

// completion returns what find finds in the database of the command line.
func (w *invocation) completion(find func(*session, context.Context, string) ([]string, error)) cobra.CompletionFunc {
	return func(cmd *cobra.Command, _ []string, typed string) (list []string, _ cobra.ShellCompDirective) {
		var o sessionOptions
		o.keep, _ = cmd.Flags().GetString("keep") // a command may have none
		quiet := &invocation{w.Invocation}
		quiet.ErrOut = io.Discard
		ctx, cancel := context.WithTimeout(cmd.Context(), completesIn)
		defer cancel()
		_ = quiet.inSession(ctx, o, func(s *session) (err error) { // without a database there is nothing to complete
			list, err = find(s, ctx, typed)
			return err
		})
		return list, cobra.ShellCompDirectiveNoFileComp
	}
}

func (s *session) tenants(ctx context.Context, typed string) (list []string, err error) {
	found, err := report.From(s.db).Tenants(ctx, nil, completedEach)
	for _, t := range found {
		if strings.HasPrefix(t.ID.String(), typed) {
			list = append(list, t.ID.String()+"\t"+term.Clean(t.Name, term.MaxValue))
		}
	}
	return list, err
}

// latest returns the numbers of the latest documents that begin with typed, and the ids of documents
// without a plain number, or if an id is being typed.
func (s *session) latest(ctx context.Context, typed string) (list []string, err error) {
	reports := report.From(s.db)
	tenants, err := reports.Tenants(ctx, nil, completedTenants)
	if err != nil {
		return nil, err
	}
	for _, t := range tenants {
		found, err := reports.List(ctx, report.ListFilter{Tenant: t.ID}, report.Place{}, completedEach)
		if err != nil {
			return nil, err
		}
		for _, d := range found {
			if word := completed(d.Number, d.ID, typed); word != "" {
				of := term.Clean(cmp.Or(d.Supplier, d.FileName), term.MaxValue)
				list = append(list, word+"\t"+strings.TrimSpace(d.Type.Words()+" "+of))
			}
		}
	}
	return list, nil
}

// completed returns the number or the id of a document that begins with typed; empty: neither does.
func completed(number string, id uuid.UUID, typed string) string {
	plain := number != "" && term.Clean(number, term.MaxValue) == number
	switch {
	case plain && strings.HasPrefix(number, typed):
		return number
	case strings.HasPrefix(id.String(), typed) && (!plain || typed != ""):
		return id.String()
	}
	return ""
}
