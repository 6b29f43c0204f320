package rehearsal

import (
	"context"
	"strings"

	"matchbook/lambda/corpus"
	"matchbook/lambda/document"
	"matchbook/lambda/postgres"
	"matchbook/lambda/postgres/report"

	"github.com/google/uuid"
)

// explainAlone gives the reason for every document without a match: the best
// pair that was considered, or citations of documents that are not here.
func (f *Found) explainAlone(edges, suggestions []report.Match, docs []corpus.Document) {
	matched := make(map[uuid.UUID]bool)
	for _, e := range edges {
		matched[e.A], matched[e.B] = true, true
	}
	considered := make(map[uuid.UUID]report.Match) // the best suggestion
	for _, s := range suggestions {
		for _, id := range []uuid.UUID{s.A, s.B} {
			if best, ok := considered[id]; !ok || s.Score > best.Score {
				considered[id] = s
			}
		}
	}
	for _, d := range docs {
		row := f.byID[d.ID]
		if row == nil || row.Status != "succeeded" || matched[d.ID] {
			continue
		}
		if s, ok := considered[d.ID]; ok {
			row.AloneBecause = s.Reasoning
			continue
		}
		row.AloneBecause = missing(d.Data)
	}
}

// addUnread adds the documents that were not looked at to the reasons for one that
// is alone.
func (f *Found) addUnread(ctx context.Context, db *postgres.DB) error {
	var alone []uuid.UUID
	for _, d := range f.Documents {
		if d.AloneBecause != "" {
			alone = append(alone, d.ID)
		}
	}
	raws, err := db.Raws(ctx, alone)
	if err != nil {
		return err
	}
	for _, raw := range raws {
		unread, err := db.Unread(ctx, raw)
		if err != nil {
			return err
		}
		if s := postgres.UnreadWords(unread); s != "" {
			f.byID[raw.ID].AloneBecause += " " + s
		}
	}
	return nil
}

// missing explains a document without a candidate.
func missing(raw []byte) string {
	data, err := document.Parse(raw)
	if err != nil {
		return "Its structured data cannot be read."
	}
	if data.Supplier == (document.Party{}) && data.Buyer == (document.Party{}) {
		return "It names no company."
	}
	if len(data.References) == 0 {
		return "It cites nothing, and nothing cites it."
	}
	var cited []string
	for _, r := range data.References {
		cited = append(cited, strings.ReplaceAll(r.Type, "-", " ")+" "+r.Number)
	}
	return "It cites " + strings.Join(cited, ", ") + ": not among the documents."
}
