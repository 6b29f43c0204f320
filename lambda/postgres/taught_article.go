package postgres

import (
	"matchbook/lambda/match/rules"
	"matchbook/lambda/match/score"

	"github.com/jackc/pgx/v5"
)

// factLesson is a fact taught about a supplier's name: an article or a label (score.Lessons).
type factLesson struct{ supplier, fact string }

// lessonsOf lists the facts that a confirmation teaches, for the names of the supplier on both
// documents.
func lessonsOf(w *word) (list []factLesson) {
	if w.Verdict != rules.Confirmed {
		return nil
	}
	first, second := w.raws[0], w.raws[1]
	first.Known, second.Known = "", "" // a lesson must not depend on earlier ones
	a, err1 := score.Read(first)
	b, err2 := score.Read(second)
	if err1 != nil || err2 != nil {
		return nil
	}
	names := map[string]bool{a.Naming().Name: true, b.Naming().Name: true}
	delete(names, "")
	for _, fact := range score.Lessons(a, b) {
		for name := range names {
			list = append(list, factLesson{name, fact})
		}
	}
	return list
}

// Statements about the lessons of a pair.
const (
	unteachFactsSQL = `
DELETE FROM taught_article WHERE document_a_id = $1 AND document_b_id = $2`
	teachFactsSQL = `
INSERT INTO taught_article (document_a_id, document_b_id, tenant_id, supplier, fact)
SELECT $1, $2, tenant_id, l.supplier, l.fact FROM document, unnest($3::text[], $4::text[]) AS l (supplier, fact) WHERE id = $1`
	// taughtNamesSQL lists the suppliers' names of documents after a decision about them, because
	// it may have taught something or withdrawn it.
	taughtNamesSQL = `
SELECT name FROM party_name WHERE document_id = ANY ($1) AND name <> ''`
)

// teach replaces what the pair taught before.
func (w *word) teach(batch *pgx.Batch) {
	a, b := w.pair[0], w.pair[1]
	batch.Queue(unteachFactsSQL, a, b)
	var suppliers, facts []string
	for _, l := range w.lessons {
		suppliers, facts = append(suppliers, l.supplier), append(facts, l.fact)
	}
	if len(facts) > 0 {
		batch.Queue(teachFactsSQL, a, b, suppliers, facts)
	}
}
