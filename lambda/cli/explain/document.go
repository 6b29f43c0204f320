package explain

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"

	"matchbook/lambda/cli/term"
	"matchbook/lambda/document"
	"matchbook/lambda/document/format"
	"matchbook/lambda/match/score"
	"matchbook/lambda/postgres/report"

	"github.com/google/uuid"
)

// named identifies a document for people.
type named struct {
	ID     uuid.UUID     `json:"id"`
	Type   document.Type `json:"type"`
	Number string        `json:"number,omitempty"`
	// FileName is the name of its file, as sent.
	FileName string `json:"file_name,omitempty"`
}

// Called returns the type and the number of a document; without a number the name of its file,
// otherwise its id.
func (n named) Called() string { return term.Label(n.Type, cmp.Or(n.Number, n.FileName), n.ID) }

// documentState is a document with its matching state. All texts are clean.
type documentState struct {
	named
	TenantID   uuid.UUID   `json:"tenant_id"`
	Date       string      `json:"date,omitempty"`
	Supplier   string      `json:"supplier,omitempty"`
	Buyer      string      `json:"buyer,omitempty"`
	progress               // of matching
	File       *file       `json:"file,omitempty"` // source of the document
	ClusterID  *uuid.UUID  `json:"cluster_id"`
	Cluster    []named     `json:"cluster,omitempty"` // its members
	Cites      []reference `json:"cites,omitempty"`
	Unreadable string      `json:"unreadable,omitempty"` // reason for unreadable structured data
	// Unknown names the fields of the structured data that matching ignores.
	Unknown []string `json:"unknown_fields,omitempty"`
	// NoEmbedding is the reason for a missing embedding.
	NoEmbedding string `json:"no_embedding,omitempty"`
	raw         score.Raw
	data        document.Data // not clean
}

type reference struct {
	Type   string `json:"type"`
	Number string `json:"number"`
}

// String returns the type in words, and the number.
func (r reference) String() string {
	return cmp.Or(strings.ReplaceAll(r.Type, "-", " "), "number") + " " + r.Number
}

// read reads a document, or returns an Error for an unknown id.
func (d *Reader) read(id uuid.UUID) (*documentState, error) {
	summaries, err1 := d.reports.Summaries(d.ctx, []uuid.UUID{id})
	raws, err2 := d.matches.Raws(d.ctx, []uuid.UUID{id})
	if err := errors.Join(err1, err2); err != nil {
		return nil, err
	}
	if len(summaries) != 1 || len(raws) != 1 {
		return nil, Errorf("document not found: %s", id)
	}
	times, err := d.reports.Times(d.ctx, id)
	if err != nil {
		return nil, err
	}
	s := summaries[0]
	doc := &documentState{named: name(s), TenantID: s.TenantID, Supplier: term.Clean(s.Supplier, term.MaxValue),
		progress: newProgress(s.Status, s.Attempts, s.Error, times), ClusterID: s.Cluster, raw: raws[0],
		NoEmbedding: term.Clean(s.NoVector, term.MaxText)}
	doc.parse()
	if doc.File, err = d.file(id); err != nil {
		return nil, err
	}
	if s.Cluster == nil {
		return doc, nil
	}
	members, err := d.reports.Clustered(d.ctx, *s.Cluster)
	if err != nil {
		return nil, err
	}
	doc.Cluster, err = d.names(members)
	return doc, err
}

func (d *documentState) parse() {
	var err error
	if d.data, err = document.Parse([]byte(d.raw.Data)); err != nil {
		d.Unreadable = err.Error()
		if d.raw.Data == "" {
			d.Unreadable = fmt.Sprintf("none, or more than %d bytes", document.MaxBytes)
		}
		return
	}
	d.Date, d.Buyer = d.data.Date.String(), term.Clean(d.data.Buyer.Name, term.MaxValue)
	for _, p := range format.Check(fmt.Appendf(nil, `{"type":%q,"structured_data":%s}`, d.Type, d.raw.Data)) {
		if p.Unknown {
			d.Unknown = append(d.Unknown, term.Clean(strings.TrimPrefix(p.Path, "$.structured_data."), term.MaxValue))
		}
	}
	for _, r := range d.data.References {
		d.Cites = append(d.Cites, reference{term.Clean(r.Type, term.MaxValue), term.Clean(r.Number, term.MaxValue)})
	}
}

// Empty reports whether the document has no structured data, like a contract that was only reviewed.
func (d *documentState) Empty() bool { return d.raw.Data == "" }

func name(s report.Summary) named {
	return named{s.ID, s.Type, term.Clean(s.Number, term.MaxValue), term.Clean(s.FileName, term.MaxValue)}
}

// names reads the types and numbers of documents, in the order of ids.
func (d *Reader) names(ids []uuid.UUID) (list []named, err error) {
	summaries, err := d.reports.Summaries(d.ctx, ids)
	if err != nil {
		return nil, err
	}
	for _, id := range ids {
		if i := slices.IndexFunc(summaries, func(s report.Summary) bool { return s.ID == id }); i >= 0 {
			list = append(list, name(summaries[i]))
		}
	}
	return list, nil
}

// unmatched describes why the document isn't matched yet; empty if it is.
func (d *documentState) unmatched() string {
	switch d.Status {
	case "succeeded":
		return ""
	case "":
		return "It was never published for matching."
	case "failed":
		return fmt.Sprintf("Matching it failed, %s: %s", attempts(d.Attempts), orNone(d.Error))
	}
	return fmt.Sprintf("It is not matched yet: it is %s.", d.Status)
}

func orNone(s string) string { return cmp.Or(s, "-") }
