// Package explain answers people's questions about the database: the state of a document and
// its considered pairs with evidence, two documents side by side, open work, and the effect
// of a decision. All texts from documents in its reports are clean.
package explain

import (
	"context"
	"fmt"
	"math"
	"strings"
	"unicode/utf8"

	"matchbook/lambda/cli/term"
	"matchbook/lambda/document"
	"matchbook/lambda/match/score"
	"matchbook/lambda/postgres"
	"matchbook/lambda/postgres/matches"
	"matchbook/lambda/postgres/report"

	"github.com/google/uuid"
)

// Reader reads reports from a database. Use it within one command or request, because it
// holds the context.
type Reader struct {
	ctx     context.Context
	db      *postgres.DB
	matches *matches.Store // of db
	reports report.Reader  // of db
}

// NewReader returns a Reader of db, which the caller closes.
func NewReader(ctx context.Context, db *postgres.DB) *Reader {
	return Sharing(ctx, db, matches.New(db))
}

// Sharing is NewReader with the store of a process in which several people decide, so that they
// queue for a tenant instead of contending for it (see matches.Store).
func Sharing(ctx context.Context, db *postgres.DB, m *matches.Store) *Reader {
	return &Reader{ctx, db, m, report.From(db)}
}

// Report is a result, printed as Text or as JSON.
type Report interface{ Text() string }

// Explain explains one document or compares two, each given by its id, its ingestion's id, its
// number or its file's name. It also explains the id of a review, a chunk or a job of match offers.
func (d *Reader) Explain(args []string) (Report, error) {
	if len(args) == 1 {
		for _, find := range []func(string) (Report, error){d.chunks, d.offerJob} {
			if r, err := find(args[0]); r != nil || err != nil {
				return d.withTries(r, err)
			}
		}
	}
	docs, err := d.resolve(args)
	if err != nil {
		return nil, err
	}
	if len(docs) == 1 {
		return d.withTries(d.explainOne(docs[0]))
	}
	return d.compare(docs[0], docs[1])
}

// Error is an error in our own words, safe to print as is.
type Error struct{ error }

// Unwrap returns the reason.
func (e Error) Unwrap() error { return e.error }

// Errorf returns an Error.
func Errorf(format string, args ...any) error { return Error{fmt.Errorf(format, args...)} }

// resolve reads one or two documents by id, number or file name. Two must differ.
func (d *Reader) resolve(args []string) (docs []*documentState, err error) {
	for _, arg := range args {
		id, err := d.find(arg)
		if err != nil {
			return nil, err
		}
		doc, err := d.read(id)
		if err != nil {
			return nil, err
		}
		docs = append(docs, doc)
	}
	if len(docs) == 2 && docs[0].ID == docs[1].ID {
		return nil, Errorf("duplicate document: both are %s, ID %s", docs[0].Called(), docs[0].ID)
	}
	return docs, nil
}

// Find returns the ids of documents, each given by its id, its number or its file's name. Unknown ids are
// returned as they are, because a row of another kind may have them.
func (d *Reader) Find(args []string) (ids []uuid.UUID, err error) {
	for _, arg := range args {
		id, noID := document.ParseID(arg)
		if noID != nil {
			if id, err = d.find(arg); err != nil {
				return nil, err
			}
		}
		ids = append(ids, id)
	}
	return ids, nil
}

// Ingestions returns the ids of ingestions, each given by its id, or by the number or the file's name
// of a document in it.
func (d *Reader) Ingestions(args []string) (ids []uuid.UUID, err error) {
	for _, arg := range args {
		id, noID := document.ParseID(arg)
		if noID != nil {
			doc, err := d.find(arg)
			if err != nil {
				return nil, err
			}
			file, err := d.reports.File(d.ctx, doc)
			if err != nil {
				return nil, err
			}
			if file == nil {
				return nil, Errorf("ingestion not found: %s came without a file", doc)
			}
			id = file.Ingestion
		}
		ids = append(ids, id)
	}
	return ids, nil
}

// find returns the id of a document by its id, its ingestion's id, its number or its file's name.
func (d *Reader) find(arg string) (uuid.UUID, error) {
	id, noID := document.ParseID(arg)
	if noID == nil {
		if found, err := d.reports.Summaries(d.ctx, []uuid.UUID{id}); err != nil || len(found) == 1 {
			return id, err
		}
		if of, err := d.reports.DocumentOf(d.ctx, id); err != nil || of != uuid.Nil {
			return of, err
		}
	}
	var ids []uuid.UUID
	if utf8.ValidString(arg) && arg != "" && !strings.Contains(arg, "\x00") {
		var err error
		if ids, err = d.numbered(arg); err == nil && len(ids) == 0 {
			ids, err = d.reports.Named(d.ctx, arg)
		}
		if err != nil {
			return uuid.Nil, err
		}
	}
	switch {
	case len(ids) == 1:
		return ids[0], nil
	case len(ids) > 1:
		return uuid.Nil, d.ambiguous(arg, ids)
	case noID == nil:
		return uuid.Nil, Errorf("document not found: %s", id)
	}
	return uuid.Nil, Errorf("document not found: no ID, number or file name %q", term.Clean(arg, term.MaxValue))
}

// numbered lists the documents with this number: as typed, otherwise in upper, lower or mixed
// case.
func (d *Reader) numbered(number string) (ids []uuid.UUID, err error) {
	for _, n := range []string{number, strings.ToUpper(number), strings.ToLower(number)} {
		if ids, err = d.reports.Numbered(d.ctx, n); err != nil || len(ids) > 0 {
			return ids, err
		}
	}
	all, err := d.reports.Tenants(d.ctx, nil, math.MaxInt32)
	if err != nil {
		return nil, err
	}
	var tenants []uuid.UUID
	var keys []string
	for _, t := range all {
		own, err := score.OwnKeys(t.ID, number)
		if err != nil {
			return nil, err
		}
		for _, key := range own {
			tenants, keys = append(tenants, t.ID), append(keys, key)
		}
	}
	return d.reports.NumberedInAnyCase(d.ctx, tenants, keys, number)
}

func (d *Reader) ambiguous(number string, ids []uuid.UUID) error {
	found, err := d.reports.Summaries(d.ctx, ids)
	if err != nil {
		return err
	}
	lines := make([]string, len(found))
	for i, s := range found {
		lines[i] = fmt.Sprintf("\n  %s  tenant %s  %s of %s", s.ID, s.TenantID,
			term.Clean(s.Type.Words(), term.MaxValue), orNone(term.Clean(s.Supplier, term.MaxValue)))
	}
	return Errorf("ambiguous number or name: %d documents have %[2]q; use an ID%[3]s",
		len(found), term.Clean(number, term.MaxValue), strings.Join(lines, ""))
}
