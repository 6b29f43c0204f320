package matchrun

import (
	"context"
	"strings"

	"matchbook/lambda/cli/explain"
	"matchbook/lambda/postgres"
	"matchbook/lambda/postgres/report"

	"github.com/google/uuid"
)

// explainAlone gives the reasons for every matched document without a match, in the
// words of the explain command.
func (f *Found) explainAlone(ctx context.Context, db *postgres.DB, edges []report.Match) error {
	matched := make(map[uuid.UUID]bool)
	for _, e := range edges {
		matched[e.A], matched[e.B] = true, true
	}
	reader := explain.NewReader(ctx, db)
	for i := range f.Documents {
		d := &f.Documents[i]
		if d.Status != "succeeded" || matched[d.ID] {
			continue
		}
		reasons, err := reader.Alone(d.ID)
		if err != nil {
			return err
		}
		d.AloneBecause = strings.Join(reasons, " ")
	}
	return nil
}
